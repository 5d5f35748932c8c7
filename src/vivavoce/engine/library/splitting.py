"""Splitting: a text becomes passages that are embedded, stored and indexed, some at a time."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import dropwhile, islice
from typing import NamedTuple

from vivavoce.domain.corpus.library import Collection, Document, Ingestion, embedded_text, hash_of, title_of
from vivavoce.domain.corpus.passages import Passage, passages_of
from vivavoce.domain.corpus.splittings import splitting_in
from vivavoce.domain.knowledge import Datasource
from vivavoce.errors import NotAvailable
from vivavoce.ports import Embedder, Ports, Tables

from .calibration import ensure_calibrated
from .indexing import collection_for, ensure_held, fill, sweep
from .reading import examined, read

LEASE = timedelta(seconds=12)
"""How long nobody else takes up the work of a process that gives no sign of life."""
_BATCH = 32
"""Passages that are embedded and stored at a time."""
_TURN = 8
"""Batches after which other work may come first."""
_SHARE = 16
"""And not before a 16th of what was there is added: who goes on later splits the text from its beginning."""


class Lost(Exception):
    """Another worker has the work now, or there is no work any more."""


def ours(claimed: Ingestion, ports: Ports, tables: Tables) -> Datasource:
    """The datasource of work that is still ours; Lost otherwise."""
    source = tables.datasources.find(claimed.datasource_id)
    if source is None or not tables.ingestions.hold(claimed, ports.now() + LEASE):
        raise Lost
    return source


class _Switched(Exception):
    """The datastore has another embedder since this one was asked."""


class _Batch(NamedTuple):
    """Passages that are embedded and can be stored."""

    document: Document
    first: int
    passages: list[Passage]
    hashes: list[str]
    vectors: dict[str, bytes]


class Task:
    """One claimed piece of work."""

    def __init__(self, claimed: Ingestion, ports: Ports) -> None:
        self.claimed, self.ports = claimed, ports

    async def run(self) -> None:
        source = await self.ports.store.write(self._begun)
        if self.claimed.step == "read":
            if not await read(source, self.ports, self._ours):
                await self._done()
                return
            await self.ports.store.write(self._has_read)
        if await self._split(source):
            await self._done()

    async def _split(self, source: Datasource) -> bool:
        """The passages, by the embedder that the datastore has in the end; whether that was all of them."""
        while True:
            with suppress(_Switched):
                return await self._split_by_one(source)

    async def _split_by_one(self, source: Datasource) -> bool:
        """Embed, store and index what follows the last passage that is there, some at a time.

        Whether that was all: where other work waits, a long text is let go of in the middle.
        """
        document, text = await self.ports.store.read(partial(_unfinished, source), is_long=True)
        if document is None:
            return True
        if not document.hash:
            document = await self.ports.store.write(partial(self._examined, document, text))
        embedder = await self._embedder(document)
        done, covered = await self.ports.store.read(partial(_done_of, document))
        size, overlap = splitting_in(source.config)
        every = passages_of(text, document.outline, embedder.lengths, size=size, overlap=overlap)
        passages = dropwhile(lambda passage: passage.end <= covered, every)
        title = title_of(source.name)
        turn = done + max(_TURN * _BATCH, done // _SHARE)
        while batch := await asyncio.to_thread(list, islice(passages, _BATCH)):
            texts = [embedded_text(title, each.headings, text[each.start : each.end]) for each in batch]
            vectors = await self._embedded(embedder, texts)
            some = _Batch(document, done, batch, [hash_of(each) for each in texts], vectors)
            await fill(await self.ports.store.write(partial(self._keep, some, embedder)), self.ports)
            done += len(batch)
            if done >= turn and await self.ports.store.write(self._gives_way):
                return False
        return True

    def _gives_way(self, tables: Tables) -> bool:
        """Whether there is other work; if so, this is let go of, and its turn comes after what is due now."""
        if tables.ingestions.number() == 1:
            return False
        self._ours(tables)
        tables.ingestions.postpone(self.claimed, self.ports.now())
        return True

    def _examined(self, document: Document, text: str, tables: Tables) -> Document:
        self._ours(tables)
        return examined(document, text, tables)

    async def _embedder(self, document: Document) -> Embedder:
        """The embedder of the datastore; where it has none yet, the one for the document's language."""
        serving = await self.ports.store.read(lambda tables: tables.collections.of(document.datastore_id))
        if serving:
            await ensure_held(serving[0], self.ports)
            await fill(serving[0], self.ports)  # what a killed process has stored but not indexed
            return self.ports.embedders.named(serving[0].embedder)
        embedder = self.ports.embedders.chosen(document.language)
        await embedder.question("a")  # an endpoint tells its dimension with its first answer
        await ensure_calibrated(embedder, self.ports)
        return embedder

    async def _embedded(self, embedder: Embedder, texts: list[str]) -> dict[str, bytes]:
        """A vector for the hash of each text; what is known is not embedded again."""
        by_hash = {hash_of(text): text for text in texts}
        known = await self.ports.store.read(
            lambda tables: tables.passages.vectors(embedder.identity, list(by_hash))
        )
        missing = [hash for hash in by_hash if hash not in known]
        if missing:
            rows = await embedder.passages([by_hash[hash] for hash in missing])
            known |= {hash: row.astype("<f2").tobytes() for hash, row in zip(missing, rows, strict=True)}
        return known

    def _keep(self, batch: _Batch, embedder: Embedder, tables: Tables) -> Collection:
        source, document = self._move_on(tables), batch.document
        collection = collection_for(document.datastore_id, embedder, tables)
        if collection.embedder != embedder.identity:
            raise _Switched
        if collection.dimension != embedder.dimension:
            raise NotAvailable(
                f"The embedder {embedder.identity!r} gives vectors of another length than before.",
                hint="Name the model that made the first ones, or another one and run vivavoce reindex.",
            )
        datastore = tables.datastores.find(document.datastore_id)
        if datastore is not None and datastore.embedder != collection.embedder:
            known = {"embedder": collection.embedder, "dimension": collection.dimension}
            tables.datastores.replace(datastore.changed(self.ports.now(), **known))
        tables.passages.keep_vectors(embedder.identity, batch.vectors)
        tables.passages.add(document, batch.first, list(zip(batch.passages, batch.hashes, strict=True)))
        tokens = sum(passage.tokens for passage in batch.passages)
        covered = batch.passages[-1].end / max(1, document.characters)
        tables.datasources.replace(
            source.changed(
                self.ports.now(),
                nb_chunks=batch.first + len(batch.passages),
                nb_tokens=tokens + (source.nb_tokens if batch.first else 0),
                progress=round(min(covered, 0.99), 2),
            )
        )
        return collection

    def _ours(self, tables: Tables) -> Datasource:
        return ours(self.claimed, self.ports, tables)

    def _begun(self, tables: Tables) -> Datasource:
        source = self._ours(tables).changed(self.ports.now(), status="running", error=None)
        tables.datasources.replace(source)
        if self.claimed.step == "split":
            tables.uploads.drop(source.id)  # a newer text has taken the place of a file that was never read
        return source

    def _has_read(self, tables: Tables) -> None:
        """The text is there, so that its file is no longer needed."""
        tables.uploads.drop(self._move_on(tables).id)

    def _move_on(self, tables: Tables) -> Datasource:
        """Note that the text is read: who takes the work up goes on from there."""
        source = self._ours(tables)
        tables.ingestions.move(self.claimed, "split")
        return source

    async def _done(self) -> None:
        """The new version counts now; what the old one gave is no longer found."""

        def done(tables: Tables) -> None:
            source = self._ours(tables)
            new, old = tables.documents.of(source.id, "next"), tables.documents.of(source.id, "current")
            if new is not None:
                if old is not None:
                    tables.passages.retire(old.id)
                    tables.documents.replace(old.in_state("old"))
                tables.documents.replace(new.in_state("current"))
            tables.uploads.drop(source.id)
            tables.ingestions.finish(self.claimed)
            now = self.ports.now()
            tables.datasources.replace(
                source.changed(
                    now,
                    status="synched",
                    error=None,
                    progress=1.0,
                    last_synch=now,
                    nb_synch=source.nb_synch + 1,
                )
            )

        await self.ports.store.write(done)
        await sweep(self.ports)


def _unfinished(source: Datasource, tables: Tables) -> tuple[Document | None, str]:
    """The version to work on, and its text."""
    document = tables.documents.of(source.id, "next") or tables.documents.of(source.id, "current")
    return document, "" if document is None else tables.documents.text(document.id)


def _done_of(document: Document, tables: Tables) -> tuple[int, int]:
    """How many passages of a version are there, and where the last of them ends."""
    return tables.passages.number(document.id), tables.passages.end(document.id)
