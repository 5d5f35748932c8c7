"""Approvals: what an operator approves is what is sent, once; the turn goes on; a person still wins."""

import asyncio
import json

import pytest

from vivavoce.domain.keys import Scope
from vivavoce.errors import Conflict, InvalidInput, NotAllowed, NotFound, UpstreamFailed
from vivavoce.operations import STRANGER, Caller
from vivavoce.ports import Called, Reply, Returned
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

from .desks import SECRET, TICKETS, Desk, Servers
from .libraries import Killed

OPEN = Called("1", "Open_ticket", '{"subject": "My parcel is late"}')
ROUNDS = [OPEN, "Your ticket is 77."]


@pytest.fixture
async def desk(tmp_path, clock):
    model, outside = ScriptedModel(ROUNDS), Servers()
    with open_test_engine(tmp_path, clock, models=TestModels(model), outside=outside) as engine:
        desk = await Desk(engine, model, outside).opened()
        await desk.tickets(withApproval=True)
        yield desk


async def asked(desk: Desk, **more) -> str:
    """The id of an approval that waits."""
    await desk.ask("Please open a ticket.", **more)
    (approval,) = await desk.pending()
    return approval["id"]


async def state_of(desk: Desk, id: str) -> tuple[str, str]:
    approval = await desk.engine.ports.store.read(lambda tables: tables.approvals.find(id))
    return approval.state, approval.outcome


async def test_nothing_is_sent_until_an_operator_has_seen_all_of_it(desk):
    answer = await desk.ask("Please open a ticket.")

    (approval,) = await desk.pending()
    assert (answer["answer"], await desk.said(), desk.sent) == ("", [], [])
    assert answer["approvals"] == [
        {"id": approval["id"], "tool": "Open ticket", "payload": approval["payload"]}
    ]
    assert approval["payload"] == {
        "method": "POST",
        "url": TICKETS,
        "headers": {
            "Authorization": "********",
            "Content-Type": "application/json",
            "conversationid": desk.conversation,
        },
        "body": {"subject": "My parcel is late", "level": "low"},
    }
    assert [turn.state for turn in await desk.turns()] == ["asking"]


async def test_a_key_that_only_reads_and_sends_cannot_approve_what_it_brought_about(desk):
    chat = Caller(name="chat", scopes=frozenset({Scope.READ, Scope.SEND}))
    id = await asked(desk, caller=chat)

    with pytest.raises(NotAllowed, match="'chat' lacks the scope write"):
        await desk.run("answer_approval", caller=chat, id=id, approved=True)

    assert (await state_of(desk, id), desk.sent) == (("pending", ""), [])


async def test_an_approved_call_is_sent_as_it_was_shown_and_the_agent_answers(desk):
    id = await asked(desk)
    (approval,) = await desk.pending()

    answered = await desk.run("answer_approval", id=id, approved=True, note="Be quick.")

    ((method, url, headers, content),) = desk.outside.sent
    assert {"method": method, "url": url, "headers": headers, "body": json.loads(content)} == {
        **approval["payload"],
        "headers": {**approval["payload"]["headers"], "Authorization": f"Bearer {SECRET}"},
    }
    assert desk.model.prompts[-1].steps[-1] == Returned(
        "1", "Open_ticket", "Status 201.\nTicket 77 is open.\nThe operator says: Be quick."
    )
    assert answered["answer"]["answer"] == "Your ticket is 77."
    assert await desk.said() == ["Your ticket is 77."]
    assert [turn.state for turn in await desk.turns()] == ["answered"]
    shown = answered["approval"]
    assert (shown["state"], shown["outcome"], shown["decidedBy"]) == ("done", "sent", "operator")
    assert [call.get("status") for call in await desk.calls()] == [None, 201]


async def test_a_rejected_call_is_not_sent_and_the_agent_answers_without_it(desk):
    id = await asked(desk)

    answered = await desk.run("answer_approval", id=id, approved=False, note="Too late.")

    assert desk.sent == []
    assert desk.returned == ["An operator did not allow this call: it was not made. Too late."]
    assert await desk.said() == [answered["answer"]["answer"]] == ["Your ticket is 77."]
    assert await state_of(desk, id) == ("rejected", "")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
async def test_a_call_is_decided_on_once(desk, first, second):
    id = await asked(desk)
    await desk.run("answer_approval", id=id, approved=first)

    with pytest.raises(Conflict, match="decided on already"):
        await desk.run("answer_approval", id=id, approved=second)

    assert len(desk.sent) == int(first)
    assert len(await desk.said()) == 1


