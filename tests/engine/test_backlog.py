"""A backlog: what was begun is brought to its end before more is begun, so that first answers come soon."""

from __future__ import annotations

from vivavoce.adapters import identity
from vivavoce.testing import MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .fault_points import accept, prepare

_CHATS = 60


async def test_the_first_answers_are_sent_while_most_of_the_backlog_is_not_heard_yet(tmp_path, clock):
    await prepare(tmp_path)
    channel, models = MemoryChannel(), TestModels(ScriptedModel(["At nine."]))
    with open_test_engine(tmp_path, clock, identity.Ids(), models=models, channel=channel) as engine:
        for number in range(_CHATS):
            await accept(engine, f"e{number}", f"chat{number}")
        clock.advance(seconds=1)

        for _ in range(3):  # heard, answered, sent
            for job in await engine.worker._claim(5):
                await engine.worker._do(job)

        assert len({each.chat for each in channel.sent}) == 5
        waiting = await engine.ports.store.read(lambda tables: tables.arrivals.count(state="waiting"))
        assert waiting == _CHATS - 5
