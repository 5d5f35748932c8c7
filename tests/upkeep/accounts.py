"""Hosted accounts to be copied: our own server on another workspace, and a fake that may misbehave."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vivavoce.app import App, open_app
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.keys import key_of
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.upkeep.moving_in.copying import copy_account
from vivavoce.upkeep.reports import Report

TESTS = Path(__file__).parent.parent
for folder in ("surfaces", "hosted"):
    sys.path.insert(0, str(TESTS / folder))

SECRET = "s3cret-of-the-account"
HTTP_TOOL = {
    "name": "Weather",
    "url": "https://weather.example/v1",
    "method": "GET",
    "description": "The weather.",
    "headers": [{"key": "Authorization", "value": SECRET, "isUserProvided": False}],
}


@dataclass
class Filled:
    """An account with something of everything, by ids."""

    address: str = ""
    key: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    def backend(self) -> HostedBackend:
        return HostedBackend(Calls(self.address), key_of(self.key))

    async def change(self, operation: str, /, **arguments: Any) -> Any:
        """Carry out an operation in the account."""
        backend = self.backend()
        try:
            return await backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)
        finally:
            await backend.close()


async def fill(settings: Any) -> dict[str, str]:
    """The ids of what was made in a workspace."""
    async with open_app(settings) as app:

        async def run(operation: str, /, **arguments: Any) -> dict[str, Any]:
            result = await app.backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)
            return result.model_dump(mode="json")

        store = await run("create_datastore", type="qdrant", name="Manuals", description="")
        bridge = "The old bridge was built in 1823 by the town of Halden."
        text = await run("create_datasource", datastoreId=store["id"], name="bridge.txt", text=bridge)
        qa = {"question": "When does the shop open?", "answer": "The shop opens at nine."}
        asked = await run(
            "create_datasource", datastoreId=store["id"], name="q", text="", type="qa", config=qa
        )
        await app.ingester.finish()
        agent = await run(
            *("create_agent",),
            **{"name": "Ana", "description": "", "modelName": "gpt_4o", "systemPrompt": "Be kind."},
            handle="ana",
            temperature=0.0,
            configUrlInfosSystemExternal={
                "url_webhook_external": "https://hook.example/x",
                "headerKey": SECRET,
            },
            tools=[
                {"type": "http", "config": HTTP_TOOL},
                {"type": "datastore", "datastoreId": store["id"]},
                {"type": "delayed_responses", "config": {"delay": 6}},
                {"type": "lead_capture", "config": {"isEmailEnabled": True}},
            ],
        )
        scenario = await run("create_crm_scenario", name="Sales")
        second_fields = {"initialMessage": "Hello again!", "webhookUrl": "https://hook.example/step"}
        first = await run("create_crm_step", scenarioId=scenario["id"], name="New", agentId=agent["id"])
        second = await run(
            "create_crm_step",
            **{"scenarioId": scenario["id"], "name": "Offer", "webhookHeader": {"X-Key": SECRET}},
            **second_fields,
        )
        await run(
            "update_crm_step",
            **{"id": first["id"], "name": "New", "autoNextStepId": second["id"]},
            autoNextTime=1,
            autoNextTimeUnit="m",
        )
        contact = await run("save_contact", email="bo@example.com", firstName="Bo", phoneNumber="4712345")
        await run("set_contact_variable", id=contact["id"], key="size", value={"shoe": 41}, source="ai")
        talk = {"conversationId": "talk-1"}
        await run(
            *("agent_query",),
            **{"id": agent["id"], "query": "When was the bridge built?", **talk},
            contactId=contact["id"],
            channel="website",
        )
        await run("register_message", **talk, message="We will call you.", **{"from": "agent"})
        await run("set_variable", **talk, varName="order", varValue="0")
        await run("tag_conversation", **talk, tagName="vip")
        await run("create_note", **talk, note="Call back on Monday.")
        await run("set_conversation_priority", **talk, priority="HIGH")
        await run("add_conversation_to_scenario", **talk, stepId=first["id"])
    return {
        **{"datastore": store["id"], "text": text["id"], "qa": asked["id"], "agent": agent["id"]},
        **{"scenario": scenario["id"], "first": first["id"], "second": second["id"]},
        **{"contact": contact["id"], "conversation": "talk-1"},
        **{f"{tool['type']} tool": tool["id"] for tool in agent["tools"]},
    }


async def copied(
    app: App, backend: HostedBackend, waited: list[float] | None = None, **options: Any
) -> Report:
    """The report of a copy that notes how long it would wait, and waits for nothing."""

    async def pause(seconds: float) -> None:
        if waited is not None:
            waited.append(seconds)

    return await copy_account(
        app, backend, lambda kind, done, total: None, source="test", pause=pause, **options
    )


def numbers(report: Report, outcome: str) -> dict[str, int]:
    """How many things of each kind came to this."""
    return {kind: counted[outcome] for kind, counted in report.counts.items() if counted[outcome]}


def said(report: Report, kind: str) -> list[str]:
    """What the report says about things of a kind."""
    return [remark.reason for remark in report.remarks if remark.kind == kind]


def stored(app: App, *, apart: str = "imported") -> list[str]:
    """Every row of the workspace as a text, but for those of one table."""
    with closing(sqlite3.connect(app.ports.store.path)) as database:  # type: ignore[attr-defined]  # on SQLite
        return [line for line in database.iterdump() if f'INSERT INTO "{apart}"' not in line]
