"""Public sets: their documents, ingested once through the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.app import App
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatasource, CreateDatastore


async def ingested(name: str, corpus: Sequence[Mapping[str, Any]], app: App) -> str:
    """The datastore that holds a set; a run that was broken off is gone on with."""
    known = await app.ports.store.read(lambda tables: tables.datastores.where())
    if known:
        await app.ingester.finish()
        return known[0].id
    datastore = await app.backend.run(CreateDatastore(type="qdrant", name=name), OPERATOR)
    for document in corpus:
        await app.backend.run(
            CreateDatasource(
                datastore_id=datastore.id,
                name=(document.get("title") or document["id"]).strip()[:200] or document["id"],
                text=document["text"] or document["title"],
                custom_id=document["id"],
            ),
            OPERATOR,
        )
    await app.ingester.finish()
    return datastore.id
