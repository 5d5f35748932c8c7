"""Conversations to work on, stored as an agent's turns leave them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from vivavoce.domain.channels import Arrival
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.turns import Approval, Turn
from vivavoce.engine import Engine
from vivavoce.ports import Tables

T = TypeVar("T")

SOURCE = {
    "text": "The price is 5.",
    "quote": "The price is 5.",
    "score": 0.9,
    "number": 1,
    "datasource_id": "x1",
    "datasource_name": "prices.txt",
    "datasource_type": "text",
    "chunk_id": "x1-0",
    "documentId": "d1",
    "start": 0,
    "end": 15,
}
TRACE = {
    "model": "scripted",
    "instructions": "Be kind.",
    "history": 1,
    "passages": [{"number": 1, "source": "prices.txt", "score": 0.9, "cited": True}],
    "tools": ["Get order"],
    "calls": [{"name": "Get order", "arguments": {"key": "********"}, "status": 200}],
    "usage": {"promptTokens": 10, "completionTokens": 5, "totalTokens": 15, "cost": 0.001},
    "milliseconds": {"retrieval": 1, "model": 2, "total": 4},
}


class Talks:
    """Stores conversations, messages and turns through the tables of an engine."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def known(self, id: str, age: float = 0) -> dict[str, Any]:
        """What every entity begins with; `age` in minutes."""
        at = self.engine.ports.now() - timedelta(minutes=age)
        return {"id": id, "organization_id": "o1", "created_at": at, "updated_at": at}

    async def write(self, change: Callable[[Tables], T]) -> T:
        """What a change of the store gives."""
        return await self.engine.ports.store.write(change)

    async def read(self, look: Callable[[Tables], T]) -> T:
        """What is stored."""
        return await self.engine.ports.store.read(look)

    async def talk(self, id: str = "talk1", *, age: float = 0, **fields: Any) -> Conversation:
        """A conversation."""
        conversation = Conversation(**self.known(id, age), **{"visitor_id": "v1", **fields})
        await self.write(lambda tables: tables.conversations.add(conversation))
        return conversation

    async def contact(self, id: str = "person1", **fields: Any) -> Contact:
        """A contact."""
        contact = Contact(**self.known(id), **{"email": f"{id}@example.com", **fields})
        await self.write(lambda tables: tables.contacts.add(contact))
        return contact

    async def turn(self, agent_id: str, talk_id: str = "talk1", **fields: Any) -> tuple[str, str]:
        """A question and its answer; their ids."""
        asked = Message(**self.known("asked1"), conversation_id=talk_id, from_="human", text="Price?")
        said = Message(
            **self.known("said1"),
            conversation_id=talk_id,
            from_="agent",
            text="It is 5.",
            sources=[SOURCE],
            input_id="asked1",
            agent_id=agent_id,
            agent_model="scripted",
        )

        def stored(tables: Tables) -> None:
            place = self._asked(asked, tables)
            tables.messages.append(said)
            known = {"conversation_id": talk_id, "message_id": asked.id, "agent_id": agent_id}
            done = {"state": "answered", "answer_id": said.id, "trace": TRACE, **fields}
            tables.turns.add(Turn(**self.known("turn1"), **known, position=place, **done))

        await self.write(stored)
        return asked.id, said.id

    def _asked(self, message: Message, tables: Tables) -> int:
        """Store a message that an agent is to answer; its place."""
        place = tables.messages.append(message).position
        talk = tables.conversations.find(message.conversation_id)
        assert talk is not None
        tables.conversations.replace(talk.asked(place, talk.updated_at))
        return place

    async def failed(self, agent_id: str, talk_id: str = "talk3") -> str:
        """A question in a conversation of its own, whose answer failed for good; its id."""
        await self.talk(talk_id, agent_id=agent_id)
        asked = Message(**self.known("asked3"), conversation_id=talk_id, from_="human", text="Open?")
        known = {"conversation_id": talk_id, "message_id": asked.id, "agent_id": agent_id, "durable": True}

        def stored(tables: Tables) -> None:
            place = self._asked(asked, tables)
            failed = {"state": "failed", "reason": "The model is overloaded."}
            tables.turns.add(Turn(**self.known("turn3"), **known, position=place, **failed))

        await self.write(stored)
        return asked.id

    async def approval(self, agent_id: str, tool_id: str, talk_id: str = "talk1") -> str:
        """A question whose turn waits for an operator; the approval's id."""
        asked = Message(**self.known("asked2"), conversation_id=talk_id, from_="human", text="My order?")
        approval = Approval(
            **self.known("approval1"),
            conversation_id=talk_id,
            turn_id="turn2",
            agent_id=agent_id,
            tool_id=tool_id,
            tool_name="Get order",
            payload={"method": "POST", "url": "https://api.example/a/orders?access_token=********"},
            arguments={"shop": "a"},
            so_far=[["called", "1", "Get_order", '{"shop": "a"}']],
        )

        def stored(tables: Tables) -> None:
            place = self._asked(asked, tables)
            known = {"conversation_id": talk_id, "message_id": asked.id, "agent_id": agent_id}
            tables.turns.add(Turn(**self.known("turn2"), **known, position=place, state="asking"))
            tables.approvals.add(approval)

        await self.write(stored)
        return approval.id

    async def delivery(self, agent_id: str, talk_id: str = "talk1", **fields: Any) -> Delivery:
        """An event for a webhook that was given up."""
        known = {"kind": "webhook", "state": "failed", "event_type": "NPS_INTERACTION", **fields}
        delivery = Delivery(
            **self.known("delivery1"), **known, agent_id=agent_id, conversation_id=talk_id, body={"rating": 9}
        )
        await self.write(lambda tables: tables.deliveries.add(delivery))
        return delivery

    async def arrival(self, account_id: str, **fields: Any) -> Arrival:
        """An event of a provider that could not be heard."""
        known = {"event_id": "e1", "state": "failed", "reason": "it broke", **fields}
        heard = {"event_id": "e1", "chat": "chat1", "text": "Open?"}
        arrival = Arrival(**self.known("arrival1"), account_id=account_id, heard=heard, **known)
        await self.write(lambda tables: tables.arrivals.add(arrival))
        return arrival

    async def events(self) -> list[tuple[str, dict[str, Any]]]:
        """What was told, in order."""
        told = await self.read(lambda tables: tables.events.where())
        return [(event.type, event.facts) for event in sorted(told, key=lambda event: event.id)]
