"""Bad input: whatever is sent, the answer is an error or a sound success, and an error changes nothing."""

from __future__ import annotations

import asyncio
import copy
import json
import os
import re
import sqlite3
import subprocess
import sys
import zlib
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import jsonschema
import pytest
import schemathesis
from anyio.from_thread import start_blocking_portal
from doors import run_command, text_of
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from mcp import Client
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from script import AVATAR, FOLLOW_UPS, HTTP_TOOL, STEP
from serving import ALL, key_for, served, settings_in

from vivavoce.app import App, open_app
from vivavoce.domain.channels import Arrival
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message, TagKind
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.turns import Turn
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations import CATALOGUE, OPERATOR, Effect, Scope
from vivavoce.operations.answers import AgentAnswer
from vivavoce.operations.channels import RenewChannelToken
from vivavoce.ports import Tables
from vivavoce.surfaces.http import application
from vivavoce.surfaces.mcp.server import server, tool
from vivavoce.surfaces.openapi import document
from vivavoce.surfaces.openapi_events import PATH as EVENTS

OFFERED = [name for name, kind in CATALOGUE.items() if kind.spec.offer != "never"]
CODES = {error.code for error in VivavoceError.__subclasses__()}
HUGE = "x" * 10_000_000
NEW = {"name": "Ana", "description": "d", "modelName": "m", "systemPrompt": "p"}
PROVIDER = {
    "url": "https://e.com/in",
    "header": "X-Key: secret",
    "channel": "whatsapp",
    "repeatsSafely": True,
    "typing": True,
    "windowHours": 24,
}
WEBHOOK = {"url_webhook_external": "https://e.com/hook"}
SOON = f"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%d %H:%M:%S}"

