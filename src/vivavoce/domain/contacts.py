"""Contacts: the people whom agents talk with."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from vivavoce.errors import Conflict, NotFound

from .entities import Entity
from .values import JsonObject, Line, Unlisted

Origin = Literal["human", "ai", "unknown"]
"""Who set a variable."""
MOST_VARIABLES = 200
"""How many facts are kept about a contact."""


class Contact(Entity):
    """A person, known by an e-mail address, a phone number or an id of the user's own."""

    email: Annotated[Line, Field(max_length=320)] | None = None
    phone_number: Annotated[Line, Field(max_length=40)] | None = None
    external_id: Annotated[Line, Field(max_length=200)] | None = None
    first_name: Annotated[Line, Field(max_length=200)] | None = None
    last_name: Annotated[Line, Field(max_length=200)] | None = None
    picture: Line | None = None
    metadata: JsonObject | None = None
    variables: Annotated[dict[str, Any], Unlisted] = {}
    origins: Annotated[dict[str, Origin], Unlisted] = {}
    """Who set each variable."""

    @property
    def name(self) -> str:
        """What the person is called."""
        return " ".join(part for part in (self.first_name, self.last_name) if part)

    def with_variable(self, key: str, value: Any, origin: Origin, at: datetime) -> Contact:
        """The same with a fact kept, in place of an older one of that key."""
        if key not in self.variables and len(self.variables) >= MOST_VARIABLES:
            raise Conflict(
                f"Contact {self.id!r} has {MOST_VARIABLES} variables.",
                hint="Remove one with delete_contact_variables.",
            )
        return self.changed(
            at, variables={**self.variables, key: value}, origins={**self.origins, key: origin}
        )

    def joined_by(self, other: Contact, at: datetime) -> Contact:
        """The same with what another contact has and this one lacks; they are one person."""
        lacking = {
            name: value
            for name in ("email", "phone_number", "external_id", "first_name", "last_name", "picture")
            if getattr(self, name) is None and (value := getattr(other, name)) is not None
        }
        metadata = {**(other.metadata or {}), **(self.metadata or {})} or self.metadata
        variables = {**other.variables, **self.variables}
        if len(variables) > MOST_VARIABLES:
            raise Conflict(
                f"Together they have more than {MOST_VARIABLES} variables.",
                hint="Remove some with delete_contact_variables.",
            )
        origins = {**other.origins, **self.origins}
        return self.changed(at, **lacking, metadata=metadata, variables=variables, origins=origins)

    def without_variable(self, key: str, at: datetime) -> Contact:
        """The same without a fact."""
        if key not in self.variables:
            raise NotFound(
                f"Contact {self.id!r} has no variable {key!r}.", hint="List them with list_contact_variables."
            )
        variables = {other: value for other, value in self.variables.items() if other != key}
        origins = {other: origin for other, origin in self.origins.items() if other != key}
        return self.changed(at, variables=variables, origins=origins)

    def without_variables(self, at: datetime) -> Contact:
        """The same without any fact."""
        return self.changed(at, variables={}, origins={})
