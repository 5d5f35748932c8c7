"""Receivers to test with: an address that answers as it is told, and a desk whose agent tells it events."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.http.signing import signing_secret
from vivavoce.domain.webhooks import WAITS
from vivavoce.engine import Engine
from vivavoce.operations import CATALOGUE, OPERATOR, Caller
from vivavoce.ports import Reply
from vivavoce.testing import FakeClock, ScriptedModel, TestModels, open_test_engine

HOOK = "https://hooks.example/events"
AGENT = {
    "name": "Ana",
    "description": "Answers customers.",
    "modelName": "gpt_4o_mini",
    "systemPrompt": "Be kind.",
    "temperature": 0,
    "visibility": "public",
}


class Receiver:
    """Answers with these statuses, one after the other, the last one for ever; an error is raised."""

    def __init__(self, *answers: int | Reply | Exception) -> None:
        self.answers = list(answers) or [200]
        self.sent: list[tuple[str, dict[str, str], bytes]] = []

    async def send(self, method, url, *, headers, content, most) -> Reply:
        assert method == "POST"
        self.sent.append((url, dict(headers), content))
        answer = self.answers[min(len(self.sent), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else Reply(answer, {}, b"", False)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What it was told, in order."""
        return [json.loads(content) for _, _, content in self.sent]

    @property
    def ids(self) -> list[str]:
        return [headers["Vivavoce-Id"] for _, headers, _ in self.sent]


def is_signed(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Whether a receiver that knows the secret takes the call for ours, as the documents tell it to check."""
    signed = b".".join([headers["Vivavoce-Id"].encode(), headers["Vivavoce-Timestamp"].encode(), body])
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, headers["Vivavoce-Signature"])


async def secret_of(engine: Engine) -> str:
    """The secret that signs the calls of the workspace."""
    organization = await engine.ports.store.read(lambda tables: tables.organization_id)
    return signing_secret(engine.ports.vault.derived, organization)


class HookDesk:
    """An agent whose events are told."""

    def __init__(self, engine: Engine, receiver: Any) -> None:
        self.engine, self.receiver, self.agent = engine, receiver, ""

    async def opened(self, hook: dict[str, Any] | None = None, **more: Any) -> HookDesk:
        config = {"url_webhook_external": HOOK} if hook is None else hook
        made = await self.run("create_agent", **AGENT, configUrlInfosSystemExternal=config or None, **more)
        self.agent = made["id"]
        return self

    async def run(self, operation: str, /, *, caller: Caller = OPERATOR, **arguments: Any) -> dict[str, Any]:
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), caller)
        return result.model_dump(mode="json")

    async def ask(self, query: str = "When?", **more: Any) -> dict[str, Any]:
        return await self.run("agent_query", id=self.agent, query=query, **more)

    async def works(self) -> int:
        return await self.engine.worker.finish_due()

    async def deliveries(self, **equal: Any) -> list[Delivery]:
        return await self.engine.ports.store.read(lambda tables: tables.deliveries.where(**equal))

    async def told(self) -> list[dict[str, Any]]:
        """All that the receiver knows after what is due was done."""
        await self.works()
        return self.receiver.events

    async def endpoint(self):
        return await self.engine.ports.store.read(lambda tables: tables.endpoints.find(self.agent))

    async def jobs(self) -> int:
        return await self.engine.ports.store.read(lambda tables: tables.jobs.number())


@contextmanager
def hook_desks(folder: Path, clock: FakeClock) -> Iterator[Callable[..., Awaitable[HookDesk]]]:
    """Opens desks whose events go to a receiver that answers so."""
    with ExitStack() as opened:

        async def open_(*answers: int | Reply | Exception, hook=None, receiver=None) -> HookDesk:
            receiver = receiver or Receiver(*answers)
            models = TestModels(ScriptedModel(["Nine."]))
            engine = opened.enter_context(open_test_engine(folder, clock, models=models, outside=receiver))
            return await HookDesk(engine, receiver).opened(hook)

        yield open_


async def climb(at: HookDesk, clock: FakeClock, rungs: int) -> None:
    """Let the time of some rungs of the ladder go by."""
    for wait in WAITS["webhook"][:rungs]:
        clock.advance(seconds=wait * 1.2 + 1)
        await at.works()
