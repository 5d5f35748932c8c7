"""The folder of an avatar is read as people write it, and what is wrong in it is told with its place."""

from __future__ import annotations

import json

import pytest

from vivavoce.domain.avatar_files import warnings_of
from vivavoce.domain.avatars import Source, read_sources
from vivavoce.errors import Conflict, InvalidInput, NotFound, StorageFailed
from vivavoce.upkeep.corpus import process_corpus
from vivavoce.upkeep.corpus_files import AvatarFolder, avatars_in
from vivavoce.upkeep.corpus_registering import begun

from .corpora import COMMONS, TAXES, Listener, avatar_folder, listed, write


def refusal_of(folder):
    with pytest.raises(InvalidInput) as refused:
        folder.listed()
    return str(refused.value)


# What is written


def test_the_files_that_a_new_avatar_gets_can_be_read(tmp_path):
    folder = AvatarFolder(tmp_path / "new" / "avatars", "ada-lovelace")

    written = folder.written(None, None)

    assert written == [folder.config_file, folder.sources_file]
    assert folder.documents_folder.is_dir()
    found = folder.listed()
    assert (found.about.name, found.sources) == ("Ada Lovelace", [])
    assert found.about.tools == ("query_corpus", "generate_response", "get_avatar_info")
    assert "not Ada Lovelace" in found.about.system_prompt.identity


def test_documents_that_lie_there_already_are_listed(tmp_path):
    folder = AvatarFolder(tmp_path, "ada")
    folder.documents_folder.mkdir(parents=True)
    for name in ("notes-on-engines.pdf", "letters.TXT", "my letter.txt", "portrait.png", ".hidden.txt"):
        write(folder, name, TAXES)

    folder.written("Ada", "Wrote notes.")

    sources = folder.listed().sources
    assert [(source.id, source.title) for source in sources] == [
        ("letters", "Letters"),
        ("notes-on-engines", "Notes On Engines"),
    ]
    assert folder.document_of(sources[0], folder.documents()).name == "letters.TXT"


def test_nothing_is_written_over(tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"))
    before = folder.config_file.read_bytes(), folder.sources_file.read_bytes()

    with pytest.raises(Conflict, match="is there already"):
        folder.written("Other", None)

    assert (folder.config_file.read_bytes(), folder.sources_file.read_bytes()) == before


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "avatars").write_text("a file", encoding="utf-8")

    with pytest.raises(StorageFailed, match="avatars/ada cannot be written"):
        AvatarFolder(tmp_path / "avatars", "ada").written(None, None)


async def test_a_new_avatar_is_in_the_workspace_at_once_and_only_once(app, run, tmp_path):
    folder = AvatarFolder(tmp_path, "ada")

    avatar, files = await begun(app, folder, name="Ada Lovelace", description="Wrote notes.")

    assert len(files) == 2
    assert (await run("get_avatar", id="ada"))["description"] == "Wrote notes."
    assert avatar.name == "Ada Lovelace"
    with pytest.raises(Conflict, match="an avatar 'ada' already"):
        await begun(app, folder)


async def test_an_avatar_is_made_of_a_folder_that_is_there(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("lakes"))
    with pytest.raises(InvalidInput, match="a name and a description of its own"):
        await begun(app, folder, name="Other")

    _, files = await begun(app, folder)

    assert files == []
    assert (await run("get_avatar", id="ostrom"))["name"] == "Elinor Ostrom"


def test_the_avatars_of_a_folder_are_those_with_a_configuration(tmp_path):
    avatar_folder(tmp_path, id="ada")
    avatar_folder(tmp_path, id="bob")
    (tmp_path / "avatars" / "empty").mkdir()
    (tmp_path / "avatars" / "Not An Id").mkdir()

    assert avatars_in(tmp_path / "avatars") == ["ada", "bob"]
    assert avatars_in(tmp_path / "nowhere") == []


# What is read


@pytest.mark.parametrize("id", ["../ostrom", "", "Ostrom", "a/b", "..", "a" * 65, "ostrom\n"])
def test_an_id_cannot_lead_elsewhere(tmp_path, id):
    with pytest.raises(InvalidInput, match="cannot be the id of an avatar"):
        AvatarFolder(tmp_path, id)


def test_a_folder_that_is_not_there_is_named_with_the_way_to_make_it(tmp_path):
    with pytest.raises(NotFound, match=r"no .*/ostrom/config\.json.*vivavoce avatar create ostrom"):
        AvatarFolder(tmp_path, "ostrom").listed()


def test_unknown_keys_are_kept(tmp_path):
    entry = listed("lakes", doi="10.1/2", shelf={"row": 3})
    vectors = {"table": "avatar_chunks", "chunkSize": 512}
    folder = avatar_folder(tmp_path, entry, config={"principles": [1], "vectorStore": vectors})

    found = folder.listed()

    assert (found.config["principles"], found.config["vectorStore"]) == ([1], vectors)
    assert found.entries == [entry]


