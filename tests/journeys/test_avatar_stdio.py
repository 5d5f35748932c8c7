"""`vivavoce mcp --avatar`: a real process, spoken to by the SDK's client and line by line."""

from __future__ import annotations

import json
import subprocess

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from processes import PROGRAM, Stdio, environment

ID = "elinor-ostrom"
CONFIG = {
    "id": ID,
    "name": "Elinor Ostrom",
    "description": "Studied commons governance",
    "corpus": {"description": "Lectures on shared resources.", "sources": []},
    "systemPrompt": {"identity": "i", "tone": "t", "constraints": [], "citationStyle": "APA"},
    "mcp": {"name": "avatar-elinor", "version": "3.1.0", "tools": ["get_avatar_info", "query_corpus"]},
}
TEXT = "Clearly defined boundaries keep a commons from being used up by everyone."
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
}


def vivavoce(folder, *words):
    """What a command prints, in the workspace of a folder."""
    done = subprocess.run(
        [*PROGRAM, *words], env=environment(folder), cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace with an avatar that has read one text."""
    folder = tmp_path_factory.mktemp("avatar")
    written = json.dumps({"config": CONFIG})
    avatar = json.loads(vivavoce(folder, "create-avatar", "--json", "--input", written))
    text = {"datastoreId": avatar["datastoreId"], "name": "A lecture", "text": TEXT}
    vivavoce(folder, "create-datasource", "--json", "--input", json.dumps(text))
    return folder


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_starts_the_server_of_an_avatar(folder, mode):
    command = StdioServerParameters(
        command=PROGRAM[0], args=[*PROGRAM[1:], "mcp", "--avatar", ID], env=environment(folder)
    )
    async with Client(stdio_client(command), mode=mode) as client:
        who = client.server_info
        tools = [tool.name for tool in (await client.list_tools()).tools]
        told = (await client.call_tool("get_avatar_info", {})).structured_content

    assert (who.name, who.version) == ("avatar-elinor", "3.1.0")
    assert tools == ["query_corpus", "get_avatar_info"]
    assert (told["id"], told["corpus_size"]) == (ID, len(TEXT))


def test_both_eras_are_served_on_one_connection(folder):
    with Stdio(folder, "--avatar", ID) as server:
        server.send({"id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}})
        discovered = server.receive()["result"]
        welcomed = server.initialize()["result"]
        answer = server.call(2, "get_avatar_info")
        code = server.leave()

    assert discovered["instructions"] == welcomed["instructions"]
    assert welcomed["serverInfo"]["name"] == "avatar-elinor"
    assert answer["result"]["structuredContent"]["id"] == ID
    assert (code, server.errors) == (0, b"")


@pytest.mark.parametrize("id", ["nobody", "Not A Slug"])
def test_an_avatar_that_is_not_there_is_told_to_the_client_and_on_stderr(folder, id):
    with Stdio(folder, "--avatar", id) as server:
        refused = server.initialize()
        server.send({"id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}})
        again = server.receive()
        code = server.leave()

    told = server.errors.decode()
    assert told.startswith("vivavoce: ")
    assert "Traceback" not in told
    assert refused["error"]["message"] == again["error"]["message"] == told.removeprefix("vivavoce: ").strip()
    assert "No avatar 'nobody'" in told or "id: " in told
    assert code == 0


def first_answers(folder):
    """What a server answers to the requests that clients begin with, in both eras."""
    with Stdio(folder, "--avatar", ID) as server:
        answers = [server.initialize()]
        server.send({"id": 1, "method": "tools/list", "params": {}})
        answers.append(server.receive())
        for number, method in enumerate(("server/discover", "tools/list"), 2):
            server.send({"id": number, "method": method, "params": {"_meta": ENVELOPE}})
            answers.append(server.receive())
        told = server.call(9, "get_avatar_info")["result"]["structuredContent"]
        assert (server.leave(), told["id"], server.errors) == (0, ID, b"")
    return answers


def test_later_starts_answer_the_same_from_what_the_first_one_kept(folder):
    kept = folder / "workspace.manifests" / f"{ID}.json"
    kept.unlink(missing_ok=True)
    first, later = first_answers(folder), first_answers(folder)
    manifest = json.loads(kept.read_bytes())
    manifest["legacy"]["initialize"]["instructions"] = "As it was kept."
    kept.write_text(json.dumps(manifest), encoding="utf-8")
    with Stdio(folder, "--avatar", ID) as server:
        from_file = server.initialize()["result"]["instructions"]
    kept.unlink()

    assert first == later
    assert from_file == "As it was kept."


def test_what_was_kept_of_an_avatar_that_changed_or_is_gone_does_not_count(folder):
    other = {**CONFIG, "id": "short-lived"}
    vivavoce(folder, "create-avatar", "--json", "--input", json.dumps({"config": other}))
    names = []
    for name in ("before", "after"):
        changed = {"id": "short-lived", "config": {**other, "mcp": {"name": name}}}
        vivavoce(folder, "update-avatar", "--json", "--input", json.dumps(changed))
        with Stdio(folder, "--avatar", "short-lived") as server:
            names.append(server.initialize()["result"]["serverInfo"]["name"])
            server.call(1, "get_avatar_info")
            assert server.leave() == 0
    vivavoce(folder, "delete-avatar", "--json", "--input", json.dumps({"id": "short-lived"}))
    with Stdio(folder, "--avatar", "short-lived") as server:
        gone = server.initialize()

    assert names == ["before", "after"]
    assert "No avatar 'short-lived'" in gone["error"]["message"]


def test_an_avatar_brings_its_own_tools_so_none_are_chosen(folder):
    with Stdio(folder, "--avatar", ID, "--read-only") as server:
        assert server.process.wait(timeout=60) == 2

    assert b"--avatar stands alone" in server.errors


def test_the_help_of_the_command_names_avatars(folder):
    assert "--avatar ID" in vivavoce(folder, "mcp", "--help")
