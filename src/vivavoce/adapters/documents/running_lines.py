"""Running lines of a PDF: what its pages repeat at head and foot, kept out of sentences that go on there."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import NamedTuple

from .letters import LARGER
from .page_breaks import Page


def flowing(pages: Iterable[Page]) -> Iterator[tuple[Page, bool]]:
    """Each page as it is kept, and whether a paragraph ends with it.

    Running lines are left out where a sentence goes on over them and nowhere else, and only those whose words
    stay somewhere: nothing is lost but numbers of pages.
    """
    kept: set[str] = set()
    is_headless = False
    for above, below in pairwise(chain(_sheets(pages), [None])):
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
    names: dict[str, str]
    """What it is known by on other pages, and what it says beside the number of the page."""


_NOTHING = _Edge()
_NEAR = 6
"""How many pages before and after one are looked at: they are open meanwhile."""
_OFTEN, _COUNTED = 4, 3
"""On so many of them stands what runs through, and a number that counts them."""
_DEEPEST, _LONGEST = 3, 200
"""The most lines at a head or foot, and letters in one of them."""
_APART, _FEW, _FAR = 1.25, 5, 2.0
"""The room before the next line: against the usual gap, and where lines are few, against their letters."""
_NUMBER = re.compile(r"\d{1,5}")
_WORD = re.compile(r"\S+")
_ROMAN = re.compile("(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_WORTH = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def _sheets(pages: Iterable[Page]) -> Iterator[_Sheet]:
    """Pages with their running lines, each told as soon as the next few are known."""
    beyond: list[tuple[Page | None, tuple[_Edge, _Edge]]] = [(None, (_NOTHING, _NOTHING))] * _NEAR
    window = deque(beyond, maxlen=2 * _NEAR + 1)
    for each in chain(((page, _edges(page, index)) for index, page in enumerate(pages)), beyond):
        window.append(each)
        here, _ = window[_NEAR] if len(window) == window.maxlen else (None, None)
        if here is not None:
            yield _sheet(here, [edges for _, edges in window])


def _sheet(page: Page, near: Sequence[tuple[_Edge, _Edge]]) -> _Sheet:
    head, foot = (_running(edges[_NEAR], edges) for edges in zip(*near, strict=True))
    if len(head) + len(foot) not in range(1, len(page.lines.starts)):
        return _Sheet(page, page)
    body = page.without(len(head), len(foot))
    return _Sheet(page, body, head, foot, list(chain.from_iterable(near[_NEAR + 1 :])))


def _running(edge: _Edge, near: Sequence[_Edge]) -> list[str]:
    """What the running lines at an edge of a page say."""
    said: list[str] = []
    for line in edge.lines:
        name = next((name for name in line.names if _recurs(name, line, near)), None)
        if name is None:
            break
        said.append(line.names[name])
    return said[: max((end for end in edge.ends if end <= len(said)), default=0)]


def _recurs(name: str, line: _Line, near: Sequence[_Edge]) -> bool:
    """Whether a line stands on many of these pages, as high as here."""
    least, most = line.height - line.size, line.height + line.size
    alike = sum(name in edge.heights and least <= edge.heights[name] <= most for edge in near)
    return alike >= (_OFTEN if line.names[name] else _COUNTED)


def _edges(page: Page, index: int) -> tuple[_Edge, _Edge]:
    order = range(len(page.lines.starts))
    return _edge(page, index, order), _edge(page, index, order[::-1])


def _edge(page: Page, index: int, order: Sequence[int]) -> _Edge:
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
        lines.append(_Line(page.lines.heights[place], size, _names(text, index)))
    heights = {name: line.height for line in lines for name in line.names}
    return _Edge(lines, ends, heights, frozenset(said for line in lines for said in line.names.values()))


def _is_room_between(page: Page, outer: int, inner: int) -> bool:
    sizes, heights, usual = page.lines.sizes, page.lines.heights, page.lines.usual
    if min(sizes[outer], sizes[inner]) <= 0:
        return False
    gap = abs(heights[outer] - heights[inner])
    if len(heights) < _FEW:
        return gap > _FAR * max(sizes[outer], sizes[inner])
    return gap > _APART * usual > 0


def _names(text: str, index: int) -> dict[str, str]:
    """What a line may be known by: its words, and any number in it as far as it counts the pages."""
    plain = " ".join(text.casefold().split())
    names = {plain: plain} if _has_letters(plain) else {}
    for start, end, value in _numbers(plain):
        before, after, counted = plain[:start], plain[end:], value - index
        rest = f"{before} {after}".strip()
        said = rest if _has_letters(rest) else ""
        names[f"{before}\0{counted}\0{after}"] = said
        if not before or not after:
            names[f"{bool(before)}\0{counted}"] = said
    return names


def _numbers(plain: str) -> Iterator[tuple[int, int, int]]:
    """Where the first and last number stand, and words at the ends that are Roman ones, and their values."""
    arabic = list(_NUMBER.finditer(plain))
    for found in (*arabic[:1], *arabic[-1:]):
        yield *found.span(), int(found.group())
    words = list(_WORD.finditer(plain))
    for found in (*words[:1], *words[-1:]):
        if _ROMAN.fullmatch(found.group()):
            yield *found.span(), _roman(found.group())


def _has_letters(text: str) -> bool:
    return any(map(str.isalpha, text))


def _roman(number: str) -> int:
    values = [_WORTH[letter] for letter in number]
    return sum(-value if value < after else value for value, after in pairwise([*values, 0]))
