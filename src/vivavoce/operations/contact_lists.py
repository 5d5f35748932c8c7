"""Operations on many contacts at once: take them over, give them out, make one of several."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from vivavoce.domain.values import Id, Value, without_nul

from .base import Effect, Operation, Result
from .contacts import ContactFields, ContactId, ContactShown

_MOST = 1_000
Ids = Annotated[list[Id], Field(min_length=1, max_length=_MOST)]
Table = Annotated[str, Field(min_length=1, max_length=2_000_000), AfterValidator(without_nul)]


class ContactRow(ContactFields):
    """A person of a list."""


class RowRefused(Value):
    """A row that was not taken over."""

    row: Annotated[int, Field(description="Which one, from 1 on.")]
    message: str


class ContactListSaved(Result):
    """What became of a list of contacts."""

    success: bool = True
    created: Annotated[int, Field(description="How many are new.")]
    updated: Annotated[int, Field(description="How many were known, and have what the list says now.")]
    refused: Annotated[list[RowRefused], Field(description="Rows that were not taken over, and why.")] = []


class ContactListDeleted(Result):
    """Contacts that are gone."""

    message: str = "Contacts deleted successfully."
    deleted: Annotated[int, Field(description="How many there were.")]
    also_removed: Annotated[dict[str, int], Field(description="What changed with them.")]


class ContactListExported(Result):
    """Contacts as a table."""

    csv: Annotated[str, Field(description="Text with commas between; the first row names the columns.")]
    count: Annotated[int, Field(description="How many contacts there are in all.")]


class CreateContacts(
    Operation[ContactListSaved],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /contacts/batch-create",
    offer="extra",
):
    """Create or change many contacts, each as save_contact does without an id.

    A row that would join two contacts who are known is refused; the others are taken over all the same.
    """

    contacts: Annotated[
        Annotated[list[ContactRow], Field(min_length=1, max_length=_MOST)],
        Field(description="The people, each with what is known of them."),
    ]


class ImportContacts(
    Operation[ContactListSaved],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /contacts/import-csv",
    offer="never",
):
    """Create or change the contacts of a table, each as save_contact does without an id.

    The first row names the columns: email, phoneNumber, firstName, lastName, externalId. Others are passed
    over, and an empty cell changes nothing. Rows that cannot be taken over are told; the others are.
    """

    csv: Annotated[Table, Field(description="The table, with commas or semicolons between the cells.")]


class ExportContacts(
    Operation[ContactListExported],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /contacts/export",
    offer="never",
):
    """Show contacts as a table that import_contacts and spreadsheets read, newest first."""

    limit: Annotated[int, Field(ge=1, le=5_000, description="How many.")] = 5_000
    offset: Annotated[int, Field(ge=0, le=2**53, description="How many to pass over.")] = 0


class MergeContacts(
    Operation[ContactShown],
    effect=Effect.DELETE,
    toolset="conversations",
    route="POST /contacts/merge",
    offer="never",
    takes_along="the other contacts; their conversations stay, with the one that is kept",
):
    """Make one contact of several that are the same person. This cannot be undone.

    What the one that is kept does not have is taken from the others in their order, variables too.
    """

    contact_id: ContactId
    other_ids: Annotated[
        Annotated[list[Id], Field(min_length=1, max_length=20)],
        Field(description="The other contacts, who are no more afterwards."),
    ]


class DeleteContacts(
    Operation[ContactListDeleted],
    effect=Effect.DELETE,
    toolset="conversations",
    route="POST /contacts/batch-delete",
    offer="never",
    takes_along="the contacts' variables; conversations stay, without a contact",
):
    """Delete many contacts. Where one of them is not there, none is deleted. This cannot be undone."""

    ids: Annotated[Ids, Field(description="Their ids, as list_contacts shows them.")]
