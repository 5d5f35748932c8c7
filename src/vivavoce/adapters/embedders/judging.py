"""The built-in judge: a small cross-encoder, and a head of our own on what it computes on its way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from vivavoce.ports import Reading

from .loading import loaded
from .weights import CROSS_ENCODER, Model
from .wordpiece import Encoding

if TYPE_CHECKING:
    from .builtin import BuiltInReranker

_LONGEST = 512
_BATCH = 8
_STATES = "/bert/encoder/layer.{}/output/LayerNorm/Add_1_output_0"
_INNER, _LOWER = _STATES.format(9), _STATES.format(5)
"""After the tenth of twelve layers, as the last ones see the subject more than the answer; and halfway."""


class Head(NamedTuple):
    """What each number of an inner state weighs for "the answer is in this text"."""

    weights: tuple[float, ...]
    base: float

    @classmethod
    def built_in(cls) -> Head:
        """The one that was fitted on our own questions."""
        file = files("vivavoce.adapters.embedders").joinpath("answering-head.json")
        read = json.loads(file.read_text(encoding="utf-8"))
        return cls(tuple(read["weights"]), read["base"])


class Halfway(NamedTuple):
    """What another reader goes on from."""

    encoded: Encoding
    states: Any
    """Of all pieces, after half of the layers."""
    relevance: float
    """What the cross-encoder itself comes to at the end, as a logit."""


class CrossEncoder:
    """A cross-encoder (English): question and text are read together, each word in sight of all others."""

    def __init__(self, threads: int = 1) -> None:
        self._threads = threads

    @loaded
    def _model(self) -> Model:
        return Model(CROSS_ENCODER, threads=self._threads, inner=(_INNER, _LOWER))

    def read(self, question: str, texts: Sequence[str]) -> tuple[Any, Any]:
        """The logit of each text, above 0 where it is rather relevant, and its inner state."""
        import numpy

        encoded = [self._model.tokenizer.paired(question, text, _LONGEST) for text in texts]
        logits, states = numpy.zeros(len(texts), "f4"), numpy.zeros((len(texts), _WIDTH), "f4")
        order = sorted(range(len(texts)), key=lambda place: len(encoded[place].ids))  # little padding
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            found, inner, _ = self._model.outputs([encoded[place] for place in places])
            logits[places] = found.reshape(len(places), -1)[:, 0]
            states[places] = inner[:, 0]  # the first token stands for the pair
        return logits, states

    def halfway(self, question: str, text: str, longest: int) -> Halfway:
        """A question and a text as they are read together, by themselves."""
        encoded = self._model.tokenizer.paired(question, text, longest)
        logits, _, lower = self._model.outputs([encoded])
        return Halfway(encoded, lower, float(logits.reshape(-1)[0]))


class BuiltInJudge:
    """The cross-encoder and its head; the reranker, which keeps a vector for every word, compares words."""

    identity = "minilm-cross-encoder-en-int8"
    languages = frozenset({"en"})
    tells_subjects = True

    def __init__(
        self, words: BuiltInReranker, reader: CrossEncoder | None = None, head: Head | None = None
    ) -> None:
        self._words, self._reader = words, reader or CrossEncoder()
        self._given = head
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vivavoce-judge")

    @loaded
    def _head(self) -> Head:
        return Head.built_in() if self._given is None else self._given

    async def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """What each text is to the question."""
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, self._readings, question, list(texts)
        )

    async def likeness(self, question: str, passage: str) -> list[tuple[str, float]]:
        """Each word of the question, and how like it the likest word of the passage is."""
        return await self._words.likeness(question, passage)

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown()

    def _readings(self, question: str, texts: list[str]) -> list[Reading]:
        import numpy

        logits, states = self._reader.read(question, texts)
        answers = states @ numpy.array(self._head.weights, "f4") + self._head.base
        return list(map(Reading, logits.tolist(), answers.tolist()))


_WIDTH = 384
