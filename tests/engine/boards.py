"""A board to test with: an agent, a scenario with steps, and conversations on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vivavoce.domain.channels import Account, Arrival
from vivavoce.domain.conversations import Conversation
from vivavoce.domain.crm import CrmLog
from vivavoce.domain.jobs import NewJob
from vivavoce.engine import Engine
from vivavoce.operations import CATALOGUE, OPERATOR, Caller
from vivavoce.ports import Tables

from .talks import Talks
from .workspaces import an_agent


class Board:
    """A scenario, and what happens on it."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.talks = engine, Talks(engine)
        self.agent = self.scenario = ""
        self.steps: list[str] = []

    async def opened(self, *steps: dict[str, Any]) -> Board:
        """With an agent and these steps."""
        self.agent = (await self.run("create_agent", **an_agent()))["id"]
        self.scenario = (await self.run("create_crm_scenario", name="Sale"))["id"]
        for number, fields in enumerate(steps):
            await self.step(**{"name": f"step{number}", **fields})
        return self

    async def run(self, operation: str, /, *, caller: Caller = OPERATOR, **arguments: Any) -> dict[str, Any]:
        """What an operation gives, as REST has it."""
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), caller)
        return result.wire()

    async def step(self, **fields: Any) -> str:
        """One more step; its id."""
        made = await self.run("create_crm_step", **{"scenarioId": self.scenario, **fields})
        self.steps.append(made["id"])
        return made["id"]

    async def change(self, number: int, **fields: Any) -> None:
        """Tell a step something else."""
        await self.run("update_crm_step", id=self.steps[number], **{"name": f"step{number}", **fields})

    async def talk(self, id: str = "talk1", **fields: Any) -> str:
        """A conversation that is in no scenario."""
        now = self.engine.ports.now()
        known = {"agent_id": self.agent, "last_human_interaction_at": now, "last_asked": 1, **fields}
        return (await self.talks.talk(id, **known)).id

    async def connected(self, id: str = "talk1", **fields: Any) -> str:
        """A conversation on a channel that can send."""
        known = self.talks.known("account1")
        account = Account(**known, agent_id=self.agent, type="webhook", name="Test")
        await self.talks.write(lambda tables: tables.accounts.add(account))
        on = {"channel_credentials_id": account.id, "channel_external_id": "chat1"}
        return await self.talk(id, **on, **fields)

    async def arrives(self, event: str, text: str) -> None:
        """Someone writes on the channel."""
        heard = {"event_id": event, "chat": "chat2", "text": text, "name": "Lu"}
        arrival = Arrival(**self.talks.known(event), account_id="account1", event_id=event, heard=heard)
        job = NewJob(f"hear:{event}", "hear", self.engine.ports.now(), "hear", {"arrival": event})

        def stored(tables: Tables) -> None:
            tables.arrivals.add(arrival)
            tables.jobs.add(job, self.engine.ports.now())

        await self.talks.write(stored)

    async def add(self, number: int = 0, id: str = "talk1", **more: Any) -> dict[str, Any]:
        """Add a conversation to the scenario."""
        where = {"conversationId": id, "stepId": self.steps[number]}
        return await self.run("add_conversation_to_scenario", **where, **more)

    async def move(self, number: int, id: str = "talk1", **more: Any) -> dict[str, Any]:
        """Move a conversation to a step."""
        return await self.run("move_conversation", conversationId=id, destStepId=self.steps[number], **more)

    async def ask(self, query: str, id: str = "talk1", **more: Any) -> dict[str, Any]:
        """What the agent answers in a conversation."""
        return await self.run("agent_query", id=self.agent, query=query, conversationId=id, **more)

    async def read(self, look: Callable[[Tables], Any]) -> Any:
        """What is stored."""
        return await self.engine.ports.store.read(look)

    async def stored(self, id: str = "talk1") -> Conversation:
        """A conversation as it is stored."""
        return await self.read(lambda tables: tables.conversations.find(id))

    async def place(self, id: str = "talk1") -> int | None:
        """The number of the step that a conversation is in; held to its one active log."""
        talk = await self.stored(id)
        active = [log for log in await self.logs(id) if log.status == "active"]
        assert [(log.scenario_id, log.step_id) for log in active] == (
            [] if talk.step_id is None else [(talk.scenario_id, talk.step_id)]
        )
        return None if talk.step_id is None else self.steps.index(talk.step_id)

    async def logs(self, id: str = "talk1") -> list[CrmLog]:
        """The stays of a conversation, oldest first."""
        found = await self.read(lambda tables: tables.crm_logs.where(conversation_id=id))
        return sorted(found, key=lambda log: (log.created_at, log.id))

    async def walk(self, id: str = "talk1") -> list[tuple[int, str, str]]:
        """Its stays as number of the step, status and cause."""
        return [(self.steps.index(log.step_id), log.status, log.cause) for log in await self.logs(id)]

    async def said(self, id: str = "talk1") -> list[tuple[str, str]]:
        """What was said in a conversation."""
        found = await self.read(lambda tables: tables.messages.last(id, 100))
        return [(each.from_, each.text) for each in found]

    async def due(self, id: str = "talk1") -> Any:
        """When it moves on by itself."""
        return await self.read(lambda tables: tables.jobs.due(f"step:{id}"))

    async def works(self) -> int:
        """Do all that is due now."""
        return await self.engine.worker.finish_due()
