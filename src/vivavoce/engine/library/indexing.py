"""Keeping the index in step with the store: filling, forgetting, making anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from vivavoce.domain.corpus.library import Collection, Unindexed, collection_named
from vivavoce.domain.language.languages import UNKNOWN
from vivavoce.domain.language.words import terms_of
from vivavoce.errors import Damaged, StorageFailed
from vivavoce.ports import Embedder, Entry, Ports, Tables

_BATCH = 256
_SOON = 2_000
"""So many passages are indexed while someone waits for an answer; for more of them the worker is left."""

Progress = Callable[[int], None]
"""Told how many more passages are done."""


def collection_for(datastore_id: str, embedder: Embedder, tables: Tables) -> Collection:
    """The collection that serves a datastore; it is made with this embedder where there is none yet."""
    found = next((each for each in tables.collections.of(datastore_id) if each.serves), None)
    if found is not None:
        return found
    name = collection_named(datastore_id, embedder.identity)
    made = Collection(name, datastore_id, embedder.identity, embedder.dimension, serves=True)
    tables.collections.put(made)
    return made


def language_in(datastore_id: str, tables: Tables) -> str:
    """The language of most documents of a datastore, as far as it is known."""
    languages = tables.documents.languages(datastore_id)
    known = sorted(language for language in languages if language != UNKNOWN)  # the same one of two alike
    return max(known, key=lambda language: languages[language], default=UNKNOWN)


async def fill(collection: Collection, ports: Ports, progress: Progress | None = None) -> None:
    """Give the index every passage that it does not have, and let it forget what is gone."""
    try:
        await _filled(collection.name, ports, progress)
    except Damaged:
        await empty(collection, ports)
        await _filled(collection.name, ports, progress)


async def empty(collection: Collection, ports: Ports) -> None:
    """Drop what the index holds, so that it is filled again from the beginning."""

    def begun_again(tables: Tables) -> None:
        current = tables.collections.find(collection.name)
        if current is not None:
            tables.collections.put(current.changed(filled_to=0, generation=current.generation + 1))
            tables.collections.forgotten(current, tables.collections.gone(current, 2**31))

    await ports.index.drop(collection.name)
    await ports.store.write(begun_again)


async def catch_up(collection: Collection, ports: Ports, *, is_damaged: bool = False) -> bool:
    """Mend an index that has less than it was given; whether it has more now.

    While many passages are missing, StorageFailed: the next sweep fills them in.
    """
    given, total = await ports.store.read(partial(_numbers, collection))
    held = 0 if is_damaged else await _held(collection, ports)
    if held < given and await ports.store.write(partial(_taken_back, collection)):
        await empty(collection, ports)
    if total - held <= 0:
        return False
    if total - held > _SOON:
        raise StorageFailed(
            "The index of this datastore is being made again from the database.",
            hint="Ask again in a few minutes.",
        )
    await fill(collection, ports)
    return True


async def ensure_held(collection: Collection, ports: Ports) -> None:
    """Begin again with an index that lost passages while nobody looked."""
    given, _ = await ports.store.read(partial(_numbers, collection))
    if await _held(collection, ports) < given:
        await empty(collection, ports)


async def sweep(ports: Ports) -> None:
    """Bring every index in step with the store, and drop collections whose datastore is gone."""
    for collection, is_wanted in await ports.store.read(_out_of_step):
        if is_wanted:
            await fill(collection, ports)
        else:
            await ports.index.drop(collection.name)
            await ports.store.write(partial(_dropped, collection.name))


async def is_whole(collection: Collection, ports: Ports) -> bool:
    """Whether the index holds every passage that it was given."""
    expected = await ports.store.read(lambda tables: tables.passages.count(collection.datastore_id))
    return await ports.index.count(collection.name) == expected


async def _held(collection: Collection, ports: Ports) -> int:
    try:
        return await ports.index.count(collection.name)
    except Damaged:
        return 0


async def _filled(name: str, ports: Ports, progress: Progress | None) -> None:
    while True:
        collection, waiting, gone = await ports.store.read(partial(_left, name), is_long=True)
        if collection is None:
            return
        if gone:
            await ports.index.remove(name, gone)
            await ports.store.write(partial(_forgotten, collection, gone))
        ready = _ready(waiting)
        if ready:
            await ports.index.add(name, await asyncio.to_thread(_entries, ready))
            await ports.store.write(partial(_note, collection, [each.id for each in ready]))
            if progress is not None:
                progress(len(ready))
        elif not gone:
            return


def _left(name: str, tables: Tables) -> tuple[Collection | None, list[Unindexed], list[int]]:
    collection = tables.collections.find(name)
    if collection is None:
        return None, [], []
    return (
        collection,
        tables.passages.unindexed(collection, _BATCH),
        tables.collections.gone(collection, _BATCH),
    )


def _ready(waiting: list[Unindexed]) -> list[Unindexed]:
    """Those in front whose vector is there."""
    for place, each in enumerate(waiting):
        if each.vector is None:
            return waiting[:place]
    return waiting


def _entries(ready: list[Unindexed]) -> list[Entry]:
    import numpy

    return [
        Entry(
            each.id,
            each.datasource_id,
            numpy.frombuffer(each.vector or b"", "<f2").astype("f4"),
            terms_of(each.text, each.language),
        )
        for each in ready
    ]


def _dropped(name: str, tables: Tables) -> None:
    tables.collections.drop(name)


def _out_of_step(tables: Tables) -> list[tuple[Collection, bool]]:
    """The collections that need work; whether a datastore still wants each."""
    found = tables.collections.out_of_step()
    return [(each, tables.datastores.find(each.datastore_id) is not None) for each in found]


def _numbers(collection: Collection, tables: Tables) -> tuple[int, int]:
    """How many passages the index was given, and how many there are."""
    count = tables.passages.count
    return count(collection.datastore_id, collection.filled_to), count(collection.datastore_id)


def _taken_back(collection: Collection, tables: Tables) -> bool:
    """Whether it is for us to begin again: not where someone did so since we looked."""
    current = tables.collections.find(collection.name)
    if current is None or _stand(current) != _stand(collection):
        return False
    tables.collections.put(current.changed(filled_to=0, generation=current.generation + 1))
    return True


def _forgotten(collection: Collection, ids: list[int], tables: Tables) -> None:
    tables.collections.forgotten(collection, ids)


def _note(collection: Collection, ids: list[int], tables: Tables) -> None:
    """Note what the index has now, unless it was begun again since; what is gone by now it must forget."""
    current = tables.collections.find(collection.name)
    if current is None:
        return
    kept = tables.passages.kept(ids)
    tables.collections.forget(current, [id for id in ids if id not in kept])
    if _stand(current) == _stand(collection):
        tables.collections.put(current.changed(filled_to=ids[-1]))


def _stand(collection: Collection) -> tuple[int, int]:
    return collection.generation, collection.filled_to
