"""Repeating: what was said in a conversation is not said again where another sentence goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .extracting import Weighed
from .questions import Wanted, names_its_own, wanted_in
from .words import words_of


def going_on(
    weighed: Sequence[Weighed], question: str, earlier: Sequence[str], said: Sequence[str]
) -> list[Weighed]:
    """Only the sentences that speak of what a question newly names, where some of the others were said.

    All of them where it names nothing of its own, or where what was said tells more of it; `said` is what the
    one who answers has said before.
    """
    if not said or not names_its_own(question):
        return list(weighed)
    before = earlier[-1] if earlier else ""
    kept: list[Weighed] = []
    for language in {each.passage.language for each in weighed}:
        own = [each for each in weighed if each.passage.language == language]
        kept += _going_on(own, _Told.of(question, before, said, language))
    places = {(each.passage.number, each.excerpt.place) for each in kept}
    left = [each for each in weighed if (each.passage.number, each.excerpt.place) in places]
    return left or list(weighed)


_SAME = 0.8
"""From this share of the words of the shorter on, a sentence says what a message says."""
_FEWEST = 3
"""Fewer words may be part of anything."""


class _Told(NamedTuple):
    """What a question asks for, and what was told before."""

    wanted: Wanted
    new: frozenset[str]
    """Words of the question that the one before it does not have."""
    said: Sequence[Mapping[str, int]]

    @classmethod
    def of(cls, question: str, before: str, said: Sequence[str], language: str) -> _Told:
        wanted = wanted_in(question, (), language)
        new = wanted.words.keys() - wanted_in(before, (), language).words.keys()
        return cls(wanted, frozenset(new), [words_of(text, language) for text in said])

    def worth(self, sentence: Weighed) -> tuple[float, float]:
        """How much of the question a sentence holds, and how well it is of the kind that answers."""
        held = self.wanted.words.keys() & _words(sentence)
        return sum(self.wanted.words[word] for word in held), self.wanted.fit(sentence.excerpt.text)


def _going_on(weighed: Sequence[Weighed], told: _Told) -> list[Weighed]:
    """The sentences in one language that are new and speak of what is new; none where none was said."""
    known = [any(_says(each, sentence) for each in told.said) for sentence in weighed]
    worths = [told.worth(sentence) for sentence, is_known in zip(weighed, known, strict=True) if is_known]
    if not worths:
        return []
    most, fittest = (max(each) for each in zip(*worths, strict=True))
    left = [sentence for sentence, is_known in zip(weighed, known, strict=True) if not is_known]
    left = [sentence for sentence in left if told.new & _words(sentence)]
    worthy = [(sentence, *told.worth(sentence)) for sentence in left]
    return [sentence for sentence, held, fit in worthy if held >= most and fit >= fittest]


def _says(said: Mapping[str, int], sentence: Weighed) -> bool:
    own = sentence.excerpt.words.keys()
    fewer = min(len(own), len(said))
    return fewer >= _FEWEST and len(own & said.keys()) >= _SAME * fewer


def _words(sentence: Weighed) -> frozenset[str]:
    """The words of a sentence and of what it stands under."""
    return frozenset(sentence.excerpt.words) | frozenset(sentence.excerpt.context)
