"""One script of calls that asks for every operation, and the doors through which it can be carried out.

A door takes a name and arguments as the wire has them and gives an `Outcome`. What a surface does not offer
stands at the end of the script, so that a door may leave it out and still be in the same state as the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import anyio

from vivavoce.operations import Result

Json = dict[str, Any]
SOON = f"{date.today() + timedelta(days=2)} 09:30:00"


@dataclass(frozen=True)
class Outcome:
    """What a call came to: a result, or the code and the sentence of an error."""

    name: str
    result: Any = None
    error: tuple[str, str] | None = None


Call = Callable[[str, Json], Awaitable[Outcome]]

HTTP_TOOL: Json = {
    "name": "Order status",
    "description": "Looks an order up.",
    "url": "https://shop.example.com/customers/:customer/orders/{order}?lang=en",
    "method": "post",
    "headers": [{"key": "Authorization", "value": "Bearer s3cr3t", "isUserProvided": False}],
    "pathVariables": [
        {"key": "order", "isUserProvided": True, "description": "The order's number."},
        {"key": "customer", "isUserProvided": True},
    ],
    "queryParameters": [{"key": "view", "value": "short", "acceptedValues": ["short", "long"]}],
    "body": [{"key": "reason", "isUserProvided": True, "description": "Why it is asked."}],
    "withApproval": True,
    "hasMaximumToolCalls": True,
    "maximumToolCalls": 2,
}
FOLLOW_UPS: Json = {"messages": "Still there?||Shall I close this?", "max_sends": 2, "interval_hours": 4}
STEP: Json = {
    "trigger": "The contact wants a price.",
    "prompt": "Be brief.",
    "initialMessage": "Olá! Uma proposta já vem — 報價。",
    "autoNextTime": 0,
    "autoNextTimeUnit": "h",
    "defaultStatus": "UNRESOLVED",
    "defaultPriority": "HIGH",
    "defaultAiControl": False,
    "defaultTags": ["lead", "warm"],
    "defaultTagsToRemove": ["cold"],
    "assigneeLogicType": "single_user",
    "selectedMembershipIdsForAssignee": ["member_1"],
    "isRequired": True,
    "isConversationRemovalStep": False,
    "requestContact": {"name": True, "email": False, "phone": True},
    "whatsapp": {"templateName": "offer", "templateLanguageCode": "pt_BR"},
    "webhookUrl": "https://hooks.example.com/step",
    "webhookHeader": {"X-Token": "s3cr3t"},
}

AVATAR: Json = {
    "id": "ada",
    "name": "Ada",
    "description": "Wrote about engines.",
    "corpus": {"description": "Notes.", "sources": [{"title": "Notes", "type": "paper"}]},
    "systemPrompt": {
        "identity": "A student of Ada.",
        "tone": "Plain.",
        "constraints": ["Never speak as Ada."],
        "citationStyle": "Author, year, page.",
    },
    "principles": ["Kept as it is."],
}


async def carried_out(call: Call) -> list[Outcome]:
    """Everything that the script came to, in order. Somebody must work on what is to be indexed."""
    outcomes: list[Outcome] = []

    async def ask(name: str, /, **arguments: Any) -> Any:
        outcome = await call(name, arguments)
        outcomes.append(outcome)
        return _read(outcome.result)

    await _agents_and_tools(ask)
    await _crm(ask)
    await _knowledge(ask, call)
    await _conversations(ask)
    await _board(ask)
    await _channels(ask)
    await _access(ask)
    await _avatars(ask, call)
    await _faults(ask)
    await _not_everywhere(ask)
    return outcomes


async def _agents_and_tools(ask: Any) -> None:
    for page in ("tools", "models", "prompts", "http_tools", "cal_com_http_tools"):
        await ask("getDocumentation", docType=page)
    assert await ask("list_agents") == []
    agent = await ask(
        "create_agent",
        name="Ana",
        description="Answers about orders.",
        modelName="gpt_4o",
        systemPrompt="Be kind.\nBe brief. {x}",
        temperature=0,
        handle="@Ana_1",
        tools=[{"type": "request_human"}, {"type": "http", "config": HTTP_TOOL}],
        configUrlExternal={"url": "https://example.com/facts", "header": "s3cr3t"},
    )
    other = await ask("create_agent", name="Bea", description="", modelName="own/model", systemPrompt="")
    await ask(
        "update_agent", id=agent["id"], temperature=0.5, description="Açaí", interfaceConfig={"theme": "dark"}
    )
    await ask("update_agent", id="@ana_1", handle=None, visibility="public", interfaceConfig=None)
    await ask("get_agent", id=agent["id"])
    await ask("enable_disable_agent_integration", id=agent["id"], type="whatsapp", enabled=True)
    await ask("enable_disable_agent_integration", id=agent["id"], type="whatsapp", enabled=False)
    store = await ask("create_datastore", type="qdrant", name="Manuals", description="All of them.")

    http = await ask("addHttpTool", agentId=other["id"], config=HTTP_TOOL)
    await ask("addDatastoreTool", agentId=other["id"], datastoreId=store["id"])
    held = await ask("addDelayedResponsesTool", agentId=other["id"], delay=8)
    await ask("addRequestHumanTool", agentId=other["id"])
    await ask("addMarkAsResolvedTool", agentId=other["id"])
    followed = await ask("addFollowUpMessagesTool", agentId=other["id"], config=FOLLOW_UPS)
    await ask("list_agent_tools", agentId=other["id"])
    await ask("get_agent_tool", agentId=other["id"], toolId=http["id"])
    changed = {**http["config"], "description": "Looks one order up."}  # its secret is the marker, and stays
    await ask("update_agent_tool", agentId=other["id"], toolId=http["id"], config=changed)
    await ask("remove_agent_tool", agentId=other["id"], toolId=followed["id"])
    await ask(
        "remove_agent_tool", agentId=other["id"], toolId=held["id"]
    )  # it is asked later, and must not wait
    await ask("list_agents", limit=1, offset=1)
    await ask("list_agents")


async def _crm(ask: Any) -> None:
    agent = (await ask("list_agents"))[0]
    scenario = await ask("create_crm_scenario", name="Sales", description="From lead to sale.")
    await ask("update_crm_scenario", id=scenario["id"], name="Sales 2", description=None)
    first = await ask("create_crm_step", scenarioId=scenario["id"], name="New", **STEP)
    second = await ask(
        "create_crm_step",
        scenarioId=scenario["id"],
        name="Offer",
        agentId=agent["id"],
        trigger="A price was asked for.",
        zapi={"phoneNumber": "+55 11 99999", "message": "Look!"},
    )
    await ask(
        "update_crm_step",
        id=first["id"],
        name="New lead",
        autoNextStepId=second["id"],
        prompt=None,
        defaultTags=[],
    )
    await ask("list_crm_steps", scenarioId=scenario["id"])
    await ask("list_crm_scenarios", agentId=agent["id"])
    await ask("list_crm_scenarios")
    await ask("delete_crm_step", id=second["id"])
    await ask("list_crm_steps", scenarioId=scenario["id"])
    await ask("delete_crm_scenario", id=scenario["id"])


async def _knowledge(ask: Any, call: Call) -> None:
    store = await ask("create_datastore", type="qdrant")
    await ask("update_datastore", id=store["id"], name="Prices", description=None, isPublic=True)
    text = await ask(
        "create_datasource", datastoreId=store["id"], name="prices.txt", text="One: 1 €\nTwo: 2 €"
    )
    await ask(
        "create_datasource",
        datastoreId=store["id"],
        name="Returns",
        text="",
        type="qa",
        config={"question": "May I return it?", "answer": "Within 30 days.", "tags": ["returns"]},
        custom_id="mine",
    )
    await _indexed(call, store["id"])
    await ask("get_datastore", id=store["id"])
    await ask("get_datastore", id=store["id"], search="two: 2")
    await ask("list_datasources", datastoreId=store["id"], limit=1)
    await ask("get_datasource", id=text["id"])
    found = await ask("query_datastore", id=store["id"], query="May I return it?", topK=1, tags=["returns"])
    await ask("query_datastore", id=store["id"], query="two", filters={"datasource_ids": [text["id"]]})
    await ask("query_datastore", id=store["id"], query="two", filters={"custom_ids": ["mine"]})
    place = {"start": found[0]["start"], "end": found[0]["end"]}
    await ask("read_document", documentId=found[0]["document_id"], **place)
    (before,) = await ask("query_datastore", id=store["id"], query="two: 2", topK=1)
    again = {"datastoreId": store["id"], "name": "prices.txt", "text": "One: 1 €\nTwo: 3 €"}
    await ask("create_datasource", id=text["id"], **again)
    await _indexed(call, store["id"])
    await ask("query_datastore", id=store["id"], query="two: 3")
    await ask("read_document", documentId=before["document_id"])
    await ask("synch_datasource", id=text["id"])
    await _indexed(call, store["id"])
    await ask("list_datastores")
    await ask("delete_datasource", id=text["id"])
    await ask("delete_datastore", id=store["id"])
    agent = (await ask("list_agents"))[1]
    await ask("delete_agent", id=agent["id"])


async def _indexed(call: Call, datastore_id: str) -> None:
    """Wait until every datasource is indexed; the waiting is no part of what the script comes to."""
    with anyio.fail_after(120):
        while True:
            shown = _read((await call("get_datastore", {"id": datastore_id})).result)
            statuses = {source["status"] for source in shown["datasources"]}
            assert "error" not in statuses, shown
            if statuses == {"synched"}:
                return
            await anyio.sleep(0.05)


async def _conversations(ask: Any) -> None:
    agent = (await ask("list_agents"))[0]
    asked = {"id": agent["id"], "conversationId": "talk-1", "channel": "website"}
    await ask("agent_query", **asked, query="Hello?", contact={"email": "lu@example.com", "firstName": "Lu"})
    on_talk = {"conversationId": "talk-1"}
    await ask("set_ai_enabled", **on_talk, enabled=False)
    await ask("agent_query", **asked, query="Is anyone there?")
    unanswered = (await ask("list_messages", **on_talk, count=1))["messages"][0]
    await ask("get_turn_trace", messageId=unanswered["id"])
    await ask("get_message", messageId=unanswered["id"])
    await ask("get_answer", messageId=unanswered["id"])
    await ask("send_message", type="conversationId", value="talk-1", message="Olá, Bia aqui — 你好。")
    told = await ask("register_message", **on_talk, message="We called.", **{"from": "agent"})
    await ask("rate_answer", messageId=told["message"]["id"], eval="bad")
    await ask("rate_answer", messageId=told["message"]["id"], eval=None)
    visit = {"tag": "visit", "msg": "Até já.", "dtToSend": SOON, "timeZone": "America/Sao_Paulo"}
    await ask("schedule_follow_up", **on_talk, **visit)
    await ask("schedule_follow_up", **on_talk, **{**visit, "timeZone": "Mars/Olympus"})
    await ask("list_follow_ups", **on_talk)
    await ask("remove_follow_up", **on_talk, tag="visit")
    await ask("set_conversation_status", **on_talk, status="RESOLVED")
    await ask("set_conversation_priority", **on_talk, priority="HIGH")
    await ask("set_conversation_blocked", **on_talk, blocked=False)
    await ask("assign_conversation", **on_talk, email="bia@example.com")
    await ask("assign_conversation", **on_talk, id="user-2")
    await ask("assign_conversation", **on_talk, id="user-2", force=True)
    await ask("create_tag", name="vip", color="#f00")
    await ask("tag_conversation", **on_talk, tagName="vip")
    await ask("tag_conversation", **on_talk, tagName="tarde é")
    await ask("list_conversation_tags", **on_talk)
    await ask("list_tags")
    note = await ask("create_note", **on_talk, note="Call back.", isPrivate=True)
    await ask("update_note", **on_talk, noteId=note["id"], note="Called back.")
    await ask("list_notes", **on_talk)
    await ask("set_variable", **on_talk, varName="shoe size", varValue="38")
    await ask("get_variable", **on_talk, varName="shoe size")
    await ask("list_variables", **on_talk)
    contact = await ask("save_contact", email="lu@example.com", phoneNumber="5511999", metadata={"a": [1]})
    await ask("set_contact_variable", id=contact["id"], key="plan", value="gold", source="ai")
    await ask("set_contact_variable", id="talk-1", key="cart", value=[{"sku": 1}])
    await ask("list_contact_variables", id="talk-1")
    await ask("get_contact", contactId=contact["id"])
    await ask("list_contacts", search="LU@", hasPhone=True)
    twice = (
        {"email": "ze@example.com", "firstName": "Zé"},
        {"externalId": "crm-9", "phoneNumber": "5511888"},
    )
    await ask("create_contacts", contacts=[{"email": "lu@example.com", "lastName": "Lima"}, *twice])
    found = await ask("list_conversations", status="RESOLVED", ai="disabled", tag="vip", assigneeId="user-2")
    last = json.dumps({"lastCreatedAt": found[0]["createdAt"], "lastId": "talk-1"})
    await ask("list_conversations", cursor=last)
    await ask("get_conversation", **on_talk)
    await ask("unassign_conversation", **on_talk)
    await ask("delete_note", **on_talk, noteId=note["id"])
    await ask("delete_variable", **on_talk, varName="shoe size")
    await ask("untag_conversation", **on_talk, tagName="tarde é")
    await ask("delete_tag", name="vip")
    await ask("delete_contact_variables", id=contact["id"], key="cart")
    await ask("delete_contact", contactId=contact["id"])
    await ask("get_conversation", **on_talk)
    await ask("delete_conversation", **on_talk)
    await ask("get_conversation", **on_talk)
    await ask("list_conversations", cursor="abc")
    await ask("list_models")
    await ask("list_approvals", state="done", limit=5)
    await ask("answer_approval", id="nothing", approved=True)
    await ask("list_failed_answers", limit=5)
    await ask("retry_answer", messageId="nothing")
    await ask("agent_query", **asked, query="Hello again?")  # for what is not offered everywhere


async def _board(ask: Any) -> None:
    agent = (await ask("list_agents"))[0]
    scenario = await ask("create_crm_scenario", name="Board")
    on_board, on_talk = {"scenarioId": scenario["id"]}, {"conversationId": "talk-1"}
    first, last = [await ask("create_crm_step", **on_board, name=name) for name in ("First", "Last")]
    await ask("set_crm_config", id=agent["id"], scenarioId=scenario["id"])
    await ask("get_crm_config", id=agent["id"])
    await ask("set_crm_config", id=agent["id"], scenarioId=None)
    await ask("add_conversation_to_scenario", **on_talk, stepId=first["id"])
    await ask("move_conversation", **on_talk, destStepId=last["id"], expectedStepId=last["id"])
    await ask("move_conversation", **on_talk, destStepId=last["id"])
    await ask("list_scenario_conversations", **on_board, isCount=True)
    await ask("list_conversation_logs", **on_board)
    log = await ask("create_conversation_log", **on_talk, **on_board, stepId=first["id"], status="active")
    await ask("get_conversation_log", logId=log["id"])
    await ask("update_conversation_log", logId=log["id"], status="error")
    await ask("update_conversation_log", logId=log["id"], status="active")
    await ask("remove_conversation_from_scenario", **on_talk, **on_board)
    await ask("delete_conversation_log", logId=log["id"])
    listening = {"url_webhook_external": "https://hooks.example/in?token=s3cr3t"}
    await ask("update_agent", id=agent["id"], configUrlInfosSystemExternal=listening)
    await ask("get_webhook_status", id=agent["id"])
    await ask("resume_webhook", id=agent["id"], redeliverHeld=True)
    await ask("update_agent", id=agent["id"], configUrlInfosSystemExternal=None)  # or a server would send
    await ask("resume_webhook", id=agent["id"])
    await ask("rate_conversation", **on_talk, rating=9, comment="Quick.")
    await ask("capture_visitor", id=agent["id"], **on_talk, visitorEmail="zoe@x.example")
    await ask("capture_visitor", id=agent["id"], **on_talk)
    await ask("list_deliveries", state="failed", limit=1)
    await ask("get_delivery", deliveryId="nothing")
    await ask("redeliver", deliveryId="nothing")


async def _channels(ask: Any) -> None:
    agent = (await ask("list_agents"))[0]
    config = {"url": "https://shop.example/in?token=s3cr3t", "header": "X-Key: s3cr3t", "channel": "whatsapp"}
    made = await ask("create_channel", agentId=agent["id"], name="Shop", config=config)
    await ask("list_channels", agentId=agent["id"], limit=1)
    await ask("get_channel", channelId=made["id"])
    changed = {**made["config"], "typing": True}  # its secrets are markers, and stay
    await ask("update_channel", channelId=made["id"], name="Store", enabled=False, config=changed)
    await ask("update_channel", channelId=made["id"], config={**config, "windowHours": 0})
    await ask("renew_channel_token", channelId=made["id"])
    await ask("list_arrivals", channelId=made["id"], state="failed")
    await ask("retry_arrival", channelId=made["id"], arrivalId="nothing")
    await ask("delete_channel", channelId=made["id"])


async def _access(ask: Any) -> None:
    on_agent = {"agentId": (await ask("list_agents"))[0]["id"]}
    barred = await ask("add_to_blacklist", **on_agent, userIdentify=["eve@example.com", "crm-7"])
    await ask("add_to_blacklist", **on_agent, userIdentify="Eve@Example.com")
    await ask("list_blacklist")
    await ask("remove_from_blacklist", **on_agent, id=barred[0]["id"])
    await ask("list_agent_blacklist", **on_agent)
    await ask("add_to_whitelist", **on_agent, whatsappNumber="5511777776666")
    await ask("add_to_whitelist", **on_agent, whatsappNumber=["5511666665555", "+55 11 77777-6666"])
    old, new = "5511777776666", "5511666665555"
    await ask("replace_in_whitelist", **on_agent, oldWhatsappNumber=old, newWhatsappNumber=new)
    await ask("list_agent_whitelist", **on_agent)
    await ask("remove_from_whitelist", **on_agent, whatsappNumber=new)
    await ask("replace_in_whitelist", **on_agent, oldWhatsappNumber=old, newWhatsappNumber=new)


async def _avatars(ask: Any, call: Call) -> None:
    avatar = await ask(
        "create_avatar",
        config=AVATAR,
        sources=[{"id": "notes", "title": "Notes", "year": 1843, "topics": ["weaving"]}],
    )
    await ask("create_avatar", config=AVATAR)
    await ask("create_avatar", config={**AVATAR, "corpus": {"sources": []}})
    await ask("update_avatar", id="ada", isPublic=True)
    await ask(
        "create_datasource",
        datastoreId=avatar["datastoreId"],
        name="notes.md",
        text="The engine weaves algebraical patterns. It has no pretensions to originate anything.",
        custom_id="notes",
    )
    await _indexed(call, avatar["datastoreId"])
    on_ada = {"avatarId": "ada"}
    await ask("list_avatars")
    await ask("get_avatar", id="ada")
    await ask("get_avatar_info", **on_ada)
    await ask("list_avatar_sources", **on_ada)
    await ask("query_corpus", **on_ada, query="What does the engine weave?", threshold=0)
    answer = await ask("generate_response", **on_ada, question="What does the engine weave?")
    earlier = [{"role": "bo", "content": "The engine."}]
    await ask("generate_response", **on_ada, question="And?", context=earlier)
    await ask("generate_response", **on_ada, question=" ")
    await ask("list_avatar_answers", **on_ada, limit=1, offset=1)
    await ask("explain_answer", **on_ada, answerId=answer["answer_id"])
    await ask("explain_answer", **on_ada, answerId="nothing")
    await ask("delete_avatar", id="ada")
    await ask("get_avatar_info", **on_ada)


async def _faults(ask: Any) -> None:
    agent = (await ask("list_agents"))[0]
    store = await ask("create_datastore", type="qdrant", name="Faults")
    scenario = await ask("create_crm_scenario", name="Faults")
    step = await ask("create_crm_step", scenarioId=scenario["id"], name="Only")
    await ask("update_agent", id=agent["id"], handle="taken")
    creation = {"description": "d", "modelName": "m", "systemPrompt": "p"}

    await ask("agent_query", id=agent["id"], query="Hello?")
    await ask("get_agent", id="nobody")
    await ask("get_agent", id="@nobody")
    await ask("get_agent", id=store["id"])
    await ask("delete_agent", id="' or 1=1; --")
    await ask("create_agent", name="  ", **creation)
    await ask("create_datastore", type="qdrant", nome="N", descripton="d")
    await ask("create_agent", name="N", **creation, handle="taken")
    await ask("update_agent", id=agent["id"], temperature=2, description="a\0b")
    await ask("addRequestHumanTool", agentId=agent["id"])
    await ask("addHttpTool", agentId=agent["id"], config={**HTTP_TOOL, "url": "https://e.com/{a}/{b}"})
    await ask("addDatastoreTool", agentId=agent["id"], datastoreId="nothing")
    await ask("update_agent_tool", agentId=agent["id"], toolId=step["id"], config={})
    await ask("remove_agent_tool", agentId=agent["id"], toolId="nothing")
    await ask("create_crm_step", scenarioId="nothing", name="S")
    await ask("create_crm_step", scenarioId=scenario["id"], name="S", agentId=scenario["id"])
    await ask("update_crm_step", id=step["id"], name="S", autoNextStepId=step["id"])
    await ask("update_crm_step", id=step["id"], name="S", assigneeLogicType="single_user")
    await ask("update_crm_scenario", id=step["id"], name="S")
    await ask("delete_crm_step", id=scenario["id"])
    await ask("list_crm_steps", scenarioId=step["id"])
    await ask("create_datastore", type="pinecone")
    await ask("create_datasource", datastoreId=agent["id"], name="x.txt", text="x")
    await ask("create_datasource", datastoreId=store["id"], name="x.txt", text=" ")
    await ask("get_datastore", id=agent["id"])
    await ask("query_datastore", id=agent["id"], query="x")
    await ask("query_datastore", id=store["id"], query="x", topK=0)
    await ask("query_datastore", id=store["id"], query="x", filters={"datastore_ids": [store["id"]]})
    await ask("synch_datasource", id=agent["id"])
    await ask("read_document", documentId="nothing")
    await ask("getDocumentation", docType="everything")
    await ask("list_agents")
    await ask("list_agent_tools", agentId=agent["id"])


async def _not_everywhere(ask: Any) -> None:
    agent = (await ask("list_agents"))[0]
    kept, other = [
        (await ask("list_contacts", search=words))["contacts"][0]["id"] for words in ("ze@", "crm-9")
    ]
    await ask("page_datastores", limit=1)
    await ask("update_conversation", conversationId="talk-1", isAiEnabled=False, metadata={"order": 1})
    await ask("follow_conversation", conversationId="talk-1")
    await ask("receive_message", conversationId="talk-1", message="Anyone — 你好?")
    await ask("export_conversation", conversationId="talk-1")
    await ask("export_conversations", ai="disabled", limit=1)
    await ask("import_contacts", csv="email;phone\nbo@example.com;5511777\n;" + "9" * 41)
    await ask("export_contacts", limit=3)
    await ask("update_contact", contactId=kept, lastName="Reis")
    await ask("merge_contacts", contactId=kept, otherIds=[other])
    await ask("delete_contacts", ids=[kept])
    await ask("add_agent_tool", agentId=agent["id"], type="lead_capture", config={"isEmailEnabled": True})
    await ask("set_provider", name="openai", apiKey="sk-s3cr3t")
    await ask("list_providers")
    await ask("remove_provider", name="openai")
    await ask("list_keys")
    key = await ask("create_key", name="Console", scopes=["read", "send"])
    if key is not None:
        await ask("revoke_key", id=key["id"])
        await ask("list_keys")


def plain(outcomes: list[Outcome], *, wire: bool = False) -> list[Any]:
    """The outcomes with ids, times and keys replaced by placeholders, in the order in which they appear."""
    seen: dict[str, str] = {}

    def placeholder(found: re.Match[str]) -> str:
        return seen.setdefault(found[0], f"<{len(seen)}>")

    lines = []
    for outcome in outcomes:
        result = outcome.result
        if isinstance(result, Result):
            result = result.wire() if wire else result.model_dump(mode="json")
        text = json.dumps([outcome.name, result, outcome.error], sort_keys=True)
        text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "<time>", text)
        text = re.sub(r"\bvvc?_[A-Za-z0-9_-]+", "<key>", text)
        text = re.sub(r'(corpus_?[vV]ersion": )"[0-9a-f]{16}"', r'\1"<version>"', text)
        lines.append(json.loads(re.sub(r"\bc[0-9a-z]{24}\b", placeholder, text)))
    return lines


def _read(result: Any) -> Any:
    """A result as the script reads on from it: a list is a list, however the surface wraps it."""
    if isinstance(result, Result):
        result = result.model_dump(mode="json")
    if isinstance(result, dict) and len(result) == 1:
        ((result),) = result.values()
    return result
