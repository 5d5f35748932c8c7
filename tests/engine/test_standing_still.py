"""A worker that stands still past its lease, at any moment, does nothing twice when it goes on."""

from __future__ import annotations

import asyncio

import pytest

from vivavoce.ports.time import Sent
from vivavoce.testing import MemoryChannel

LEASE = 11
FOLLOW_UPS = {
    "type": "follow_up_messages",
    "config": {"messages": "Still there?", "max_sends": 1, "interval_hours": 1},
}
PLANNED = {"tag": "t", "msg": "A reminder.", "timeZone": "Etc/UTC"}


class Stuck(MemoryChannel):
    """A provider that has a message and answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.has_it, self.may = asyncio.Event(), asyncio.Event()

    async def send(self, account, sending):
        sending.left()
        self.sent.append(sending)
        self.has_it.set()
        await self.may.wait()
        return Sent(f"ext-{sending.id}")


async def stands_still_before(kind: str, line) -> None:
    """Work until a job of the kind is claimed; another process does it meanwhile; then go on with it."""
    worker = line.engine.worker
    while claimed := await worker._claim(10):
        for job in claimed:
            if job.kind == kind:
                line.clock.advance(seconds=LEASE)
                assert await line.another_engine().worker.finish_due() > 0
            await worker._do(job)


async def seen(line) -> tuple[list[str], list[str], list[str], int]:
    """What was said, what was sent, what became of it, and what is left to do."""
    deliveries = await line.read(lambda tables: tables.deliveries.where())
    left = await line.read(lambda tables: tables.jobs.number())
    return await line.said(), line.sent, [each.state for each in deliveries], left


@pytest.mark.parametrize("kind", ["hear", "answer", "send"])
async def test_between_its_claim_and_its_work_whatever_the_work_is(lines, kind):
    """The fence refuses who claimed a job and began it when another process had done it."""
    line = await lines("At nine.").opened()
    await line.arrives("When?")

    await stands_still_before(kind, line)

    assert await seen(line) == (["At nine."], ["At nine."], ["sent"], 0)


async def test_between_the_claim_of_a_reminder_and_its_work(lines):
    """A planned message goes out once, though two processes were to send it."""
    line = await lines("At nine.").opened()
    await line.hears("When?")
    due = line.clock.now().strftime("%Y-%m-%d %H:%M:%S")
    talk = await line.talk()
    await line.run("schedule_follow_up", conversationId=talk.id, dtToSend=due, **PLANNED)

    await stands_still_before("follow_up", line)

    both = ["At nine.", "A reminder."]
    assert await seen(line) == (both, both, ["sent", "sent"], 0)


async def test_between_the_claim_of_a_follow_up_and_its_work(lines):
    """A silence is spoken into once, though two processes were to do it."""
    line = await lines("At nine.").opened(FOLLOW_UPS)
    await line.hears("When?")
    line.clock.advance(hours=1)

    await stands_still_before("follow", line)

    both = ["At nine.", "Still there?"]
    assert await seen(line) == (both, both, ["sent", "sent"], 0)


async def test_while_its_message_is_with_the_provider(lines):
    """The other process does not send it again, and what the provider says late is kept."""
    line = lines("At nine.")
    line.channel = channel = Stuck()
    line.restart()
    await line.opened()
    await line.arrives("When?")
    working = asyncio.create_task(line.works())
    await channel.has_it.wait()

    line.clock.advance(seconds=LEASE)
    await line.another_engine().worker.finish_due()
    (unsure,) = await line.read(lambda tables: tables.deliveries.where())
    channel.may.set()
    await working

    assert unsure.state == "uncertain"
    assert await seen(line) == (["At nine."], ["At nine."], ["sent"], 0)
