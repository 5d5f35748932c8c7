"""Datastores and datasources: what agents know, and where it comes from."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .addresses import checked_setting
from .entities import Entity, Moment
from .secrets import Cover
from .values import Line, Name, Text, Unlisted, Value

DatastoreType = Literal["qdrant"]
DatasourceType = Literal["file", "qa", "web_page", "web_site"]
Status = Literal["unsynched", "pending", "running", "synched", "error", "usage_limit_reached"]


class Datastore(Entity):
    """A body of knowledge that agents can consult."""

    name: Name
    description: Text | None = None
    type: DatastoreType = "qdrant"
    visibility: Literal["public", "private"] = "private"
    plugin_name: Annotated[Line | None, Field(max_length=20), Unlisted] = None
    plugin_description_for_humans: Annotated[Line | None, Field(max_length=90), Unlisted] = None


class Datasource(Entity):
    """One document of a datastore."""

    datastore_id: str
    name: Name
    type: DatasourceType = "file"
    status: Status = "pending"
    config: dict[str, Any] = {}
    text_size: int = 0
    hash: str | None = None
    nb_chunks: Annotated[int, Unlisted] = 0
    nb_tokens: Annotated[int, Unlisted] = 0
    group_id: Annotated[str | None, Unlisted] = None
    last_synch: Annotated[Moment | None, Unlisted] = None
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}


def covered_settings(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a new datasource with markers for secrets, and the secrets."""
    for name in ("source_url", "sitemap"):
        checked_setting(f"config.{name}", config.get(name))
    cover = Cover({})
    return cover.over_json("config", config), cover.found


class Counted(Value):
    """How many datasources a datastore has."""

    datasources: int
