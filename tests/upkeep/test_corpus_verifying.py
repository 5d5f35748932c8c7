"""A corpus is verified: every source is told of, with what is not as it should be."""

from __future__ import annotations

import pytest

from tests.ports.pdfs_made import scan
from vivavoce.errors import NotFound
from vivavoce.upkeep.corpus import process_corpus
from vivavoce.upkeep.corpus_files import AvatarFolder
from vivavoce.upkeep.corpus_verifying import verify_corpus

from .corpora import COMMONS, TAXES, WATER, Listener, avatar_folder, list_sources, listed, write


async def verified(app, folder):
    return await verify_corpus(app, folder)


def flags(result):
    return {finding.source.id: finding.flags for finding in result.findings}


async def test_a_sound_corpus_has_no_flags(app, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes", verified=True), documents={"lakes.txt": COMMONS})
    await process_corpus(app, folder, Listener())

    result = await verified(app, folder)

    assert (result.is_sound, result.unlisted, flags(result)) == (True, [], {"lakes": []})
    (finding,) = result.findings
    assert (finding.source.status, finding.source.version, finding.source.passages) == ("synched", 1, 1)
    assert finding.source.url == "https://example.com/"


async def test_what_is_not_as_it_should_be_is_flagged(app, tmp_path):
    folder = avatar_folder(
        tmp_path,
        listed("nowhere", url=None, verified=True),
        listed("unsure"),
        listed("absent", verified=True),
        listed("scan", verified=True),
        listed("review", verified=True, priority="secondary"),
        documents=dict.fromkeys(["nowhere.txt", "unsure.txt", "review.txt", "stray.txt"], COMMONS)
        | {"scan.pdf": scan()},
    )
    await process_corpus(app, folder, Listener())

    result = await verified(app, folder)

    assert flags(result) == {
        "nowhere": ["no_url"],
        "unsure": ["unverified"],
        "absent": ["no_passages", "missing_document"],
        "scan": ["no_passages", "failed"],
        "review": ["no_passages", "not_processed"],
    }
    assert result.unlisted == ["stray.txt"]
    assert [each.source.id for each in result.findings if each.is_lacking] == ["absent", "scan"]
    assert not result.is_sound
    (reason,) = [each.reason for each in result.findings if each.source.id == "scan"]
    assert "no text" in reason


async def test_what_processing_refused_is_named_with_the_reason(app, tmp_path):
    documents = {"empty.txt": b"", "junk.pdf": b"no pdf at all", "fresh.txt": COMMONS}
    sources = [listed(id, verified=True) for id in ("empty", "junk")]
    folder = avatar_folder(tmp_path, *sources, documents=documents)
    await process_corpus(app, folder, Listener())
    list_sources(folder, *sources, listed("fresh", verified=True))

    result = await verified(app, folder)

    assert flags(result) == {
        "empty": ["no_passages", "unreadable_document"],
        "junk": ["no_passages", "unreadable_document"],
        "fresh": ["no_passages", "not_processed"],
    }
    empty, junk, _ = [each.reason or "" for each in result.findings]
    assert "empty" in empty
    assert "no pdf" in junk


async def test_a_secondary_source_may_lack_passages(app, tmp_path):
    folder = avatar_folder(tmp_path, listed("review", priority="secondary"))

    assert (await verified(app, folder)).is_sound


async def test_an_archive_address_is_an_address(app, tmp_path):
    entry = listed("lakes", url=None, archive_url="https://archive.org/lakes")
    folder = avatar_folder(tmp_path, entry)

    assert "no_url" not in flags(await verified(app, folder))["lakes"]


async def test_a_document_that_changed_or_went_after_processing_is_flagged(app, tmp_path):
    folder = avatar_folder(
        tmp_path,
        *(listed(id, verified=True) for id in ("lakes", "canals", "taxes")),
        documents={"lakes.txt": COMMONS, "canals.txt": WATER, "taxes.txt": TAXES},
    )
    await process_corpus(app, folder, Listener())
    write(folder, "lakes.txt", TAXES)
    write(folder, "taxes.txt", "")
    (folder.documents_folder / "canals.txt").unlink()

    result = await verified(app, folder)

    assert flags(result) == {
        "lakes": ["changed_on_disk"],
        "canals": ["missing_document"],
        "taxes": ["unreadable_document"],
    }
    assert result.is_sound  # what was processed still speaks


async def test_what_the_list_no_longer_has_but_is_still_spoken_from_is_flagged(app, tmp_path):
    folder = avatar_folder(
        tmp_path,
        listed("lakes", verified=True),
        listed("canals", verified=True),
        documents={"lakes.txt": COMMONS, "canals.txt": WATER},
    )
    await process_corpus(app, folder, Listener())
    list_sources(folder, listed("lakes", verified=True))

    result = await verified(app, folder)

    assert flags(result) == {"lakes": [], "canals": ["not_listed"]}
    assert result.unlisted == ["canals.txt"]


async def test_a_folder_that_was_never_processed_is_listed_all_the_same(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"), documents={"lakes.txt": COMMONS})

    result = await verified(app, folder)

    assert flags(result) == {"lakes": ["no_passages", "not_processed", "unverified"]}
    assert (result.is_registered, result.is_sound) == (False, False)
    assert (await run("list_avatars"))["avatars"] == []


async def test_an_avatar_without_a_folder_is_verified_as_the_workspace_has_it(app, run, tmp_path):
    folder = avatar_folder(
        tmp_path, listed("lakes", verified=True), listed("canals"), documents={"lakes.txt": COMMONS}
    )
    await process_corpus(app, folder, Listener())
    store = (await run("get_avatar", id="ostrom"))["datastoreId"]
    await run("create_datasource", datastoreId=store, name="By hand", text=TAXES)
    await run.indexed()

    result = await verified(app, AvatarFolder(tmp_path / "elsewhere", "ostrom"))

    assert not result.has_folder
    assert [each.flags for each in result.findings] == [
        [],
        ["no_passages", "unverified"],
        ["no_url", "unverified", "not_listed"],
    ]


async def test_an_avatar_that_is_nowhere_is_not_found(app, tmp_path):
    with pytest.raises(NotFound):
        await verified(app, AvatarFolder(tmp_path, "ostrom"))
