"""What would be here by now: a dry run remembers what it would have taken in, as others belong to it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

_Names = dict[str, Any]


class Coming:
    """What would have come in so far. There may be millions: of most, a number is kept."""

    def __init__(self, before: Coming | None = None) -> None:
        self._before = before
        self._known: set[int] = set()
        self._beside: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)

    def add(self, part: str, names: _Names) -> None:
        """Remember that something comes that has these names together, which nothing else may have."""
        self._known.add(_number(part, names))

    def has(self, part: str, names: _Names) -> bool:
        """Whether something comes that has them."""
        is_before = self._before is not None and self._before.has(part, names)
        return is_before or _number(part, names) in self._known

    def put_beside(self, part: str, place: str, thing: Any) -> None:
        """Remember a thing as a whole, for those that must fit together with it in its place."""
        self._beside[part, place].append(thing)

    def beside(self, part: str, place: str) -> list[Any]:
        """What comes into a place."""
        before = [] if self._before is None else self._before.beside(part, place)
        return before + self._beside.get((part, place), [])

    def join(self, more: Coming) -> None:
        """Remember what another one, which came after this one, has remembered."""
        self._known |= more._known
        for place, things in more._beside.items():
            self._beside[place] += things


def _number(part: str, names: _Names) -> int:
    return hash((part, *sorted(names.items())))
