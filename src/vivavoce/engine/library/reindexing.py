"""Reindexing: new vectors for a datastore while the old ones serve, or the same index made anew."""

from __future__ import annotations

from functools import partial

from vivavoce.domain.corpus.library import Collection, Located, collection_named
from vivavoce.ports import Embedder, Ports, Tables

from .calibration import ensure_calibrated
from .indexing import Progress, empty, ensure_held, fill, language_in

_BATCH = 64


async def reindex(datastore_id: str, ports: Ports, progress: Progress | None = None) -> Collection | None:
    """Give a datastore the embedder that is chosen for the language of most of its documents.

    In as many runs as it takes; the old index serves meanwhile.
    """
    serving = await ports.store.read(lambda tables: _serving(datastore_id, tables))
    if serving is None:
        return None
    language = await ports.store.read(lambda tables: language_in(datastore_id, tables))
    embedder = ports.embedders.chosen(language)
    await embedder.question("a")  # an endpoint tells its dimension with its first answer
    if embedder.identity == serving.embedder:
        await _cleared(serving, ports)
        await empty(serving, ports)
        await fill(serving, ports, progress)
        return serving
    await ensure_calibrated(embedder, ports)
    name = collection_named(datastore_id, embedder.identity)
    new = await ports.store.write(lambda tables: _begun(name, datastore_id, embedder, tables))
    if new.filled_to == 0:
        await ports.index.drop(name)  # whatever an earlier life of this database has left there
    await ensure_held(new, ports)
    while True:
        await _embed(new, embedder, ports, progress)
        if await ports.store.write(lambda tables: _switched(new.name, serving, ports, tables)):
            break
    await _cleared(new, ports)
    return new


async def _cleared(kept: Collection, ports: Ports) -> None:
    """Drop the other collections of a datastore: the one that served before, and those never finished."""
    others = await ports.store.read(
        lambda tables: [each for each in tables.collections.of(kept.datastore_id) if each.name != kept.name]
    )
    for other in others:
        await ports.index.drop(other.name)
        await ports.store.write(partial(_dropped, other))


async def _embed(new: Collection, embedder: Embedder, ports: Ports, progress: Progress | None) -> None:
    while True:
        waiting = await ports.store.read(partial(_waiting, new.name), is_long=True)
        if not waiting:
            await fill(new, ports)
            return
        texts = {each.hash: each.text for each in waiting}
        rows = await embedder.passages(list(texts.values()))
        vectors = {hash: row.astype("<f2").tobytes() for hash, row in zip(texts, rows, strict=True)}
        await ports.store.write(partial(_kept, embedder.identity, vectors))
        await fill(new, ports)
        if progress is not None:
            progress(len(waiting))


def _kept(embedder: str, vectors: dict[str, bytes], tables: Tables) -> None:
    tables.passages.keep_vectors(embedder, vectors)


def _serving(datastore_id: str, tables: Tables) -> Collection | None:
    return next((each for each in tables.collections.of(datastore_id) if each.serves), None)


def _begun(name: str, datastore_id: str, embedder: Embedder, tables: Tables) -> Collection:
    found = next((each for each in tables.collections.of(datastore_id) if each.name == name), None)
    if found is None:
        found = Collection(name, datastore_id, embedder.identity, embedder.dimension, serves=False)
        tables.collections.put(found)
    return found


def _waiting(name: str, tables: Tables) -> list[Located]:
    collection = tables.collections.find(name)
    return [] if collection is None else tables.passages.unembedded(collection, _BATCH)


def _dropped(collection: Collection, tables: Tables) -> None:
    tables.passages.drop_vectors(collection.embedder, collection.datastore_id)
    tables.collections.drop(collection.name)


def _switched(name: str, serving: Collection, ports: Ports, tables: Tables) -> bool:
    """Whether questions go to the new collection now; not yet where passages came in meanwhile."""
    new = tables.collections.find(name)
    datastore = tables.datastores.find(serving.datastore_id)
    if new is None or datastore is None:
        return True
    if tables.passages.unindexed(new, 1):
        return False
    tables.collections.put(serving.changed(serves=False))
    tables.collections.put(new.changed(serves=True))
    tables.datastores.replace(datastore.changed(ports.now(), embedder=new.embedder, dimension=new.dimension))
    return True
