"""The library: versions of documents, their passages, and how far they have come into the index."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from .outlines import Mark, Outline, Title
from .passages import Passage

State = Literal["next", "current", "old"]
Step = Literal["read", "split"]


@dataclass(frozen=True)
class Document:
    """One version of what a datasource says. It never changes once its text is whole."""

    id: str
    datasource_id: str
    datastore_id: str
    created_at: datetime
    version: int
    state: State
    hash: str = ""
    """The SHA-256 of its text; empty while it is being read."""
    characters: int = 0
    language: str = ""
    outline: Outline = Outline()  # noqa: RUF009  # never changed

    def read(self, hash: str, characters: int, language: str, outline: Outline) -> Document:
        """The version once its text is whole."""
        return replace(self, hash=hash, characters=characters, language=language, outline=outline)

    def in_state(self, state: State) -> Document:
        """The same version in another state."""
        return replace(self, state=state)


@dataclass(frozen=True)
class Collection:
    """The passages of one datastore under one embedder, as the index holds them."""

    name: str
    datastore_id: str
    embedder: str
    dimension: int
    serves: bool
    """Whether questions go to it; a new one is filled before it serves."""
    filled_to: int = 0
    """The last passage that the index was given."""
    generation: int = 0
    """How often it was begun again: what was given to an earlier one does not count."""

    def changed(self, **values: Any) -> Collection:
        """A copy with `values` replaced."""
        return replace(self, **values)


@dataclass(frozen=True)
class Ingestion:
    """Work on a datasource that this process has claimed."""

    datasource_id: str
    step: Step
    fence: int
    """Rises with each claim: who holds a lower one has lost it."""
    attempts: int


class Located(NamedTuple):
    """A passage, and what is embedded for it."""

    id: int
    hash: str
    text: str


class Unindexed(NamedTuple):
    """A passage that the index does not have yet."""

    id: int
    datasource_id: str
    language: str
    text: str
    """As it is embedded, with the titles above it."""
    vector: bytes | None


class Cited(NamedTuple):
    """A passage with all that a citation of it needs."""

    id: int
    document_id: str
    datasource_id: str
    passage: Passage
    language: str
    text: str


def collection_named(datastore_id: str, embedder: str) -> str:
    """The name of the collection of a datastore under an embedder."""
    digest = hashlib.sha256(embedder.encode()).hexdigest()[:8]
    return f"{datastore_id}.{digest}"


def title_of(name: str) -> str:
    """The title that a datasource's name gives its text: none where it is only a file's or an id."""
    stem = name.rpartition(".")[0] if "." in name[-6:] else name
    words = [word for word in stem.replace("_", " ").replace("-", " ").split() if word.isalpha()]
    return stem if len(words) > 1 else ""


def embedded_text(title: str, headings: Sequence[str], text: str) -> str:
    """What an embedder reads of a passage: the titles above it that it does not begin with, then its text."""
    begins = text[:300].casefold()
    above = dict.fromkeys(each for each in (title, *headings[-1:]) if each and each.casefold() not in begins)
    return "\n".join((*above, text))


def hash_of(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def outline_written(outline: Outline) -> dict[str, Any]:
    """An outline as JSON."""
    return {
        "pages": [list(mark) for mark in outline.pages],
        "titles": [list(title) for title in outline.titles],
    }


def outline_read(written: dict[str, Any]) -> Outline:
    """An outline from JSON."""
    return Outline(
        (Mark(*mark) for mark in written.get("pages", ())),
        (Title(*title) for title in written.get("titles", ())),
    )
