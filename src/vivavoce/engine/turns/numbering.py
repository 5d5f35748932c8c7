"""Numbering: the passages of a turn, each under the number by which an answer cites it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vivavoce.domain.claims.citing import MOST
from vivavoce.engine.library.retrieval import Found


class Numbered:
    """The passages of the prompt, from 1 on, and after them what searches of the turn have found."""

    def __init__(self, given: Iterable[Found] = ()) -> None:
        self.found = list(given)
        self.given = len(self.found)
        """How many of them stand in the prompt."""

    def __len__(self) -> int:
        return len(self.found)

    def add(self, found: Iterable[Found]) -> None:
        """Number what is new; what is known keeps its number, and what is too much has none."""
        for each in found:
            if self.number_of(each) is None and len(self.found) < MOST:
                self.found.append(each)

    def number_of(self, found: Found) -> int | None:
        """The number of a passage; None where it has none."""
        ids = (each.cited.id for each in self.found)
        return next((number for number, id in enumerate(ids, start=1) if id == found.cited.id), None)

    def told(self, found: Sequence[Found], most: int) -> str:
        """Passages as a model reads them in a result, whole ones in at most so many characters."""
        texts: list[str] = []
        for each in found:
            text = f"From {each.datasource.name}:\n{each.cited.text}"
            if sum(map(len, texts)) + len(text) > most and texts:
                break
            self.add([each])
            number = self.number_of(each)
            texts.append(text if number is None else f"[{number}] {text}")
        return "\n\n".join(texts)[:most]
