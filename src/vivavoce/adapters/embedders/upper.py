"""The English reader: layers of our own that read on where the lower half of the judge has come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.ports import Reading

from .judging import CrossEncoder
from .loading import loaded
from .reading import BuiltInReader, logit_of_marks
from .weights import READERS, session_of

FILE = "english.onnx"
_LONGEST = 256


class UpperReader:
    """Marks the answer in an English text, or finds none; its lower half is that of the judge."""

    def __init__(self, lower: CrossEncoder, model: bytes | None = None, threads: int = 1) -> None:
        """With a model, another one than that which comes with the program."""
        self._lower, self._given, self._threads = lower, model, threads

    @loaded
    def _session(self) -> Any:
        model = READERS.file(FILE) if self._given is None else self._given
        return session_of(model, self._threads)

    def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """Whether each text is about what is asked, as the judge tells it, and whether it answers."""
        return [self._reading(question, text) for text in texts]

    def _reading(self, question: str, text: str) -> Reading:
        import numpy

        encoded, states, relevance = self._lower.halfway(question, text, _LONGEST)
        seen = numpy.ones((1, len(encoded.ids)), numpy.int64)
        given = {"states": states, "attention_mask": seen}
        spans, answered = self._session.run(["spans", "answered"], given)
        assert encoded.second is not None, "two texts were paired"
        marked = spans[0][: len(encoded.ids) - 1]
        return Reading(relevance, logit_of_marks(marked, encoded.second, float(answered[0, 0])))


class EnglishReader(BuiltInReader):
    """The English reader as a judge; it needs the package that carries the judge."""

    identity = "minilm-reader-en-int8"
    languages = frozenset({"en"})

    def __init__(self, lower: CrossEncoder) -> None:
        super().__init__(UpperReader(lower))
