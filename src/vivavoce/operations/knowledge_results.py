"""Results of operations on datastores and datasources: what each shows."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field, computed_field

from vivavoce.domain.entities import Entity
from vivavoce.domain.knowledge import ORIGIN, Counted, Datasource, Datastore
from vivavoce.domain.values import Unlisted, Value

from .base import Listing, Result


class DatastoreShown(Datastore, Result):
    """A datastore."""

    count: Annotated[Counted, Field(alias="_count")]

    @computed_field  # type: ignore[prop-decorator]  # pydantic's documented order of decorators
    @property
    def is_public(self) -> bool:
        """The same as visibility public, which some clients read instead."""
        return self.visibility == "public"


class DatastoreList(Listing):
    """Datastores, newest first."""

    datastores: list[DatastoreShown]


class DatasourceShown(Datasource, Result):
    """A datasource."""

    @classmethod
    def of(cls, entity: Entity, **more: Any) -> Self:
        """A datasource without where its file lay: callers from afar read it."""
        shown = super().of(entity, **more)
        if ORIGIN not in shown.config:
            return shown
        config = {name: value for name, value in shown.config.items() if name != ORIGIN}
        return shown.model_copy(update={"config": config})


class DatasourceContents(DatasourceShown):
    """A datasource with its text."""

    text: str


class Chunk(Result):
    """A passage that was found, and where exactly it stands."""

    model_config = ConfigDict(alias_generator=None)

    text: str
    score: Annotated[float, Field(description="How likely it answers, 0 to 1.")]
    source: Annotated[str | None, Field(description="The address it came from.")]
    datasource_id: str
    datasource_name: str
    custom_id: Annotated[str | None, Unlisted]
    tags: Annotated[list[str], Unlisted]
    page: Annotated[str | None, Field(description="The page it begins on, as it is printed.")]
    end_page: Annotated[str | None, Unlisted]
    headings: Annotated[list[str], Unlisted]
    document_id: Annotated[str, Unlisted]
    start: Annotated[int, Unlisted]
    end: Annotated[int, Unlisted]


class ChunkList(Listing):
    """Passages, best first."""

    chunks: list[Chunk]


class Quoted(Result):
    """What a document says between two places."""

    document_id: str
    datasource_id: str
    version: int
    is_current: Annotated[bool, Field(description="Whether the datasource still says this.")]
    start: int
    end: int
    page: str | None
    text: str


class DatastoreContents(DatastoreShown):
    """A datastore with its datasources and, where words were searched, the passages about them."""

    datasources: list[DatasourceShown]
    chunks: Annotated[list[Chunk], Unlisted] = []


class DatastoreDeleted(DatastoreShown):
    """The datastore that was deleted, and how much went with it."""

    also_removed: Annotated[dict[str, int], Field(description="What went with it.")]


class Pagination(Value):
    """Which part of a longer list this is."""

    total: int
    offset: int
    limit: int
    count: int


class DatastorePage(Result):
    """A part of the datastores."""

    data: list[DatastoreShown]
    pagination: Pagination


class DatasourcePage(Result):
    """A part of the datasources of a datastore."""

    data: list[DatasourceShown]
    pagination: Pagination
