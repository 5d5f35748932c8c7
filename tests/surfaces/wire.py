"""A server whose time stands still, as clients of the wire meet it: plain HTTP, and posts that come back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
from asked import AGENT
from starlette.applications import Starlette

from vivavoce.engine import Engine
from vivavoce.engine.time.inbox import Inbox
from vivavoce.operations import OPERATOR
from vivavoce.ports import Reply
from vivavoce.surfaces import inbound, rest
from vivavoce.testing import FakeClock, MemoryChannel, ScriptedModel, TestModels, open_test_engine

HOOK = "https://hooks.example/events"
PROVIDER = {"url": "https://shop.example/in", "channel": "whatsapp"}


class Listener:
    """Servers that take whatever is posted to them."""

    def __init__(self) -> None:
        self.posted: list[tuple[str, dict[str, Any]]] = []

    async def send(self, method: str, url: str, *, content: bytes, **more: Any) -> Reply:
        """Taken."""
        self.posted.append((url, json.loads(content)))
        return Reply(200, {}, b"", False)

    def told(self, url: str) -> list[dict[str, Any]]:
        """What was posted to an address, in order."""
        return [body for to, body in self.posted if to == url]


class Wire:
    """One client of one server."""

    def __init__(
        self, engine: Engine, clock: FakeClock, listener: Listener, http: httpx2.AsyncClient
    ) -> None:
        self.engine, self.clock, self.listener, self.http = engine, clock, listener, http

    async def ask(self, method: str, path: str, body: Any = None, *, status: int = 200, **params: Any) -> Any:
        """The body of an answer that has this status."""
        answer = await self.http.request(method, path, json=body, params=params or None)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    async def agent(self, **more: Any) -> str:
        """The id of a new agent whose events are posted to HOOK."""
        hook = {"configUrlInfosSystemExternal": {"url_webhook_external": HOOK}}
        made = await self.ask("POST", "/agents", {**AGENT, **hook, **more})
        return str(made["id"])

    async def channel(self, agent: str, **more: Any) -> str:
        """Where events of a new channel of an agent are posted."""
        given = {"agentId": agent, "name": "Shop", "config": {**PROVIDER, **more}}
        return str((await self.ask("POST", "/channels", given, status=201))["eventsPath"])

    async def arrives(self, events_path: str, id: str, **heard: Any) -> None:
        """A person writes on a channel, and what is due is done."""
        await self.ask("POST", events_path, [{"event_id": id, "chat": "chat1", "text": "Open?", **heard}])
        await self.later()

    async def later(self, **delta: float) -> None:
        """Time goes by, then what is due is done."""
        self.clock.advance(**delta)
        await self.engine.close(at_once=False)
        await self.engine.worker.finish_due()


@asynccontextmanager
async def opened(folder: Path, *said: Any) -> AsyncIterator[Wire]:
    """A server whose model says these things."""
    clock, listener = FakeClock(), Listener()
    models = TestModels(ScriptedModel(said or ["Nine."]))
    with open_test_engine(folder, clock, models=models, outside=listener, channel=MemoryChannel()) as engine:
        app = Starlette(routes=[*inbound.routes(), *rest.routes(lambda request: engine, lambda: OPERATOR)])
        app.state.app = SimpleNamespace(inbox=Inbox(engine.ports, engine.worker.wake))
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=30) as http:
            yield Wire(engine, clock, listener, http)