# Arguments that are accepted. A word in <> stands for the id of such a thing.
SOUND = {
    "create_agent": {
        **NEW,
        "temperature": 0.5,
        "visibility": "public",
        "interfaceConfig": {"theme": {"dark": [1, True, None]}},
        "configUrlExternal": {"url": "https://e.com", "header": "secret"},
        "tools": [{"type": "http", "config": HTTP_TOOL}, {"type": "datastore", "datastoreId": "<datastore>"}],
    },
    "update_agent": {
        "id": "<agent>",
        "name": "Bea",
        "temperature": 0,
        "interfaceConfig": {},
        "tools": [{"id": "<tool>", "type": "http", "config": HTTP_TOOL}],
    },
    "delete_agent": {"id": "<agent>"},
    "list_agents": {"limit": 3, "offset": 0},
    "get_agent": {"id": "<agent>"},
    "agent_query": {"id": "<agent>", "query": "Hello?", "conversationId": "c1"},
    "get_answer": {"messageId": "<message>"},
    "list_failed_answers": {"limit": 3, "cursor": '{"lastCreatedAt": "2126-01-31", "lastId": "c1"}'},
    "retry_answer": {"messageId": "<message>"},
    "enable_disable_agent_integration": {"id": "<agent>", "type": "zapi", "enabled": True},
    "addHttpTool": {"agentId": "<agent>", "config": {**HTTP_TOOL, "name": "Other"}},
    "addDatastoreTool": {"agentId": "<agent>", "datastoreId": "<datastore>"},
    "addDelayedResponsesTool": {"agentId": "<agent>", "delay": 6},
    "addRequestHumanTool": {"agentId": "<agent>"},
    "addMarkAsResolvedTool": {"agentId": "<agent>"},
    "addFollowUpMessagesTool": {"agentId": "<agent>", "config": FOLLOW_UPS},
    "list_agent_tools": {"agentId": "<agent>"},
    "get_agent_tool": {"agentId": "<agent>", "toolId": "<tool>"},
    "update_agent_tool": {"agentId": "<agent>", "toolId": "<tool>", "config": HTTP_TOOL},
    "remove_agent_tool": {"agentId": "<agent>", "toolId": "<tool>"},
    "list_blacklist": {},
    "list_agent_blacklist": {"agentId": "<agent>"},
    "add_to_blacklist": {"agentId": "<agent>", "userIdentify": ["a@b.c", "5511777"]},
    "remove_from_blacklist": {"agentId": "<agent>", "id": "<barred>"},
    "list_agent_whitelist": {"agentId": "<agent>"},
    "add_to_whitelist": {"agentId": "<agent>", "whatsappNumber": "5511888"},
    "replace_in_whitelist": {
        "agentId": "<agent>",
        "oldWhatsappNumber": "5511999",
        "newWhatsappNumber": "5511999",
    },
    "remove_from_whitelist": {"agentId": "<agent>", "whatsappNumber": "5511999"},
    "create_crm_scenario": {"name": "Sales", "description": "d"},
    "update_crm_scenario": {"id": "<scenario>", "name": "Sales", "description": None},
    "delete_crm_scenario": {"id": "<scenario>"},
    "list_crm_scenarios": {"agentId": "<agent>"},
    "create_crm_step": {"scenarioId": "<scenario>", "name": "New", "agentId": "<agent>", **STEP},
    "update_crm_step": {"id": "<step>", "name": "New", "zapi": {"agentId": "<agent>"}, **STEP},
    "delete_crm_step": {"id": "<step>"},
    "list_crm_steps": {"scenarioId": "<scenario>"},
    "add_conversation_to_scenario": {"conversationId": "loose", "stepId": "<step>", "force": True},
    "move_conversation": {
        "conversationId": "<conversation>",
        "destStepId": "<step>",
        "shouldSendInitialMessage": True,
        "force": True,
    },
    "remove_conversation_from_scenario": {"scenarioId": "<scenario>", "conversationId": "<conversation>"},
    "list_scenario_conversations": {"scenarioId": "<scenario>", "stepId": "<step>", "page": 0, "limit": 3},
    "get_crm_config": {"id": "<agent>"},
    "set_crm_config": {"id": "<agent>", "scenarioId": "<scenario>", "stepId": "<step>"},
    "list_conversation_logs": {"status": "active", "page": 1, "limit": 3},
    "create_conversation_log": {
        "conversationId": "<conversation>",
        "scenarioId": "<scenario>",
        "stepId": "<step>",
        "status": "inactive",
    },
    "get_conversation_log": {"logId": "<log>"},
    "update_conversation_log": {"logId": "<log>", "status": "error"},
    "delete_conversation_log": {"logId": "<log>"},
    "create_datastore": {"type": "qdrant", "name": "Manuals", "description": "d", "isPublic": False},
    "update_datastore": {"id": "<datastore>", "name": "Manuals", "isPublic": True},
    "delete_datastore": {"id": "<datastore>"},
    "get_datastore": {"id": "<datastore>", "search": "a%_\\", "limit": 3, "offset": 0},
    "list_datastores": {},
    "create_datasource": {
        "datastoreId": "<datastore>",
        "name": "a.txt",
        "text": "Some text.",
        "type": "qa",
        "config": {"question": "q", "answer": "a", "tags": ["t"]},
    },
    "list_datasources": {"datastoreId": "<datastore>", "limit": 3, "offset": 0},
    "get_datasource": {"id": "<datasource>"},
    "delete_datasource": {"id": "<datasource>"},
    "synch_datasource": {"id": "<datasource>"},
    "query_datastore": {
        "id": "<datastore>",
        "query": "a%_\\",
        "topK": 3,
        "filters": {"custom_ids": ["mine"], "datasource_ids": ["<datasource>"], "datastore_ids": []},
        "tags": ["t"],
    },
    "read_document": {"documentId": "<document>", "start": 0, "end": 1},
    "list_conversations": {
        "agentId": "<agent>",
        "status": "UNRESOLVED",
        "tag": "vip",
        "ai": "enabled",
        "unread": False,
        "createdAt": "2026-01-31 09:30",
        "endDate": "2126-01-31",
        "limit": 3,
        "cursor": '{"lastCreatedAt": "2126-01-31", "lastId": "c1"}',
    },
    "get_conversation": {"conversationId": "<conversation>"},
    "delete_conversation": {"conversationId": "<conversation>"},
    "set_ai_enabled": {"conversationId": "<conversation>", "enabled": "false"},
    "set_conversation_status": {"conversationId": "<conversation>", "status": "RESOLVED"},
    "set_conversation_priority": {"conversationId": "<conversation>", "priority": "LOW"},
    "set_conversation_blocked": {"conversationId": "<conversation>", "blocked": "false"},
    "assign_conversation": {"conversationId": "<conversation>", "email": "a@b.c", "force": True},
    "unassign_conversation": {"conversationId": "<conversation>"},
    "list_messages": {"conversationId": "<conversation>", "count": 2},
    "get_message": {"messageId": "<message>", "includeSources": True},
    "get_turn_trace": {"messageId": "<message>"},
    "send_message": {
        "type": "conversationId",
        "value": "<conversation>",
        "message": "Hi.",
        "agentId": "<agent>",
        "channel": "website",
        "attachments": [{"name": "a", "url": "https://e.com/a", "size": 1, "mimeType": "text/plain"}],
        "visitorId": "v1",
        "contactId": "<contact>",
    },
    "register_message": {"conversationId": "<conversation>", "message": "Hi.", "from": "agent"},
    "rate_answer": {"messageId": "<message>", "eval": "good", "visitorId": "v1"},
    "rate_conversation": {"conversationId": "<conversation>", "rating": 9, "comment": "Quick."},
    "capture_visitor": {
        "id": "<agent>",
        "visitorEmail": "zoe@x.example",
        "phoneNumber": "+1",
        "conversationId": "<conversation>",
        "visitorId": "v1",
    },
    "schedule_follow_up": {
        "conversationId": "<conversation>",
        "tag": "visit",
        "msg": "See you.",
        "dtToSend": SOON,
        "timeZone": "America/Sao_Paulo",
    },
    "remove_follow_up": {"conversationId": "<conversation>", "tag": "visit"},
    "list_follow_ups": {"conversationId": "<conversation>"},
    "create_channel": {"agentId": "<agent>", "name": "Shop", "enabled": True, "config": PROVIDER},
    "list_channels": {"agentId": "<agent>", "limit": 3, "offset": 0},
    "get_channel": {"channelId": "<channel>"},
    "update_channel": {"channelId": "<channel>", "agentId": "<agent>", "name": "Shop", "config": PROVIDER},
    "renew_channel_token": {"channelId": "<channel>"},
    "delete_channel": {"channelId": "<channel>"},
    "list_arrivals": {"channelId": "<channel>", "state": "failed", "limit": 3, "offset": 0},
    "retry_arrival": {"channelId": "<channel>", "arrivalId": "<arrival>"},
    "list_deliveries": {"state": "failed", "kind": "webhook", "agentId": "<agent>", "limit": 3},
    "get_delivery": {"deliveryId": "<delivery>"},
    "redeliver": {"deliveryId": "<delivery>", "force": True},
    "get_webhook_status": {"id": "<agent>"},
    "resume_webhook": {"id": "<agent>", "redeliverHeld": True},
    "list_notes": {"conversationId": "<conversation>"},
    "create_note": {
        "conversationId": "<conversation>",
        "note": "n",
        "isPrivate": True,
        "isJustify": True,
        "notificationDateTime": "2026-01-31T09:30:00+14:00",
    },
    "update_note": {"conversationId": "<conversation>", "noteId": "<note>", "note": "n", "isPrivate": False},
    "delete_note": {"conversationId": "<conversation>", "noteId": "<note>"},
    "set_variable": {"conversationId": "<conversation>", "varName": "size", "varValue": "L"},
    "list_variables": {"conversationId": "<conversation>"},
    "get_variable": {"conversationId": "<conversation>", "varName": "size"},
    "delete_variable": {"conversationId": "<conversation>", "varName": "size"},
    "list_tags": {},
    "list_models": {},
    "list_approvals": {"state": "pending", "limit": 5},
    "answer_approval": {"id": "nothing", "approved": True, "note": "Fine."},
    "create_tag": {"name": "late", "color": "#f00"},
    "delete_tag": {"name": "vip"},
    "list_conversation_tags": {"conversationId": "<conversation>"},
    "tag_conversation": {"conversationId": "<conversation>", "tagName": "late"},
    "untag_conversation": {"conversationId": "<conversation>", "tagName": "vip"},
    "list_contacts": {
        "search": "a%_\\",
        "limit": 3,
        "offset": 0,
        "hasEmail": True,
        "startDate": "2026-01-31",
        "endDate": "2126-01-31T00:00:00Z",
        "agent": "<agent>",
        "channel": "website",
        "conversationStatus": "UNRESOLVED",
        "priority": "MEDIUM",
        "tags": ["vip"],
    },
    "get_contact": {"contactId": "<contact>"},
    "save_contact": {
        "id": "<contact>",
        "email": "a@b.c",
        "phoneNumber": "1",
        "externalId": "u1",
        "firstName": "A",
        "metadata": {"a": [1, None]},
    },
    "delete_contact": {"contactId": "<contact>"},
    "list_contact_variables": {"id": "<contact>"},
    "set_contact_variable": {"id": "<contact>", "key": "plan", "value": {"a": [1]}, "source": "ai"},
    "delete_contact_variables": {"id": "<contact>", "key": "plan"},
    "create_contacts": {"contacts": [{"email": "a@b.c", "firstName": "A"}]},
    "create_avatar": {"config": {**AVATAR, "id": "grace"}, "sources": [{"id": "s", "title": "S"}]},
    "update_avatar": {"id": "<avatar>", "isPublic": True, "sources": []},
    "list_avatars": {},
    "get_avatar": {"id": "<avatar>"},
    "delete_avatar": {"id": "<avatar>"},
    "query_corpus": {"avatarId": "<avatar>", "query": "x", "limit": 3, "threshold": 0.5},
    "generate_response": {
        "avatarId": "<avatar>",
        "question": "What?",
        "context": [{"role": "bo", "content": "Well"}],
        "passages": [{"content": "x"}],
    },
    "get_avatar_info": {"avatarId": "<avatar>"},
    "list_avatar_sources": {"avatarId": "<avatar>"},
    "list_avatar_answers": {"avatarId": "<avatar>", "limit": 3, "offset": 0},
    "explain_answer": {"avatarId": "<avatar>", "answerId": "<answer>"},
    "getDocumentation": {"docType": "models"},
}

