"""`vivavoce avatar`: folders become avatars, corpora are processed and verified."""

from __future__ import annotations

import json
import re
from unittest import mock

import click
import pytest
from doors import Terminal, run_command

from tests.ports.pdfs_made import pdf, scan

LAKES = "Fishers who share a lake agree on rules for nets. They watch each other at the shore."
CANALS = "Farmers in the valley clean the canal together before the rains come."


@pytest.fixture(autouse=True)
def here(workspace, tmp_path):
    """Every command here works on a workspace of its own, in a folder of its own."""
    return tmp_path


@pytest.fixture
def documents(here):
    """The folder of documents of a new avatar, with a PDF and a text that are listed."""
    assert run_command(["avatar", "create", "ostrom", "--name", "Elinor Ostrom"])[0] == 0
    folder = here / "avatars" / "ostrom" / "corpus" / "open-access"
    (folder / "lakes.pdf").write_bytes(pdf(["Preface.", LAKES]))
    (folder / "canals.txt").write_text(CANALS, encoding="utf-8")
    list_sources(folder, entry("lakes", verified=True), entry("canals"))
    return folder


def entry(id, **more):
    return {"id": id, "title": f"The book of {id}", "year": 1990, "url": f"https://example.com/{id}", **more}


def list_sources(documents, *entries):
    contents = json.dumps({"sources": entries})
    (documents.parent / "sources.json").write_text(contents, encoding="utf-8")


def avatar(*words):
    """Exit code and JSON of a command."""
    code, output, errors = run_command(["avatar", *words, "--json"])
    assert output, errors
    return code, json.loads(output)


def process(*words):
    return avatar("process", "--avatar", "ostrom", *words)


def rows(output):
    """The cells of a table that is shown, by the first cell of each row."""
    cells = [[cell.strip() for cell in line.strip("│ ").split("│")] for line in output.splitlines()]
    return {each[0]: each[1:] for each in cells}


def test_a_new_avatar_says_what_to_do_next(here):
    code, output, _ = run_command(["avatar", "create", "ada-lovelace"])

    assert code == 0
    assert "Written: avatars/ada-lovelace/config.json\n" in output
    assert "vivavoce avatar process --avatar ada-lovelace" in output
    config = json.loads((here / "avatars" / "ada-lovelace" / "config.json").read_bytes())
    assert (config["id"], config["name"]) == ("ada-lovelace", "Ada Lovelace")
    code, listed = avatar("list")
    assert [each["id"] for each in listed["avatars"]] == ["ada-lovelace"]


def test_a_new_avatar_takes_name_description_and_place(here):
    words = ["--name", "Ada", "--description", "Wrote notes.", "--folder", "mine"]

    code, made = avatar("create", "ada", *words)

    assert (code, made["id"], made["folder"]) == (0, "ada", "mine/ada")
    assert made["written"] == ["mine/ada/config.json", "mine/ada/corpus/sources.json"]
    assert json.loads((here / "mine" / "ada" / "config.json").read_bytes())["description"] == "Wrote notes."


def test_an_avatar_that_is_there_is_not_made_again(documents):
    before = (documents.parent / "sources.json").read_bytes()

    code, _, errors = run_command(["avatar", "create", "ostrom"])

    assert code == 5
    assert "conflict: There is an avatar 'ostrom' already." in errors
    assert (documents.parent / "sources.json").read_bytes() == before


def test_a_folder_that_another_made_is_registered(documents, monkeypatch, here):
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(here / "other.db"))
    code, _, errors = run_command(["avatar", "list"])
    assert "In avatars, but not in the workspace yet: ostrom." in errors

    code, made = avatar("create", "ostrom")

    assert (code, made["written"]) == (0, [])
    assert [each["id"] for each in avatar("list")[1]["avatars"]] == ["ostrom"]


def test_a_corpus_is_processed_and_can_be_quoted_from(documents):
    code, summary = process()

    assert code == 0
    counted = {name: summary[name] for name in ("processed", "skipped", "missing", "failed", "waiting")}
    assert counted == {"processed": 2, "skipped": 0, "missing": 0, "failed": 0, "waiting": 0}
    assert summary["passages"] == sum(each["passages"] for each in summary["sources"]) == 2
    assert summary["tokens"] > 20
    assert summary["seconds"] > 0
    words = ["query-corpus", "ostrom", "--query", "Who agrees on rules for nets in a lake?", "--json"]
    (found, *_) = json.loads(run_command(words)[1])["passages"]
    assert (found["source"], found["page"], found["year"]) == ("The book of lakes", 1, 1990)

    code, summary = process()
    assert (code, summary["processed"], summary["skipped"]) == (0, 0, 2)
    code, summary = process("--force", "--source", "canals")
    assert (code, summary["processed"], summary["passages"]) == (0, 1, 1)


