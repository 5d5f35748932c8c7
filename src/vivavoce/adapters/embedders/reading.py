"""The built-in readers: small models that mark the answer in a text, or find none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from vivavoce.ports import Reading

from .loading import loaded
from .unigram import Pair
from .weights import READERS, session_of
from .words import LANGUAGES, Words

_LONGEST = 256
_LONGEST_ANSWER = 40
"""Pieces of the longest answer that is looked for."""
_HALF = 0.5
"""What the mark counts beside the head that was taught to tell whether there is an answer at all."""


class Marking(Protocol):
    """A model that reads a question and a text together and looks for the answer in the text."""

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """What each text is to the question.

        Each is read by itself: weights of 8 bits give other numbers for a text beside others.
        """
        ...


class SpanReader:
    """The reader of many languages. What a text is about and whether it answers are one to it."""

    def __init__(self, words: Words | None = None) -> None:
        self._words = Words() if words is None else words

    @loaded
    def _session(self) -> Any:
        return session_of(READERS.file("model.onnx"), threads=1)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """How sure it is that each text answers, and with which words."""
        return [self._reading(self._words.tokenizer.paired(question, text, _LONGEST)) for text in texts]

    def _reading(self, pair: Pair) -> Reading:
        import numpy

        kinds = numpy.zeros((1, len(pair.ids)), numpy.int64)
        kinds[0, pair.second :] = 1
        vectors = self._words.vectors(pair.ids)
        given = {"vectors": vectors, "token_type_ids": kinds, "attention_mask": numpy.ones_like(kinds)}
        spans, answered = self._session.run(["spans", "answered"], given)
        told = spans[0][: len(pair.ids) - 1]
        logit = logit_of_marks(told, pair.second, float(answered[0, 0]))
        return Reading(logit, logit, pair.characters(*_best(told, pair.second)[1:]) if pair.pieces else None)


class BuiltInReader:
    """A reader as a judge."""

    identity = "e5-small-reader-int8"
    languages = LANGUAGES
    tells_subjects = False

    def __init__(self, reader: Marking | None = None) -> None:
        self._reader = reader or SpanReader()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-reader")

    async def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """What each text is to the question."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._reader.read, question, list(texts)
        )

    async def likeness(self, question: str, passage: str) -> list[tuple[str, float]]:
        """Nothing: it compares no words."""
        return []

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()


def logit_of_marks(spans: Any, second: int, answered: float) -> float:
    """What both heads of a reader tell together; the text begins at `second`, place 0 stands for none."""
    return _HALF * _margin(spans, second) + answered


def _margin(spans: Any, second: int) -> float:
    """How much likelier the best answer is than none."""
    return _best(spans, second)[0] - float(spans[0].sum()) if len(spans) > second else 0.0


def _best(spans: Any, second: int) -> tuple[float, int, int]:
    """What speaks for the best answer, and its first and its last place."""
    import numpy

    starts, ends = spans[second:].T
    places = numpy.arange(len(starts))
    length = places[None, :] - places[:, None]
    allowed = (length >= 0) & (length <= _LONGEST_ANSWER)
    sums = numpy.where(allowed, starts[:, None] + ends[None, :], -numpy.inf)
    first, last = numpy.unravel_index(sums.argmax(), sums.shape)
    return float(sums[first, last]), second + int(first), second + int(last)
