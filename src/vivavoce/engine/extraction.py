"""Extraction: the sentences of passages that answer a question, and how likely they do."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from vivavoce.domain.answerability import Evidence, logit_of, spoken_of, together_told, unlike_told
from vivavoce.domain.asked_there import is_asked_in
from vivavoce.domain.excerpts import excerpts_of, is_instruction
from vivavoce.domain.expecting import expected_by
from vivavoce.domain.extracting import Passage, Weighed, best_of, in_order, weighed_for
from vivavoce.domain.identifiers import Identified, identified_in
from vivavoce.domain.languages import language_of
from vivavoce.domain.open_questions import Coverage, coverage_of, subject_of
from vivavoce.domain.questions import completed, points_back, wanted_in
from vivavoce.domain.reading import Candidate, Part, likeliest_parts
from vivavoce.domain.words import respelled, words_of
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge, Ports, Reading

from .retrieval import Found

_ANSWERS = 0.5
"""From this likelihood on the sentences are said."""
_READ_CHARACTERS = 6_000
"""How much of the passages the judge reads, about as many characters as it reads in a second."""
_READ_PASSAGES = 10
_READ_SENTENCES_OF = 3
_SENTENCES = 16
"""How many sentences it reads one by one, of how many parts at most."""
_UNREAD = Reading(-11.0, -4.0)
"""What a part without sentences that can stand by themselves is."""
_SPOKEN = 2.0
"""What speaking of all that is asked adds to the logit of a passage's score where words alone decide."""
_LONGEST = 1_000
"""The most characters of a sentence that is said: long ones of treatises and statutes too."""
_OF_THE_BEST = 0.78
"""Which share of the best sentence's score another must have where words alone decide."""
_ASKED_THERE = 0.95
"""How likely what stands under the very question answers it."""
_FIRST = 2
"""How many sentences under it are said."""
_NEARLY = 3.0
"""How far the logit of a sentence, or of a part, may be behind that of the best one."""


@dataclass(frozen=True)
class Sentence:
    """A sentence that answers."""

    place: int
    """Of its passage among those that were found, from 0."""
    start: int
    end: int
    """Where it stands in the text of the passage."""


@dataclass(frozen=True)
class Extraction:
    """What was extracted for a question."""

    sentences: tuple[Sentence, ...] = ()
    """In the order in which they are said; none where the passages do not answer."""
    likelihood: float = 0.0
    """How likely the passages answer the question at all, from 0 to 1."""
    why: dict[str, Any] = field(default_factory=dict)
    """The evidence, as numbers with names."""


async def extracted(
    question: str, earlier: Sequence[str], found: Sequence[Found], ports: Ports
) -> Extraction:
    """The sentences that answer; `earlier` are the messages before, the last one last."""
    return await extracted_from(question, earlier, list(map(candidate_of, found)), ports.embedders.judges())


async def extracted_from(
    question: str, earlier: Sequence[str], candidates: Sequence[Candidate], judges: Sequence[Judge]
) -> Extraction:
    """The sentences of any texts that answer, as the first of the judges finds who can read them."""
    if not question.strip() or not candidates:
        return Extraction()
    asking = _Asking(question, tuple(earlier), tuple(candidates))
    if there := await asyncio.to_thread(asking.answered_there):
        return Extraction(tuple(map(_sentence, there)), _ASKED_THERE, {"isAskedThere": True})
    for judge in judges:
        if parts := asking.readable_by(judge):
            with suppress(NotAvailable):  # its files are not the ones we know: others, or words, must do
                if judge.tells_subjects:
                    return await _by_reading(asking, parts, judge)
                return await _by_marking(asking, {part.place for part in parts}, judge)
    return _extraction(*await asyncio.to_thread(_by_words, asking), None)


def candidate_of(found: Found) -> Candidate:
    """A passage that was found, as one that may answer."""
    cited = found.cited
    return Candidate.named(
        found.datasource.name, cited.text, cited.language, found.score, cited.passage.headings
    )


