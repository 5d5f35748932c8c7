"""An avatar with a small corpus, for tests of the surfaces that serve it."""

from __future__ import annotations

import asyncio
from typing import Any

from vivavoce.app import open_app
from vivavoce.operations import CATALOGUE, OPERATOR, Backend
from vivavoce.settings import Settings
from vivavoce.testing import ingested

ID = "elinor-ostrom"
CONFIG: dict[str, Any] = {
    "id": ID,
    "name": "Elinor Ostrom",
    "description": "Nobel laureate who studied commons governance",
    "expertise": ["commons", "governance"],
    "corpus": {
        "description": "Lectures on shared resources.",
        "dateRange": {"start": "1965-01-01", "end": "2012-06-12"},
        "sources": [],
    },
    "systemPrompt": {"identity": "i", "tone": "t", "constraints": [], "citationStyle": "APA"},
    "mcp": {"name": "avatar-elinor-ostrom", "version": "1.4.2"},
}
SOURCE = {"id": "lecture", "title": "Beyond Markets and States", "year": 2009, "type": "lecture"}
TEXT = (
    "Farmers who govern an irrigation system themselves maintain its canals better than officials do. "
    "Clearly defined boundaries keep a commons from being used up by everyone. "
    "Sanctions are graduated: a first offence costs little, a repeated offence costs more."
)


def config(**changes: Any) -> dict[str, Any]:
    """The configuration, with other values for some keys."""
    return {**CONFIG, **changes}


async def made(backend: Backend, *, is_public: bool = False, **changes: Any) -> dict[str, Any]:
    """A new avatar whose one document is not read yet, as the wire shows it."""
    written = config(**changes)
    avatar = await _run(backend, "create_avatar", config=written, sources=[SOURCE], isPublic=is_public)
    await _run(
        backend,
        "create_datasource",
        datastoreId=avatar["datastoreId"],
        name=SOURCE["title"],
        text=TEXT,
        config={"custom_id": SOURCE["id"]},
    )
    return avatar


async def made_and_read(engine: Any, **options: Any) -> dict[str, Any]:
    """A new avatar that has read its document."""
    avatar = await made(engine, **options)
    await ingested(engine)
    return avatar


def kept_in(settings: Settings, **options: Any) -> None:
    """Make an avatar that has read its document in a workspace that nobody has open."""

    async def make() -> None:
        async with open_app(settings) as app:
            await made(app.backend, **options)
            await app.ingester.finish()

    asyncio.run(make())


async def _run(backend: Backend, operation: str, /, **arguments: Any) -> dict[str, Any]:
    result = await backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)
    return dict(result.model_dump(mode="json"))
