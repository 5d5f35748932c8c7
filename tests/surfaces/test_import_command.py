"""`vivavoce import` from the command line: an account, an archive, or neither."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from doors import run_command
from serving import key_for, served, settings_in

AGENT = ("--description", "", "--model-name", "m", "--system-prompt", "")


@pytest.fixture
def account(workspace, monkeypatch, tmp_path):
    """An account with one agent whose webhook has a secret; its key is set."""
    there = tmp_path / "there"
    there.mkdir()
    settings = settings_in(there)
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(settings.database))
    hook = json.dumps({"url_webhook_external": "https://hook.example/", "headerKey": "hush"})
    code, _, errors = run_command(
        [
            "create-agent",
            "--name",
            "Ana",
            "--handle",
            "ana",
            *AGENT,
            "--config-url-infos-system-external",
            hook,
        ]
    )
    assert code == 0, errors
    key = key_for(settings, "read").key
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(workspace))
    with served(settings) as address:
        monkeypatch.setenv("CHATVOLT_API_KEY", key)
        monkeypatch.setenv("VIVAVOCE_CHATVOLT_URL", address)
        yield key


def test_an_account_is_copied_and_the_report_says_what_is_to_be_done(account, monkeypatch):
    code, shown, progress = run_command(["import", "chatvolt"])

    assert code == 0
    assert "What came from 127.0.0.1:" in shown
    assert "agents: its secrets are blank: write them again (" in shown
    assert "agents: its webhook is paused until it is resumed (" in shown
    assert "Copying agents: 1 of 1" in progress
    assert account not in shown + progress
    monkeypatch.delenv("CHATVOLT_API_KEY")
    assert run_command(["get-agent", "@ana", "--field", "name"])[1].strip() == "Ana"


def test_a_dry_run_says_so_and_stores_nothing(account, monkeypatch):
    code, shown, _ = run_command(["import", "chatvolt", "--dry-run"])

    assert code == 0
    assert "What would come from 127.0.0.1:" in shown
    monkeypatch.delenv("CHATVOLT_API_KEY")
    assert run_command(["get-agent", "@ana"])[0] == 4


def test_a_dry_run_of_an_account_makes_no_workspace(account, workspace):
    before = sorted(workspace.parent.iterdir())

    code, shown, _ = run_command(["import", "chatvolt", "--dry-run", "--json"])

    assert code == 0
    assert json.loads(shown)["kinds"]["agents"]["added"] == 1
    assert sorted(workspace.parent.iterdir()) == before
    assert not workspace.exists()


def test_the_report_is_had_as_json(account):
    code, shown, _ = run_command(["import", "chatvolt", "--json"])

    report = json.loads(shown)
    assert code == 0
    assert report["dryRun"] is False
    counted = {"added": 1, "updated": 0, "unchanged": 0, "kept": 0, "failed": 0}
    assert report["kinds"] == {"agents": counted}
    assert {remark["kind"] for remark in report["remarks"]} == {"agents"}
    assert all(remark["id"] and remark["reason"] for remark in report["remarks"])


def test_an_account_that_refuses_the_key_is_an_error_that_says_what_to_check(account, monkeypatch):
    monkeypatch.setenv("CHATVOLT_API_KEY", "wrong-key-of-someone")

    code, shown, errors = run_command(["import", "chatvolt"])

    assert (code, shown) == (3, "")
    assert "wrong-key-of-someone" not in errors
    assert errors.startswith("not_authenticated: ")


def test_without_a_key_there_is_no_account_to_copy(workspace):
    code, _, errors = run_command(["import", "chatvolt"])

    assert code == 3
    assert "Set CHATVOLT_API_KEY" in errors
    assert not workspace.exists()


def test_a_source_that_is_neither_a_file_nor_an_account_is_refused(workspace):
    code, _, errors = run_command(["import", "chatvolt.zip"])

    assert code == 2
    assert "There is no file 'chatvolt.zip'." in errors
    assert not workspace.exists()


def test_an_archive_is_read_where_a_path_is_given(workspace, monkeypatch, tmp_path):
    run_command(["create-agent", "--name", "Ana", "--handle", "ana", *AGENT])
    assert run_command(["export", "house.zip"])[0] == 0
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "other.db"))

    code, shown, errors = run_command(["import", "house.zip"])

    assert code == 0, errors
    assert "What came from house.zip" in shown
    assert run_command(["get-agent", "@ana", "--field", "name"])[1].strip() == "Ana"


def test_a_dry_run_of_an_archive_makes_no_workspace(workspace, monkeypatch, tmp_path):
    run_command(["create-agent", "--name", "Ana", "--handle", "ana", *AGENT])
    run_command(["export", "house.zip"])
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "new" / "other.db"))

    code, shown, errors = run_command(["import", "house.zip", "--dry-run", "--json"])

    assert code == 0, errors
    assert json.loads(shown)["kinds"]["agents"]["added"] == 1
    assert not (tmp_path / "new").exists()


def test_an_archive_that_is_refused_makes_no_workspace(workspace):
    run_command(["create-agent", "--name", "Ana", *AGENT])
    run_command(["export", "house.zip"])
    for file in workspace.parent.glob(f"{workspace.stem}.*"):
        file.unlink()
    cut = Path("house.zip").read_bytes()[:-40]
    Path("cut.zip").write_bytes(cut)

    code, _, errors = run_command(["import", "cut.zip"])

    assert code == 2
    assert errors.startswith("unreadable: cut.zip is no archive")
    assert list(workspace.parent.glob(f"{workspace.stem}.*")) == []


def test_a_part_that_was_changed_is_found_before_a_workspace_is_made(workspace, monkeypatch, tmp_path):
    run_command(["create-agent", "--name", "Ana", *AGENT])
    run_command(["export", "house.zip"])
    with zipfile.ZipFile("house.zip") as whole, zipfile.ZipFile("changed.zip", "w") as changed:
        for name in whole.namelist():
            part = whole.read(name)
            changed.writestr(name, part.replace(b"Ana", b"Eva") if name == "agents.jsonl" else part)
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "other.db"))

    code, _, errors = run_command(["import", "changed.zip"])

    assert code == 2
    assert "agents.jsonl is not what the manifest says" in errors
    assert list(tmp_path.glob("other.*")) == []