def test_people_see_bars_and_a_summary(documents, monkeypatch):
    list_sources(
        documents, entry("lakes"), entry("canals"), entry("essays"), entry("x", priority="secondary")
    )
    (documents / "stray.txt").write_text("Nobody lists me.", encoding="utf-8")
    code, output, errors = run_command(["avatar", "process", "--avatar", "ostrom"])

    assert code == 0
    shown = rows(output)
    numbers = ("processed", "missing: no document", "failed", "left out: secondary", "passages")
    assert [shown[name] for name in numbers] == [["2"], ["1"], ["0"], ["1"], ["2"]]
    assert {"tokens", "seconds", "skipped: unchanged"} <= set(shown)
    assert "Checking: 3 of 3 sources\n" in errors
    assert "Indexing: 2 of 2 stored documents" in errors
    assert "Missing:\n  essays: There is no essays.pdf" in errors
    assert "Files that no source lists: stray.txt\n" in errors

    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with mock.patch("doors.io.StringIO", return_value=screen):
        run_command(["avatar", "process", "--avatar", "ostrom", "--force"])
    bars = click.unstyle(screen.getvalue())
    assert re.search(r"Checking +━+ +3/3 +sources", bars)
    assert re.search(r"Indexing +━+ +2/2 +stored documents", bars)


def test_a_dry_run_says_what_each_document_would_give_and_stores_nothing(documents):
    code, output, errors = run_command(["avatar", "process", "--avatar", "ostrom", "--dry-run"])

    assert code == 0, errors
    assert re.search(r"^lakes: 1 passage, \d+ tokens \(The book of lakes\)$", output, re.MULTILINE)
    assert rows(output)["would be processed"] == ["2"]
    assert "Reading: 2 of 2 documents" in errors
    _, verified = avatar("verify", "--avatar", "ostrom")
    assert {each["datasource_id"] for each in verified["sources"]} == {None}


def test_what_failed_is_told_with_the_reason_and_ends_with_1(documents):
    (documents / "lakes.pdf").write_bytes(scan())

    code, output, errors = run_command(["avatar", "process", "--avatar", "ostrom"])

    assert code == 1
    assert (rows(output)["processed"], rows(output)["failed"]) == (["1"], ["1"])
    assert "Failed:\n  lakes.pdf: The file holds pictures of pages and no text." in errors


def test_what_cannot_be_stored_is_not_counted_as_indexed(documents):
    (documents / "lakes.pdf").write_bytes(b"Just words.")

    code, output, errors = run_command(["avatar", "process", "--avatar", "ostrom"])

    assert (code, rows(output)["failed"]) == (1, ["1"])
    assert "Checking: 2 of 2 sources\n" in errors
    assert "Indexing: 1 of 1 stored documents" in errors


def test_an_embedder_that_is_down_keeps_documents_waiting(documents, monkeypatch):
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_MODEL", "words")

    code, summary = process()

    assert (code, summary["waiting"], summary["failed"]) == (1, 2, 0)
    assert "127.0.0.1:1" in summary["sources"][0]["reason"]


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        (["process"], 2, "Missing option '--avatar'"),
        (["process", "--avatar", "nobody"], 4, "There is no avatars/nobody/config.json."),
        (["process", "--avatar", "../ostrom"], 2, "cannot be the id of an avatar"),
        (["process", "--avatar", "ostrom", "--source", "x"], 4, "sources.json lists no source 'x'."),
        (["verify", "--avatar", "nobody"], 4, "There is no avatars/nobody/config.json."),
        (["create", "Ada"], 2, "cannot be the id of an avatar"),
    ],
)
def test_what_cannot_be_done_is_said(documents, words, code, expected):
    ended, output, errors = run_command(["avatar", *words])

    assert (ended, output) == (code, "")
    assert expected in errors


def test_a_file_that_breaks_the_schema_is_named_with_its_key(documents):
    list_sources(documents, entry("../../secrets"))

    code, output, errors = run_command(["avatar", "process", "--avatar", "ostrom"])

    assert (code, output) == (2, "")
    assert "invalid_input: avatars/ostrom/corpus/sources.json: sources.0: id: " in errors


def test_verify_lists_every_source_with_what_it_gave(documents):
    process()

    code, verified = avatar("verify", "--avatar", "ostrom")

    assert (code, verified["isSound"]) == (0, True)
    lakes, canals = verified["sources"]
    assert (lakes["url"], lakes["verified"], lakes["flags"]) == ("https://example.com/lakes", True, [])
    assert (lakes["status"], lakes["version"], lakes["passages"]) == ("synched", 1, 1)
    assert canals["flags"] == ["unverified"]


