"""A team's inbox works on a server of ours.

The program is our own. It makes the requests of the open-source inbox of the hosted service, which is
published as source alone, and believes as little as that one does: a key that is missing or null where it
counts on a value is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import httpx2
import pytest
from processes import serving
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter
from pydantic.alias_generators import to_camel

ANA = {"name": "Ana", "description": "Answers in the shop", "modelName": "gpt_4o_mini"}
BO = {"firstName": "Bo", "email": "bo@shop.example"}
Status = Literal["RESOLVED", "UNRESOLVED", "HUMAN_REQUESTED"]
Email = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$")]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, alias_generator=to_camel)


class Person(Strict):
    id: str
    name: str
    email: Email


class Assignee(Strict):
    user: Person


class Contact(Strict):
    first_name: str


class Variable(Strict):
    conversation_id: str
    var_name: str
    var_value: str


class Context(Strict):
    context: str
    updated_at: str


class Conversation(Strict):
    """A conversation as the inbox reads it. What may be left out must have a value where it is there."""

    id: str
    title: str | None
    unread_messages_count: int
    is_ai_enabled: bool
    channel: str
    status: Status
    metadata: dict[str, Any] | None
    channel_external_id: str = ""
    channel_credentials_id: str | None
    organization_id: str
    mail_inbox_id: str | None
    priority: Literal["LOW", "MEDIUM", "HIGH"]
    form_id: str | None
    agent_id: str | None
    user_id: str | None
    visitor_id: str | None
    is_group: bool
    frustration: float = 0.0
    ai_user_identifier: str | None
    created_at: str
    updated_at: str
    last_human_interaction_at: str | None
    participants_contacts: list[Contact]
    conversation_contexts: list[Context]
    conversation_variables: list[Variable]
    crm_scenario_conversations: list[Any]
    assignees: list[Assignee]


class Message(Strict):
    id: str
    text: str
    html: str | None
    author: Annotated[Literal["human", "agent"], Field(alias="from")]
    conversation_id: str
    sources: Any
    external_id: str | None
    user_id: str | None
    created_at: str


class Messages(Strict):
    status: Status
    is_ai_enabled: bool
    user_id: str | None
    organization_id: str
    messages: list[Message]


class Sent(Strict):
    success: Literal[True]
    message: Message


class Done(Strict):
    success: Literal[True]
    message: str


class Forgotten(Strict):
    message: str
    deleted: Variable


class Inbox:
    """The inbox at work: each answer is read as what it counts on."""

    def __init__(self, wire: httpx2.Client) -> None:
        self.wire = wire

    def get(self, kind: Any, path: str, **asked: str) -> Any:
        return self._read(kind, self.wire.get(path, params=asked))

    def post(self, kind: Any, path: str, **given: Any) -> Any:
        return self._read(kind, self.wire.post(path, json=given))

    def delete(self, kind: Any, path: str) -> Any:
        return self._read(kind, self.wire.delete(path))

    def patch(self, kind: Any, path: str, **asked: str) -> Any:
        return self._read(kind, self.wire.patch(path, params=asked))

    def _read(self, kind: Any, answer: httpx2.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return TypeAdapter(kind).validate_json(answer.content)


@pytest.fixture(scope="module")
def inbox(tmp_path_factory) -> Iterator[Inbox]:
    with (
        serving(tmp_path_factory.mktemp("workspace")) as served,
        httpx2.Client(base_url=served.address, timeout=60, trust_env=False) as wire,
    ):
        yield Inbox(wire)


@pytest.fixture
def conversation(inbox) -> Conversation:
    """What a customer asked an agent, as the inbox finds it among all others."""
    agent = inbox.post(dict, "/agents", **ANA)["id"]
    asked = inbox.post(dict, f"/agents/{agent}/query", query="Hello?", contact=BO)
    listed = inbox.get(list[Conversation], "/conversation", agentId=agent, status="UNRESOLVED")
    assert [each.id for each in listed] == [asked["conversationId"]]
    return listed[0]


def test_it_shows_conversations_and_every_message(inbox, conversation):
    shown = inbox.get(Conversation, f"/conversation/{conversation.id}")
    read = inbox.get(Messages, f"/conversation/{conversation.id}/messages/10000")

    assert shown == conversation
    assert [contact.first_name for contact in shown.participants_contacts] == ["Bo"]
    asked, answered = sorted(read.messages, key=lambda message: message.created_at)
    assert (asked.author, asked.text, answered.author) == ("human", "Hello?", "agent")
    assert inbox.get(Message, f"/messages/{answered.id}") == answered


def test_the_team_takes_a_conversation_over_writes_and_closes_it(inbox, conversation):
    path = f"/conversations/{conversation.id}"
    inbox.post(Done, f"/conversation/{conversation.id}/assign", email="cy@shop.example")
    inbox.post(Done, f"{path}/set-ai-enabled", enabled=False)
    sent = inbox.post(Sent, f"/conversation/message/conversationId/{conversation.id}", message="Cy here.")
    kept = inbox.post(Sent, f"{path}/message-register", message="Bo called.", **{"from": "human"})
    inbox.post(Done, f"{path}/set-priority", priority="HIGH")
    inbox.post(Done, f"{path}/set-status", status="RESOLVED")

    after = inbox.get(Conversation, f"/conversation/{conversation.id}")
    read = inbox.get(Messages, f"/conversation/{conversation.id}/messages/10000")
    assert [each.user.email for each in after.assignees] == ["cy@shop.example"]
    assert (after.is_ai_enabled, after.priority, after.status) == (False, "HIGH", "RESOLVED")
    assert {sent.message.id, kept.message.id} <= {message.id for message in read.messages}
    assert (sent.message.text, kept.message.text) == ("Cy here.", "Bo called.")


def test_the_team_notes_and_forgets_what_it_learned(inbox, conversation):
    of_it = f"/variables/{conversation.id}"
    size = inbox.post(Variable, "/variables", conversationId=conversation.id, varName="size", varValue="42")

    assert inbox.get(list[Variable], of_it) == [size]
    assert inbox.get(Variable, f"{of_it}/size") == size
    assert inbox.get(Conversation, f"/conversation/{conversation.id}").conversation_variables == [size]
    assert inbox.delete(Forgotten, f"{of_it}/size").deleted == size
    assert inbox.get(list[Variable], of_it) == []


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_the_team_switches_a_channel_of_an_agent(inbox, conversation, enabled):
    said = inbox.patch(str, f"/agents/{conversation.agent_id}/webhook", type="whatsapp", enabled=enabled)

    assert said == f"whatsapp webhook {'enabled' if enabled == 'true' else 'disabled'}"
