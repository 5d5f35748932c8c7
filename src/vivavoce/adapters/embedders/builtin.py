"""The built-in embedders and the reranker: small models for ONNX, with no key and no network."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from .loading import loaded
from .weights import BGE_SMALL, COLBERT_SMALL, E5_SMALL, Model, session_of
from .wordpiece import Encoding
from .words import LANGUAGES, Words

if TYPE_CHECKING:
    from vivavoce.ports import Vectors

_LONGEST = 512
_BATCH = 8
_ASKED = 32
"""The length to which the reranker was trained to see questions filled up."""
_MIDDLE, _STEEP = 0.77, 20.0
"""What lies between the likeness of passages that answer and of others in our calibration data, and how steep
the way from one to the other is."""

_HALF, _LIKE_NOTHING = 0.5, "The table that stands in the other room has four legs and a drawer."
"""A question of whose letters no half are known to a model, and what it is taken for."""


class BuiltInEmbedder(ABC):
    """What the built-in embedders have in common: one thread for questions, and one for passages."""

    identity = ""
    dimension = 384
    languages: frozenset[str] = frozenset()
    asking = telling = ""
    """The words that a model was trained to see before a question, and before a passage."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._asked = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-question")
        self._fed = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-embed")

    @abstractmethod
    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, the two that stand around every text left out."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """A vector for each passage. Questions do not wait for it."""
        told = [self.telling + text for text in texts]
        return await asyncio.get_running_loop().run_in_executor(self._fed, self._vectors, told)

    async def question(self, text: str) -> Vectors:
        """The vector that is near to the passages that answer."""
        return await asyncio.get_running_loop().run_in_executor(self._asked, self._question, text)

    def close(self) -> None:
        """End the threads."""
        self._asked.shutdown()
        self._fed.shutdown()

    def _question(self, text: str) -> Vectors:
        return self._vectors([self.asking + text])[0]  # type: ignore[no-any-return]  # a row of an array

    @abstractmethod
    def _vectors(self, texts: list[str]) -> Any:
        """A vector of length 1 for each text."""


class EnglishEmbedder(BuiltInEmbedder):
    """BGE small (English), 384 dimensions, weights of 8 bits."""

    identity = "bge-small-en-int8"
    languages = frozenset({"en"})
    asking = "Represent this sentence for searching relevant passages: "

    @loaded
    def _model(self) -> Model:
        return Model(BGE_SMALL, threads=self._threads)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        return [self._model.tokenizer.length(text) for text in texts]

    def _vectors(self, texts: list[str]) -> Any:
        import numpy

        encoded = [self._model.tokenizer.encoded(text, _LONGEST) for text in texts]
        vectors = numpy.empty((len(texts), self.dimension), "f4")
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place].ids))  # little padding
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            states = self._model.run([encoded[place] for place in places])
            vectors[places] = states[:, 0]  # this model speaks through its first token
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


class MultilingualEmbedder(BuiltInEmbedder):
    """Multilingual E5 small, for all languages that are written in Latin letters; it comes with the program.

    Each text is read by itself: in a batch, weights of 8 bits give other numbers for it. What is in other
    letters is left out. Passages that are left out wholly look alike, and so would a question: it is taken
    for a sentence that is like nothing much, so that words decide.
    """

    identity = "multilingual-e5-small-int8"
    languages = LANGUAGES
    asking, telling = "query: ", "passage: "

    def __init__(self, words: Words | None = None, threads: int = 1) -> None:
        super().__init__(threads)
        self._words = Words() if words is None else words

    @loaded
    def _session(self) -> Any:
        return session_of(E5_SMALL.file("model.onnx"), self._threads)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        return [self._words.tokenizer.length(text) for text in texts]

    def _question(self, text: str) -> Vectors:
        is_known = self._words.tokenizer.known(text) >= _HALF
        return super()._question(text if is_known else _LIKE_NOTHING)

    def _vectors(self, texts: list[str]) -> Any:
        import numpy

        vectors = numpy.empty((len(texts), self.dimension), "f4")
        for place, text in enumerate(texts):
            numbers = self._words.tokenizer.encoded(text, _LONGEST, leaves_unknown=True)
            seen = numpy.ones((1, len(numbers)), numpy.int64)
            given = {"vectors": self._words.vectors(numbers), "attention_mask": seen}
            (states,) = self._session.run(None, given)
            vectors[place] = states[0].mean(0)  # this model speaks through all of its tokens
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)


class BuiltInReranker:
    """A late-interaction model (English): every word of the question looks for its like in the passage.

    Question and passage are read apart, as the embedder reads them, but each keeps a vector for every word.
    Slower than one vector for all, and sharper.
    """

    identity = "colbert-small-en-int8"
    languages = frozenset({"en"})

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-rerank")

    @loaded
    def _model(self) -> Model:
        return Model(COLBERT_SMALL, threads=self._threads)

    async def relevance(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers, as a logit: above 0 means that it rather does."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._logits, question, list(passages)
        )

    async def likeness(self, question: str, passage: str) -> list[tuple[str, float]]:
        """Each word of the question, and how like it the likest word of the passage is."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._likeness, question, passage
        )

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    def _likeness(self, question: str, passage: str) -> list[tuple[str, float]]:
        tokenizer = self._model.tokenizer
        (asked,) = self._words([tokenizer.marked(question, "[unused0]", _LONGEST, at_least=_ASKED)])
        (read,) = self._words([tokenizer.marked(passage, "[unused1]", _LONGEST)])
        alike = (asked @ read.T).max(axis=1)
        found, place = [], 2  # after the two marks that every text begins with
        for word, pieces in tokenizer.words(question):
            if place + pieces > _LONGEST - 1:
                break
            found.append((word, float(alike[place : place + pieces].mean())))
            place += pieces
        return found

    def _logits(self, question: str, passages: list[str]) -> list[float]:
        mark = self._model.tokenizer.marked
        (asked,) = self._words([mark(question, "[unused0]", _LONGEST, at_least=_ASKED)])
        encoded = [mark(passage, "[unused1]", _LONGEST) for passage in passages]
        logits = [0.0] * len(passages)
        order = sorted(range(len(passages)), key=lambda place: len(encoded[place].ids))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            for place, words in zip(places, self._words([encoded[place] for place in places]), strict=True):
                alike = float((asked @ words.T).max(axis=1).mean())
                logits[place] = _STEEP * (alike - _MIDDLE)
        return logits

    def _words(self, encoded: list[Encoding]) -> list[Any]:
        """A vector of length 1 for each word of each text."""
        import numpy

        states = self._model.run(encoded)
        states /= numpy.linalg.norm(states, axis=2, keepdims=True)
        return [states[row, : len(each.ids)] for row, each in enumerate(encoded)]
