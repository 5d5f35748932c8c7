"""Webhooks that nobody listens at: paused, resumed, and never in the way of others."""

from __future__ import annotations

import pytest

from vivavoce.domain.endpoints import FAILING_FOR, MOST_FAILURES, Endpoint
from vivavoce.engine.handlers import Errand
from vivavoce.engine.time.announcing import announce
from vivavoce.errors import Conflict
from vivavoce.operations import OPERATOR
from vivavoce.ports import Reply

from .receivers import AGENT, HOOK, Receiver, climb, hook_desks


@pytest.fixture
def desk(tmp_path, clock):
    """Opens a desk whose events go to a receiver that answers so."""
    with hook_desks(tmp_path, clock) as open_desk:
        yield open_desk


async def test_an_address_that_is_gone_is_paused_at_once(desk):
    at = await desk(410)
    await at.ask()
    await at.works()
    await at.ask()
    await at.works()

    assert len(at.receiver.sent) == 1
    assert [each.state for each in await at.deliveries()] == ["held", "held"]
    assert {each.reason for each in await at.deliveries()} == {
        "The webhook is paused. The address answers 410."
    }
    shown = await at.run("get_webhook_status", id=at.agent)
    assert (shown["isPaused"], shown["held"], shown["lastError"]) == (True, 2, "The address answers 410.")
    assert await at.jobs() == 0


async def test_an_address_that_fails_for_long_is_paused(desk, clock):
    at = await desk(503)
    await at.ask()
    await at.works()
    await climb(at, clock, 6)
    assert (await at.endpoint()).paused_at is None
    while (await at.endpoint()).paused_at is None:
        clock.advance(hours=1)
        await at.ask()
        await at.works()

    known = await at.endpoint()
    assert known.failures >= MOST_FAILURES
    assert known.paused_at - known.failing_since >= FAILING_FOR
    tries = len(at.receiver.sent)
    clock.advance(days=2)
    await at.ask()
    await at.works()
    assert len(at.receiver.sent) == tries
    assert {each.state for each in await at.deliveries()} == {"held"}


async def test_a_short_failure_pauses_nothing(desk, clock):
    at = await desk(*[503] * 30, 200)
    for _ in range(15):
        await at.ask()
    await at.works()
    await climb(at, clock, 3)

    assert {each.state for each in await at.deliveries()} == {"sent"}
    assert await at.endpoint() is None


async def test_what_is_taken_in_between_begins_the_count_again(desk, clock):
    at = await desk(*([503] * 9 + [200]) * 4)
    for _ in range(12):
        await at.ask()
        await at.works()
        clock.advance(hours=3)
        await at.works()

    known = await at.endpoint()
    assert known is None or (known.failures < MOST_FAILURES and known.paused_at is None)


@pytest.mark.parametrize("way", ["resume", "save"])
async def test_a_paused_webhook_is_told_again_once_someone_says_so(desk, way):
    at = await desk(410, 200)
    await at.ask()
    await at.works()

    if way == "resume":
        shown = await at.run("resume_webhook", id=at.agent)
        assert (shown["isPaused"], shown["held"]) == (False, 1)
    else:
        await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal={"url_webhook_external": HOOK})
    await at.ask("Again?")
    await at.works()

    assert [each.state for each in await at.deliveries()] == ["held", "sent"]
    assert at.receiver.events[-1]["userMessage"] == "Again?"


async def test_changing_something_else_does_not_resume_it(desk):
    at = await desk(410)
    await at.ask()
    await at.works()

    await at.run("update_agent", id=at.agent, name="Bea")

    assert (await at.run("get_webhook_status", id=at.agent))["isPaused"] is True


async def test_another_address_is_not_paused_for_what_the_old_one_did(desk):
    at = await desk(410, 200)
    await at.ask()
    await at.works()

    other = {"url_webhook_external": "https://other.example/"}
    await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=other)
    await at.ask()
    await at.works()

    assert at.receiver.sent[-1][0] == "https://other.example/"