def test_verify_ends_with_1_where_a_primary_source_gave_nothing(documents, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    (documents / "lakes.pdf").write_bytes(scan())
    (documents / "stray.txt").write_text("Nobody lists me.", encoding="utf-8")
    process()

    code, output, errors = run_command(["avatar", "verify", "--avatar", "ostrom"])

    assert code == 1
    assert output.splitlines() == [
        "The book of lakes (lakes)",
        "  https://example.com/lakes",
        "  error, 0 passages, verified",
        "  remarks: gave no passage, could not be read",
        "The book of canals (canals)",
        "  https://example.com/canals",
        "  synched, version 1, 1 passage",
        "  remarks: not verified",
        "2 sources of ostrom",
    ]
    assert "lakes: The file holds pictures of pages and no text." in errors
    assert "Files that no source lists: stray.txt" in errors


def test_titles_do_not_steer_the_terminal(documents):
    list_sources(documents, {"id": "lakes", "title": "Lakes", "url": "\x1b[31mred"})
    process()

    _, output, _ = run_command(["avatar", "verify", "--avatar", "ostrom"])

    assert "\x1b[31m" not in output
    assert "\N{REPLACEMENT CHARACTER}" in output


def test_a_source_that_is_no_longer_listed_is_named_and_can_be_removed(documents):
    process()
    list_sources(documents, entry("lakes", verified=True))

    _, _, errors = run_command(["avatar", "process", "--avatar", "ostrom"])
    assert "Still spoken from, not listed: canals. With --prune they are removed." in errors
    assert spoken_from() == ["lakes", "canals"]

    assert process("--prune", "--dry-run")[1]["notListed"] == ["canals"]
    assert spoken_from() == ["lakes", "canals"]

    code, _, errors = run_command(["avatar", "process", "--avatar", "ostrom", "--prune"])
    assert (code, "No longer spoken from: canals" in errors) == (0, True)
    assert spoken_from() == ["lakes"]
    assert process()[1]["notListed"] == []


def test_a_source_that_never_gave_a_passage_is_not_said_to_be_spoken_from(documents):
    (documents / "scan.pdf").write_bytes(scan())
    list_sources(documents, entry("lakes"), entry("canals"), entry("scan"))
    assert process()[0] == 1
    list_sources(documents, entry("lakes"))

    code, _, errors = run_command(["avatar", "process", "--avatar", "ostrom"])

    assert code == 0
    assert "Still spoken from, not listed: canals. With --prune they are removed." in errors
    assert "Kept without a passage, not listed: scan. With --prune they are removed." in errors
    _, _, errors = run_command(["avatar", "process", "--avatar", "ostrom", "--prune"])
    assert "No longer spoken from: canals\n" in errors
    assert "Removed without a passage: scan\n" in errors


@pytest.fixture
def misnamed(here):
    """A folder of documents some of whose names cannot be the id of a source."""
    folder = here / "avatars" / "x" / "corpus" / "open-access"
    folder.mkdir(parents=True)
    for name in ("Cartas da Serra.pdf", "educa\u00e7\u00e3o e a\u00e7\u00e3o.txt", "palestra.txt"):
        (folder / name).write_text(LAKES, encoding="utf-8")
    return folder


def test_documents_whose_names_cannot_be_listed_are_named_with_names_that_can(misnamed):
    for words in (["create", "x"], ["process", "--avatar", "x"], ["verify", "--avatar", "x"]):
        code, _, errors = run_command(["avatar", *words])

        assert code == 0
        assert "Cartas da Serra.pdf: Rename it to Cartas-da-Serra.pdf and list Cartas-da-Serra in" in errors
        assert "a\u00e7\u00e3o.txt: Rename it to educacao-e-acao.txt and list educacao-e-acao in" in errors
        assert "palestra" not in errors


def test_programs_are_told_what_to_rename(misnamed):
    renames = {
        "Cartas da Serra.pdf": "Cartas-da-Serra.pdf",
        "educa\u00e7\u00e3o e a\u00e7\u00e3o.txt": "educacao-e-acao.txt",
    }

    for words in (["create", "x"], ["process", "--avatar", "x"], ["verify", "--avatar", "x"]):
        assert avatar(*words)[1]["renames"] == renames


def test_what_others_put_into_the_datastore_is_not_pruned(documents):
    process()
    store = json.loads(run_command(["get-avatar", "ostrom", "--json"])[1])["datastoreId"]
    words = ["create-datasource", store, "--name", "By hand", "--text", LAKES, "--custom-id", "mine"]
    assert run_command(words)[0] == 0

    assert process("--prune")[1]["notListed"] == []

    assert spoken_from() == ["lakes", "canals", "mine"]


def spoken_from():
    return [source["id"] for source in avatar("verify", "--avatar", "ostrom")[1]["sources"]]


@pytest.mark.parametrize("words", [["process", "--avatar", "ostrom"], ["verify", "--avatar", "ostrom"]])
def test_a_server_without_tools_is_warned_of(documents, words):
    file = documents.parents[1] / "config.json"
    config = json.loads(file.read_bytes())
    assert "mcp.tools" not in run_command(["avatar", *words])[2]

    file.write_text(json.dumps(config | {"mcp": {"tools": []}}), encoding="utf-8")

    assert "Warning: config.json: mcp.tools is empty" in run_command(["avatar", *words])[2]