async def test_two_who_approve_at_once_send_it_once(desk):
    id = await asked(desk)

    both = await asyncio.gather(
        *(desk.run("answer_approval", id=id, approved=True) for _ in range(2)), return_exceptions=True
    )

    assert sorted(type(each).__name__ for each in both) == ["Conflict", "dict"]
    assert (len(desk.sent), len(await desk.said())) == (1, 1)


async def test_a_person_who_was_asked_for_beside_a_call_comes_when_it_is_decided(desk):
    await desk.run("addRequestHumanTool", agentId=desk.agent)
    desk.model.rounds[0] = [Called("0", "request_human", "{}"), OPEN]
    id = await asked(desk)

    await desk.run("answer_approval", id=id, approved=True)

    assert (await desk.stored()).status == "HUMAN_REQUESTED"
    assert desk.returned[1].startswith("Status 201.")


async def test_an_approval_that_is_not_there_is_not_found(desk):
    with pytest.raises(NotFound, match="list_approvals"):
        await desk.run("answer_approval", id="nothing", approved=True)


async def test_who_may_only_read_sees_approvals_and_decides_on_none(desk):
    id = await asked(desk)
    reader = Caller(id="r", name="reader", scopes=frozenset({Scope.READ}))

    assert len((await desk.run("list_approvals", caller=reader))["approvals"]) == 1
    with pytest.raises(NotAllowed):
        await desk.run("answer_approval", caller=reader, id=id, approved=True)

    assert await state_of(desk, id) == ("pending", "")


async def test_approvals_are_listed_by_state_and_conversation(desk):
    await desk.run("answer_approval", id=await asked(desk), approved=True)
    desk.model.rounds.append(OPEN)
    await desk.ask("Another one, please.")

    assert len(await desk.pending("done")) == 1
    listed = await desk.run("list_approvals", conversationId=desk.conversation)
    assert [each["conversationId"] for each in listed["approvals"]] == [desk.conversation]
    assert (await desk.run("list_approvals", conversationId="other"))["approvals"] == []


async def test_a_tool_that_was_changed_meanwhile_does_not_send_something_else(desk):
    id = await asked(desk)
    (tool,) = (await desk.run("list_agent_tools", agentId=desk.agent))["tools"]
    config = {**tool["config"], "url": "https://evil.example/", "headers": []}
    await desk.run("update_agent_tool", agentId=desk.agent, toolId=tool["id"], config=config)

    with pytest.raises(Conflict, match="changed since"):
        await desk.run("answer_approval", id=id, approved=True)
    await desk.run("remove_agent_tool", agentId=desk.agent, toolId=tool["id"])
    with pytest.raises(Conflict, match="not there any more"):
        await desk.run("answer_approval", id=id, approved=True)

    await desk.run("answer_approval", id=id, approved=False)
    assert desk.sent == []


async def test_a_variable_that_changes_meanwhile_is_sent_as_it_was_shown(desk):
    (tool,) = (await desk.run("list_agent_tools", agentId=desk.agent))["tools"]
    config = {**tool["config"], "body": [*tool["config"]["body"], {"key": "day", "value": "{priority}"}]}
    await desk.run("update_agent_tool", agentId=desk.agent, toolId=tool["id"], config=config)
    id = await asked(desk)

    def change(tables):
        known = tables.conversations.find(desk.conversation)
        tables.conversations.replace(known.changed(desk.engine.ports.now(), priority="HIGH"))

    await desk.engine.ports.store.write(change)
    await desk.run("answer_approval", id=id, approved=True)

    assert json.loads(desk.outside.sent[0][3])["day"] == "MEDIUM"


async def test_a_call_is_not_made_any_more_once_a_person_has_taken_over(desk):
    id = await asked(desk)
    await desk.taken_over()

    with pytest.raises(Conflict, match="took over"):
        await desk.run("answer_approval", id=id, approved=True)
    answered = await desk.run("answer_approval", id=id, approved=False)

    assert (desk.sent, await desk.said(), answered["answer"]["answer"]) == ([], [], None)
    assert [turn.state for turn in await desk.turns()] == ["silent"]


async def test_nothing_is_said_when_a_person_takes_over_while_the_call_is_made(desk):
    id = await asked(desk)
    desk.outside.before = desk.taken_over

    answered = await desk.run("answer_approval", id=id, approved=True)

    assert answered["answer"]["answer"] is None
    assert (await desk.said(), len(desk.sent)) == ([], 1)
    assert await state_of(desk, id) == ("done", "sent")


