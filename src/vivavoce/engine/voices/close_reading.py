"""Close reading: how likely the best passages are what is asked for, once a reader has read them."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from vivavoce.domain.answers.answerability import logit_of
from vivavoce.domain.answers.reading import Candidate
from vivavoce.domain.answers.relevance import CloseReading, close_reading, score_of
from vivavoce.engine.library.retrieval import Found
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge, Ports, Reading

from .extraction import candidate_of
from .inquiry import Inquiry

READ = 8
"""How many of the best passages are read: of each the likeliest part."""


class Read(NamedTuple):
    """What somebody finds who has read a passage, and what that weighs."""

    weighs: CloseReading
    reading: Reading

    def score(self, before: float) -> float:
        """The score of the passage, which had another one before."""
        read = self.reading
        return score_of(self.weighs.judged(logit_of(before), read.relevance, read.answers))


async def read_closely(question: str, found: Sequence[Found], ports: Ports) -> list[Found]:
    """The passages, the likeliest first; each as likely as one finds it who reads its language.

    Those behind the best are not read, and none of them is told to be likelier than one that was.
    """
    best = found[:READ]
    read = await readings_of(question, list(map(candidate_of, best)), ports.embedders.judges())
    scores = {place: round(each.score(best[place].score), 4) for place, each in read.items()}
    lowest = min(scores.values(), default=1.0)
    told = [replace(each, score=scores.get(place, each.score)) for place, each in enumerate(best)]
    told += [replace(each, score=min(each.score, lowest)) for each in found[READ:]]
    answers = {place: each.reading.answers for place, each in read.items()}
    order = sorted(range(len(told)), key=lambda place: (-told[place].score, -answers.get(place, -math.inf)))
    return [told[place] for place in order]


async def readings_of(
    question: str, candidates: Sequence[Candidate], judges: Sequence[Judge]
) -> dict[int, Read]:
    """What the first who knows its language, and is known in it, finds each passage to be, by its place."""
    inquiry = Inquiry(question, (), tuple(candidates))
    read: dict[int, Read] = {}
    for reader in judges:
        texts = await asyncio.to_thread(_readable, inquiry, reader, read)
        if not texts:
            continue
        with suppress(NotAvailable):  # its files are not the ones we know: what was known before must do
            readings = await reader.read(inquiry.text, [text for _, text in texts.values()])
            pairs = zip(texts.items(), readings, strict=True)
            read |= {place: Read(weighs, reading) for (place, (weighs, _)), reading in pairs}
    return read


def _readable(inquiry: Inquiry, reader: Judge, read: Collection[int]) -> dict[int, tuple[CloseReading, str]]:
    """What one can read of the other passages, by their places: of each the part likeliest to answer."""
    return {
        place: (weighs, inquiry.read(parts[0]))
        for place, each in enumerate(inquiry.candidates)
        if place not in read
        and (weighs := close_reading(reader.identity, each.language)) is not None
        and inquiry.is_known_to(reader, place)
        and (parts := inquiry.likeliest([place]))
    }
