"""The command line: what a person at a terminal sees, and what an operator is told."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from types import SimpleNamespace
from unittest import mock

import avatar
import click
import pytest
from click.shell_completion import ShellComplete
from doors import Terminal, run_command

from vivavoce.app import open_app
from vivavoce.domain.channels import Arrival
from vivavoce.domain.deliveries import Delivery
from vivavoce.errors import InvalidInput
from vivavoce.operations import CATALOGUE
from vivavoce.operations.channels import ChannelCreated
from vivavoce.operations.documentation import GetDocumentation
from vivavoce.operations.schemas import output_schema
from vivavoce.ports import Tables
from vivavoce.settings import Settings
from vivavoce.surfaces.cli import program
from vivavoce.surfaces.cli.output import check_field, show
from vivavoce.surfaces.cli.serve import _serve

AGENT = ["create-agent", "--name", "Ana", "--model-name", "gpt_4o_mini", "--system-prompt", "p"]
ESCAPE = "\x1b]0;owned\x07 \x9b31m red"

pytestmark = pytest.mark.usefixtures("workspace")


def seen(words, width=80, answer=None):
    """What a person sees at a terminal of this width."""
    screen = Terminal()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": str(width), "TERM": "xterm"}),
        mock.patch("doors.io.StringIO", return_value=screen),
        mock.patch.object(sys, "stdin", Terminal(answer or "")),
    ):
        run_command(words)
    return click.unstyle(screen.getvalue())


def created(*more):
    code, output, errors = run_command([*AGENT, *more, "--field", "id"])
    assert code == 0, errors
    return output.strip()


def started(words, input=b"", **environment):
    """A real process: its exit code, stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "vivavoce", *words],
        input=input,
        env={**os.environ, **environment},
        capture_output=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


# Tables


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_table_shows_ids_whole_and_keeps_to_the_width(width):
    id = created("--description", "A long description of what it does. " * 5, "--handle", "ana-of-the-shop")

    table = seen(["list-agents"], width)

    assert id in table
    assert max(map(len, table.splitlines())) <= width


def test_a_wide_terminal_shows_more_columns():
    created("--description", "d", "--handle", "ana")

    narrow, wide = seen(["list-agents"], 40), seen(["list-agents"], 200)

    assert "modelName" not in narrow
    assert "modelName" in wide


def test_on_a_terminal_that_is_too_narrow_nothing_of_an_id_is_lost():
    id = created("--description", "d")

    lines = seen(["list-agents"], 20).splitlines()

    assert id in "".join(character for character in "".join(lines) if character.isalnum())


@pytest.mark.parametrize(
    "words", [["list-agents"], ["get-agent", "@ana"], ["get-agent", "@ana", "--field", "description"]]
)
def test_stored_text_does_not_steer_the_terminal(words):
    created("--description", ESCAPE, "--handle", "ana")

    shown = seen(words, 200)

    assert "owned" in shown
    assert not {"\x07", "\x9b", "\x1b"} & set(shown)


def test_json_on_a_terminal_does_not_steer_it_and_is_whole():
    created("--description", ESCAPE, "--handle", "ana")

    shown = seen(["get-agent", "@ana", "--json"])

    assert not {"\x07", "\x9b", "\x1b"} & set(shown)
    assert json.loads(shown)["description"] == ESCAPE


def test_a_script_gets_a_field_as_it_is_stored():
    created("--description", ESCAPE, "--handle", "ana")

    _, output, _ = run_command(["get-agent", "@ana", "--field", "description"])

    assert output == f"{ESCAPE}\n"


@pytest.mark.parametrize(
    ("words", "field", "there"),
    [
        (["create-crm-scenario", "--name", "S"], "ID", "id, organizationId, "),
        (["create-crm-scenario", "--name", "S"], "scenario.id", "id, organizationId, "),
        (["keys", "create", "me"], "chave", "key"),
        (["chat", "@ana", "--message", "Hello"], "text", "answer, "),
    ],
)
def test_a_field_that_no_result_has_is_refused_before_anything_is_done(words, field, there):
    created("--description", "d", "--handle", "ana")

    code, output, errors = run_command([*words, "--field", field])

    assert (code, output) == (2, "")
    refused = f"invalid_input: --field: the result has no {field!r}. Nothing was done. It has "
    assert errors.startswith(refused)
    assert there in errors
    assert json.loads(run_command(["list-crm-scenarios"])[1])["scenarios"] == []
    assert json.loads(run_command(["keys", "list"])[1])["keys"] == []
    assert json.loads(run_command(["list-conversations"])[1])["conversations"] == []