async def test_a_process_that_ends_while_it_sends_leaves_a_call_that_may_have_been_made(desk):
    id = await asked(desk)

    def killed() -> None:
        raise Killed

    desk.outside.before = killed
    with pytest.raises(Killed):
        await desk.run("answer_approval", id=id, approved=True)
    desk.outside.before = None

    (seen,) = await desk.pending("approved")
    assert (seen["id"], seen["outcome"]) == (id, "uncertain")
    with pytest.raises(Conflict):
        await desk.run("answer_approval", id=id, approved=True)
    assert desk.sent == []


async def test_a_process_that_ends_before_it_sends_leaves_a_call_that_was_not_made(desk, monkeypatch):
    id = await asked(desk)

    class Dying:
        def named(self, *_):
            raise Killed

    monkeypatch.setattr(desk.engine.ports.models, "named", Dying().named)
    with pytest.raises(Killed):
        await desk.run("answer_approval", id=id, approved=True)

    assert (await state_of(desk, id), desk.sent) == (("pending", ""), [])
    assert [turn.state for turn in await desk.turns()] == ["asking"]


async def test_a_call_whose_process_ended_before_it_was_begun_can_be_decided_on_again(desk):
    id = await asked(desk)

    def died(tables) -> None:
        at, (turn,) = desk.engine.ports.now(), tables.turns.where(conversation_id=desk.conversation)
        tables.turns.replace(turn.changed(at, state="interrupted", fence=turn.fence + 2))
        tables.approvals.replace(tables.approvals.find(id).changed(at, state="approved"))

    await desk.engine.ports.store.write(died)
    await desk.run("answer_approval", id=id, approved=True)

    assert (await state_of(desk, id), len(desk.sent)) == (("done", "sent"), 1)


async def test_a_call_that_fails_is_told_to_the_model_and_not_repeated(desk):
    id = await asked(desk)
    desk.outside.answers[f"POST {TICKETS}"] = (500, "No.")

    await desk.run("answer_approval", id=id, approved=True)

    assert desk.returned == ["The call failed: status 500.\nNo."]
    assert (await state_of(desk, id), len(desk.sent)) == (("done", "failed"), 1)


async def test_a_call_without_an_answer_stays_uncertain(desk):
    id = await asked(desk)
    desk.outside.replies[f"POST {TICKETS}"] = UpstreamFailed("It takes too long.")

    await desk.run("answer_approval", id=id, approved=True)

    assert "Whether it took effect is not known" in desk.returned[0]
    assert await state_of(desk, id) == ("done", "uncertain")


async def test_a_model_that_fails_afterwards_does_not_undo_what_was_sent(desk):
    id = await asked(desk)
    desk.model.rounds[1] = UpstreamFailed("The provider is down.")

    with pytest.raises(UpstreamFailed):
        await desk.run("answer_approval", id=id, approved=True)

    assert (await state_of(desk, id), len(desk.sent)) == (("done", "sent"), 1)
    assert [turn.state for turn in await desk.turns()] == ["failed"]


async def test_other_calls_of_the_same_round_are_not_made_and_the_model_knows(desk):
    look = Called("2", "Look_up", "{}")
    await desk.http("Look up", "https://look.example/")
    desk.model.rounds[0] = [OPEN, look]
    id = await asked(desk)

    await desk.run("answer_approval", id=id, approved=True)

    assert desk.sent == [f"POST {TICKETS}"]
    steps = desk.model.prompts[-1].steps
    assert [type(step).__name__ for step in steps] == ["Called", "Called", "Returned", "Returned"]
    assert (steps[3].call_id, "Not called" in steps[3].text) == ("2", True)


async def test_a_stranger_stays_one_when_an_operator_answers(desk):
    await desk.http("Refund", "https://refund.example/", "POST")
    desk.model.rounds[1:] = [Called("2", "Refund", "{}"), "Done."]
    await desk.ask("Please open a ticket.", caller=STRANGER)
    (first,) = await desk.pending()

    answered = await desk.run("answer_approval", id=first["id"], approved=True)

    assert desk.sent == [f"POST {TICKETS}"]
    (second,) = await desk.pending()
    assert second["tool"] == "Refund"
    assert answered["answer"]["approvals"][0]["id"] == second["id"]


