"""Operations on CRM scenarios and their steps."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from vivavoce.domain.crm import (
    LONGEST_WAIT,
    AssigneeLogic,
    ConversationStatus,
    MembershipIds,
    Priority,
    RequestContact,
    Scenario,
    Step,
    StepFields,
    Tags,
    TimeUnit,
    WhatsappTemplate,
    ZapiNotice,
)
from vivavoce.domain.values import Id, JsonObject, Line, Name, Text, Value, unlisted

from .agents import AgentRef
from .base import Effect, Listing, Operation, R, Result

ScenarioId = Annotated[Id, Field(description="The scenario's id, as list_crm_scenarios shows it.")]
StepId = Annotated[Id, Field(description="The step's id, as list_crm_steps shows it.")]

_FLAT = {
    "zapiAgentId": ("zapi", "agentId"),
    "zapiPhoneNumber": ("zapi", "phoneNumber"),
    "zapiMessage": ("zapi", "message"),
    "whatsappTemplateAgentId": ("whatsapp", "templateAgentId"),
    "whatsappTemplateName": ("whatsapp", "templateName"),
    "whatsappTemplateLanguageCode": ("whatsapp", "templateLanguageCode"),
    "whatsappTemplateText": ("whatsapp", "templateText"),
}
"""The wire has these both flat and nested: both are read, both are written."""

_STEP_READ_BACK = "description organizationId createdAt updatedAt agent scenario index alsoRemoved"


class ScenarioShown(Scenario, Result):
    """A scenario."""


class ScenarioList(Listing):
    """Scenarios, newest first."""

    scenarios: list[ScenarioShown]


class ScenarioUpdated(Result):
    """A scenario after a change."""

    message: str = "Scenario updated"
    scenario: ScenarioShown


class ScenarioDeleted(Result):
    """The scenario that was deleted, and how much went with it."""

    message: str = "Scenario deleted"
    scenario: ScenarioShown
    user: dict[str, Any] | None = None
    also_removed: Annotated[dict[str, int], Field(description="What went with it: how many steps.")]


class AgentNamed(Value):
    """The agent of a step."""

    id: str
    name: str
    icon_url: str | None = None


class StepShown(Step, Result):
    """A step of a scenario."""

    agent: AgentNamed | None = None

    def wire(self) -> Any:
        """With the flat fields beside the nested ones."""
        shown = super().wire()
        for flat, (group, key) in _FLAT.items():
            shown[flat] = (shown.get(group) or {}).get(key)
        return shown


class StepList(Listing):
    """The steps of a scenario, in order."""

    steps: list[StepShown]


class StepDeleted(StepShown):
    """The step that was deleted, and what changed with it."""

    also_removed: Annotated[dict[str, int], Field(description="What changed with it.")]


class CreateCrmScenario(Operation[ScenarioShown], effect=Effect.CREATE, route="POST /crm/scenario 201"):
    """Create a CRM scenario: a process whose steps a conversation moves through.

    Add its steps with create_crm_step.
    """

    name: Annotated[Name, Field(description="What the scenario is called.")]
    description: Annotated[Text | None, Field(description="What it is for.")] = None


class UpdateCrmScenario(
    Operation[ScenarioUpdated],
    effect=Effect.CHANGE,
    route="PUT /crm/scenario",
    echoes="organizationId createdAt updatedAt index",
):
    """Rename a CRM scenario or change its description."""

    id: ScenarioId
    name: Annotated[Name, Field(description="The new name.")]
    description: Annotated[
        Text | None, Field(description="The new description; null clears, left out it stays.")
    ] = None


class DeleteCrmScenario(
    Operation[ScenarioDeleted],
    effect=Effect.DELETE,
    route="DELETE /crm/scenario",
    takes_along="all its steps",
):
    """Delete a CRM scenario together with all its steps. This cannot be undone."""

    id: ScenarioId


class ListCrmScenarios(Operation[ScenarioList], effect=Effect.READ, route="GET /crm/scenario"):
    """List the CRM scenarios, newest first; with agentId, those in which that agent has a step."""

    agent_id: Annotated[AgentRef | None, Field(description="Only scenarios with a step of this agent.")] = (
        None
    )


class StepArguments(Operation[R]):
    """What a step can be told to do; the same when it is created and when it is changed."""

    agent_id: Annotated[
        AgentRef | None, Field(description="The agent that answers in this step, by id or @handle.")
    ] = None
    trigger: Annotated[Text | None, Field(description="In plain words, when a conversation enters it.")] = (
        None
    )
    prompt: Annotated[Text | None, Field(description="Added to the agent's instructions here.")] = None
    initial_message: Annotated[Text | None, Field(description="Said on entry.")] = None
    auto_next_step_id: Annotated[Id | None, Field(description="The step of the timed move.")] = None
    auto_next_time: Annotated[
        Annotated[int, Field(ge=0, le=LONGEST_WAIT)] | None,
        Field(description="How long until it moves on by itself."),
    ] = None
    auto_next_time_unit: Annotated[
        TimeUnit | None, Field(description="m, h or d; seconds when left out.")
    ] = None
    default_status: Annotated[ConversationStatus | None, Field(description="Set on entry.")] = None
    default_priority: Annotated[Priority | None, Field(description="Set on entry.")] = None
    default_ai_control: Annotated[bool | None, Field(description="Switch the AI on or off on entry.")] = None
    default_tags: Annotated[Tags | None, Field(description="Added on entry.")] = None
    default_tags_to_remove: Annotated[Tags | None, Field(description="Taken off on entry.")] = None
    assignee_logic_type: Annotated[AssigneeLogic | None, Field(description="Who is assigned.")] = None
    selected_membership_ids_for_assignee: Annotated[
        MembershipIds | None, Field(description="The members to choose from.")
    ] = None
    is_required: Annotated[bool | None, Field(description="It cannot be skipped.")] = None
    is_conversation_removal_step: Annotated[
        bool | None, Field(description="Entering it ends the scenario.")
    ] = None
    request_contact: Annotated[RequestContact | None, Field(description="What to ask the contact for.")] = (
        None
    )
    zapi: Annotated[ZapiNotice | None, Field(description="A Z-API message to a fixed number.")] = None
    whatsapp: Annotated[WhatsappTemplate | None, Field(description="A WhatsApp template to send.")] = None
    webhook_url: Annotated[Line | None, Field(description="Called on entry.")] = None
    webhook_header: Annotated[JsonObject | Line | None, Field(description="Kept secret.")] = None
    default_assignee_id: Annotated[Id | None, unlisted("An older way to name who is assigned.")] = None
    fallback_membership_ids: Annotated[
        MembershipIds | None, unlisted("Who is assigned when nobody of the selected can be.")
    ] = None
    inactivity_condition_type: Annotated[Line | None, unlisted("Kept as it is.")] = None

    @model_validator(mode="before")
    @classmethod
    def _nest(cls, given: Any) -> Any:
        """Gather the flat fields of the wire into the groups they belong to."""
        if not isinstance(given, dict) or not any(flat in given for flat in _FLAT):
            return given
        nested = {key: value for key, value in given.items() if key not in _FLAT}
        for flat, (group, key) in _FLAT.items():
            if given.get(flat) is not None and isinstance(nested.get(group) or {}, dict):
                nested[group] = {key: given[flat], **(nested.get(group) or {})}
        return nested

    def step_fields(self) -> dict[str, Any]:
        """The given fields of a step; null brings back the default."""
        known = StepFields.model_fields
        return {
            name: known[name].get_default(call_default_factory=True) if value is None else value
            for name, value in self.given().items()
            if name in known
        }


class CreateCrmStep(
    StepArguments[StepShown],
    effect=Effect.CREATE,
    route="POST /crm/step 201",
    echoes=f"id {_STEP_READ_BACK}",
):
    """Add a step to a CRM scenario, after the steps it has."""

    scenario_id: ScenarioId
    name: Annotated[Name, Field(description="What the step is called on the board.")]


class UpdateCrmStep(
    StepArguments[StepShown],
    effect=Effect.CHANGE,
    route="PUT /crm/step",
    echoes=f"scenarioId {_STEP_READ_BACK}",
):
    """Change a step of a CRM scenario. Fields that are not given stay; null clears a field."""

    id: StepId
    name: Annotated[Name, Field(description="Its name.")]


class DeleteCrmStep(
    Operation[StepDeleted],
    effect=Effect.DELETE,
    route="DELETE /crm/step",
    takes_along="the timed moves of other steps that lead to it",
):
    """Delete a step of a CRM scenario.

    The steps after it move up; timed moves that lead to it are switched off. This cannot be undone.
    """

    id: StepId


class ListCrmSteps(Operation[StepList], effect=Effect.READ, route="GET /crm/step"):
    """List the steps of a CRM scenario in order."""

    scenario_id: ScenarioId
    agent_id: Annotated[AgentRef | None, unlisted("Only steps of this agent.")] = None
