"""Extraction: the sentences of passages that answer a question, and how likely they do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from vivavoce.domain.answerability import Evidence, logit_of, spoken_of
from vivavoce.domain.excerpts import excerpts_of, is_instruction
from vivavoce.domain.extracting import Passage, Weighed, best_of, in_order, weighed_for
from vivavoce.domain.languages import language_of
from vivavoce.domain.library import embedded_text, title_of
from vivavoce.domain.questions import completed, tells, wanted_in
from vivavoce.domain.words import words_of
from vivavoce.errors import NotAvailable
from vivavoce.ports import Judge, Ports

from .retrieval import Found

_ANSWERS = 0.5
"""From this likelihood on the sentences are said."""
_READ_CHARACTERS = 5_000
"""How much of the passages the judge reads, about as many characters as it reads in a second."""
_READ_PASSAGES = 10
_READ_SENTENCES_OF = 2
_SENTENCES = 24
"""How many sentences it reads one by one, of how many passages at most."""
_UNREAD = -11.0
"""The logit of a passage without sentences that can stand by themselves."""
_ORDINARY = 0.77
"""How like the words are where the question has none that tells something."""
_SPOKEN = 2.0
"""What speaking of all that is asked adds to the logit of a passage's score where words alone decide."""
_OF_THE_BEST = 0.78
"""Which share of the best sentence's score another must have where words alone decide."""
_NEARLY = 3.0
"""How far the logit of a sentence, or of a passage, may be behind that of the best one."""


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
    if not question.strip() or not found:
        return Extraction()
    asking = _Asking(question, tuple(earlier), tuple(found))
    judge = ports.embedders.judge()
    readable = [] if judge is None else asking.readable_by(judge)
    if judge is not None and readable:
        try:
            return await _by_reading(asking, readable, judge)
        except NotAvailable:
            pass  # its files are not the ones we know: words alone must do
    return await asyncio.to_thread(_by_words, asking)


@dataclass(frozen=True)
class _Asking:
    """A question, and the passages among which its answer is looked for."""

    question: str
    earlier: tuple[str, ...]
    found: tuple[Found, ...]

    @cached_property
    def text(self) -> str:
        """The question as somebody reads it who has not heard what was said before."""
        return completed(self.question, self.earlier)

    def readable_by(self, judge: Judge) -> list[int]:
        """The places of the passages that a judge can read in good time, in a language that it knows."""
        left = _READ_CHARACTERS
        places = []
        for place, each in enumerate(self.found[:_READ_PASSAGES]):
            spoken = {each.cited.language, language_of(self.question, each.cited.language)}
            if (not judge.languages or spoken <= judge.languages) and left > 0:
                places.append(place)
                left -= len(each.cited.text)
        return places

    def passage(self, place: int) -> Passage:
        """A passage as sentences are looked for in it."""
        each = self.found[place]
        return Passage(place, each.cited.text, each.cited.language, each.score)

    def titled(self, place: int, text: str) -> str:
        """A text of a passage under the titles that it stands under."""
        name, headings = self.found[place].datasource.name, self.found[place].cited.passage.headings
        return embedded_text(title_of(name) or (name if name.isalpha() else ""), headings, text)

    def evidence(self, place: int) -> Evidence:
        """What speaks for the passage at a place."""
        each = self.found[place]
        wanted = wanted_in(self.question, self.earlier, each.cited.language)
        words = words_of(self.titled(place, each.cited.text), each.cited.language)
        return Evidence(*spoken_of(wanted, words))


async def _by_reading(asking: _Asking, places: Sequence[int], judge: Judge) -> Extraction:
    """What a judge finds: it reads the best passages, and then the sentences of the best two."""
    texts = [asking.titled(place, asking.found[place].cited.text) for place in places]
    logits = dict(zip(places, await judge.relevance(asking.text, texts), strict=True))
    standing = {place: logits[place] + logit_of(asking.found[place].score) for place in places}
    order = sorted(places, key=lambda place: -standing[place])
    rivals = [place for place in order[:_READ_SENTENCES_OF] if logits[place] >= logits[order[0]] - _NEARLY]
    sentences = [
        Weighed(0.0, 1.0, False, passage, excerpt)
        for passage in map(asking.passage, rivals)
        for excerpt in excerpts_of(passage.text, passage.language)
        if not is_instruction(excerpt.text)
    ][:_SENTENCES]
    read = await judge.relevance(
        asking.text, [asking.titled(each.passage.number, each.excerpt.text) for each in sentences]
    )
    own = [logit for each, logit in zip(sentences, read, strict=True) if each.passage.number == order[0]]
    weighed = [
        each._replace(score=logit + standing[each.passage.number] - standing[order[0]])
        for each, logit in zip(sentences, read, strict=True)
    ]
    weighed.sort(key=lambda each: -each.score)
    text = asking.titled(order[0], asking.found[order[0]].cited.text)
    alike = [like for word, like in await judge.likeness(asking.text, text) if tells(word, "en")]
    evidence = asking.evidence(order[0])._replace(
        passage=logits[order[0]], sentence=max(own, default=_UNREAD), worst=min(alike, default=_ORDINARY)
    )
    chosen = best_of(weighed, max(weighed[0].score - _NEARLY, 0.0)) if weighed else []
    return _extraction(chosen, evidence, judge.identity)


def _by_words(asking: _Asking) -> Extraction:
    """What words alone tell, in whatever language."""
    places = range(len(asking.found))
    evidences = [asking.evidence(place) for place in places]
    best = max(
        places, key=lambda place: logit_of(asking.found[place].score) + _SPOKEN * evidences[place].asked
    )
    passages = [asking.passage(place) for place in places]
    weighed = weighed_for(asking.question, asking.earlier, passages)
    weighed.sort(key=lambda each: each.passage.number != best)
    chosen = best_of(weighed, _OF_THE_BEST * weighed[0].score) if weighed else []
    return _extraction(chosen, evidences[best], None)


def _extraction(chosen: Sequence[Weighed], evidence: Evidence, judge: str | None) -> Extraction:
    likelihood = round(evidence.likelihood, 4)
    said = in_order(chosen) if likelihood >= _ANSWERS else []
    why = {**evidence.written(), "judge": judge}
    return Extraction(tuple(map(_sentence, said)), likelihood, why)


def _sentence(weighed: Weighed) -> Sentence:
    start = weighed.excerpt.start
    return Sentence(weighed.passage.number, start, start + len(weighed.excerpt.text))