def test_every_field_that_a_schema_shows_can_be_asked_for():
    for kind in CATALOGUE.values():
        for name in output_schema(kind.spec.result)["properties"]:
            check_field(name, kind.spec.result)


def test_a_result_that_lacks_the_field_is_printed_whole(capsys):
    made = ChannelCreated.model_construct(token="shown-once")

    with pytest.raises(InvalidInput, match="the result has no 'name'; all of it was printed"):
        show(made, as_json=False, field="name")

    assert json.loads(capsys.readouterr().out)["token"] == "shown-once"


# Other locales


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_no_locale_stops_a_command(encoding):
    created("--description", "naïve ✓ 🙂", "--handle", "ana")

    code, output, errors = started(["doctor"], PYTHONIOENCODING=encoding)
    assert (code, b"Traceback" in errors) == (0, False)
    assert output.startswith(b"+ program: ")

    code, output, _ = started(["get-agent", "@ana"], PYTHONIOENCODING=encoding)
    assert json.loads(output)["description"] == "naïve ✓ 🙂"

    code, output, errors = started(["get-agent", "@ana", "--field", "description"], PYTHONIOENCODING=encoding)
    assert (code, b"Traceback" in errors) == (0, False)


# What options, stdin and settings give


def test_an_argument_of_any_type_takes_a_text_or_json(settings, tmp_path):
    avatar.kept_in(settings)
    said = "Two things interest me: 1. farmers and 2. graduated sanctions."
    (tmp_path / "said.json").write_text(json.dumps([{"role": "user", "content": said}]))
    words = ["query-corpus", avatar.ID, "--query", "The second one?", "--threshold", "0"]

    def best(*more):
        code, output, errors = run_command([*words, *more])
        assert code == 0, errors
        return json.loads(output)["passages"][0]["score"]

    alone, told = best(), best("--context", said)

    assert told > alone
    assert best("--context", "@said.json") == best("--context", json.dumps({"content": said})) == told
    assert best("--context", "") == alone


@pytest.mark.parametrize("words", [["--input", "-"], ["--type", "qdrant", "--name", "-"]])
def test_stdin_that_is_not_utf_8_is_named(words):
    code, output, errors = started(["create-datastore", *words], b"\xff{}", PYTHONIOENCODING="utf-8:strict")

    assert (code, output) == (2, b"")
    assert errors.startswith(b"invalid_input: --")
    assert b"stdin gives is not UTF-8" in errors


def test_stdin_is_utf_8_in_every_locale():
    words = ["create-datastore", "--type", "qdrant", "--name", "-"]

    code, output, _ = started(words, "naïve".encode(), PYTHONIOENCODING="latin-1")

    assert code == 0
    assert json.loads(output)["name"] == "naïve"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("VIVAVOCE_PORT", "many"),
        ("VIVAVOCE_PORT", "9" * 5_000),
        ("VIVAVOCE_LOG_LEVEL", "loud"),
        ("VIVAVOCE_DATABASE", "~nobody-of-this-name/x"),
        ("VIVAVOCE_KEY_FILE", "~nobody-of-this-name/x"),
    ],
)
def test_a_setting_that_cannot_be_read_is_named(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)

    code, _, errors = run_command(["list-agents"])

    assert code == 2
    assert errors.startswith(f"invalid_input: {variable}")
    with pytest.raises(InvalidInput, match=variable):
        Settings.read()


def test_what_serve_hands_to_its_processes_is_no_setting():
    assert "selection" not in Settings.__dataclass_fields__


# Doctor


