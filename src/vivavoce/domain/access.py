"""Access lists: whom an agent never answers, and whom alone it answers on WhatsApp."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from .contacts import Contact
from .conversations import Channel, Conversation
from .entities import Entity
from .values import Line, one_line

AccessKind = Literal["blacklist", "whitelist"]
ON_WHATSAPP: tuple[Channel, ...] = ("whatsapp", "zapi")
"""Where a whitelist counts."""
MOST_LISTED = 10_000
"""How many people one list of an agent has."""

_PHONE = re.compile(r"\+?[\d\s().-]{5,}")
_QUAD = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}")
"""An address on the network, which is no phone number."""


def _phone(number: str) -> str:
    if not _is_phone(number):
        raise ValueError("must be a phone number with its country code")
    return number


def _is_phone(name: str) -> bool:
    is_written_so = _PHONE.fullmatch(name) is not None and _QUAD.fullmatch(name) is None
    return is_written_so and sum(map(str.isdecimal, name)) >= 5


Person = Annotated[Line, Field(max_length=320), AfterValidator(one_line)]
"""How someone is known: an e-mail address, a phone number, an id of the user's own, a visitor's id."""
Phone = Annotated[Line, Field(max_length=40), AfterValidator(one_line), AfterValidator(_phone)]


class AccessEntry(Entity):
    """Someone on a list of an agent."""

    agent_id: str
    kind: AccessKind
    who: str
    """What is compared."""
    named: Person
    """What was written."""


def compared(name: str) -> str:
    """What is compared of a name: of a phone number its digits, of all else the letters in any case."""
    name = name.strip()
    return re.sub(r"\D", "", name) if _is_phone(name) else name.casefold()


def names_of(conversation: Conversation, contact: Contact | None) -> set[str]:
    """All by which the person in a conversation may be on a list, as it is compared.

    What a visitor merely says of themselves counts too: a claim can keep someone out, and never let them in.
    """
    known: list[Any] = [conversation.visitor_id, conversation.contact_id]
    known += phones_of(conversation, contact)
    if contact is not None:
        known += [contact.email, contact.external_id]
    claimed = conversation.metadata.get("visitor")
    known += claimed.values() if isinstance(claimed, dict) else ()
    return {compared(name) for name in known if isinstance(name, str) and name.strip()}


def phones_of(conversation: Conversation, contact: Contact | None) -> list[str]:
    """The numbers of the person: the contact's, and the one that a chat is named by."""
    chat = conversation.channel_external_id or ""
    known = (None if contact is None else contact.phone_number, chat, chat.partition("@")[0])
    return [number for number in known if number]
