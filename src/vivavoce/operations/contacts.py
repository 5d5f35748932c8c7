"""Operations on contacts: the people whom agents talk with."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from vivavoce.domain.contacts import Contact, Origin
from vivavoce.domain.conversations import Channel
from vivavoce.domain.crm import ConversationStatus, Priority, Tag
from vivavoce.domain.entities import Moment
from vivavoce.domain.values import Id, JsonObject, Line, Name, Unlisted, Value, storable, unlisted

from .agents import AgentRef
from .base import Effect, Operation, Result
from .moments import From, Until

ContactId = Annotated[Id, Field(description="The contact's id, as list_contacts shows it.")]
OfContact = Annotated[Id, Field(description="The id of a contact, or of a conversation with them.")]


def _nothing(given: Any) -> Any:
    return None if given == "" else given


def _parts(given: Any) -> Any:
    return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given


def _own(key: str) -> str:
    if key.startswith("_"):
        raise ValueError("must not begin with _")
    return key


Optional = BeforeValidator(_nothing)
"""An empty text is as good as none."""
Key = Annotated[Name, Field(max_length=100), AfterValidator(_own)]
_ANY_JSON = [{"type": name} for name in ("string", "number", "boolean", "object", "array", "null")]
Fact = Annotated[Any, AfterValidator(storable), WithJsonSchema({"anyOf": _ANY_JSON})]


class ContactShown(Result):
    """A contact."""

    id: str
    organization_id: Annotated[str, Unlisted]
    email: str | None = None
    phone_number: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    external_id: str | None = None
    picture: Annotated[str | None, Unlisted] = None
    metadata: dict[str, Any] | None = None
    created_at: Moment
    updated_at: Annotated[Moment, Unlisted]

    @classmethod
    def showing(cls, contact: Contact, **more: Any) -> Self:
        """What is shown of a contact."""
        shown = {name: getattr(contact, name) for name in ContactShown.model_fields}
        return cls.model_construct(None, **{**shown, **more})


class ContactPage(Result):
    """A part of the contacts, newest first, and how many there are."""

    contacts: list[ContactShown]
    count: int
    has_more: bool = False
    next_cursor: Annotated[
        str | None, Field(description="What to send as cursor for those that follow; null after the last.")
    ] = None


class ContactDeleted(Result):
    """A contact is gone."""

    message: str = "Contact deleted successfully."
    also_removed: Annotated[dict[str, int], Field(description="What changed with it.")]


class ContactVariable(Result):
    """A fact that is kept about a contact."""

    var_name: str
    var_value: Any
    source: Origin


class ContactVariables(Result):
    """The facts that are kept about a contact; `_sources` in them says who set each."""

    variables: dict[str, Any]

    @classmethod
    def of_contact(cls, contact: Contact, **more: Any) -> Self:
        """What is kept about a contact."""
        return cls.model_construct(None, variables={**contact.variables, "_sources": contact.origins}, **more)


class ContactVariableList(ContactVariables):
    """The same, and as a list."""

    variable_list: list[ContactVariable]


class ListContacts(
    Operation[ContactPage],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /contacts",
    offer="extra",
    rest_names={"tags[]": "tags"},
):
    """List the contacts, newest first, with filters.

    Filters about conversations keep the contacts who have one conversation that meets all of them.
    """

    search: Annotated[
        Annotated[Line, Field(max_length=200)] | None,
        Field(description="Words in the name, the e-mail address, the phone number or the externalId."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=1_000, description="How many.")] = 100
    offset: Annotated[int, Field(ge=0, le=2**53, description="How many to pass over.")] = 0
    cursor: Annotated[
        Annotated[str, Field(pattern=r"^[0-9]{1,15}$")] | None,
        unlisted("Where to go on, as nextCursor tells it; in place of offset."),
    ] = None
    has_email: Annotated[bool | None, Field(description="With or without an e-mail address.")] = None
    has_phone: Annotated[bool | None, Field(description="With or without a phone number.")] = None
    start_date: Annotated[From | None, Field(description="Made from this day or moment on.")] = None
    end_date: Annotated[Until | None, Field(description="Made until this day or moment.")] = None
    agent: Annotated[AgentRef | None, Field(description="They talked with this agent.")] = None
    channel: Annotated[Channel | None, unlisted("They talked on this channel.")] = None
    conversation_status: Annotated[
        ConversationStatus | None, Field(description="They have a conversation in this status.")
    ] = None
    priority: Annotated[Priority | None, unlisted("They have a conversation of this priority.")] = None
    crm_scenario: Annotated[Id | None, unlisted("They have a conversation in this scenario.")] = None
    crm_step: Annotated[Id | None, unlisted("They have a conversation in this step.")] = None
    tags: Annotated[
        Annotated[list[Tag], Field(max_length=100)],
        BeforeValidator(_parts),
        Field(description="They have a conversation with one of these tags."),
    ] = []


class GetContact(
    Operation[ContactShown],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /contacts/{contactId}",
    offer="extra",
):
    """Show a contact. What else is known about them, list_contact_variables shows."""

    contact_id: ContactId


class ContactFields(Value):
    """What can be said of a person."""

    email: Annotated[
        Annotated[Line, Field(max_length=320)] | None, Optional, Field(description="The e-mail address.")
    ] = None
    phone_number: Annotated[
        Annotated[Line, Field(max_length=40)] | None,
        Optional,
        Field(description="Digits with the country code, no plus."),
    ] = None
    first_name: Annotated[
        Annotated[Line, Field(max_length=200)] | None, Field(description="The first name.")
    ] = None
    last_name: Annotated[
        Annotated[Line, Field(max_length=200)] | None, Field(description="The last name.")
    ] = None
    external_id: Annotated[
        Annotated[Line, Field(max_length=200)] | None,
        Optional,
        Field(description="The id that your own system has for them."),
    ] = None
    picture: Annotated[Line | None, unlisted("The address of a picture.")] = None
    metadata: Annotated[JsonObject | None, Field(description="What else your system keeps, as JSON.")] = None


class SaveContact(
    ContactFields,
    Operation[ContactShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /contacts",
    offer="extra",
    echoes="organizationId createdAt updatedAt",
):
    """Create a contact, or change one.

    Without id, a contact who has the same email, phoneNumber or externalId is changed; else a new one is
    made. What is not given stays as it is, and null clears.
    """

    id: Annotated[Id | None, Field(description="The contact to change.")] = None


class UpdateContact(
    ContactFields,
    Operation[ContactShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="PATCH /contacts/{contactId}",
    offer="never",
    echoes="id organizationId createdAt updatedAt",
):
    """Change a contact. What is not given stays as it is, and null clears."""

    contact_id: ContactId


class DeleteContact(
    Operation[ContactDeleted],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /contacts/{contactId}",
    offer="extra",
    takes_along="the contact's variables; conversations stay, without a contact",
):
    """Delete a contact. Their conversations stay. This cannot be undone."""

    contact_id: ContactId


class ListContactVariables(
    Operation[ContactVariableList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /contacts/variables",
    offer="extra",
    rest_headers={"conversationid": "id"},
):
    """Show the facts that are kept about a contact, and whether a person or the AI set each."""

    id: OfContact


class SetContactVariable(
    Operation[ContactVariables],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /contacts/variables",
    also=("PUT /contacts/variables",),
    offer="extra",
    rest_headers={"conversationid": "id"},
):
    """Keep a fact about a contact, in place of an older one under the same key."""

    id: OfContact
    key: Annotated[Key, Field(description="What it is called; it must not begin with _.")]
    value: Annotated[Fact, Field(description="The fact, any JSON.")]
    source: Annotated[Literal["human", "ai"], Field(description="Who says so.")] = "human"


class DeleteContactVariables(
    Operation[ContactVariables],
    effect=Effect.DELETE,
    toolset="conversations",
    route="DELETE /contacts/variables",
    offer="extra",
    takes_along="nothing else",
):
    """Forget one fact about a contact or, without key, all of them."""

    id: OfContact
    key: Annotated[Key | None, Field(description="Which one; left out, all.")] = None