UNPREPARED = {"answer_approval", "retry_answer"}
"""No call waits, and no answer failed."""

ALSO_NAMED_BY = {
    f"{verb}_contact_{noun}": {"<conversation>"}
    for verb, noun in (("list", "variables"), ("set", "variable"), ("delete", "variables"))
}
"""A contact is also named by a conversation with them."""

KINDS = (
    *("agent", "tool", "datastore", "datasource", "document", "scenario", "step"),
    *("contact", "conversation", "message", "note", "avatar", "answer"),
    *("log", "channel", "arrival", "delivery", "barred"),
)
TEXTS = st.one_of(
    st.sampled_from([f"<{kind}>" for kind in KINDS]),
    st.sampled_from(
        [
            *("", " ", "\0", "a\0b", "\ud800", "a\udfffb", "\u2028", "\x7f", "\ufeff", "\U0010ffff"),
            *("********", "' or 1=1; --", "'; drop table agents; --", "../../etc/passwd", "%00", "..\\..\\"),
            *("{x}", "{{secret}}", ":x", "@ana", "@", "null", "true", "1e999", "0x10", "-1", "٣"),
            *("https://u:p@e.com", "file:///etc/passwd", "http://[::1", "http://e.com:99999", "//e.com"),
            *("x" * 201, "x" * 2_001, "é" * 100_001, "<script>alert(1)</script>", "${jndi:ldap://e}"),
        ]
    ),
    st.text(alphabet=st.characters(exclude_categories=()), max_size=12),
)
NUMBERS = st.one_of(
    st.sampled_from([0, -1, 1, 2**31, 2**53, 2**53 + 1, 2**63, -(2**63) - 1, 10**400, 1.5, -0.0, 1e308]),
    st.sampled_from([float("nan"), float("inf"), float("-inf")]),
    st.integers(),
)


