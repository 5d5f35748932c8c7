"""`vivavoce export`: what an operator is told of an archive, and where none can be written."""

from __future__ import annotations

import json
import shlex
import zipfile

import pytest
from doors import run_command

AGENT = ["create-agent", "--name", "Ana", "--model-name", "gpt_4o_mini", "--system-prompt", "p"]


@pytest.fixture(autouse=True)
def house(workspace, tmp_path, monkeypatch):
    """A workspace with an agent, and a folder of one's own."""
    monkeypatch.chdir(tmp_path)
    assert run_command([*AGENT, "--description", "d"])[0] == 0
    return workspace


def test_an_archive_is_named_with_what_is_in_it():
    code, output, _ = run_command(["export", "house.zip"])

    assert code == 0
    assert output.startswith("Wrote house.zip (")
    assert "In it: 1 agents." in output
    assert "vivavoce import house.zip" in output


def test_the_command_that_reads_it_again_can_be_copied():
    _, output, _ = run_command(["export", "cópia da casa.zip"])

    (line,) = [line for line in output.splitlines() if "vivavoce import " in line]
    assert shlex.split(line)[-3:] == ["vivavoce", "import", "cópia da casa.zip"]


def test_without_a_name_it_has_one_of_the_time(tmp_path):
    code, output, _ = run_command(["export", "--json"])

    said = json.loads(output)
    assert code == 0
    assert said["file"].startswith("vivavoce-2")
    assert said["bytes"] == (tmp_path / said["file"]).stat().st_size
    assert said["things"]["agents"] == 1


def test_what_was_exported_is_what_is_imported(tmp_path, monkeypatch):
    run_command(["export", "house.zip"])
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "other.db"))

    code, output, _ = run_command(["import", "house.zip", "--json"])

    assert code == 0
    assert json.loads(output)["kinds"]["agents"]["added"] == 1
    assert "Ana" in run_command(["list-agents"])[1]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [("here.txt", 5, "exists already"), ("none/a.zip", 10, "storage_failed: none/a.zip cannot be written: ")],
)
def test_where_it_cannot_be_written_is_said_and_nothing_is_left(tmp_path, name, code, said):
    (tmp_path / "here.txt").write_text("mine")

    ended, _, errors = run_command(["export", name])

    assert ended == code
    assert said in errors
    assert (tmp_path / "here.txt").read_text() == "mine"
    assert list(tmp_path.glob(".*")) == []


def test_where_there_is_no_workspace_none_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "nowhere.db"))

    code, _, errors = run_command(["export", "house.zip"])

    assert code == 2
    assert "There is no workspace" in errors
    assert not (tmp_path / "nowhere.db").exists()
    assert not (tmp_path / "house.zip").exists()


def test_an_archive_that_was_cut_off_is_a_sentence_and_not_a_trace(tmp_path):
    run_command(["export", "house.zip"])
    whole = (tmp_path / "house.zip").read_bytes()
    (tmp_path / "house.zip").write_bytes(whole[:-40])

    code, _, errors = run_command(["import", "house.zip"])

    assert code == 2
    assert errors.startswith("unreadable: house.zip is no archive, or it is cut off")
    assert not zipfile.is_zipfile(tmp_path / "house.zip")
