"""The hosted backend: every operation that the hosted service has, carried out by calling its routes."""

from __future__ import annotations

from typing import Any, cast

from vivavoce.errors import NotAvailable
from vivavoce.operations import Backend, Caller, Hear, Operation
from vivavoce.operations.base import R
from vivavoce.operations.uploads import AddFile

from .asking import asked
from .calling import Calls
from .keys import KeyOf
from .lines import Line, result_of
from .offered import OFFERED
from .rows import Row, rows_of
from .shapes import SHAPES
from .veiling import holds_marker, no_secret, secret_part, veiled

_OWN = ("keys", "avatars")
"""Toolsets of this program itself, which no account of the hosted service has."""


class HostedBackend:
    """Runs operations on a hosted account.

    `key_of` finds the key for a caller. `own` is the embedded engine, which keeps the keys of this server and
    its avatars; neither is offered as a tool.
    """

    def __init__(self, calls: Calls, key_of: KeyOf, own: Backend | None = None) -> None:
        self._calls, self._key_of, self._own = calls, key_of, own

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Whether the hosted service can do it."""
        return kind.spec.name in OFFERED or kind is AddFile

    async def run(self, op: Operation[R], caller: Caller, hear: Hear | None = None) -> R:
        """Carry out `op` on the account of the caller's key."""
        caller.check(op.spec)
        kind = type(op)
        if not self.supports(kind):
            if self._own is not None and kind.spec.toolset in _OWN:
                return await self._own.run(op, caller, hear)
            raise NotAvailable(
                f"The hosted service cannot {op.spec.name}.",
                hint="The embedded engine, without CHATVOLT_API_KEY, or a vivavoce server does it.",
            )
        line = Line(self._calls, self._key_of(caller))
        shape = SHAPES.get(kind)
        result = await (_called(op, line) if shape is None else shape(op, line, hear))
        return cast(R, veiled(result))

    async def rows(self, op: Operation[Any], caller: Caller) -> list[Row]:
        """The list that `op` asks for, row by row: one that cannot be read leaves the others readable."""
        caller.check(op.spec)
        line = Line(self._calls, self._key_of(caller))
        return rows_of(op, await line.send(asked(op)))

    async def close(self) -> None:
        """Let go of the connections."""
        await self._calls.close()


async def _called(op: Operation[Any], line: Line) -> Any:
    """What the declared route answers, read as the declared result."""
    request = asked(op)
    if holds_marker(secret_part(request.body)):
        raise no_secret()
    return result_of(op, await line.send(request))
