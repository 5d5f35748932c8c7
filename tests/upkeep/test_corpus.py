"""A corpus is processed: each document once, in its newest version, whatever happens on the way."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import anyio
import pytest

from tests.engine.libraries import Killed
from tests.ports.pdfs_made import book, pdf, scan
from tests.ports.test_documents_pdf import PROTECTED
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.domain.values import NAME
from vivavoce.errors import NotFound
from vivavoce.operations.uploads import AddFile
from vivavoce.testing import WordEmbedder
from vivavoce.upkeep.corpus import process_corpus
from vivavoce.upkeep.corpus_trying import try_corpus

from .corpora import COMMONS, KINDS, TAXES, WATER, Listener, avatar_folder, list_sources, listed, write


async def processed(app, folder, **options):
    return await process_corpus(app, folder, Listener(), **options)


def states(result):
    return {outcome.id: outcome.state for outcome in result.outcomes}


def reason(result, id):
    (outcome,) = [each for each in result.outcomes if each.id == id]
    return outcome.reason


async def sources(run, id="ostrom"):
    return {each["id"]: each for each in (await run("list_avatar_sources", avatarId=id))["sources"]}


async def datasources(run, id="ostrom"):
    store = (await run("get_avatar", id=id))["datastoreId"]
    return (await run("list_datasources", datastoreId=store, limit=100))["data"]


async def passages(run, query, id="ostrom"):
    return (await run("query_corpus", avatarId=id, query=query, threshold=0))["passages"]


@pytest.mark.parametrize("kind", KINDS)
async def test_a_document_of_each_kind_can_be_quoted_from(app, run, tmp_path, kind):
    folder = avatar_folder(tmp_path, listed("lakes"), documents={f"lakes.{kind}": KINDS[kind]})

    result = await processed(app, folder)

    assert states(result) == {"lakes": "processed"}
    assert (result.passages, result.tokens > 0) == (1, True)
    (passage,) = await passages(run, "Who watches at the shore?")
    assert COMMONS in passage["content"]
    assert (passage["source"], passage["source_id"], passage["year"]) == ("The book of lakes", "lakes", 1990)
    assert passage["page"] == (1 if kind == "pdf" else None)


async def test_the_avatar_is_made_from_its_files_with_all_their_keys(app, run, tmp_path):
    folder = avatar_folder(
        tmp_path, listed("lakes", hdl="10535/1"), config={"principles": ["Clear boundaries"]}
    )

    await processed(app, folder)

    avatar = await run("get_avatar", id="ostrom")
    assert avatar["config"]["principles"] == ["Clear boundaries"]
    assert avatar["sources"] == [listed("lakes", hdl="10535/1")]


async def test_the_avatar_follows_its_files_and_is_left_alone_where_they_are_the_same(
    app, run, clock, tmp_path
):
    folder = avatar_folder(tmp_path, listed("lakes"))
    await processed(app, folder)
    made = await run("get_avatar", id="ostrom")
    clock.advance(hours=1)
    await processed(app, folder)
    assert await run("get_avatar", id="ostrom") == made

    avatar_folder(tmp_path, listed("lakes"), listed("canals"), config={"name": "Lin Ostrom"})
    await processed(app, folder)

    changed = await run("get_avatar", id="ostrom")
    assert (changed["name"], len(changed["sources"])) == ("Lin Ostrom", 2)
    assert changed["datastoreId"] == made["datastoreId"]


async def test_what_is_known_of_a_source_goes_with_its_datasource(app, run, tmp_path):
    topics = ["lakes", "x" * 26]
    folder = avatar_folder(tmp_path, listed("lakes", topics=topics), documents={"lakes.txt": COMMONS})

    await processed(app, folder)

    (source,) = await datasources(run)
    assert source["name"] == "The book of lakes"
    config = source["config"]
    assert (config["custom_id"], config["source_url"]) == ("lakes", "https://example.com/")
    assert (config["tags"], config["mime_type"]) == (["lakes"], "text/plain")


async def test_an_address_that_leads_nowhere_does_not_stop_a_document(app, run, tmp_path):
    entry = listed("lakes", url="see the library", archive_url="https://archive.org/lakes")
    folder = avatar_folder(tmp_path, entry, documents={"lakes.txt": COMMONS})

    assert states(await processed(app, folder)) == {"lakes": "processed"}
    (source,) = await datasources(run)
    assert source["config"]["source_url"] == "https://archive.org/lakes"


@pytest.mark.parametrize("title", ["How to write a .pdf", "A table.csv", "z" * (NAME - 4) + ".pdf", "Vol. 2"])
async def test_a_title_that_ends_like_another_kind_of_file_is_no_obstacle(app, run, tmp_path, title):
    folder = avatar_folder(tmp_path, listed("lakes", title=title), documents={"lakes.md": KINDS["md"]})

    assert states(await processed(app, folder)) == {"lakes": "processed"}
    (source,) = await datasources(run)
    assert kind_of(source["name"], KINDS["md"], source["config"]["mime_type"]) == "md"
    assert (await passages(run, "lakes"))[0]["source"] == title


async def test_secondary_sources_are_left_out_unless_they_are_named(app, run, tmp_path):
    folder = avatar_folder(
        tmp_path,
        listed("lakes"),
        listed("review", priority="secondary"),
        documents={"lakes.txt": COMMONS, "review.txt": TAXES},
    )

    result = await processed(app, folder)
    assert (states(result), result.secondary) == ({"lakes": "processed"}, 1)

    result = await processed(app, folder, source_id="review")
    assert (states(result), result.secondary) == ({"review": "processed"}, 0)
    assert {id for id, each in (await sources(run)).items() if each["passages"]} == {"lakes", "review"}


async def test_a_source_that_is_not_listed_cannot_be_named(app, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"))

    with pytest.raises(NotFound, match="no source 'canals'"):
        await processed(app, folder, source_id="canals")


async def test_what_is_unchanged_is_skipped(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"), documents={"lakes.txt": COMMONS})
    await processed(app, folder)
    before = await sources(run)

    result = await processed(app, folder)

    assert states(result) == {"lakes": "skipped"}
    assert (result.passages, result.tokens) == (0, 0)
    assert await sources(run) == before


async def test_a_changed_document_is_a_new_version_and_old_citations_still_resolve(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"), documents={"lakes.txt": COMMONS})
    await processed(app, folder)
    (cited,) = await passages(run, "fishers")
    write(folder, "lakes.txt", WATER)

    assert states(await processed(app, folder)) == {"lakes": "processed"}

    assert (await sources(run))["lakes"]["version"] == 2
    assert [each["content"] for each in await passages(run, "fishers")] == [WATER]
    where = {"documentId": cited["document_id"], "start": cited["start"], "end": cited["end"]}
    quoted = await run("read_document", **where)
    assert (quoted["text"], quoted["version"], quoted["isCurrent"]) == (COMMONS, 1, False)
    assert len(await datasources(run)) == 1


async def test_a_changed_entry_is_taken_over_without_a_new_version(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"), documents={"lakes.txt": COMMONS})
    await processed(app, folder)

    list_sources(folder, listed("lakes", title="On lakes and their people", url="https://example.org/2"))
    result = await processed(app, folder)

    assert (states(result), result.passages) == ({"lakes": "processed"}, 1)
    (source,) = await datasources(run)
    assert source["config"]["source_url"] == "https://example.org/2"
    assert source["name"] == "On lakes and their people"
    assert (await sources(run))["lakes"]["version"] == 1
    assert len(await passages(run, "lakes")) == 1
    assert states(await processed(app, folder)) == {"lakes": "skipped"}


async def test_what_others_have_set_on_a_datasource_stays(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"))
    await processed(app, folder)
    store = (await run("get_avatar", id="ostrom"))["datastoreId"]
    await run(
        "create_datasource",
        datastoreId=store,
        name="By hand",
        text=TAXES,
        config={"custom_id": "lakes", "shelf": "B2"},
    )
    await run.indexed()

    write(folder, "lakes.txt", COMMONS)
    await processed(app, folder)

    (source,) = await datasources(run)
    assert source["config"]["shelf"] == "B2"
    assert [each["content"] for each in await passages(run, "lake")] == [COMMONS]


async def test_force_replaces_the_passages_and_keeps_version_and_citations(app, run, tmp_path):
    long = "\n\n".join(f"In the year {year} the bridge of the town was mended twice." for year in range(300))
    folder = avatar_folder(tmp_path, listed("bridges"), documents={"bridges.txt": long})
    first = await processed(app, folder)
    (cited, *_) = await passages(run, "bridge")
    before = await sources(run)

    again = await processed(app, folder, force=True)

    assert states(again) == {"bridges": "processed"}
    assert (again.passages, again.tokens) == (first.passages, first.tokens)
    assert await sources(run) == before
    store = (await run("get_avatar", id="ostrom"))["datastoreId"]
    assert await app.ports.store.read(lambda tables: tables.passages.count(store)) == first.passages
    where = {"documentId": cited["document_id"], "start": cited["start"], "end": cited["end"]}
    assert (await run("read_document", **where))["text"] == cited["content"]
    assert len({(each["start"], each["end"]) for each in await passages(run, "bridge")}) == 5


async def test_another_size_of_passages_splits_anew_and_citations_stay(app, run, tmp_path):
    long = " ".join(f"In the year {year} the bridge of the town was mended twice." for year in range(300))
    documents, sizes = {"bridges.txt": long}, {"chunkSize": 60, "chunkOverlap": 0}
    folder = avatar_folder(tmp_path, listed("bridges"), documents=documents)
    await processed(app, folder)
    cited = await passages(run, "bridge")
    before = await sources(run)
    folder = avatar_folder(tmp_path, listed("bridges"), config={"vectorStore": sizes})

    tried = await try_corpus(app, folder, Listener())
    again = await processed(app, folder)
    same = await processed(app, folder)

    assert states(again) == {"bridges": "processed"}
    assert (again.passages, again.tokens) == (tried.passages, tried.tokens)
    assert again.passages > 5 * before["bridges"]["passages"]
    assert states(same) == {"bridges": "skipped"}
    found = [each["content"] for each in await passages(run, "bridge")]
    assert max(app.ports.embedders.chosen("en").lengths(found)) <= 60
    after = await sources(run)
    assert after["bridges"]["version"] == before["bridges"]["version"]
    for each in cited:
        where = {"documentId": each["document_id"], "start": each["start"], "end": each["end"]}
        assert (await run("read_document", **where))["text"] == each["content"]


async def test_without_a_size_of_its_own_a_corpus_is_split_as_usual_again(app, run, tmp_path):
    long = " ".join(f"In the year {year} the bridge of the town was mended twice." for year in range(300))
    sizes = {"vectorStore": {"chunkSize": 60}}
    folder = avatar_folder(tmp_path, listed("bridges"), documents={"bridges.txt": long})
    usual = await processed(app, folder)
    await processed(app, avatar_folder(tmp_path, listed("bridges"), config=sizes))

    again = await processed(app, avatar_folder(tmp_path, listed("bridges")))

    assert states(again) == {"bridges": "processed"}
    assert (again.passages, again.tokens) == (usual.passages, usual.tokens)
    (source,) = await datasources(run)
    assert "chunk_size" not in source["config"]


async def test_another_size_counts_also_for_who_takes_the_work_up(app, run, tmp_path):
    long = " ".join(f"In the year {year} the bridge of the town was mended twice." for year in range(300))
    folder = avatar_folder(tmp_path, listed("bridges"), documents={"bridges.txt": long})
    await processed(app, folder)
    folder = avatar_folder(tmp_path, listed("bridges"), config={"vectorStore": {"chunkSize": 60}})
    with pytest.raises(Killed):
        await processed(replace(app, backend=EndsBeforeFiles(app.backend)), folder)

    await app.ingester.work()

    (source,) = await datasources(run)
    expected = await try_corpus(app, folder, Listener(), force=True)
    assert source["status"] == "synched"
    assert (await sources(run))["bridges"]["passages"] == expected.passages


class EndsBeforeFiles:
    """A backend whose process ends when a file is about to be stored."""

    def __init__(self, backend):
        self.backend = backend

    async def run(self, op, caller):
        if isinstance(op, AddFile):
            raise Killed
        return await self.backend.run(op, caller)


async def test_a_force_that_ends_when_the_passages_are_gone_is_made_up_for(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"), documents={"lakes.txt": COMMONS})
    await processed(app, folder)
    with pytest.raises(Killed):
        await processed(replace(app, backend=EndsBeforeFiles(app.backend)), folder, force=True)
    assert await passages(run, "lake") == []

    result = await processed(app, folder)

    assert (states(result), result.passages) == ({"lakes": "processed"}, 1)
    assert [each["content"] for each in await passages(run, "lake")] == [COMMONS]


async def test_a_dry_run_counts_what_processing_then_makes_and_stores_nothing(app, run, tmp_path):
    folder = avatar_folder(
        tmp_path, listed("book"), listed("lakes"), documents={"book.pdf": book(8), "lakes.txt": COMMONS}
    )

    tried = await try_corpus(app, folder, Listener())

    assert states(tried) == {"book": "processed", "lakes": "processed"}
    assert (await run("list_avatars"))["avatars"] == []
    assert (await run("list_datastores"))["datastores"] == []
    made = await processed(app, folder)
    assert [(each.passages, each.tokens) for each in tried.outcomes] == [
        (each.passages, each.tokens) for each in made.outcomes
    ]
    assert made.passages > 2


async def test_a_dry_run_skips_what_is_unchanged_unless_it_is_forced(app, run, tmp_path):
    folder = avatar_folder(
        tmp_path, listed("lakes"), listed("canals"), documents={"lakes.txt": COMMONS, "canals.txt": WATER}
    )
    await processed(app, folder)
    before = await sources(run)
    write(folder, "canals.txt", TAXES)

    tried = await try_corpus(app, folder, Listener())
    forced = await try_corpus(app, folder, Listener(), force=True)

    assert states(tried) == {"lakes": "skipped", "canals": "processed"}
    assert states(forced) == {"lakes": "processed", "canals": "processed"}
    assert await sources(run) == before


BAD = {
    "scan.pdf": (scan(), "no text"),
    "locked.pdf": (PROTECTED, "protected by a password"),
    "broken.pdf": (pdf([COMMONS])[:60], "damaged"),
    "torn.docx": (KINDS["docx"][:200], "damaged"),
    "false.pdf": (b"Just words.", "no pdf"),
    "empty.txt": (b"", "empty"),
    "blank.txt": (b" \n\n ", "empty"),
}


@pytest.mark.parametrize("work", [process_corpus, try_corpus])
async def test_documents_that_cannot_be_read_say_why_and_stop_no_other(app, tmp_path, work):
    ids = [name.partition(".")[0] for name in BAD]
    folder = avatar_folder(
        tmp_path,
        *(listed(id) for id in [*ids, "lakes"]),
        documents={"lakes.txt": COMMONS} | {name: content for name, (content, _) in BAD.items()},
    )

    for _ in range(2):  # they fail again, and for the same reasons
        result = await work(app, folder, Listener())

        assert {id for id, state in states(result).items() if state == "failed"} == set(ids)
        assert states(result)["lakes"] in ("processed", "skipped")
        for id, (_, expected) in zip(ids, BAD.values(), strict=True):
            assert expected in reason(result, id).lower()


async def test_a_mended_document_is_processed(app, tmp_path):
    folder = avatar_folder(tmp_path, listed("scan"), documents={"scan.pdf": scan()})
    assert states(await processed(app, folder)) == {"scan": "failed"}

    write(folder, "scan.pdf", pdf([COMMONS]))

    assert states(await processed(app, folder)) == {"scan": "processed"}


async def test_a_source_without_a_document_is_missing_and_has_failed_where_it_is_named(app, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"), listed("canals"), documents={"canals.txt": WATER})

    result = await processed(app, folder)
    named = await processed(app, folder, source_id="lakes")

    assert states(result) == {"lakes": "missing", "canals": "processed"}
    assert "no lakes.pdf" in reason(result, "lakes")
    assert states(named) == {"lakes": "failed"}


@pytest.mark.parametrize("documents", [{}, {"stray.txt": TAXES}])
async def test_nothing_listed_is_nothing_to_do(app, run, tmp_path, documents):
    folder = avatar_folder(tmp_path, documents=documents)
    listener = Listener()

    result = await process_corpus(app, folder, listener)

    assert (result.outcomes, result.unlisted) == ([], list(documents))
    assert (await run("get_avatar_info", avatarId="ostrom"))["document_count"] == 0
    assert listener.said == [(0, 0)]


async def test_a_folder_of_documents_that_is_not_there_is_an_empty_one(app, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"))
    folder.documents_folder.rmdir()

    assert states(await processed(app, folder)) == {"lakes": "missing"}


async def test_documents_of_several_languages_are_found_in_their_own(app, run, tmp_path):
    texts = {
        "en": "The fishers share the lake, and they watch the nets at night.",
        "pt": "Os pescadores partilham o lago e vigiam as redes durante a noite.",
        "de": "Die Fischer teilen sich den See und bewachen nachts die Netze.",
        "ja": "漁師たちは湖を分け合い、夜は網を見張る。",
        "ar": "يتقاسم الصيادون البحيرة ويراقبون الشباك ليلا.",
    }
    folder = avatar_folder(
        tmp_path,
        *(listed(id) for id in texts),
        documents={f"{id}.txt": text for id, text in texts.items()},
    )

    assert set(states(await processed(app, folder)).values()) == {"processed"}

    found = {each["source_id"]: each["content"] for each in await passages(run, "pescadores lago")}
    assert found == texts
    assert (await passages(run, "pescadores lago"))[0]["source_id"] == "pt"


async def test_pages_are_counted_as_they_are_printed(app, run, tmp_path):
    subjects = ("Preface", "Thanks", "Lakes", "Canals")
    file = pdf(
        ["\n".join([subject, *["All of this is told here, line by line."] * 30]) for subject in subjects],
        labels="0 << /S /r >> 2 << /S /D /St 41 >>",
        bookmarks=[(subject, page) for page, subject in enumerate(subjects, 1)],
    )
    folder = avatar_folder(tmp_path, listed("book"), documents={"book.pdf": file})

    await processed(app, folder)

    found = {each["content"].split()[0]: each for each in await passages(run, "What is told?")}
    assert {subject: (each["page"], each["page_label"]) for subject, each in found.items()} == {
        "Preface": (1, "i"),
        "Thanks": (2, "ii"),
        "Lakes": (41, "41"),
        "Canals": (42, "42"),
    }


async def test_a_document_that_was_added_by_two_at_once_is_there_once(app, engine, run, tmp_path):
    """Both look before either has stored anything."""
    folder = avatar_folder(
        tmp_path, listed("lakes"), listed("canals"), documents={"lakes.txt": COMMONS, "canals.txt": WATER}
    )
    results = []

    async def one():
        results.append(await processed(app, folder))

    async with anyio.create_task_group() as group:
        group.start_soon(one)
        group.start_soon(one)

    assert len(await datasources(run)) == 2
    assert sorted(each["content"] for each in await passages(run, "lake canal")) == sorted([COMMONS, WATER])
    assert all(result.having("failed") == result.having("waiting") == [] for result in results)


async def test_someone_is_told_how_far_it_is(app, tmp_path):
    folder = avatar_folder(
        tmp_path, listed("lakes"), listed("canals"), documents={"lakes.txt": COMMONS, "canals.txt": WATER}
    )
    listener = Listener()

    await process_corpus(app, folder, listener)

    assert listener.said == [(0, 2), (1, 2), (2, 2)]
    assert (listener.indexings[0], listener.indexings[-1]) == ((0, 2), (2, 2))


async def test_someone_is_told_how_far_one_large_document_is(app, engine, tmp_path):
    text = "\n\n".join(f"Lake {number} has a warden, who {'rows and ' * 300}sleeps." for number in range(80))
    folder = avatar_folder(tmp_path, listed("lakes"), documents={"lakes.txt": text})
    listener = Listener()
    engine.ports.embedders.embedder = Halting(listener.is_under_way)

    result = await process_corpus(app, folder, listener)

    assert states(result) == {"lakes": "processed"}
    assert any(0 < done < 1 for done, _ in listener.indexings)
    assert listener.indexings[-1] == (1, 1)


class Halting(WordEmbedder):
    """Embeds the last lake once those before it were heard of."""

    def __init__(self, heard: asyncio.Event) -> None:
        self.heard = heard

    async def passages(self, texts):
        if any("Lake 79" in text for text in texts):
            async with asyncio.timeout(20):
                await self.heard.wait()
        return await super().passages(texts)
