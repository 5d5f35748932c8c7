"""What is shown of where conversations stand in CRM scenarios."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field

from vivavoce.domain.crm import CrmLog, Scenario, Step
from vivavoce.domain.entities import Moment
from vivavoce.domain.values import Value, unlisted

from .base import Result, SchemaOf

_UNLESS_NONE = Field(exclude_if=lambda value: value is None)
"""The wire leaves it out where there is nothing to say."""


class PlacementChanged(Result):
    """Where a conversation stands now, and what became of the step's initial message."""

    success: bool = True
    message: str
    new_step_id: str
    message_sent: Annotated[bool | None, _UNLESS_NONE, Field(description="Whether it was said.")] = None
    message_error: Annotated[str | None, _UNLESS_NONE, Field(description="Why it was not said.")] = None
    sent_message_id: Annotated[str | None, _UNLESS_NONE] = None
    blocked_by24h_rule: Annotated[
        bool | None,
        _UNLESS_NONE,
        Field(alias="blockedBy24hRule", description="Whether the person's last message was too long ago."),
    ] = None


class PlacementCreated(PlacementChanged):
    """Where a conversation stands now in a scenario that it was added to."""

    send_message_error: Annotated[str | None, _UNLESS_NONE, unlisted("The same as messageError.")] = None
    initial_message: Annotated[str | None, _UNLESS_NONE] = None
    step_agent_id: Annotated[str | None, _UNLESS_NONE] = None
    zapi_agent_id: Annotated[str | None, _UNLESS_NONE, unlisted("Who would send the Z-API notice.")] = None
    zapi_phone_number: Annotated[str | None, _UNLESS_NONE, unlisted("To whom it would go.")] = None
    zapi_message: Annotated[str | None, _UNLESS_NONE, unlisted("What it would say.")] = None


class PlacementRemoved(Result):
    """A conversation left a scenario."""

    message: str = "Conversation successfully removed from scenario"


class ConversationNamed(Value):
    """A conversation on the board."""

    id: str
    title: str | None = None


class ScenarioNamed(Value):
    """The scenario of a placement."""

    id: str
    name: str


class StepNamed(Value):
    """The step of a placement."""

    id: str
    index: int
    name: str


class Placement(Result):
    """Where a conversation stands, or stood, in a scenario."""

    id: str
    conversation_id: str
    scenario_id: str
    step_id: str
    available: Annotated[bool, Field(description="Whether it still stands there.")]
    moves_at: Annotated[Moment | None, Field(description="When it moves on by itself, if it does.")] = None
    processing_job: Annotated[bool, unlisted("Always false: a move is one step here.")] = False
    processing_job_expires_at: Annotated[Moment | None, unlisted("Always null.")] = None
    organization_id: Annotated[str, unlisted("The workspace.")]
    created_at: Moment
    updated_at: Moment
    conversation: ConversationNamed
    scenario: ScenarioNamed
    step: StepNamed

    @classmethod
    def showing(
        cls, log: CrmLog, title: str | None, scenario: Scenario, step: Step, moves_at: Any = None
    ) -> Self:
        """What is shown of a stay in a step."""
        return cls(
            id=log.id,
            conversation_id=log.conversation_id,
            scenario_id=log.scenario_id,
            step_id=log.step_id,
            available=log.status == "active",
            moves_at=moves_at,
            organization_id=log.organization_id,
            created_at=log.created_at,
            updated_at=log.updated_at,
            conversation=ConversationNamed(id=log.conversation_id, title=title),
            scenario=ScenarioNamed(id=scenario.id, name=scenario.name),
            step=StepNamed(id=step.id, index=step.index, name=step.name),
        )


class PlacementPage(Result):
    """Conversations in a scenario, or how many there are: in one step, or in each."""

    placements: list[Placement] | None = None
    count: Annotated[int | None, Field(description="How many are in the step that was asked for.")] = None
    counts: Annotated[dict[str, int] | None, Field(description="How many are in each step, by its id.")] = (
        None
    )

    def wire(self) -> Any:
        """The bare list; or the count in an object, or the counts by step."""
        if self.counts is not None:
            return self.counts
        if self.count is not None:
            return {"count": self.count}
        return [each.wire() for each in self.placements or ()]

    @classmethod
    def wire_schema(cls, named: SchemaOf) -> dict[str, Any]:
        """One of the three."""
        number = {"type": "integer"}
        return {
            "anyOf": [
                {"type": "array", "items": named(Placement)},
                {"type": "object", "properties": {"count": number}, "required": ["count"]},
                {"type": "object", "additionalProperties": number},
            ]
        }


class AgentPlacement(Result):
    """Where the new conversations of an agent begin; null where they enter no scenario."""

    agent_id: str
    scenario_id: str | None
    step_id: Annotated[str | None, Field(description="null for the first step of the scenario.")]
