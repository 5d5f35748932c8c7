"""How the engine carries out operations on ratings."""

from __future__ import annotations

from vivavoce.domain.conversations import Rating
from vivavoce.operations.ratings import RateConversation, RatingShown

from .conversations import check_visitor, store_conversation
from .handlers import Work, handles
from .references import conversation_named
from .time.announcing import announce


@handles(RateConversation)
def rate_conversation(op: RateConversation, work: Work) -> RatingShown:
    if work.caller.is_anonymous:
        check_visitor(op.conversation_id, op.visitor_id, work)
    conversation = conversation_named(op.conversation_id, work)
    rated = Rating(rating=op.rating, comment=op.comment or None, completed_at=work.now)
    conversation = conversation.changed(work.now, rating=rated)
    store_conversation(conversation, work)
    work.tell("CONVERSATION_RATED", conversation.id, rating=op.rating)
    told = rated.model_dump(by_alias=False)
    announce("NPS_INTERACTION", conversation, work, **told, completion_reason="answered")
    return RatingShown(conversation_id=conversation.id, **told)
