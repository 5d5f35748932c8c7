"""Running lines of a PDF: what its pages repeat at head and foot, kept out of sentences that go on there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import NamedTuple

from .letters import LARGER
from .page_breaks import Page
from .page_numbers import PageNumber, Place, has_letters, page_number_in, plain


def flowing(pages: Iterable[Page], number: int) -> Iterator[tuple[Page, bool]]:
    """Each of so many pages as it is kept, and whether a paragraph ends with it.

    Running lines are left out where a sentence is seen to go on over them and nowhere else, and only those
    whose words stay somewhere: nothing is lost but numbers of pages.
    """
    kept: set[str] = set()
    is_headless = False
    for above, below in pairwise(chain(_sheets(pages, number), [None])):
        assert above is not None
        if not is_headless:
            kept.update(above.head)
        if below is None:
            yield above.shown(is_headless, False), False
            return
        goes_on = bool(above.foot or below.head) and above.body.goes_on_in(below.body)
        is_footless = goes_on and above.spares(above.foot, kept)
        if not is_footless:
            kept.update(above.foot)
        shown = above.shown(is_headless, is_footless)
        is_headless = goes_on and below.spares(below.head, kept)
        is_whole = is_footless and is_headless
        yield shown, not is_whole and shown.ends_a_paragraph(below.shown(is_headless, False))


class _Sheet(NamedTuple):
    """A page, and what its running lines say beside its number."""

    page: Page
    body: Page
    """The page without them."""
    head: Sequence[str] = ()
    foot: Sequence[str] = ()
    later: Sequence[_Edge] = ()
    """The heads and feet of the next pages."""

    def shown(self, is_headless: bool, is_footless: bool) -> Page:
        """The page as it is kept."""
        head, foot = len(self.head) * is_headless, len(self.foot) * is_footless
        is_body = head == len(self.head) and foot == len(self.foot)
        return self.body if is_body else self.page.without(head, foot)

    def spares(self, said: Iterable[str], kept: set[str]) -> bool:
        """Whether nothing is lost without lines that say this: it stands before, or comes again."""
        return all(not each or each in kept or any(each in edge.said for edge in self.later) for each in said)


class _Edge(NamedTuple):
    """The lines at the head or foot of a page that may be running ones, the outermost first."""

    lines: Sequence[_Line] = ()
    ends: Sequence[int] = ()
    """After how many of them there is room before the next line."""
    heights: Mapping[str, float] = MappingProxyType({})
    """How high they stand, by the names that they have."""
    said: frozenset[str] = frozenset()


class _Line(NamedTuple):
    """A line at the head or foot of a page."""

    height: float
    size: float
    words: str
    """All that it says."""
    number: PageNumber | None

    @property
    def names(self) -> Iterator[str]:
        """What it may be known by on other pages: its words, and a number that counts the pages."""
        if has_letters(self.words):
            yield self.words
        if self.number is not None:
            yield self.number.name

    @property
    def said(self) -> str:
        """What it says at the least: what no page may leave out with it unless it stands elsewhere."""
        return self.words if self.number is None else self.number.beside


class _Running(NamedTuple):
    """A line that runs through pages: what it says beside the number of its page, and whether it has that."""

    said: str
    has_number: bool


_NOTHING = _Edge()
_NEAR = 6
"""How many pages before and after one are looked at: they are open meanwhile."""
_OFTEN, _COUNTED = 4, 3
"""On so many of them stands what runs through, and a number that counts them."""
_DEEPEST, _LONGEST = 3, 200
"""The most lines at a head or foot, and letters in one of them."""
_APART, _FEW, _FAR = 1.25, 5, 2.0
"""The room before the next line: against the usual gap, and where lines are few, against their letters."""
_ROOM = 3.0
"""How far it is over two letters and what is between them where a number is apart, against their size."""


def _sheets(pages: Iterable[Page], number: int) -> Iterator[_Sheet]:
    """Pages with their running lines, each told as soon as the next few are known."""
    beyond: list[tuple[Page | None, tuple[_Edge, _Edge]]] = [(None, (_NOTHING, _NOTHING))] * _NEAR
    window = deque(beyond, maxlen=2 * _NEAR + 1)
    for each in chain(((page, _edges(page, index, number)) for index, page in enumerate(pages)), beyond):
        window.append(each)
        here, _ = window[_NEAR] if len(window) == window.maxlen else (None, None)
        if here is not None:
            yield _sheet(here, [edges for _, edges in window])


def _sheet(page: Page, near: Sequence[tuple[_Edge, _Edge]]) -> _Sheet:
    head, foot = (_running(edges[_NEAR], edges) for edges in zip(*near, strict=True))
    running = [*head, *foot]
    # Of two numbers that count the pages one may count what they hold, and what fills a page is no head.
    is_text = sum(line.has_number for line in running) > 1 or 2 * len(running) >= len(page.lines.starts)
    if not running or is_text:
        return _Sheet(page, page)
    body = page.without(len(head), len(foot))
    later = list(chain.from_iterable(near[_NEAR + 1 :]))
    return _Sheet(page, body, [line.said for line in head], [line.said for line in foot], later)


def _running(edge: _Edge, near: Sequence[_Edge]) -> list[_Running]:
    """The running lines at an edge of a page."""
    found = []
    for line in edge.lines:
        if has_letters(line.words) and _recurs(line.words, line, near, _OFTEN):
            found.append(_Running(line.words, has_number=False))
        elif line.number is not None and _counts(line, line.number, near):
            found.append(_Running(line.number.beside, has_number=True))
        else:
            break
    return found[: max((end for end in edge.ends if end <= len(found)), default=0)]


def _counts(line: _Line, number: PageNumber, near: Sequence[_Edge]) -> bool:
    """Whether the number in a line goes on counting on other pages."""
    others = near[(_NEAR + 1) % 2 :: 2] if number.takes_turns else near
    return _recurs(number.name, line, others, _OFTEN if number.beside else _COUNTED)


def _recurs(name: str, line: _Line, near: Sequence[_Edge], often: int) -> bool:
    """Whether a line stands on many of these pages, as high as here."""
    least, most = line.height - line.size, line.height + line.size
    return sum(name in edge.heights and least <= edge.heights[name] <= most for edge in near) >= often


def _edges(page: Page, index: int, number: int) -> tuple[_Edge, _Edge]:
    order = range(len(page.lines.starts))
    return _edge(page, index, number, order), _edge(page, index, number, order[::-1])


def _edge(page: Page, index: int, number: int, order: Sequence[int]) -> _Edge:
    """The first lines in this order up to the last one with room behind it."""
    depths = range(1, min(_DEEPEST + 1, len(order)))
    ends = [depth for depth in depths if _is_room_between(page, order[depth - 1], order[depth])]
    if not ends:
        return _NOTHING
    lines = []
    for place in order[: ends[-1]]:
        size, text = page.lines.sizes[place], page.line(place)
        if size > LARGER * page.lines.sizes[len(order) // 2] or len(text) > _LONGEST:
            break
        is_lowest = page.lines.heights[place] <= min(page.lines.heights)
        lines.append(_line(page, Place(index + 1, number, page.label, is_lowest), place, text))
    heights = {name: line.height for line in lines for name in line.names}
    return _Edge(lines, ends, heights, frozenset(line.said for line in lines))


def _line(page: Page, where: Place, line: int, text: str) -> _Line:
    start, size = page.lines.starts[line], page.lines.sizes[line]

    def is_apart(first: int, end: int) -> bool:
        return page.letters.width(start + first, start + end) > _ROOM * size > 0

    number = page_number_in(text, where, is_apart)
    return _Line(page.lines.heights[line], size, plain(text), number)


def _is_room_between(page: Page, outer: int, inner: int) -> bool:
    sizes, heights, usual = page.lines.sizes, page.lines.heights, page.lines.usual
    if min(sizes[outer], sizes[inner]) <= 0:
        return False
    gap = abs(heights[outer] - heights[inner])
    if len(heights) < _FEW:
        return gap > _FAR * max(sizes[outer], sizes[inner])
    return gap > _APART * usual > 0
