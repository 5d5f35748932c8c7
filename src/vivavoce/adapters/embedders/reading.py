"""The built-in readers: small models that mark the answer in a text, or find none."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from vivavoce.errors import NotAvailable
from vivavoce.ports import Reading

from .unigram import Pair, Unigram
from .weights import digest_of, session_of

_LONGEST = 256
_LONGEST_ANSWER = 40
"""Pieces of the longest answer that is looked for."""
_DIGESTS = {
    "model.onnx": "ab5e7a3942a033a66d437c161f2a46b2620103203af6e439dbf8895aa012fa88",
    "pieces.tsv": "e52b06202b3f83e0c07ef5817e652d0a2fd4b6b58e3cf64a8ec106f698e9feb7",
}
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
    """The reader of English and Portuguese. What a text is about and whether it answers are one to it."""

    def __init__(self, folder: Path | None = None, threads: int = 1) -> None:
        """With a folder, another model than the one that comes with the program."""
        self._given, self._threads = folder, threads

    @cached_property
    def tokenizer(self) -> Unigram:
        """How it takes texts apart."""
        return Unigram(self._file("pieces.tsv"))

    @cached_property
    def _session(self) -> Any:
        return session_of(self._file("model.onnx").read_bytes(), self._threads)

    def _file(self, name: str) -> Path:
        return own_file(name, _DIGESTS[name]) if self._given is None else self._given / name

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """How sure it is that each text answers."""
        logits = [self._logit(self.tokenizer.paired(question, text, _LONGEST)) for text in texts]
        return [Reading(logit, logit) for logit in logits]

    def _logit(self, pair: Pair) -> float:
        import numpy

        ids = numpy.array([pair.ids], numpy.int64)
        kinds = numpy.zeros_like(ids)
        kinds[0, pair.second :] = 1
        given = {"input_ids": ids, "token_type_ids": kinds, "attention_mask": numpy.ones_like(ids)}
        spans, answered = self._session.run(["spans", "answered"], given)
        return logit_of_marks(spans[0][: len(pair.ids) - 1], pair.second, float(answered[0, 0]))


class BuiltInReader:
    """A reader as a judge."""

    identity = "e5-small-reader-int8"
    languages = frozenset({"en", "pt"})
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


def own_file(name: str, digest: str) -> Path:
    """A file of the readers that come with the program, once it was seen to be the one we know."""
    file = Path(str(files("vivavoce.adapters.embedders") / "reader")) / name
    if digest_of(file) != digest:
        raise NotAvailable(
            f"The file {name} of the built-in reader is not the one we know.", hint="Install vivavoce again."
        )
    return file


def logit_of_marks(spans: Any, second: int, answered: float) -> float:
    """What both heads of a reader tell together; the text begins at `second`, place 0 stands for none."""
    return _HALF * _margin(spans, second) + answered


def _margin(spans: Any, second: int) -> float:
    """How much likelier the best answer is than none."""
    import numpy

    starts, ends = spans[second:].T
    if not len(starts):
        return 0.0
    places = numpy.arange(len(starts))
    length = places[None, :] - places[:, None]
    allowed = (length >= 0) & (length <= _LONGEST_ANSWER)
    sums = numpy.where(allowed, starts[:, None] + ends[None, :], -numpy.inf)
    return float(sums.max() - spans[0].sum())
