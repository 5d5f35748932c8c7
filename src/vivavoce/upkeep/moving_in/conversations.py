"""Conversations that move in, with what was said and noted in them. None of them is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pydantic_core

from vivavoce.domain.conversations import Note
from vivavoce.errors import NotFound, UpstreamFailed, VivavoceError
from vivavoce.hosted.rows import Row
from vivavoce.operations.conversations import ListConversations
from vivavoce.operations.messages import ListMessages
from vivavoce.operations.notes import ListNotes

from .account import PAGE, OutOfReach, together
from .contacts import contact_of
from .crm import Stays, stay_of
from .moves import Move, few
from .storing import store_talk
from .talks import Talk, conversation_of, link_of, messages_of
from .things import Thing

_COUNTS = (10_000, 500)
"""How many messages are asked for, and how many where so many cannot be had at once."""
_UNREAD = "its messages could not be read"
_UNKNOWN = "unknown"
"""Where a conversation stands, if that could not be read."""


async def move_conversations(move: Move, stays: Stays) -> None:
    """Copy the conversations, each with the step that it is in."""
    copied = await move.settler.done("conversations")
    done = total = 0
    async for rows in move.pages("conversations", _page):
        total += len(rows)
        done += len(rows) - len(undone := move.undone("conversations", rows, copied))
        for some in few(undone):
            await _move_people(move, some)
            for talk in await together([_talk(move, row, stays) for row in some]):
                if talk is not None:
                    await store_talk(move, talk)
            done += len(some)
            move.told("conversations", done, total)


def _page(number: int, last: Row | None) -> ListConversations:
    if last is None:
        return ListConversations(limit=PAGE)
    cursor = pydantic_core.to_json({"lastCreatedAt": last.created_at, "lastId": last.id}).decode()
    return ListConversations.parse({"limit": PAGE, "cursor": cursor})


async def _move_people(move: Move, rows: Sequence[Row]) -> None:
    """Copy contacts who take part in conversations and were not in the list of contacts.

    Those who are known already stay as they are: a conversation tells less of them than the list.
    """
    people = {
        person.id: person
        for row in rows
        if row.shown is not None
        for person in row.shown.participants_contacts[:1]
        if ("contacts", person.id) not in move.settler.met
    }
    known = await move.settler.known("contacts", people)
    things = [
        move.made("contacts", id, contact_of, move, person)
        for id, person in people.items()
        if id not in known
    ]
    await move.settler.settle([thing for thing in things if thing is not None])


async def _talk(move: Move, row: Row, stays: Stays) -> Talk | None:
    """A conversation of the list with all that belongs to it."""
    if row.shown is None:
        move.report.fail("conversations", row.id, row.fault)
        return None
    said, losses, unread = await _messages(move, row.id)
    messages, lost = messages_of(move.home, row.id, [each.shown for each in said if each.shown is not None])
    lost += sum(each.shown is None for each in said)
    if lost:
        unread.append(f"{lost} of its messages cannot be read")
    notes, unread_notes = await _notes(move, row.id)
    unread += unread_notes
    shown_stay = stays.present.get(row.id) or link_of(row.shown)
    keeps = () if stays.are_all or shown_stay is not None else ("scenario_id", "step_id")
    place = "" if shown_stay is None else shown_stay.id
    made = move.made(
        *("conversations", row.id, conversation_of, move.home, row.shown, messages, shown_stay),
        place=_UNKNOWN if keeps else place,
    )
    if made is None:
        return None
    conversation = replace(made, losses=[*made.losses, *losses], unread=unread, keeps=keeps)
    stay = None
    if shown_stay is not None:
        stay = move.made("crm_logs", shown_stay.id, stay_of, move, shown_stay)
    return Talk(conversation, messages, notes, stay)


async def _messages(move: Move, conversation_id: str) -> tuple[list[Row], list[str], list[str]]:
    """The messages of a conversation, why some are missing, and why none could be read."""
    reason = ""
    for count in _COUNTS:
        try:
            op = ListMessages.parse({"conversationId": conversation_id, "count": count})
            rows = await move.account.rows(op)
        except OutOfReach:
            raise
        except UpstreamFailed as error:
            reason = error.message
        except VivavoceError as error:
            return [], [], [f"{_UNREAD}: {error.message}"]
        else:
            return rows, [f"only its last {count} messages were read"] if len(rows) >= count else [], []
    return [], [], [f"{_UNREAD}: {reason}"]


async def _notes(move: Move, conversation_id: str) -> tuple[list[Thing], list[str]]:
    """The notes in a conversation, and why they could not be read."""
    try:
        rows = await move.account.rows(ListNotes.parse({"conversationId": conversation_id}))
    except OutOfReach:
        raise
    except NotFound:
        return [], []
    except VivavoceError as error:
        return [], [f"its notes could not be read: {error.message}"]
    made = [move.from_row("notes", row, Note, conversation_id=conversation_id) for row in rows]
    return [note for note in made if note is not None], []
