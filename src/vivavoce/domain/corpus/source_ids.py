"""Ids of sources: what may stand in one, and the nearest one to a name that does not fit."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MOST = 128
"""The most characters of an id."""
ALLOWED = "letters without accents, digits, dots, hyphens and underscores"
_ID = re.compile(rf"[A-Za-z0-9._-]{{1,{MOST}}}")
_OTHERS = re.compile(r"[^A-Za-z0-9._]+")


def is_source_id(text: str) -> bool:
    """Whether a text may be the id of a source."""
    return _ID.fullmatch(text) is not None


def checked_source_id(id: str) -> str:
    """The id; ValueError says what is allowed and proposes the nearest one."""
    if not is_source_id(id):
        raise ValueError(f"may have only {ALLOWED}, such as {fitting_id(id)}")
    return id


def fitting_id(name: str, taken: Iterable[str] = ()) -> str:
    """An id like a name, and like none of those that are taken: accents folded, all else a hyphen."""
    folded = unicodedata.normalize("NFKD", name)
    plain = "".join(each for each in folded if not unicodedata.combining(each))
    id = _OTHERS.sub("-", plain)[: MOST - 4].strip("-.") or "document"
    others, number = set(taken), 1
    while (numbered := id if number == 1 else f"{id}-{number}") in others:
        number += 1
    return numbered