async def test_what_the_query_overrode_still_counts_when_it_goes_on(desk):
    id = await asked(desk, systemPrompt="Talk like a pirate.", temperature=0.5)

    await desk.run("answer_approval", id=id, approved=True)

    last = desk.model.prompts[-1]
    assert "Talk like a pirate." in last.instructions
    assert last.sampling["temperature"] == 0.5


async def test_approved_calls_count_towards_the_cap(desk):
    (tool,) = (await desk.run("list_agent_tools", agentId=desk.agent))["tools"]
    config = {**tool["config"], "hasMaximumToolCalls": True, "maximumToolCalls": 1}
    await desk.run("update_agent_tool", agentId=desk.agent, toolId=tool["id"], config=config)

    await desk.run("answer_approval", id=await asked(desk), approved=True)

    assert (await desk.stored()).tool_calls == {tool["id"]: 1}
    assert desk.model.prompts[-1].tools == ()


async def test_a_cap_holds_for_calls_that_wait_too(desk):
    (tool,) = (await desk.run("list_agent_tools", agentId=desk.agent))["tools"]
    config = {**tool["config"], "hasMaximumToolCalls": True, "maximumToolCalls": 1}
    await desk.run("update_agent_tool", agentId=desk.agent, toolId=tool["id"], config=config)
    desk.model.rounds[:] = [OPEN, OPEN, "Your ticket is 77.", "Only one."]
    first = await asked(desk)
    await desk.again("Another one, please.")
    second = next(each["id"] for each in await desk.pending() if each["id"] != first)

    await desk.run("answer_approval", id=first, approved=True)
    with pytest.raises(Conflict, match="as often as it may be"):
        await desk.run("answer_approval", id=second, approved=True)

    assert (len(desk.sent), await state_of(desk, second)) == (1, ("pending", ""))
    await desk.run("answer_approval", id=second, approved=False)


async def change_conversation(desk: Desk, **changes) -> None:
    def change(tables) -> None:
        known = tables.conversations.find(desk.conversation)
        tables.conversations.replace(known.changed(desk.engine.ports.now(), **changes))

    await desk.engine.ports.store.write(change)


@pytest.mark.parametrize("silence", [{"blocked": True}, {"status": "HUMAN_REQUESTED"}])
async def test_a_call_is_not_used_up_while_the_agent_may_not_speak(desk, silence):
    id = await asked(desk)
    before = await desk.stored()
    await change_conversation(desk, **silence)

    with pytest.raises(Conflict):
        await desk.run("answer_approval", id=id, approved=True)
    assert (await state_of(desk, id), desk.sent) == (("pending", ""), [])

    await change_conversation(desk, blocked=before.blocked, status=before.status)
    await desk.run("answer_approval", id=id, approved=True)
    assert (await state_of(desk, id), len(desk.sent)) == (("done", "sent"), 1)


async def test_a_call_is_not_used_up_when_the_budget_is_spent(desk):
    id = await asked(desk)
    await desk.run("update_agent", id=desk.agent, monthlyBudget=0)

    with pytest.raises(Conflict, match="budget"):
        await desk.run("answer_approval", id=id, approved=True)

    assert (await state_of(desk, id), desk.sent) == (("pending", ""), [])


async def test_a_call_waits_again_when_its_turn_ends_before_it_is_made(desk, monkeypatch):
    id = await asked(desk)
    (before,) = await desk.turns()
    named = desk.engine.ports.models.named

    def failing(*_):
        raise UpstreamFailed("The provider is down.")

    monkeypatch.setattr(desk.engine.ports.models, "named", failing)
    with pytest.raises(UpstreamFailed):
        await desk.run("answer_approval", id=id, approved=True, note="Be quick.")
    (turn,) = await desk.turns()
    (waiting,) = await desk.pending()
    assert (turn.state, turn.trace, turn.lease_until) == ("asking", before.trace, None)
    assert (waiting["note"], waiting["decidedBy"], desk.sent) == ("", None, [])

    monkeypatch.setattr(desk.engine.ports.models, "named", named)
    await desk.run("answer_approval", id=id, approved=True)
    assert (await state_of(desk, id), len(desk.sent)) == (("done", "sent"), 1)


