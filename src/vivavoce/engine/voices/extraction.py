"""Extraction: the sentences of passages that answer a question, and how likely they do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from vivavoce.domain.answers.answerability import FITTED, Evidence, logit_of, unlike_told
from vivavoce.domain.answers.coverage import Coverage
from vivavoce.domain.answers.extracting import (
    Weighed,
    best_of,
    in_order,
    ranked,
    weighed_for,
    with_kind_first,
)
from vivavoce.domain.answers.leading import with_what_follows
from vivavoce.domain.answers.reading import Candidate, Part
from vivavoce.domain.questions.spellings import as_they_spell
from vivavoce.engine.library.retrieval import Found
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge, Ports, Reading

from .abroad import told_abroad
from .inquiry import LONGEST, Inquiry
from .marking import Finding, marked_by

_READ_SENTENCES_OF = 3
_SENTENCES = 16
"""How many sentences it reads one by one, of how many parts at most."""
_UNREAD = Reading(-11.0, -4.0)
"""What a part without sentences that can stand by themselves is."""
_SPOKEN = 2.0
"""What speaking of all that is asked adds to the logit of a passage's score where words alone decide."""
_LACKING = 1.0
"""What it takes away where its nearest sentence lacks the kind of thing that is asked for, such as a date."""
_HALF = 0.5
"""A passage that speaks of no more of what is asked is wanting: "are there bears in the valley?"."""
_OF_THE_BEST = 0.78
"""Which share of the best sentence's score another must have where words alone decide."""
_ASKED_THERE = 0.95
"""How likely what stands under the very question answers it."""
_FOLLOWS = 0.7
"""How likely what follows an answer is what somebody wants who asks for more."""
_READERS = ("reader", "secondReader")
"""What those who have looked for the answer are called where it is told why."""
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
    rank: int = 0
    """How many answer better."""


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
    question: str,
    earlier: Sequence[str],
    found: Sequence[Found],
    ports: Ports,
    said: Sequence[str] = (),
    fresh: str | None = None,
) -> Extraction:
    """The sentences that answer; `earlier` are the messages before, `said` ours, the last one last.

    `fresh` is what the last question is asked of now, empty where another thing is asked of the same.
    """
    candidates = list(map(candidate_of, found))
    return await extracted_from(question, earlier, candidates, ports.embedders.judges(), said, fresh)


async def read_on(question: str, found: Sequence[Found], said: Sequence[str]) -> Extraction:
    """The sentences that follow those which were said last in answer to a question."""
    inquiry = Inquiry(question, (), tuple(map(candidate_of, found)), tuple(said))
    on = await asyncio.to_thread(inquiry.read_on) if said else []
    return Extraction(_sentences(on, on), _FOLLOWS if on else 0.0, {"readsOn": bool(on)})


async def extracted_from(
    question: str,
    earlier: Sequence[str],
    candidates: Sequence[Candidate],
    judges: Sequence[Judge],
    said: Sequence[str] = (),
    fresh: str | None = None,
) -> Extraction:
    """The sentences of any texts that answer.

    The first of the judges who can read them finds them, or words do; those who mark look at what was found,
    and in passages of another language than the question.
    """
    if not question.strip() or not candidates:
        return Extraction()
    asked = as_they_spell(question, (each.titled(each.text) for each in candidates))
    inquiry = Inquiry(asked, tuple(earlier), tuple(candidates), tuple(said), fresh)
    if there := await asyncio.to_thread(inquiry.answered_there):
        return Extraction(_sentences(there, there), _ASKED_THERE, {"isAskedThere": True})
    finding = await _answer_to(inquiry, judges)
    return await asyncio.to_thread(_extraction, inquiry, finding)


def candidate_of(found: Found) -> Candidate:
    """A passage that was found, as one that may answer."""
    cited = found.cited
    return Candidate.named(
        found.datasource.name, cited.text, cited.language, found.score, cited.passage.headings
    )


async def _answer_to(inquiry: Inquiry, judges: Sequence[Judge]) -> Finding:
    """What answers; where that was said to the question before, what answers the question by itself."""
    found = await _looked_for(inquiry, judges)
    if not (inquiry.points_back and found.is_answer):
        return found
    new = inquiry.news_in(found.chosen)
    return await _looked_for(inquiry.by_itself, judges) if new is None else replace(found, chosen=new)


async def _looked_for(inquiry: Inquiry, judges: Sequence[Judge]) -> Finding:
    readers = [each for each in judges if not each.tells_subjects]
    finding = await _found_by(inquiry, [each for each in judges if each.tells_subjects], readers)
    marked = await marked_by(inquiry, finding, readers)
    return await told_abroad(inquiry, marked, readers)


async def _found_by(inquiry: Inquiry, judges: Sequence[Judge], readers: Sequence[Judge]) -> Finding:
    for judge in judges:
        if parts := inquiry.readable_by(judge):
            with suppress(NotAvailable):  # its files are not the ones we know: others, or words, must do
                return await _by_reading(inquiry, parts, judge)
    return await asyncio.to_thread(_by_words, inquiry, readers)


