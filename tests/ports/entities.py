"""Entities to store, with only what a test is about said."""

from datetime import UTC, datetime, timedelta
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.crm import Scenario, Step
from vivavoce.domain.keys import Key
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.domain.tools import Tool
from vivavoce.domain.turns import Turn

KEY = bytes(range(32))
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def _known(id: str, age: int = 0) -> dict[str, Any]:
    at = NOON - timedelta(days=age)
    return {"id": id, "organization_id": "o1", "created_at": at, "updated_at": at}


def an_agent(id: str, *, age: int = 0, **fields: Any) -> Agent:
    """An agent, `age` days old."""
    return Agent(**_known(id, age), **{"name": "Ana", "model_name": "gpt_4_o", **fields})


def a_tool(id: str, agent_id: str, **fields: Any) -> Tool:
    """A tool of an agent."""
    return Tool(**_known(id), **{"agent_id": agent_id, "type": "request_human", **fields})


def a_scenario(id: str, *, age: int = 0, **fields: Any) -> Scenario:
    """A scenario, `age` days old."""
    return Scenario(**_known(id, age), **{"name": "Sale", **fields})


def a_step(id: str, scenario_id: str, index: int, **fields: Any) -> Step:
    """A step of a scenario."""
    return Step(**_known(id), **{"scenario_id": scenario_id, "index": index, "name": "New", **fields})


def a_datastore(id: str, **fields: Any) -> Datastore:
    """A datastore."""
    return Datastore(**_known(id), **{"name": "Manuals", **fields})


def a_datasource(id: str, datastore_id: str, *, age: int = 0, **fields: Any) -> Datasource:
    """A datasource of a datastore, `age` days old."""
    return Datasource(**_known(id, age), **{"datastore_id": datastore_id, "name": "one.txt", **fields})


def a_contact(id: str, *, age: int = 0, **fields: Any) -> Contact:
    """A contact, `age` days old."""
    return Contact(**_known(id, age), **fields)


def a_conversation(id: str, *, age: int = 0, **fields: Any) -> Conversation:
    """A conversation, `age` days old."""
    return Conversation(**_known(id, age), **fields)


def a_message(id: str, conversation_id: str, **fields: Any) -> Message:
    """A message of a conversation."""
    said = {"from_": "human", "text": id, **fields}
    return Message(**_known(id), conversation_id=conversation_id, **said)


def a_turn(id: str, conversation_id: str, position: int, **fields: Any) -> Turn:
    """A turn of a conversation."""
    known = {"message_id": f"m{position}", "agent_id": "a1", **fields}
    return Turn(**_known(id), conversation_id=conversation_id, position=position, **known)


def a_key(id: str, **fields: Any) -> Key:
    """An API key that may read."""
    return Key(**_known(id), **{"name": id, "prefix": id, "digest": id, "scopes": ["read"], **fields})
