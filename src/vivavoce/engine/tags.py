"""How the engine carries out operations on tags."""

from __future__ import annotations

from vivavoce.domain.conversations import Conversation, TagKind
from vivavoce.errors import NotFound
from vivavoce.operations.tags import (
    ConversationTags,
    CreateTag,
    DeleteTag,
    ListConversationTags,
    ListTags,
    TagConversation,
    TagDeleted,
    TagList,
    TagShown,
    UntagConversation,
)
from vivavoce.ports import ConversationFilter

from .handlers import Work, handles
from .references import conversation_named

_AT_ONCE = 500


@handles(ListTags)
def list_tags(op: ListTags, work: Work) -> TagList:
    return TagList(tags=[TagShown.of(kind) for kind in work.tables.tags.where()])


@handles(CreateTag)
def create_tag(op: CreateTag, work: Work) -> TagShown:
    known = _kind(op.name, work)
    if known is None:
        return TagShown.of(_made(op.name, op.color, work))
    if "color" in op.given():
        known = known.changed(work.now, color=op.color)
        work.tables.tags.replace(known)
    return TagShown.of(known)


@handles(DeleteTag)
def delete_tag(op: DeleteTag, work: Work) -> TagDeleted:
    kind = _kind(op.name, work)
    if kind is None:
        raise NotFound(f"No tag {op.name!r}.", hint="List them with list_tags.")
    work.tables.tags.drop(kind.id)
    wanted, taken_off = ConversationFilter(equal={}, tag=op.name), 0
    while some := work.tables.conversations.listed(wanted, _AT_ONCE):
        for conversation in some:
            work.tables.conversations.replace(conversation.untagged(op.name, work.now))
        taken_off += len(some)
    return TagDeleted(name=op.name, also_removed={"conversations": taken_off})


@handles(ListConversationTags)
def list_conversation_tags(op: ListConversationTags, work: Work) -> ConversationTags:
    return _tags_of(conversation_named(op.conversation_id, work))


@handles(TagConversation)
def tag_conversation(op: TagConversation, work: Work) -> ConversationTags:
    conversation = conversation_named(op.conversation_id, work).tagged(op.tag_name, work.now)
    if _kind(op.tag_name, work) is None:
        _made(op.tag_name, None, work)
    work.tables.conversations.replace(conversation)
    return _tags_of(conversation)


@handles(UntagConversation)
def untag_conversation(op: UntagConversation, work: Work) -> ConversationTags:
    conversation = conversation_named(op.conversation_id, work)
    if op.tag_name not in conversation.tags:
        raise NotFound(
            f"Conversation {conversation.id!r} has no tag {op.tag_name!r}.",
            hint="list_conversation_tags shows those that it has.",
        )
    conversation = conversation.untagged(op.tag_name, work.now)
    work.tables.conversations.replace(conversation)
    return _tags_of(conversation)


def _kind(name: str, work: Work) -> TagKind | None:
    return next(iter(work.tables.tags.where(name=name)), None)


def _made(name: str, color: str | None, work: Work) -> TagKind:
    kind = TagKind(**work.identity(), name=name, color=color)
    work.tables.tags.add(kind)
    return kind


def _tags_of(conversation: Conversation) -> ConversationTags:
    return ConversationTags(conversation_id=conversation.id, tags=list(conversation.tags))
