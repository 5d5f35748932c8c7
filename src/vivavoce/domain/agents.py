"""Agents: who answers, with which model, under which instructions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from .entities import Entity
from .secrets import Cover, within
from .values import JsonObject, Line, Name, Text, Unlisted

Visibility = Literal["public", "private"]
Temperature = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ModelName = Annotated[Name, Field(max_length=120)]


def _slug(handle: str) -> str:
    return handle.removeprefix("@").lower()


Handle = Annotated[
    str,
    Field(min_length=3, max_length=64, pattern=r"^@?[A-Za-z0-9][A-Za-z0-9_-]*[A-Za-z0-9]$"),
    AfterValidator(_slug),
]
"""A short unique name, in lower case: the agent is addressed as @handle."""


class Agent(Entity):
    """An agent answers messages on its channels with its model, its instructions and its tools."""

    name: Name
    description: Text | None = None
    model_name: ModelName
    temperature: Temperature = 0.0
    system_prompt: Text | None = None
    user_prompt: Annotated[Text | None, Unlisted] = None
    visibility: Visibility = "private"
    handle: Handle | None = None
    interface_config: JsonObject = {}
    config_url_external: JsonObject | None = None
    config_url_infos_system_external: JsonObject | None = None
    enable_inactive_hours: Annotated[bool | None, Unlisted] = None
    inactive_hours: Annotated[JsonObject | None, Unlisted] = None
    icon_url: Annotated[Line | None, Unlisted] = None
    include_sources: Annotated[bool, Unlisted] = True
    restrict_knowledge: Annotated[bool, Unlisted] = True
    use_markdown: Annotated[bool, Unlisted] = True
    use_language_detection: Annotated[bool, Unlisted] = True
    hidden: Annotated[bool, Unlisted] = False
    secrets: Annotated[dict[str, str], Field(exclude=True, repr=False)] = {}


CONFIGS_WITH_SECRETS = ("config_url_external", "config_url_infos_system_external")
_SECRET_KEYS = ("header", "headerKey")


def with_covered_configs(values: dict[str, Any], stored: dict[str, str]) -> dict[str, Any]:
    """The given values with markers for the headers that authenticate outgoing calls."""
    secrets = dict(stored)
    for field in CONFIGS_WITH_SECRETS:
        if field in values:
            cover = Cover(stored)
            values = {**values, field: _covered(field, values[field], cover)}
            secrets = {
                place: kept for place, kept in secrets.items() if not place.startswith(within(field, ""))
            }
            secrets |= cover.found
    return {**values, "secrets": secrets}


def _covered(field: str, config: dict[str, Any] | None, cover: Cover) -> dict[str, Any] | None:
    if config is None:
        return None
    covered: dict[str, Any] = cover.over_json(field, config)
    for key in config.keys() & set(_SECRET_KEYS):
        covered[key] = cover.over_json(within(field, key), config[key], telling=True)
    return covered
