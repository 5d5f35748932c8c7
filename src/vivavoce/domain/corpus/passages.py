"""Passages: a document in stretches that an embedder can read, each with its page and its headings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby
from operator import itemgetter
from typing import NamedTuple

from vivavoce.domain.language.sentences import Span

from .borders import Border, borders_of
from .documents import Part
from .outlines import Outline, OutlineBuilder
from .splittings import USUAL
from .units import Kind, Ruler, Unit, batches, units_of


class Passage(NamedTuple):
    """A stretch of a document: its text is what stands between its offsets."""

    start: int
    end: int
    page: int | None
    """The page that it starts on."""
    label: str | None
    end_page: int | None
    headings: tuple[str, ...]
    tokens: int


def document_of(parts: Iterable[Part]) -> tuple[str, Outline]:
    """The text of a document and its outline."""
    texts: list[str] = []
    builder = OutlineBuilder()
    for part in parts:
        builder.add(part)
        texts.append(part.text)
    return "".join(texts), builder.outline()


def passages_of(
    text: str,
    outline: Outline,
    lengths: Callable[[Sequence[str]], list[int]],
    *,
    size: int = USUAL.size,
    overlap: int = USUAL.overlap,
) -> Iterator[Passage]:
    """The passages of a text: whole sentences up to `size` tokens, of one matter as far as its borders tell.

    A section, a short page, a question with its answer and a longer paragraph are passages of their own.
    Those of one paragraph overlap by whole sentences of up to `overlap` tokens together.
    """
    ruler = Ruler(text, lengths)
    room = size - ruler.frame
    if room < 1 or not 0 <= overlap <= room // 2:
        raise ValueError(f"no passages of {size} tokens that overlap by {overlap}")
    tiny = max(1, room // 4)
    borders = [Border(0, 0, has_title=False), *borders_of(text, outline)]
    units = units_of(ruler, borders, room, tiny)
    groups = groupby(_numbered(units, borders, room), key=itemgetter(0))
    drafts = chain.from_iterable(
        _drafts((unit for _, unit in group), room, tiny, overlap) for _, group in groups
    )
    for span, tokens in _fitting(drafts, ruler, size):
        first, last = outline.page_at(span.start), outline.page_at(span.end - 1)
        yield Passage(
            *span,
            page=None if first is None else first.page,
            label=None if first is None else first.label,
            end_page=None if last is None else last.page,
            headings=outline.headings_at(span.start),
            tokens=tokens,
        )


_DRAFTS = 64
_PARAGRAPH, _LEAST = 6, 32
"""The parts of a full passage that a paragraph must have to be one, and a section to say anything alone."""


class _Draft(NamedTuple):
    """The units of a passage, of which the first few are carried over from the one before."""

    units: list[Unit]
    carried: int

    def span(self) -> Span:
        return Span(self.units[0].start, self.units[-1].end)


def _numbered(units: Iterator[Unit], borders: Sequence[Border], room: int) -> Iterator[tuple[int, Unit]]:
    """The units with the number of their group: a section, and those that say nothing alone, read with it."""
    least = max(1, room // _LEAST)
    levels = [border.level for border in borders]
    group = 0
    waiting: list[Unit] = []  # tiny sections, until it is clear whether they go with what follows
    tokens = 0  # of those that wait
    for section, members in groupby(units, key=lambda unit: unit.section):
        is_above = waiting and levels[section] < levels[waiting[0].section]
        if group > 0 and is_above and waiting[-1].kind is not Kind.HEADING:
            yield from ((group, unit) for unit in waiting)
            waiting, tokens = [], 0
        for unit in members:
            if unit.kind is Kind.HEADING and tokens + unit.tokens > room:  # enough titles for a passage
                group += 1
                yield from ((group, waited) for waited in waiting)
                waiting, tokens = [], 0
            waiting.append(unit)
            tokens += unit.tokens
            if tokens >= least and unit.kind is not Kind.HEADING:
                group += 1
                yield from ((group, waited) for waited in waiting)
                yield from ((group, unit) for unit in members)
                waiting, tokens = [], 0
    yield from ((group, unit) for unit in waiting)


def _drafts(units: Iterator[Unit], room: int, tiny: int, overlap: int) -> Iterator[_Draft]:
    """The units of one group, packed; no more is looked ahead than to see whether the end is near."""
    ahead: list[Unit] = []
    last: list[Unit] = []
    while True:
        total = sum(unit.tokens for unit in ahead)
        while total <= room + tiny and (unit := next(units, None)) is not None:
            ahead.append(unit)
            total += unit.tokens
        if not ahead:
            return
        spare = room - total if total <= room else overlap
        carried = _carried(last, ahead[0], min(overlap, spare))
        count = _count(ahead, room - sum(unit.tokens for unit in carried), tiny)
        last = [*carried, *ahead[:count]]
        yield _Draft(last, len(carried))
        del ahead[:count]


def _carried(last: list[Unit], first: Unit, overlap: int) -> list[Unit]:
    start, tokens = len(last), 0
    while (
        start > 1
        and first.kind is not Kind.HEADING
        and not first.opens
        and last[start - 1].kind is Kind.SENTENCE
        and last[start - 1].section == first.section
        and tokens + last[start - 1].tokens <= overlap
    ):
        start -= 1
        tokens += last[start].tokens
    return last[start:]


def _count(ahead: list[Unit], room: int, tiny: int) -> int:
    """How many units the next passage takes: a paragraph that is long enough, else as many as fit."""
    sums = list(accumulate((unit.tokens for unit in ahead), initial=0))
    enough = max(1, room // _PARAGRAPH)
    for number in range(1, len(ahead)):
        ends = ahead[number].opens and ahead[number - 1].kind is not Kind.HEADING
        if ends and enough <= sums[number] <= room and sums[-1] - sums[number] >= enough:
            return number
    count = max(1, bisect_right(sums, room) - 1)
    if count == len(ahead):
        return count
    if sums[-1] - sums[count] < tiny:  # a tiny rest: make two that are about as long as each other
        even = [n for n in range(1, count + 1) if tiny <= sums[n] <= sums[-1] - tiny]
        whole = [n for n in even if ahead[n].kind is not Kind.NEXT]
        count = min(whole or even or [count], key=lambda number: abs(2 * sums[number] - sums[-1]))
    begin, end = count, count
    while begin > 0 and ahead[begin].kind is Kind.NEXT:
        begin -= 1
    while end < len(ahead) and ahead[end].kind is Kind.NEXT:
        end += 1
    if sums[begin] >= tiny and sums[end] - sums[begin] <= room:
        count = begin  # a sentence that fits into a passage is kept whole
    body = count
    while body > 0 and ahead[body - 1].kind is Kind.HEADING:
        body -= 1
    if body < count:  # titles go with what follows, as many as can
        count = body if sums[body] >= tiny else max(1, count - 1)
    return count


def _fitting(drafts: Iterator[_Draft], ruler: Ruler, size: int) -> Iterator[tuple[Span, int]]:
    """The drafts, counted as a whole: the tokens of sentences do not always add up."""
    was_split = False
    for batch in batches(drafts, _DRAFTS):
        for draft, tokens in zip(batch, ruler.whole(draft.span() for draft in batch), strict=True):
            fresh = draft.units[draft.carried :]
            parts: list[list[Unit]] = []
            if draft.carried > 0 and (was_split or tokens > size):
                parts = [fresh]
            elif tokens > size and len(fresh) > 1:
                parts = [fresh[: len(fresh) // 2], fresh[len(fresh) // 2 :]]
            again = (_Draft(part, 0) for part in parts)
            found = list(_fitting(again, ruler, size)) if parts else [(draft.span(), tokens)]
            was_split = len(found) > 1
            yield from found
