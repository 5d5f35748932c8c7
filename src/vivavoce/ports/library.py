"""What a store keeps of documents: texts by version, passages, vectors, and the work that is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from vivavoce.domain.corpus.library import Cited, Collection, Document, Ingestion, Located, Unindexed
from vivavoce.domain.corpus.passages import Passage


class Documents(Protocol):
    """The versions of the texts of datasources. An old version stays, so that citations of it resolve."""

    def add(self, document: Document) -> None:
        """Keep a version."""
        ...

    def replace(self, document: Document) -> None:
        """Write a version over the one with the same id."""
        ...

    def append(self, document_id: str, start: int, text: str) -> None:
        """Keep a stretch of its text."""
        ...

    def find(self, id: str) -> Document | None:
        """The version with this id."""
        ...

    def of(self, datasource_id: str, state: str) -> Document | None:
        """The version of a datasource that is in this state."""
        ...

    def versions(self, datasource_id: str) -> list[Document]:
        """All versions of a datasource, the oldest first."""
        ...

    def drop(self, id: str) -> None:
        """Remove a version, its text and its passages."""
        ...

    def text(self, id: str, start: int = 0, end: int | None = None) -> str:
        """The text of a version, or what stands between two offsets."""
        ...

    def languages(self, datastore_id: str) -> dict[str, int]:
        """How many documents of a datastore are in each language."""
        ...


class Passages(Protocol):
    """The passages of documents, and the vectors of their texts."""

    def add(self, document: Document, first: int, passages: Sequence[tuple[Passage, str]]) -> None:
        """Keep passages with the hash of what is embedded for each, counted on from `first`."""
        ...

    def number(self, document_id: str) -> int:
        """How many passages of a document are kept."""
        ...

    def end(self, document_id: str) -> int:
        """Where the last passage of a document ends that is kept."""
        ...

    def count(self, datastore_id: str, up_to: int | None = None) -> int:
        """How many passages a datastore has, of all versions that are not old; those up to one, if named."""
        ...

    def kept(self, ids: Sequence[int]) -> set[int]:
        """Those of the passages that are there."""
        ...

    def cited(self, ids: Sequence[int]) -> list[Cited]:
        """Those passages that belong to what a datasource says now, each with its text."""
        ...

    def unindexed(self, collection: Collection, limit: int) -> list[Unindexed]:
        """Passages after the last one that the collection has, in order, with text and vector."""
        ...

    def unembedded(self, collection: Collection, limit: int) -> list[Located]:
        """Passages of the datastore whose text has no vector of the collection's embedder."""
        ...

    def retire(self, document_id: str) -> None:
        """Remove the passages of a document, and note that the indexes must forget them."""
        ...

    def retire_all(self, datastore_id: str) -> None:
        """Remove the vectors of a datastore that is about to go with all its passages."""
        ...

    def vectors(self, embedder: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """The vectors that are known already, as half floats."""
        ...

    def keep_vectors(self, embedder: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors by the hash of what was embedded."""
        ...

    def drop_vectors(self, embedder: str, datastore_id: str) -> None:
        """Remove the vectors of a datastore's passages under an embedder that it left."""
        ...


class Uploads(Protocol):
    """Files as they came in, kept until they were read."""

    def add(self, datasource_id: str, position: int, chunk: bytes) -> None:
        """Keep a piece of a file."""
        ...

    def chunks(self, datasource_id: str) -> Iterator[bytes]:
        """The pieces, in order."""
        ...

    def drop(self, datasource_id: str) -> None:
        """Forget a file."""
        ...


class Ingestions(Protocol):
    """What is left to do for datasources. Who claims a row works on it until the lease ends."""

    def put(self, datasource_id: str, step: str, now: datetime) -> None:
        """Ask for work on a datasource, from a step on; what was under way for it is fenced off."""
        ...

    def claim(self, now: datetime, until: datetime, datastore_id: str | None = None) -> Ingestion | None:
        """Take the work that waits longest."""
        ...

    def hold(self, ingestion: Ingestion, until: datetime) -> bool:
        """Whether the work is still ours; if so, for longer."""
        ...

    def move(self, ingestion: Ingestion, step: str) -> None:
        """Note how far the work has come; the tries are counted anew from there."""
        ...

    def postpone(self, ingestion: Ingestion, due: datetime) -> None:
        """Let go of it until a later time."""
        ...

    def finish(self, ingestion: Ingestion) -> None:
        """There is nothing left to do."""
        ...

    def number(self, datastore_id: str | None = None) -> int:
        """How many datasources wait or are worked on."""
        ...


class Collections(Protocol):
    """What the index holds, and what it must still forget."""

    def of(self, datastore_id: str) -> list[Collection]:
        """The collections of a datastore: the one that serves first."""
        ...

    def all(self) -> list[Collection]:
        """Every collection."""
        ...

    def find(self, name: str) -> Collection | None:
        """The collection of this name."""
        ...

    def out_of_step(self) -> list[Collection]:
        """Those that lack passages, hold some that are gone, or whose datastore is gone."""
        ...

    def put(self, collection: Collection) -> None:
        """Keep what is known of a collection."""
        ...

    def drop(self, name: str) -> None:
        """Forget a collection."""
        ...

    def gone(self, collection: Collection, limit: int) -> list[int]:
        """Passages that the index must forget."""
        ...

    def forget(self, collection: Collection, ids: Sequence[int]) -> None:
        """Note that the index must forget these."""
        ...

    def forgotten(self, collection: Collection, ids: Sequence[int]) -> None:
        """The index has forgotten these."""
        ...

    def calibration(self, embedder: str) -> dict[str, Any] | None:
        """How the scores of an embedder were calibrated here, where they were."""
        ...

    def calibrate(self, embedder: str, found: Mapping[str, Any]) -> None:
        """Keep a calibration."""
        ...
