"""Which conversations an operation is about: the filters of the wire, which add up."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from vivavoce.domain.conversations import Channel
from vivavoce.domain.crm import ConversationStatus, Priority, Tag
from vivavoce.domain.values import Id, Line, unlisted

from .agents import AgentRef
from .base import Operation, R
from .cursors import a_place
from .moments import From, Until

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Grade = Annotated[int, Field(ge=0, le=10)]


class Filtered(Operation[R]):
    """An operation on the conversations that meet all of its filters."""

    agent_id: Annotated[
        AgentRef | None, Field(description="Of this agent: its id or @handle; the word null for none.")
    ] = None
    status: Annotated[ConversationStatus | None, Field(description="In this status.")] = None
    channel: Annotated[Channel | None, Field(description="On this channel.")] = None
    priority: Annotated[Priority | None, Field(description="Of this priority.")] = None
    assignee_id: Annotated[
        Annotated[Line, Field(max_length=320)] | None,
        Field(description="Assigned to this person, as assignees shows them; the word unassigned for none."),
    ] = None
    tag: Annotated[Tag | None, Field(description="With this tag.")] = None
    unread: Annotated[bool | None, Field(description="With or without unread messages.")] = None
    ai: Annotated[
        Literal["enabled", "disabled"] | None, Field(description="With the AI switched on or off.")
    ] = None
    created_at: Annotated[From | None, Field(description="Begun on this day or moment, or later.")] = None
    end_date: Annotated[Until | None, Field(description="Begun on this day or moment, or earlier.")] = None
    crm_scenario_id: Annotated[Id | None, unlisted("In this scenario.")] = None
    crm_step_id: Annotated[Id | None, unlisted("In this step of a scenario.")] = None
    frustration_min: Annotated[Share | None, unlisted("The person is at least so frustrated, 0 to 1.")] = None
    frustration_max: Annotated[Share | None, unlisted("And at most so much.")] = None
    nps_rating: Annotated[Grade | None, unlisted("Rated so by the person, 0 to 10.")] = None
    nps_rating_min: Annotated[Grade | None, unlisted("Rated at least so.")] = None
    nps_rating_max: Annotated[Grade | None, unlisted("Rated at most so.")] = None
    nps_completed: Annotated[bool | None, unlisted("Rated by the person, or not yet.")] = None
    nps_step: Annotated[
        Annotated[Line, Field(max_length=40)] | None,
        BeforeValidator(lambda given: str(given) if type(given) is int else given),
        unlisted("In this step of a survey. There are none here: it finds nothing."),
    ] = None
    ad_source_id: Annotated[
        Annotated[Line, Field(max_length=200)] | None,
        unlisted("Come through this ad: its sourceId, as ctwaAttributions shows it."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="How many.")] = 25
    cursor: Annotated[
        Annotated[str, Field(max_length=500), AfterValidator(a_place)] | None,
        Field(
            description='Where to go on, as JSON text: {"lastCreatedAt": createdAt of the last row, '
            '"lastId": its id}.'
        ),
    ] = None

    @property
    def finds_nothing(self) -> bool:
        """Whether it asks for what no conversation of the embedded engine has."""
        return self.nps_step is not None
