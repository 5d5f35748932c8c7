"""Courses: what each reader is taught from, how it reads, and how fast it learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Layout(NamedTuple):
    """The numbers that stand around a question and a text that are read together."""

    first: int
    last: int
    between: int
    """How many of the last stand between the two."""
    padding: int


class Share(NamedTuple):
    """What a set counts when rows are drawn, and how many of its answered rows are made into negatives."""

    weight: float
    unanswered: float


class Course(NamedTuple):
    """One way of teaching."""

    layout: Layout
    english: float
    """How many of the questions of our own are in English."""
    own: float
    families: float
    """Up to the first lessons are questions of our own sets, up to the second of our own families."""
    shares: Mapping[str, Share]
    rate: float
    lower: float
    """What a layer learns beside the one above it."""
    marking: float
    """What the span head, which knows nothing yet, learns beside the uppermost layer."""
    telling: float
    """The same for the head that tells whether there is an answer."""
    losses: tuple[float, float]
    """What a wrong place counts, and what a wrong word on whether there is an answer."""


FAMILIES = Share(1.0, 0.3)
BOTH = Course(
    layout=Layout(first=0, last=2, between=2, padding=1),
    english=0.45,
    own=0.10,
    families=0.50,
    shares={
        "squad1": Share(0.54, 0.36),
        "squad2": Share(0.38, 0.12),
        "hotpot": Share(0.08, 0.0),
        "families": FAMILIES,
    },
    rate=1.5e-4,
    lower=0.94,
    marking=3.0,
    telling=3.0,
    losses=(1.0, 1.0),
)
"""The reader of many languages, of which all layers learn, from lessons in English and Portuguese."""
ENGLISH = Course(
    layout=Layout(first=101, last=102, between=1, padding=0),
    english=1.0,
    own=0.10,
    families=0.38,
    shares={
        "squad1": Share(0.44, 0.36),
        "squad2": Share(0.42, 0.12),
        "hotpot": Share(0.14, 0.0),
        "families": FAMILIES,
    },
    rate=1.2e-4,
    lower=0.92,
    marking=3.0,
    telling=1.0,
    losses=(0.6, 1.5),
)
"""The English reader: the upper half of the judge, whose last head begins as the judge's own."""
