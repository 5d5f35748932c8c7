"""Agents: who answers, with which model, under which instructions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic.alias_generators import to_camel

from .entities import Entity
from .http.addresses import checked_setting, leads_elsewhere
from .secrets import Cover, is_telling, outside, within
from .values import JsonObject, Line, Name, Text, Unlisted

Visibility = Literal["public", "private"]
Temperature = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ModelName = Annotated[Name, Field(max_length=120)]
Budget = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


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
    monthly_budget: Annotated[Budget | None, Unlisted] = None
    """US dollars that its models may cost in a calendar month."""
    fallback_model_name: Annotated[ModelName | None, Unlisted] = None
    """The model that answers when the first one fails."""
    crm_scenario_id: Annotated[str | None, Unlisted] = None
    """The scenario that its new conversations enter."""
    crm_step_id: Annotated[str | None, Unlisted] = None
    """The step in which they begin; the first one where none is named."""
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}


CONFIGS_WITH_SECRETS = ("interface_config", "config_url_external", "config_url_infos_system_external")
_ADDRESSES = {"config_url_external": "url", "config_url_infos_system_external": "url_webhook_external"}
_SECRET_KEYS = ("header", "headerKey")
"""Under these names stands what authenticates the calls to the addresses."""


def with_covered_configs(values: dict[str, Any], before: Agent | None = None) -> dict[str, Any]:
    """The given values with markers for secrets; `before` is the agent that they change."""
    secrets = {} if before is None else before.secrets
    for field in CONFIGS_WITH_SECRETS:
        if field in values:
            stored = {} if before is None else before.secrets
            known = values[field] if before is None else getattr(before, field)
            moved = leads_elsewhere(field, values[field], known, stored)
            cover = Cover(stored, leads_elsewhere=moved)
            values = {**values, field: _covered(field, values[field], cover)}
            secrets = outside(field, secrets) | cover.found
    return {**values, "secrets": secrets}


def _covered(field: str, config: dict[str, Any] | None, cover: Cover) -> dict[str, Any] | None:
    if config is None:
        return None
    if field in _ADDRESSES:
        checked_setting(f"{to_camel(field)}.{_ADDRESSES[field]}", config.get(_ADDRESSES[field]))
    secret_keys = _SECRET_KEYS if field in _ADDRESSES else ()
    return {
        key: cover.over_json(within(field, key), item, telling=key in secret_keys or is_telling(key))
        for key, item in config.items()
    }
