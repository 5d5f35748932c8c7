"""Questions of our own: labelled whether a passage answers them, but not where."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, NamedTuple

from families import is_held_out
from sets import OWN_ENGLISH, OWN_PORTUGUESE, own_rows

LANGUAGES = {"en": OWN_ENGLISH, "pt": OWN_PORTUGUESE}
_KINDS = ("questions", "paraphrases", "near", "traps")
_ANSWERED = ("questions", "paraphrases")


class Question(NamedTuple):
    """A question and the passage that it is asked of."""

    text: str
    title: str
    passage: str
    kind: str
    is_held_out: bool

    @property
    def is_answered(self) -> bool:
        """Whether the passage answers it."""
        return self.kind in _ANSWERED


def questions_in(language: str) -> list[Question]:
    """All questions of our own in a language, set by set in the order of their names."""
    return [
        Question(text, row.get("title") or "", row["passage"], kind, is_held_out(place))
        for name in sorted(LANGUAGES[language])
        for place, row in enumerate(_rows(name))
        for kind in _KINDS
        for text in row.get(kind, ())
    ]


def _rows(name: str) -> Iterable[dict[str, Any]]:
    if not name.startswith("calibration/"):
        return own_rows(name)
    lines = (files("vivavoce.domain") / name).read_text(encoding="utf-8").splitlines()
    return map(json.loads, lines)  # own_rows leaves out the paraphrase, which the reader is taught too
