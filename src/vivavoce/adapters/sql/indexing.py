"""The work that is left, and what the index holds, as rows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from vivavoce.domain.corpus.library import Collection, Ingestion
from vivavoce.domain.entities import written

from .rows import Connection, batches, one_of

_COLLECTION = "name, datastore_id, embedder, dimension, serves, filled_to, generation"


class IngestionRows:
    """What is left to do for datasources."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def put(self, datasource_id: str, step: str, now: datetime) -> None:
        """Ask for work on a datasource; what was under way for it is fenced off."""
        self.connection.execute(
            "insert into ingestions"
            " (datasource_id, datastore_id, step, created_at, due_at, lease_until, fence, attempts)"
            " select id, datastore_id, :step, :now, :now, null, 0, 0 from datasources where id = :id"
            " on conflict (datasource_id) do update set step = :step, created_at = :now, due_at = :now,"
            " lease_until = null, fence = ingestions.fence + 1, attempts = 0",
            {"id": datasource_id, "step": step, "now": written(now)},
        )

    def claim(self, now: datetime, until: datetime, datastore_id: str | None = None) -> Ingestion | None:
        """Take the work that waits longest."""
        only = "" if datastore_id is None else " and datastore_id = :datastore_id"
        rows = self.connection.execute(
            "update ingestions set lease_until = :until, fence = fence + 1, attempts = attempts + 1"
            " where datasource_id = (select datasource_id from ingestions where due_at <= :now"
            f" and (lease_until is null or lease_until <= :now){only} order by due_at, datasource_id limit 1"
            f"{self.connection.dialect.skips_locked})"
            " returning datasource_id, step, fence, attempts",
            {"now": written(now), "until": written(until), "datastore_id": datastore_id},
        )
        return next((Ingestion(*row) for row in list(rows)), None)

    def hold(self, ingestion: Ingestion, until: datetime) -> bool:
        """Whether the work is still ours; if so, for longer."""
        rows = self.connection.execute(
            "update ingestions set lease_until = :until where datasource_id = :id and fence = :fence"
            " returning fence",
            {"until": written(until), **_ours(ingestion)},
        )
        return bool(list(rows))

    def move(self, ingestion: Ingestion, step: str) -> None:
        """Note how far the work has come; the tries are counted anew from there."""
        self.connection.execute(
            "update ingestions set step = :step, attempts = 0 where datasource_id = :id and fence = :fence",
            {"step": step, **_ours(ingestion)},
        )

    def postpone(self, ingestion: Ingestion, due: datetime) -> None:
        """Let go of it until a later time."""
        self.connection.execute(
            "update ingestions set lease_until = null, due_at = :due"
            " where datasource_id = :id and fence = :fence",
            {"due": written(due), **_ours(ingestion)},
        )

    def finish(self, ingestion: Ingestion) -> None:
        """There is nothing left to do."""
        self.connection.execute(
            "delete from ingestions where datasource_id = :id and fence = :fence", _ours(ingestion)
        )

    def number(self, datastore_id: str | None = None) -> int:
        """How many datasources wait or are worked on."""
        only = "" if datastore_id is None else " where datastore_id = :id"
        ((number,),) = self.connection.execute(f"select count(*) from ingestions{only}", {"id": datastore_id})
        return int(number)


class CollectionRows:
    """What the index holds, and what it must still forget."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def of(self, datastore_id: str) -> list[Collection]:
        """The collections of a datastore: the one that serves first."""
        return self._read("where datastore_id = :id order by serves desc, name", {"id": datastore_id})

    def all(self) -> list[Collection]:
        """Every collection."""
        return self._read("order by name", {})

    def find(self, name: str) -> Collection | None:
        """The collection of this name."""
        return next(iter(self._read("where name = :name", {"name": name})), None)

    def out_of_step(self) -> list[Collection]:
        """Those that lack passages, hold some that are gone, or whose datastore is gone."""
        return self._read(
            "where exists (select 1 from gone where collection = name)"
            " or not exists (select 1 from datastores where id = collections.datastore_id)"
            " or (serves and exists (select 1 from passages"
            " where datastore_id = collections.datastore_id and id > filled_to)) order by name",
            {},
        )

    def put(self, collection: Collection) -> None:
        """Keep what is known of a collection."""
        names = [name.strip() for name in _COLLECTION.split(",")]
        changes = ", ".join(f"{name} = :{name}" for name in names[1:])
        self.connection.execute(
            f"insert into collections ({_COLLECTION}) values ({', '.join(f':{name}' for name in names)})"
            f" on conflict (name) do update set {changes}",
            {name: getattr(collection, name) for name in names},
        )

    def drop(self, name: str) -> None:
        """Forget a collection."""
        self.connection.execute("delete from collections where name = :name", {"name": name})

    def gone(self, collection: Collection, limit: int) -> list[int]:
        """Passages that the index must forget."""
        sql = "select passage_id from gone where collection = :name order by passage_id limit :limit"
        rows = self.connection.execute(sql, {"name": collection.name, "limit": limit})
        return [int(id) for (id,) in rows]

    def forget(self, collection: Collection, ids: Sequence[int]) -> None:
        """Note that the index must forget these."""
        for id in ids:
            self.connection.execute(
                "insert into gone (collection, passage_id) values (:name, :id) on conflict do nothing",
                {"name": collection.name, "id": id},
            )

    def forgotten(self, collection: Collection, ids: Sequence[int]) -> None:
        """The index has forgotten these."""
        for some in batches([str(id) for id in ids]):
            self.connection.execute(
                f"delete from gone where collection = :name and {one_of('passage_id', some)}",
                {"name": collection.name, **{name: int(id) for name, id in some.items()}},
            )

    def calibration(self, embedder: str) -> dict[str, Any] | None:
        """How the scores of an embedder were calibrated here, where they were."""
        sql = "select document from calibrations where embedder = :embedder"
        rows = self.connection.execute(sql, {"embedder": embedder})
        return next((json.loads(document) for (document,) in rows), None)

    def calibrate(self, embedder: str, found: Mapping[str, Any]) -> None:
        """Keep a calibration."""
        self.connection.execute(
            "insert into calibrations (embedder, document) values (:embedder, :document)"
            " on conflict (embedder) do update set document = :document",
            {"embedder": embedder, "document": json.dumps(dict(found))},
        )

    def _read(self, clause: str, values: Mapping[str, Any]) -> list[Collection]:
        rows = self.connection.execute(f"select {_COLLECTION} from collections {clause}", values)
        return [
            Collection(name, datastore_id, embedder, dimension, bool(serves), filled_to, generation)
            for name, datastore_id, embedder, dimension, serves, filled_to, generation in rows
        ]


def _ours(ingestion: Ingestion) -> dict[str, Any]:
    return {"id": ingestion.datasource_id, "fence": ingestion.fence}
