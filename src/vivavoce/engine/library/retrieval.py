"""Retrieval: from a question to the passages that answer it, best first, each with a score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from vivavoce.domain.answers.relevance import KNOWN, Calibration, score_of
from vivavoce.domain.corpus.library import Cited, Collection, embedded_text, title_of
from vivavoce.domain.corpus.outlines import Outline
from vivavoce.domain.knowledge import Datasource
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.language.words import terms_of
from vivavoce.engine.time.pacing import Pace
from vivavoce.errors import Damaged, NotAvailable
from vivavoce.ports import Hit, Ports, Question, Tables, others_first

from .indexing import catch_up, language_in
from .sayings import Said, distinct

_DEEP = 50
"""How many passages each side of the index is asked for, at least."""
_DEEPEST = 1_000
"""And how far a search goes when the best of them all say the same."""
_REREAD = 20
"""How many of the best a reranker reads."""


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
    outline: Outline
    """Of the whole document."""

    @property
    def page(self) -> str | None:
        """The page that it begins on, as it is printed, where the document has pages."""
        return self.outline.printed_at(self.cited.passage.start)

    @property
    def end_page(self) -> str | None:
        """The page that it ends on."""
        return self.outline.printed_at(self.cited.passage.end - 1)


@dataclass(frozen=True)
class Look:
    """A look for what is wanted: where the question goes, and how its answers are weighed."""

    wanted: Wanted
    collection: Collection
    datasource_ids: frozenset[str] | None
    language: str
    calibration: Calibration


async def passages_for(wanted: Wanted, ports: Ports, pace: Pace | None = None) -> list[Found]:
    """The passages of a datastore that answer, best first, none twice."""
    look = await ports.store.read(lambda tables: look_for(wanted, tables))
    return [] if look is None else await seen_by(look, ports, pace)


def look_for(wanted: Wanted, tables: Tables) -> Look | None:
    """Where what is wanted is looked for; None where nothing is asked, or nothing is there yet."""
    collection = next((each for each in tables.collections.of(wanted.datastore_id) if each.serves), None)
    if collection is None or not wanted.question.strip():
        return None
    kept = tables.collections.calibration(collection.embedder)
    calibration = Calibration.read(kept) if kept else KNOWN.get(collection.embedder)
    return Look(
        wanted,
        collection,
        _filtered(wanted, tables),
        language_of(wanted.question, language_in(wanted.datastore_id, tables)),
        calibration or KNOWN["bge-small-en-int8"],
    )


async def seen_by(look: Look, ports: Ports, pace: Pace | None = None) -> list[Found]:
    """The passages that a look finds, best first, none twice.

    With a pace, looking takes place at it; waiting for the embedder does not.
    """
    pace = Pace() if pace is None else pace
    wanted = look.wanted
    embedder = ports.embedders.named(look.collection.embedder)
    await others_first()
    vector = await embedder.question(wanted.question)
    if len(vector) != look.collection.dimension:
        raise NotAvailable(
            f"The embedder {embedder.identity!r} gives vectors of another length than before.",
            hint="Name the model that made the first ones, or another one and run vivavoce reindex.",
        )
    question = Question(vector, terms_of(wanted.question, look.language), look.datasource_ids)
    depth = max(_DEEP, 2 * wanted.limit)
    while True:
        hits = await _hits(look.collection, question, depth, ports, pace)
        async with pace.work():
            weighed = await _weighed(hits, look, ports)
            found = await _found(weighed, wanted.limit, ports)
        is_crowded = len(found) < min(wanted.limit, len(hits)) and len(hits) >= depth
        if not is_crowded or depth > _DEEPEST:
            return found
        depth *= 4  # many say the same and hide the others


def found_again(scores: Mapping[int, float], tables: Tables) -> list[Found]:
    """Passages that were found before with these scores, in that order, as far as they are still said."""
    return _placed(_in_order(list(scores), tables), scores, tables)


def _filtered(wanted: Wanted, tables: Tables) -> frozenset[str] | None:
    """The datasources that the filters leave; None where there is no filter."""
    if not (wanted.datasource_ids or wanted.custom_ids or wanted.tags):
        return None
    left = frozenset(wanted.datasource_ids)
    if wanted.custom_ids or wanted.tags:
        matching = frozenset(tables.datasources.tagged(wanted.datastore_id, wanted.tags, wanted.custom_ids))
        left = matching & left if wanted.datasource_ids else matching
    return left


class _Weight(NamedTuple):
    """The evidence for a passage, as a logit, and what of it the words make up."""

    logit: float
    words: float


async def _weighed(hits: Sequence[Hit], look: Look, ports: Ports) -> dict[int, _Weight]:
    """The evidence for each of the hits, the best of them read again where there is a reranker."""
    fit = look.calibration.fit(look.language)
    weighed = {hit.id: _Weight(fit.evidence(hit.words, hit.meaning), fit.words * hit.words) for hit in hits}
    reranker, reread = ports.embedders.reranker(), look.calibration.reread(look.language)
    if reranker is None or reread is None or not hits:
        return weighed
    best = sorted(weighed, key=lambda id: (-weighed[id].logit, id))[: 2 * _REREAD]
    cited, texts = await ports.store.read(lambda tables: _titled(best, tables))
    relevance = await reranker.relevance(look.wanted.question, texts)
    judged = {
        each.id: _Weight(reread.judged(known.logit, told), reread.evidence * known.words)
        for each, told in zip(cited, relevance, strict=True)
        for known in (weighed[each.id],)
    }
    if not judged:
        return weighed
    # What was not read again stays behind what was, in its old order.
    lowest = min(each.logit for each in judged.values())
    highest = max((each.logit for id, each in weighed.items() if id not in judged), default=0.0)
    behind = {id: each._replace(logit=lowest - (highest - each.logit)) for id, each in weighed.items()}
    return behind | judged


async def _hits(
    collection: Collection, question: Question, limit: int, ports: Ports, pace: Pace
) -> list[Hit]:
    """What the index finds; where it was damaged or lost, it is made again first."""

    async def hits() -> list[Hit]:
        async with pace.work():
            return await ports.index.search(collection.name, question, limit)

    try:
        found = await hits()
    except Damaged:
        await catch_up(collection, ports, is_damaged=True)
        return await hits()
    if found or not await catch_up(collection, ports):
        return found
    return await hits()


def _in_order(ids: Sequence[int], tables: Tables) -> list[Cited]:
    """Those of the passages that are still said, in the order that is given."""
    found = {each.id: each for each in tables.passages.cited(ids)}
    return [found[id] for id in ids if id in found]


async def _found(weighed: Mapping[int, _Weight], limit: int, ports: Ports) -> list[Found]:
    """The first passages, without those that say what a better one says already."""
    kept: list[Said] = []
    ranked = sorted(weighed, key=lambda id: (-weighed[id].logit, id))
    for start in range(0, len(ranked), limit):
        cited = await ports.store.read(partial(_in_order, ranked[start : start + limit]))
        await others_first()
        kept = await distinct([*kept, *map(Said, cited)])
        if len(kept) >= limit:
            break
    best = kept[:limit]
    return await ports.store.read(partial(_placed, [said.cited for said in best], _scores(best, weighed)))


def _scores(best: Sequence[Said], weighed: Mapping[int, _Weight]) -> dict[int, float]:
    """The scores of passages in their order, none higher than the one before it.

    A word counts for more in a short passage, which helps to rank; it does not make an answer likelier.
    """
    weights = [weighed[said.cited.id] for said in best]
    logits = (each.logit - each.words * said.shortness for each, said in zip(weights, best, strict=True))
    falling = accumulate(map(score_of, logits), min)
    return {said.cited.id: round(score, 4) for said, score in zip(best, falling, strict=True)}


def _placed(cited: Sequence[Cited], scores: Mapping[int, float], tables: Tables) -> list[Found]:
    """Passages with the documents that they stand in."""
    outlines = {
        id: document.outline
        for id in {each.document_id for each in cited}
        if (document := tables.documents.find(id)) is not None
    }
    sources = _sources(cited, tables)
    return [
        Found(each, sources[each.datasource_id], scores[each.id], outlines[each.document_id])
        for each in cited
        if each.datasource_id in sources and each.document_id in outlines
    ]


def _sources(cited: Sequence[Cited], tables: Tables) -> dict[str, Datasource]:
    ids = list(dict.fromkeys(each.datasource_id for each in cited))
    return {source.id: source for source in tables.datasources.within("id", ids)}


def _titled(ids: Sequence[int], tables: Tables) -> tuple[list[Cited], list[str]]:
    """The best passages, and each as an embedder reads it, under its titles."""
    cited = _in_order(ids, tables)[:_REREAD]
    sources = _sources(cited, tables)
    names = {each.id: sources[each.datasource_id].name for each in cited if each.datasource_id in sources}
    return cited, [
        embedded_text(title_of(names.get(each.id, "")), each.passage.headings, each.text) for each in cited
    ]
