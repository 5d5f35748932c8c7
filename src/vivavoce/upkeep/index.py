"""The index of a workspace: how it stands, and making it anew."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from vivavoce.app import App, index_folder
from vivavoce.domain.corpus.library import Collection
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.engine.library.indexing import is_whole, language_in
from vivavoce.engine.library.reindexing import reindex
from vivavoce.errors import NotAvailable, UpstreamFailed
from vivavoce.ports import Tables
from vivavoce.settings import Settings

_PATIENCE = 5.0
"""Seconds in which a service must answer when it is only asked whether it is there."""
_NOBODY = "vivavoce.00000000"
"""A collection that does not exist."""

Standing = Literal["whole", "being filled", "broken", "left", "elsewhere", "unfit"]


@dataclass(frozen=True)
class Reindexed:
    """A datastore whose index was made anew."""

    embedder: str
    passages: int
    seconds: float


@dataclass(frozen=True)
class IndexState:
    """How the index of one datastore stands."""

    datastore_id: str
    name: str
    embedder: str
    standing: Standing
    """`left` where a new index was begun and not finished, `elsewhere` where its embedder cannot be had,
    `unfit` where another is chosen for the language of most documents."""
    hint: str = ""
    """What to do where the embedder cannot be had."""


async def reindex_datastore(
    app: App, datastore_id: str, told: Callable[[int, int], None]
) -> Reindexed | None:
    """The datastore under the chosen embedder; None where there is nothing in it yet."""
    began = time.perf_counter()
    total = await app.ports.store.read(lambda tables: tables.passages.count(datastore_id))
    done = 0

    def progress(more: int) -> None:
        nonlocal done
        done += more
        told(min(done, total), total)

    told(0, total)
    made = await reindex(datastore_id, app.ports, progress)
    if made is None:
        return None
    total = await app.ports.store.read(lambda tables: tables.passages.count(datastore_id))
    told(total, total)
    return Reindexed(made.embedder, total, time.perf_counter() - began)


async def states_of_index(app: App) -> list[IndexState]:
    """How the index of each datastore stands; UpstreamFailed where it cannot be reached."""
    try:
        async with asyncio.timeout(_PATIENCE):
            await app.ports.index.count(_NOBODY)
    except TimeoutError as error:
        raise UpstreamFailed(f"The index does not answer within {_PATIENCE:.0f} s.") from error
    found = await app.ports.store.read(_collections)
    return [await _state(datastore, collection, app) for datastore, collection in found]


async def ask_embedder(app: App) -> int:
    """The dimension of the chosen embedder, after it was asked for one vector."""
    embedder = app.ports.embedders.chosen("en")
    try:
        async with asyncio.timeout(_PATIENCE):
            await embedder.question("a")
    except TimeoutError as error:
        raise UpstreamFailed(f"The embedder does not answer within {_PATIENCE:.0f} s.") from error
    return embedder.dimension


def check_built_in_models(named: str) -> tuple[str, ...]:
    """The built-in embedders, or the one that is named, once all files are seen to be the right ones.

    Those of the judge and of the readers are looked at too. None is loaded.
    """
    from vivavoce.adapters.embedders.chosen import ENGLISH, MULTILINGUAL, ChosenEmbedders
    from vivavoce.adapters.embedders.weights import INSTALLED, OWN, are_installed

    ChosenEmbedders(model=named)
    for own in OWN:
        for name in own.digests:
            own.file(name)
    if are_installed():
        for weights in INSTALLED:
            weights.path()
    both = (ENGLISH, MULTILINGUAL) if are_installed() else (MULTILINGUAL,)
    return (named,) if named else both


def size_of_index(settings: Settings) -> tuple[Path, int]:
    """The folder of the embedded index, and how many bytes are in it."""
    folder = index_folder(settings)
    size = 0
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):  # a process that indexes may put another in its place
            size += file.stat().st_size if file.is_file() else 0
    return folder, size


async def troubles(app: App, limit: int) -> tuple[int, list[Datasource], int]:
    """How many datasources could not be read, the newest of them, and how many wait to be indexed."""
    return await app.ports.store.read(
        lambda tables: (
            tables.datasources.count(status="error"),
            tables.datasources.where(status="error", newest_first=True, limit=limit),
            tables.ingestions.number(),
        )
    )


def _collections(tables: Tables) -> list[tuple[Datastore, Collection]]:
    datastores = {datastore.id: datastore for datastore in tables.datastores.where()}
    return [
        (datastores[collection.datastore_id], collection)
        for collection in tables.collections.all()
        if collection.datastore_id in datastores
    ]


async def _state(datastore: Datastore, collection: Collection, app: App) -> IndexState:
    standing: Standing = "whole"
    hint = _lacking(collection.embedder, app)
    if not collection.serves:
        standing = "left"
    elif hint:
        standing = "elsewhere"
    elif not await is_whole(collection, app.ports):
        is_empty = await app.ports.index.count(collection.name) == 0
        is_filling = await app.ports.store.read(lambda tables: _is_filling(collection, tables))
        standing = "being filled" if is_filling and not (is_empty and collection.filled_to) else "broken"
    elif await _is_unfit(collection, app):
        standing = "unfit"
    return IndexState(datastore.id, datastore.name, collection.embedder, standing, hint)


def _lacking(embedder: str, app: App) -> str:
    """What to do to have an embedder; nothing where it is there."""
    try:
        app.ports.embedders.named(embedder)
    except NotAvailable as error:
        return error.hint or error.message
    return ""


async def _is_unfit(collection: Collection, app: App) -> bool:
    """Whether the English embedder has texts in another language, which the other built-in one knows."""
    language = await app.ports.store.read(lambda tables: language_in(collection.datastore_id, tables))
    chosen = app.ports.embedders.chosen(language)
    is_foreign = language not in app.ports.embedders.named(collection.embedder).languages
    return bool(language) and is_foreign and language in chosen.languages


def _is_filling(collection: Collection, tables: Tables) -> bool:
    """Whether someone will still give passages to the index, or let it forget some."""
    return bool(tables.ingestions.number(collection.datastore_id) or tables.collections.gone(collection, 1))
