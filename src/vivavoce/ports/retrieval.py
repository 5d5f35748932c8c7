"""What retrieval needs from outside: readers, the web, embedders and an index."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from vivavoce.domain.corpus.documents import Part

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Vectors = NDArray[numpy.float32]
    """One vector of length 1, or one in each row."""


class Reader(Protocol):
    """Reads files that may be hostile."""

    def read(self, file: Path, kind: str) -> AsyncGenerator[Part, None]:
        """The parts of a file of this kind, in reading order; Unreadable, with the reason in words.

        Who stops before the end closes it.
        """
        ...


class Page(NamedTuple):
    """What was found at an address."""

    url: str
    """Where it was found in the end, after redirects."""
    kind: str
    """What kind of file it is, as in domain.documents.KINDS."""
    body: bytes


class Fetched(NamedTuple):
    """A file as a server sent it."""

    mime_type: str
    """What the server says that it is; empty where it does not say."""
    body: bytes


class Web(Protocol):
    """Fetches pages and lists the pages of a site, as far as robots.txt allows, and files of people."""

    async def page(self, url: str) -> Page:
        """The page; Unreadable where it may not or cannot be fetched, with the reason in words."""
        ...

    async def file(self, url: str, most: int) -> Fetched:
        """A file that someone sent by its address, of at most so many bytes.

        Unreadable where it may not or cannot be fetched or is larger, with the reason in words.
        """
        ...

    async def site(self, url: str, *, sitemap: str | None, without: Sequence[str]) -> list[str]:
        """The addresses that a site's sitemap lists, without those that begin with one of `without`."""
        ...

    def is_sitemap(self, body: bytes) -> bool:
        """Whether the content of a page is a sitemap, so that its address means a whole site."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors: near in meaning, near in space."""

    @property
    def identity(self) -> str:
        """Which model it is; vectors of two identities do not compare."""
        ...

    @property
    def dimension(self) -> int:
        """How long its vectors are."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """The languages it was made for; empty where it was made for all."""
        ...

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many tokens each text has."""
        ...

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 for each passage."""
        ...

    async def question(self, text: str) -> Vectors:
        """The vector of length 1 that is near to the passages that answer."""
        ...


class Entry(NamedTuple):
    """What an index keeps of a passage."""

    id: int
    """The number of the passage; later ones are higher."""
    datasource_id: str
    vector: Vectors
    words: Mapping[str, int]
    """How often each word stands in it, words as domain.words gives them."""


class Question(NamedTuple):
    """What an index is asked for."""

    vector: Vectors
    words: Mapping[str, int]
    datasource_ids: frozenset[str] | None = None
    """Only passages of these; None for all."""


class Hit(NamedTuple):
    """A passage that an index found, seen from both sides."""

    id: int
    meaning: float
    """The cosine between its vector and the question's."""
    words: float
    """Its BM25 score as a share, 0 to 1, of the most that any passage could score for the question."""


class Index(Protocol):
    """Finds passages by meaning and by words. Derived: it can be dropped and filled again from the store.

    A collection is the passages of one datastore under one embedder; it exists as soon as it is named.
    When the index cannot be reached, UpstreamFailed; when its files are damaged, StorageFailed.
    """

    async def add(self, collection: str, entries: Sequence[Entry]) -> None:
        """Keep the entries; one that is there already is replaced by the same, so repeating is harmless."""
        ...

    async def remove(self, collection: str, ids: Sequence[int]) -> None:
        """Forget these passages; those that are not there are passed over."""
        ...

    async def drop(self, collection: str) -> None:
        """Forget the whole collection."""
        ...

    async def count(self, collection: str) -> int:
        """How many passages the collection holds."""
        ...

    async def search(self, collection: str, question: Question, limit: int) -> list[Hit]:
        """The nearest by meaning and the best by words, at most `limit` of each, each once, in no order."""
        ...

    async def settle(self, collection: str) -> None:
        """Put a collection in order after many changes, so that searches are quick. May take a while."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...


class Reranker(Protocol):
    """Reads a question and a passage together."""

    @property
    def identity(self) -> str:
        """Which model it is."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """The languages it was made for; empty where it was made for all."""
        ...

    async def relevance(self, question: str, passages: Sequence[str]) -> list[float]:
        """How well each passage answers, as a logit: above 0 means that it rather does."""
        ...


class Reading(NamedTuple):
    """What a judge finds a text to be to a question, as two logits: above 0 means that it rather is."""

    relevance: float
    """Whether it is about what is asked."""
    answers: float
    """Whether the answer is in it."""
    marked: tuple[int, int] | None = None
    """Where in the text it would stand, in characters, from one who marks it."""


class Judge(Protocol):
    """Tells whether a text answers, and which words of the question it has nothing like."""

    @property
    def identity(self) -> str:
        """Which model it is."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """The languages it was made for; empty where it was made for all."""
        ...

    @property
    def tells_subjects(self) -> bool:
        """Whether it tells what a text is about from whether the answer is in it, and compares words."""
        ...

    async def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        """What each text is to the question."""
        ...

    async def likeness(self, question: str, passage: str) -> list[tuple[str, float]]:
        """Each word of the question, and how like it the likest word of the passage is; 1 is the same.

        Nothing from one that compares no words.
        """
        ...


class Embedders(Protocol):
    """The embedders that this program can use."""

    def chosen(self, language: str) -> Embedder:
        """The one that a datastore gets whose first document is in this language; it may be unknown."""
        ...

    def named(self, identity: str) -> Embedder:
        """The one that made a datastore's vectors; NotAvailable where it is not configured any more."""
        ...

    def reranker(self) -> Reranker | None:
        """The reranker, where the operator wants one."""
        ...

    def judges(self) -> Sequence[Judge]:
        """Those that tell whether a passage answers, the best for what they know first.

        Who tells subjects chooses passage and sentence; the others look at what was chosen.
        """
        ...
