"""Datastores and datasources: what agents know, and where it comes from."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from vivavoce.errors import InvalidInput

from .entities import Entity, Moment
from .http.addresses import checked_setting, leads_elsewhere
from .secrets import Cover, outside, uncovered_address, within
from .values import Line, Name, Text, Unlisted, Value

DatastoreType = Literal["qdrant"]
DatasourceType = Literal["file", "qa", "web_page", "web_site"]
Status = Literal["unsynched", "pending", "running", "synched", "error", "usage_limit_reached"]

ORIGIN = "ingested_from"
"""The setting that keeps the absolute path of the file that a datasource was made from; it is not shown."""
_LONGEST_TAG = 25


class Datastore(Entity):
    """A body of knowledge that agents can consult."""

    name: Name
    description: Text | None = None
    type: DatastoreType = "qdrant"
    visibility: Literal["public", "private"] = "private"
    plugin_name: Annotated[Line | None, Field(max_length=20), Unlisted] = None
    plugin_description_for_humans: Annotated[Line | None, Field(max_length=90), Unlisted] = None
    embedder: Annotated[str | None, Unlisted] = None
    """Which model made its vectors; none while it is empty."""
    dimension: Annotated[int | None, Unlisted] = None


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
    nb_synch: Annotated[int, Unlisted] = 0
    progress: Annotated[float, Unlisted] = 0.0
    """How much of it is indexed, 0 to 1."""
    error: Annotated[str | None, Unlisted] = None
    """Why it could not be read or is not indexed yet, in words."""
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}


def covered_settings(
    config: dict[str, Any], before: Datasource | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings with markers for secrets, and the secrets; `before` is the datasource that they change."""
    for name in ("source_url", "sitemap"):
        checked_setting(f"config.{name}", config.get(name))
    _check_texts(config)
    if config.get("tags") is not None:
        config = config | {"tags": _checked_tags(config["tags"])}
    stored, known = ({}, config) if before is None else (before.secrets, before.config)
    cover = Cover(stored, leads_elsewhere=leads_elsewhere("config", config, known, stored))
    return cover.over_json("config", config), cover.found


def tags_in(config: dict[str, Any]) -> list[str]:
    """The tags that the settings of a datasource name."""
    tags = config.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def custom_id_in(config: dict[str, Any]) -> str | None:
    """The id of the user's own that the settings of a datasource name."""
    custom_id = config.get("custom_id")
    return custom_id if isinstance(custom_id, str) else None


def address_in(source: Datasource, name: str) -> str | None:
    """An address in a datasource's settings as it is used, with its secrets."""
    url = source.config.get(name)
    if not isinstance(url, str) or not url:
        return None
    return uncovered_address(within("config", name), url, source.secrets)


def as_site(source: Datasource, at: datetime) -> Datasource:
    """A page that turned out to be a sitemap, as the site whose pages it lists."""
    covered, found = covered_settings({"sitemap": address_in(source, "source_url")})
    config = {name: value for name, value in source.config.items() if name != "source_url"}
    secrets = outside(within("config", "source_url"), source.secrets)
    return source.changed(
        at,
        type="web_site",
        config=config | covered,
        secrets=secrets | found,
        text_size=0,
        hash=None,
        nb_chunks=0,
        nb_tokens=0,
    )


class Counted(Value):
    """How many datasources a datastore has."""

    datasources: int


def _check_texts(config: dict[str, Any]) -> None:
    """Refuse settings that are read later and are not what they should be."""
    for name in ("tags", "black_listed_urls"):
        value = config.get(name)
        if value is not None and not (
            isinstance(value, list) and all(isinstance(each, str) for each in value)
        ):
            raise InvalidInput(
                f"config.{name}: must be a list of texts.",
                details={f"config.{name}": "must be a list of texts"},
            )
    for name in ("custom_id", "mime_type"):
        if not isinstance(config.get(name, ""), str | None):
            raise InvalidInput(
                f"config.{name}: must be a text.", details={f"config.{name}": "must be a text"}
            )


def _checked_tags(tags: list[str]) -> list[str]:
    """The tags without blank ones; refused where one is too long."""
    for tag in tags:
        if len(tag) > _LONGEST_TAG:
            fault = f"a tag has at most {_LONGEST_TAG} characters, unlike {tag[:40]!r}"
            raise InvalidInput(f"config.tags: {fault}.", details={"config.tags": fault})
    return [tag for tag in tags if tag.strip()]
