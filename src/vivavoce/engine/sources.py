"""Sources: what an answer rests on, with the words themselves and where they stand."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vivavoce.domain.citing import Cite
from vivavoce.domain.sentences import Span, sentences_of
from vivavoce.domain.supporting import support
from vivavoce.operations.answers import AnswerSource

from .retrieval import Found

_MOST = 60
"""How many statements of an answer are checked; what a longer one says after them cites nothing."""


class Checked(NamedTuple):
    """What of an answer is borne out."""

    sources: list[AnswerSource]
    cites: list[Cite]
    """The citations that hold, each at its place."""


NOTHING = Checked([], [])


def checked(text: str, cites: Sequence[Cite], found: Sequence[Found]) -> Checked:
    """The passages that a text rests on, best first; where it cites none, those that say what it says."""
    sentences = list(sentences_of(text))
    if not cites:
        return Checked(_best_first(_alike(text, sentences[:_MOST], found), found), [])
    ends = [end for _, end in sentences]
    spans: dict[int, tuple[int, int]] = {}
    held: list[Cite] = []
    for cite in cites[:_MOST]:
        start = sentences[min(bisect_left(ends, cite.at), len(ends) - 1)].start if sentences else 0
        span = _span(text[min(start, cite.at) : cite.at].strip(), found[cite.number - 1])
        if span is not None:
            held.append(cite)
            spans.setdefault(cite.number, span)
    return Checked(_best_first(spans, found), held)


def _best_first(spans: Mapping[int, tuple[int, int]], found: Sequence[Found]) -> list[AnswerSource]:
    sources = [_source(number, found[number - 1], span) for number, span in spans.items()]
    return sorted(sources, key=lambda source: -source.score)


def _alike(text: str, sentences: Sequence[Span], found: Sequence[Found]) -> dict[int, tuple[int, int]]:
    """For each passage that says what some sentence says, where it says so."""
    spans: dict[int, tuple[int, int]] = {}
    for start, end in sentences:
        for number, each in enumerate(found, start=1):
            span = _span(text[start:end], each)
            if span is not None:
                spans.setdefault(number, span)
                break
    return spans


def _span(statement: str, found: Found) -> tuple[int, int] | None:
    return support(statement, found.cited.text, found.cited.language)


def _source(number: int, found: Found, span: tuple[int, int]) -> AnswerSource:
    cited, source = found.cited, found.datasource
    start, end = span
    config = source.config
    page = found.outline.printed_at(cited.passage.start + start)
    return AnswerSource(
        text=cited.text,
        score=found.score,
        source=config.get("source_url"),
        datasource_id=source.id,
        datasource_name=source.name,
        datasource_type=source.type,
        source_url=config.get("source_url"),
        mime_type=config.get("mime_type"),
        total_pages=len(found.outline.pages) or None,
        page_number=int(page) if page and page.isdecimal() else None,
        custom_id=config.get("custom_id"),
        tags=config.get("tags") or [],
        chunk_id=str(cited.id),
        number=number,
        page=page,
        quote=cited.text[start:end],
        document_id=cited.document_id,
        start=cited.passage.start + start,
        end=cited.passage.start + end,
    )
