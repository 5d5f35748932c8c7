"""Outcomes: what an avatar answered to a question, held against what was expected."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from vivavoce.domain.answers.scoring import covers, overlap, token_f1, tokens_of
from vivavoce.domain.corpus.quotes import located
from vivavoce.domain.language.sentences import Span, sentences_of
from vivavoce.operations.avatar_results import AvatarResponse, Citation

from .evaluating_questions import GoldQuote, Trial

Verdict = Literal[
    "failed", "not exact", "not cited", "wrong answer", "false refusal", "wrong citation", "answered", "right"
]
VERDICTS: dict[Verdict, str] = {
    "failed": "the question could not be asked",
    "not exact": "a quote does not stand in the document where the citation says",
    "not cited": "a sentence of the answer has no citation",
    "wrong answer": "answered, although the corpus has no answer",
    "false refusal": "refused, although the corpus has the answer",
    "wrong citation": "answered, but no citation meets a gold quote",
    "answered": "answered; there is no gold quote to hold it against",
    "right": "answered with a citation that meets a gold quote, or rightly refused",
}
"""What can become of a question, the worst first. The first that is true is the verdict."""
GOOD: tuple[Verdict, ...] = ("answered", "right")


@dataclass(frozen=True)
class Cited:
    """A citation, and what was found when it was looked up."""

    citation: Citation
    is_exact: bool
    """Whether the document says exactly the quote at exactly this place."""
    meets: tuple[int, ...] = ()
    """Which gold quotes it meets, by their places in the question."""


@dataclass(frozen=True)
class Outcome:
    """What became of one question."""

    trial: Trial
    seconds: float
    answer: AvatarResponse | None = None
    """None where the question could not be asked."""
    error: str = ""
    cited: tuple[Cited, ...] = ()

    @property
    def is_answered(self) -> bool:
        """Whether an answer was given."""
        return self.answer is not None and not self.answer.abstained

    @property
    def is_refused(self) -> bool:
        """Whether the avatar said that its corpus does not answer."""
        return self.answer is not None and self.answer.abstained

    @cached_property
    def met(self) -> tuple[bool, ...]:
        """For each gold quote, whether a citation meets it."""
        found = {place for cited in self.cited for place in cited.meets}
        return tuple(place in found for place in range(len(self.trial.quotes)))

    @cached_property
    def covered(self) -> tuple[bool, ...]:
        """For each gold quote, whether the words of the answer cover it."""
        said = self.answer.response if self.answer is not None and self.is_answered else ""
        return tuple(covers(said, quote.text) for quote in self.trial.quotes)

    @cached_property
    def token_f1(self) -> float:
        """How far the answer consists of the words of the gold quotes; 0 where it was refused."""
        wanted = " ".join(quote.text for quote in self.trial.quotes)
        return token_f1(self.answer.response, wanted) if self.answer is not None and self.is_answered else 0.0

    @cached_property
    def uncited(self) -> tuple[str, ...]:
        """The sentences of the answer that rest on no citation."""
        if self.answer is None or not self.is_answered:
            return ()
        return tuple(_uncited(self.answer.response, self.answer.citations))

    @property
    def pages(self) -> Iterator[bool]:
        """For each citation that meets a gold quote with a page, whether it names that page."""
        for cited in self.cited:
            golds = [self.trial.quotes[place] for place in cited.meets]
            paged = [gold for gold in golds if gold.page is not None]
            if paged:
                yield any(gold.is_on_page_of(cited.citation) for gold in paged)

    @cached_property
    def verdict(self) -> Verdict:
        """In a word."""
        return next(self._verdicts())

    def _verdicts(self) -> Iterator[Verdict]:
        if self.answer is None:
            yield "failed"
        if not all(cited.is_exact for cited in self.cited):
            yield "not exact"
        if self.uncited:
            yield "not cited"
        if self.is_answered and not self.trial.answerable:
            yield "wrong answer"
        if self.is_refused and self.trial.answerable:
            yield "false refusal"
        if self.is_answered and self.trial.quotes:
            yield "right" if any(self.met) else "wrong citation"
        yield "right" if self.is_refused else "answered"


def meets(span: Span, text: str, gold: GoldQuote) -> bool:
    """Whether a cited stretch of a text overlaps a place where the gold quote stands in it."""
    return any(overlap(span, found) for found in _places(gold.text, text))


_NOTE = re.compile(r"^\[\d{1,3}\] .*$", re.MULTILINE)


def _uncited(response: str, citations: Sequence[Citation]) -> Iterator[str]:
    """The sentences outside of every claim, but for notes that name a source and limits of the corpus."""
    claims = [span for each in citations for span in _places(each.claim, response)]
    notes = [
        Span(*note.span())
        for note in _NOTE.finditer(response)
        if any(each.source in note.group() for each in citations)
    ]
    first = min((claim.start for claim in claims), default=0)
    for sentence in sentences_of(response):
        said = response[sentence.start : sentence.end].strip()
        words = [word for word in tokens_of(said) if not word.isdigit()]
        is_limit = sentence.end <= first and _CORPUS in words
        if words and not is_limit and not any(overlap(sentence, span) for span in (*claims, *notes)):
            yield said


_CORPUS = "corpus"
"""An avatar that speaks of its corpus before it begins says what it cannot say, in whatever language."""


def _places(wanted: str, text: str) -> Iterator[Span]:
    """Every place of a text at which some words stand."""
    found = located(wanted, text)
    while found is not None:
        yield found
        found = located(wanted, text, found.start + 1)
