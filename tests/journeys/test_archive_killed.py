"""An export or an import that is ended in the middle leaves nothing by half, and the next one finishes it."""

from __future__ import annotations

import asyncio
import json
import signal

import pytest
from processes import environment, rows_of, started, wait_until

from vivavoce.app import open_app
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.corpus.library import Document, hash_of
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.settings import Settings
from vivavoce.upkeep.archives import save

TALKS, MESSAGES = 40, 300
BOOKS, LENGTH = 6, 1_500_000


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """The folder of a workspace with long conversations and long books."""
    folder = tmp_path_factory.mktemp("old")

    async def fill():
        async with open_app(Settings.read(environment(folder))) as app:
            for number in range(TALKS):
                await app.ports.store.write(
                    lambda tables, number=number: talk(number, app.ports.now(), tables)
                )
            await app.ports.store.write(lambda tables: shelve(app.ports.now(), tables))

    asyncio.run(fill())
    return folder


@pytest.fixture(scope="module")
def archive(old):
    """The workspace as a file."""

    async def saved():
        async with open_app(Settings.read(environment(old))) as app:
            await save(app.ports, old / "whole.zip")

    asyncio.run(saved())
    return old / "whole.zip"


def known(id, now):
    return {"id": id, "organization_id": "theirs", "created_at": now, "updated_at": now}


def talk(number, now, tables):
    tables.conversations.add(Conversation(**known(f"c{number}", now)))
    for place in range(1, MESSAGES + 1):
        fields = known(f"m{number:03}-{place:04}", now)
        said = {
            "conversation_id": f"c{number}",
            "position": place,
            "from_": "human",
            "text": f"Words {place}",
        }
        tables.messages.add(Message(**fields, **said))


def text_of(number):
    return f"Book {number} tells of the river. " * (LENGTH // 30)


def shelve(now, tables):
    tables.datastores.add(Datastore(**known("books", now), name="Books"))
    for number in range(BOOKS):
        id, text = f"book{number}", text_of(number)
        tables.datasources.add(
            Datasource(**known(id, now), datastore_id="books", name=id, status="synched", text_size=len(text))
        )
        whole = Document(f"{id}-1", id, "books", now, 1, "current", hash_of(text), len(text), "en")
        tables.documents.add(whole)
        tables.documents.append(whole.id, 0, text)


def number_of(folder, table):
    ((number,),) = rows_of(folder, f"select count(*) from {table}") or [(0,)]
    return number


def contents(folder):
    """What can be compared of two workspaces."""
    return {
        "messages": rows_of(
            folder, "select id, conversation_id, position, document from messages order by id"
        ),
        "sources": rows_of(folder, "select id, status from datasources order by id"),
        "documents": rows_of(folder, "select id, state, hash, characters from documents order by id"),
        "parts": rows_of(folder, "select document_id, start, length, text from parts order by 1, 2"),
        "ingestions": rows_of(folder, "select datasource_id, step from ingestions order by 1"),
    }


def without_owner(rows):
    """The same without the name of the workspace, which each has of its own."""
    told = [(*row[:-1], json.loads(row[-1])) for row in rows]
    return [(*row[:-1], {**row[-1], "organization_id": ""}) for row in told]


@pytest.mark.parametrize(
    ("table", "number"), [("parts", 50), ("parts", 150), ("messages", 1), ("messages", TALKS * MESSAGES // 2)]
)
def test_a_killed_import_is_finished_by_the_next_with_nothing_twice(tmp_path, archive, old, table, number):
    with started(tmp_path, "import", archive, "--no-wait") as process:
        begun = wait_until(lambda: number_of(tmp_path, table) >= number, process)
        process.kill()
    assert begun
    assert process.returncode == -signal.SIGKILL
    there = contents(tmp_path)
    texts = {id: hash for id, state, hash, _ in there["documents"] if state == "current"}
    assert all(hash for hash in texts.values())
    cut_off = rows_of(tmp_path, "select id from datasources where document like '%import was cut off%'")
    assert len(cut_off) <= 1

    with started(tmp_path, "import", archive, "--no-wait", "--json") as process:
        output, errors = process.communicate(timeout=300)

    assert process.returncode == 0, errors
    kinds = json.loads(output)["kinds"]
    assert kinds["messages"]["added"] + kinds["messages"]["unchanged"] == TALKS * MESSAGES
    assert kinds["datasources"]["added"] + kinds["datasources"]["unchanged"] == BOOKS
    here, source = contents(tmp_path), contents(old)
    assert without_owner(here["messages"]) == without_owner(source["messages"])
    assert here["documents"] == source["documents"]
    assert here["parts"] == source["parts"]
    assert here["sources"] == [(f"book{number}", "pending") for number in range(BOOKS)]
    assert here["ingestions"] == [(f"book{number}", "split") for number in range(BOOKS)]


def test_a_killed_export_leaves_no_archive_and_the_next_one_is_whole(tmp_path, old):
    path = tmp_path / "house.zip"
    draft = tmp_path / ".house.zip.part"
    with started(old, "export", path) as process:
        begun = wait_until(lambda: draft.exists() and draft.stat().st_size > 20_000, process)
        process.kill()
    assert begun
    assert process.returncode == -signal.SIGKILL
    assert not path.exists()

    with started(old, "export", path, "--json") as process:
        output, errors = process.communicate(timeout=300)

    assert process.returncode == 0, errors
    assert json.loads(output)["things"]["messages"] == TALKS * MESSAGES
    assert not draft.exists()
    with started(tmp_path, "import", path, "--dry-run", "--json") as process:
        output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    assert json.loads(output)["kinds"]["messages"]["added"] == TALKS * MESSAGES


def test_an_interrupted_export_says_that_there_is_none(tmp_path, old):
    path = tmp_path / "house.zip"
    draft = tmp_path / ".house.zip.part"
    with started(old, "export", path) as process:
        begun = wait_until(lambda: draft.exists() and draft.stat().st_size > 20_000, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert begun
    assert process.returncode == 130
    assert b"No archive was written" in errors
    assert b"Traceback" not in errors
    assert [each.name for each in tmp_path.iterdir()] == []


def test_an_interrupted_import_says_how_to_go_on(tmp_path, archive):
    with started(tmp_path, "import", archive, "--no-wait") as process:
        begun = wait_until(lambda: number_of(tmp_path, "messages") >= 1, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert begun
    assert process.returncode == 130
    assert b"again to go on" in errors
    assert b"Traceback" not in errors
