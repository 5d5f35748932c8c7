"""Abroad: what a reader finds in passages of another language than the question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from vivavoce.domain.answers.answerability import Mark, logit_of
from vivavoce.domain.answers.reading import Part
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge

from .inquiry import Inquiry
from .marking import Finding

_READ = 4
"""How many of the best passages are read, as far as a judge does: the right one is seldom later."""
_LEANS = 0.1
"""What the reader's logit counts beside that of the search where it chooses among them."""
_NOWHERE = -12.0
"""What is found around no sentence."""


async def told_abroad(inquiry: Inquiry, finding: Finding, readers: Sequence[Judge]) -> Finding:
    """What the first reader who knows both languages finds there, where what was found before is no answer.

    Nor is it one where it stands in another language itself: words tell next to nothing of that.
    """
    if inquiry.subject is not None:
        return finding
    for reader in readers:
        places = [each for each in range(len(inquiry.candidates)) if inquiry.is_abroad_to(reader, each)]
        is_told_by_words = finding.place in places
        if places and (is_told_by_words or not finding.is_answer):
            with suppress(NotAvailable):  # its files are not the ones we know: the others must do
                parts = await asyncio.to_thread(inquiry.likeliest, places[:_READ])
                found = await _found(inquiry, parts, reader)
                return found if is_told_by_words or found.is_answer else finding
    return finding


async def _found(inquiry: Inquiry, parts: Sequence[Part], reader: Judge) -> Finding:
    """The reader chooses the passage, and points to the sentence."""
    read = await reader.read(inquiry.text, list(map(inquiry.read, parts)))
    scores = [logit_of(inquiry.candidates[part.place].score) for part in parts]
    part, sure, _ = max(
        zip(parts, read, scores, strict=True), key=lambda each: each[2] + _LEANS * each[1].answers
    )
    chosen = [each for each in inquiry.pointed(part, sure, ()) if inquiry.is_told_on(each)]
    mark = Mark(sure.answers, _NOWHERE)
    if chosen:
        (around,) = await reader.read(inquiry.text, [inquiry.around(chosen[0])])
        mark = mark._replace(around=around.answers)
    evidence = (await asyncio.to_thread(inquiry.evidence, part.place))._replace(mark=mark, is_abroad=True)
    return Finding(chosen, evidence, part.place, readers=(reader.identity,), is_wanting=not chosen)
