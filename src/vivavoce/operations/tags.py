"""Operations on tags: words by which conversations are sorted."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from vivavoce.domain.conversations import TagKind
from vivavoce.domain.crm import NewTag, Tag
from vivavoce.domain.values import Line

from .base import Effect, Listing, Operation, Result
from .conversations import ConversationId


class TagShown(TagKind, Result):
    """A tag that conversations can have."""


class TagList(Listing):
    """Tags, oldest first."""

    tags: list[TagShown]


class TagDeleted(Result):
    """A tag is gone."""

    success: bool = True
    name: str
    also_removed: Annotated[dict[str, int], Field(description="How many conversations had it.")]


class ConversationTags(Result):
    """The tags of a conversation."""

    conversation_id: str
    tags: list[str]


class ListTags(
    Operation[TagList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /tags",
    also=("GET /tags/get-visible-tags",),
    offer="extra",
):
    """List the tags that conversations can have."""


class CreateTag(
    Operation[TagShown], effect=Effect.CREATE, toolset="conversations", route="POST /tags", offer="extra"
):
    """Make a tag, or give another colour to one that there is."""

    name: Annotated[NewTag, Field(description="What it is called, at most 25 characters.")]
    color: Annotated[
        Annotated[Line, Field(max_length=40)] | None, Field(description="The colour it is shown in.")
    ] = None


class DeleteTag(
    Operation[TagDeleted],
    effect=Effect.DELETE,
    toolset="conversations",
    route="POST /tags/delete-by-name",
    offer="extra",
    takes_along="the tag on every conversation that has it",
):
    """Delete a tag, and take it off every conversation. This cannot be undone."""

    name: Annotated[Tag, Field(description="The tag, as list_tags shows it.")]


class ListConversationTags(
    Operation[ConversationTags],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversations/{conversationId}/tags",
    offer="extra",
):
    """Show the tags of a conversation."""

    conversation_id: ConversationId


class TagConversation(
    Operation[ConversationTags],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/tags",
    offer="extra",
):
    """Put a tag on a conversation. A tag that there is not yet is made."""

    conversation_id: ConversationId
    tag_name: Annotated[NewTag, Field(description="The tag.")]


class UntagConversation(
    Operation[ConversationTags],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /conversations/{conversationId}/tags/{tagName}",
    offer="extra",
    takes_along="nothing else; other conversations keep the tag",
):
    """Take a tag off a conversation."""

    conversation_id: ConversationId
    tag_name: Annotated[Tag, Field(description="The tag, as the conversation has it.")]
