"""Providers: who runs the models, and the key that opens their door."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from vivavoce.errors import InvalidInput

from .entities import Entity
from .http.addresses import checked_setting, origin_of
from .secrets import Cover
from .values import Line, Name

ProviderName = Literal[
    "openai",
    "anthropic",
    "google",
    "mistral",
    "groq",
    "openrouter",
    "deepseek",
    "xai",
    "maritaca",
]
"""Those whose key can be kept in a workspace. Bedrock takes its keys from the environment alone."""


class Provider(Entity):
    """A provider of models that this workspace has a key for. The key itself is only ever sent to it."""

    name: Name
    """As the catalogue of models has it: openai, anthropic, …"""
    base_url: Line | None = None
    """Where it answers, where that is not the usual address."""
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}
    """api_key."""


def with_covered_key(
    api_key: str | None, base_url: str | None, before: Provider | None = None
) -> dict[str, Any]:
    """What a provider is stored with; `before` is the one that it replaces.

    A marker keeps the stored key, unless the address leads to another host.
    """
    _check_base(base_url)
    if api_key is None and base_url is None:
        raise InvalidInput(
            "A provider needs a key, an address, or both.", hint="Pass apiKey, baseUrl, or both."
        )
    moved = before is not None and _origin(base_url) != _origin(before.base_url)
    cover = Cover({} if before is None else before.secrets, leads_elsewhere=moved)
    if api_key is not None:
        cover.over("api_key", api_key)
    return {"base_url": base_url, "secrets": cover.found}


def _check_base(url: str | None) -> None:
    checked_setting("baseUrl", url)
    if url is not None and ("?" in url or "#" in url):
        raise InvalidInput(
            "baseUrl: must not contain a query.",
            hint="Give the address up to /v1, and the key as apiKey.",
            details={"baseUrl": "must not contain a query"},
        )


def _origin(url: str | None) -> str | None:
    return None if url is None else origin_of(url)
