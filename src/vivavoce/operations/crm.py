"""Operations on CRM scenarios and their steps."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from vivavoce.domain.crm import (
    Scenario,
    Step,
)
from vivavoce.domain.values import Id, Name, Text, Unlisted, Value, unlisted

from .agents import AgentRef
from .base import Effect, Listing, Operation, Result
from .crm_results import ScenarioNamed
from .step_arguments import FLAT, StepArguments

ScenarioId = Annotated[Id, Field(description="The scenario's id, as list_crm_scenarios shows it.")]
StepId = Annotated[Id, Field(description="The step's id, as list_crm_steps shows it.")]

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
    also_removed: Annotated[dict[str, int], Field(description="What went with it: how many steps, …")]


class AgentNamed(Value):
    """The agent of a step."""

    id: str
    name: str
    icon_url: str | None = None


def _with_flat_fields(schema: dict[str, Any]) -> None:
    """Describe what REST writes beside the groups; tools do not, so it is unlisted."""
    for flat, (group, key) in FLAT.items():
        schema["properties"][to_camel(flat)] = {
            "anyOf": [{"type": "string"}, {"type": "null"}],
            "description": f"The same as {group}.{to_camel(key)}.",
            "unlisted": True,
        }


class StepShown(Step, Result):
    """A step of a scenario."""

    model_config = ConfigDict(json_schema_extra=_with_flat_fields)

    agent: AgentNamed | None = None
    scenario: Annotated[ScenarioNamed | None, Unlisted] = None

    def wire(self) -> Any:
        """With the flat fields beside the nested ones."""
        shown = super().wire()
        for flat, (group, key) in FLAT.items():
            shown[to_camel(flat)] = (shown.get(group) or {}).get(to_camel(key))
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
    takes_along="all its steps and logs; conversations there leave it",
):
    """Delete a CRM scenario together with all its steps. Conversations leave it. This cannot be undone."""

    id: ScenarioId


class ListCrmScenarios(Operation[ScenarioList], effect=Effect.READ, route="GET /crm/scenario"):
    """List the CRM scenarios, newest first; with agentId, those in which that agent has a step."""

    agent_id: Annotated[AgentRef | None, Field(description="Only scenarios with a step of this agent.")] = (
        None
    )


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
    """Change a step of a CRM scenario. Fields not given stay, null clears one, an object is replaced."""

    id: StepId
    name: Annotated[Name, Field(description="Its name.")]


class DeleteCrmStep(
    Operation[StepDeleted],
    effect=Effect.DELETE,
    route="DELETE /crm/step",
    takes_along="its logs, and the timed moves of other steps that lead to it; conversations there leave it",
):
    """Delete a step of a CRM scenario.

    The steps after it move up; timed moves that lead to it are switched off. Conversations in it leave the
    scenario. This cannot be undone.
    """

    id: StepId


class ListCrmSteps(Operation[StepList], effect=Effect.READ, route="GET /crm/step"):
    """List the steps of a CRM scenario in order."""

    scenario_id: ScenarioId
    agent_id: Annotated[AgentRef | None, unlisted("Only steps of this agent.")] = None
