"""Operations on where conversations stand in CRM scenarios: add, move, remove, list; and where they begin."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from vivavoce.domain.values import Id
from vivavoce.errors import InvalidInput

from .agents import AgentRef
from .base import Effect, Operation
from .conversations import ConversationId
from .crm import ScenarioId, StepId
from .crm_results import AgentPlacement, PlacementChanged, PlacementCreated, PlacementPage, PlacementRemoved

StepIndex = Annotated[int, Field(ge=0, le=10_000)]
_FROM = {"fromStepId": "expectedStepId"}
ExpectedStep = Annotated[
    Id | None, Field(description="Refuse with a conflict unless the conversation is in this step now.")
]
Force = Annotated[bool, Field(description="Pass over required steps that it has not been in.")]


class AddConversationToScenario(
    Operation[PlacementCreated],
    effect=Effect.SEND,
    toolset="crm",
    route="POST /crm/step/conversation",
    offer="extra",
    rest_names=_FROM,
):
    """Add a conversation to a CRM scenario: it enters a step, and the step's initial message is said.

    Name the step, or the scenario alone for its first step. The conversation leaves any other scenario.
    With expectedStepId, only if it is still in that step of the other one. Refused where it is in this
    scenario already: use move_conversation.
    """

    conversation_id: ConversationId
    step_id: Annotated[StepId | None, Field(description="The step to enter, as list_crm_steps shows it.")] = (
        None
    )
    scenario_id: Annotated[
        ScenarioId | None, Field(description="The scenario, where stepId is not given.")
    ] = None
    step_index: Annotated[
        StepIndex | None, Field(description="The place of the step in the scenario, 0 for the first.")
    ] = None
    expected_step_id: ExpectedStep = None
    force: Force = False

    @model_validator(mode="after")
    def _names_a_step(self) -> Self:
        if self.step_id is None and self.scenario_id is None:
            raise InvalidInput(
                "Neither stepId nor scenarioId is given.",
                hint="Name a step, or a scenario whose first step is meant.",
                details={"stepId": "is required without scenarioId"},
            )
        return self


class MoveConversation(
    Operation[PlacementChanged],
    effect=Effect.SEND,
    toolset="crm",
    route="POST /crm/step/move",
    offer="extra",
    rest_names=_FROM,
):
    """Move a conversation to another step of its CRM scenario.

    The step's status, priority, tags, assignee and AI control are applied; its initial message is said only
    with shouldSendInitialMessage. Nothing happens where it is in that step already.
    """

    conversation_id: ConversationId
    dest_step_id: Annotated[
        StepId | None, Field(description="The step to move to, as list_crm_steps shows it.")
    ] = None
    scenario_id: Annotated[
        ScenarioId | None, Field(description="Its scenario; needed with destStepIndex.")
    ] = None
    dest_step_index: Annotated[
        StepIndex | None, Field(description="The place of the step in the scenario, where no id is given.")
    ] = None
    should_send_initial_message: Annotated[
        bool, Field(description="Whether to say the step's initial message.")
    ] = False
    expected_step_id: ExpectedStep = None
    force: Force = False

    @model_validator(mode="after")
    def _names_a_step(self) -> Self:
        if self.dest_step_id is None and (self.scenario_id is None or self.dest_step_index is None):
            raise InvalidInput(
                "Neither destStepId nor scenarioId with destStepIndex is given.",
                hint="Name the step to move to, as list_crm_steps shows it.",
                details={"destStepId": "is required without scenarioId and destStepIndex"},
            )
        return self


class RemoveConversationFromScenario(
    Operation[PlacementRemoved],
    effect=Effect.DELETE,
    toolset="crm",
    route="DELETE /crm/scenario/{scenarioId}/conversation",
    arguments="query",
    offer="extra",
    rest_names=_FROM,
    takes_along="its timed move",
):
    """Take a conversation off the board of a CRM scenario. The conversation and its logs stay."""

    scenario_id: ScenarioId
    conversation_id: ConversationId
    expected_step_id: ExpectedStep = None


class ListScenarioConversations(
    Operation[PlacementPage],
    effect=Effect.READ,
    toolset="crm",
    route="GET /crm/scenario/{scenarioId}/conversation",
    offer="extra",
):
    """List the conversations in a CRM scenario, with the step that each is in; or count them by step."""

    scenario_id: ScenarioId
    step_id: Annotated[StepId | None, Field(description="Only those in this step.")] = None
    page: Annotated[int, Field(ge=0, le=1_000_000, description="Which page, from 0.")] = 0
    limit: Annotated[int, Field(ge=1, le=500, description="How many on a page.")] = 100
    is_count: Annotated[
        bool, Field(description="Count them: in the step, or in each step where none is named.")
    ] = False
    show_inactive_conversations: Annotated[
        bool, Field(description="Also those that were in the scenario and left it.")
    ] = False


class GetCrmConfig(
    Operation[AgentPlacement],
    effect=Effect.READ,
    toolset="crm",
    route="GET /agents/{id}/crm-config",
    offer="extra",
):
    """Show which CRM scenario and step the new conversations of an agent enter."""

    id: AgentRef


class SetCrmConfig(
    Operation[AgentPlacement],
    effect=Effect.CHANGE,
    toolset="crm",
    route="PUT /agents/{id}/crm-config",
    offer="extra",
    echoes="agentId",
):
    """Let the new conversations of an agent enter a CRM scenario when they are opened.

    Conversations that there are already stay where they are.
    """

    id: AgentRef
    scenario_id: Annotated[
        Id | None, Field(description="The scenario, as list_crm_scenarios shows it; null for none.")
    ]
    step_id: Annotated[
        Id | None, Field(description="The step in which they begin; the first one where none is named.")
    ] = None
