"""How the engine carries out exports: conversations with what was said in them, so much at once."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation
from vivavoce.operations.conversation_results import (
    ConversationExported,
    ConversationExportedList,
    MessageShown,
)
from vivavoce.operations.conversations import ExportConversation, ExportConversations

from .conversations import contacts_of, position_of
from .finding import listed_by
from .handlers import Work, handles
from .references import conversation_named

MOST = 5_000
"""Messages of an answer."""
_OF_EACH = 1_000
"""And of each of many conversations."""


@handles(ExportConversations, is_long=True)
def export_conversations(op: ExportConversations, work: Work) -> ConversationExportedList:
    found = listed_by(op, work)
    contacts = contacts_of(found, work)
    exported: list[ConversationExported] = []
    left = MOST
    for conversation in found:
        one = _exported(conversation, contacts, _OF_EACH, work)
        left -= len(one.messages)
        if left < 0:
            break
        exported.append(one)
    return ConversationExportedList.model_construct(conversations=exported)


@handles(ExportConversation, is_long=True)
def export_conversation(op: ExportConversation, work: Work) -> ConversationExported:
    conversation = conversation_named(op.conversation_id, work)
    contacts = contacts_of([conversation], work)
    return _exported(conversation, contacts, MOST, work, before=position_of(op, work))


def _exported(
    conversation: Conversation,
    contacts: Mapping[str, Contact],
    most: int,
    work: Work,
    *,
    before: int | None = None,
) -> ConversationExported:
    said = work.tables.messages.last(conversation.id, most, before=before)
    return ConversationExported.showing(
        conversation, contacts, messages=[MessageShown.of(each) for each in said]
    )
