"""How the engine carries out operations on the logs of CRM scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.crm import CrmLog
from vivavoce.errors import InvalidInput, NotFound
from vivavoce.operations.crm_logs import (
    CreateConversationLog,
    DeleteConversationLog,
    GetConversationLog,
    ListConversationLogs,
    LogDeleted,
    LogPage,
    LogShown,
    Pagination,
    StepPlace,
    UpdateConversationLog,
)
from vivavoce.operations.crm_results import ConversationNamed, ScenarioNamed

from .handlers import Work, handles
from .moving import leave, place
from .references import conversation_named, scenario_named, step_named
from .turns.lanes import LINE

_FILTERS = ("conversation_id", "scenario_id", "step_id", "status")


@handles(ListConversationLogs)
def list_conversation_logs(op: ListConversationLogs, work: Work) -> LogPage:
    equal = {name: value for name in _FILTERS if (value := getattr(op, name)) is not None}
    total = work.tables.crm_logs.count(**equal)
    start = (op.page - 1) * op.limit
    logs = work.tables.crm_logs.where(newest_first=True, limit=op.limit, offset=start, **equal)
    pages = -(-total // op.limit)
    pagination = Pagination(page=op.page, limit=op.limit, total=total, total_pages=pages)
    return LogPage(data=_shown(logs, work), pagination=pagination)


@handles(CreateConversationLog)
def create_conversation_log(op: CreateConversationLog, work: Work) -> LogShown:
    conversation = conversation_named(op.conversation_id, work)
    scenario = scenario_named(op.scenario_id, work)
    step = step_named(op.step_id, work)
    if step.scenario_id != scenario.id:
        raise InvalidInput(
            f"Step {step.id!r} is not one of scenario {scenario.id!r}.", hint="List them with list_crm_steps."
        )
    if op.status == "active":
        log = place(conversation, step, work)
        _stir(conversation, work)
    else:
        log = CrmLog(
            **work.identity(),
            conversation_id=conversation.id,
            scenario_id=scenario.id,
            step_id=step.id,
            status=op.status,
        )
        work.tables.crm_logs.add(log)
    return _shown([log], work)[0]


@handles(GetConversationLog)
def get_conversation_log(op: GetConversationLog, work: Work) -> LogShown:
    return _shown([_log_named(op.log_id, work)], work)[0]


@handles(UpdateConversationLog)
def update_conversation_log(op: UpdateConversationLog, work: Work) -> LogShown:
    log = _log_named(op.log_id, work)
    if log.status != op.status:
        conversation = conversation_named(log.conversation_id, work)
        if op.status == "active":
            log = place(conversation, step_named(log.step_id, work), work, log)
        else:
            if log.status == "active":
                leave(conversation, work)
            log = log.changed(work.now, status=op.status)
            work.tables.crm_logs.replace(log)
        _stir(conversation, work)
    return _shown([log], work)[0]


@handles(DeleteConversationLog)
def delete_conversation_log(op: DeleteConversationLog, work: Work) -> LogDeleted:
    log = _log_named(op.log_id, work)
    if log.status == "active":
        conversation = conversation_named(log.conversation_id, work)
        leave(conversation, work)
        _stir(conversation, work)
    work.tables.crm_logs.drop(log.id)
    return LogDeleted()


def _log_named(log_id: str, work: Work) -> CrmLog:
    log = work.tables.crm_logs.find(log_id)
    if log is None:
        raise NotFound(f"No log {log_id!r}.", hint="List them with list_conversation_logs.")
    return log


def _shown(logs: Sequence[CrmLog], work: Work) -> list[LogShown]:
    """Logs with what they are about. A log goes with its conversation, its scenario and its step."""
    tables = work.tables
    conversations = {
        each.id: each for each in tables.conversations.within("id", _ids(logs, "conversation_id"))
    }
    scenarios = {each.id: each for each in tables.scenarios.within("id", _ids(logs, "scenario_id"))}
    steps = {each.id: each for each in tables.steps.within("id", _ids(logs, "step_id"))}
    return [
        LogShown.of(
            log,
            conversation=ConversationNamed(
                id=log.conversation_id, title=conversations[log.conversation_id].title
            ),
            scenario=ScenarioNamed(id=log.scenario_id, name=scenarios[log.scenario_id].name),
            step=StepPlace(id=log.step_id, index=steps[log.step_id].index),
        )
        for log in logs
    ]


def _ids(logs: Sequence[CrmLog], name: str) -> list[str]:
    return sorted({getattr(log, name) for log in logs})


def _stir(conversation: Conversation, work: Work) -> None:
    work.afterwards.append(partial(LINE.moved, conversation.id))