def nested(depth):
    value = {"x": 1}
    for _ in range(depth):
        value = {"x": value} if depth % 2 else [value]
    return value


LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
HOSTILE = st.one_of(
    LEAVES,
    st.sampled_from([1, 19, 20, 21, 60, 150]).map(nested),
    st.recursive(
        LEAVES,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=6,
    ),
    st.integers(100, 6_000).map(lambda size: [0] * size),
)


@st.composite
def spoilt(draw, sound):
    """Sound arguments in which a few places were changed, taken away or added."""
    arguments = copy.deepcopy(sound)
    for _ in range(draw(st.integers(0, 3))):
        node = arguments
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys or draw(st.integers(0, 5)) == 0:
                _add(draw, node)
                break
            key = draw(st.sampled_from(keys))
            if isinstance(node[key], dict | list) and node[key] and draw(st.booleans()):
                node = node[key]
                continue
            if draw(st.integers(0, 3)) == 0:
                del node[key]
            else:
                node[key] = draw(HOSTILE)
            break
    return arguments


def _add(draw, node):
    if isinstance(node, list):
        node.append(draw(HOSTILE))
    else:
        node[draw(TEXTS | st.sampled_from(["id", "type", "config", "secrets", "hidden", "position"]))] = draw(
            HOSTILE
        )


async def stocked(app: App) -> dict[str, str]:
    """The ids of one new thing of each kind."""

    async def made(name, /, **arguments):
        return await app.backend.run(CATALOGUE[name].parse(arguments), OPERATOR)

    tools = [{"type": "http", "config": {**HTTP_TOOL, "name": "Stock"}}]
    agent = await made("create_agent", **NEW, tools=tools, configUrlInfosSystemExternal=WEBHOOK)
    scenario = await made("create_crm_scenario", name="Stock")
    step = await made("create_crm_step", scenarioId=scenario.id, name="Stock")
    store = await made("create_datastore", type="qdrant")
    source = await made("create_datasource", datastoreId=store.id, name="Stock", text="x")
    document = await app.ports.store.read(lambda tables: tables.documents.of(source.id, "current"))
    talk = await _talked(app, agent.id)
    note = await made("create_note", conversationId=talk[1].id, note="Stock")
    avatar = await made("create_avatar", config={**AVATAR, "id": f"ada-{app.ports.new_id()}"})
    answer = await made("generate_response", avatarId=avatar.id, question="What?")
    placed = {"conversationId": talk[1].id, "scenarioId": scenario.id, "stepId": step.id, "status": "active"}
    log = await made("create_conversation_log", **placed)
    await made("schedule_follow_up", conversationId=talk[1].id, tag="visit", msg="Stock", dtToSend=SOON)
    channel = await made("create_channel", agentId=agent.id, name="Stock", config=PROVIDER)
    failed = await _failed(app, agent.id, channel.id)
    things = (agent, agent.tools[0], store, source, document, scenario, step, *talk, note, avatar)
    ids = [*(thing.id for thing in things), answer.answer_id]
    barred = await made("add_to_blacklist", agentId=agent.id, userIdentify="eve@example.com")
    await made("add_to_whitelist", agentId=agent.id, whatsappNumber="5511999")
    ids += [thing.id for thing in (log, channel, *failed, *barred.entries)]
    return {f"<{kind}>": id for kind, id in zip(KINDS, ids, strict=True)}


