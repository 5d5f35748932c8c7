"""Events for webhooks: each with its fields, once, stored with what it tells of."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.crm import Step
from vivavoce.domain.entities import written
from vivavoce.domain.jobs import NewJob
from vivavoce.engine.handlers import Errand
from vivavoce.engine.time.announcing import announce
from vivavoce.engine.time.hearing import lane_of_chat
from vivavoce.engine.turns.lanes import recover
from vivavoce.engine.turns.opening import open_turn
from vivavoce.errors import InvalidInput, UpstreamFailed
from vivavoce.operations import OPERATOR, STRANGER
from vivavoce.operations.answers import AgentQuery
from vivavoce.testing import MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .receivers import HOOK, HookDesk, Receiver

ALWAYS = {
    "eventType",
    "conversationId",
    "agentId",
    "agentName",
    "channel",
    "conversationStatus",
    "conversationPriority",
    "isAiEnabled",
    "organizationId",
    "createdAt",
}
OF_MESSAGES = {"messageId"}


@pytest.fixture
def desk(tmp_path, clock):
    """Opens a desk whose agent says these things and tells its events."""
    held = []

    async def open_(*said, hook=None, receiver=None, **more):
        receiver = receiver or Receiver()
        models = TestModels(ScriptedModel(list(said) or ["Nine."]))
        opening = open_test_engine(tmp_path, clock, models=models, outside=receiver, channel=MemoryChannel())
        engine = opening.__enter__()
        held.append(opening)
        return await HookDesk(engine, receiver).opened(hook, **more)

    yield open_
    for each in held:
        each.__exit__(None, None, None)


async def arrives(at: HookDesk, text: str, number: int = 1, **heard) -> None:
    """An event of a channel that is written by hand."""
    now = at.engine.ports.now()
    known = {"organization_id": "o1", "created_at": now, "updated_at": now}

    def stored(tables):
        if tables.accounts.find("account1") is None:
            account = Account(id="account1", **known, agent_id=at.agent, type="webhook", name="Test")
            tables.accounts.add(account.model_copy(update={"config": {"channel": "whatsapp"}}))
        event = {"event_id": f"e{number}", "chat": "chat1", "text": text, **heard}
        id = at.engine.ports.new_id()
        tables.arrivals.add(
            Arrival(id=id, **known, account_id="account1", event_id=f"e{number}", heard=event)
        )
        lane = lane_of_chat("account1", "chat1")
        tables.jobs.add(NewJob(f"hear:{id}", "hear", now, lane, {"arrival": id}), now)

    await at.engine.ports.store.write(stored)


async def test_an_answer_is_told_with_what_was_asked(desk, clock):
    at = await desk("At nine.")

    answer = await at.ask("When do you open?")

    (told,) = await at.told()
    assert told == {
        "eventType": "AGENT_USER_MESSAGE",
        "conversationId": answer["conversationId"],
        "agentId": at.agent,
        "agentName": "Ana",
        "channel": "api",
        "conversationStatus": "UNRESOLVED",
        "conversationPriority": "MEDIUM",
        "isAiEnabled": True,
        "organizationId": told["organizationId"],
        "messageId": answer["messageId"],
        "createdAt": clock.now().strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "userMessage": "When do you open?",
        "agentResponse": "At nine.",
    }
    assert told["organizationId"]


async def test_what_is_known_of_the_person_and_the_conversation_is_told(desk):
    at = await desk()
    person = {"email": "lu@example.com", "phoneNumber": "+5511888", "firstName": "Lu", "lastName": "Lima"}
    talk = (await at.ask(contact=person))["conversationId"]
    await at.run("tag_conversation", conversationId=talk, tagName="vip")
    await at.run("set_variable", conversationId=talk, varName="order", varValue="A-17")
    await at.engine.ports.store.write(lambda tables: _judged(talk, tables))

    files = [{"name": "a.pdf", "url": "https://files.example/a.pdf", "mimeType": "application/pdf"}]
    await at.ask("And this?", conversationId=talk, attachments=[{**files[0], "size": 9}])

    last = (await at.told())[-1]
    assert (last["userName"], last["userEmail"], last["userPhoneNumber"]) == (
        "Lu Lima",
        "lu@example.com",
        "+5511888",
    )
    assert (last["tags"], last["conversation_variables"]) == (["vip"], {"order": "A-17"})
    assert (last["summary"], last["frustration"]) == ("Asks for opening hours.", 0.0)
    (file,) = last["attachments"]
    assert file.pop("id")
    assert file == {"url": files[0]["url"], "mimeType": "application/pdf", "size": 9}


def _judged(talk, tables):
    known = tables.conversations.find(talk)
    changes = {"summary": "Asks for opening hours.", "frustration": 0.0}
    tables.conversations.replace(known.model_copy(update=changes))


async def test_a_message_while_the_ai_is_off_is_told_without_an_answer(desk):
    at = await desk()
    talk = (await at.ask())["conversationId"]
    await at.run("set_ai_enabled", conversationId=talk, enabled=False)

    await at.ask("Still there?", conversationId=talk)
    await at.run("receive_message", conversationId=talk, message="Hello?")
    await at.run("register_message", conversationId=talk, message="On the phone.")

    _, silent, received = await at.told()
    for told, text in ((silent, "Still there?"), (received, "Hello?")):
        assert told.keys() == ALWAYS | OF_MESSAGES | {"userMessage"}
        assert (told["eventType"], told["userMessage"]) == ("USER_MESSAGE_RECEIVED", text)
        assert told["isAiEnabled"] is False


async def test_a_visitor_who_writes_while_the_ai_is_off_is_told(desk):
    at = await desk()
    opened = await at.run("agent_query", caller=STRANGER, id=at.agent, query="Hi")
    who = {"conversationId": opened["conversationId"], "visitorId": opened["visitorId"]}

    await at.run("receive_message", caller=STRANGER, message="Anyone?", **who)

    assert [told["eventType"] for told in await at.told()] == ["AGENT_USER_MESSAGE", "USER_MESSAGE_RECEIVED"]
    assert {told["channel"] for told in at.receiver.events} == {"website"}


async def test_a_message_of_the_team_is_told_as_sent_or_as_noted(desk):
    at = await desk()
    noted = (await at.ask())["conversationId"]
    sent = (await at.ask(channel="website"))["conversationId"]

    await at.run("send_message", type="conversationId", value=noted, message="Bia here.")
    await at.run("send_message", type="conversationId", value=sent, message="Bia here.")

    last = {told["eventType"]: told for told in (await at.told())[2:]}
    assert last.keys() == {"AGENT_MESSAGE_NOTED", "AGENT_MESSAGE_SENDED"}
    for told in last.values():
        assert told.keys() == ALWAYS | OF_MESSAGES | {"agentResponse"}
        assert told["agentResponse"] == "Bia here."


async def test_a_turn_that_fails_is_told_without_an_answer(desk):
    at = await desk(InvalidInput("No such model."))

    with pytest.raises(InvalidInput):
        await at.ask()

    (told,) = await at.told()
    assert told["eventType"] == "AGENT_USER_MESSAGE"
    assert told.keys() == ALWAYS | OF_MESSAGES | {"userMessage"}


async def test_messages_that_are_answered_together_are_told_together(desk, clock):
    at = await desk("All of it.", tools=[{"type": "delayed_responses", "config": {"delay": 10}}])
    await arrives(at, "Hello")
    await arrives(at, "when do you open?", number=2)
    await at.works()
    clock.advance(seconds=15)

    (told,) = await at.told()

    assert (told["userMessage"], told["agentResponse"]) == ("Hello\nwhen do you open?", "All of it.")


async def test_a_message_in_a_group_that_is_not_for_the_agent_is_told(desk):
    at = await desk()

    await arrives(at, "Hi all", is_group=True)

    (told,) = await at.told()
    assert told.keys() == ALWAYS | OF_MESSAGES | {"userMessage"} | (told.keys() & {"userName"})
    assert (told["eventType"], told["channel"]) == ("GROUP_MESSAGE_RECEIVED", "whatsapp")


async def test_a_message_that_the_window_blocks_is_told(desk, clock):
    at = await desk()
    await arrives(at, "Hi")
    await at.works()
    (delivery,) = await at.deliveries(kind="message")
    sending = {"type": "conversationId", "value": delivery.conversation_id, "message": "Still there?"}
    await at.run("send_message", **sending)
    clock.advance(hours=25)

    told = [each["eventType"] for each in await at.told()]
    assert told == ["AGENT_USER_MESSAGE", "AGENT_MESSAGE_SENDED", "AGENT_MESSAGE_BLOCKED"]
    blocked = at.receiver.events[-1]
    assert blocked.keys() >= ALWAYS | OF_MESSAGES | {"agentResponse"}


async def test_a_rating_is_kept_and_told(desk, clock):
    at = await desk()
    opened = await at.run("agent_query", caller=STRANGER, id=at.agent, query="Hi")
    who = {"conversationId": opened["conversationId"], "visitorId": opened["visitorId"]}

    rated = await at.run("rate_conversation", caller=STRANGER, rating=0, comment="Too slow.", **who)

    told = (await at.told())[-1]
    of_ratings = {"rating", "comment", "completionReason", "completedAt"}
    assert told.keys() == ALWAYS | of_ratings
    assert (told["eventType"], told["rating"], told["comment"]) == ("NPS_INTERACTION", 0, "Too slow.")
    assert (told["completionReason"], told["completedAt"]) == ("answered", rated["completedAt"])
    shown = await at.run("get_conversation", conversationId=opened["conversationId"])
    assert shown["rating"]["rating"] == 0


@pytest.mark.parametrize("rating", [-1, 11, 7.5, "7", None])
async def test_a_rating_is_between_0_and_10(desk, rating):
    at = await desk()
    talk = (await at.ask())["conversationId"]

    with pytest.raises(InvalidInput):
        await at.run("rate_conversation", conversationId=talk, rating=rating)


async def test_a_step_is_told_to_the_agent_and_to_the_address_of_the_step(desk, clock):
    at = await desk()
    talk = (await at.ask())["conversationId"]
    scenario = (await at.run("create_crm_scenario", name="Sales"))["id"]
    step = await at.run(
        "create_crm_step",
        scenarioId=scenario,
        name="Hot",
        prompt="Sell.",
        webhookUrl="https://crm.example/in?token=t0ken-1234567",
        webhookHeader={"X-Key": "k3y-7654321"},
    )
    await at.works()
    at.receiver.sent.clear()

    await Errand(OPERATOR, at.engine.ports).write(lambda work: _entered(talk, step["id"], work))
    await at.works()

    sent = {url: (headers, content) for url, headers, content in at.receiver.sent}
    assert sent.keys() == {HOOK, "https://crm.example/in?token=t0ken-1234567"}
    headers, _ = sent["https://crm.example/in?token=t0ken-1234567"]
    assert headers["X-Key"] == "k3y-7654321"
    assert "X-Key" not in sent[HOOK][0]
    assert sent[HOOK][1] == sent["https://crm.example/in?token=t0ken-1234567"][1]
    told = at.receiver.events[0]
    assert (told["eventType"], told["stepId"], told["stepName"]) == ("STEP_ENTERED", step["id"], "Hot")
    assert (told["scenarioId"], told["scenarioName"]) == (scenario, "Sales")
    assert told["createdAt"] == written(clock.now())


def _entered(talk, step_id, work):
    step = work.tables.steps.find(step_id)
    assert isinstance(step, Step)
    scenario = work.tables.scenarios.find(step.scenario_id)
    announce("STEP_ENTERED", work.tables.conversations.find(talk), work, step=step, scenario=scenario)


async def test_that_the_agent_of_a_step_answered_is_told(desk):
    at = await desk("I am Bea.")
    other = (await at.run("create_agent", name="Bea", description=".", modelName="m", systemPrompt="."))["id"]
    scenario = (await at.run("create_crm_scenario", name="Sales"))["id"]
    step = await at.run("create_crm_step", scenarioId=scenario, name="Hot", prompt="Sell.", agentId=other)
    talk = (await at.ask())["conversationId"]
    await at.engine.ports.store.write(lambda tables: _placed(talk, scenario, step["id"], tables))

    await at.ask("And now?", conversationId=talk)

    last = (await at.told())[-1]
    assert (last["agentId"], last["agentName"]) == (at.agent, "Ana")
    assert (last["isStepAgentResponse"], last["stepAgentId"], last["stepAgentName"]) == (True, other, "Bea")


def _placed(talk, scenario_id, step_id, tables):
    known = tables.conversations.find(talk)
    tables.conversations.replace(known.model_copy(update={"scenario_id": scenario_id, "step_id": step_id}))


async def test_nothing_is_stored_where_no_webhook_is_set(desk):
    at = await desk(hook={})

    await at.ask()

    assert (await at.deliveries(), await at.jobs()) == ([], 0)


async def test_of_a_test_nobody_is_told(desk):
    at = await desk()

    await at.ask(isTest=True)

    assert (await at.deliveries(), await at.told()) == ([], [])


async def test_an_event_is_stored_with_what_it_tells_of_or_not_at_all(desk):
    at = await desk()
    talk = (await at.ask())["conversationId"]
    await at.works()

    with pytest.raises(UpstreamFailed):
        await Errand(OPERATOR, at.engine.ports).write(lambda work: _broken(talk, work))

    assert (len(await at.deliveries()), await at.jobs()) == (1, 0)


def _broken(talk, work):
    announce("AGENT_MESSAGE_SENDED", work.tables.conversations.find(talk), work)
    raise UpstreamFailed("The disk is full.")


async def test_an_answer_that_is_called_off_is_told_as_a_message_for_the_team(desk):
    at = await desk()
    await arrives(at, "Hi")
    await at.engine.worker.finish_due(lane_of_chat("account1", "chat1"))
    (talk,) = await at.engine.ports.store.read(lambda tables: tables.conversations.where())

    await at.run("set_ai_enabled", conversationId=talk.id, enabled=False)

    (told,) = await at.told()
    assert (told["eventType"], told["userMessage"]) == ("USER_MESSAGE_RECEIVED", "Hi")


async def test_a_message_whose_process_ended_is_told_once(desk, clock):
    at = await desk()
    query = AgentQuery.parse({"id": at.agent, "query": "When?"})
    opened = await Errand(OPERATOR, at.engine.ports).write(lambda work: open_turn(query, work))
    assert not opened.turn.durable
    clock.advance(minutes=5)

    assert [await recover(at.engine.ports) for _ in range(2)] == [1, 0]

    (told,) = await at.told()
    assert told.keys() == ALWAYS | OF_MESSAGES | {"userMessage"}
    assert (told["eventType"], told["messageId"]) == ("AGENT_USER_MESSAGE", opened.message.id)


async def test_what_is_given_up_is_told_to_webhooks_and_callbacks(desk, clock):
    at = await desk("Nine.")
    at.engine.worker.is_running = True  # so that the call does not answer by itself
    asked = await at.ask(callbackURL="https://back.example/")
    (job,) = await at.engine.worker._claim(1)
    assert job.kind == "answer"

    await at.engine.worker._do(replace(job, attempts=99))

    told = {url: json.loads(content) for url, _, content in await _all_sent(at)}
    assert told[HOOK]["eventType"] == "AGENT_USER_MESSAGE"
    assert "agentResponse" not in told[HOOK]
    assert told["https://back.example/"]["error"] == "UPSTREAM_FAILED"
    assert told["https://back.example/"]["conversationId"] == asked["conversationId"]


async def _all_sent(at):
    await at.works()
    return at.receiver.sent
