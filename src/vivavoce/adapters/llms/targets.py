"""Targets: which model is asked, at which provider, with which key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from vivavoce.domain.models import Price, models

Keys = Mapping[str, Mapping[str, str]]
"""What opens the door of each provider: api_key, base_url."""

ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "openrouter": "https://openrouter.ai/api/v1",
    "groq": "https://api.groq.com/openai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "xai": "https://api.x.ai/v1",
    "maritaca": "https://chat.maritaca.ai/api",
}
"""The providers that speak the OpenAI protocol, and where. The others speak protocols of their own."""

NATIVE = ("anthropic", "google", "mistral", "bedrock")
"""The providers that need a package of their own."""

_UNKNOWN_CONTEXT = 32_000
_OWN_CONTEXT = 8_000
"""What a model that the catalogue does not know is given at most; one on a machine of your own less."""


@dataclass(frozen=True)
class Endpoint:
    """A server of the operator's own that speaks the OpenAI protocol."""

    url: str
    model: str = ""
    """The model to ask for; empty: whatever the agent is set to."""
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class Target:
    """A model at a provider."""

    provider: str
    model: str
    """What the provider calls it."""
    context: int
    takes_tools: bool = True
    price: Price | None = None
    base_url: str = ""
    """Where it answers; empty for the usual address of a provider with a protocol of its own."""
    access: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """api_key, or what Bedrock asks for."""
    is_own: bool = False
    """Whether the operator named the address, so that it may be private."""

    @property
    def api_key(self) -> str:
        """The key; empty where none is needed."""
        return dict(self.access).get("api_key", "")


def target_for(name: str, keys: Keys, endpoint: Endpoint | None) -> Target | None:
    """Where a model is asked: at a provider whose key is there, else at the endpoint, else nowhere."""
    for provider, model in _offers(name):
        if provider in keys:
            return _at(provider, model, name, keys[provider])
    if endpoint is None or not (endpoint.model or name):
        return None
    known = models().get(name)
    return Target(
        provider="endpoint",
        model=endpoint.model or name,
        context=_OWN_CONTEXT if known is None or endpoint.model else known.context,
        base_url=endpoint.url,
        access=(("api_key", endpoint.key),) if endpoint.key else (),
        is_own=True,
    )


def _offers(name: str) -> Iterator[tuple[str, str]]:
    """Every provider of a model and what it calls it, in the order in which they are tried."""
    known = models().get(name)
    if known is not None:
        yield from known.at.items()
        return
    provider, colon, model = name.partition(":")
    if colon and model and provider in (*ADDRESSES, *NATIVE):
        yield provider, model


def _at(provider: str, model: str, name: str, access: Mapping[str, str]) -> Target:
    known = models().get(name)
    base_url = access.get("base_url", "") or ADDRESSES.get(provider, "")
    return Target(
        provider=provider,
        model=model,
        context=_UNKNOWN_CONTEXT if known is None else known.context,
        takes_tools=known is None or known.tools,
        price=None if known is None else known.price,
        base_url=base_url,
        access=tuple(sorted((key, value) for key, value in access.items() if key != "base_url" and value)),
    )
