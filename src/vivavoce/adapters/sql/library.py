"""Documents and uploads as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from vivavoce.domain.corpus.library import Document, outline_read, outline_written
from vivavoce.domain.corpus.outlines import Outline
from vivavoce.domain.entities import written

from .rows import Connection

_PART = 32_768
"""The most characters of a text in one row, so that a passage is read without the whole book."""
_OUTLINES = 32
"""How many outlines are remembered."""
_DOCUMENT = "id, datasource_id, datastore_id, created_at, version, state, hash, characters, language, outline"


class DocumentRows:
    """The versions of the texts of datasources."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def add(self, document: Document) -> None:
        """Keep a version."""
        marks = ", ".join(f":{name.strip()}" for name in _DOCUMENT.split(","))
        self.connection.execute(f"insert into documents ({_DOCUMENT}) values ({marks})", _row(document))

    def replace(self, document: Document) -> None:
        """Write a version over the one with the same id."""
        changes = ", ".join(f"{name.strip()} = :{name.strip()}" for name in _DOCUMENT.split(",")[5:])
        self.connection.execute(f"update documents set {changes} where id = :id", _row(document))

    def append(self, document_id: str, start: int, text: str) -> None:
        """Keep a stretch of its text."""
        for place in range(0, len(text), _PART):
            piece = text[place : place + _PART]
            self.connection.execute(
                "insert into parts (document_id, start, length, text) values (:id, :start, :length, :text)",
                {"id": document_id, "start": start + place, "length": len(piece), "text": piece},
            )

    def find(self, id: str) -> Document | None:
        """The version with this id."""
        return self._one("where id = :id", {"id": id})

    def of(self, datasource_id: str, state: str) -> Document | None:
        """The version of a datasource that is in this state."""
        clause = "where datasource_id = :id and state = :state order by version desc limit 1"
        return self._one(clause, {"id": datasource_id, "state": state})

    def versions(self, datasource_id: str) -> list[Document]:
        """All versions of a datasource, the oldest first."""
        return self._some("where datasource_id = :id order by version", {"id": datasource_id})

    def drop(self, id: str) -> None:
        """Remove a version, its text and its passages."""
        self.connection.execute("delete from documents where id = :id", {"id": id})

    def text(self, id: str, start: int = 0, end: int | None = None) -> str:
        """The text of a version, or what stands between two offsets."""
        return text_between(self.connection, id, start, 2**53 if end is None else end)

    def languages(self, datastore_id: str) -> dict[str, int]:
        """How many documents of a datastore are in each language."""
        sql = (
            "select language, count(*) from documents"
            " where datastore_id = :id and state = 'current' group by language"
        )
        return {str(name): int(number) for name, number in self.connection.execute(sql, {"id": datastore_id})}

    def _one(self, clause: str, values: Mapping[str, Any]) -> Document | None:
        return next(iter(self._some(clause, values)), None)

    def _some(self, clause: str, values: Mapping[str, Any]) -> list[Document]:
        rows = self.connection.execute(f"select {_DOCUMENT} from documents {clause}", values)
        return [_document(row) for row in rows]


class UploadRows:
    """Files as they came in, in pieces."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def add(self, datasource_id: str, position: int, chunk: bytes) -> None:
        """Keep a piece of a file."""
        self.connection.execute(
            "insert into uploads (datasource_id, position, chunk) values (:id, :position, :chunk)",
            {"id": datasource_id, "position": position, "chunk": chunk},
        )

    def chunks(self, datasource_id: str) -> Iterator[bytes]:
        """The pieces, in order, one at a time: a file may be large."""
        sql = "select position from uploads where datasource_id = :id order by position"
        for (position,) in list(self.connection.execute(sql, {"id": datasource_id})):
            piece = "select chunk from uploads where datasource_id = :id and position = :position"
            for (chunk,) in self.connection.execute(piece, {"id": datasource_id, "position": position}):
                yield bytes(chunk)

    def drop(self, datasource_id: str) -> None:
        """Forget a file."""
        self.connection.execute("delete from uploads where datasource_id = :id", {"id": datasource_id})


def text_between(connection: Connection, document_id: str, start: int, end: int) -> str:
    """What stands between two offsets of a document, from the parts that hold it."""
    rows = list(
        connection.execute(
            "select start, text from parts where document_id = :id and start < :end"
            " and start >= coalesce((select max(start) from parts where document_id = :id"
            " and start <= :start), 0) order by start",
            {"id": document_id, "start": start, "end": end},
        )
    )
    if not rows:
        return ""
    first = rows[0][0]
    return "".join(text for _, text in rows)[start - first : end - first]


def _row(document: Document) -> dict[str, Any]:
    row = {name.strip(): getattr(document, name.strip()) for name in _DOCUMENT.split(",")}
    row["created_at"] = written(document.created_at)
    row["outline"] = json.dumps(outline_written(document.outline), ensure_ascii=False)
    return row


def _document(row: Sequence[Any]) -> Document:
    fields = dict(zip((name.strip() for name in _DOCUMENT.split(",")), row, strict=True))
    fields["created_at"] = datetime.fromisoformat(fields["created_at"])
    fields["outline"] = _outline(fields["outline"])
    return Document(**fields)


@lru_cache(_OUTLINES)
def _outline(written: str) -> Outline:
    """An outline from how it is stored: that of a book takes long to read, and is read for each passage."""
    return outline_read(json.loads(written))