async def test_what_was_held_is_sent_when_it_is_resumed_so(desk):
    at = await desk(410, 200)
    for text in ("1?", "2?", "3?"):
        await at.ask(text, conversationId="talk-1")
        await at.works()

    shown = await at.run("resume_webhook", id=at.agent, redeliverHeld=True)
    await at.works()

    assert (shown["held"], shown["waiting"]) == (0, 3)
    assert [told["userMessage"] for told in at.receiver.events[1:]] == ["1?", "2?", "3?"]
    assert {each.state for each in await at.deliveries()} == {"sent"}


async def test_what_waits_for_its_next_try_is_sent_at_once_when_the_webhook_is_resumed(desk):
    at = await desk(503, 503, 200)
    for text in ("1?", "2?"):
        await at.ask(text, conversationId="talk-1")
    await at.works()
    assert [each.state for each in await at.deliveries()] == ["waiting", "waiting"]

    await at.run("resume_webhook", id=at.agent)
    await at.works()

    assert [each.state for each in await at.deliveries()] == ["sent", "sent"]


async def test_a_host_that_hangs_takes_few_places(desk):
    at = await desk()
    for number in range(60):
        await at.ask(conversationId=f"talk-{number}")

    claimed = await at.engine.worker._claim(48)

    assert 1 < len(claimed) <= 4


async def test_a_host_that_fails_takes_one_place(desk, clock):
    at = await desk(503)
    for number in range(10):
        await at.ask(conversationId=f"talk-{number}")
    await at.works()
    for number in range(60):
        await at.ask(conversationId=f"talk-{number}")
    clock.advance(seconds=10)
    at.receiver.answers[:] = [200]
    timers = [job for job in await at.engine.worker._claim(48) if job.lane == job.key]
    for job in timers:
        await at.engine.worker._do(job)
    clock.advance(seconds=11)

    claimed = await at.engine.worker._claim(48)

    assert len({job.lane for job in claimed if job.kind == "post"}) == 1


async def test_the_address_of_a_step_is_paused_and_resumed_by_itself(desk):
    at = await desk(410, 200)
    talk = (await at.ask())["conversationId"]
    scenario = (await at.run("create_crm_scenario", name="Sales"))["id"]
    hook = {"webhookUrl": "https://crm.example/in"}
    step = await at.run("create_crm_step", scenarioId=scenario, name="Hot", prompt="Sell.", **hook)
    await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=None)
    await at.works()

    async def enters():
        await Errand(OPERATOR, at.engine.ports).write(lambda work: _entered(talk, step["id"], work))
        await at.works()
        return [each.state for each in await at.deliveries() if each.step_id == step["id"]]

    assert await enters() == ["held"]
    assert await enters() == ["held", "held"]
    await at.run("update_crm_step", id=step["id"], name="Hot", **hook)
    assert await enters() == ["held", "held", "sent"]
    at.receiver.answers[:] = [503]
    await enters()
    await at.run("delete_crm_step", id=step["id"])

    left = await at.engine.ports.store.read(lambda tables: tables.endpoints.where())
    assert left == []


