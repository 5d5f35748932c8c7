"""Evaluation: an avatar is asked questions whose answers are known, as any client would ask them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from vivavoce.domain.corpus.quotes import Folded, folded
from vivavoce.domain.language.sentences import Span
from vivavoce.domain.values import DOCUMENT, TEXT
from vivavoce.errors import InvalidInput, NotFound, VivavoceError
from vivavoce.operations import OPERATOR, Backend
from vivavoce.operations.avatar_results import AvatarResponse, Citation, SourceShown
from vivavoce.operations.avatars import GenerateResponse, GetAvatarInfo, ListAvatarSources, QueryCorpus
from vivavoce.operations.knowledge import GetDatasource, ReadDocument

from .evaluating_figures import Summary, summary_of
from .evaluating_outcomes import Cited, Outcome, meets
from .evaluating_questions import GoldQuote, Trial

AT_ONCE = 2
"""How many questions are under way at the same time, unless told otherwise."""
_AROUND = 200
"""Characters read around a citation beyond twice the length of a gold quote, which a PDF may stretch."""

Told = Callable[[int, int], None]
"""Told how many questions are answered, of how many."""


@dataclass
class Evaluation:
    """A run over questions; what it has come to can be read at any time, also after it was stopped."""

    avatar_id: str
    trials: Sequence[Trial]
    began: datetime
    at_once: int = AT_ONCE
    """How many questions are under way at the same time, which latencies depend on."""
    name: str = ""
    corpus_version: str = ""
    absent: list[tuple[Trial, GoldQuote]] = field(default_factory=list)
    """The gold quotes that do not stand in the corpus, which no answer can cite."""
    seconds: float = 0.0
    _outcomes: dict[str, Outcome] = field(default_factory=dict)

    @property
    def outcomes(self) -> list[Outcome]:
        """What became of the questions that were asked, in the order of the file."""
        return [self._outcomes[trial.id] for trial in self.trials if trial.id in self._outcomes]

    @property
    def is_partial(self) -> bool:
        """Whether it was stopped before every question was asked."""
        return len(self._outcomes) < len(self.trials)

    @property
    def summary(self) -> Summary:
        """The figures."""
        return summary_of(self.outcomes)

    async def run(self, backend: Backend, told: Told) -> None:
        """Ask every question; NotFound where there is no such avatar."""
        await self._look_at_corpus(backend)
        told(0, len(self.trials))
        began = time.perf_counter()
        waiting = iter(self.trials)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.at_once, len(self.trials))):
                    group.create_task(self._ask(waiting, backend, told))
        finally:
            self.seconds = time.perf_counter() - began

    async def _look_at_corpus(self, backend: Backend) -> None:
        about = await backend.run(GetAvatarInfo.parse({"avatarId": self.avatar_id}), OPERATOR)
        self.name, self.corpus_version = about.name, about.corpus_version
        self.absent = await _absent(self.avatar_id, self.trials, backend)
        # The embedder and the index are loaded now, so that no question is timed with that.
        await backend.run(QueryCorpus(avatar_id=self.avatar_id, query=about.name, limit=1), OPERATOR)

    async def _ask(self, waiting: Iterator[Trial], backend: Backend, told: Told) -> None:
        for trial in waiting:
            self._outcomes[trial.id] = await _outcome(self.avatar_id, trial, backend)
            told(len(self._outcomes), len(self.trials))


async def _outcome(avatar_id: str, trial: Trial, backend: Backend) -> Outcome:
    op = GenerateResponse(avatar_id=avatar_id, question=trial.question, context=trial.context)
    began = time.perf_counter()
    try:
        answer = await backend.run(op, OPERATOR)
    except VivavoceError as error:
        return Outcome(trial, time.perf_counter() - began, error=f"{error.code}: {error}")
    seconds = time.perf_counter() - began
    return Outcome(trial, seconds, answer, cited=await _cited(answer, trial, backend))


async def _cited(answer: AvatarResponse, trial: Trial, backend: Backend) -> tuple[Cited, ...]:
    return tuple([await _looked_up(each, trial.quotes, backend) for each in answer.citations])


async def _looked_up(citation: Citation, gold: Sequence[GoldQuote], backend: Backend) -> Cited:
    if await _read(citation, Span(citation.start, citation.end), backend) != citation.quote:
        return Cited(citation, is_exact=False)
    near = [
        place
        for place, quote in enumerate(gold)
        if quote.is_from(citation.source, citation.source_id) and await _is_near(citation, quote, backend)
    ]
    return Cited(citation, is_exact=citation.quote.strip() != "", meets=tuple(near))


async def _is_near(citation: Citation, gold: GoldQuote, backend: Backend) -> bool:
    """Whether the citation overlaps the gold quote, looked for in the document that is cited."""
    margin = 2 * len(gold.text) + _AROUND
    start = max(citation.start - margin, 0)
    text = await _read(citation, Span(start, citation.end + margin), backend)
    return meets(Span(citation.start - start, citation.end - start), text, gold)


async def _read(citation: Citation, span: Span, backend: Backend) -> str:
    """What the document that is cited says there, piece by piece; nothing where it cannot be read."""
    pieces: list[str] = []
    for start in range(span.start, span.end, TEXT):
        end = min(start + TEXT, span.end)
        try:
            op = ReadDocument.parse({"documentId": citation.document_id, "start": start, "end": end})
            pieces.append((await backend.run(op, OPERATOR)).text)
        except (NotFound, InvalidInput):
            return ""
    return "".join(pieces)


async def _absent(avatar_id: str, trials: Sequence[Trial], backend: Backend) -> list[tuple[Trial, GoldQuote]]:
    missing = [(trial, quote) for trial in trials for quote in trial.quotes]
    if not missing:
        return []
    for source in (await backend.run(ListAvatarSources(avatar_id=avatar_id), OPERATOR)).sources:
        if source.datasource_id is not None:
            text = (await backend.run(GetDatasource(id=source.datasource_id), OPERATOR)).text
            missing = await asyncio.to_thread(_still_missing, missing, source, text)
    return missing


def _still_missing(
    missing: Sequence[tuple[Trial, GoldQuote]], source: SourceShown, text: str
) -> list[tuple[Trial, GoldQuote]]:
    evened: Folded | None = None
    left = []
    for trial, quote in missing:
        if quote.is_from(source.title, source.id):
            if quote.text in text or len(text) >= DOCUMENT:  # of a longer document we see a part alone
                continue
            evened = folded(text) if evened is None else evened
            if evened.span_of(quote.text) is not None:
                continue
        left.append((trial, quote))
    return left
