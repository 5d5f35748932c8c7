"""The journal of a turn: calls that cannot be undone, so that none is made twice where it is begun again."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from vivavoce.ports import Ports, Tables

from .lanes import Taken

_UNKNOWN = (
    "This call was begun before, and the process that made it ended. Whether it took effect is not known: do "
    "not repeat it, say so."
)


class Journal:
    """What was called in earlier attempts of a turn, and is called in this one."""

    def __init__(self, mine: Taken, ports: Ports) -> None:
        self._mine, self._ports = mine, ports
        self._made: Counter[str] = Counter()

    async def begin(self, tool_id: str, arguments: Mapping[str, Any]) -> tuple[str, str | None]:
        """The name of a call; and what it gave, or that this is not known, where it was made before.

        Else it is stored that it may have been made.
        """
        call = f"{tool_id} {json.dumps(arguments, sort_keys=True, default=str)}"
        self._made[call] += 1
        name = hashlib.sha256(f"{call} {self._made[call]}".encode()).hexdigest()[:24]
        known = await self._ports.store.write(lambda tables: self._begun(name, tables))
        return name, None if known is None else known or _UNKNOWN

    async def end(self, name: str, text: str) -> None:
        """Keep what a call gave."""
        await self._ports.store.write(lambda tables: self._keep(name, text, tables))

    def _begun(self, name: str, tables: Tables) -> str | None:
        turn = self._mine.stored(tables)
        if name in turn.begun_calls:
            return turn.begun_calls[name]
        calls = {**turn.begun_calls, name: ""}
        tables.turns.replace(turn.changed(self._ports.now(), begun_calls=calls))
        return None

    def _keep(self, name: str, text: str, tables: Tables) -> None:
        turn = self._mine.stored(tables)
        calls = {**turn.begun_calls, name: text}
        tables.turns.replace(turn.changed(self._ports.now(), begun_calls=calls))