async def test_the_webhook_of_a_step_is_seen_and_resumed_beside_the_agents(desk):
    at = await desk(200)
    talk = (await at.ask())["conversationId"]
    await at.works()
    scenario = (await at.run("create_crm_scenario", name="Sales"))["id"]
    hook = {"webhookUrl": "https://crm.example/in?token=t0ken-1234567"}
    step = (await at.run("create_crm_step", scenarioId=scenario, name="Hot", prompt="Sell.", **hook))["id"]
    await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=None)
    at.receiver.answers[:] = [410]
    await Errand(OPERATOR, at.engine.ports).write(lambda work: _entered(talk, step, work))
    await at.works()
    (held,) = await at.deliveries(state="held")

    of_agent = await at.run("get_webhook_status", id=at.agent)
    of_step = await at.run("get_webhook_status", id=at.agent, stepId=step)
    with pytest.raises(Conflict, match="paused") as refused:
        await at.run("redeliver", deliveryId=held.id)
    at.receiver.answers[:] = [200]
    resumed = await at.run("resume_webhook", id=at.agent, stepId=step, redeliverHeld=True)
    await at.works()

    assert (of_agent["held"], of_agent["isPaused"], of_agent["stepId"]) == (0, False, None)
    assert (of_step["held"], of_step["isPaused"], of_step["stepId"]) == (1, True, step)
    assert of_step["url"].startswith("https://crm.example/in")
    assert "t0ken" not in of_step["url"]
    assert f"stepId {step!r}" in refused.value.hint
    assert (resumed["isPaused"], resumed["held"], resumed["waiting"]) == (False, 0, 1)
    assert [each.state for each in await at.deliveries()] == ["sent", "sent"]


async def test_a_step_without_a_webhook_has_none_to_resume(desk):
    at = await desk()
    scenario = (await at.run("create_crm_scenario", name="Sales"))["id"]
    step = (await at.run("create_crm_step", scenarioId=scenario, name="Hot", prompt="Sell."))["id"]

    with pytest.raises(Conflict, match=f"Step {step!r} has no webhook"):
        await at.run("resume_webhook", id=at.agent, stepId=step)


def _entered(talk, step_id, work):
    step = work.tables.steps.find(step_id)
    announce("STEP_ENTERED", work.tables.conversations.find(talk), work, step=step)


async def test_a_dead_address_does_not_hold_up_others_of_its_host(desk):
    dead, fine = "https://hooks.example/dead", "https://hooks.example/fine"
    at = await desk(receiver=Paths({dead: 503, fine: 200}), hook={"url_webhook_external": dead})
    other = await at.run("create_agent", **AGENT, configUrlInfosSystemExternal={"url_webhook_external": fine})
    for number in range(200):
        await at.ask(conversationId=f"talk-{number}")
    for number in range(8):
        await at.run("agent_query", id=other["id"], query="?", conversationId=f"other-{number}")

    await at.works()

    called = [url for url, _, _ in at.receiver.sent]
    assert (called.count(fine), len(called)) == (8, 208)
    assert called[:100].count(fine) == 8  # the dead ones before them stepped aside


class Paths(Receiver):
    """Answers by address."""

    def __init__(self, statuses: dict[str, int]) -> None:
        super().__init__()
        self.statuses = statuses

    async def send(self, method, url, **more) -> Reply:
        self.answers[:] = [self.statuses[url]]
        return await super().send(method, url, **more)


async def test_what_an_old_address_answers_last_is_not_held_against_the_new_one(desk, clock):
    other = {"url_webhook_external": "https://other.example/"}

    class Moving(Receiver):
        async def send(self, method, url, **more):
            if url == HOOK:
                await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=other)
            return await super().send(method, url, **more)

    at = await desk(receiver=Moving(410, 200))
    await at.ask()
    await at.works()
    assert await at.endpoint() is None
    await climb(at, clock, 1)

    assert [url for url, _, _ in at.receiver.sent] == [HOOK, "https://other.example/"]
    assert [each.state for each in await at.deliveries()] == ["sent"]


async def test_what_is_kept_of_an_earlier_address_does_not_count(desk, clock):
    at = await desk()
    now = clock.now()
    known = {"id": at.agent, "organization_id": "o1", "created_at": now, "updated_at": now}
    old = Endpoint(**known, agent_id=at.agent, url="https://old.example/", failures=99, paused_at=now)
    await at.engine.ports.store.write(lambda tables: tables.endpoints.add(old))

    await at.ask()
    await at.works()

    assert [each.state for each in await at.deliveries()] == ["sent"]
    assert (await at.run("get_webhook_status", id=at.agent))["isPaused"] is False
