"""Operations on ratings: how likely a person is to recommend what they met."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from vivavoce.domain.entities import Moment
from vivavoce.domain.values import Text

from .base import Effect, Operation, Result
from .conversations import ConversationId, VisitorId


class RatingShown(Result):
    """How a person rates a conversation."""

    conversation_id: str
    rating: int
    comment: str | None
    completed_at: Moment


class RateConversation(
    Operation[RatingShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/nps",
    offer="extra",
    anonymous=True,
):
    """Store how likely a person is to recommend the service, as they say at the end of a conversation.

    A later rating replaces the earlier one. The webhook of the agent is told of each.
    """

    conversation_id: ConversationId
    rating: Annotated[int, Field(ge=0, le=10, description="0, not at all, to 10, certainly.")]
    comment: Annotated[
        Annotated[Text, Field(max_length=5_000)] | None, Field(description="What they say to it.")
    ] = None
    visitor_id: VisitorId = None