def _identity(app: App) -> dict[str, Any]:
    """What every entity begins with."""
    at = app.ports.now()
    return {"id": app.ports.new_id(), "organization_id": "o1", "created_at": at, "updated_at": at}


async def _failed(app: App, agent_id: str, channel_id: str) -> tuple[Arrival, Delivery]:
    """An event that could not be heard, and one that could not be sent."""
    heard = {"event_id": "e1", "chat": "chat1", "text": "Open?"}
    arrival = Arrival(
        **_identity(app), account_id=channel_id, event_id="e1", heard=heard, state="failed", reason="broke"
    )
    delivery = Delivery(
        **_identity(app),
        kind="webhook",
        state="failed",
        event_type="NPS_INTERACTION",
        agent_id=agent_id,
        body={"rating": 9},
    )

    def stored(tables: Tables) -> None:
        tables.arrivals.add(arrival)
        tables.deliveries.add(delivery)

    await app.ports.store.write(stored)
    return arrival, delivery


async def _talked(app: App, agent_id: str) -> tuple[Contact, Conversation, Message]:
    """A contact, a conversation with them and an answer in it, stored as a turn leaves them."""
    at = app.ports.now()

    def known() -> dict[str, Any]:
        return _identity(app)

    kept = {"value": "L", "created_at": at, "updated_at": at}
    contact = Contact(**known(), variables={"plan": "gold"})
    talk = Conversation(
        **known(), agent_id=agent_id, contact_id=contact.id, channel="website", tags=["vip"]
    ).changed(at, variables={"size": kept})
    answer = Message(**known(), conversation_id=talk.id, from_="agent", text="Stock", position=1)
    turn = Turn(
        **known(),
        conversation_id=talk.id,
        message_id="asked",
        answer_id=answer.id,
        agent_id=agent_id,
        position=1,
        state="answered",
    )

    def stored(tables: Tables) -> None:
        tables.contacts.add(contact)
        tables.conversations.add(talk)
        tables.messages.add(answer)
        tables.turns.add(turn)
        if tables.conversations.find("loose") is None:
            tables.conversations.add(Conversation(**{**known(), "id": "loose"}, agent_id=agent_id))
        if not tables.tags.where(name="vip"):
            tables.tags.add(TagKind(**known(), name="vip"))

    await app.ports.store.write(stored)
    return contact, talk, answer