async def test_a_turn_does_not_go_on_beside_another_of_its_conversation(desk):
    id = await asked(desk)
    refused = []

    async def approve() -> None:
        desk.outside.before = None
        with pytest.raises(Conflict) as raised:
            await desk.run("answer_approval", id=id, approved=True)
        refused.append(raised.value.message)

    await desk.http("Look up", "https://look.example/")
    desk.outside.before = approve
    desk.model.rounds[1:] = [Called("2", "Look_up", "{}"), "Here.", "Your ticket is 77."]
    await desk.again("And another thing?")

    assert refused == ["Another message of the conversation is being answered."]
    await desk.run("answer_approval", id=id, approved=True)
    assert desk.sent == ["GET https://look.example/", f"POST {TICKETS}"]


async def test_a_turn_whose_lease_is_over_is_refused_once_an_approved_one_goes_on(desk, clock):
    id = await asked(desk)
    gone_on = []

    async def approve() -> None:
        desk.outside.before = None
        clock.advance(seconds=60)  # the process that looks something up shows no sign of life
        gone_on.append((await desk.run("answer_approval", id=id, approved=True))["answer"]["answer"])

    await desk.http("Look up", "https://look.example/")
    desk.outside.before = approve
    desk.model.rounds[1:] = [Called("2", "Look_up", "{}"), "Your ticket is 77.", "Here."]
    late = await desk.again("And another thing?")

    assert (gone_on, late["answer"]) == (["Your ticket is 77."], None)
    assert await desk.said() == ["Your ticket is 77."]
    assert [turn.state for turn in await desk.turns()] == ["answered", "interrupted"]


async def test_a_person_whom_a_passed_over_call_would_have_brought_is_not_called(desk):
    await desk.run("addRequestHumanTool", agentId=desk.agent)
    desk.model.rounds[:] = [[OPEN, Called("2", "request_human", "{}")], OPEN, "Both are open."]
    await desk.run("answer_approval", id=await asked(desk), approved=True)

    (second,) = await desk.pending()
    await desk.run("answer_approval", id=second["id"], approved=True)

    assert ((await desk.stored()).status, len(desk.sent)) == ("UNRESOLVED", 2)


async def test_a_failure_after_a_decision_is_called_back_too(desk):
    desk.outside.replies["POST https://back.example/"] = Reply(200, {}, b"", False)
    desk.model.rounds[1] = InvalidInput("The model takes no such prompt.")
    await desk.ask("Please open a ticket.", callbackURL="https://back.example/")
    await desk.engine.close(at_once=False)
    (approval,) = await desk.pending()

    with pytest.raises(UpstreamFailed, match="no such prompt"):
        await desk.run("answer_approval", id=approval["id"], approved=True)
    await desk.engine.worker.finish_due()

    asked, told = _called_back(desk)
    assert (asked["answer"], asked["approvals"][0]["id"]) == ("", approval["id"])
    assert (told["error"], told["message"]) == (InvalidInput.wire, "The model takes no such prompt.")


async def test_a_password_is_sent_and_not_shown_to_who_approves(desk):
    body = [{"key": "user", "isUserProvided": True}, {"key": "password", "isUserProvided": True}]
    await desk.http("Sign in", "https://in.example/", "POST", body=body, withApproval=True)
    desk.outside.answers["POST https://in.example/"] = (200, "Welcome.")
    desk.model.rounds[0] = Called("1", "Sign_in", '{"user": "ana", "password": "hunter-22"}')

    id = await asked(desk)
    (approval,) = await desk.pending()
    answered = await desk.run("answer_approval", id=id, approved=True)

    assert approval["payload"]["body"] == approval["arguments"] == {"user": "ana", "password": "********"}
    assert json.loads(desk.outside.sent[0][3]) == {"user": "ana", "password": "hunter-22"}
    assert "hunter" not in repr((approval, answered, await desk.calls()))


async def test_the_answer_of_a_turn_with_a_callback_is_called_back(desk):
    desk.outside.replies["POST https://back.example/"] = Reply(200, {}, b"", False)
    await desk.ask("Please open a ticket.", callbackURL="https://back.example/")
    await desk.engine.close(at_once=False)
    (approval,) = await desk.pending()

    answered = await desk.run("answer_approval", id=approval["id"], approved=True)
    await desk.engine.worker.finish_due()

    asked, told = _called_back(desk)
    assert asked["answer"] == ""
    assert answered["answer"]["answer"] == told["answer"] == "Your ticket is 77."
    (turn,) = await desk.turns()
    assert turn.trace["callback"] == {"tries": 1, "status": 200}


def _called_back(desk):
    """What the address of the callback was told."""
    return [json.loads(body) for _, url, _, body in desk.outside.sent if url == "https://back.example/"]