@pytest.mark.parametrize(
    ("vectors", "expected"),
    [
        ({"chunkSize": 512, "chunkOverlap": 50}, (512, 50)),
        ({"chunkSize": 200}, (200, 20)),
        ({"chunkOverlap": 0}, (400, 0)),
        ({"chunkSize": None, "chunkOverlap": None}, (400, 40)),
        ({"chunkSize": 50, "chunkOverlap": 16}, (50, 16)),
        ({"table": "avatar_chunks"}, (400, 40)),
        ("elsewhere", (400, 40)),
        (None, (400, 40)),
    ],
)
def test_passages_are_as_long_as_the_configuration_says(tmp_path, vectors, expected):
    folder = avatar_folder(tmp_path, config={"vectorStore": vectors})

    assert folder.listed().splitting == expected


@pytest.mark.parametrize(
    ("vectors", "expected"),
    [
        ({"chunkSize": 49}, "vectorStore.chunkSize: must be a whole number of tokens, 50 to 2,000."),
        ({"chunkSize": 2001}, "vectorStore.chunkSize: must be"),
        ({"chunkSize": 0}, "vectorStore.chunkSize: must be"),
        ({"chunkSize": "512"}, "vectorStore.chunkSize: must be"),
        ({"chunkSize": True}, "vectorStore.chunkSize: must be"),
        ({"chunkSize": 99.5}, "vectorStore.chunkSize: must be"),
        ({"chunkOverlap": -1}, "vectorStore.chunkOverlap: must be a whole number of tokens, 0 to 133"),
        ({"chunkSize": 90, "chunkOverlap": 31}, "vectorStore.chunkOverlap: must be"),
        ({"chunkOverlap": [50]}, "vectorStore.chunkOverlap: must be"),
    ],
)
def test_passages_that_cannot_be_are_refused_with_the_file_and_the_key(tmp_path, vectors, expected):
    folder = avatar_folder(tmp_path, config={"vectorStore": vectors})

    with pytest.raises(InvalidInput) as refused:
        folder.listed()

    assert refused.value.message.startswith(f"{folder.config_file}: {expected}")


def test_passages_that_the_built_in_embedder_does_not_read_to_the_end_are_warned_of(tmp_path):
    folder = avatar_folder(tmp_path, config={"vectorStore": {"chunkSize": 513}})
    found = folder.listed()

    (said,) = warnings_of(found.about, found.splitting)

    assert said.startswith("config.json: vectorStore.chunkSize is 513, and the built-in embedders read 512")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": None}, "name: "),
        ({"corpus": {"sources": []}}, "corpus.description: is required"),
        ({"corpus": {"description": "x", "sources": [{"title": "x"}]}}, "corpus.sources.0.type: is required"),
        (
            {"systemPrompt": {"identity": "x", "tone": "y", "constraints": "none"}},
            "systemPrompt.constraints: ",
        ),
        ({"birthYear": "long ago"}, "birthYear: input should be a valid integer"),
        ({"mcp": {"tools": ["delete_corpus"]}}, "mcp.tools.0: input should be 'query_corpus'"),
        ({"id": "Elinor"}, "id: "),
    ],
)
def test_a_configuration_that_breaks_the_schema_says_where_and_what_was_expected(tmp_path, changes, expected):
    folder = avatar_folder(tmp_path, config=changes)

    said = refusal_of(folder)

    assert said.startswith(f"{folder.config_file}: ")
    assert expected in said


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"id": "ostrom",\n "name": }', "line 2, column 10: this is not JSON"),
        ("", "line 1, column 1"),
        ("[]", "a JSON object in {} was expected, not a list"),
        ('"ostrom"', "not a text"),
        ('{"id": NaN}', "NaN is no number of JSON"),
        (b'{"id": "\xff"}', "byte 8 is not UTF-8"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_file_that_is_not_json_is_named_with_the_place(tmp_path, content, expected):
    folder = avatar_folder(tmp_path)
    for file in (folder.sources_file, folder.config_file):
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

        said = refusal_of(folder)

        assert said.startswith(f"{file}: ")
        assert expected in said


def test_a_byte_order_mark_is_passed_over(tmp_path):
    folder = avatar_folder(tmp_path)
    folder.config_file.write_bytes(b"\xef\xbb\xbf" + folder.config_file.read_bytes())

    assert folder.listed().about.id == "ostrom"


def test_a_configuration_of_another_avatar_is_refused(tmp_path):
    folder = avatar_folder(tmp_path, config={"id": "keynes"})

    assert "id: is 'keynes', but its folder is called 'ostrom'" in refusal_of(folder)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        ({}, "sources: is required"),
        ({"sources": {}}, "sources: a list was expected, not an object"),
        ({"sources": ["lakes"]}, "sources.0: a JSON object in {} was expected, not a text"),
        ({"sources": [listed("lakes"), {"id": "canals"}]}, "sources.1: title: is required"),
        ({"sources": [listed("lakes"), listed("lakes")]}, "the id 'lakes' stands there twice"),
        ({"sources": [listed("../../x")]}, "sources.0: id: "),
        ({"sources": [listed("/etc/passwd")]}, "sources.0: id: "),
        ({"sources": [listed("a\\b")]}, "sources.0: id: "),
    ],
)
def test_sources_that_break_the_schema_say_where_and_what_was_expected(tmp_path, contents, expected):
    folder = avatar_folder(tmp_path)
    folder.sources_file.write_text(json.dumps(contents), encoding="utf-8")

    said = refusal_of(folder)

    assert said.startswith(f"{folder.sources_file}: ")
    assert expected in said


