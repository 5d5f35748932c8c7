"""Storing a conversation: in small batches, so that a copy that is broken off goes on in the middle of it."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.domain.conversations import Conversation, Message, TagKind
from vivavoce.ports import Tables
from vivavoce.upkeep.reports import Outcome

from .moves import Move, few
from .settling import TAKEN, Settled
from .talks import Talk
from .things import Thing

_BATCH = 500
_STORED: tuple[Outcome, ...] = ("added", "updated")


async def store_talk(move: Move, talk: Talk) -> None:
    """Store a conversation with its messages, its notes and its stay in a step."""
    settler, thing = move.settler, talk.conversation
    (settled,) = await settler.in_store(lambda tables: settler.settled([thing], tables, is_whole=False))
    settler.tell([thing], [settled])
    if settled.outcome in _STORED:
        for some in few(talk.messages, _BATCH):
            await _store_messages(move, thing.id, some)
    if settled.outcome == "kept":
        return
    things = [*talk.notes, *([] if talk.stay is None else [talk.stay])]
    results = await settler.in_store(lambda tables: _finished(move, talk, settled, tables))
    settler.tell(things, results)


async def _store_messages(move: Move, conversation_id: str, messages: Sequence[Message]) -> None:
    added, taken = await move.settler.in_store(
        lambda tables: _said(conversation_id, messages, tables, is_dry=move.report.is_dry)
    )
    move.report.count("messages", "added", added)
    for id in taken:
        move.report.count("messages", "kept")
        move.report.say("messages", id, TAKEN)


def _said(
    conversation_id: str, messages: Sequence[Message], tables: Tables, *, is_dry: bool
) -> tuple[int, list[str]]:
    """How many messages are new here, and which have an id that something else has."""
    known = {each.id: each for each in tables.messages.within("id", [message.id for message in messages])}
    new = [message for message in messages if message.id not in known]
    if new and not is_dry:
        last = tables.messages.last(conversation_id, 1, is_brief=True)
        for message in new:
            tables.messages.append(message)
        if last and new[0].created_at < last[0].created_at:
            _put_in_order(conversation_id, tables)
    return len(new), [each.id for each in known.values() if each.conversation_id != conversation_id]


def _put_in_order(conversation_id: str, tables: Tables) -> None:
    """Number the messages of a conversation anew, by the time at which they were said."""
    messages = sorted(
        tables.messages.where(conversation_id=conversation_id), key=lambda each: each.created_at
    )
    places = [(place, each) for place, each in enumerate(messages, start=1) if each.position != place]
    for sign in (-1, 1):  # at first out of the way, as no two may be in one place
        for place, message in places:
            tables.messages.replace(message.model_copy(update={"position": sign * place}))


def _finished(move: Move, talk: Talk, settled: Settled, tables: Tables) -> list[Settled]:
    """What becomes of notes and of the stay; then all that belongs to the conversation is here."""
    settler, is_dry = move.settler, move.report.is_dry
    conversation = tables.conversations.find(talk.conversation.id)
    is_stored = settled.outcome in _STORED and not is_dry
    if is_stored and conversation is not None:
        if not talk.conversation.keeps:
            _end_stays(move, conversation, talk.stay, tables)
        _keep_tags(move, conversation.tags, tables)
    results = settler.settled(talk.notes, tables)
    if talk.stay is not None:
        results += [_stayed(move, talk.stay, tables, may_move=settled.outcome in _STORED)]
    if is_stored and conversation is not None:
        noted = settler.ledger.find("conversations", conversation.id, tables)
        there = "" if noted is None else noted.there
        unread = talk.conversation.unread
        settler.ledger.note_thing("conversations", conversation, there, settled.said, tables, unread=unread)
    return results


def _stayed(move: Move, stay: Thing, tables: Tables, *, may_move: bool) -> Settled:
    active = tables.crm_logs.where(conversation_id=stay.entity.conversation_id, status="active")
    if not may_move and any(other.id != stay.id for other in active):
        return Settled("kept", ["it was moved to another step here, and stays there"])
    (settled,) = move.settler.settled([stay], tables)
    return settled


def _end_stays(move: Move, conversation: Conversation, stay: Thing | None, tables: Tables) -> None:
    """A conversation that moved there is no longer where it was; it may come back with the same log."""
    now = move.home.now
    for log in tables.crm_logs.where(conversation_id=conversation.id, status="active"):
        if stay is None or log.id != stay.id:
            over = log.changed(now, status="inactive")
            tables.crm_logs.replace(over)
            move.settler.ledger.note_change("crm_logs", over, tables, there="")


def _keep_tags(move: Move, tags: Sequence[str], tables: Tables) -> None:
    """Tags of conversations are among those that can be chosen."""
    known = {kind.name for kind in tables.tags.within("name", list(tags))}
    for tag in dict.fromkeys(tags):
        if tag not in known:
            now, organization = move.home.now, move.home.organization_id
            kind = TagKind(
                id=move.settler.ports.new_id(),
                organization_id=organization,
                created_at=now,
                updated_at=now,
                name=tag,
            )
            tables.tags.add(kind)
