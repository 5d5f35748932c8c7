"""A house: a workspace with at least one thing of each kind, and secrets wherever there is room for one."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vivavoce.domain.access import AccessEntry
from vivavoce.domain.agents import Agent, with_covered_configs
from vivavoce.domain.avatars import Answered, Avatar
from vivavoce.domain.channels import Account, Arrival, WebhookConfig, configured
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message, Note, TagKind
from vivavoce.domain.corpus.library import Document, hash_of
from vivavoce.domain.corpus.outlines import Mark, Outline, Title
from vivavoce.domain.crm import CrmLog, Scenario, Step, with_covered_webhook
from vivavoce.domain.deliveries import Delivery
from vivavoce.domain.endpoints import Endpoint
from vivavoce.domain.entities import Entity
from vivavoce.domain.events import Event
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.domain.integrations import Integration
from vivavoce.domain.keys import Key, Scope
from vivavoce.domain.knowledge import Datasource, Datastore, covered_settings
from vivavoce.domain.providers import Provider, with_covered_key
from vivavoce.domain.tools import Tool, ToolDraft
from vivavoce.domain.turns import Approval, Turn
from vivavoce.ports import Spending, Tables

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
SECRET = "hunter2-hunter2-hunter2"
HOOK = f"https://hooks.example/in?token={SECRET}&n=1"
OLD, TEXT = (
    "The mill stood by the weir.\n\nIt is gone.",
    "The mill stood by the river.\n\nIt ground rye. 麦🌾",
)
LEAD = dict.fromkeys(("conversation_id",), "talk")


def known(id: str) -> dict:
    return {"id": id, "organization_id": "theirs", "created_at": NOW, "updated_at": NOW}


def things() -> dict[str, list[Entity]]:
    """Everything but the books and the figures, by table, in an order in which it can be added."""
    http = {
        "name": "Find",
        "description": "",
        "url": HOOK,
        "headers": [{"key": "X-Key", "value": SECRET}],
    }
    config, secrets = ToolDraft(type="http", config=http).covered()
    hook = {"config_url_infos_system_external": {"url_webhook_external": HOOK, "headerKey": SECRET}}
    step = {"scenario_id": "sale", "webhook_url": HOOK, "webhook_header": f"Bearer {SECRET}"}
    asked = {
        **{"turn_id": "turn", "agent_id": "ana", "tool_id": "find", "tool_name": "Find", "payload": {}},
        "variables": {"apiToken": SECRET, "city": "Porto"},
        "query": {"callback_url": HOOK},
        "so_far": [["called", "c1", "Find", json.dumps({"password": SECRET})]],
    }
    resting = {
        "importedType": "soap",
        "url": HOOK,
        "headers": [{"key": "Authorization", "value": SECRET, "acceptedValues": [SECRET]}],
        "rawBody": f"password={SECRET}",
    }
    avatar = {"config": {"id": "ada", "name": "Ada"}, "datastore_id": "books"}
    said = {"question": "Why?", "response": "So.", "confidence": "low", "abstained": False}
    return {
        "tags": [TagKind(**known("vip"), name="vip", color="red")],
        "scenarios": [Scenario(**known("sale"), name="Sale")],
        "datastores": [Datastore(**known("books"), name="Books", embedder="old", dimension=3)],
        "agents": [
            Agent(**known("ana"), name="Ana", model_name="m", handle="ana", **with_covered_configs(hook)),
            Agent(
                **known("bea"), name="Bea", model_name="m", temperature=0.0, hidden=True, visibility="public"
            ),
        ],
        "tools": [
            Tool(**known("find"), agent_id="ana", type="http", config=config, secrets=secrets, position=7),
            Tool(**known("look"), agent_id="ana", type="datastore", datastore_id="books"),
            Tool(**known("rest"), agent_id="ana", type="api_tool", config=resting),
        ],
        "integrations": [Integration(**known("wa"), agent_id="ana", type="whatsapp", enabled=True)],
        "access": [AccessEntry(**known("no"), agent_id="ana", kind="blacklist", who="x", named="X")],
        "steps": [
            Step(**known("b-cold"), **with_covered_webhook(step), index=1, name="Cold"),
            Step(**known("a-hot"), scenario_id="sale", index=0, name="Hot", agent_id="ana"),
        ],
        "avatars": [Avatar(**known("ada"), **avatar, is_public=True)],
        "answered": [Answered(**known("q1"), **said, avatar_id="ada", corpus_version="1", asked_by="op")],
        "accounts": [
            Account(
                **known("front"),
                **configured(WebhookConfig(url=HOOK, header=f"X-Key: {SECRET}")),
                agent_id="ana",
                type="webhook",
                name="Front",
                token_digest=SECRET,
            )
        ],
        "arrivals": [Arrival(**known("ring"), account_id="front", event_id="e1", raw=SECRET, heard={"a": 1})],
        "contacts": [Contact(**known("zoe"), email="zoe@x.example", variables={"zero": 0, "no": False})],
        "conversations": [
            Conversation(**known("talk"), agent_id="ana", contact_id="zoe", tags=["vip"], step_id="a-hot"),
            Conversation(**known("lone")),
        ],
        "messages": [
            Message(**known("m1"), conversation_id="talk", position=1, from_="human", text="Olá\n🌾"),
            Message(**known("m2"), conversation_id="talk", position=2, from_="agent", text="", sources=[{}]),
        ],
        "turns": [
            Turn(**known("turn"), **LEAD, message_id="m1", position=1, agent_id="ana", callback_url=HOOK),
            Turn(
                **known("said"),
                **LEAD,
                message_id="m1",
                position=1,
                agent_id="ana",
                state="answered",
                query={"callback_url": HOOK},
            ),
        ],
        "approvals": [Approval(**known("may"), **LEAD, **asked, arguments={"password": SECRET, "n": 0})],
        "notes": [Note(**known("note"), **LEAD, note="Calls back.")],
        "events": [Event(**known("event"), **LEAD, type="CONVERSATION_OPENED", facts={"n": 0})],
        "follow_ups": [FollowUp(**known("soon"), **LEAD, tag="t", message="Hello?", due_at=NOW)],
        "crm_logs": [CrmLog(**known("log"), **LEAD, scenario_id="sale", step_id="a-hot")],
        "deliveries": [
            Delivery(**known("post"), **LEAD, kind="callback", agent_id="ana", url=HOOK, body={"n": 0}),
            Delivery(**known("done"), kind="message", state="sent", external_id="x"),
        ],
    }


def secret_things() -> dict[str, list[Entity]]:
    """What is in no archive."""
    return {
        "keys": [Key(**known("key"), name="k", prefix="vv_", digest=SECRET, scopes=frozenset(Scope))],
        "providers": [Provider(**known("p1"), name="openai", **with_covered_key(SECRET, None))],
        "endpoints": [Endpoint(**known("bea"), agent_id="bea", url=HOOK, last_error=SECRET)],
    }


def furnish(tables: Tables) -> None:
    """Put everything in."""
    for name, some in {**things(), **secret_things()}.items():
        for thing in some:
            getattr(tables, name).add(thing)
    hot, cold = tables.steps.find("a-hot"), tables.steps.find("b-cold")
    tables.steps.replace(hot.model_copy(update={"auto_next_step_id": "b-cold"}))
    tables.steps.replace(cold.model_copy(update={"auto_next_step_id": "a-hot"}))
    tables.usage.add("ana", "2026-01", Spending(3, 20, 10, 0.25))
    tables.avatar_usage.add("ada", "2026-01", Spending(2, 8, 4, 0.5))
    tables.collections.calibrate("old", {"slope": 0.5})
    _shelve(tables)


def remade(path: Path, changes: Mapping[str, bytes], **manifest: Any) -> None:
    """Write an archive again, with other contents and with digests that fit them."""
    with zipfile.ZipFile(path) as file:
        kept = {name: file.read(name) for name in file.namelist()} | changes
    said = json.loads(kept.pop("manifest.json"))
    said["parts"] = {
        name.removesuffix(".jsonl"): {
            "lines": body.count(b"\n"),
            "bytes": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        for name, body in kept.items()
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, body in kept.items():
            file.writestr(name, body)
        file.writestr("manifest.json", json.dumps(said | manifest))


def _shelve(tables: Tables) -> None:
    """Books: one with two versions of its text, a file that was not read yet, and a page that was not."""
    config, secrets = covered_settings({"source_url": HOOK, "tags": ["mills"]})
    shared = {"datastore_id": "books"}
    tables.datasources.add(
        Datasource(
            **known("mill"),
            **shared,
            name="Mill",
            type="web_page",
            status="synched",
            config=config,
            secrets=secrets,
            nb_chunks=4,
        )
    )
    tables.datasources.add(Datasource(**known("scan"), **shared, name="scan.txt"))
    tables.datasources.add(Datasource(**known("page"), **shared, name="Page", type="web_page"))
    outline = Outline((Mark(0, 1, "i"),), (Title(0, 1, "The mill"),))
    for id, state, text in (("mill-1", "old", OLD), ("mill-2", "current", TEXT)):
        document = Document(
            id, "mill", "books", NOW, int(id[-1]), state, hash_of(text), len(text), "en", outline
        )
        tables.documents.add(document)
        tables.documents.append(id, 0, text)
    tables.documents.add(Document("mill-3", "mill", "books", NOW, 3, "next"))
    tables.uploads.add("scan", 0, b"A file ")
    tables.uploads.add("scan", 1, b"in two pieces.")
