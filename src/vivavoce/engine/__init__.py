"""The embedded backend: carries out operations with our own rules, through the ports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

from pydantic import ValidationError

from vivavoce.errors import NotAvailable
from vivavoce.operations import Caller, Effect, Hear, Operation, Told
from vivavoce.operations.base import R
from vivavoce.operations.explaining import explained
from vivavoce.ports import Ports

from . import (
    agents,
    approvals,
    asking,
    avatars,
    contact_lists,
    contacts,
    conversations,
    corpora,
    crm,
    datasources,
    documentation,
    exports,
    keys,
    knowledge,
    messages,
    notes,
    providers,
    responding,
    tags,
    tools,
    uploads,
    variables,
)
from .handlers import HANDLERS, RUNNERS, Errand
from .later import Later
from .pacing import Pace

__all__ = [
    "Engine",
    "agents",
    "approvals",
    "asking",
    "avatars",
    "contact_lists",
    "contacts",
    "conversations",
    "corpora",
    "crm",
    "datasources",
    "documentation",
    "exports",
    "keys",
    "knowledge",
    "messages",
    "notes",
    "providers",
    "responding",
    "tags",
    "tools",
    "uploads",
    "variables",
]


class Engine:
    """Runs an operation: check the caller, find the handler, let it work in one transaction."""

    def __init__(self, ports: Ports, changed: Callable[[], None] = lambda: None) -> None:
        self.ports = ports
        self.later = Later()
        self._pace = Pace()
        self._changed = changed
        """Told after each change, so that what is left to do begins at once."""

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Whether there is a handler for this kind of operation."""
        return kind in HANDLERS or kind in RUNNERS

    async def run(self, op: Operation[R], caller: Caller, hear: Hear | None = None) -> R:
        """Carry out `op`; what it changed is durable when this returns."""
        caller.check(op.spec)
        caller.check_avatar(getattr(op, "avatar_id", None))
        if not self.supports(type(op)):
            raise NotAvailable(f"The embedded engine cannot {op.spec.name} yet.")
        is_read = op.spec.effect is Effect.READ
        errand = Errand(caller, self.ports, _unheard if hear is None else hear, self.later, self._pace)
        try:
            if type(op) in RUNNERS:
                with self.later.under_way():
                    result = await RUNNERS[type(op)](op, errand)
            else:
                access = errand.read if is_read else errand.write
                result = await access(partial(HANDLERS[type(op)], op))
        except ValidationError as error:
            raise explained(error, type(op), by_name=True) from error
        if not is_read:
            self._changed()
        return cast(R, result)

    async def close(self, *, at_once: bool = True) -> None:
        """End what still goes on for callers who were answered; else wait until it is done."""
        await self.later.close(at_once=at_once)


def _unheard(told: Told) -> None:
    """Nobody listens."""
