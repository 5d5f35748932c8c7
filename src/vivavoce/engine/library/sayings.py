"""Sayings: what passages say, so that none is shown that says what another one says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from vivavoce.domain.corpus.library import Cited
from vivavoce.domain.language.words import SHORT_LENGTH, shortness, terms_of


class Said:
    """What a passage says.

    Two sources that differ in a number may both be wanted, so only the same letters make them one. Within
    a source, what is nearly the same with the same numbers is the same: headers repeat.
    """

    def __init__(self, cited: Cited) -> None:
        self.cited = cited
        self.letters = "".join(cited.text.split())

    @cached_property
    def words(self) -> Mapping[str, int]:
        """How often each word and each pair stands in it."""
        return terms_of(self.cited.text, self.cited.language)

    @property
    def shortness(self) -> float:
        """Which share of the weight of its words it owes to being short."""
        is_long = len(self.letters) > _SURELY * SHORT_LENGTH
        return 0.0 if is_long else shortness(sum(self.words.values()))

    @cached_property
    def numbers(self) -> list[str]:
        """Its numbers, in order."""
        return re.findall(r"\d+", self.cited.text)

    def repeats(self, other: Said) -> bool:
        """Whether it says what another one says."""
        if self.letters == other.letters:
            return True
        if self.cited.datasource_id != other.cited.datasource_id or self.numbers != other.numbers:
            return False
        common = len(self.words.keys() & other.words.keys())
        return 0 < common >= _ALIKE * max(len(self.words), len(other.words))


async def distinct(passages: Sequence[Said]) -> list[Said]:
    """The passages without those that say what one before says; many words are compared in a thread."""

    def compared() -> list[Said]:
        kept: list[Said] = []
        for said in passages:
            if not any(said.repeats(other) for other in kept):
                kept.append(said)
        return kept

    are_unlike = len({(said.cited.datasource_id, *said.numbers) for said in passages}) == len(passages)
    is_soon_done = are_unlike or sum(len(said.letters) for said in passages) <= _BRIEF
    return compared() if is_soon_done else await asyncio.to_thread(compared)


_ALIKE = 0.9
"""The share of common words and pairs of words from which two passages say the same."""
_SURELY = 10
"""A text of so many letters for each word of a short one is not short; its words need not be counted."""
_BRIEF = 3_000
"""Letters of passages whose words are compared sooner than a thread is found."""
