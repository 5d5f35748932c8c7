"""How the engine carries out operations on many contacts at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial

from pydantic import ValidationError

from vivavoce.domain.contact_lists import rows_in, table_of
from vivavoce.errors import Conflict, InvalidInput
from vivavoce.operations.contact_lists import (
    ContactListDeleted,
    ContactListExported,
    ContactListSaved,
    ContactRow,
    CreateContacts,
    DeleteContacts,
    ExportContacts,
    ImportContacts,
    MergeContacts,
    RowRefused,
)
from vivavoce.operations.contacts import ContactShown
from vivavoce.operations.explaining import explained
from vivavoce.ports import ContactFilter

from .contacts import kept_contact, known_contact
from .handlers import Errand, Work, handles, runs
from .references import contact_named

_AT_ONCE = 250
"""Rows that are written in one go; between them others have their turn."""


@runs(CreateContacts)
async def create_contacts(op: CreateContacts, errand: Errand) -> ContactListSaved:
    return await _saved(op.contacts, errand)


@runs(ImportContacts)
async def import_contacts(op: ImportContacts, errand: Errand) -> ContactListSaved:
    return await _saved(await asyncio.to_thread(rows_in, op.csv), errand)


@handles(ExportContacts, is_long=True)
def export_contacts(op: ExportContacts, work: Work) -> ContactListExported:
    found, count = work.tables.contacts.search(ContactFilter(), limit=op.limit, offset=op.offset)
    rows = [ContactShown.showing(each).model_dump(mode="json") for each in found]
    return ContactListExported(csv=table_of(rows), count=count)


@handles(MergeContacts)
def merge_contacts(op: MergeContacts, work: Work) -> ContactShown:
    kept = contact_named(op.contact_id, work)
    others = [contact_named(id, work) for id in dict.fromkeys(op.other_ids)]
    if kept.id in op.other_ids:
        raise InvalidInput(
            "otherIds: must not name the contact that is kept.",
            details={"otherIds": "must not name the contact that is kept"},
        )
    merged = kept
    for other in others:
        merged = merged.joined_by(other, work.now)
        for conversation in work.tables.conversations.where(contact_id=other.id):
            moved = conversation.changed(work.now, contact_id=kept.id)
            work.tables.conversations.replace(moved)
            _move_messages(conversation.id, other.id, kept.id, work)
        work.tables.contacts.drop(other.id)  # before the one that is kept has its address
    work.tables.contacts.replace(merged)
    return ContactShown.showing(merged)


@handles(DeleteContacts)
def delete_contacts(op: DeleteContacts, work: Work) -> ContactListDeleted:
    contacts = [contact_named(id, work) for id in dict.fromkeys(op.ids)]
    left = sum(work.tables.conversations.counts("contact_id", [each.id for each in contacts]).values())
    for contact in contacts:
        work.tables.contacts.drop(contact.id)
    return ContactListDeleted(deleted=len(contacts), also_removed={"conversationsWithoutContact": left})


def _move_messages(conversation_id: str, from_id: str, to_id: str, work: Work) -> None:
    """Let what a contact has said in a conversation be said by another."""
    for message in work.tables.messages.where(conversation_id=conversation_id):
        if message.contact_id == from_id:
            work.tables.messages.replace(message.changed(work.now, contact_id=to_id))


async def _saved(rows: Sequence[ContactRow | dict[str, str]], errand: Errand) -> ContactListSaved:
    """Keep what the rows say, each by itself, some at a time."""
    made: list[bool] = []
    refused: list[RowRefused] = []
    for start in range(0, len(rows), _AT_ONCE):
        kept = await errand.write(partial(_kept, rows[start : start + _AT_ONCE], start + 1))
        made += [each for each in kept if isinstance(each, bool)]
        refused += [each for each in kept if isinstance(each, RowRefused)]
    return ContactListSaved(created=made.count(True), updated=made.count(False), refused=refused)


def _kept(rows: Sequence[ContactRow | dict[str, str]], first: int, work: Work) -> list[bool | RowRefused]:
    """For each row whether it made a contact, or why it was not taken over; `first` is the first's number."""
    kept: list[bool | RowRefused] = []
    for number, row in enumerate(rows, start=first):
        try:
            kept.append(_is_new(row if isinstance(row, ContactRow) else _read(row), work))
        except (Conflict, InvalidInput) as error:
            kept.append(RowRefused(row=number, message=error.message))
    return kept


def _read(row: dict[str, str]) -> ContactRow:
    try:
        return ContactRow.model_validate(row)
    except ValidationError as error:
        raise explained(error, ContactRow) from error


def _is_new(row: ContactRow, work: Work) -> bool:
    """Keep what a row says; whether it made a contact."""
    given = {name: getattr(row, name) for name in row.model_fields_set}
    known = known_contact(given, work)
    kept_contact(given, known, work)
    return known is None
