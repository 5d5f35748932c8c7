"""Marking: readers look for the answer in what words or a judge have chosen, and point to its sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from vivavoce.domain.answers.answerability import Evidence, Mark
from vivavoce.domain.answers.coverage import Coverage
from vivavoce.domain.answers.extracting import Weighed, best_of
from vivavoce.domain.answers.leading import with_what_follows
from vivavoce.domain.answers.reading import Part
from vivavoce.domain.answers.rivals import Asked, are_beside, rivals_of
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge, Reading

from .inquiry import Inquiry

_ANSWERS = 0.5
"""From this likelihood on the sentences are said."""
_WANTING = 0.45
"""The most that words alone make of what lacks the number, the date or the reason that is asked for."""
_NOTHING = -8.0
"""Down to this logit a reader points to the answer in our questions at least as often as a judge does."""
_LIKED = 4
"""How many of the sentences that a judge likes are read by themselves."""
_SAID = 3
"""How many sentences are said of them at the most."""
_POINTED = 1.0
"""What it adds to the logit of a sentence that a reader points to it."""


@dataclass(frozen=True)
class Finding:
    """The sentences that are likeliest to answer, what speaks for them, and who has found it."""

    chosen: Sequence[Weighed]
    evidence: Evidence | Coverage
    place: int | None
    """Of the passage in which the answer is looked for; None where there is none."""
    judge: str | None = None
    readers: tuple[str, ...] = ()
    is_wanting: bool = False
    """Whether it lacks what is asked for, or half of all, in a language that words were not fitted in."""
    liked: Sequence[Weighed] = ()
    """The sentences of that passage that a judge likes, best first; none where words have chosen."""

    @property
    def likelihood(self) -> float:
        """The chance, from 0 to 1, that they answer."""
        return min(self.evidence.likelihood, _WANTING if self.is_wanting else 1.0)

    @property
    def is_answer(self) -> bool:
        """Whether they are said."""
        return self.likelihood >= _ANSWERS


class Look(NamedTuple):
    """What a reader finds in a passage."""

    reader: Judge
    part: Part
    reading: Reading


async def marked_by(inquiry: Inquiry, finding: Finding, readers: Sequence[Judge]) -> Finding:
    """The same, after readers have looked for the answer in the passage, and around a sentence of it.

    They choose no passage themselves: of many without the answer, one always looks as if it had it.
    """
    evidence, place = finding.evidence, finding.place
    if not isinstance(evidence, Evidence) or place is None:
        return finding  # nothing is asked for that could be marked
    with suppress(NotAvailable):  # who has looked may not look again: what was found before must do
        looks = await _looks(inquiry, place, readers, evidence.most_marks)
        return await _marked(inquiry, finding, evidence, place, looks) if looks else finding
    return finding


async def _marked(
    inquiry: Inquiry, finding: Finding, evidence: Evidence, place: int, looks: Sequence[Look]
) -> Finding:
    is_by_words = not finding.liked
    if is_by_words:
        chosen = await _bettered(inquiry, _pointed(inquiry, finding.chosen, looks[0]), looks[0])
    else:
        chosen = await _preferred(inquiry, finding, looks)
    if not chosen:
        return finding
    marks = [Mark(each.reading.answers, await _around(inquiry, chosen[0], each.reader)) for each in looks]
    if not is_by_words:  # whether it answers was learnt of the sentence of which the reader is surest
        chosen = await _bettered(inquiry, chosen, looks[0])
    if is_by_words and _has_the_kind(inquiry, place, chosen):
        evidence = evidence._replace(lacking=0.0)
    marked = evidence._replace(mark=marks[0], second=next(iter(marks[1:]), None))
    identities = tuple(each.reader.identity for each in looks)
    return replace(finding, chosen=chosen, evidence=marked, readers=identities, is_wanting=False)


async def _looks(inquiry: Inquiry, place: int, readers: Sequence[Judge], most: int) -> list[Look]:
    """What readers find in the part of a passage in which each is surest that the answer stands there."""
    looks: list[Look] = []
    parts = inquiry.likeliest([place])
    for reader in readers:
        if len(looks) < most and parts and inquiry.is_known_to(reader, place):
            with suppress(NotAvailable):  # its files are not the ones we know: the others must do
                read = await reader.read(inquiry.text, list(map(inquiry.read, parts)))
                part, sure = max(zip(parts, read, strict=True), key=lambda pair: pair[1].answers)
                looks.append(Look(reader, part, sure))
    return looks


async def _around(inquiry: Inquiry, sentence: Weighed, reader: Judge) -> float:
    """How sure a reader is that the answer stands in a sentence between its neighbours."""
    (reading,) = await reader.read(inquiry.text, [inquiry.around(sentence)])
    return reading.answers


async def _preferred(inquiry: Inquiry, finding: Finding, looks: Sequence[Look]) -> Sequence[Weighed]:
    """The sentences that are said: first the one of which the first reader is surest, each by itself.

    It reads those that the judge likes best, and those that a reader points to.
    """
    heard = [each for each in looks if each.reading.answers > _NOTHING]
    pointed = [each for look in heard for each in inquiry.pointed(look.part, look.reading, ())]
    likely = {each.excerpt.start: each for each in (*finding.liked[:_LIKED], *pointed)}
    read = await looks[0].reader.read(inquiry.text, list(map(inquiry.alone, likely.values())))
    places = {each.excerpt.start for each in pointed}
    sure = {
        place: each.answers + _POINTED * (place in places) for place, each in zip(likely, read, strict=True)
    }
    first = likely[max(sure, key=sure.__getitem__)]
    others = [each for each in finding.chosen if each.excerpt != first.excerpt]
    return best_of([first, *others], -math.inf)[:_SAID]


async def _bettered(inquiry: Inquiry, chosen: Sequence[Weighed], look: Look) -> Sequence[Weighed]:
    """The same; where the first lacks a word of the question that another sentence has, that one goes first.

    The first stays where the reader is surer of it, but no other item of a list stays beside the right one.
    """
    if not chosen or chosen[0].passage.number != look.part.place:
        return chosen
    first = chosen[0]
    place, language = look.part.place, first.passage.language
    asked = Asked.by(inquiry.question, inquiry.earlier, language, inquiry.expected(place))
    sayable = list(filter(inquiry.is_told_on, inquiry.sentences(look.part)))
    rivals = rivals_of(first, sayable, asked, inquiry.alone)[:_LIKED]
    if not rivals:
        return chosen
    texts = list(map(inquiry.alone, (first, *(each.sentence for each in rivals))))
    pointed, *read = (each.answers for each in await look.reader.read(inquiry.text, texts))
    winners = [
        (each.sentence, logit) for each, logit in zip(rivals, read, strict=True) if each.wins(logit, pointed)
    ]
    if not winners:
        return chosen
    (best, sure), *_ = winners
    others = [each for each in chosen if each.excerpt != best.excerpt and (each != first or sure < pointed)]
    like = [each.excerpt for each, _ in winners]
    return [best, *(each for each in others if each.excerpt in like or not are_beside(each, best))]


def _has_the_kind(inquiry: Inquiry, place: int, chosen: Sequence[Weighed]) -> bool:
    """Whether what would be said has the kind of thing that is asked for.

    The sentence that shares most words with a question is not always the one that is said.
    """
    expected = inquiry.expected(place)
    said = with_what_follows(chosen, inquiry.question)
    return expected is None or any(expected.is_in(each.excerpt.text) for each in said)


def _pointed(inquiry: Inquiry, chosen: Sequence[Weighed], look: Look) -> Sequence[Weighed]:
    """The sentences that words have chosen, after a reader has marked the answer.

    What they leave out because it was said before stays unsaid.
    """
    pointed = inquiry.pointed(look.part, look.reading, chosen)
    return pointed if all(map(inquiry.is_told_on, pointed[:1])) else chosen
