"""Fakes for tests, and an engine on a real file with a clock that stands still."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

from vivavoce.adapters import identity
from vivavoce.adapters.documents.reading import ChildReader
from vivavoce.adapters.index.embedded import EmbeddedIndex
from vivavoce.adapters.sql.sqlite import SqliteStore
from vivavoce.adapters.vault import AesVault
from vivavoce.domain.channels import Account, Heard
from vivavoce.domain.words import words_of
from vivavoce.engine import Engine
from vivavoce.engine.ingestion import Ingester
from vivavoce.errors import NotAvailable, Unreadable, UpstreamFailed
from vivavoce.ports import (
    Called,
    Channel,
    Delta,
    Embedder,
    Embedders,
    Index,
    Judge,
    Model,
    Models,
    Outside,
    Page,
    Piece,
    Ports,
    Prompt,
    Reply,
    Reranker,
    Spent,
    Store,
    Web,
)
from vivavoce.ports.time import Outcome, Sending, Sent

__all__ = [
    "CountedIds",
    "FakeClock",
    "FakeOutside",
    "FakeWeb",
    "MemoryChannel",
    "ScriptedModel",
    "TestChannels",
    "TestEmbedders",
    "TestModels",
    "WordEmbedder",
    "ingested",
    "open_test_engine",
]


class FakeClock:
    """A clock that moves only when it is told to."""

    def __init__(self, moment: datetime = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)) -> None:
        self._moment = moment

    def now(self) -> datetime:
        """The moment that the clock shows."""
        return self._moment

    def advance(self, **delta: float) -> None:
        """Move on, by the arguments of a timedelta: `clock.advance(days=5)`."""
        self._moment += timedelta(**delta)


class CountedIds:
    """Ids in the shape of a cuid that count up from 1: the n-th call gives the n-th id."""

    def __init__(self) -> None:
        self._count = count(1)

    def __call__(self) -> str:
        return f"c{next(self._count):024d}"


class WordEmbedder:
    """An embedder whose vectors are the words of a text: quick, and never surprising."""

    identity = "words-64"
    dimension = 64
    languages: frozenset[str] = frozenset()

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """How many words each text has."""
        return [len(text.split()) for text in texts]

    async def passages(self, texts: Sequence[str]) -> Any:
        """A vector for each passage."""
        import numpy

        return numpy.stack([self._vector(text) for text in texts])

    async def question(self, text: str) -> Any:
        """The vector of a question."""
        return self._vector(text)

    def _vector(self, text: str) -> Any:
        import numpy

        vector = numpy.full(self.dimension, 0.01, "f4")
        for word in words_of(text, "en"):
            vector[zlib.crc32(word.encode()) % self.dimension] += 1
        return vector / numpy.linalg.norm(vector)


class TestEmbedders:
    """One embedder for everything."""

    __test__ = False

    def __init__(
        self,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.embedder, self._reranker, self._judge = embedder or WordEmbedder(), reranker, judge

    def chosen(self) -> Embedder:
        """The embedder."""
        return self.embedder

    def named(self, identity: str) -> Embedder:
        """The embedder, if it is the one."""
        if identity != self.embedder.identity:
            raise NotAvailable(f"The embedder {identity!r} is not configured.", hint="Run vivavoce reindex.")
        return self.embedder

    def reranker(self) -> Reranker | None:
        """The reranker, if there is one."""
        return self._reranker

    def judge(self) -> Judge | None:
        """The judge, if there is one."""
        return self._judge


class FakeWeb:
    """A web of pages that are given by hand: `FakeWeb({"https://example.com/": b"<p>Hello</p>"})`."""

    def __init__(self, pages: Mapping[str, bytes] | None = None) -> None:
        self.pages = dict(pages or {})

    async def page(self, url: str) -> Page:
        """The page, or Unreadable."""
        if url not in self.pages:
            raise Unreadable(f"{url} answers 404.")
        return Page(url, "html", self.pages[url])

    async def site(self, url: str, *, sitemap: str | None, without: Sequence[str]) -> list[str]:
        """Every page that the sitemap lists; without one, every page that begins with the address."""
        listed = [each for each in self.pages if each.startswith(url)]
        if sitemap is not None and sitemap in self.pages:
            listed = re.findall(r"<loc>(.*?)</loc>", self.pages[sitemap].decode())
        return [each for each in listed if not each.startswith(tuple(without))]

    def is_sitemap(self, body: bytes) -> bool:
        """Whether the page begins as a sitemap does."""
        return body.startswith((b"<urlset", b"<sitemapindex"))


class ScriptedModel:
    """A model that says what it was given, round by round: texts, calls, or an error to raise.

    `ScriptedModel(["Hello."])` answers at once; `[Called("1", "Get order", "{}"), "It is on its way."]`
    calls first. After the last round it repeats it. What it was asked stands in `prompts`.
    """

    name = "scripted"
    context = 128_000

    def __init__(self, rounds: Sequence[str | Called | Exception | Sequence[Piece]]) -> None:
        self.rounds, self.prompts = list(rounds), list[Prompt]()

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The next round."""
        said = self.rounds[min(len(self.prompts), len(self.rounds) - 1)]
        self.prompts.append(prompt)
        if isinstance(said, Exception):
            raise said
        pieces: Sequence[Piece] = (
            [Delta(said)] if isinstance(said, str) else [said] if isinstance(said, Called) else said
        )
        for piece in pieces:
            yield piece
        yield Spent(self.name, prompt_tokens=10, completion_tokens=5, cost=0.001)