def test_a_list_of_sources_that_is_not_there_is_missed(tmp_path):
    folder = avatar_folder(tmp_path)
    folder.sources_file.unlink()

    assert f"There is no {folder.sources_file}" in refusal_of(folder)


async def test_nothing_is_stored_where_a_file_is_wrong(app, run, tmp_path):
    folder = avatar_folder(tmp_path, listed("../x"), documents={"lakes.txt": COMMONS})

    with pytest.raises(InvalidInput):
        await process_corpus(app, folder, Listener())

    assert (await run("list_avatars"))["avatars"] == []


# Documents


def source(id, **more) -> Source:
    (read,) = read_sources([listed(id, **more)])
    return read


def test_a_document_is_found_by_the_id_of_its_source(tmp_path):
    names = ["smith.2001.pdf", "smith.txt", "..md"]
    folder = avatar_folder(tmp_path, documents=dict.fromkeys(names, COMMONS))
    documents = folder.documents()

    assert folder.document_of(source("smith.2001"), documents).name == "smith.2001.pdf"
    assert folder.document_of(source("smith"), documents).name == "smith.txt"
    assert folder.document_of(source("."), documents) is None
    assert folder.document_of(source("Smith"), documents) is None


def test_of_two_documents_the_list_says_which_counts(tmp_path):
    folder = avatar_folder(tmp_path, documents={"lakes.pdf": COMMONS, "lakes.txt": COMMONS})
    documents = folder.documents()

    with pytest.raises(InvalidInput, match=r"There are lakes\.pdf and lakes\.txt"):
        folder.document_of(source("lakes"), documents)
    assert folder.document_of(source("lakes", format="TXT"), documents).name == "lakes.txt"


def test_the_format_that_is_proposed_is_one_of_those_that_are_there(tmp_path):
    folder = avatar_folder(tmp_path, documents={"lakes.md": COMMONS, "lakes.txt": COMMONS})

    with pytest.raises(InvalidInput) as refused:
        folder.document_of(source("lakes"), folder.documents())

    assert refused.value.hint.endswith('"format": "md".')


def test_names_that_are_proposed_are_free(tmp_path):
    names = ["my lake.txt", "my-lake.md", "m\u00fd lake.pdf", "\u6e56.txt", "lakes.png", "a b.png"]
    folder = avatar_folder(tmp_path, documents=dict.fromkeys(names, COMMONS))

    renames = folder.renames(folder.documents())

    assert renames == {
        "my lake.txt": "my-lake-2.txt",
        "m\u00fd lake.pdf": "my-lake-3.pdf",
        "\u6e56.txt": "document.txt",
    }


def test_a_link_does_not_lead_out_of_the_folder(tmp_path):
    (tmp_path / "diary.txt").write_text(TAXES, encoding="utf-8")
    folder = avatar_folder(tmp_path, documents={"lakes.txt": COMMONS})
    (folder.documents_folder / "diary.txt").symlink_to(tmp_path / "diary.txt")
    (folder.documents_folder / "alias.txt").symlink_to(folder.documents_folder / "lakes.txt")
    documents = folder.documents()

    with pytest.raises(InvalidInput, match="a link that leads out of the folder"):
        folder.document_of(source("diary"), documents)
    assert folder.document_of(source("alias"), documents) is not None


def test_files_of_no_source_are_named(tmp_path):
    folder = avatar_folder(
        tmp_path, documents=dict.fromkeys(["lakes.txt", "lakes.png", "stray.pdf", ".DS_Store"], COMMONS)
    )

    assert folder.unlisted([source("lakes")], folder.documents()) == ["lakes.png", "stray.pdf"]
