"""Sources: what an answer rests on, with the words themselves and where they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from vivavoce.domain.claims.citing import Cite, Invented, Mark
from vivavoce.domain.claims.sifting import Reason, Rejected, judged, span_at
from vivavoce.domain.claims.supporting import Doubt, doubt, support
from vivavoce.domain.language.sentences import Span, sentences_of
from vivavoce.engine.library.retrieval import Found
from vivavoce.operations.answers import AnswerSource
from vivavoce.ports import Prompt

_LONG_NUMBER = re.compile(r"\b\d{5,}\b")
_MOST = 60
"""How many statements of an answer are checked; what a longer one says after them cites nothing."""


class Checked(NamedTuple):
    """What of an answer is borne out."""

    sources: list[AnswerSource]
    cites: list[Cite]
    """The citations that hold, each at its place."""
    rejected: Sequence[Rejected] = ()
    """Those that do not, each with the reason."""


NOTHING = Checked([], [])


class Bearing:
    """Says why a statement is not borne out by the passage that it names, and remembers what bears it out."""

    def __init__(self, found: Sequence[Found], own: frozenset[str] = frozenset()) -> None:
        self._found, self._own = found, own
        self._checks = 0
        self.spans: dict[int, tuple[int, int]] = {}
        """For each passage, the words that the first statement rests on which names it."""

    def __call__(self, statement: str, mark: Mark) -> Reason | None:
        """The reason; None where it is borne out."""
        if isinstance(mark, Invented) or mark.number > len(self._found):
            return Reason("No passage has this number.")
        self._checks += 1
        if self._checks > _MOST:
            return Reason(f"Not checked: only {_MOST} citations of an answer are.")
        found = self._found[mark.number - 1]
        statement = _LONG_NUMBER.sub(lambda match: "" if match[0] in self._own else match[0], statement)
        span = _span(statement, found)
        if span is None:
            why = doubt(statement, found.cited.text, found.cited.language)
            return Reason(why.value, is_grave=why is not Doubt.OTHER_WORDS)
        self.spans.setdefault(mark.number, span)
        return None


def own_numbers(prompt: Prompt) -> frozenset[str]:
    """Long numbers that the person gave, as that of an order: no passage has to have them."""
    said = [prompt.question, *(each.text for each in prompt.history if each.by == "person")]
    return frozenset(number for text in said for number in _LONG_NUMBER.findall(text))


def checked(
    text: str, marks: Sequence[Mark], found: Sequence[Found], own: frozenset[str] = frozenset()
) -> Checked:
    """The passages that a text rests on, best first; where it cites none, those that say what it says."""
    sentences = list(sentences_of(text))
    bearing = Bearing(found, own)
    held: list[Cite] = []
    rejected: list[Rejected] = []
    for mark in marks if sentences else ():
        statement, reason = judged(text, span_at(sentences, mark.at, text), mark, bearing)
        if reason is None:
            held.append(Cite(*mark))
        else:
            rejected.append(Rejected(mark.number, statement, reason.text))
    is_cited = any(isinstance(mark, Cite) for mark in marks)
    spans = bearing.spans if is_cited else _alike(text, sentences[:_MOST], found)
    return Checked(_best_first(spans, found), held, rejected)


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
    return _support(statement, found.cited.text, found.cited.language)


_support = lru_cache(maxsize=256)(support)
"""What was checked while an answer came is checked once more when it is whole."""


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
