"""The built-in embedder and reranker: small models for ONNX, with no key and no network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .weights import BGE_SMALL, COLBERT_SMALL, Model
from .wordpiece import Encoding

if TYPE_CHECKING:
    from vivavoce.ports import Vectors

_LONGEST = 512
_BATCH = 8
_ASKING = "Represent this sentence for searching relevant passages: "
"""The words that this model was trained to see before a question."""
_ASKED = 32
"""The length to which the reranker was trained to see questions filled up."""
_MIDDLE, _STEEP = 0.77, 20.0
"""What lies between the likeness of passages that answer and of others in our calibration data, and how steep
the way from one to the other is."""


class BuiltInEmbedder:
    """BGE small (English), 384 dimensions, weights of 8 bits."""

    identity = "bge-small-en-int8"
    dimension = 384
    languages = frozenset({"en"})

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads
        self._asked = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-question")
        self._fed = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-embed")

    @cached_property
    def _model(self) -> Model:
        return Model(BGE_SMALL, threads=self._threads)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has, the two that stand around every text left out."""
        return [self._model.tokenizer.length(text) for text in texts]

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """A vector for each passage. Questions do not wait for it."""
        return await asyncio.get_running_loop().run_in_executor(self._fed, self._vectors, list(texts))

    async def question(self, text: str) -> Vectors:
        """The vector that is near to the passages that answer."""
        found = await asyncio.get_running_loop().run_in_executor(self._asked, self._vectors, [_ASKING + text])
        return found[0]  # type: ignore[no-any-return]  # a row of an array

    def close(self) -> None:
        """End the threads."""
        self._asked.shutdown()
        self._fed.shutdown()

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

    @cached_property
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
