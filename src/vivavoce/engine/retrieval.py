"""Retrieval: from a question to the passages that answer it, best first, each with a score."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from vivavoce.domain.knowledge import Datasource
from vivavoce.domain.languages import language_of
from vivavoce.domain.library import Cited, Collection, embedded_text, title_of
from vivavoce.domain.relevance import KNOWN, Calibration, score_of
from vivavoce.domain.words import terms_of
from vivavoce.errors import Damaged, NotAvailable
from vivavoce.ports import Hit, Ports, Question, Tables

from .indexing import catch_up

_DEEP = 50
"""How many passages each side of the index is asked for, at least."""
_DEEPEST = 1_000
"""And how far a search goes when the best of them all say the same."""
_REREAD = 20
"""How many of the best a reranker reads."""
_ALIKE = 0.9
"""The share of common words and pairs of words from which two passages say the same."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of a datastore."""

    datastore_id: str
    question: str
    limit: int = 5
    datasource_ids: tuple[str, ...] = ()
    custom_ids: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A passage that was found."""

    cited: Cited
    datasource: Datasource
    score: float
    page: str | None
    """The page that it begins on, as it is printed, where the document has pages."""
    end_page: str | None


@dataclass(frozen=True)
class _Place:
    """Where a question goes, and how its answers are weighed."""

    collection: Collection
    datasource_ids: frozenset[str] | None
    language: str
    calibration: Calibration


async def passages_for(wanted: Wanted, ports: Ports) -> list[Found]:
    """The passages of a datastore that answer, best first, none twice."""
    place = await ports.store.read(lambda tables: _place(wanted, tables))
    if place is None or not wanted.question.strip():
        return []
    embedder = ports.embedders.named(place.collection.embedder)
    vector = await embedder.question(wanted.question)
    if len(vector) != place.collection.dimension:
        raise NotAvailable(
            f"The embedder {embedder.identity!r} gives vectors of another length than before.",
            hint="Name the model that made the first ones, or another one and run vivavoce reindex.",
        )
    question = Question(vector, terms_of(wanted.question, place.language), place.datasource_ids)
    depth = max(_DEEP, 2 * wanted.limit)
    while True:
        hits = await _hits(place.collection, question, depth, ports)
        cited, weighed = await _weighed(hits, wanted, place, ports, 2 * max(depth - _DEEP, _REREAD))
        kept = await asyncio.to_thread(_distinct, cited, wanted.limit)
        is_crowded = len(kept) < min(wanted.limit, len(cited)) and len(hits) >= depth
        if not is_crowded or depth > _DEEPEST:
            break
        depth *= 4  # many say the same and hide the others
    scores = {each.id: round(score_of(weighed[each.id]), 4) for each in kept}
    return await ports.store.read(lambda tables: _found(kept, scores, tables))


def _place(wanted: Wanted, tables: Tables) -> _Place | None:
    collection = next((each for each in tables.collections.of(wanted.datastore_id) if each.serves), None)
    if collection is None:
        return None
    languages = tables.documents.languages(wanted.datastore_id)
    likely = max(languages, key=lambda language: languages[language], default="")
    kept = tables.collections.calibration(collection.embedder)
    calibration = Calibration.read(kept) if kept else KNOWN.get(collection.embedder)
    return _Place(
        collection,
        _filtered(wanted, tables),
        language_of(wanted.question, likely),
        calibration or KNOWN["bge-small-en-int8"],
    )


def _filtered(wanted: Wanted, tables: Tables) -> frozenset[str] | None:
    """The datasources that the filters leave; None where there is no filter."""
    if not (wanted.datasource_ids or wanted.custom_ids or wanted.tags):
        return None
    left = frozenset(wanted.datasource_ids)
    if wanted.custom_ids or wanted.tags:
        matching = frozenset(tables.datasources.tagged(wanted.datastore_id, wanted.tags, wanted.custom_ids))
        left = matching & left if wanted.datasource_ids else matching
    return left


async def _weighed(
    hits: Sequence[Hit], wanted: Wanted, place: _Place, ports: Ports, reach: int
) -> tuple[list[Cited], dict[int, float]]:
    """The best passages of the hits in order, and the evidence for each."""
    fit = place.calibration.fit(place.language)
    weighed = {hit.id: fit.evidence(hit.words, hit.meaning) for hit in hits}
    best = sorted(hits, key=lambda hit: (-weighed[hit.id], hit.id))
    cited = await ports.store.read(lambda tables: _in_order(best[: max(4 * wanted.limit, reach)], tables))
    weighed = await _reread(wanted.question, cited[:_REREAD], weighed, place, ports)
    return sorted(cited, key=lambda each: (-weighed[each.id], each.id)), weighed


async def _hits(collection: Collection, question: Question, limit: int, ports: Ports) -> list[Hit]:
    """What the index finds; where it was damaged or lost, it is made again first."""
    try:
        hits = await ports.index.search(collection.name, question, limit)
    except Damaged:
        await catch_up(collection, ports, is_damaged=True)
        return await ports.index.search(collection.name, question, limit)
    if hits or not await catch_up(collection, ports):
        return hits
    return await ports.index.search(collection.name, question, limit)


def _in_order(hits: Sequence[Hit], tables: Tables) -> list[Cited]:
    """The passages of the hits that are still said, in the order of the hits."""
    found = {each.id: each for each in tables.passages.cited([hit.id for hit in hits])}
    return [found[hit.id] for hit in hits if hit.id in found]


def _found(kept: Sequence[Cited], scores: Mapping[int, float], tables: Tables) -> list[Found]:
    outlines = {
        id: document.outline
        for id in {each.document_id for each in kept}
        if (document := tables.documents.find(id)) is not None
    }
    sources = {source.id: source for source in tables.datasources.within("id", _sources(kept))}
    return [
        Found(
            each,
            sources[each.datasource_id],
            scores[each.id],
            outlines[each.document_id].printed_at(each.passage.start),
            outlines[each.document_id].printed_at(each.passage.end - 1),
        )
        for each in kept
        if each.datasource_id in sources and each.document_id in outlines
    ]


def _sources(kept: Sequence[Cited]) -> list[str]:
    return list(dict.fromkeys(each.datasource_id for each in kept))


async def _reread(
    question: str, cited: Sequence[Cited], weighed: dict[int, float], place: _Place, ports: Ports
) -> dict[int, float]:
    """The evidence once the reranker has read the best passages, where there is one for the language."""
    reranker, reread = ports.embedders.reranker(), place.calibration.reread(place.language)
    if reranker is None or reread is None or not cited:
        return weighed
    texts = await ports.store.read(lambda tables: _titled(cited, tables))
    relevance = await reranker.relevance(question, texts)
    judged = {
        each.id: reread.judged(weighed[each.id], found) for each, found in zip(cited, relevance, strict=True)
    }
    # What was not read again stays behind what was, in its old order.
    lowest = min(judged.values())
    highest = max((logit for id, logit in weighed.items() if id not in judged), default=0.0)
    return {id: judged.get(id, lowest - (highest - logit)) for id, logit in weighed.items()}


def _titled(cited: Sequence[Cited], tables: Tables) -> list[str]:
    """The passages as an embedder reads them, under their titles."""
    names = {source.id: source.name for source in tables.datasources.within("id", _sources(cited))}
    return [
        embedded_text(title_of(names.get(each.datasource_id, "")), each.passage.headings, each.text)
        for each in cited
    ]


def _distinct(cited: Sequence[Cited], limit: int) -> list[Cited]:
    """The first passages, without those that say what a better one says already."""
    kept: list[_Said] = []
    for each in cited:
        if len(kept) == limit:
            break
        said = _Said(each)
        if not any(said.repeats(other) for other in kept):
            kept.append(said)
    return [said.cited for said in kept]


class _Said:
    """What a passage says.

    Two sources that differ in a number may both be wanted, so only the same letters make them one. Within
    a source, what is nearly the same with the same numbers is the same: headers repeat.
    """

    def __init__(self, cited: Cited) -> None:
        self.cited = cited
        self.letters = "".join(cited.text.split())

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(terms_of(self.cited.text, self.cited.language))

    @cached_property
    def numbers(self) -> list[str]:
        return re.findall(r"\d+", self.cited.text)

    def repeats(self, other: _Said) -> bool:
        if self.letters == other.letters:
            return True
        if self.cited.datasource_id != other.cited.datasource_id or self.numbers != other.numbers:
            return False
        common = len(self.words & other.words)
        return 0 < common >= _ALIKE * max(len(self.words), len(other.words))
