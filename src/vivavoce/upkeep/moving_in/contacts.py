"""Contacts that move in, with the facts that are kept about them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from vivavoce.domain.contacts import Contact
from vivavoce.errors import NotFound, VivavoceError
from vivavoce.hosted.rows import Row
from vivavoce.operations.contacts import ContactShown, ListContacts, ListContactVariables

from .account import PAGE, OutOfReach, together
from .moves import Move, few
from .things import Thing

_ORIGINS = ("human", "ai")
_IDS = ("email", "phone_number", "external_id")
_UNREAD = "the facts about it could not be read"
_VAIN = 5
"""After so many refusals in a row, and no fact, facts are not asked for any more."""


async def move_contacts(move: Move) -> None:
    """Copy the contacts."""
    facts, done, total = _Facts(move), 0, 0
    copied = await move.settler.done("contacts")
    async for rows in move.pages("contacts", lambda number, _: ListContacts(offset=number, limit=PAGE)):
        total += len(rows)
        done += len(rows) - len(undone := move.undone("contacts", rows, copied))
        for some in few(undone):
            made = await together([_contact(move, row, facts) for row in some])
            await move.settler.settle([thing for thing in made if thing is not None])
            done += len(some)
            move.told("contacts", done, total)


def contact_of(move: Move, shown: ContactShown, *more: str, **fields: Any) -> Thing:
    """A contact as it is to be stored; an empty text is as good as none."""
    blank = {name: getattr(shown, name) or None for name in _IDS}
    return move.home.thing("contacts", Contact, shown, *more, **blank, **fields)


async def _contact(move: Move, row: Row, facts: _Facts) -> Thing | None:
    if row.shown is None:
        move.report.fail("contacts", row.id, row.fault)
        return None
    variables, unread = await facts.about(row.id)
    sources = variables.get("_sources")
    told = sources if isinstance(sources, dict) else {}
    known = {name: value for name, value in variables.items() if not name.startswith("_")}
    origins = {name: told[name] if told.get(name) in _ORIGINS else "unknown" for name in known}
    digest = _UNREAD if unread else json.dumps([known, origins], sort_keys=True)
    thing = move.made(
        "contacts", row.id, contact_of, move, row.shown, digest, variables=known, origins=origins
    )
    if thing is None or not unread:
        return thing
    return replace(thing, unread=unread, keeps=("variables", "origins"))


class _Facts:
    """Reads facts about contacts as long as there is a sense in it."""

    def __init__(self, move: Move) -> None:
        self._move, self._vain, self._is_known = move, 0, False

    async def about(self, id: str) -> tuple[dict[str, Any], list[str]]:
        """The facts about a contact, and why they are not known."""
        if self._vain >= _VAIN and not self._is_known:
            return {}, [_UNREAD]
        try:
            found = await self._move.account.get(ListContactVariables.parse({"id": id}))
        except OutOfReach:
            raise
        except NotFound:  # as it says of a contact without any
            return {}, []
        except VivavoceError as error:
            self._vain += 1
            return {}, [f"{_UNREAD}: {error.message}"]
        self._is_known = True
        return dict(found.variables), []
