"""How the engine carries out operations on notes."""

from __future__ import annotations

from vivavoce.domain.conversations import Note
from vivavoce.errors import NotAllowed, NotFound
from vivavoce.operations import Scope
from vivavoce.operations.notes import (
    CreateNote,
    DeleteNote,
    ListNotes,
    NoteDeleted,
    NoteList,
    NoteShown,
    UpdateNote,
)

from .handlers import Work, handles
from .references import conversation_named


@handles(ListNotes)
def list_notes(op: ListNotes, work: Work) -> NoteList:
    conversation = conversation_named(op.conversation_id, work)
    notes = work.tables.notes.where(conversation_id=conversation.id)
    return NoteList(notes=[NoteShown.of(note) for note in notes if _is_seen(note, work)])


@handles(CreateNote)
def create_note(op: CreateNote, work: Work) -> NoteShown:
    conversation = conversation_named(op.conversation_id, work)
    if op.is_justify and Scope.ADMIN not in work.caller.scopes:
        raise NotAllowed("isJustify needs the scope admin.", hint="Leave it out, or use a key that has it.")
    note = Note(
        **work.identity(),
        conversation_id=conversation.id,
        note=op.note,
        is_private=op.is_private,
        is_justification=op.is_justify,
        user_id=work.caller.id,
        notification_date_time=op.notification_date_time,
    )
    work.tables.notes.add(note)
    return NoteShown.of(note)


@handles(UpdateNote)
def update_note(op: UpdateNote, work: Work) -> NoteShown:
    changes = {
        name: value for name, value in op.given().items() if name not in ("conversation_id", "note_id")
    }
    note = _own(op.conversation_id, op.note_id, work).changed(work.now, **changes)
    work.tables.notes.replace(note)
    return NoteShown.of(note)


@handles(DeleteNote)
def delete_note(op: DeleteNote, work: Work) -> NoteDeleted:
    note = _own(op.conversation_id, op.note_id, work)
    work.tables.notes.drop(note.id)
    return NoteDeleted(id=note.id)


def _own(conversation_id: str, note_id: str, work: Work) -> Note:
    """A note that the caller may change: one of their own, or any for who may do everything."""
    conversation = conversation_named(conversation_id, work)
    note = work.tables.notes.find(note_id)
    if note is None or note.conversation_id != conversation.id or not _is_seen(note, work):
        raise NotFound(
            f"Conversation {conversation.id!r} has no note {note_id!r}.", hint="List them with list_notes."
        )
    if not _is_theirs(note, work):
        raise NotAllowed(f"Note {note_id!r} is someone else's.", hint="Write one of your own.")
    return note


def _is_seen(note: Note, work: Work) -> bool:
    return not note.is_private or _is_theirs(note, work)


def _is_theirs(note: Note, work: Work) -> bool:
    return note.user_id == work.caller.id or Scope.ADMIN in work.caller.scopes