@dataclass(frozen=True)
class _Asking:
    """A question, and the passages among which its answer is looked for."""

    question: str
    earlier: tuple[str, ...]
    candidates: tuple[Candidate, ...]

    @cached_property
    def text(self) -> str:
        """The question as somebody reads it who has not heard what was said before, in their spelling."""
        texts = [each.titled(each.text) for each in self.candidates]
        return respelled(completed(self.question, self.earlier), texts)

    def answered_there(self) -> list[Weighed]:
        """The first sentences under this very question, where a passage asks it."""
        if self.earlier and points_back(self.question):
            return []
        for place, each in enumerate(self.candidates):
            every = excerpts_of(each.text, each.language, _LONGEST)
            first = next((one for one in every if is_asked_in(self.question, one.question)), None)
            under = [
                sentence
                for sentence in self.sentences(Part(place, 0, len(each.text)))
                if first is not None and sentence.excerpt.question == first.question
            ]
            if under and under[0].excerpt == first:  # else its answer is one that is not said
                return under[:_FIRST]
        return []

    def readable_by(self, judge: Judge) -> list[Part]:
        """What a judge can read in good time, in a language that it knows, the likeliest first."""
        places = [
            place
            for place, each in enumerate(self.candidates[:_READ_PASSAGES])
            if (
                not judge.languages
                or {each.language, language_of(self.question, each.language)} <= judge.languages
            )
            and self.names(place)
        ]
        parts = likeliest_parts(self.question, self.earlier, self.candidates, places, _READ_CHARACTERS)
        return [part for part in parts if self.sentences(part)] if self.identified else parts

    @cached_property
    def subject(self) -> str | None:
        """What the question is about, where it asks for no one thing."""
        is_complete = not self.earlier or not points_back(self.question)
        return subject_of(self.question) if is_complete else None

    @cached_property
    def coverage(self) -> Coverage | None:
        """How much of the passages is about that; None for a question that asks for one thing."""
        return None if self.subject is None else coverage_of(self.question, self.candidates)

    @cached_property
    def identified(self) -> tuple[Identified, ...]:
        """What the question names by number or code."""
        return identified_in(self.question)

    def names(self, place: int) -> bool:
        """Whether the passage at a place has all that the question names by number or code."""
        each = self.candidates[place]
        return all(one.is_in(each.titled(each.text)) for one in self.identified)

    def passage(self, place: int) -> Passage:
        """A passage as sentences are looked for in it."""
        each = self.candidates[place]
        return Passage(place, each.text, each.language, each.score, each.titled(""))

    def read(self, part: Part) -> str:
        """A part of a passage, as the judge reads it."""
        each = self.candidates[part.place]
        return each.titled(each.text[part.start : part.end])

    def sentences(self, part: Part) -> list[Weighed]:
        """The sentences of a part that may be said."""
        passage = self.passage(part.place)
        return [
            Weighed(0.0, 1.0, False, passage, excerpt)
            for excerpt in excerpts_of(passage.text, passage.language, _LONGEST)
            if part.start <= excerpt.start < part.end
            and not is_instruction(excerpt.text)
            and passage.is_of(self.identified, excerpt)
        ]

    def spoken(self, place: int) -> tuple[float, float]:
        """Which share of what is asked the passage at a place speaks of, and how many names it lacks."""
        each = self.candidates[place]
        words = words_of(each.titled(each.text), each.language)
        return spoken_of(wanted_in(self.question, self.earlier, each.language).against(words), words)

    def evidence(self, place: int) -> Evidence:
        """What the words of the passage at a place tell."""
        each = self.candidates[place]
        words = words_of(each.titled(each.text), each.language)
        wanted = wanted_in(self.question, self.earlier, each.language).against(words)
        expected = None if wanted.is_foreign else expected_by(self.question, each.language)
        title = words_of(each.titled(""), each.language)
        sentences = excerpts_of(each.text, each.language, len(each.text))
        return Evidence(*self.spoken(place), *together_told(wanted, expected, title, sentences))


