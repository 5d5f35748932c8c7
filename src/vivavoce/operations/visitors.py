"""Operations on visitors: what people say of themselves in a chat window."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from vivavoce.domain.values import Id, Line, unlisted

from .agents import AgentRef
from .answers import Given
from .base import Effect, Operation, Result


class VisitorShown(Result):
    """Where what a visitor said of themselves is kept."""

    conversation_id: str
    contact_id: str | None
    """The contact of the conversation; none where a stranger said it."""


class CaptureVisitor(
    Operation[VisitorShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /agents/{id}/capture",
    offer="extra",
    anonymous=True,
):
    """Keep the e-mail address or the phone number that a visitor leaves in a chat window.

    With a key, they are kept as the contact of the conversation. What a visitor says without one is kept
    with the conversation, as metadata.visitor, and never taken for true.
    """

    id: AgentRef
    visitor_email: Annotated[
        Given[Annotated[Line, Field(max_length=320)]], Field(description="Their e-mail address.")
    ] = None
    phone_number: Annotated[
        Given[Annotated[Line, Field(max_length=40)]], Field(description="Their phone number.")
    ] = None
    conversation_id: Annotated[
        Given[Id],
        Field(description="The conversation's id; else the newest one of the visitor with the agent."),
    ] = None
    visitor_id: Annotated[
        Given[Annotated[Line, Field(max_length=200)]],
        unlisted("The visitor: who asks, where no key is sent, by the visitorId that the first answer had."),
    ] = None