class TestModels:
    """One model for every name; none where none is given."""

    __test__ = False

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.asked: list[str] = []

    def named(self, name: str, fallback: str | None, keys: Mapping[str, Mapping[str, str]]) -> Model | None:
        """The model."""
        self.asked.append(name)
        return self.model


class FakeOutside:
    """Servers that are given by hand: `FakeOutside({"GET https://example.com/": (200, "yes")})`.

    What was sent stands in `sent`.
    """

    def __init__(self, answers: Mapping[str, tuple[int, str]] | None = None) -> None:
        self.answers = dict(answers or {})
        self.sent: list[tuple[str, str, dict[str, str], bytes | None]] = []

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes | None,
        most: int,
        left: Callable[[], None] | None = None,
    ) -> Reply:
        """The answer that was given for the address, or UpstreamFailed."""
        self.sent.append((method, url, dict(headers), content))
        if f"{method} {url}" not in self.answers:
            raise UpstreamFailed(f"{url} does not answer.")
        status, text = self.answers[f"{method} {url}"]
        body = text.encode()
        return Reply(status, {"content-type": "text/plain"}, body[:most], len(body) > most)


class MemoryChannel:
    """A channel without a network: what was sent stands in `sent`, and `outcomes` says what comes of it.

    The events of a request are a JSON list of objects with the fields of Heard.
    """

    def __init__(self, *outcomes: Outcome, repeats_safely: bool = False) -> None:
        self.outcomes, self.repeats_safely = list(outcomes), repeats_safely
        self.sent: list[Sending] = []
        self.typing: list[str] = []

    def heard(self, account: Account, headers: Mapping[str, str], body: bytes, now: datetime) -> list[Heard]:
        """The events."""
        return [Heard(**each) for each in json.loads(body)]

    async def send(self, account: Account, sending: Sending) -> Outcome:
        """The next outcome; after the last one, it is sent."""
        self.sent.append(sending)
        return self.outcomes.pop(0) if self.outcomes else Sent(f"ext-{len(self.sent)}")

    async def show_typing(self, account: Account, chat: str) -> None:
        """Noted."""
        self.typing.append(chat)


class TestChannels:
    """One channel for every type."""

    __test__ = False

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def of(self, type: str) -> Channel:
        """The channel."""
        return self.channel


@contextmanager
def open_test_engine(
    folder: Path,
    clock: FakeClock | None = None,
    ids: CountedIds | None = None,
    *,
    embedders: Embedders | None = None,
    web: Web | None = None,
    index: Index | None = None,
    models: Models | None = None,
    outside: Outside | None = None,
    channel: Channel | None = None,
    store: Store | None = None,
) -> Iterator[Engine]:
    """The embedded engine on a SQLite file in `folder`, with a clock and ids that can be foretold.

    To open the same folder again, pass the same ids. Nothing is ingested until `ingested(engine)` is called.
    A `store` that is given takes the place of the file; who gave it closes it.
    """
    vault, new_id = AesVault(bytes(range(32))), ids or CountedIds()
    own = SqliteStore(folder / "vivavoce.db", vault, new_id=new_id) if store is None else None
    now = (clock or FakeClock()).now
    try:
        yield Engine(
            Ports(
                store=own if store is None else store,  # type: ignore[arg-type]  # one of them is there
                vault=vault,
                reader=ChildReader(),
                web=web or FakeWeb(),
                embedders=embedders or TestEmbedders(),
                index=index or EmbeddedIndex(folder / "vivavoce.index"),
                models=models or TestModels(),
                outside=outside or FakeOutside(),
                channels=TestChannels(channel or MemoryChannel()),
                now=now,
                new_id=new_id,
                new_secret=identity.new_secret,
            )
        )
    finally:
        if own is not None:
            own.close()


async def ingested(engine: Engine) -> None:
    """Work until every datasource is indexed or has failed."""
    await Ingester(engine.ports).finish()