class Silent(BaseHTTPRequestHandler):
    """Knows of nothing, and says so."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, *told) -> None:
        """Nothing."""


def findings():
    code, output, _ = run_command(["doctor", "--json"])
    return code, {finding["about"]: finding for finding in json.loads(output)}


@pytest.mark.parametrize("key", ["no base64!", base64.b64encode(b"short").decode()])
def test_doctor_looks_at_the_master_key(monkeypatch, key):
    monkeypatch.setenv("VIVAVOCE_MASTER_KEY", key)

    code, found = findings()

    assert code == 1
    assert found["master key"]["state"] == "fault"
    assert "token_bytes(32)" in found["master key"]["advice"]


def test_the_advice_on_a_master_key_makes_one(monkeypatch):
    monkeypatch.setenv("VIVAVOCE_MASTER_KEY", "short")
    advice = findings()[1]["master key"]["advice"]
    words = advice.partition("python3 -c '")[2].rstrip("'")

    made = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True).stdout
    monkeypatch.setenv("VIVAVOCE_MASTER_KEY", made.strip())

    assert findings()[1]["master key"]["state"] == "ok"


def test_doctor_looks_into_the_key_file(workspace):
    created("--description", "d")
    workspace.with_suffix(".key").write_text("no key\n")

    code, found = findings()

    assert code == 1
    assert found["master key"]["state"] == "fault"


def test_the_advice_on_a_key_file_that_others_may_read_can_be_copied(monkeypatch, tmp_path):
    file = tmp_path / "my keys" / "a key"
    file.parent.mkdir()
    monkeypatch.setenv("VIVAVOCE_KEY_FILE", str(file))
    created("--description", "d")
    file.chmod(0o644)

    advice = findings()[1]["master key"]["advice"]

    assert shlex.split(advice) == ["chmod", "600", str(file)]


def test_doctor_says_which_models_can_be_asked(monkeypatch):
    created("--description", "d")
    assert findings()[1]["models"]["says"] == "none: agents answer with sentences of their documents"
    run_command(["set-provider", "mistral", "--input", '{"apiKey": "s3cret-1"}'])
    monkeypatch.setenv("OPENAI_API_KEY", "s3cret-2")

    found = findings()[1]["models"]

    assert found["state"] == "ok"
    assert found["says"] == "mistral has a key, openai has a key"


def test_doctor_asks_whether_the_model_server_is_there(monkeypatch):
    with HTTPServer(("127.0.0.1", 0), Silent) as server:
        origin = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("VIVAVOCE_MODEL_URL", f"{origin}/k3y/v1?token=s3cret")
        Thread(target=server.handle_request).start()
        code, found = findings()
    assert (code, found["model server"]["state"]) == (0, "ok")
    assert found["model server"]["says"] == f"{origin} answers (VIVAVOCE_MODEL_URL)"
    assert "models" not in found

    code, found = findings()

    assert (code, found["model server"]["state"]) == (1, "fault")
    assert found["model server"]["says"] == f"VIVAVOCE_MODEL_URL: {origin} does not accept connections."


def test_doctor_finds_fault_with_an_address_that_cannot_be_one(monkeypatch):
    monkeypatch.setenv("VIVAVOCE_MODEL_URL", "ftp://user:s3cret@models.example")

    code, found = findings()

    assert (code, found["model server"]["state"]) == (1, "fault")
    assert found["model server"]["says"].startswith("VIVAVOCE_MODEL_URL: The address cannot be used: ")
    assert "s3cret" not in str(found)


@pytest.mark.parametrize(("megabytes", "state", "ends"), [(0, "fault", 1), (49, "fault", 1), (51, "note", 0)])
def test_a_disk_that_is_full_must_be_mended(monkeypatch, megabytes, state, ends):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=megabytes * 1024**2))

    code, found = findings()

    assert (code, found["disk"]["state"], found["disk"]["advice"]) == (ends, state, "Make room.")
    assert found["disk"]["says"].startswith(f"{megabytes} MB are free in ")


def test_doctor_counts_what_could_not_be_sent_or_heard():
    agent = created("--description", "d")
    assert findings()[1]["deliveries"]["says"] == "none that is stuck"
    config = '{"url": "https://shop.example/in"}'
    _, output, _ = run_command(
        ["create-channel", agent, "--name", "Shop", "--config", config, "--field", "id"]
    )
    account = output.strip()

    async def store() -> None:
        async with open_app(Settings.read()) as app:

            def stuck(tables: Tables) -> None:
                states = ("failed", "failed", "uncertain", "held", "sent")
                for number, state in enumerate((*states, "failed")):
                    now = datetime.now(UTC)
                    known = {
                        "id": f"d{number}",
                        "organization_id": tables.organization_id,
                        "created_at": now,
                        "updated_at": now,
                    }
                    if number < len(states):
                        tables.deliveries.add(Delivery(**known, kind="webhook", state=state, agent_id=agent))
                    else:
                        tables.arrivals.add(Arrival(**known, account_id=account, event_id="e1", state=state))

            await app.ports.store.write(stuck)

    asyncio.run(store())

    found = findings()[1]["deliveries"]

    assert (found["state"], found["says"]) == ("note", "2 failed, 1 uncertain, 1 held; 1 arrivals failed")


@pytest.mark.parametrize("kind", ["folder", "text"])
def test_what_is_not_a_database_is_called_that(workspace, kind):
    workspace.mkdir() if kind == "folder" else workspace.write_text("Dear diary")

    code, found = findings()
    faults = [finding for finding in found.values() if finding["state"] == "fault"]

    assert code == 1
    assert [fault["about"] for fault in faults] == ["database"]
    assert f"{workspace} is " in faults[0]["says"]
    for words in (["list-agents"], ["backup", "copy.db"], ["forget-secrets", "--yes"]):
        code, _, errors = run_command(words)
        assert code == 10
        assert "not a database" in errors
        assert "forget-secrets" not in errors
    assert kind == "folder" or workspace.read_text() == "Dear diary"


def test_a_key_that_is_missing_is_still_missed(workspace):
    created("--description", "d")
    workspace.with_suffix(".key").unlink()

    code, found = findings()

    assert code == 1
    assert "forget-secrets" in found["master key"]["advice"]
    assert "workspace" not in found


def test_an_empty_file_becomes_a_workspace(workspace):
    workspace.touch()

    assert findings()[0] == 0
    assert created("--description", "d")


def test_a_backup_that_cannot_be_written_names_its_target():
    created("--description", "d")

    code, _, errors = run_command(["backup", "/nowhere/at/all.db"])

    assert code == 10
    assert errors.startswith("storage_failed: /nowhere/at/all.db cannot be written: ")


def test_a_backup_does_not_write_over_a_file(tmp_path):
    created("--description", "d")
    (tmp_path / "mine.db").write_text("mine")

    code, _, errors = run_command(["backup", "mine.db"])

    assert (code, errors) == (5, "conflict: mine.db exists already. Name a file that does not exist.\n")
    assert (tmp_path / "mine.db").read_text() == "mine"


# Connect

LIMITS = (["--read-only"], ["--toolsets", "crm"], ["--tools", "get_agent"], ["--exclude-tools", "get_agent"])


@pytest.mark.parametrize("option", ["--toolsets", "--tools", "--exclude-tools"])
def test_connect_refuses_tools_that_do_not_exist(tmp_path, option):
    code, output, errors = run_command(["connect", "cursor", option, "nope", "--write"])

    assert (code, output) == (2, "")
    assert "'nope'; known: " in errors
    assert not (tmp_path / ".cursor").exists()


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit[0])
def test_connect_writes_a_limit_for_stdio_and_refuses_it_over_http(limit):
    _, output, _ = run_command(["connect", "cursor", *limit])
    code, nothing, errors = run_command(["connect", "cursor", *limit, "--url", "http://127.0.0.1:8377/mcp"])

    assert json.loads(output)["mcpServers"]["vivavoce"]["args"] == ["mcp", *limit]
    assert (code, nothing) == (2, "")
    assert f"{limit[0]} cannot be written for a server over HTTP" in errors


CODEX = """\
model = "x"  # kept

