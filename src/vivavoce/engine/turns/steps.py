"""The steps of a turn as JSON, so that it can go on later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vivavoce.ports import Called, Returned, Step, Wrote

_KINDS: dict[str, type[Wrote | Called | Returned]] = {"wrote": Wrote, "called": Called, "returned": Returned}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def written_steps(steps: Iterable[Step]) -> list[list[str]]:
    """Each step as its kind and its texts."""
    return [[_NAMES[type(step)], *step] for step in steps]


def read_steps(written: Iterable[Sequence[str]]) -> tuple[Step, ...]:
    """The steps that were written."""
    return tuple(_KINDS[kind](*texts) for kind, *texts in written)
