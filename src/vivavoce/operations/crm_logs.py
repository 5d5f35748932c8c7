"""Operations on the logs of CRM scenarios: which steps conversations were in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from vivavoce.domain.crm import CrmLog, LogStatus
from vivavoce.domain.values import Id, Value

from .base import Effect, Operation, Result
from .conversations import ConversationId
from .crm import ScenarioId, StepId
from .crm_results import ConversationNamed, ScenarioNamed

LogId = Annotated[Id, Field(description="The log's id, as list_conversation_logs shows it.")]
Status = Annotated[
    LogStatus, Field(description="active while the conversation is in the step, else inactive or error.")
]


class StepPlace(Value):
    """The step of a log."""

    id: str
    index: int


class LogShown(CrmLog, Result):
    """That a conversation is, or was, in a step."""

    conversation: ConversationNamed
    scenario: ScenarioNamed
    step: StepPlace


class Pagination(Value):
    """Which part of a list this is."""

    page: int
    limit: int
    total: int
    total_pages: int


class LogPage(Result):
    """Logs, newest first."""

    data: list[LogShown]
    pagination: Pagination


class LogDeleted(Result):
    """A log is gone."""

    message: str = "Log deleted successfully"


class ListConversationLogs(
    Operation[LogPage],
    effect=Effect.READ,
    toolset="crm",
    route="GET /crm/conversationLog",
    offer="extra",
):
    """List which CRM steps conversations are in, and which they were in, newest first."""

    conversation_id: Annotated[ConversationId | None, Field(description="Only of this conversation.")] = None
    scenario_id: Annotated[ScenarioId | None, Field(description="Only in this scenario.")] = None
    step_id: Annotated[StepId | None, Field(description="Only in this step.")] = None
    status: Annotated[LogStatus | None, Field(description="Only in this status.")] = None
    page: Annotated[int, Field(ge=1, le=1_000_000, description="Which page, from 1.")] = 1
    limit: Annotated[int, Field(ge=1, le=100, description="How many on a page.")] = 10


class CreateConversationLog(
    Operation[LogShown],
    effect=Effect.CREATE,
    toolset="crm",
    route="POST /crm/conversationLog 201",
    offer="extra",
):
    """Write by hand that a conversation is, or was, in a CRM step.

    With status active the conversation is in that step from now on, but nothing is said and nothing set, as
    move_conversation does.
    """

    conversation_id: ConversationId
    scenario_id: ScenarioId
    step_id: StepId
    status: Status


class GetConversationLog(
    Operation[LogShown],
    effect=Effect.READ,
    toolset="crm",
    route="GET /crm/conversationLog/{logId}",
    offer="extra",
):
    """Show one log of a CRM scenario."""

    log_id: LogId


class UpdateConversationLog(
    Operation[LogShown],
    effect=Effect.CHANGE,
    toolset="crm",
    route="PUT /crm/conversationLog/{logId}",
    also=("PATCH /crm/conversationLog/{logId}",),
    offer="extra",
    echoes="id conversationId scenarioId stepId organizationId createdAt updatedAt conversation scenario"
    " step cause turnId",
):
    """Change the status of a log: active puts the conversation back into its step, others take it off."""

    log_id: LogId
    status: Status


class DeleteConversationLog(
    Operation[LogDeleted],
    effect=Effect.DELETE,
    toolset="crm",
    route="DELETE /crm/conversationLog/{logId}",
    offer="extra",
    takes_along="the conversation's place on the board, where the log is active",
):
    """Delete a log of a CRM scenario. The conversation leaves the step where the log is the active one."""

    log_id: LogId
