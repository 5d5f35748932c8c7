"""Sentences: where each of a text stands, cut as simply as teaching needs."""

from __future__ import annotations

import re
from itertools import pairwise

_END = re.compile(r'(?<=[.!?])["”)]?\s+(?=[A-ZÁÀÂÃÉÊÍÓÔÕÚÇ"“(\d])')


def spans_of(text: str) -> list[tuple[int, int]]:
    """The start and the end of each sentence, the space after it included."""
    cuts = [0, *(end.end() for end in _END.finditer(text)), len(text)]
    return [(start, end) for start, end in pairwise(cuts) if text[start:end].strip()]