async def _by_reading(inquiry: Inquiry, parts: Sequence[Part], judge: Judge) -> Finding:
    """What a judge finds: it reads the likeliest parts of the passages, then the sentences of the best."""
    told = dict(zip(parts, await judge.read(inquiry.text, list(map(inquiry.read, parts))), strict=True))
    logits = {part: reading.relevance for part, reading in told.items()}
    standing = {part: logits[part] + logit_of(inquiry.candidates[part.place].score) for part in parts}
    order = sorted(parts, key=lambda part: -standing[part])
    best = order[0]
    speaking = inquiry.speaking(order)
    likely = [part for part in order if part in speaking][:_READ_SENTENCES_OF]
    rivals = [part for part in likely if logits[part] >= logits[likely[0]] - _NEARLY]
    sentences = [(part, each) for part in rivals for each in speaking[part]][:_SENTENCES]
    read = await judge.read(inquiry.text, [inquiry.alone(each) for _, each in sentences])
    own = [reading for (part, _), reading in zip(sentences, read, strict=True) if part == best]
    nearest = max(own, default=_UNREAD)
    under = [
        each._replace(score=reading.relevance + standing[part] - standing[best])
        for (part, each), reading in zip(sentences, read, strict=True)
    ]
    alone = await _by_themselves(inquiry, under, read, judge)
    places = sorted(range(len(alone)), key=lambda place: -alone[place].score)
    is_open = inquiry.subject is not None
    others = [place for place in places[1:] if is_open or under[place].score >= 0]
    weighed = [alone[place] for place in (*places[:1], *others)]
    whole = inquiry.candidates[best.place].titled(inquiry.candidates[best.place].text)
    about = inquiry.text if inquiry.subject is None else inquiry.subject
    unlike = unlike_told(about, await judge.likeness(about, whole))
    evidence: Evidence | Coverage = inquiry.evidence(best.place)._replace(
        passage=logits[best],
        sentence=nearest.relevance,
        unlike=unlike,
        within=told[best].answers,
        said=nearest.answers,
    )
    if inquiry.coverage is not None:
        evidence = inquiry.coverage._replace(relevance=logits[best], unlike=unlike)
    chosen = best_of(weighed, weighed[0].score - _NEARLY if weighed else 0.0)
    liked = sorted(under, key=lambda each: -each.score)
    place = liked[0].passage.number if liked else None
    liked = [each for each in liked if each.passage.number == place]
    return Finding(chosen, evidence, place, judge.identity, liked=liked)


async def _by_themselves(
    inquiry: Inquiry, under: Sequence[Weighed], read: Sequence[Reading], judge: Judge
) -> list[Weighed]:
    """The sentences, those under a title that has words of the question weighed without it as well.

    Such a title makes any sentence look like the answer.
    """
    places = [place for place, each in enumerate(under) if inquiry.is_told_by_title(each)]
    bare = await judge.read(inquiry.text, [under[place].excerpt.text for place in places]) if places else []
    weighed = list(under)
    for place, reading in zip(places, bare, strict=True):
        lost = (read[place].relevance - reading.relevance) / 2
        weighed[place] = under[place]._replace(score=under[place].score - lost)
    return weighed


def _by_words(inquiry: Inquiry, readers: Sequence[Judge]) -> Finding:
    """What words alone tell, in whatever language: the sentences, and what speaks for them.

    What stands in another language is left to readers who know both.
    """
    every = range(len(inquiry.candidates))
    places = [place for place in every if inquiry.names(place)] or every
    passages = [inquiry.passage(place) for place in places]
    told = weighed_for(inquiry.question, inquiry.before, passages, LONGEST)
    weighed = [each for each in told if inquiry.is_told_on(each)]
    # Where what was said before is left out, so are passages that say nothing else.
    if len(weighed) < len(told):
        places = sorted({each.passage.number for each in weighed}) or places
    near = [each for each in places if not any(inquiry.is_abroad_to(reader, each) for reader in readers)]
    likely = near or places
    best = max(likely, key=lambda place: _standing(inquiry.evidence(place)))
    weighed.sort(key=lambda each: each.passage.number != best)
    weighed = with_kind_first(weighed, inquiry.expected(best))
    chosen = best_of(weighed, _OF_THE_BEST * weighed[0].score) if weighed else []
    if inquiry.coverage is not None:
        return Finding(chosen, inquiry.coverage, best)
    evidence = inquiry.evidence(best)
    said = [*chosen[:1], *with_what_follows(chosen, inquiry.question)]
    is_wanting = bool(evidence.lacking) and not any(map(inquiry.has_what_is_asked, said))
    is_fitted = inquiry.candidates[best].language in FITTED
    is_wanting = not is_fitted and (is_wanting or evidence.asked <= _HALF)
    return Finding(chosen, evidence, best, is_wanting=is_wanting)


def _standing(evidence: Evidence) -> float:
    """What words alone tell of a passage before its sentences are weighed."""
    return evidence.score + _SPOKEN * evidence.asked - _LACKING * evidence.lacking


def _extraction(inquiry: Inquiry, finding: Finding) -> Extraction:
    chosen = inquiry.headed() or with_what_follows(finding.chosen, inquiry.question)
    said = in_order(chosen) if finding.is_answer else []
    readers = dict(zip(_READERS, finding.readers, strict=False))
    why = {**finding.evidence.written(), "judge": finding.judge, "reader": None, **readers}
    return Extraction(_sentences(said, ranked(chosen)), round(finding.likelihood, 4), why)


def _sentences(said: Sequence[Weighed], best_first: Sequence[Weighed]) -> tuple[Sentence, ...]:
    ranks = {_place(each): rank for rank, each in enumerate(best_first)}
    return tuple(Sentence(*_place(each), rank=ranks[_place(each)]) for each in said)


def _place(weighed: Weighed) -> tuple[int, int, int]:
    start = weighed.excerpt.start
    return weighed.passage.number, start, start + len(weighed.excerpt.text)
