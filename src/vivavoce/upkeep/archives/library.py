"""The part of an archive with datasources: each with the versions of its text and the file that waits."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from vivavoce.domain.corpus.library import Document, State, outline_read, outline_written
from vivavoce.domain.entities import Moment, written
from vivavoce.domain.inert import veiled
from vivavoce.domain.knowledge import Datasource
from vivavoce.domain.values import Id
from vivavoce.ports import Tables

from .coming import Coming
from .files import Line
from .rows import AT_ONCE, Became, fitting
from .taking import Action, AddFile, AddText, AddVersion, Begin, End

_STRETCH = 131_072
"""Characters of a text in one line."""
_WRITTEN = ("id", "version", "state", "hash", "characters", "language")


class Version(BaseModel):
    """A version of a datasource's text, without the text."""

    model_config = ConfigDict(frozen=True)

    id: Id
    created_at: Moment
    version: int
    state: State
    hash: str
    characters: int
    language: str
    outline: dict[str, Any]

    def of(self, source: Datasource) -> Document:
        """The version as the store has it; ValueError where its outline is none."""
        try:
            outline = outline_read(self.outline)
        except (TypeError, AttributeError) as error:
            raise ValueError("outline: cannot be read") from error
        known: dict[str, Any] = {name: getattr(self, name) for name in (*_WRITTEN, "created_at")}
        places = {"datasource_id": source.id, "datastore_id": source.datastore_id}
        return Document(**(known | places), outline=outline)


class Piece(BaseModel):
    """One line of the library; what it holds belongs to the datasource and the version before it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    datasource: Datasource | None = None
    version: Version | None = None
    text: str | None = None
    file: str | None = None
    """Bytes, in base64."""
    end: str | None = None
    """The id of the datasource, all of which has come."""


class LibraryPart:
    """The datasources, one after the other."""

    name = "datasources"
    is_whole = False

    def __init__(self) -> None:
        self._source: Datasource | None = None
        self._versions: list[Document] = []
        self._known: set[str] = set()
        self._at = self._files = 0

    def number(self, tables: Tables) -> int:
        """How many datasources there are."""
        return tables.datasources.count()

    def lines(self, tables: Tables) -> Iterator[Line]:
        """A datasource, its versions with their texts, its file, and a line that says that this was all."""
        last = ""
        while some := tables.datasources.after(last, AT_ONCE):
            for source in some:
                yield {"datasource": veiled(source).model_dump(mode="json", by_alias=False)}
                for document in tables.documents.versions(source.id):
                    if document.hash:  # without one, it is being read
                        yield from _version(document, tables)
                for chunk in tables.uploads.chunks(source.id):
                    yield {"file": base64.b64encode(chunk).decode()}
                yield {"end": source.id}
            last = some[-1].id

    def read(self, line: Line) -> Action:
        """What a line asks for, after those before it; ValueError where it is out of place."""
        piece = Piece.model_validate(line, extra="ignore")
        if piece.datasource is not None:
            self._source, self._versions, self._at, self._files = fitting(piece.datasource), [], 0, 0
            return Begin(piece.datasource)
        if self._source is None:
            raise ValueError("it belongs to no datasource")
        if piece.version is not None:
            self._check_whole()
            if piece.version.id in self._known:
                raise ValueError(f"the version {piece.version.id!r} stands there twice")
            self._known.add(piece.version.id)
            self._versions.append(fitting(piece.version).of(self._source))
            self._at = 0
            return AddVersion(self._source.id, self._versions[-1])
        if piece.text is not None and self._versions:
            self._at += len(piece.text)
            return AddText(self._source.id, self._versions[-1].id, self._at - len(piece.text), piece.text)
        if piece.file is not None:
            self._files += 1
            return AddFile(self._source.id, self._files - 1, base64.b64decode(piece.file, validate=True))
        if piece.end != self._source.id:
            raise ValueError("it is out of place")
        self._check_whole()
        ended, self._source = self._source, None
        return End(ended, tuple(self._versions), has_file=self._files > 0)

    def look(self, actions: Sequence[Action], tables: Tables, coming: Coming) -> list[Became]:
        """What would become of datasources."""
        return [each.look(tables, coming) for each in actions if isinstance(each, End)]

    def take(self, actions: Sequence[Action], now: datetime, tables: Tables) -> list[Became]:
        """Store what is not there yet, and let it be indexed."""
        became = [each.take(now, tables) for each in actions]
        return [each for each in became if each is not None]

    def _check_whole(self) -> None:
        """Refuse to go on where the text of the last version is not as long as it says."""
        if self._versions and self._versions[-1].characters != self._at:
            raise ValueError(f"the text of {self._versions[-1].id!r} before it is not whole")


def _version(document: Document, tables: Tables) -> Iterator[Line]:
    fields = {name: getattr(document, name) for name in _WRITTEN}
    moment, outline = written(document.created_at), outline_written(document.outline)
    yield {"version": {**fields, "created_at": moment, "outline": outline}}
    for start in range(0, document.characters, _STRETCH):
        yield {"text": tables.documents.text(document.id, start, start + _STRETCH)}
