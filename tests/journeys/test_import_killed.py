"""A copy of a hosted account that is killed goes on where it was, and nothing is there twice."""

from __future__ import annotations

import asyncio
import json
import signal
from datetime import UTC, datetime, timedelta

import pytest
from processes import rows_of, serving, started, wait_until

from vivavoce.app import open_app
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.settings import Settings

BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
CONTACTS, TALKS, SAID, LONG = 120, 40, 10, 1_300
"""One of the conversations has so many messages that they are stored in several steps."""


async def filled(folder):
    """Fill the workspace that stands for the account; a key of it."""
    async with open_app(Settings.read({"VIVAVOCE_DATABASE": str(folder / "workspace.db")})) as app:

        async def run(operation, /, **arguments):
            return await app.backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)

        fields = {"name": "Ana", "description": "", "modelName": "m", "systemPrompt": ""}
        agent = await run("create_agent", **fields, tools=[{"type": "request_human"}])
        store = await run("create_datastore", type="qdrant", name="Notes")
        for number in range(3):
            text = f"The bridge number {number} was built in {1800 + number}."
            await run("create_datasource", datastoreId=store.id, name=f"{number}.txt", text=text)
        await app.ingester.finish()
        await app.ports.store.write(lambda tables: _talked(tables, agent.id))
        made = await run("create_key", name="copy", scopes=["read"])
        return made.key


def _talked(tables, agent_id):
    def identity(id, number):
        at = BEGAN + timedelta(minutes=number)
        return {"id": id, "organization_id": tables.organization_id, "created_at": at, "updated_at": at}

    for number in range(CONTACTS):
        tables.contacts.add(Contact(**identity(f"person{number}", number), email=f"p{number}@example.com"))
    for number in range(TALKS):
        talk = Conversation(
            **identity(f"talk{number}", number), agent_id=agent_id, contact_id=f"person{number}"
        )
        tables.conversations.add(talk)
        for place in range(LONG if number == TALKS // 2 else SAID):
            said = identity(f"said{number}-{place}", place)
            tables.messages.append(
                Message(**said, conversation_id=talk.id, from_="human", text=f"{number}: {place}")
            )


@pytest.fixture(scope="module")
def account(tmp_path_factory):
    """The settings that name the account, while it is served."""
    folder = tmp_path_factory.mktemp("account")
    key = asyncio.run(filled(folder))
    with serving(folder) as served:
        yield {"CHATVOLT_API_KEY": key, "VIVAVOCE_CHATVOLT_URL": served.address}


def importing(tmp_path, account, *options):
    return started(tmp_path, "import", "chatvolt", *options, **account)


def number(tmp_path, what):
    ((counted,),) = rows_of(tmp_path, f"select count(*) from {what}") or [(0,)]
    return counted


KILLED_AT = {
    "first thing": ("agents", 1),
    "among contacts": ("contacts", CONTACTS // 2),
    "among conversations": ("conversations", 5),
    "in a conversation": ("messages where conversation_id = 'talk20'", 500),
}


@pytest.mark.parametrize("moment", KILLED_AT)
def test_a_killed_copy_goes_on_where_it_was(tmp_path, account, moment):
    what, least = KILLED_AT[moment]
    with importing(tmp_path, account) as process:
        begun = wait_until(lambda: number(tmp_path, what) >= least, process)
        process.kill()
    assert begun
    assert process.returncode == -signal.SIGKILL
    before = number(tmp_path, "contacts")

    with importing(tmp_path, account, "--json") as again:
        output, errors = again.communicate(timeout=300)

    assert again.returncode == 0, errors
    report = json.loads(output)
    assert report["kinds"]["contacts"]["added"] == CONTACTS - before
    assert report["kinds"]["contacts"]["unchanged"] == before
    assert report["remarks"] == []
    assert number(tmp_path, "contacts") == CONTACTS
    assert number(tmp_path, "conversations where contact_id is not null") == TALKS
    assert number(tmp_path, "messages") == (TALKS - 1) * SAID + LONG
    in_order = rows_of(
        tmp_path,
        "select count(*), max(position), count(distinct position) from messages"
        " where id = replace(conversation_id, 'talk', 'said') || '-' || (position - 1)"
        " group by conversation_id",
    )
    assert sorted(in_order) == [(SAID, SAID, SAID)] * (TALKS - 1) + [(LONG, LONG, LONG)]
    assert rows_of(tmp_path, "select status, count(*) from datasources group by 1") == [("synched", 3)]
    assert number(tmp_path, "jobs") == number(tmp_path, "turns") == 0


def test_a_finished_copy_that_is_run_again_adds_nothing(tmp_path, account):
    reports = []
    for options in (("--dry-run", "--json"), ("--json",), ("--json",)):
        with importing(tmp_path, account, *options) as process:
            output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        reports.append(json.loads(output))

    dry, first, second = reports
    assert dry["kinds"] == first["kinds"]
    assert first["kinds"]["messages"]["added"] == (TALKS - 1) * SAID + LONG
    assert all(counted["unchanged"] == sum(counted.values()) for counted in second["kinds"].values())
    key = account["CHATVOLT_API_KEY"].encode()
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and key in file.read_bytes()]