class Workshop:
    """A workspace with one thing of each kind, a client of it, and a watch over what is stored."""

    def __init__(self, app: App, client: Client, watch: sqlite3.Connection) -> None:
        self.app, self.client, self.watch = app, client, watch
        self.ids: dict[str, str] = {}

    async def stock(self) -> None:
        """One thing of each kind; new ones where there were some."""
        self.ids = await stocked(self.app)

    def named(self, value):
        """The value with ids where they were named in <>."""
        if isinstance(value, dict):
            return {self.named(key): self.named(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.named(item) for item in value]
        return self.ids.get(value, value) if isinstance(value, str) else value

    def state(self):
        """Changes whenever anything at all was stored, and how many rows there are."""
        ((version,),) = self.watch.execute("pragma data_version")
        tables = self.watch.execute("select name from sqlite_master where type = 'table'").fetchall()
        counts = [self.watch.execute(f'select count(*) from "{name}"').fetchone()[0] for (name,) in tables]
        return version, counts

    async def read_everything(self) -> None:
        """Fails if something was stored that cannot be read back."""
        listed = {
            "agents": await self.answered("list_agents"),
            "datastores": await self.answered("list_datastores"),
            "scenarios": await self.answered("list_crm_scenarios"),
        }
        for agent in listed["agents"]["agents"]:
            await self.answered("get_agent", id=agent["id"])
        for store in listed["datastores"]["datastores"]:
            await self.answered("get_datastore", id=store["id"])
        for scenario in listed["scenarios"]["scenarios"]:
            await self.answered("list_crm_steps", scenarioId=scenario["id"])
        await self.answered("list_contacts", limit=1_000)
        for talk in (await self.answered("list_conversations", limit=100))["conversations"]:
            await self.answered("list_messages", conversationId=talk["id"], count=1_000)
            await self.answered("list_notes", conversationId=talk["id"])

    async def answered(self, name, /, **arguments):
        answer = await self.client.call_tool(name, arguments)
        assert not answer.is_error, text_of(answer)
        return answer.structured_content

    async def check(self, name, arguments):
        """Call, and hold the answer to what is promised."""
        before = self.state()
        try:
            answer = await self.client.call_tool(name, arguments)
        except UnicodeEncodeError:  # the client cannot send half a pair in a name; the server must not mind
            with pytest.raises(InvalidInput):
                CATALOGUE[name].parse(arguments)
            return None

        text = text_of(answer)
        if answer.is_error:
            assert text.partition(":")[0] in CODES - {"storage_failed", "upstream_failed"}, text
            assert len(text) < 6_000
            assert not re.search(r"Traceback|pydantic|sqlite|\.py\b", text)
            assert answer.structured_content is None
            assert self.state() == before
        else:
            VALIDATORS[name].validate(answer.structured_content)
            if not issubclass(CATALOGUE[name].spec.result, AgentAnswer):  # which reads as words
                assert json.loads(text) == answer.structured_content
            assert CATALOGUE[name].spec.effect is not Effect.READ or self.state() == before
        return answer


VALIDATORS = {name: jsonschema.Draft202012Validator(tool(CATALOGUE[name]).output_schema) for name in OFFERED}


@asynccontextmanager
async def opened(settings):
    async with open_app(settings) as app:
        built = server(app.backend, lambda _: OPERATOR, state_key=app.request_state_key, selection=ALL)
        async with Client(built) as client:
            with closing(sqlite3.connect(settings.database)) as watch:
                workshop = Workshop(app, client, watch)
                await workshop.stock()
                yield workshop
                await workshop.read_everything()


@pytest.fixture(scope="module")
def portal():
    """Where asynchronous things live, while hypothesis draws in synchronous tests."""
    with start_blocking_portal("asyncio") as portal:
        yield portal


@pytest.fixture
def workshop(portal, settings):
    with portal.wrap_async_context_manager(opened(settings)) as workshop:
        yield workshop


@pytest.fixture
def check(portal, workshop):
    """Calls a tool with arguments that may name things in <>."""
    return lambda name, arguments: portal.call(workshop.check, name, workshop.named(arguments))


# Through MCP


def test_every_tool_has_sound_arguments_to_spoil():
    assert set(SOUND) == set(OFFERED)


@pytest.mark.parametrize("name", [name for name in OFFERED if name not in UNPREPARED])
def test_the_sound_arguments_are_accepted(check, name):
    answer = check(name, SOUND[name])

    assert not answer.is_error, text_of(answer)


@pytest.mark.parametrize("name", OFFERED)
@given(data=st.data())
@examples(max_examples=25, suppress_health_check=list(HealthCheck))
def test_spoilt_arguments_do_no_harm(check, workshop, portal, name, data):
    arguments = data.draw(spoilt(SOUND[name]))
    if CATALOGUE[name].spec.effect is Effect.DELETE:
        portal.call(workshop.stock)

    check(name, arguments)


@pytest.mark.parametrize("name", OFFERED)
def test_ids_of_another_kind_are_not_found(check, workshop, name):
    for argument, value in SOUND[name].items():
        if isinstance(value, str) and value in workshop.ids:
            for other in workshop.ids.keys() - {value} - ALSO_NAMED_BY.get(name, set()):
                answer = check(name, {**SOUND[name], argument: other})
                assert text_of(answer).startswith(("not_found: ", "invalid_input: ")), (argument, other)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_agent", {**NEW, "name": HUGE}),
        ("create_agent", {**NEW, "systemPrompt": HUGE}),
        ("create_agent", {**NEW, "interfaceConfig": {"x": HUGE}}),
        ("create_agent", {**NEW, "interfaceConfig": {HUGE: 1}}),
        ("create_agent", {**NEW, HUGE: 1}),
        ("create_agent", {**NEW, "tools": [{"type": HUGE}]}),
        ("create_agent", {**NEW, "interfaceConfig": {"x": [0] * 1_000_000}}),
        ("create_agent", {**NEW, "tools": [{"type": "request_human"}] * 100_000}),
        ("addHttpTool", {"agentId": HUGE, "config": HTTP_TOOL}),
        ("addHttpTool", {"agentId": "<agent>", "config": {**HTTP_TOOL, "url": f"https://e.com/{HUGE}"}}),
        ("addHttpTool", {"agentId": "<agent>", "config": {**HTTP_TOOL, "rawBody": f'"{HUGE}"', "body": []}}),
        ("create_datasource", {"datastoreId": "<datastore>", "name": "x", "text": HUGE}),
        ("get_datastore", {"id": "<datastore>", "search": HUGE}),
        ("getDocumentation", {"docType": HUGE}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_ten_megabytes_are_refused_in_a_few_words(check, name, arguments):
    answer = check(name, arguments)

    assert text_of(answer).startswith("invalid_input: ")
    assert len(text_of(answer)) < 3_000


# Through the wire: what the SDK's client would not even send


def call(name="create_agent", arguments="{}"):
    """A line that calls a tool; the arguments are written as they are."""
    params = f'{{"name":{json.dumps(name)},"arguments":{arguments}}}'
    return f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}'


LINES = {
    "no json": "{",
    "deep": '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + "[" * 100_000,
    "deep and closed": call(arguments='{"interfaceConfig":' + "[" * 5_000 + "]" * 5_000 + "}"),
    "deeper than we store": call(arguments='{"interfaceConfig":' + '{"x":' * 100 + "1" + "}" * 101),
    "half a pair": call("get_agent", '{"id":"\\ud800"}'),
    "NUL": call("get_agent", '{"id":"\\u0000"}'),
    "NaN": call("list_agents", '{"limit":NaN}'),
    "long number": call("list_agents", '{"limit":1' + "0" * 5_000 + "}"),
    "list": call("list_agents", "[1]"),
    "no name": '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
    "ten megabytes": call(arguments=f'{{"name":"{HUGE}"}}'),
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def test_lines_that_break_rules_are_refused_over_stdio_and_the_server_lives(tmp_path):
    lines = [json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO})]
    lines += [line.replace('"id":1', f'"id":{place}') for place, line in enumerate(LINES.values(), 1)]
    lines += [
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 99,
                "method": "tools/call",
                "params": {"name": "list_agents", "arguments": {}},
            }
        )
    ]
    done = subprocess.run(
        [sys.executable, "-m", "vivavoce", "mcp"],
        input="".join(f"{line}\n" for line in lines).encode(),
        env={**os.environ, "VIVAVOCE_DATABASE": str(tmp_path / "workspace.db")},
        capture_output=True,
        timeout=120,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    by_id = {answer["id"]: answer for answer in answers if answer["id"] is not None}

    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert by_id[99]["result"]["structuredContent"] == {"agents": []}
    assert len(answers) == len(lines)
    refused = [answer for answer in answers if answer["id"] not in (0, 99)]
    assert len(refused) == len(LINES)
    assert all("error" in answer or answer["result"]["isError"] for answer in refused)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served(settings_in(tmp_path_factory.mktemp("wire"))) as address:
        yield address


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_bodies_that_break_rules_are_refused_over_http_and_the_server_lives(address, line):
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    with httpx2.Client(base_url=address, timeout=60, trust_env=False) as client:
        answer = client.post("/mcp", content=line.encode(), headers=headers)
        after = client.get("/agents")

    said = re.sub(r"^(event: message|data: )|\r?\n", "", answer.text, flags=re.MULTILINE)
    assert answer.status_code in (200, 400, 413)
    assert answer.status_code != 200 or "error" in json.loads(said) or json.loads(said)["result"]["isError"]
    assert len(answer.content) < 6_000
    assert (after.status_code, after.json()) == (200, [])


# Through the command line

COMMANDS = {
    "name that is not UTF-8": ["create-datastore", "--type", "qdrant", "--name", "\udcff"],
    "id that is not UTF-8": ["get-datastore", "\udcff"],
    "input that is not UTF-8": ["create-datastore", "--input", '{"type": "qdrant", "name": "\udcff"}'],
    "input that is no object": ["create-datastore", "--type", "qdrant", "--input", "[1]"],
    "input that is a number": ["create-datastore", "--input", "1"],
    "input that is no JSON": ["create-datastore", "--input", "{"],
    "input that is deep": ["create-datastore", "--input", "[" * 100_000],
    "input from nowhere": ["create-datastore", "--input", "@/nowhere/at/all"],
    "number that is deep": ["list-agents", "--limit", "[" * 100_000],
    "number that is none": ["list-agents", "--limit", "many"],
    "number that is NaN": ["list-agents", "--limit", "NaN"],
    "number that is long": ["list-agents", "--limit", "9" * 5_000],
    "list that is no JSON": ["create-agent", "--name", "x", "--tools", "{"],
    "list from nowhere": ["create-agent", "--name", "x", "--tools", "@/nowhere/at/all"],
    "unknown field to clear": ["update-agent", "x", "--clear", "colour"],
    "unknown option": ["list-agents", "--colour", "blue"],
    "unknown command": ["paint-agent"],
    "nothing required": ["create-agent"],
    "too many ids": ["get-agent", "x", "y"],
    "no such thing": ["delete-agent", "--yes", "x"],
    "unknown scope": ["keys", "create", "x", "--scopes", "read,everything"],
    "scope beyond an avatar": ["keys", "create", "--avatar", "x", "--scopes", "read,write"],
    "no scope": ["keys", "create", "x", "--scopes", ","],
    "unknown key": ["keys", "revoke", "x"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_command_that_breaks_rules_ends_with_a_sentence(words, settings, monkeypatch):
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(settings.database))

    code, output, errors = run_command(words)

    assert code in {error.exit_code for error in VivavoceError.__subclasses__()}
    assert code != 1
    assert output == ""
    assert re.match(r"(Error|[a-z_]+): \S", errors.splitlines()[-1]), errors
    assert len(errors) < 6_000
    assert "Traceback" not in errors


# Through REST, from the document

schema = schemathesis.openapi.from_dict(
    document(),
    config=schemathesis.Config.from_dict(
        {
            "generation": {"deterministic": True, "with-security-parameters": False},
            "checks": {"negative_data_rejection": {"expected-statuses": ["4xx", "5xx"]}},
        }
    ),
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]


@pytest.fixture(scope="module")
def rest(tmp_path_factory):
    """The settings of a workspace, the application on it and a key of it."""
    settings = settings_in(tmp_path_factory.mktemp("rest"), allowed_hosts=("testserver",))
    return settings, application(settings), key_for(settings, *Scope).key


@pytest.fixture
def things(rest):
    """The ids of one thing of each kind, by the names that paths and bodies have for them."""
    return asyncio.run(_stocked(rest[0]))


@schema.parametrize()
@examples(max_examples=10, suppress_health_check=list(HealthCheck))
def test_the_document_holds_for_whatever_is_sent(case, rest, things):
    settings, app, key = rest
    if case.method == "DELETE":
        things = asyncio.run(_stocked(settings))
    _name_things(case, things)

    headers = {"Authorization": f"Bearer {key}", "X-Webhook-Token": things["token"]}
    answer = case.call_and_validate(app=app, headers=headers, checks=list(_checks_for(case)))

    may_be_forbidden = _names_datastores(case) or _comes_from_nobody(case, things)
    assert answer.status_code not in ((401, 421) if may_be_forbidden else (401, 403, 421))


def _checks_for(case):
    for check in CHECKS:
        # In an address an empty value is as good as none, which the document cannot say.
        is_empty = check is negative_data_rejection and any(map(_is_empty, (case.query or {}).values()))
        if not is_empty:
            yield check


def _names_datastores(case):
    """Whether a question names datastores beside its own, which nobody may."""
    filters = case.body.get("filters") if isinstance(case.body, dict) else None
    return isinstance(filters, dict) and bool(filters.get("datastore_ids"))


def _comes_from_nobody(case, things):
    """Whether events are posted to a channel that has another token, or that is not there."""
    return case.operation.path == EVENTS and case.path_parameters["accountId"] != things["accountId"]


def _is_empty(value):
    """Whether a value in an address comes out as no text at all."""
    return all(map(_is_empty, value)) if isinstance(value, list | dict) else value in ("", None)


async def _stocked(settings):
    async with open_app(settings) as app:
        ids = {kind.strip("<>"): id for kind, id in (await stocked(app)).items()}
        opened = await app.backend.run(RenewChannelToken(channel_id=ids["channel"]), OPERATOR)
    nouns = {"agents": "agent", "datastores": "datastore", "datasources": "datasource"}
    return {
        **{f"{kind}Id": id for kind, id in ids.items()},
        **{f"/{noun}/{{id}}": ids[kind] for noun, kind in nouns.items()},
        "accountId": ids["channel"],
        "token": opened.token,
        "/contacts": ids["contact"],
        "/crm/scenario": ids["scenario"],
        "/crm/step": ids["step"],
    }


def _name_things(case, things):
    """Let every other request name things that exist."""
    sent = repr((case.path_parameters, case.query, case.body)).encode(errors="replace")
    if case.meta.generation.mode is not GenerationMode.POSITIVE or zlib.crc32(sent) % 2:
        return
    own = next((id for start, id in things.items() if case.operation.path.startswith(start)), None)
    for place in (case.path_parameters, case.query, case.body):
        if isinstance(place, dict):
            for name in place.keys() & {name for name in things if name.endswith("Id")}:
                place[name] = things[name]
            if "id" in place and own is not None:
                place["id"] = own
