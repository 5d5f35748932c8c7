"""Operations on datastores and datasources."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field, model_validator

from vivavoce.domain.knowledge import DatasourceType, DatastoreType, Status
from vivavoce.domain.language.cleaning import cleaned
from vivavoce.domain.values import Document, Id, JsonObject, Line, Name, Text, Value, unlisted

from .base import LEFT_OUT, Effect, Operation
from .knowledge_results import (
    ChunkList,
    DatasourceContents,
    DatasourcePage,
    DatasourceShown,
    DatastoreContents,
    DatastoreDeleted,
    DatastoreList,
    DatastorePage,
    DatastoreShown,
    Quoted,
)

DatastoreId = Annotated[Id, Field(description="The datastore's id, as list_datastores shows it.")]
DatasourceId = Annotated[Id, Field(description="The datasource's id, as get_datastore shows it.")]
Limit = Annotated[int, Field(ge=1, le=1_000, description="How many at most.")]
Offset = Annotated[int, Field(ge=0, le=2**53, description="How many to pass over.")]
PluginName = Annotated[
    Line | None, Field(max_length=20), unlisted("A short name for it, at most 20 characters.")
]
PluginLine = Annotated[Line | None, Field(max_length=90), unlisted("A line about it, at most 90 characters.")]


class CreateDatastore(Operation[DatastoreShown], effect=Effect.CREATE, route="POST /datastores"):
    """Create a datastore: a body of knowledge. Fill it with create_datasource."""

    type: Annotated[DatastoreType, Field(description="Always qdrant, the name the wire knows.")]
    name: Annotated[Name | None, Field(description="What people call it.")] = None
    description: Annotated[Text | None, Field(description="What it holds.")] = None
    is_public: Annotated[bool, unlisted("Whether anyone may read it without a key.")] = False
    plugin_name: PluginName = None
    plugin_description_for_humans: PluginLine = None


class UpdateDatastore(
    Operation[DatastoreShown],
    effect=Effect.CHANGE,
    route="PATCH /datastores/{id}",
    offer="extra",
    echoes="type visibility organizationId createdAt updatedAt _count datasources",
):
    """Rename a datastore or change its description or visibility."""

    id: DatastoreId
    name: Annotated[Name, Field(description="A new name.")] = LEFT_OUT
    description: Annotated[Text | None, Field(description="A new description; null clears it.")] = None
    is_public: Annotated[bool, Field(description="Whether anyone may read it without a key.")] = LEFT_OUT
    plugin_name: PluginName = None
    plugin_description_for_humans: PluginLine = None


class DeleteDatastore(
    Operation[DatastoreDeleted],
    effect=Effect.DELETE,
    route="DELETE /datastores/{id}",
    offer="extra",
    takes_along="its datasources and the tools of agents that consult it",
):
    """Delete a datastore together with its datasources and the agents' tools that consult it.

    The datastore of an avatar is not deleted while there is the avatar: delete_avatar comes first.
    """

    id: DatastoreId


class GetDatastore(
    Operation[DatastoreContents], effect=Effect.READ, route="GET /datastores/{id}", anonymous=True
):
    """Show a datastore with its datasources; with search, the passages that answer it, and their sources."""

    id: DatastoreId
    search: Annotated[Line | None, Field(description="A question, or words to find.")] = None
    status: Annotated[Status | None, unlisted("Only datasources in this state.")] = None
    type: Annotated[DatasourceType | None, unlisted("Only datasources of this kind.")] = None
    group_id: Annotated[Id | None, unlisted("Only datasources of this group.")] = None
    offset: Annotated[int, Field(ge=0, le=2**31), unlisted("How many pages to pass over.")] = 0
    limit: Annotated[int, Field(ge=1, le=1_000), unlisted("How many on a page.")] = 100


class Filters(Value):
    """Which datasources of a datastore count."""

    model_config = ConfigDict(alias_generator=None)

    custom_ids: list[Line] = []
    datasource_ids: list[Id] = []
    datastore_ids: list[Id] = []


class QueryDatastore(
    Operation[ChunkList],
    effect=Effect.READ,
    route="POST /datastores/{id}/query",
    also=("POST /datastores/query/{id}",),
    offer="extra",
    anonymous=True,
):
    """Find the passages of a datastore that answer a question, best first, each with a score from 0 to 1."""

    id: DatastoreId
    query: Annotated[Line, Field(description="The question, in the words of the person who asks.")]
    top_k: Annotated[int, Field(ge=1, le=100, description="How many passages at most.")] = 5
    filters: Annotated[Filters, Field(description="Only datasources with these ids.")] = Filters()
    tags: Annotated[
        list[Line], Field(max_length=50, description="Only datasources with all these tags.")
    ] = []


class ReadDocument(Operation[Quoted], effect=Effect.READ, route="GET /documents/{documentId}", offer="extra"):
    """Read what a citation points to, also in a version of the document that has been replaced since."""

    document_id: Annotated[Id, Field(description="The document_id of a passage that was found.")]
    start: Annotated[int, Field(ge=0, le=2**31, description="Where to begin.")] = 0
    end: Annotated[
        int,
        Field(ge=0, le=2**31, description="Where to end, at most 100,000 characters on; else 2,000 on."),
    ] = LEFT_OUT


class ListDatastores(Operation[DatastoreList], effect=Effect.READ, route="GET /datastores"):
    """List the datastores, newest first, with the number of datasources in each."""


class PageDatastores(
    Operation[DatastorePage], effect=Effect.READ, route="GET /datastores/list", offer="never"
):
    """List a part of the datastores, newest first."""

    offset: Offset = 0
    limit: Limit = 20


class CreateDatasource(
    Operation[DatasourceShown],
    effect=Effect.CREATE,
    route="POST /datasources",
    echoes="isUpdateText fileName",
    rest_names={"datasourceText": "text"},
    rest_defaults={"name": "Untitled", "text": ""},
):
    """Add a text to a datastore. It is stored at once; agents find it when it is indexed."""

    id: Annotated[Id | None, unlisted("The id of a datasource to replace; its older text stays citable.")] = (
        None
    )
    datastore_id: DatastoreId
    name: Annotated[Name, Field(description="What it is called, often a file name.")]
    text: Annotated[Document, Field(description="The text itself.")]
    type: Annotated[DatasourceType, unlisted("What kind of datasource it is.")] = "file"
    config: Annotated[
        JsonObject, unlisted("Settings by type: question and answer, source_url, sitemap, tags.")
    ] = {}
    custom_id: Annotated[
        Line | None, Field(alias="custom_id", max_length=200), unlisted("An id of your own.")
    ] = None

    @model_validator(mode="after")
    def _has_something_to_read(self) -> CreateDatasource:
        wanted: dict[str, tuple[str, ...]] = {"qa": ("question", "answer"), "web_page": ("source_url",)}
        if self.type == "file" and not cleaned(self.text).strip():
            raise ValueError("text: must not be empty")
        for key in wanted.get(self.type, ()):
            if not isinstance(self.config.get(key), str) or not cleaned(self.config[key]).strip():
                raise ValueError(f"config.{key}: is required for type {self.type}")
        if self.type == "web_site" and not (self.config.get("source_url") or self.config.get("sitemap")):
            raise ValueError("config: needs source_url or sitemap for type web_site")
        return self

    def settings(self) -> dict[str, Any]:
        """The datasource's config, with the caller's own id for it."""
        return {**self.config, **({"custom_id": self.custom_id} if self.custom_id else {})}


class ListDatasources(
    Operation[DatasourcePage], effect=Effect.READ, route="GET /datasources/list", offer="extra"
):
    """List a part of the datasources of a datastore, newest first."""

    datastore_id: DatastoreId
    offset: Offset = 0
    limit: Limit = 20


class GetDatasource(
    Operation[DatasourceContents],
    effect=Effect.READ,
    route="GET /datasources/{id}",
    offer="extra",
    rest_names={"idstore": "datastoreId"},
):
    """Show one datasource with its text."""

    id: DatasourceId
    datastore_id: Annotated[
        Id | None, unlisted("The datastore that it is in; hosted accounts look there.")
    ] = None


class SynchDatasource(
    Operation[DatasourceShown], effect=Effect.CHANGE, route="POST /datasources/{id}/synch", offer="extra"
):
    """Read and index a datasource again: a page that has changed, or one that failed."""

    id: DatasourceId


class DeleteDatasource(
    Operation[DatasourceShown],
    effect=Effect.DELETE,
    route="DELETE /datasources/{id}",
    offer="extra",
    takes_along="its text, its passages and, for a site, its pages",
):
    """Delete a datasource together with its text and passages. This cannot be undone."""

    id: DatasourceId
