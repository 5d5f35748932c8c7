"""Operations on notes: what the team writes down about a conversation."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from vivavoce.domain.conversations import Note
from vivavoce.domain.values import Id, Text, unlisted

from .base import LEFT_OUT, Effect, Listing, Operation, Result, SchemaOf
from .conversations import ConversationId
from .moments import From

NoteId = Annotated[Id, Field(description="The note's id, as list_notes shows it.")]
NoteText = Annotated[Text, Field(min_length=1, max_length=500)]


class NoteShown(Note, Result):
    """A note."""


class NoteList(Listing):
    """Notes, oldest first."""

    notes: list[NoteShown]


class NoteDeleted(Result):
    """A note is gone."""

    id: str

    def wire(self) -> Any:
        """Nothing: the status says it."""
        return None

    @classmethod
    def wire_schema(cls, named: SchemaOf) -> dict[str, Any]:
        """Nothing."""
        return {"type": "null"}


class ListNotes(
    Operation[NoteList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversations/{conversationId}/notes",
    offer="extra",
):
    """List the notes of a conversation, oldest first. Private notes of others are left out."""

    conversation_id: ConversationId


class CreateNote(
    Operation[NoteShown],
    effect=Effect.CREATE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/notes 201",
    offer="extra",
):
    """Write a note about a conversation. The person never sees it, and no agent is given it."""

    conversation_id: ConversationId
    note: Annotated[NoteText, Field(description="What to write down, at most 500 characters.")]
    is_private: Annotated[bool, Field(description="Whether only the writer sees it.")] = False
    is_justify: Annotated[bool, unlisted("Whether it justifies a decision; needs the admin scope.")] = False
    notification_date_time: Annotated[From | None, unlisted("When to be reminded of it.")] = None


class UpdateNote(
    Operation[NoteShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="PUT /conversations/{conversationId}/notes/{noteId}",
    offer="extra",
    echoes="id isJustification organizationId userId userEmail sendDesktopNotification createdAt updatedAt",
):
    """Change a note of one's own."""

    conversation_id: ConversationId
    note_id: NoteId
    note: Annotated[NoteText, Field(description="What it says now.")] = LEFT_OUT
    is_private: Annotated[bool, Field(description="Whether only the writer sees it.")] = LEFT_OUT
    notification_date_time: Annotated[From | None, unlisted("When to be reminded; null clears.")] = None


class DeleteNote(
    Operation[NoteDeleted],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /conversations/{conversationId}/notes/{noteId} 204",
    offer="extra",
    takes_along="its reminder",
):
    """Delete a note of one's own. This cannot be undone."""

    conversation_id: ConversationId
    note_id: NoteId
