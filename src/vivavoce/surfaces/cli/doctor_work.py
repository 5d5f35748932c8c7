"""What `vivavoce doctor` finds about answering: who speaks, and what did not come or go through."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TypeVar

from vivavoce.app import open_app
from vivavoce.errors import InvalidInput, UpstreamFailed
from vivavoce.ports import Tables
from vivavoce.settings import Settings
from vivavoce.upkeep.models import reached_model_server
from vivavoce.workspace import has_workspace

from .findings import Finding

T = TypeVar("T")

_STUCK = ("failed", "uncertain", "held")
"""Deliveries in these states stay so until someone looks at them."""


def models(settings: Settings) -> Iterator[Finding]:
    """Which models can be asked."""
    named = set(settings.provider_keys)
    if has_workspace(settings):
        named |= _read(settings, lambda tables: {provider.name for provider in tables.providers.where()})
    if settings.model_url:
        yield _model_server(settings)
    if named:
        yield Finding("models", "ok", ", ".join(f"{name} has a key" for name in sorted(named)))
    elif not settings.model_url:
        yield Finding(
            "models",
            "note",
            "none: agents answer with sentences of their documents",
            "Store a key with vivavoce set-provider, or set VIVAVOCE_MODEL_URL.",
        )


def deliveries(settings: Settings) -> Iterator[Finding]:
    """What could not be sent, or not be heard."""
    if not has_workspace(settings):
        return
    numbers, arrivals = _read(
        settings,
        lambda tables: (
            {state: tables.deliveries.count(state=state) for state in _STUCK},
            tables.arrivals.count(state="failed"),
        ),
    )
    if not arrivals and not any(numbers.values()):
        yield Finding("deliveries", "ok", "none that is stuck")
        return
    counted = ", ".join(f"{number} {state}" for state, number in numbers.items())
    yield Finding(
        "deliveries",
        "note",
        f"{counted}; {arrivals} arrivals failed",
        "Look with vivavoce list-deliveries and list-arrivals; redeliver and retry-arrival try again.",
    )


def _model_server(settings: Settings) -> Finding:
    try:
        address = asyncio.run(reached_model_server(settings))
    except (InvalidInput, UpstreamFailed) as error:
        says, advice = (
            f"VIVAVOCE_MODEL_URL: {error.message}",
            "Start the server there, or correct that variable.",
        )
        return Finding("model server", "fault", says, advice)
    return Finding("model server", "ok", f"{address} answers (VIVAVOCE_MODEL_URL)")


def _read(settings: Settings, look: Callable[[Tables], T]) -> T:
    async def answer() -> T:
        async with open_app(settings) as app:
            return await app.ports.store.read(look)

    return asyncio.run(answer())
