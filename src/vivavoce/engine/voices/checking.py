"""Checking: every quote is looked for in the stored document, and every claim held against its quote."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from vivavoce.domain.avatars import Avatar, Source
from vivavoce.domain.claims.drafts import Claim
from vivavoce.domain.claims.following import Judged, judged
from vivavoce.domain.claims.grounds import Ground, unbroken
from vivavoce.domain.corpus.excerpts import asks_for_instructions, is_instruction
from vivavoce.domain.corpus.placing import SHORTEST, placed
from vivavoce.domain.corpus.quotes import Folded
from vivavoce.domain.language.numerals import plain_number
from vivavoce.domain.language.sentences import Span, sentences_of, trimmed
from vivavoce.domain.language.words import folded
from vivavoce.domain.questions.identifiers import Identified
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.library.retrieval import Found

from .authorship import is_by_others
from .corpora import Standing, standing
from .surroundings import Quote, Window, context_of, is_spoken

AROUND = 3_000
"""Characters before and after a passage in which a quote of it may stand as well."""
LONGEST_QUOTE = 1_200
_BEFORE = 2
"""Sentences before a quote in which a name may stand that the claim has."""
_MOST_SPOKEN = 40
_LONGEST_SPOKEN = 2_000
"""How much of what people said is looked at for a quote that stands nowhere else."""


@dataclass(frozen=True)
class Checked:
    """What became of a claim."""

    claim: Claim
    quote: Quote | None = None
    where: Standing | None = None
    reason: str = ""
    """Why it was dropped; empty while it stands."""
    doubt: str = ""
    """Why it is dropped unless a second reader finds that it follows all the same."""
    is_plain: bool = True
    """Whether all its words are those of the quote; else a second reader must find that it follows."""
    is_constrained: bool = False
    """Whether it was dropped for what the persona holds to, not because it does not hold."""

    def dropped(self, reason: str) -> Checked:
        """The same claim, not to be said."""
        return replace(self, reason=reason)


class Scene(NamedTuple):
    """What claims are checked against."""

    avatar: Avatar
    sources: list[Source]
    windows: list[Window]
    question: str
    spoken: tuple[str, ...]
    """What people said, which is never a source."""
    named: tuple[Identified, ...] = ()
    """What the question names by number or code."""


async def windows_of(found: Sequence[Found], errand: Errand) -> list[Window]:
    """The passages with what stands around them."""
    return await errand.read(lambda work: [_window(each, work) for each in found])


async def checked(claims: Sequence[Claim], scene: Scene) -> list[Checked]:
    """Each claim with its quote at its place, or the reason why it is dropped."""
    return await asyncio.to_thread(_checked, claims, scene)


def quote_at(found: Window, start: int, end: int) -> Quote:
    """The words between two offsets of a passage."""
    first = found.found.cited.passage.start
    return Quote(found, Span(first + start, first + end))


def _window(found: Found, work: Work) -> Window:
    passage = found.cited.passage
    start = max(0, passage.start - AROUND)
    return Window(
        found, start, work.tables.documents.text(found.cited.document_id, start, passage.end + AROUND)
    )


def _checked(claims: Sequence[Claim], scene: Scene) -> list[Checked]:
    done = [_check(claim, scene) for claim in claims]
    said: set[str] = set()
    for place in sorted(range(len(done)), key=lambda place: done[place].doubt != ""):
        text = folded(done[place].claim.text)
        if not done[place].reason and text in said:  # perhaps with a better quote
            done[place] = done[place].dropped("it was said already")
        if not done[place].reason:
            said.add(text)
    return done


def _check(claim: Claim, scene: Scene) -> Checked:
    if len(claim.quote.strip()) < SHORTEST:
        return Checked(claim, reason="it has no quote")
    quote = _located(claim, scene.windows)
    if quote is None:
        return Checked(claim, reason=_why_not_found(claim, scene))
    where = standing(quote.window.found, quote.span.start, scene.sources)
    known = Checked(claim, quote, where)
    if len(quote.text) > LONGEST_QUOTE:
        return known.dropped(f"its quote is longer than {LONGEST_QUOTE} characters")
    speaks_to_model = is_instruction(quote.text) or is_instruction(_whole_sentences(quote).text)
    if speaks_to_model and not asks_for_instructions(scene.question):
        return known.dropped("its quote speaks to a model, not to a reader")
    if scene.named and not any(_speaks_of(each, quote, where) for each in scene.named):
        return known.dropped(f"its quote is about another one than {scene.named[0].value}")
    verdict = judged(claim.text, ground_of(quote, where, scene))
    if verdict.is_cut or verdict.objection.startswith(("it says more", "it adds")):
        known, verdict = _widened(known, verdict, scene)
    reason, doubt = ("", verdict.objection) if verdict.is_doubt else (verdict.objection, "")
    return replace(known, reason=reason, doubt=doubt, is_plain=verdict.is_plain)


def _speaks_of(named: Identified, quote: Quote, where: Standing) -> bool:
    """Whether the sentences of a quote, or what they stand under, speak of what a question names."""
    window, (start, end) = quote.window, _whole_sentences(quote).span
    titles = (where.source, *window.found.outline.headings_at(quote.span.start))
    is_under = any(map(named.is_in, titles))
    return is_under or named.is_of(window.text, start - window.offset, end - window.offset)


def _widened(known: Checked, verdict: Judged, scene: Scene) -> tuple[Checked, Judged]:
    """The claim with the whole sentences of its quote, where it needs them and then fares no worse."""
    if known.quote is None:
        return known, verdict
    wider = _whole_sentences(known.quote)
    if wider == known.quote:
        return known, verdict
    where = standing(wider.window.found, wider.span.start, scene.sources)
    again = judged(known.claim.text, ground_of(wider, where, scene))
    if again.gravity > verdict.gravity or again.gravity > 1 or len(wider.text) > LONGEST_QUOTE:
        return known, verdict._replace(is_plain=False)
    return replace(known, quote=wider, where=where), again


def ground_of(quote: Quote, where: Standing, scene: Scene) -> Ground:
    """What a claim may rest on besides its quote."""
    window = quote.window
    text, start = window.text, quote.span.start - window.offset
    around, before = _sentences_around(text, Span(start, quote.span.end - window.offset))
    source = next((each for each in scene.sources if each.id == where.source_id), None)
    headings = window.found.outline.headings_at(quote.span.start)
    about = scene.avatar.about
    parts = [part for part in about.name.split() if len(part) > 2 and part[0].isupper()]
    names = (about.name, where.source, *(source.authors if source else ()), *parts)
    numbers = {str(number) for number in (where.year, where.page, where.page_label) if number is not None}
    return Ground(
        quote=unbroken(quote.text),
        language=window.found.cited.language,
        around=unbroken(around),
        nearby=unbroken("\n".join((*headings, before))),
        known=tuple(dict.fromkeys(name for name in names if name)),
        is_by_others=is_by_others(quote, source),
        numbers=frozenset(plain_number(each) if each.isdecimal() else each for each in numbers),
        passage=unbroken(context_of(quote)),
        is_spoken=is_spoken(quote),
    )


def _located(claim: Claim, windows: Sequence[Window]) -> Quote | None:
    """Where the quote stands: first around the passage that the claim names, then around the others."""
    named = claim.passage
    first = [windows[named - 1]] if named is not None and 1 <= named <= len(windows) else []
    for window in (*first, *(each for each in windows if each not in first)):
        span = _place(claim.quote, window)
        if span is not None:
            return Quote(_nearest(window, span, windows), span)
    return None


def _nearest(window: Window, span: Span, windows: Sequence[Window]) -> Window:
    """The passage that holds the words itself, where there is one."""
    for each in (window, *windows):
        passage = each.found.cited.passage
        same = each.found.cited.document_id == window.found.cited.document_id
        if same and passage.start <= span.start and span.end <= passage.end:
            return each
    return window


def _place(quote: str, window: Window) -> Span | None:
    """Where the words stand in the document, in the passage first."""
    passage = window.found.cited.passage
    inside = Span(passage.start - window.offset, passage.end - window.offset)
    span = placed(quote, window.text, inside)
    return None if span is None else Span(window.offset + span.start, window.offset + span.end)


def _why_not_found(claim: Claim, scene: Scene) -> str:
    if _spoken(scene.spoken).span_of(claim.quote) is not None:
        return "its quote is what a participant said, not the corpus"
    if claim.passage is not None and not 1 <= claim.passage <= len(scene.windows):
        return f"it names a passage that was not given ({claim.passage}), and its quote is in none"
    return "its quote is not in the document"


@lru_cache(maxsize=4)
def _spoken(texts: tuple[str, ...]) -> Folded:
    """What people said last, folded once for all claims of a draft."""
    return Folded("\n\n".join(text[:_LONGEST_SPOKEN] for text in texts[-_MOST_SPOKEN:]))


def _whole_sentences(quote: Quote) -> Quote:
    window = quote.window
    inside = Span(quote.span.start - window.offset, quote.span.end - window.offset)
    spans = _spans_around(window.text, inside)
    if not spans:
        return quote
    return Quote(window, Span(window.offset + spans[0].start, window.offset + spans[-1].end))


def _spans_around(text: str, inside: Span) -> list[Span]:
    """The sentences that a stretch stands in, without blanks around them."""
    begin = max(0, text.rfind("\n\n", 0, inside.start))
    end = text.find("\n\n", inside.end)
    spans = sentences_of(text, begin, len(text) if end < 0 else end)
    return [
        kept
        for span in spans
        if span.start < inside.end and inside.start < span.end and (kept := trimmed(text, span)) is not None
    ]


def _sentences_around(text: str, inside: Span) -> tuple[str, str]:
    """The sentences of a stretch, and those before them."""
    spans = _spans_around(text, inside)
    if not spans:
        return text[inside.start : inside.end], ""
    start = spans[0].start
    begin = max(0, start - 1_500)
    before = [text[each.start : each.end] for each in sentences_of(text, begin, start)]
    return text[start : spans[-1].end], "".join(before[-_BEFORE:])
