"""Words: the pieces that our models for many languages take texts apart into, and a vector for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .loading import loaded
from .unigram import Unigram
from .weights import E5_SMALL, session_of

LANGUAGES = frozenset({"en", "pt", "es", "fr", "de", "it"})
"""The languages that are told apart, of all that are written in Latin letters."""


class Words:
    """One vocabulary and one table of vectors, which the embedder and the reader share."""

    @loaded
    def tokenizer(self) -> Unigram:
        """How texts are taken apart."""
        return Unigram(E5_SMALL.file("pieces.tsv"))

    @loaded
    def _session(self) -> Any:
        return session_of(E5_SMALL.file("words.onnx"), threads=1)

    def vectors(self, numbers: Sequence[int]) -> Any:
        """The vectors of the pieces of one text, as a batch of one."""
        import numpy

        (vectors,) = self._session.run(None, {"input_ids": numpy.array([numbers], numpy.int64)})
        return vectors
