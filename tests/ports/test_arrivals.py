"""What every store promises of arrivals: an event of an account is taken once, whoever else takes it too."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta

import pytest

from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.jobs import NewJob
from vivavoce.ports import ConversationFilter

from .entities import NOON, a_conversation, an_agent
from .workspaces import Workspace

KNOWN = {"organization_id": "o1", "created_at": NOON, "updated_at": NOON}


@pytest.fixture(params=["sqlite", "postgres"])
def workspace(request, tmp_path) -> Workspace:
    """An empty workspace on each database."""
    if request.param == "sqlite":
        return Workspace(tmp_path / "store.db")
    return Workspace(request.getfixturevalue("postgres_schema"))


@pytest.fixture
def stores(workspace) -> Iterator[list]:
    """Two stores of one workspace, as two processes have them."""
    with ExitStack() as stack:
        yield [stack.enter_context(workspace.opened()) for _ in range(2)]


def an_arrival(id, event_id, account_id="x1"):
    heard = {"chat": "c1", "text": "Hello"}
    return Arrival(id=id, **KNOWN, account_id=account_id, event_id=event_id, heard=heard)


def begun(tables):
    tables.agents.add(an_agent("a1"))
    for id in ("x1", "x2"):
        tables.accounts.add(Account(id=id, **KNOWN, agent_id="a1", type="webhook", name="Shop"))


async def test_an_event_is_taken_once_in_an_account(stores):
    store, other = stores
    await store.write(begun)

    assert await store.write(lambda tables: tables.arrivals.take(an_arrival("r1", "e1")))
    assert not await other.write(lambda tables: tables.arrivals.take(an_arrival("r2", "e1")))
    assert await other.write(lambda tables: tables.arrivals.take(an_arrival("r3", "e1", "x2")))

    found = await store.read(lambda tables: tables.arrivals.where())
    assert [(each.id, each.heard) for each in found] == [
        ("r1", {"chat": "c1", "text": "Hello"}),
        ("r3", {"chat": "c1", "text": "Hello"}),
    ]


async def test_batches_that_come_at_once_are_taken_once(stores):
    await stores[0].write(begun)

    def taking(name, events):
        def taken(tables):
            new = [each for each in events if tables.arrivals.take(an_arrival(f"{name}-{each}", each))]
            for event in sorted(new, key=lambda event: int(event) % 3):
                tables.jobs.add(NewJob(f"hear:{event}", "hear", NOON, f"lane{int(event) % 3}"), NOON)
            return len(new)

        return taken

    events = [f"{number:02d}" for number in range(50)]
    batches = [taking(str(place), events) for place in range(10)]

    numbers = await asyncio.gather(*(stores[place % 2].write(batch) for place, batch in enumerate(batches)))

    assert sum(numbers) == 50
    assert await stores[0].read(lambda tables: tables.arrivals.count()) == 50
    assert await stores[0].read(lambda tables: tables.jobs.number()) == 50


async def test_a_job_that_was_put_off_without_a_failure_counts_none(stores):
    store = stores[0]
    later = NOON + timedelta(minutes=1)

    def claimed(tables):
        (job,) = tables.jobs.claim(later, later + timedelta(minutes=1), 1)
        return job

    await store.write(lambda tables: tables.jobs.add(NewJob("k", "send", NOON), NOON))
    first = await store.write(claimed)
    assert await store.write(lambda tables: tables.jobs.postpone(first, NOON))
    second = await store.write(claimed)
    assert await store.write(lambda tables: tables.jobs.postpone(second, NOON, has_failed=False))
    third = await store.write(claimed)

    assert [each.attempts for each in (first, second, third)] == [1, 2, 2]


async def test_a_conversation_is_found_by_its_chat_and_account(stores):
    def talking(tables):
        begun(tables)
        for account in ("x1", "x2"):
            place = {"channel_external_id": "c1", "channel_credentials_id": account}
            tables.conversations.add(a_conversation(f"talk-{account}", agent_id="a1", **place))

    await stores[0].write(talking)

    equal = {"channel_external_id": "c1", "channel_credentials_id": "x2"}
    found = await stores[1].read(lambda tables: tables.conversations.listed(ConversationFilter(equal), 5))
    assert [each.id for each in found] == ["talk-x2"]


async def test_a_delivery_is_found_by_what_the_provider_calls_it(stores):
    delivery = Delivery(id="d1", **KNOWN, kind="message", account_id="x1", external_id="wamid.1")

    await stores[0].write(lambda tables: tables.deliveries.add(delivery))

    assert await stores[1].read(lambda tables: tables.deliveries.where(external_id="wamid.1")) == [delivery]
    assert await stores[1].read(lambda tables: tables.deliveries.where(external_id="wamid.2")) == []
