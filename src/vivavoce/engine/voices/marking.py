"""Marking: readers look for the answer in what words or a judge have chosen, and point to its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from vivavoce.domain.answers.answerability import Evidence, Mark
from vivavoce.domain.answers.coverage import Coverage
from vivavoce.domain.answers.extracting import Weighed
from vivavoce.domain.answers.leading import with_what_follows
from vivavoce.domain.answers.reading import Part
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge, Reading

from .inquiry import Inquiry

_NOTHING = -8.0
"""Down to this logit a reader points to the answer in our questions at least as often as a judge does."""


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
    """Whether, in a language that words were not fitted in, it lacks what is asked for, or half of all."""
    first: Weighed | None = None
    """The sentence that a judge likes best; None where words have chosen."""


async def marked_by(inquiry: Inquiry, finding: Finding, readers: Sequence[Judge]) -> Finding:
    """The same, after readers have looked for the answer in the passage that was chosen.

    They choose no passage themselves: of many without the answer, one always looks as if it had it.
    """
    for reader in readers:
        evidence, place = finding.evidence, finding.place
        if not isinstance(evidence, Evidence) or place is None:
            break  # nothing is asked for that could be marked
        if len(finding.readers) < evidence.most_marks and inquiry.is_known_to(reader, place):
            with suppress(NotAvailable):  # its files are not the ones we know: the others must do
                finding = await _looked(inquiry, finding, evidence, place, reader)
    return finding


async def _looked(
    inquiry: Inquiry, finding: Finding, evidence: Evidence, place: int, reader: Judge
) -> Finding:
    """The same after one more has looked, the first at passage and sentence, the second at the passage.

    The sentence is the one that the judge likes best under its titles, or else the one in which the reader
    marks the answer, as when the weights were fitted.
    """
    parts = inquiry.likeliest([place])
    read = await reader.read(inquiry.text, list(map(inquiry.read, parts)))
    surest = max(zip(parts, read, strict=True), key=lambda pair: pair[1].answers, default=None)
    if surest is None:
        return finding
    part, sure = surest
    chosen = _pointed(inquiry, finding, part, sure)
    looked = replace(finding, chosen=chosen, readers=(*finding.readers, reader.identity))
    if evidence.mark is not None:
        return replace(looked, evidence=evidence._replace(second=sure.answers))
    first = next(iter(chosen), None) if finding.first is None else finding.first
    if first is None:
        return finding
    (said,) = await reader.read(inquiry.text, [inquiry.alone(first)])
    if finding.first is None and _has_the_kind(inquiry, place, chosen):
        evidence = evidence._replace(lacking=0.0)
    marked = evidence._replace(mark=Mark(sure.answers, said.answers))
    return replace(looked, evidence=marked, is_wanting=False)


def _has_the_kind(inquiry: Inquiry, place: int, chosen: Sequence[Weighed]) -> bool:
    """Whether what would be said has the kind of thing that is asked for.

    The sentence that shares most words with a question is not always the one that is said.
    """
    expected = inquiry.expected(place)
    said = with_what_follows(chosen, inquiry.question)
    return expected is None or any(expected.is_in(each.excerpt.text) for each in said)


def _pointed(inquiry: Inquiry, finding: Finding, part: Part, reading: Reading) -> Sequence[Weighed]:
    """The sentences that are said, after one has marked the answer in a part of the passage."""
    pointed = inquiry.pointed(part, reading, finding.chosen)
    if finding.first is None:  # what words leave out because it was said before stays unsaid
        is_heard = all(map(inquiry.is_told_on, pointed[:1]))
    else:
        is_heard = reading.answers > _NOTHING
    return pointed if is_heard else finding.chosen