async def _by_reading(asking: _Asking, parts: Sequence[Part], judge: Judge) -> Extraction:
    """What a judge finds: it reads the likeliest parts of the passages, then the sentences of the best."""
    told = dict(zip(parts, await judge.read(asking.text, list(map(asking.read, parts))), strict=True))
    logits = {part: reading.relevance for part, reading in told.items()}
    standing = {part: logits[part] + logit_of(asking.candidates[part.place].score) for part in parts}
    order = sorted(parts, key=lambda part: -standing[part])
    best = order[0]
    rivals = [part for part in order[:_READ_SENTENCES_OF] if logits[part] >= logits[best] - _NEARLY]
    sentences = [(part, each) for part in rivals for each in asking.sentences(part)][:_SENTENCES]
    read = await judge.read(
        asking.text,
        [asking.candidates[part.place].alone(each.excerpt) for part, each in sentences],
    )
    own = [reading for (part, _), reading in zip(sentences, read, strict=True) if part == best]
    nearest = max(own, default=_UNREAD)
    weighed = [
        each._replace(score=reading.relevance + standing[part] - standing[best])
        for (part, each), reading in zip(sentences, read, strict=True)
    ]
    weighed.sort(key=lambda each: -each.score)
    whole = asking.candidates[best.place].titled(asking.candidates[best.place].text)
    about = asking.text if asking.subject is None else asking.subject
    unlike = unlike_told(about, await judge.likeness(about, whole))
    evidence: Evidence | Coverage = asking.evidence(best.place)._replace(
        passage=logits[best],
        sentence=nearest.relevance,
        unlike=unlike,
        within=told[best].answers,
        said=nearest.answers,
    )
    if asking.coverage is not None:
        evidence = asking.coverage._replace(relevance=logits[best], unlike=unlike)
    chosen = best_of(weighed, max(weighed[0].score - _NEARLY, 0.0)) if weighed else []
    return _extraction(chosen, evidence, judge.identity)


async def _by_marking(asking: _Asking, places: Collection[int], judge: Judge) -> Extraction:
    """What words tell, and one who looks for the answer in the passage and the sentence that they choose.

    It does not choose itself: of many passages without the answer, one always looks as if it had it.
    """
    chosen, evidence = await asyncio.to_thread(_by_words, asking)
    place = chosen[0].passage.number if chosen else -1
    if place not in places or not isinstance(evidence, Evidence):  # else nothing is asked for that has a mark
        return _extraction(chosen, evidence, None)
    parts = likeliest_parts(asking.question, asking.earlier, asking.candidates, [place], _READ_CHARACTERS)
    alone = asking.candidates[place].alone(chosen[0].excerpt)
    *within, said = await judge.read(asking.text, [*map(asking.read, parts), alone])
    sure = max((each.answers for each in within), default=said.answers)
    marked = evidence._replace(passage=sure, within=sure, said=said.answers, is_marked=True)
    return _extraction(chosen, marked, judge.identity)


def _by_words(asking: _Asking) -> tuple[list[Weighed], Evidence | Coverage]:
    """What words alone tell, in whatever language: the sentences, and what speaks for them."""
    every = range(len(asking.candidates))
    places = [place for place in every if asking.names(place)] or every
    best = max(
        places, key=lambda place: logit_of(asking.candidates[place].score) + _SPOKEN * asking.spoken(place)[0]
    )
    passages = [asking.passage(place) for place in places]
    weighed = weighed_for(asking.question, asking.earlier, passages, _LONGEST)
    weighed.sort(key=lambda each: each.passage.number != best)
    chosen = best_of(weighed, _OF_THE_BEST * weighed[0].score) if weighed else []
    return chosen, asking.evidence(best) if asking.coverage is None else asking.coverage


def _extraction(chosen: Sequence[Weighed], evidence: Evidence | Coverage, judge: str | None) -> Extraction:
    likelihood = round(evidence.likelihood, 4)
    said = in_order(chosen) if likelihood >= _ANSWERS else []
    why = {**evidence.written(), "judge": judge}
    return Extraction(tuple(map(_sentence, said)), likelihood, why)


def _sentence(weighed: Weighed) -> Sentence:
    start = weighed.excerpt.start
    return Sentence(weighed.passage.number, start, start + len(weighed.excerpt.text))
