"""A line between a person and an agent, on a workspace that can be left and opened again at any moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from vivavoce.adapters.vault import AesVault
from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.conversations import Conversation
from vivavoce.domain.jobs import NewJob
from vivavoce.engine import Engine
from vivavoce.engine.time.hearing import lane_of_chat
from vivavoce.operations import CATALOGUE, OPERATOR, Caller
from vivavoce.ports import Tables
from vivavoce.testing import CountedIds, FakeClock, MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .workspaces import an_agent

T = TypeVar("T")
WEBHOOK = {"url_webhook_external": "https://hooks.example/events"}


class Line:
    """An agent, an account of a channel, and those who write to it."""

    def __init__(
        self, folder: Path, clock: FakeClock, said: Sequence[Any] = ("Nine.",), *, url: str = ""
    ) -> None:
        self.folder, self.clock, self._url = folder, clock, url
        self.channel, self.model = MemoryChannel(), ScriptedModel(list(said))
        self.agent = ""
        self._ids, self._stack, self._number = CountedIds(), ExitStack(), 0
        self.engine = self.another_engine()

    def another_engine(self) -> Engine:
        """One more process on the same workspace: the file in the folder, or the database of the URL."""
        given = {"models": TestModels(self.model), "channel": self.channel, "store": self._store()}
        return self._stack.enter_context(open_test_engine(self.folder, self.clock, self._ids, **given))

    def restart(self) -> None:
        """End the process as it stands, and begin another one."""
        self.engine = self.another_engine()

    def close(self) -> None:
        self._stack.close()

    def _store(self) -> Any:
        if not self._url:
            return None
        from vivavoce.adapters.sql.postgres import PostgresStore

        store = PostgresStore(self._url, AesVault(bytes(range(32))), new_id=self._ids)
        self._stack.callback(store.close)
        return store

    async def opened(self, *tools: dict[str, Any], wire: str = "whatsapp", **more: Any) -> Line:
        """With an agent that has these tools."""
        account = {"window_hours": more.pop("window_hours", None), "config": {"channel": wire}}
        made = await self.run("create_agent", **an_agent(visibility="public", tools=list(tools), **more))
        self.agent, now = made["id"], self.clock.now()
        known = {"id": "account1", "organization_id": "o1", "created_at": now, "updated_at": now}
        kept = Account(**known, agent_id=self.agent, type="webhook", name="Test", **account)
        await self.write(lambda tables: tables.accounts.add(kept))
        return self

    async def run(self, operation: str, /, *, caller: Caller = OPERATOR, **arguments: Any) -> dict[str, Any]:
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), caller)
        return result.model_dump(mode="json")

    async def read(self, look: Callable[[Tables], T]) -> T:
        return await self.engine.ports.store.read(look)

    async def write(self, change: Callable[[Tables], T]) -> T:
        return await self.engine.ports.store.write(change)

    async def arrives(self, text: str, chat: str = "chat1", **heard: Any) -> None:
        """A person writes; nobody has looked at it yet."""
        self._number += 1
        event, now = f"e{self._number}", self.clock.now()
        arrival = Arrival(
            id=f"arrival{self._number}",
            organization_id="o1",
            created_at=now,
            updated_at=now,
            account_id="account1",
            event_id=event,
            heard={"event_id": event, "chat": chat, "text": text, **heard},
        )
        job = NewJob(
            f"hear:{arrival.id}", "hear", now, lane_of_chat("account1", chat), {"arrival": arrival.id}
        )

        def stored(tables: Tables) -> None:
            tables.arrivals.add(arrival)
            tables.jobs.add(job, now)

        await self.write(stored)

    async def works(self) -> int:
        """Do what is due."""
        return await self.engine.worker.finish_due()

    async def hears(self, text: str, chat: str = "chat1", **heard: Any) -> None:
        """A person writes, and what is due is done."""
        await self.arrives(text, chat, **heard)
        await self.works()

    async def later(self, **delta: float) -> None:
        """Time goes by, then what is due is done."""
        self.clock.advance(**delta)
        await self.works()

    async def talk(self, chat: str = "chat1") -> Conversation:
        (found,) = await self.read(lambda tables: tables.conversations.where(channel_external_id=chat))
        return found

    async def said(self) -> list[str]:
        """All that agents have said, in every conversation."""
        messages = await self.read(lambda tables: tables.messages.where())
        return [each.text for each in messages if each.from_ == "agent"]

    async def timers(self, kind: str = "follow") -> int:
        return await self.read(lambda tables: tables.jobs.number(kind))

    async def told(self, *types: str) -> list[str]:
        """What the agent's webhook is told, of these types."""
        found = await self.read(lambda tables: tables.deliveries.where(kind="webhook"))
        return [each.event_type for each in found if each.event_type in types]

    @property
    def sent(self) -> list[str]:
        """What reached people on the channel."""
        return [each.text for each in self.channel.sent]
