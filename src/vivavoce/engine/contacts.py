"""How the engine carries out operations on contacts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vivavoce.domain.contacts import Contact
from vivavoce.errors import Conflict, NotFound
from vivavoce.operations.contacts import (
    ContactDeleted,
    ContactPage,
    ContactShown,
    ContactVariable,
    ContactVariableList,
    ContactVariables,
    DeleteContact,
    DeleteContactVariables,
    GetContact,
    ListContacts,
    ListContactVariables,
    SaveContact,
    SetContactVariable,
    UpdateContact,
)
from vivavoce.ports import ContactFilter

from .handlers import Work, handles
from .references import agent_named, contact_named

_IDS = {"email": "email", "phone_number": "phoneNumber", "external_id": "externalId"}
"""What a person is known by, and what the wire calls it."""
_FIRST = ("external_id", "email", "phone_number")
"""By which of them a person is looked for first."""


@handles(ListContacts)
def list_contacts(op: ListContacts, work: Work) -> ContactPage:
    theirs: dict[str, str | None] = {
        "agent_id": None if op.agent is None else agent_named(op.agent, work).id,
        "channel": op.channel,
        "status": op.conversation_status,
        "priority": op.priority,
        "scenario_id": op.crm_scenario,
        "step_id": op.crm_step,
    }
    wanted = ContactFilter(
        words=op.search,
        has_email=op.has_email,
        has_phone=op.has_phone,
        created_from=op.start_date,
        created_to=op.end_date,
        conversation={name: value for name, value in theirs.items() if value is not None},
        tags=op.tags,
    )
    offset = op.offset if op.cursor is None else int(op.cursor)
    found, count = work.tables.contacts.search(wanted, limit=op.limit, offset=offset)
    end = offset + len(found)
    has_more = bool(found) and end < count
    return ContactPage.model_construct(
        contacts=[ContactShown.showing(each) for each in found],
        count=count,
        has_more=has_more,
        next_cursor=str(end) if has_more else None,
    )


@handles(GetContact)
def get_contact(op: GetContact, work: Work) -> ContactShown:
    return ContactShown.showing(contact_named(op.contact_id, work))


@handles(SaveContact)
def save_contact(op: SaveContact, work: Work) -> ContactShown:
    given = {name: value for name, value in op.given().items() if name != "id"}
    known = None if op.id is None else contact_named(op.id, work)
    return ContactShown.showing(kept_contact(given, known, work))


@handles(UpdateContact)
def update_contact(op: UpdateContact, work: Work) -> ContactShown:
    given = {name: value for name, value in op.given().items() if name != "contact_id"}
    return ContactShown.showing(kept_contact(given, contact_named(op.contact_id, work), work))


@handles(DeleteContact)
def delete_contact(op: DeleteContact, work: Work) -> ContactDeleted:
    contact = contact_named(op.contact_id, work)
    left = work.tables.conversations.count(contact_id=contact.id)
    work.tables.contacts.drop(contact.id)
    return ContactDeleted(also_removed={"conversationsWithoutContact": left})


@handles(ListContactVariables)
def list_contact_variables(op: ListContactVariables, work: Work) -> ContactVariableList:
    contact = _contact_of(op.id, work)
    listed = [
        ContactVariable(var_name=key, var_value=value, source=contact.origins.get(key, "unknown"))
        for key, value in contact.variables.items()
    ]
    return ContactVariableList.of_contact(contact, variable_list=listed)


@handles(SetContactVariable)
def set_contact_variable(op: SetContactVariable, work: Work) -> ContactVariables:
    contact = _contact_of(op.id, work).with_variable(op.key, op.value, op.source, work.now)
    work.tables.contacts.replace(contact)
    return ContactVariables.of_contact(contact)


@handles(DeleteContactVariables)
def delete_contact_variables(op: DeleteContactVariables, work: Work) -> ContactVariables:
    known = _contact_of(op.id, work)
    contact = (
        known.without_variables(work.now) if op.key is None else known.without_variable(op.key, work.now)
    )
    work.tables.contacts.replace(contact)
    return ContactVariables.of_contact(contact)


def kept_contact(given: Mapping[str, Any], known: Contact | None, work: Work) -> Contact:
    """The contact with what is given, stored: `known`, the one who is known by some of it, or a new one.

    Conflict where another contact is known by some of it.
    """
    if known is None:
        known = known_contact(given, work)
    _check_free(given, known, work)
    if known is None:
        contact = Contact.model_validate({**work.identity(), **given})
        work.tables.contacts.add(contact)
    elif all(getattr(known, name) == value for name, value in given.items()):
        return known
    else:
        contact = known.changed(work.now, **given)
        work.tables.contacts.replace(contact)
    return contact


def speaking_contact(given: Mapping[str, Any], known: Contact | None, work: Work) -> Contact:
    """The contact whom a message comes from, with what is given, stored; a message is lost over no conflict.

    It is `known`, or the first who has the externalId, else the email, else the phoneNumber, or a new one.
    What others are known by stays with them.
    """
    holders = {name: work.tables.contacts.known_by(**{name: value}) for name, value in _ids(given).items()}
    if known is None:
        found = (each for name in _FIRST for each in holders.get(name, ()))
        known = next(found, None)
    taken = {
        name for name, them in holders.items() for each in them if known is not None and each.id != known.id
    }
    return kept_contact({name: value for name, value in given.items() if name not in taken}, known, work)


def known_contact(given: Mapping[str, Any], work: Work) -> Contact | None:
    """The contact who is known by some of what is given."""
    return next(iter(work.tables.contacts.known_by(**_ids(given))), None)


def _contact_of(id: str, work: Work) -> Contact:
    """The contact with this id, or the one of the conversation with this id."""
    contact = work.tables.contacts.find(id)
    if contact is not None:
        return contact
    conversation = work.tables.conversations.find(id)
    if conversation is None:
        raise NotFound(
            f"No contact or conversation {id!r}.", hint="List them with list_contacts or list_conversations."
        )
    if conversation.contact_id is None:
        raise NotFound(
            f"Conversation {id!r} has no contact.", hint="Name a contact, as list_contacts shows it."
        )
    return contact_named(conversation.contact_id, work)


def _check_free(given: Mapping[str, Any], known: Contact | None, work: Work) -> None:
    """Refuse what another contact is known by."""
    for name, value in _ids(given).items():
        if known is not None and getattr(known, name) == value:
            continue  # it has it already, however others spell theirs
        for other in work.tables.contacts.known_by(**{name: value}):
            if known is None or other.id != known.id:
                raise Conflict(
                    f"Contact {other.id!r} has this {_IDS[name]} already.",
                    hint="Change that contact with save_contact and its id, or delete it.",
                )


def _ids(given: Mapping[str, Any]) -> dict[str, str]:
    return {name: value for name in _IDS if (value := given.get(name)) is not None}
