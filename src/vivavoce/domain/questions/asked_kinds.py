"""Asked kinds: how questions ask for a price, a date or a reason, and how a sentence gives one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class AskedKind(NamedTuple):
    """A kind of thing that questions ask for; all is matched against folded text."""

    asked: re.Pattern[str]
    """How a question says that it wants this."""
    marks: re.Pattern[str] | None = None
    """What a sentence has that gives it."""
    units: frozenset[str] = frozenset()
    """Or what stands soon after a number in it."""


class AskedKinds(NamedTuple):
    """The kinds of one language."""

    counts: re.Pattern[str]
    """How a question says that something is counted, and what."""
    kinds: Mapping[str, AskedKind]


MONEY = r"[$\u20ac\u00a3]|%"
YEAR = r"\b1\d{3}\b|\b20\d\d\b"
"""What gives a price, and a year, in every language."""
