"""Killed in the middle of writing: what was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing

import anyio
import httpx2
import pytest
from processes import Stdio, serving, wait_until

HTTP_TOOL = {
    "name": "Lookup",
    "description": "Looks something up.",
    "url": "https://example.com/{id}",
    "pathVariables": [{"key": "id", "isUserProvided": True}],
    "headers": [{"key": "Authorization", "value": "Bearer s3cr3t"}],
}
TOOLS = [{"type": "http", "config": HTTP_TOOL}, {"type": "request_human"}, {"type": "mark_as_resolved"}]
TEXT = "Lorem ipsum. " * 400
KEPT = ("id", "createdAt", "datastoreId", "name", "type", "config", "textSize", "hash")
"""What indexing does not change in a datasource."""
ROUNDS, WRITERS, WRITES = 5, 4, 200
"""So often a server is killed; each time so many clients each have so many things to write."""


def agent(name):
    return {"name": name, "description": "d", "modelName": "m", "systemPrompt": "p", "tools": TOOLS}


async def test_a_killed_server_keeps_every_write_that_it_acknowledged(tmp_path):
    chance = random.Random(20_261_115)
    store, acknowledged, sent = None, {}, 0
    for round in range(ROUNDS):
        with serving(tmp_path) as served:
            async with httpx2.AsyncClient(base_url=served.address, timeout=30, trust_env=False) as client:
                if store is None:
                    store = (await client.post("/datastores", json={"type": "qdrant"})).json()["id"]
                killed_after = chance.randrange(150, 300)
                async with anyio.create_task_group() as writers:
                    writing = Writing(client, store, killed_after, acknowledged, served)
                    for writer in range(WRITERS):
                        writers.start_soon(writing.write, f"{round}-{writer}")
            sent += writing.sent
        assert writing.is_broken_off, "The server was not killed while it was written to."
        check_file(tmp_path, acknowledged)

    assert sent > 1_000
    assert len(acknowledged) < sent
    assert {kind for kind, _ in acknowledged.values()} == {"agent", "datasource"}
    await check_served(tmp_path, acknowledged, store)


class Writing:
    """Several writers at one server, which is killed as soon as it has acknowledged so many writes."""

    def __init__(self, client, store, killed_after, acknowledged, served):
        self.client, self.store, self.served = client, store, served
        self.killed_after, self.acknowledged = killed_after, acknowledged
        self.done = self.sent = 0
        self.is_broken_off = False

    async def write(self, name):
        for number in range(WRITES):
            kind = "agent" if number % 2 else "datasource"
            try:
                answer = await self._sent(kind, f"{name}-{number}")
            except httpx2.TransportError:
                self.is_broken_off = True
                return
            assert answer.status_code == 200, answer.text
            self.acknowledged[answer.json()["id"]] = kind, answer.json()
            self.done += 1
            if self.done == self.killed_after:
                self.served.kill()

    async def _sent(self, kind, name):
        self.sent += 1
        if kind == "agent":
            return await self.client.post("/agents", json=agent(name))
        source = {"datastoreId": self.store, "name": name, "text": TEXT + name}
        return await self.client.post("/datasources", json=source)


def check_file(folder, acknowledged):
    """The database is sound, and holds whole things only, the acknowledged ones among them."""
    with closing(sqlite3.connect(folder / "workspace.db")) as database:
        assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert database.execute("pragma foreign_key_check").fetchall() == []
        tools = dict(
            database.execute(
                "select agents.id, count(*) from agents join tools on agent_id = agents.id group by 1"
            )
        )
        agents = {id for (id,) in database.execute("select id from agents")}
        texts = dict(
            database.execute(
                "select s.id, p.text from datasources s left join documents d on d.datasource_id = s.id"
                " and d.state = 'current' left join parts p on p.document_id = d.id"
            )
        )
        names = dict(database.execute("select id, name from datasources"))
        secrets = {id for (id,) in database.execute("select agent_id from tools where secrets is not null")}

    assert {id for id, (kind, _) in acknowledged.items() if kind == "agent"} <= agents
    assert {id for id, (kind, _) in acknowledged.items() if kind == "datasource"} <= texts.keys()
    assert tools == dict.fromkeys(agents, len(TOOLS))
    assert secrets == agents
    assert texts == {id: TEXT + name for id, name in names.items()}


async def check_served(folder, acknowledged, store):
    """A server that is started again shows every acknowledged thing as it was acknowledged."""
    with serving(folder) as served:
        async with httpx2.AsyncClient(base_url=served.address, timeout=30, trust_env=False) as client:
            contents = (await client.get(f"/datastores/{store}?limit=1000")).json()
            sources = {source["id"]: source for source in contents["datasources"]}
            for id, (kind, shown) in acknowledged.items():
                if kind == "agent":
                    assert (await client.get(f"/agents/{id}")).json() == shown
                else:
                    assert {name: sources[id][name] for name in KEPT} == {name: shown[name] for name in KEPT}


@pytest.mark.parametrize("killed_after", [1, 40])
def test_a_killed_stdio_server_keeps_every_write_that_it_acknowledged(tmp_path, killed_after):
    with Stdio(tmp_path) as client:
        client.initialize()
        client.send(
            *(
                {
                    "id": number,
                    "method": "tools/call",
                    "params": {"name": "create_agent", "arguments": agent(f"{number}")},
                }
                for number in range(300)
            )
        )
        answers = [client.receive() for _ in range(killed_after)]
        client.process.kill()
        while (answer := client.receive()) is not None:  # what it had written before it died
            answers.append(answer)
    acknowledged = {
        made["id"]: ("agent", made) for made in (answer["result"]["structuredContent"] for answer in answers)
    }

    assert killed_after <= len(acknowledged) < 300
    check_file(tmp_path, acknowledged)


@pytest.mark.parametrize("made_first", ["workspace.key", "workspace.db", "workspace.db-wal"])
def test_a_server_killed_while_it_makes_its_workspace_can_be_started_again(tmp_path, made_first):
    with Stdio(tmp_path) as client:
        client.send({"id": 1, "method": "logging/setLevel"})  # not for the front: the workspace is opened
        assert wait_until((tmp_path / made_first).exists, client.process)
        client.process.kill()

    with Stdio(tmp_path) as client:
        client.initialize()
        made = client.call(1, "create_agent", **agent("After"))["result"]["structuredContent"]

    check_file(tmp_path, {made["id"]: ("agent", made)})
