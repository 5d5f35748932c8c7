"""A workspace in Postgres, as a person at a terminal meets it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from doors import run_command

from tests.ports.servers import Server, postgres_server
from tests.ports.workspaces import new_schema
from vivavoce.settings import Settings
from vivavoce.workspace import is_new_workspace

AGENT = (
    "create-agent",
    "--name",
    "Ana",
    "--description",
    "d",
    "--model-name",
    "gpt_4o_mini",
    "--system-prompt",
    "p",
)
SECRET = "hush-hush"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    with postgres_server() as server:
        yield server


@pytest.fixture
def url(postgres, monkeypatch, tmp_path) -> Iterator[str]:
    """The URL, with a password, of an empty schema on which commands work, in a home of its own."""
    with new_schema(postgres.url) as plain:
        url = plain.replace("postgres@", f"postgres:{SECRET}@")
        monkeypatch.setenv("VIVAVOCE_DATABASE", url)
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.chdir(tmp_path)
        yield url


def findings() -> tuple[int, list[dict[str, str]]]:
    code, output, _ = run_command(["doctor", "--json"])
    assert SECRET not in output
    return code, json.loads(output)


def test_the_key_lies_in_the_data_folder_and_the_password_is_not_shown(url):
    settings = Settings.read()

    assert settings.database_url == url
    assert settings.key_file.parent == settings.database.parent
    assert settings.key_file.name == "postgres.key"
    assert SECRET not in f"{settings!r} {settings.workspace}"
    assert settings.workspace.startswith("the Postgres database postgres at 127.0.0.1:")


@pytest.mark.parametrize(
    "address", ["postgres:///x", "postgresql://[::1]/x?password=hush-hush", "postgresql://"]
)
def test_a_workspace_has_a_place_whatever_its_address_is(address):
    settings = Settings.read({"VIVAVOCE_DATABASE": address, "VIVAVOCE_DATABASE_URL": "postgresql://other/x"})

    assert settings.database_url == address
    assert SECRET not in f"{settings!r} {settings.workspace}"


def test_commands_work_and_a_second_process_sees_what_they_did(url):
    code, output, errors = run_command([*AGENT, "--handle", "ana", "--field", "id"])
    assert code == 0, errors

    other = subprocess.run(
        [sys.executable, "-m", "vivavoce", "get-agent", "@ana", "--field", "id"],
        env=os.environ.copy(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (other.stdout, other.returncode) == (output, 0), other.stderr


def test_doctor_tells_of_the_server_and_of_files_that_other_machines_do_not_see(url):
    run_command(AGENT)

    code, found = findings()

    said = {finding["about"]: finding for finding in found}
    assert code == 0
    assert said["database"]["state"] == "ok"
    assert "Postgres" in said["database"]["says"]
    assert said["workspace"]["says"].startswith("1 agents")
    assert any("other machines" in finding["says"] for finding in found if finding["about"] == "index")


def test_a_key_that_is_missing_is_missed_and_not_made_anew(url):
    run_command(AGENT)
    Settings.read().key_file.unlink()

    code, _, errors = run_command(["list-agents"])

    assert code == 10
    assert "missing" in errors
    assert not Settings.read().key_file.exists()

    assert run_command(["forget-secrets", "--yes"])[0] == 0
    assert run_command(["list-agents"])[0] == 0


def test_what_makes_sense_for_a_file_alone_says_so(url):
    code, _, errors = run_command(["backup", "copy.db"])

    assert code == 7
    assert "pg_dump" in errors
    assert SECRET not in errors


def test_connect_does_not_write_a_password_into_a_clients_file(url, monkeypatch):
    code, output, errors = run_command(["connect", "cursor"])
    assert code == 7
    assert ".pgpass" in errors
    assert SECRET not in output + errors

    plain = url.replace(f":{SECRET}@", "@")
    monkeypatch.setenv("VIVAVOCE_DATABASE", plain)
    code, output, errors = run_command(["connect", "cursor"])
    assert code == 0, errors
    assert plain in output


def test_without_psycopg_the_way_to_install_it_is_named(url, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("vivavoce.adapters.sql.postgres")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("vivavoce.adapters.sql.postgres_upkeep", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)

    code, _, errors = run_command(["list-agents"])

    assert code == 7
    assert "vivavoce[postgres]" in errors


def test_a_dry_run_of_an_import_makes_no_workspace(url, monkeypatch, tmp_path):
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "house.db"))
    run_command(AGENT)
    run_command(["export", "house.zip"])
    monkeypatch.setenv("VIVAVOCE_DATABASE", url)

    code, output, errors = run_command(["import", "house.zip", "--dry-run", "--json"])

    assert code == 0, errors
    assert json.loads(output)["kinds"]["agents"]["added"] == 1
    assert is_new_workspace(Settings.read())
    assert not Settings.read().key_file.exists()
