"""Passages that a caller hands in: they count where their words stand in the avatar's own corpus."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from vivavoce.domain.avatars import Avatar, Source
from vivavoce.domain.corpus.library import Cited, Document
from vivavoce.domain.corpus.outlines import Outline
from vivavoce.domain.corpus.passages import Passage
from vivavoce.domain.corpus.quotes import Folded, folded, located
from vivavoce.domain.knowledge import Datasource, custom_id_in
from vivavoce.domain.language.sentences import Span
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.library.retrieval import Found

from .corpora import corpus_passages

MOST = 20
"""How many passages of a caller are looked for."""
_LONGEST = 8_000
_SHORTEST = 12
_LONGEST_DOCUMENT = 400_000
"""Characters of a document that are searched for a text that is set in other lines."""
_MOST_FOLDED = 2_000_000
"""Characters that are searched so for one request; beyond them only a text as it stands is found."""
_AROUND = 2_000
_LOOKED_UP = 400
_NAMES = ("source", "source_id", "sourceId", "title", "document_id", "documentId")
_AT_THE_ENDS = " .[]\"'\u00ab\u00bb\u2026"
"""Signs around a text that need not stand in the corpus."""


class Handed(NamedTuple):
    """What became of the passages of a caller."""

    found: list[Found]
    refused: list[dict[str, Any]]
    """The others, each with the reason."""


async def handed_in(
    passages: Sequence[Mapping[str, Any]],
    avatar: Avatar,
    sources: Sequence[Source],
    known: Sequence[Found],
    errand: Errand,
) -> Handed:
    """The passages whose words stand in the corpus, each at its place, and why others do not count."""
    looking = _Looking(avatar, sources, known, errand)
    taken: list[Found] = []
    refused: list[dict[str, Any]] = []
    for place, given in enumerate(passages):
        text = content_of(given)
        reason = ""
        if place >= MOST:
            reason = f"only the first {MOST} are looked at"
        elif len(text.strip()) < _SHORTEST:
            reason = "it holds no text to look for"
        else:
            found = await looking.found(text[:_LONGEST], given)
            if found is None:
                reason = "its text does not stand in the corpus"
            else:
                taken.append(found)
        if reason:
            refused.append(
                {"content": text[:200], "source": str(given.get("source", ""))[:200], "reason": reason}
            )
    return Handed(_distinct(taken), refused)


def content_of(given: Mapping[str, Any]) -> str:
    """The text of a passage that a caller handed in, whatever it calls it."""
    for name in ("content", "text", "quote", "passage"):
        value = given.get(name)
        if isinstance(value, str):
            return value
    return ""


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a text may stand."""

    document: Document
    datasource: Datasource
    offset: int
    text: str

    @cached_property
    def folded(self) -> Folded:
        return folded(self.text)


class _Looking:
    """The search of one request: what several passages are looked for in is read and folded once."""

    def __init__(
        self, avatar: Avatar, sources: Sequence[Source], known: Sequence[Found], errand: Errand
    ) -> None:
        self._avatar, self._known, self._errand = avatar, known, errand
        self._titles = {source.id: source.title for source in sources}
        self._read: dict[tuple[str, int, int], _Place] = {}
        self._documents: list[tuple[frozenset[str], Document, Datasource]] | None = None
        self._left = _MOST_FOLDED

    async def found(self, text: str, given: Mapping[str, Any]) -> Found | None:
        """The text as a passage of the corpus."""
        for each in self._known:
            if text.strip() in each.cited.text or each.cited.text in text:
                return each
        near = [*self._known, *await corpus_passages(self._avatar, text[:_LOOKED_UP], 5, self._errand)]
        places = await self._errand.read(lambda work: self._places(given, near, work), is_long=True)
        return await asyncio.to_thread(self._located, text, places)

    def _places(self, given: Mapping[str, Any], near: Sequence[Found], work: Work) -> list[_Place]:
        """The documents that the caller names, whole where they are short, and what is around passages."""
        names = {str(given[name]) for name in _NAMES if given.get(name)}
        places = []
        for called, document, source in self._current(work):
            if not called.isdisjoint(names):
                is_long = document.characters > _LONGEST_DOCUMENT
                start = max(0, _number(given.get("start")) - _AROUND) if is_long else 0
                places.append(self._place(document, source, start, start + _LONGEST_DOCUMENT, work))
        for each in near:
            found = work.tables.documents.find(each.cited.document_id)
            if found is not None:
                start = max(0, each.cited.passage.start - _AROUND)
                end = each.cited.passage.end + _LONGEST
                places.append(self._place(found, each.datasource, start, end, work))
        return list(dict.fromkeys(places))

    def _current(self, work: Work) -> list[tuple[frozenset[str], Document, Datasource]]:
        """The current documents of the avatar, each with the ids and titles by which a caller may name it."""
        if self._documents is None:
            documents = []
            for source in work.tables.datasources.where(datastore_id=self._avatar.datastore_id):
                custom = custom_id_in(source.config) or ""
                document = work.tables.documents.of(source.id, "current")
                if document is not None:
                    title = self._titles.get(custom, source.name)
                    named = frozenset({document.id, source.name, custom, title})
                    documents.append((named, document, source))
            self._documents = documents  # when they are all there: it may be run again
        return self._documents

    def _place(self, document: Document, source: Datasource, start: int, end: int, work: Work) -> _Place:
        key = document.id, start, end
        if key not in self._read:
            text = work.tables.documents.text(document.id, start, end)
            self._read[key] = _Place(document, source, start, text)
        return self._read[key]

    def _located(self, text: str, places: Sequence[_Place]) -> Found | None:
        core = folded(text).text.strip(_AT_THE_ENDS)
        for place in places:
            span = located(text, place.text) if text in place.text else self._span(text, core, place)
            if span is not None:
                whole = Span(place.offset + span.start, place.offset + span.end)
                return _as_found(place, whole, place.text[span.start : span.end], self._known)
        return None

    def _span(self, text: str, core: str, place: _Place) -> Span | None:
        """Where a text stands that is set in other lines; `core` is what of it must be there in any case."""
        if "folded" not in vars(place):
            if self._left < len(place.text):
                return None
            self._left -= len(place.text)
        return place.folded.span_of(text) if core in place.folded.text else None


def _as_found(place: _Place, span: Span, text: str, known: Sequence[Found]) -> Found:
    """The stretch as a passage; it scores as the best one that it overlaps and that was found."""
    score = max(
        (
            each.score
            for each in known
            if each.cited.document_id == place.document.id and _overlap(each, span)
        ),
        default=0.0,
    )
    outline: Outline = place.document.outline
    mark = outline.page_at(span.start)
    page, label = (None, None) if mark is None else (mark.page, mark.label)
    passage = Passage(span.start, span.end, page, label, page, outline.headings_at(span.start), 0)
    cited = Cited(
        -1 - span.start, place.document.id, place.datasource.id, passage, place.document.language, text
    )
    return Found(cited, place.datasource, score, outline)


def _overlap(found: Found, span: Span) -> bool:
    return found.cited.passage.start < span.end and span.start < found.cited.passage.end


def _distinct(found: Sequence[Found]) -> list[Found]:
    return list(
        {
            (each.cited.document_id, each.cited.passage.start, each.cited.passage.end): each for each in found
        }.values()
    )


def _number(given: Any) -> int:
    return given if isinstance(given, int) and not isinstance(given, bool) and given > 0 else 0
