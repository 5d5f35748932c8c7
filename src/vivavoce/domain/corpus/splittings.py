"""Splittings: how long the passages of a text are, and by how much they overlap."""

from __future__ import annotations

from typing import Any, NamedTuple

from vivavoce.errors import InvalidInput

SIZE, OVERLAP = "chunk_size", "chunk_overlap"
"""The settings of a datasource that keep a splitting of its own."""
SMALLEST, LARGEST = 50, 2_000
READ = 512
"""Tokens of a passage that the built-in embedders read."""
_PART = 10
"""Passages overlap by this part of their size, where nobody says by how much."""
_MOST = 3
"""They overlap by this part at the most: each must bring something new."""


class Splitting(NamedTuple):
    """How a text is split, in tokens of the embedder."""

    size: int = 400
    overlap: int = 40

    @property
    def settings(self) -> dict[str, Any]:
        """What is kept with a datasource that is split so; nothing where it is split as usual."""
        return {} if self == USUAL else {SIZE: self.size, OVERLAP: self.overlap}


USUAL = Splitting()


def splitting_in(settings: dict[str, Any]) -> Splitting:
    """The splitting that a datasource keeps; the usual one where it has none that can be."""
    size, overlap = settings.get(SIZE), settings.get(OVERLAP)
    return USUAL if size is None or overlap is None or _fault(size, overlap) else Splitting(size, overlap)


def splitting_of(config: dict[str, Any]) -> Splitting:
    """The splitting that the configuration of an avatar asks for; InvalidInput where it cannot be."""
    store = config.get("vectorStore")
    given = store if isinstance(store, dict) else {}
    given = {name: value for name, value in given.items() if value is not None}
    size = given.get("chunkSize", USUAL.size)
    overlap = given.get("chunkOverlap", size // _PART if _is_number(size) else 0)
    fault = _fault(size, overlap)
    if fault is None:
        return Splitting(size, overlap)
    key, expected = fault
    raise InvalidInput(
        f"config.json: vectorStore.{key}: {expected}.", details={f"vectorStore.{key}": expected}
    )


def _fault(size: Any, overlap: Any) -> tuple[str, str] | None:
    """The key that cannot be so, and what was expected there."""
    if not _is_number(size) or not SMALLEST <= size <= LARGEST:
        return "chunkSize", f"must be a whole number of tokens, {SMALLEST} to {LARGEST:,}"
    if not _is_number(overlap) or not 0 <= overlap <= size // _MOST:
        return "chunkOverlap", f"must be a whole number of tokens, 0 to {size // _MOST}, a third of chunkSize"
    return None


def _is_number(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)
