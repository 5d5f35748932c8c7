"""A desk to test with: an agent with tools, a model that is given, and servers that are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.engine import Engine
from vivavoce.errors import VivavoceError
from vivavoce.operations import CATALOGUE, OPERATOR, STRANGER, Caller
from vivavoce.ports import Reply
from vivavoce.testing import FakeOutside, ingested

from .libraries import PLAIN

SECRET = "canary-s3cr3t-51f0"
TICKETS = "https://tickets.example/open"


class Servers(FakeOutside):
    """Servers that answer with replies or errors, and do what a test wants before they answer."""

    def __init__(self) -> None:
        super().__init__()
        self.replies: dict[str, Reply | VivavoceError] = {}
        self.before: Callable[[], Any] | None = None

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes | None, most: int
    ) -> Reply:
        if self.before is not None:
            found = self.before()
            if found is not None:
                await found
        reply = self.replies.get(f"{method} {url}")
        if reply is None:
            return await super().send(method, url, headers=headers, content=content, most=most)
        self.sent.append((method, url, dict(headers), content))
        if isinstance(reply, VivavoceError):
            raise reply
        return reply._replace(body=reply.body[:most], is_cut=len(reply.body) > most)


class Desk:
    """An agent and what it has at hand."""

    def __init__(self, engine: Engine, model: Any, outside: Any) -> None:
        self.engine, self.model, self.outside = engine, model, outside
        self.agent = ""
        self.conversation = ""

    async def opened(self, **more: Any) -> Desk:
        """With an agent, which is public."""
        known = {"name": "Ana", "description": "Answers.", "modelName": "gpt_4_o", "visibility": "public"}
        made = await self.run("create_agent", **{**known, "systemPrompt": "Be kind.", **more})
        self.agent = made["id"]
        return self

    async def run(self, operation: str, /, *, caller: Caller = OPERATOR, **arguments: Any) -> dict[str, Any]:
        result = await self.engine.run(CATALOGUE[operation].parse(arguments), caller)
        return result.model_dump(mode="json")

    async def http(self, name: str, url: str, method: str = "GET", **more: Any) -> str:
        """The id of a new HTTP tool."""
        config = {"name": name, "description": f"{name}.", "url": url, "method": method, **more}
        return (await self.run("addHttpTool", agentId=self.agent, config=config))["id"]

    async def tickets(self, **more: Any) -> str:
        """A tool that opens tickets, with a key."""
        known = {
            "headers": [{"key": "Authorization", "value": f"Bearer {SECRET}"}],
            "body": [
                {"key": "subject", "isUserProvided": True},
                {"key": "level", "isUserProvided": True, "value": "low", "acceptedValues": ["low", "high"]},
            ],
        }
        self.outside.answers.setdefault(f"POST {TICKETS}", (201, "Ticket 77 is open."))
        return await self.http("Open ticket", TICKETS, "POST", **{**known, **more})

    async def documents(self, *texts: str) -> None:
        """A datastore with these texts, as a tool of the agent."""
        store = (await self.run("create_datastore", type="qdrant", name="Manuals"))["id"]
        for number, text in enumerate(texts):
            await self.run("create_datasource", datastoreId=store, name=f"{number}.md", text=text)
        calibration = PLAIN.written()
        await self.engine.ports.store.write(
            lambda tables: tables.collections.calibrate("words-64", calibration)
        )
        await ingested(self.engine)
        await self.run("addDatastoreTool", agentId=self.agent, datastoreId=store)

    async def ask(self, query: str, *, caller: Caller = OPERATOR, **more: Any) -> dict[str, Any]:
        """The answer; the conversation is the last one's."""
        answer = await self.run("agent_query", caller=caller, id=self.agent, query=query, **more)
        self.conversation = answer["conversationId"]
        return answer

    async def strange(self, query: str, **more: Any) -> dict[str, Any]:
        """The answer to a person without a key."""
        return await self.ask(query, caller=STRANGER, **more)

    async def again(self, query: str, **more: Any) -> dict[str, Any]:
        """The answer in the same conversation."""
        return await self.ask(query, conversationId=self.conversation, **more)

    async def pending(self, state: str = "pending") -> list[dict[str, Any]]:
        return (await self.run("list_approvals", state=state))["approvals"]

    async def stored(self) -> Conversation:
        return await self.engine.ports.store.read(lambda tables: tables.conversations.find(self.conversation))

    async def taken_over(self) -> None:
        """Someone of the team takes over."""

        def change(tables: Any) -> None:
            known = tables.conversations.find(self.conversation)
            tables.conversations.replace(known.with_ai(self.engine.ports.now(), enabled=False))

        await self.engine.ports.store.write(change)

    async def turns(self) -> list[Any]:
        return await self.engine.ports.store.read(
            lambda tables: tables.turns.where(conversation_id=self.conversation)
        )

    async def calls(self) -> list[dict[str, Any]]:
        """What the trace of the last turn says of its calls."""
        return (await self.turns())[-1].trace["calls"]

    async def said(self) -> list[str]:
        """What the agent has said in the conversation."""
        messages = await self.engine.ports.store.read(
            lambda tables: tables.messages.where(conversation_id=self.conversation)
        )
        return [message.text for message in messages if message.from_ == "agent"]

    @property
    def sent(self) -> list[str]:
        """What was sent: methods and addresses."""
        return [f"{method} {url}" for method, url, *_ in self.outside.sent]

    @property
    def returned(self) -> list[str]:
        """What the model was told by its calls when it was last asked."""
        return [step[2] for step in self.model.prompts[-1].steps if type(step).__name__ == "Returned"]

    async def everything_stored(self) -> str:
        """All that a reader of the database's documents can see."""

        def look(tables: Any) -> str:
            names = ("conversations", "messages", "turns", "approvals", "events", "tools", "agents")
            rows = [list(tables.connection.execute(f"select document from {name}")) for name in names]
            return repr(rows)

        return await self.engine.ports.store.read(look)
