"""Held answers: messages that come together are answered together, whatever ends in between."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.engine.time.worker import LEASE
from vivavoce.testing import FakeClock

from .lines import Line
from .workspaces import an_agent

DELAY = 10
HELD = {"type": "delayed_responses", "config": {"delay": DELAY}}


@pytest.fixture
async def line(lines) -> Line:
    return await lines("All of it.").opened(HELD)


async def turns(line):
    return await line.read(lambda tables: tables.turns.where())


async def test_each_message_begins_the_wait_again(line):
    await line.hears("Hello")
    await line.later(seconds=9)
    await line.hears("when")
    await line.later(seconds=9)
    assert line.sent == []
    await line.later(seconds=1)

    assert line.sent == ["All of it."]
    (turn,) = await turns(line)
    assert (turn.state, len(turn.joined)) == ("answered", 2)


async def test_someone_who_never_stops_writing_is_answered_all_the_same(line):
    for number in range(9):
        await line.hears(f"and {number}")
        await line.later(seconds=5)

    first, *_ = await turns(line)
    assert line.sent == ["All of it."]
    assert len(first.joined) == 8


async def test_a_restart_in_the_middle_changes_nothing(line):
    await line.hears("Hello")
    await line.later(seconds=6)
    line.restart()
    await line.hears("when do you open?")
    await line.later(seconds=9)
    assert line.sent == []
    line.restart()
    await line.later(seconds=1)

    assert line.sent == ["All of it."]
    assert line.model.prompts[-1].question == "Hello\nwhen do you open?"
    assert len(line.model.prompts) == 1


async def test_the_files_of_all_messages_are_read_together(line):
    web = line.engine.ports.web
    web.pages |= {"https://files.example/a.txt": b"A door.", "https://files.example/b.txt": b"A gate."}
    first, second = ({"name": each, "url": f"https://files.example/{each}"} for each in ("a.txt", "b.txt"))
    await line.hears("Look", attachments=[first])
    await line.hears("what is it?", attachments=[second])
    await line.later(seconds=DELAY)

    (turn,) = await turns(line)
    kept = await line.read(lambda tables: tables.messages.within("id", turn.joined))
    assert [(each.text, len(each.attachments)) for each in kept] == [("Look", 1), ("what is it?", 1)]
    assert [each.text for each in line.model.prompts[-1].enclosed] == ["A door.", "A gate."]
    assert line.sent == ["All of it."]


async def test_people_are_not_answered_together_with_others(line):
    await line.hears("Hello", chat="chat1")
    await line.hears("Hi", chat="chat2")
    await line.later(seconds=DELAY)

    assert sorted((each.chat, each.text) for each in line.channel.sent) == [
        ("chat1", "All of it."),
        ("chat2", "All of it."),
    ]


async def test_what_comes_while_it_is_answered_is_answered_after_it(line):
    await line.hears("Hello")
    line.clock.advance(seconds=DELAY)
    (job,) = await line.engine.worker._claim(1)  # a worker has begun
    await line.arrives("one more thing")
    await line.works()
    await line.engine.worker._do(job)
    assert line.sent == []
    await line.works()
    assert line.sent == ["All of it."]
    await line.later(seconds=DELAY)

    assert line.sent == ["All of it.", "All of it."]
    assert [len(each.joined) for each in await turns(line)] == [0, 0]


async def test_without_the_tool_the_next_message_is_not_held(line):
    await line.hears("Hello")
    (tool,) = (await line.run("list_agent_tools", agentId=line.agent))["tools"]
    await line.run("remove_agent_tool", agentId=line.agent, toolId=tool["id"])
    await line.hears("anyone?")
    assert line.sent == []  # they are answered in order

    await line.later(seconds=DELAY)

    assert line.sent == ["All of it.", "All of it."]


async def test_the_agent_of_a_step_holds_its_answers_and_that_of_the_conversation_does_not(lines):
    line = await lines("All of it.").opened()
    seller = (await line.run("create_agent", **an_agent(name="Bia", tools=[HELD])))["id"]
    scenario = (await line.run("create_crm_scenario", name="Sale"))["id"]
    step = await line.run("create_crm_step", scenarioId=scenario, name="New", agentId=seller)
    await line.hears("Hello")
    talk = await line.talk()
    await line.run("add_conversation_to_scenario", conversationId=talk.id, stepId=step["id"])

    await line.hears("When do you")
    await line.hears("open?")
    assert line.sent == ["All of it."]
    await line.later(seconds=DELAY)

    assert line.sent == ["All of it.", "All of it."]
    assert line.model.prompts[-1].question == "When do you\nopen?"


async def test_nothing_is_answered_that_a_person_took_over_meanwhile(line):
    await line.hears("Hello")
    talk = await line.talk()

    await line.run("send_message", type="conversationId", value=talk.id, message="Bia here.")
    await line.later(seconds=DELAY)

    assert line.sent == ["Bia here."]
    assert [each.state for each in await turns(line)] == ["silent"]


# Bursts


class Bursts:
    """What must come of the messages of one chat: a burst is answered when nothing more came for a while."""

    def __init__(self) -> None:
        self.heard: list[list[str]] = []
        """Bursts that are not answered yet, the first one first."""
        self.answered: list[list[str]] = []
        self._times: list[tuple[float, float]] = []
        self._waiting: list[str] = []
        self._taken_until = {"hear": 0.0, "talk": 0.0}

    def arrives(self, text: str) -> None:
        self._waiting.append(text)

    def dies(self, now: float) -> None:
        """A process takes what is due, and ends before it does any of it."""
        for lane in self._due(now):
            self._taken_until[lane] = now + LEASE.total_seconds()

    def works(self, now: float) -> None:
        while due := self._due(now):
            for lane in due:
                self._taken_until[lane] = 0.0
            last = self.heard[-1] if self.heard else None
            if "talk" in due:
                self.answered.append(self.heard.pop(0))
                self._times.pop(0)
            if "hear" in due:
                self._hear(self._waiting.pop(0), last, now)

    def _due(self, now: float) -> list[str]:
        is_due = {"hear": bool(self._waiting), "talk": bool(self._times) and self._times[0][1] <= now}
        return [lane for lane, due in is_due.items() if due and self._taken_until[lane] <= now]

    def _hear(self, text: str, last: list[str] | None, now: float) -> None:
        is_head_taken = self._taken_until["talk"] > now and len(self.heard) == 1
        if last is not None and self.heard and self.heard[-1] is last and not is_head_taken:
            last.append(text)
            since, _ = self._times[-1]
            self._times[-1] = (since, min(now + DELAY, since + 4 * DELAY))
        else:
            self.heard.append([text])
            self._times.append((now, now + DELAY))


GAPS = st.sampled_from([0, 1, 5, 9, 10, 11, 60])
ENDS = st.sampled_from(["work", "work", "kill", "restart"])


@given(steps=st.lists(st.tuples(GAPS, ENDS, ENDS), min_size=1, max_size=14))
@settings(max_examples=30)
async def test_whatever_the_gaps_and_whenever_it_is_killed_each_burst_is_one_turn_and_nothing_is_lost(steps):
    folder = Path(tempfile.mkdtemp())
    line = await Line(folder, FakeClock()).opened(HELD, wire="telegram")
    model = Bursts()

    async def goes_on(how):
        now = line.clock.now().timestamp()
        if how == "kill":
            await line.engine.worker._claim(50)
            model.dies(now)
        if how != "work":
            line.restart()
        if how != "kill":
            await line.works()
            model.works(now)

    try:
        for number, (gap, before, after) in enumerate(steps):
            line.clock.advance(seconds=gap)
            await goes_on(before)
            await line.arrives(f"m{number}")
            model.arrives(f"m{number}")
            await goes_on(after)
        for _ in range(2):
            line.clock.advance(hours=1)
            await goes_on("work")

        texts = {each.id: each.text for each in await line.read(lambda tables: tables.messages.where())}
        found = await turns(line)
        assert {each.state for each in found} == {"answered"}
        answered = [[texts[id] for id in each.joined or [each.message_id]] for each in found]
        assert answered == model.answered
        assert [text for burst in answered for text in burst] == [
            f"m{number}" for number in range(len(steps))
        ]
        assert len(line.sent) == len(answered)
    finally:
        line.close()
        shutil.rmtree(folder)
