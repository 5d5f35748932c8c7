"""Grounding: an avatar answers with claims, each borne out by a quote that stands in the corpus."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from vivavoce.domain.avatars import Avatar, Confidence, Source
from vivavoce.domain.certainty import Certainty, coverage
from vivavoce.domain.claims.reporting import has_rules
from vivavoce.domain.constraints import Constraints, constraints_in
from vivavoce.domain.framing import SPOKEN, spoken_language
from vivavoce.domain.language.languages import language_of
from vivavoce.domain.questions.eras import Later, later_than
from vivavoce.domain.questions.identifiers import identified_in
from vivavoce.domain.questions.introductions import SmallTalk, small_talk
from vivavoce.domain.questions.standalone import Spoken, Standalone
from vivavoce.engine.handlers import Errand
from vivavoce.engine.library.retrieval import Found
from vivavoce.errors import InvalidInput
from vivavoce.operations.avatar_results import Citation
from vivavoce.operations.avatars import GenerateResponse
from vivavoce.ports import Model, Said

from .checking import Checked, Scene, checked, windows_of
from .claiming import Drafting, drafting_with, model_of
from .constraining import shortened, unshunned
from .corpora import asked_of, corpus_passages, language_read_by, read_by, sources_of
from .explaining import Why
from .extraction import Extraction, extracted, read_on
from .handed import handed_in
from .quoting import quoted
from .surroundings import Window
from .voicing import (
    Reason,
    Voiced,
    introduced,
    is_strange,
    limit_said,
    others_for,
    silence,
    spoken_from_claims,
    spoken_from_quotes,
)

PASSAGES = 10
"""How many passages an answer is looked for in, besides those that a caller hands in."""
_DEEP = 50
"""How far the passages of a caller are looked for among those that were found."""
_RELEVANT = 0.1
"""Less likely passages are not shown to a model."""
_NO_RULES = "it is in a language in which it cannot be told who speaks"


@dataclass(frozen=True)
class Grounded:
    """What an avatar says, and all that it rests on."""

    response: str
    language: str
    """That of what the avatar itself says; quotes stay in theirs."""
    citations: Sequence[Citation] = ()
    confidence: Confidence = "low"
    abstained: bool = True
    why: dict[str, Any] = field(default_factory=dict)
    """The question as it was looked up, passages with scores, claims kept and dropped with reasons."""


async def answer_from(avatar: Avatar, op: GenerateResponse, errand: Errand) -> Grounded:
    """What the corpus of an avatar answers; InvalidInput where nothing is asked."""
    if not op.question.strip():
        raise InvalidInput("question: must not be blank.", details={"question": "must not be blank"})
    about = avatar.about
    talk = small_talk(op.question, (about.name, *about.name.split()[-1:]))
    if talk is not None:
        return await _introduced(talk, avatar, op, errand)
    return await (await _Answering.of(avatar, op, errand)).answered()


async def _introduced(talk: SmallTalk, avatar: Avatar, op: GenerateResponse, errand: Errand) -> Grounded:
    """Who speaks: nothing that a corpus would answer was asked, so nothing is claimed."""
    people = [each.content for each in op.context]
    likely = await errand.read(partial(language_read_by, avatar))
    language = talk.language if talk.language in SPOKEN else spoken_language(op.question, people, likely)
    why = Why(op.question, Standalone(op.question, op.question, ()), None)
    why.silence("small talk")
    read = await errand.read(partial(read_by, avatar, await sources_of(avatar)), is_long=True)
    return Grounded(introduced(talk, avatar, read, language), language, why=why.written())


@dataclass
class _Answering:
    """One question on its way to an answer."""

    avatar: Avatar
    errand: Errand
    op: GenerateResponse
    context: list[Spoken]
    asked: Standalone
    language: str
    later: Later | None
    sources: list[Source]
    why: Why
    rules: Constraints
    ends: float
    """When the caller must have an answer, on the clock of the loop."""
    is_constrained: bool = False
    """Whether something would have been said that the rules do not allow."""

    @classmethod
    async def of(cls, avatar: Avatar, op: GenerateResponse, errand: Errand) -> _Answering:
        patience = errand.patience if errand.caller.is_hurried else math.inf
        ends = asyncio.get_running_loop().time() + patience
        context, asked = asked_of(avatar, op.question, [(each.role, each.content) for each in op.context])
        people = [each.text for each in context if not each.is_ours]
        later = later_than(asked.question, avatar.about.ends, errand.ports.now().date())
        if later is not None and not later.is_year:
            asked = asked.without(later.word)
        likely = await errand.read(partial(language_read_by, avatar))
        language = spoken_language(op.question, people, likely)
        sources, why = await sources_of(avatar), Why(op.question, asked, later)
        rules = constraints_in(avatar.about.system_prompt.constraints)
        return cls(avatar, errand, op, context, asked, language, later, sources, why, rules, ends)

    async def answered(self) -> Grounded:
        found = await self._passages()
        if self._is_shunned():  # a sentence may answer it with "it" for what is not to be spoken of
            self.is_constrained = True
            return await self._silent(found)
        windows = await windows_of(found, self.errand)
        model = await self.errand.read(partial(model_of, self.avatar), is_long=True) if found else None
        extraction, voiced = await self._read(model, found, windows)
        self.why.extraction(extraction)
        scene = Scene(self.avatar, self.sources, windows, self.op.question, ())
        quotes = quoted(extraction.sentences, scene, self.rules)
        if voiced is None:
            voiced = self._extracted(quotes)
        if not voiced.citations:
            self.is_constrained |= any(each.is_constrained for each in quotes)
            return await self._silent(found)
        return self._said(voiced, extraction, found)

    async def _read(
        self, model: Model | None, found: Sequence[Found], windows: Sequence[Window]
    ) -> tuple[Extraction, Voiced | None]:
        """What can be extracted, and what a model drafts; it writes while the passages are read."""
        asked = self.asked
        ports, question = self.errand.ports, asked.question
        extracting = (
            read_on(question, found, asked.said)
            if asked.is_more
            else extracted(question, asked.earlier, found, ports, asked.said, asked.fresh)
        )
        if model is None:
            return await extracting, None
        drafting = asyncio.create_task(self._drafted(model, found, windows))
        try:
            return await extracting, await drafting
        finally:
            drafting.cancel()
            await asyncio.wait([drafting])  # until what it cost is counted

    async def _passages(self) -> list[Found]:
        """What was found in the corpus, and what the caller handed in and stands there."""
        given = self.op.passages
        deep = await corpus_passages(self.avatar, self.asked.text, _DEEP if given else PASSAGES, self.errand)
        found = deep[:PASSAGES]
        handed = await handed_in(given, self.avatar, self.sources, deep, self.errand)
        places = {_place(each) for each in found}
        joined = [*found, *(each for each in handed.found if _place(each) not in places)]
        joined.sort(key=lambda each: -each.score)
        self.why.passages(joined, {_place(each) for each in handed.found}, handed.refused, self.sources)
        return joined

    async def _drafted(
        self, model: Model, found: Sequence[Found], windows: Sequence[Window]
    ) -> Voiced | None:
        """What a model makes of the passages, for the avatar's money; None where it is no use."""
        async with drafting_with(model, self.avatar, self.errand, self.ends) as drafting:
            return await self._claimed(drafting, found, windows)

    async def _claimed(
        self, drafting: Drafting, found: Sequence[Found], windows: Sequence[Window]
    ) -> Voiced | None:
        """What a model claims, without what does not hold."""
        likely = [place for place, each in enumerate(found) if each.score >= _RELEVANT] or range(len(found))
        given, around = [found[place] for place in likely], [windows[place] for place in likely]
        history = [Said("agent" if each.is_ours else "person", each.text) for each in self.context]
        draft = await drafting.draft(
            self.avatar.about, self.op.question, history, given, limit_said(self.later, self.language)
        )
        if draft is None:
            self.why.model(drafting.written(), fell_back=True)
            return None
        people = (*(each.text for each in self.context), self.op.question)
        named = identified_in(self.asked.question)
        scene = Scene(self.avatar, self.sources, around, self.op.question, people, named)
        told = [
            unshunned(each, self.rules) if has_rules(each.claim.text) else each.dropped(_NO_RULES)
            for each in await checked(draft.claims, scene)
        ]
        claims = shortened(await drafting.reread(told), self.rules)
        kept = [each for each in claims if not each.reason]
        self._noted(claims, draft.passed_over)
        is_lost = bool(claims) and not kept  # it found something to say, though not as it put it
        self.why.model(drafting.written(), fell_back=is_lost)
        if is_lost:
            return None
        limit = limit_said(self.later, self.language)
        return spoken_from_claims(kept, self.avatar, self.sources, self.language, limit)

    def _extracted(self, quotes: Sequence[Checked]) -> Voiced:
        """Sentences of the corpus as they stand."""
        self._noted(quotes, 0)
        said = [(each.quote, each.where) for each in quotes if not each.reason]
        limit = limit_said(self.later, self.language)
        pairs = [(quote, where) for quote, where in said if quote is not None and where is not None]
        return spoken_from_quotes(pairs, self.avatar, self.sources, self.language, limit)

    def _noted(self, claims: Sequence[Checked], passed_over: int) -> None:
        """Keeps what became of claims, and whether the persona's constraints dropped any."""
        self.why.claims(claims, passed_over)
        self.is_constrained |= any(each.is_constrained for each in claims)

    def _said(self, voiced: Voiced, extraction: Extraction, found: Sequence[Found]) -> Grounded:
        places = {(each.document_id, each.start) for each in voiced.citations}
        quoted = [
            each
            for each in found
            if any(
                each.cited.document_id == document
                and each.cited.passage.start <= start < each.cited.passage.end
                for document, start in places
            )
        ]
        quotes = [each.quote for each in voiced.citations]
        language = quoted[0].cited.language if quoted else ""
        certainty = Certainty(
            retrieval=max((each.score for each in quoted or found), default=0.0),
            likelihood=extraction.likelihood,
            coverage=coverage(self.asked.text, quotes, language),
            passages=len(quoted),
            sources=len({each.document_id for each in voiced.citations}),
        )
        self.why.confidence(certainty)
        return Grounded(
            voiced.text,
            self.language,
            voiced.citations,
            certainty.confidence(is_limited=self.later is not None),
            abstained=False,
            why=self.why.written(),
        )

    async def _silent(self, found: Sequence[Found]) -> Grounded:
        """The acknowledgement of limits."""
        read = await self.errand.read(partial(read_by, self.avatar, self.sources), is_long=True)
        reason = self._reason(found, is_empty=not found and read.is_nothing)
        others = await self.errand.read(lambda work: others_for(self.asked.text, self.avatar, work))
        response = silence(
            self.avatar,
            read.sources,
            found,
            self.asked.text,
            self.language,
            reason=reason,
            limit=limit_said(self.later, self.language),
            others=others,
        )
        self.why.silence(reason)
        return Grounded(response, self.language, why=self.why.written())

    def _reason(self, found: Sequence[Found], *, is_empty: bool) -> Reason:
        """Why nothing is answered."""
        if is_empty:
            return "empty corpus"
        if self.is_constrained:
            return "constraint"
        if self.later is not None:
            return "after its time"
        is_stranger = is_strange(self.asked.text, self.avatar, self.sources, found)
        return "out of scope" if is_stranger else "corpus miss"

    def _is_shunned(self) -> bool:
        """Whether the question itself speaks of what is not to be spoken of."""
        question = self.asked.question
        return bool(self.rules.shuns(question, language_of(question, self.language)))


def _place(found: Found) -> tuple[str, int, int]:
    return found.cited.document_id, found.cited.passage.start, found.cited.passage.end
