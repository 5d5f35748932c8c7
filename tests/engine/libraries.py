"""Libraries to test with: texts of a known length, embedders that count and fail, looks into the store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from vivavoce.domain.answers.relevance import Calibration, Fit
from vivavoce.engine import Engine
from vivavoce.errors import NotAvailable, UpstreamFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.uploads import AddFile
from vivavoce.testing import TestEmbedders, WordEmbedder

PLAIN = Calibration({"en": Fit(4.0, 4.0, -3.0), "pt": Fit(4.0, 4.0, -3.0)})


class Killed(BaseException):
    """A process ends in the middle: nothing of ours may catch this."""


class Counting(WordEmbedder):
    """Remembers what it was given; before each batch it does what a test wants."""

    def __init__(self, identity: str = "words-64") -> None:
        self.identity = identity
        self.texts: list[str] = []
        self.batches = 0
        self.fails: set[int] = set()
        """The batches, counted from 1, at which it is out of reach."""
        self.kills: set[int] = set()
        self.before: Callable[[int], Awaitable[None]] | None = None

    async def passages(self, texts: Any) -> Any:
        self.batches += 1
        if self.before is not None:
            await self.before(self.batches)
        if self.batches in self.kills:
            raise Killed
        if self.batches in self.fails:
            raise UpstreamFailed("The embedder does not answer.", hint="Try again later.")
        self.texts += texts
        return await super().passages(texts)


class Several(TestEmbedders):
    """Several embedders, of which one is chosen."""

    def __init__(self, *embedders: WordEmbedder) -> None:
        super().__init__(embedders[0])
        self.known = {embedder.identity: embedder for embedder in embedders}

    def choose(self, identity: str) -> None:
        self.embedder = self.known[identity]

    def named(self, identity: str) -> Any:
        if identity not in self.known:
            raise NotAvailable(f"The embedder {identity!r} is not configured.")
        return self.known[identity]


class Library:
    """A datastore of an engine, by the names of the wire."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.id = ""

    async def opened(self, *embedders: str) -> Library:
        """With a datastore, and embedders that need not be calibrated."""
        self.id = (await self.run("create_datastore", type="qdrant", name="Library"))["id"]
        for identity in embedders or ("words-64",):
            await self.calibrated(identity)
        return self

    async def calibrated(self, identity: str, calibration: Calibration = PLAIN) -> None:
        def kept(tables: Any) -> None:
            tables.collections.calibrate(identity, calibration.written())

        await self.engine.ports.store.write(kept)

    async def run(self, operation: str, /, **arguments: Any) -> dict[str, Any]:
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), OPERATOR)
        return result.model_dump(mode="json")

    async def add(self, name: str = "A text", text: str = "", **more: Any) -> str:
        made = await self.run("create_datasource", datastoreId=self.id, name=name, text=text, **more)
        return made["id"]

    async def upload(self, path: Path, content: bytes, **more: Any) -> str:
        path.write_bytes(content)
        op = AddFile(datastore_id=self.id, name=more.pop("name", path.name), file=path, **more)
        return (await self.engine.run(op, OPERATOR)).id

    async def source(self, id: str) -> dict[str, Any]:
        return await self.run("get_datasource", id=id)

    async def found(self, query: str, **more: Any) -> list[dict[str, Any]]:
        return (await self.run("query_datastore", id=self.id, query=query, **more))["chunks"]

    async def texts(self, query: str, **more: Any) -> list[str]:
        return [chunk["text"] for chunk in await self.found(query, **more)]

    async def rows(self, sql: str) -> list[Any]:
        """What a query finds in the database."""
        return await self.engine.ports.store.read(lambda tables: list(tables.connection.execute(sql)))

    async def number(self, table: str) -> int:
        return (await self.rows(f"select count(*) from {table}"))[0][0]

    async def collection(self) -> Any:
        """The collection that serves."""
        return (await self.engine.ports.store.read(lambda tables: tables.collections.of(self.id)))[0]

    async def indexed(self) -> int:
        """How many passages the index holds."""
        return await self.engine.ports.index.count((await self.collection()).name)

    async def check_passages(self, id: str, text: str) -> int:
        """Every word of the text stands in a passage, no passage is there twice; how many there are."""
        rows = await self.rows(
            'select position, start, "end" from passages join documents d on d.id = document_id'
            f" where d.datasource_id = '{id}' and d.state = 'current' order by position"
        )
        assert [row[0] for row in rows] == list(range(len(rows)))
        assert len({row[1:] for row in rows}) == len(rows)
        covered = 0
        for _, start, end in rows:
            assert not text[covered:start].strip(), "A stretch of the text is in no passage."
            assert end > covered
            covered = end
        assert not text[covered:].strip()
        return len(rows)


def book(passages: int, subject: str = "whale") -> str:
    """A text of at least so many passages under a WordEmbedder, no sentence twice."""
    return " ".join(
        f"Sentence {number} of the book says that the {subject} met ship {number * 7}."
        for number in range(passages * 34)
    )