# the other one
[mcp_servers.other]
command = "other"

[mcp_servers.vivavoce]
command = "old"
args = [
  "mcp",
]
[mcp_servers.vivavoce.env]
OLD = "1"

# my profile
[profiles.mine]
model = "y"
"""


def test_codex_replaces_its_own_tables_and_nothing_else(tmp_path):
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(CODEX)

    for _ in range(2):
        code, _, errors = run_command(["connect", "codex", "--read-only", "--write"])
        assert code == 0, errors
    after = tomllib.loads(file.read_text())
    before = tomllib.loads(CODEX)

    ours = after["mcp_servers"].pop("vivavoce")
    del before["mcp_servers"]["vivavoce"]
    assert ours["args"] == ["mcp", "--read-only"]
    assert "OLD" not in ours["env"]
    assert after == before
    for comment in ("# kept", "# the other one", "# my profile\n[profiles.mine]"):
        assert file.read_text().count(comment) == 1


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {vivavoce = {command = "x"}}\n',
        'mcp_servers = "x"\n',
        '[mcp_servers]\nvivavoce.command = "x"\n',
        '[mcp_servers.vivavoce]\nx = """\n[other]\n"""\n',
        "[",
    ],
)
def test_codex_leaves_alone_what_it_cannot_replace(tmp_path, text):
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(text)

    code, _, errors = run_command(["connect", "codex", "--write"])

    assert code == 5
    assert "left alone" in errors
    assert file.read_text() == text


def test_two_servers_of_vs_code_have_keys_of_their_own(tmp_path):
    for name in ("shop", "shop", "school"):
        code, _, errors = run_command(
            ["connect", "vscode", "--write", "--name", name, "--url", f"https://{name}.example.com/mcp"]
        )
        assert code == 0, errors

    config = json.loads((tmp_path / ".vscode" / "mcp.json").read_text())

    assert [asked["id"] for asked in config["inputs"]] == ["shop-key", "school-key"]
    for name in ("shop", "school"):
        assert config["servers"][name]["headers"]["Authorization"] == f"Bearer ${{input:{name}-key}}"


@pytest.mark.parametrize("name", ["", " ", "a\nb", "\udcff"])
def test_a_server_has_a_name_that_can_be_written(name):
    code, output, errors = run_command(["connect", "codex", "--name", name, "--write"])

    assert (code, output) == (2, "")
    assert errors.startswith("invalid_input: --name: ")


# Help and completion


def completed(*words):
    """What a shell offers after these words; the last one is being typed."""
    found = ShellComplete(program, {}, "vivavoce", "_VIVAVOCE_COMPLETE").get_completions(
        list(words[:-1]), words[-1]
    )
    return [item.value for item in found]


def test_the_pages_of_the_documentation_are_completed_and_listed():
    pages = GetDocumentation.model_json_schema()["properties"]["docType"]["enum"]

    _, help_text, _ = run_command(["get-documentation", "--help"])

    assert completed("get-documentation", "") == pages
    assert completed("get-documentation", "mo") == ["models"]
    assert "|".join(pages) in "".join(help_text.split())


def test_the_options_of_mcp_are_completed():
    assert {"--toolsets", "--tools", "--exclude-tools", "--read-only"} <= set(completed("mcp", "--"))


def test_an_argument_that_is_a_dash_does_not_wait_for_stdin():
    with mock.patch.object(sys, "stdin", None):
        code, _, errors = run_command(["get-agent", "--", "-"])

    assert code == 4, errors


# Asking, and serving


@pytest.mark.parametrize(("answer", "is_deleted"), [("y\n", True), ("n\n", False)])
def test_a_deletion_says_what_it_deletes_before_it_does(answer, is_deleted):
    id = created("--description", "d")

    asked = seen(["delete-agent", id], answer=answer)
    code, _, _ = run_command(["get-agent", id])

    assert f"(id {id})? This also removes " in asked
    assert (code == 4) is is_deleted


@pytest.mark.parametrize("command", ["delete-agent", "forget-secrets"])
def test_who_declines_is_told_that_nothing_was_done(command):
    id = created("--description", "d")
    named = [id] if command == "delete-agent" else []

    with mock.patch.object(sys, "stdin", Terminal("n\n")):
        code, output, errors = run_command([command, *named])

    assert (code, output) == (8, "")
    assert "\ndeclined: Nothing was " in errors.replace("[y/N]: ", "\n")


def test_an_address_of_ipv6_is_printed_in_brackets(settings, monkeypatch):
    from dataclasses import replace

    import uvicorn

    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: [each.close() for each in sockets])
    errors = io.StringIO()
    with mock.patch.object(sys, "stderr", errors):
        _serve(replace(settings, host="::1", port=0), 1, False)

    assert "vivavoce serves http://[::1]:" in errors.getvalue()
