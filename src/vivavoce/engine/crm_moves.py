"""How the engine carries out operations on where conversations stand in CRM scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.domain.moving import skipped
from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.operations.crm_moves import (
    AddConversationToScenario,
    GetCrmConfig,
    ListScenarioConversations,
    MoveConversation,
    RemoveConversationFromScenario,
    SetCrmConfig,
)
from vivavoce.operations.crm_results import (
    AgentPlacement,
    Placement,
    PlacementChanged,
    PlacementCreated,
    PlacementPage,
    PlacementRemoved,
)

from .handlers import Work, handles
from .moving import Entered, enter, leave, timer_of
from .references import agent_named, conversation_named, scenario_named, step_named
from .turns.lanes import LINE

_NOTICES = {"zapi": "Z-API notice", "whatsapp": "WhatsApp template"}


@handles(AddConversationToScenario)
def add_conversation_to_scenario(op: AddConversationToScenario, work: Work) -> PlacementCreated:
    conversation = conversation_named(op.conversation_id, work)
    step = _step_meant(op.step_id, op.scenario_id, op.step_index, work)
    if conversation.scenario_id == step.scenario_id:
        raise Conflict(
            f"Conversation {conversation.id!r} is in scenario {step.scenario_id!r} already.",
            hint="Move it within the scenario with move_conversation.",
        )
    _check_expected(op.expected_step_id, conversation)
    if not op.force:
        _check_way(conversation, None, step, work)
    came = enter(conversation, step, work, cause="call", may_say=_is_not_blocked)
    _stir(conversation, work)
    zapi = step.zapi
    return PlacementCreated(
        message=_told("Conversation added to the scenario.", step),
        **_said(came),
        send_message_error=came.why_not or None,
        initial_message=step.initial_message,
        step_agent_id=step.agent_id,
        zapi_agent_id=None if zapi is None else zapi.agent_id,
        zapi_phone_number=None if zapi is None else zapi.phone_number,
        zapi_message=None if zapi is None else zapi.message,
    )


@handles(MoveConversation)
def move_conversation(op: MoveConversation, work: Work) -> PlacementChanged:
    conversation = conversation_named(op.conversation_id, work)
    step = _step_meant(op.dest_step_id, op.scenario_id, op.dest_step_index, work)
    now = _step_now(conversation, step, work)
    _check_expected(op.expected_step_id, conversation)
    if step.id == now.id:
        return PlacementChanged(message="The conversation is in this step already.", new_step_id=step.id)
    if not op.force:
        _check_way(conversation, now, step, work)
    may_say = _is_not_blocked if op.should_send_initial_message else _never
    came = enter(conversation, step, work, cause="call", may_say=may_say)
    _stir(conversation, work)
    said = _said(came) if op.should_send_initial_message else {"new_step_id": step.id}
    return PlacementChanged(message=_told("Conversation moved.", step), **said)


@handles(RemoveConversationFromScenario)
def remove_conversation_from_scenario(op: RemoveConversationFromScenario, work: Work) -> PlacementRemoved:
    scenario = scenario_named(op.scenario_id, work)
    conversation = conversation_named(op.conversation_id, work)
    if conversation.scenario_id != scenario.id:
        raise _not_in(conversation, scenario.id)
    _check_expected(op.expected_step_id, conversation)
    leave(conversation, work)
    _stir(conversation, work)
    return PlacementRemoved()


@handles(ListScenarioConversations)
def list_scenario_conversations(op: ListScenarioConversations, work: Work) -> PlacementPage:
    scenario = scenario_named(op.scenario_id, work)
    steps = {step.id: step for step in work.tables.steps.where(scenario_id=scenario.id)}
    if op.step_id is not None and op.step_id not in steps:
        raise _strange_step(op.step_id, scenario.id)
    stays = _left_and_present(op, work) if op.show_inactive_conversations else None
    if op.is_count:
        asked = list(steps) if op.step_id is None else [op.step_id]
        counts = {id: _number(id, stays, work) for id in asked}
        return PlacementPage(counts=counts) if op.step_id is None else PlacementPage(count=counts[op.step_id])
    if stays is None:
        equal = {"scenario_id": scenario.id, "status": "active", **_of_step(op)}
        shown = work.tables.crm_logs.where(
            newest_first=True, limit=op.limit, offset=op.page * op.limit, **equal
        )
    else:
        shown = stays[op.page * op.limit :][: op.limit]
    return PlacementPage(placements=_placements(shown, scenario, steps, work))


@handles(GetCrmConfig)
def get_crm_config(op: GetCrmConfig, work: Work) -> AgentPlacement:
    agent = agent_named(op.id, work)
    return AgentPlacement(agent_id=agent.id, scenario_id=agent.crm_scenario_id, step_id=agent.crm_step_id)


@handles(SetCrmConfig)
def set_crm_config(op: SetCrmConfig, work: Work) -> AgentPlacement:
    agent = agent_named(op.id, work)
    if op.scenario_id is None and op.step_id is not None:
        raise InvalidInput("stepId needs scenarioId.", hint="Name the scenario of the step, too.")
    if op.scenario_id is not None:
        scenario = scenario_named(op.scenario_id, work)
        if op.step_id is not None and step_named(op.step_id, work).scenario_id != scenario.id:
            raise _strange_step(op.step_id, scenario.id)
    changed = agent.changed(work.now, crm_scenario_id=op.scenario_id, crm_step_id=op.step_id)
    work.tables.agents.replace(changed)
    return AgentPlacement(agent_id=agent.id, scenario_id=op.scenario_id, step_id=op.step_id)


def links_of(conversations: Sequence[Conversation], work: Work) -> dict[str, list[dict[str, Any]]]:
    """Where conversations stand, by their ids, as the wire shows it with each."""
    placed = {each.id: each.title for each in conversations if each.step_id is not None}
    if not placed:
        return {}
    logs = [
        log for log in work.tables.crm_logs.within("conversation_id", list(placed)) if log.status == "active"
    ]
    scenarios = work.tables.scenarios.within("id", sorted({log.scenario_id for log in logs}))
    steps = work.tables.steps.within("id", sorted({log.step_id for log in logs}))
    known, there = {each.id: each for each in scenarios}, {each.id: each for each in steps}
    return {
        log.conversation_id: [
            Placement.showing(
                log, placed[log.conversation_id], known[log.scenario_id], there[log.step_id]
            ).wire()
        ]
        for log in logs
    }


def _step_meant(step_id: str | None, scenario_id: str | None, index: int | None, work: Work) -> Step:
    """The step that is named by its id, or by its scenario and its place there; the first where none is."""
    if step_id is not None:
        step = step_named(step_id, work)
        if scenario_id is not None and step.scenario_id != scenario_id:
            raise _strange_step(step_id, scenario_id)
        return step
    scenario = scenario_named(scenario_id or "", work)
    steps = work.tables.steps.where(scenario_id=scenario.id)
    if (index or 0) >= len(steps):
        raise NotFound(
            f"Scenario {scenario.id!r} has no step {index or 0}: it has {len(steps)}.",
            hint="List them with list_crm_steps.",
        )
    return steps[index or 0]


def _step_now(conversation: Conversation, to: Step, work: Work) -> Step:
    """The step that a conversation is in; NotFound where it is not in the scenario of the other one."""
    if conversation.step_id is None or conversation.scenario_id != to.scenario_id:
        raise _not_in(conversation, to.scenario_id)
    return step_named(conversation.step_id, work)


def _check_expected(step_id: str | None, conversation: Conversation) -> None:
    """Refuse where someone moved the conversation out of the step it was seen in; None checks nothing."""
    if step_id is not None and step_id != conversation.step_id:
        is_in = "no step" if conversation.step_id is None else f"step {conversation.step_id!r}"
        raise Conflict(
            f"Conversation {conversation.id!r} is in {is_in}, not in {step_id!r}.",
            hint="Someone moved it meanwhile. Look where it is with list_scenario_conversations.",
        )


def _check_way(conversation: Conversation, now: Step | None, to: Step, work: Work) -> None:
    """Refuse to pass over a required step; `now` is where it comes from, if it is in the scenario."""
    steps = work.tables.steps.where(scenario_id=to.scenario_id)
    visited = {log.step_id for log in work.tables.crm_logs.where(conversation_id=conversation.id)}
    required = skipped(steps, now, to, visited)
    if required is not None:
        raise Conflict(
            f"Step {required.name!r} is required, and conversation {conversation.id!r} has not been there.",
            hint=f"Let it enter step {required.id!r} first, or pass over it with force true.",
        )


def _said(came: Entered) -> dict[str, Any]:
    """What became of the initial message, where the step has one."""
    if not came.step.initial_message:
        return {"new_step_id": came.step.id}
    return {
        "new_step_id": came.step.id,
        "message_sent": came.message is not None,
        "message_error": came.why_not or None,
        "sent_message_id": None if came.message is None else came.message.id,
        "blocked_by24h_rule": came.is_blocked,
    }


def _told(what: str, step: Step) -> str:
    """What happened, and which notices of the step were not sent, since nothing here can send them."""
    missing = [name for field, name in _NOTICES.items() if getattr(step, field) is not None]
    return " ".join([what, *(f"Its {name} was not sent: no such channel is connected." for name in missing)])


def _left_and_present(op: ListScenarioConversations, work: Work) -> list[CrmLog]:
    """The last stay of every conversation that is or was in the scenario, newest first."""
    last: dict[str, CrmLog] = {}
    for log in work.tables.crm_logs.where(newest_first=True, scenario_id=op.scenario_id):
        known = last.setdefault(log.conversation_id, log)
        if known.status != "active" and log.status == "active":
            last[log.conversation_id] = log
    return [log for log in last.values() if op.step_id in (None, log.step_id)]


def _number(step_id: str, stays: list[CrmLog] | None, work: Work) -> int:
    if stays is None:
        return work.tables.crm_logs.count(step_id=step_id, status="active")
    return sum(log.step_id == step_id for log in stays)


def _of_step(op: ListScenarioConversations) -> dict[str, str]:
    return {} if op.step_id is None else {"step_id": op.step_id}


def _placements(
    logs: list[CrmLog], scenario: Scenario, steps: dict[str, Step], work: Work
) -> list[Placement]:
    named = work.tables.conversations.within("id", sorted({log.conversation_id for log in logs}))
    titles = {conversation.id: conversation.title for conversation in named}
    return [
        Placement.showing(
            log,
            titles.get(log.conversation_id),
            scenario,
            steps[log.step_id],
            work.tables.jobs.due(timer_of(log.conversation_id)) if log.status == "active" else None,
        )
        for log in logs
    ]


def _is_not_blocked(conversation: Conversation) -> bool:
    return not conversation.blocked


def _never(conversation: Conversation) -> bool:
    return False


def _not_in(conversation: Conversation, scenario_id: str) -> NotFound:
    return NotFound(
        f"Conversation {conversation.id!r} is not in scenario {scenario_id!r}.",
        hint="Add it with add_conversation_to_scenario.",
    )


def _strange_step(step_id: str, scenario_id: str) -> InvalidInput:
    return InvalidInput(
        f"Step {step_id!r} is not one of scenario {scenario_id!r}.", hint="List them with list_crm_steps."
    )


def _stir(conversation: Conversation, work: Work) -> None:
    work.afterwards.append(partial(LINE.moved, conversation.id))
