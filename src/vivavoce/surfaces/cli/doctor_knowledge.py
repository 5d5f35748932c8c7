"""What `vivavoce doctor` finds about knowledge: the embedder, the index, and what is left to do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from vivavoce.app import App, open_app
from vivavoce.errors import UpstreamFailed
from vivavoce.settings import Settings
from vivavoce.upkeep.index import (
    IndexState,
    ask_embedder,
    check_built_in_models,
    size_of_index,
    states_of_index,
    troubles,
)
from vivavoce.workspace import has_workspace

from .findings import Finding

T = TypeVar("T")

_SHOWN = 5
"""How many datastores are shown one by one."""
_LOOKED_AT, _REASONS = 100, 3
"""Of how many datasources the reasons are looked at, and how many reasons are shown."""


def embedder(settings: Settings) -> Iterator[Finding]:
    """Whether there is something that makes vectors."""
    if not settings.embedder_url:
        names = " and ".join(check_built_in_models(settings.embedder_model))
        yield Finding("embedder", "ok", f"built in, the files are the right ones ({names})")
    elif not has_workspace(settings):
        yield Finding("embedder", "note", f"{settings.embedder_url} is asked once there is a workspace")
    else:
        try:
            dimension = _asked(settings, ask_embedder)
        except UpstreamFailed as error:
            yield Finding("embedder", "fault", error.message, "Start it, or correct VIVAVOCE_EMBEDDER_URL.")
            return
        yield Finding(
            "embedder",
            "ok",
            f"{settings.embedder_model} at {settings.embedder_url} answers with {dimension} dimensions",
        )


def index(settings: Settings) -> Iterator[Finding]:
    """Whether the index can be reached and is whole."""
    if not has_workspace(settings):
        return
    try:
        states = _asked(settings, states_of_index)
    except UpstreamFailed as error:
        yield Finding("index", "fault", error.message, "Start it, or correct VIVAVOCE_INDEX.")
        return
    sound = [state for state in states if state.standing in ("whole", "unfit")]
    holds = f"{len(sound)} of {len(states)} collections whole" if states else "nothing in it yet"
    says = f"{_place(settings)}, {holds}"
    yield Finding("index", "ok" if len(sound) == len(states) else "note", says)
    if settings.database_url and not settings.index:
        yield Finding(
            "index",
            "note",
            "it is files on this machine: other machines that share the workspace do not see them",
            "Where there are some, let VIVAVOCE_INDEX name a server.",
        )
    troubled = [state for state in states if state.standing != "whole"]
    for state in troubled[:_SHOWN]:
        yield _of(state)
    if len(troubled) > _SHOWN:
        is_bad = any(state.standing in ("broken", "elsewhere") for state in troubled[_SHOWN:])
        yield Finding(
            "index",
            "fault" if is_bad else "note",
            f"and {len(troubled) - _SHOWN} more",
            "vivavoce reindex --all makes them all anew.",
        )


def datasources(settings: Settings) -> Iterator[Finding]:
    """What could not be read, and what is still to be indexed."""
    if not has_workspace(settings):
        return
    number, newest, waiting = _asked(settings, lambda app: troubles(app, _LOOKED_AT))
    if number:
        reasons = {source.error: source.name for source in newest}
        shown = " ".join(f"{name}: {reason}" for reason, name in list(reasons.items())[:_REASONS])
        yield Finding(
            "datasources",
            "note",
            f"{number} could not be read. {shown}",
            "Mend and ingest them again, or delete them.",
        )
    else:
        yield Finding("datasources", "ok", "none that could not be read")
    if waiting:
        yield Finding(
            "ingestion",
            "note",
            f"{waiting} datasources wait to be indexed",
            "That goes on while vivavoce serve, mcp or ingest runs.",
        )
    else:
        yield Finding("ingestion", "ok", "nothing waits")


def _asked(settings: Settings, question: Callable[[App], Awaitable[T]]) -> T:
    async def answer() -> T:
        async with open_app(settings) as app:
            return await question(app)

    return asyncio.run(answer())


def _place(settings: Settings) -> str:
    if settings.index:
        kind = "Postgres" if settings.index.startswith("postgres") else "Qdrant"
        return f"{kind} answers"
    folder, size = size_of_index(settings)
    return f"{folder}, {size // 1024} KB"


def _of(state: IndexState) -> Finding:
    about = f"{state.name} ({state.datastore_id})"
    again = f"run vivavoce reindex {state.datastore_id}"
    match state.standing:
        case "broken":
            return Finding("index", "fault", f"{about} must be made again: {again}")
        case "elsewhere":
            says = f"{about} was made with {state.embedder}, which is not there"
            return Finding("index", "fault", says, f"{state.hint} This one: {again}.")
        case "unfit":
            says = f"{about} was made with {state.embedder}; of most documents the language is another one"
            return Finding("index", "note", says, f"To find them by meaning too, {again}.")
        case "left":
            says = f"{about}: a new index under {state.embedder} is not finished"
            return Finding("index", "note", says, f"To finish it, {again}.")
        case _:
            return Finding("index", "note", f"{about} is being filled")
