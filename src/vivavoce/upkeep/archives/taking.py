"""Taking datasources in, step by step, so that a long text need not come in at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from vivavoce.domain.corpus.library import Document, Step
from vivavoce.domain.inert import inert
from vivavoce.domain.knowledge import Datasource
from vivavoce.ports import Tables

from .coming import Coming
from .rows import Became

UNFINISHED = "Its import was cut off. Import the archive again."
"""What a datasource says while not all of it has come in."""
NO_PLACE = "it belongs to one of the datastores that is not here"
NOT_READ = "it was not read yet: synch it to have it read from here"

_COMPARED = ("datastore_id", "name", "type", "config", "group_id")


class Action(Protocol):
    """One step."""

    def take(self, now: datetime, tables: Tables) -> Became | None:
        """Take it, where the datasource is one that comes in; what became of that, where it is known."""
        ...


@dataclass(frozen=True)
class Begin:
    """A datasource begins. One that was cut off begins anew."""

    source: Datasource

    def take(self, now: datetime, tables: Tables) -> Became | None:
        here = tables.datasources.find(self.source.id)
        if here is None and tables.datastores.find(self.source.datastore_id) is None:
            return Became(self.source.id, "failed", (NO_PLACE,))
        if here is None:
            quiet = inert(self.source).thing
            changes = {"organization_id": tables.organization_id, "status": "unsynched", "error": UNFINISHED}
            tables.datasources.add(quiet.model_copy(update=changes))
        elif here.error == UNFINISHED:
            tables.uploads.drop(here.id)
            for document in tables.documents.versions(here.id):
                tables.documents.drop(document.id)
        return None


@dataclass(frozen=True)
class AddVersion:
    """A version of the text, which does not count before all of it is there."""

    source_id: str
    document: Document

    def take(self, now: datetime, tables: Tables) -> Became | None:
        if _is_coming(self.source_id, tables):
            tables.documents.add(replace(self.document, state="next", hash=""))
        return None


@dataclass(frozen=True)
class AddText:
    """A stretch of the text of a version."""

    source_id: str
    document_id: str
    start: int
    text: str

    def take(self, now: datetime, tables: Tables) -> Became | None:
        if _is_coming(self.source_id, tables):
            tables.documents.append(self.document_id, self.start, self.text)
        return None


@dataclass(frozen=True)
class AddFile:
    """A piece of a file that was not read yet."""

    source_id: str
    position: int
    chunk: bytes

    def take(self, now: datetime, tables: Tables) -> Became | None:
        if _is_coming(self.source_id, tables):
            tables.uploads.add(self.source_id, self.position, self.chunk)
        return None


@dataclass(frozen=True)
class End:
    """All of a datasource is there: it counts, and is indexed like any other."""

    source: Datasource
    versions: tuple[Document, ...]
    has_file: bool

    def look(self, tables: Tables, coming: Coming) -> Became:
        """What would become of it."""
        here, datastore_id = tables.datasources.find(self.source.id), self.source.datastore_id
        is_placed = coming.has("datastores", {"id": datastore_id}) or tables.datastores.find(datastore_id)
        if here is None and not is_placed:
            return Became(self.source.id, "failed", (NO_PLACE,))
        return self._added() if here is None or here.error == UNFINISHED else self._met(here)

    def take(self, now: datetime, tables: Tables) -> Became | None:
        here = tables.datasources.find(self.source.id)
        if here is None:
            return None  # its datastore is not there, as was said when it began
        if here.error != UNFINISHED:
            return self._met(here)
        for document in self.versions:
            tables.documents.replace(document)
        quiet = inert(self.source).thing
        changes = {"organization_id": tables.organization_id, **self._state()}
        tables.datasources.replace(quiet.model_copy(update=changes))
        if (step := self._step()) is not None:
            tables.ingestions.put(here.id, step, now)
        elif self.has_file:
            tables.uploads.drop(here.id)
        return self._added()

    def _added(self) -> Became:
        said = (NOT_READ,) if self._step() is None and self._is_on_its_way() else ()
        return Became(self.source.id, "added", (*inert(self.source).said, *said))

    def _met(self, here: Datasource) -> Became:
        quiet, said = inert(self.source)
        if all(getattr(quiet, name) == getattr(here, name) for name in _COMPARED):
            return Became(here.id, "unchanged", () if here.secrets else said)
        return Became(here.id, "kept", ("it is here already and differs: it stays as it is here",))

    def _step(self) -> Step | None:
        """Where its indexing begins; never on the web, since an import asks nobody for anything."""
        if self.source.error == UNFINISHED:
            return None  # it was not whole where it comes from
        if self.has_file:
            return "read"
        return "split" if any(document.state != "old" for document in self.versions) else None

    def _is_on_its_way(self) -> bool:
        return self.source.status in ("pending", "running") or self.source.error == UNFINISHED

    def _state(self) -> dict[str, Any]:
        if self._step() is not None:
            figures = {"nb_chunks": 0, "nb_tokens": 0, "progress": 0.0}
            return {"status": "pending", "error": None, **figures}
        if self._is_on_its_way():
            return {"status": "error", "error": "It came from elsewhere before it was read. Synch it."}
        return {}


def _is_coming(source_id: str, tables: Tables) -> bool:
    """Whether a datasource is one that comes in."""
    source = tables.datasources.find(source_id)
    return source is not None and source.error == UNFINISHED
