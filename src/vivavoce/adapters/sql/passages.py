"""Passages, and the vectors of their texts, as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from vivavoce.domain.corpus.library import (
    Cited,
    Collection,
    Document,
    Located,
    Unindexed,
    embedded_text,
    title_of,
)
from vivavoce.domain.corpus.passages import Passage

from .library import text_between
from .rows import Connection, batches, one_of


class PassageRows:
    """The passages of documents, and the vectors of their texts."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def add(self, document: Document, first: int, passages: Sequence[tuple[Passage, str]]) -> None:
        """Keep passages with the hash of what is embedded for each, counted on from `first`."""
        # Who reads on after the last id seen must not miss a lower one that is committed later.
        in_line = self.connection.dialect.in_line(":datastore_id")
        if in_line is not None:
            self.connection.execute(in_line, {"datastore_id": document.datastore_id})
        for position, (passage, hash) in enumerate(passages, start=first):
            self.connection.execute(
                'insert into passages (document_id, datasource_id, datastore_id, position, start, "end",'
                " hash, document) values (:document_id, :datasource_id, :datastore_id, :position, :start,"
                " :end, :hash, :document)",
                {
                    "document_id": document.id,
                    "datasource_id": document.datasource_id,
                    "datastore_id": document.datastore_id,
                    "position": position,
                    "start": passage.start,
                    "end": passage.end,
                    "hash": hash,
                    "document": json.dumps(passage[2:], ensure_ascii=False),
                },
            )

    def number(self, document_id: str) -> int:
        """How many passages of a document are kept."""
        sql = "select count(*) from passages where document_id = :id"
        return _number(self.connection, sql, {"id": document_id})

    def end(self, document_id: str) -> int:
        """Where the last passage of a document ends that is kept."""
        sql = 'select coalesce(max("end"), 0) from passages where document_id = :id'
        return _number(self.connection, sql, {"id": document_id})

    def count(self, datastore_id: str, up_to: int | None = None) -> int:
        """How many passages a datastore has; those up to one, if named."""
        sql = "select count(*) from passages where datastore_id = :id and id <= :up_to"
        return _number(self.connection, sql, {"id": datastore_id, "up_to": 2**62 if up_to is None else up_to})

    def kept(self, ids: Sequence[int]) -> set[int]:
        """Those of the passages that are there."""
        found: set[int] = set()
        for some in batches([str(id) for id in ids]):
            sql = f"select id from passages where {one_of('id', some)}"
            rows = self.connection.execute(sql, {name: int(value) for name, value in some.items()})
            found |= {int(id) for (id,) in rows}
        return found

    def cited(self, ids: Sequence[int]) -> list[Cited]:
        """Those passages that belong to what a datasource says now, each with its text."""
        found: list[Cited] = []
        for some in batches([str(id) for id in ids]):
            sql = (
                'select p.id, p.document_id, p.datasource_id, p.start, p."end", p.document, d.language,'
                " t.start, t.text from passages p join documents d on d.id = p.document_id"
                f" left join parts t on {_HOLDS} where d.state = 'current' and {one_of('p.id', some)}"
                " order by p.id, t.start"
            )
            rows = self.connection.execute(sql, {name: int(value) for name, value in some.items()})
            for (id, *facts), parts in groupby(rows, key=itemgetter(slice(7))):
                found.append(_cited(int(id), *facts, parts=[part[7:] for part in parts]))
        return found

    def unindexed(self, collection: Collection, limit: int) -> list[Unindexed]:
        """Passages after the last one that the collection has, in order, with text and vector."""
        return [
            Unindexed(id, datasource_id, language, text, vector)
            for id, datasource_id, language, _, text, vector in self._beyond(collection, "", limit)
        ]

    def unembedded(self, collection: Collection, limit: int) -> list[Located]:
        """Passages of the datastore whose text has no vector of the collection's embedder."""
        found = self._beyond(collection, " and v.vector is null", limit)
        return [Located(id, hash, text) for id, _, _, hash, text, _ in found]

    def _beyond(
        self, collection: Collection, only: str, limit: int
    ) -> Iterator[tuple[int, str, str, str, str, bytes | None]]:
        sql = (
            'select p.id, p.document_id, p.datasource_id, p.start, p."end", p.document, p.hash, d.language,'
            " s.name, v.vector from passages p join documents d on d.id = p.document_id"
            " join datasources s on s.id = p.datasource_id"
            " left join vectors v on v.embedder = :embedder and v.hash = p.hash"
            f" where p.datastore_id = :datastore_id and p.id > :after{only} order by p.id limit :limit"
        )
        values = {
            "embedder": collection.embedder,
            "datastore_id": collection.datastore_id,
            "after": collection.filled_to,
            "limit": limit,
        }
        rows = list(self.connection.execute(sql, values))
        for id, document_id, datasource_id, start, end, rest, hash, language, name, vector in rows:
            headings = _passage(start, end, rest).headings
            text = text_between(self.connection, document_id, start, end)
            yield (
                int(id),
                datasource_id,
                language,
                hash,
                embedded_text(title_of(name), headings, text),
                vector,
            )

    def retire(self, document_id: str) -> None:
        """Remove the passages of a document, and note that the indexes must forget them."""
        values = {"id": document_id}
        self.connection.execute(
            "insert into gone (collection, passage_id) select c.name, p.id from passages p"
            " join collections c on c.datastore_id = p.datastore_id"
            " where p.document_id = :id on conflict do nothing",
            values,
        )
        self.connection.execute(
            "delete from vectors where hash in (select hash from passages p where p.document_id = :id"
            " and not exists (select 1 from passages q where q.hash = p.hash and q.document_id <> :id))",
            values,
        )
        self.connection.execute("delete from passages where document_id = :id", values)

    def retire_all(self, datastore_id: str) -> None:
        """Remove the vectors of a datastore that is about to go with all its passages."""
        self.connection.execute(
            "delete from vectors where hash in (select hash from passages where datastore_id = :id)"
            " and not exists (select 1 from passages p"
            " where p.hash = vectors.hash and p.datastore_id <> :id)",
            {"id": datastore_id},
        )

    def vectors(self, embedder: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """The vectors that are known already."""
        known: dict[str, bytes] = {}
        for some in batches(hashes):
            sql = f"select hash, vector from vectors where embedder = :embedder and {one_of('hash', some)}"
            known |= dict(self.connection.execute(sql, {"embedder": embedder, **some}))  # type: ignore[arg-type]  # rows of two
        return known

    def keep_vectors(self, embedder: str, vectors: Mapping[str, bytes]) -> None:
        """Keep vectors by the hash of what was embedded."""
        for hash, vector in vectors.items():
            self.connection.execute(
                "insert into vectors (embedder, hash, vector) values (:embedder, :hash, :vector)"
                " on conflict do nothing",
                {"embedder": embedder, "hash": hash, "vector": vector},
            )

    def drop_vectors(self, embedder: str, datastore_id: str) -> None:
        """Remove the vectors of a datastore's passages under an embedder that it left."""
        self.connection.execute(
            "delete from vectors where embedder = :embedder and hash in"
            " (select hash from passages where datastore_id = :id) and hash not in"
            " (select p.hash from passages p join collections c on c.datastore_id = p.datastore_id"
            " where c.embedder = :embedder and p.datastore_id <> :id)",
            {"embedder": embedder, "id": datastore_id},
        )


def _passage(start: int, end: int, rest: str) -> Passage:
    page, label, end_page, headings, tokens = json.loads(rest)
    return Passage(start, end, page, label, end_page, tuple(headings), tokens)


_HOLDS = (
    't.document_id = p.document_id and t.start < p."end" and t.start >= coalesce('
    "(select max(start) from parts where document_id = p.document_id and start <= p.start), 0)"
)
"""A condition: a part holds something of the passage."""


def _cited(
    id: int,
    document_id: str,
    datasource_id: str,
    start: int,
    end: int,
    rest: str,
    language: str,
    *,
    parts: Sequence[Sequence[Any]],
) -> Cited:
    """A passage, with its text cut out of the parts that hold it."""
    first = parts[0][0] or 0
    text = "".join(part or "" for _, part in parts)[start - first : end - first]
    return Cited(id, document_id, datasource_id, _passage(start, end, rest), language, text)


def _number(connection: Connection, sql: str, values: Mapping[str, Any]) -> int:
    ((number,),) = connection.execute(sql, values)
    return int(number)
