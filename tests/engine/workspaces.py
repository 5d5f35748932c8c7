"""A workspace with one of everything in it, and arguments for every operation on it."""

from typing import Any

from vivavoce.operations import Caller, Scope

from .talks import Talks

CANARY = "canary-7f3a9c"
"""Stands in every place that is secret, and must never be read again."""

DELETES_LAST = (
    *("remove_conversation_from_scenario", "delete_conversation_log", "remove_follow_up"),
    *("delete_note", "delete_variable", "untag_conversation", "delete_tag", "delete_contact_variables"),
    *("merge_contacts", "delete_contacts", "delete_contact", "delete_conversation"),
    *("remove_agent_tool", "delete_crm_step", "delete_crm_scenario", "delete_datasource"),
    *("remove_from_blacklist", "remove_from_whitelist"),
    *("delete_channel", "delete_datastore", "delete_agent", "revoke_key"),
)


async def populated(run) -> dict[str, str]:
    """Make one of everything; the ids by what they stand for."""
    datastore = await run("create_datastore", type="qdrant", name="Manuals")
    datasource = await run(
        "create_datasource",
        datastoreId=datastore["id"],
        name="one.txt",
        text="Turn it on.",
        config={"source_url": f"https://docs.example/one?token={CANARY}", "apiKey": CANARY},
    )
    agent = await run(
        "create_agent",
        **an_agent(),
        handle="ana",
        visibility="public",
        configUrlExternal={"url": f"https://crm.example?token={CANARY}", "header": CANARY},
        interfaceConfig={"apiKey": CANARY},
        configUrlInfosSystemExternal={"url_webhook_external": "https://hooks.example", "headerKey": CANARY},
    )
    tool = await run("addHttpTool", agentId=agent["id"], config=a_request())
    library = await run("create_datastore", type="qdrant", name="Library")
    await run("addDatastoreTool", agentId=agent["id"], datastoreId=library["id"])
    await run("enable_disable_agent_integration", id=agent["id"], type="telegram", enabled=True)
    scenario = await run("create_crm_scenario", name="Sale", description="From contact to sale.")
    step = await run(
        "create_crm_step",
        scenarioId=scenario["id"],
        name="New",
        trigger="Somebody writes.",
        agentId=agent["id"],
        webhookUrl=f"https://hooks.example?sig={CANARY}",
        webhookHeader={"X-Any": CANARY},
    )
    key = await run("create_key", name="console", scopes=["read"])
    await run("create_avatar", config=an_avatar())
    answered = await run("generate_response", avatarId="ada", question="What can the engine weave?")
    talks = Talks(run.engine)
    contact = await talks.contact()
    others = [await talks.contact(f"person{number}") for number in (2, 3)]
    talk = await talks.talk(agent_id=agent["id"], channel="website", contact_id=contact.id)
    _, answer = await talks.turn(agent["id"], talk.id)
    approval = await talks.approval(agent["id"], tool["id"], talk.id)
    failed = await talks.failed(agent["id"])
    writer = Caller(name="writer", scopes=frozenset({Scope.WRITE}))  # has no id, as others here
    note = await run("create_note", caller=writer, conversationId=talk.id, note="Call back.")
    await run("tag_conversation", conversationId=talk.id, tagName="vip")
    await run("schedule_follow_up", conversationId=talk.id, **a_follow_up())
    await run("set_variable", conversationId=talk.id, varName="size", varValue="L")
    log = await run(
        "create_conversation_log",
        conversationId=talk.id,
        scenarioId=scenario["id"],
        stepId=step["id"],
        status="active",
    )
    other_talk = await talks.talk("talk2")
    delivery = await talks.delivery(agent["id"], talk.id)
    channel = await run("create_channel", agentId=agent["id"], name="Shop", config=a_provider())
    arrival = await talks.arrival(channel["id"])
    listed = await run("add_to_blacklist", agentId=agent["id"], userIdentify="eve@example.com")
    await run("add_to_whitelist", agentId=agent["id"], whatsappNumber="5511999")
    return {
        "channel": channel["id"],
        "arrival": arrival.id,
        "barred": listed["entries"][0]["id"],
        "delivery": delivery.id,
        "log": log["id"],
        "otherTalk": other_talk.id,
        "conversation": talk.id,
        "message": answer,
        "approval": approval,
        "failed": failed,
        "contact": contact.id,
        "twin": others[0].id,
        "gone": others[1].id,
        "note": note["id"],
        "tag": "vip",
        "agent": agent["id"],
        "tool": tool["id"],
        "datastore": datastore["id"],
        "datasource": datasource["id"],
        "document": await document_of(run, datasource["id"]),
        "scenario": scenario["id"],
        "step": step["id"],
        "key": key["id"],
        "avatar": "ada",
        "answer": answered["answer_id"],
    }


def an_avatar(**more: Any) -> dict[str, Any]:
    """The configuration of an avatar."""
    return {
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
        **more,
    }


async def document_of(run, datasource_id: str, state: str = "current") -> str | None:
    """The id of the version of a datasource that is in this state."""
    find = run.engine.ports.store.read
    found = await find(lambda tables: tables.documents.of(datasource_id, state))
    return None if found is None else found.id


def arguments_for_all(ids: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Arguments with which each operation succeeds on a populated workspace, deletions last."""
    agent, on_agent, on_tool = (
        {"id": ids["agent"]},
        {"agentId": ids["agent"]},
        {"agentId": ids["agent"], "toolId": ids["tool"]},
    )
    on_talk, on_contact = {"conversationId": ids["conversation"]}, {"contactId": ids["contact"]}
    on_note, on_size = on_talk | {"noteId": ids["note"]}, on_talk | {"varName": "size"}
    messages = {"messages": "Still there? || Goodbye.", "max_sends": 2, "interval_hours": 24}
    on_channel = {"channelId": ids["channel"]}
    on_avatar, one_avatar = {"avatarId": ids["avatar"]}, {"id": ids["avatar"]}
    every = {
        "create_avatar": {"config": an_avatar(id="byron")},
        "update_avatar": one_avatar | {"isPublic": True},
        "get_avatar": one_avatar,
        "list_avatars": {},
        "query_corpus": on_avatar | {"query": "engine"},
        "generate_response": on_avatar | {"question": "What can the engine weave?"},
        "get_avatar_info": on_avatar,
        "list_avatar_sources": on_avatar,
        "list_avatar_answers": on_avatar,
        "explain_answer": on_avatar | {"answerId": ids["answer"]},
        "delete_avatar": one_avatar,
        "create_agent": an_agent(name="Bia"),
        "update_agent": agent | {"temperature": 0.5},
        "delete_agent": agent,
        "list_agents": {},
        "get_agent": agent,
        "agent_query": agent | {"query": "Hello?"},
        "get_answer": {"messageId": ids["message"]},
        "list_failed_answers": {},
        "retry_answer": {"messageId": ids["failed"]},
        "enable_disable_agent_integration": agent | {"type": "whatsapp", "enabled": True},
        "addHttpTool": on_agent | {"config": a_request(name="Find order")},
        "addDatastoreTool": on_agent | {"datastoreId": ids["datastore"]},
        "addDelayedResponsesTool": on_agent | {"delay": 8},
        "addRequestHumanTool": on_agent,
        "addMarkAsResolvedTool": on_agent,
        "addFollowUpMessagesTool": on_agent | {"config": messages},
        "list_blacklist": {},
        "list_agent_blacklist": on_agent,
        "add_to_blacklist": on_agent | {"userIdentify": ["mal@example.com", "5511777"]},
        "remove_from_blacklist": on_agent | {"id": ids["barred"]},
        "list_agent_whitelist": on_agent,
        "add_to_whitelist": on_agent | {"whatsappNumber": "5511888"},
        "replace_in_whitelist": on_agent
        | {"oldWhatsappNumber": "5511999", "newWhatsappNumber": "+55 11 999"},
        "remove_from_whitelist": on_agent | {"whatsappNumber": "5511999"},
        "add_agent_tool": on_agent | {"type": "form", "formId": "f1"},
        "list_agent_tools": on_agent,
        "get_agent_tool": on_tool,
        "update_agent_tool": on_tool | {"config": a_request(name="Get order again")},
        "remove_agent_tool": on_tool,
        "create_crm_scenario": {"name": "Support"},
        "update_crm_scenario": {"id": ids["scenario"], "name": "Sales"},
        "delete_crm_scenario": {"id": ids["scenario"]},
        "list_crm_scenarios": {},
        "create_crm_step": {"scenarioId": ids["scenario"], "name": "Won", "prompt": "Congratulate."},
        "update_crm_step": {"id": ids["step"], "name": "First contact"},
        "delete_crm_step": {"id": ids["step"]},
        "list_crm_steps": {"scenarioId": ids["scenario"]},
        "add_conversation_to_scenario": {"conversationId": ids["otherTalk"], "stepId": ids["step"]},
        "move_conversation": on_talk | {"destStepId": ids["step"]},
        "list_scenario_conversations": {"scenarioId": ids["scenario"]},
        "remove_conversation_from_scenario": on_talk | {"scenarioId": ids["scenario"]},
        "get_crm_config": agent,
        "set_crm_config": agent | {"scenarioId": ids["scenario"]},
        "list_conversation_logs": {},
        "create_conversation_log": on_talk
        | {"scenarioId": ids["scenario"], "stepId": ids["step"], "status": "inactive"},
        "get_conversation_log": {"logId": ids["log"]},
        "update_conversation_log": {"logId": ids["log"], "status": "active"},
        "delete_conversation_log": {"logId": ids["log"]},
        "create_datastore": {"type": "qdrant"},
        "update_datastore": {"id": ids["datastore"], "description": "All manuals."},
        "delete_datastore": {"id": ids["datastore"]},
        "get_datastore": {"id": ids["datastore"]},
        "list_datastores": {},
        "page_datastores": {},
        "create_datasource": {"datastoreId": ids["datastore"], "name": "two.txt", "text": "Turn it off."},
        "list_datasources": {"datastoreId": ids["datastore"]},
        "get_datasource": {"id": ids["datasource"]},
        "synch_datasource": {"id": ids["datasource"]},
        "query_datastore": {"id": ids["datastore"], "query": "How do I turn it on?"},
        "read_document": {"documentId": ids["document"]},
        "delete_datasource": {"id": ids["datasource"]},
        "list_conversations": {},
        "get_conversation": on_talk,
        "follow_conversation": on_talk,
        "update_conversation": on_talk | {"metadata": {"order": 1}},
        "export_conversations": {},
        "export_conversation": on_talk,
        "delete_conversation": on_talk,
        "set_ai_enabled": on_talk | {"enabled": True},
        "set_conversation_status": on_talk | {"status": "RESOLVED"},
        "set_conversation_priority": on_talk | {"priority": "HIGH"},
        "set_conversation_blocked": on_talk | {"blocked": False},
        "assign_conversation": on_talk | {"email": "bia@example.com"},
        "unassign_conversation": on_talk,
        "list_messages": on_talk | {"count": 2},
        "get_message": {"messageId": ids["message"]},
        "get_turn_trace": {"messageId": ids["message"]},
        "send_message": {"type": "conversationId", "value": ids["conversation"], "message": "Hello."},
        "register_message": on_talk | {"message": "Hello."},
        "receive_message": on_talk | {"message": "Hello."},
        "rate_answer": {"messageId": ids["message"], "eval": "good"},
        "rate_conversation": on_talk | {"rating": 9, "comment": "Quick."},
        "capture_visitor": agent | on_talk | {"visitorEmail": "zoe@x.example"},
        "create_channel": on_agent | {"name": "Counter", "config": a_provider()},
        "list_channels": on_agent,
        "get_channel": on_channel,
        "update_channel": on_channel | {"name": "The shop"},
        "renew_channel_token": on_channel,
        "delete_channel": on_channel,
        "list_arrivals": on_channel,
        "retry_arrival": on_channel | {"arrivalId": ids["arrival"]},
        "list_deliveries": {},
        "get_delivery": {"deliveryId": ids["delivery"]},
        "redeliver": {"deliveryId": ids["delivery"]},
        "get_webhook_status": agent,
        "resume_webhook": agent,
        "schedule_follow_up": on_talk | a_follow_up(),
        "list_follow_ups": on_talk,
        "remove_follow_up": on_talk | {"tag": "visit"},
        "list_approvals": {},
        "answer_approval": {"id": ids["approval"], "approved": False},
        "list_notes": on_talk,
        "create_note": on_talk | {"note": "Call again."},
        "update_note": on_note | {"note": "Called back."},
        "delete_note": on_note,
        "set_variable": on_size | {"varValue": "XL"},
        "list_variables": on_talk,
        "get_variable": on_size,
        "delete_variable": on_size,
        "list_tags": {},
        "create_tag": {"name": "late", "color": "#f00"},
        "delete_tag": {"name": ids["tag"]},
        "list_conversation_tags": on_talk,
        "tag_conversation": on_talk | {"tagName": "late"},
        "untag_conversation": on_talk | {"tagName": ids["tag"]},
        "list_contacts": {},
        "get_contact": on_contact,
        "save_contact": {"id": ids["contact"], "firstName": "Bia"},
        "update_contact": on_contact | {"firstName": "Bia"},
        "create_contacts": {"contacts": [{"email": "new@example.com"}]},
        "import_contacts": {"csv": "email\nnew@example.com\n"},
        "export_contacts": {},
        "merge_contacts": on_contact | {"otherIds": [ids["twin"]]},
        "delete_contacts": {"ids": [ids["gone"]]},
        "delete_contact": on_contact,
        "list_contact_variables": {"id": ids["contact"]},
        "set_contact_variable": {"id": ids["contact"], "key": "plan", "value": "gold"},
        "delete_contact_variables": {"id": ids["contact"]},
        "getDocumentation": {"docType": "tools"},
        "list_models": {},
        "set_provider": {"name": "openai", "apiKey": CANARY},
        "list_providers": {},
        "remove_provider": {"name": "openai"},
        "create_key": {"name": "phone"},
        "list_keys": {},
        "revoke_key": {"id": ids["key"]},
    }
    return {name: every[name] for name in sorted(every, key=_late)}


def a_follow_up() -> dict[str, Any]:
    """A message that is planned for a moment."""
    return {"tag": "visit", "msg": "See you.", "dtToSend": "2026-02-01 09:00:00"}


def a_provider(**more: Any) -> dict[str, Any]:
    """The settings of a channel with secrets in every place that can hold one."""
    return {"url": f"https://shop.example/in?token={CANARY}", "header": f"X-Any: {CANARY}", **more}


def an_agent(**more: Any) -> dict[str, Any]:
    """What every new agent needs."""
    known = {"name": "Ana", "description": "Answers.", "modelName": "gpt_4_o", "systemPrompt": "Be kind."}
    return {**known, **more}


def a_request(**more: Any) -> dict[str, Any]:
    """The settings of an HTTP tool with secrets in every place that can hold one."""
    return {
        "name": "Get order",
        "description": "Shows an order.",
        "url": f"https://api.example/{{shop}}/orders?access_token={CANARY}",
        "method": "POST",
        "headers": [{"key": "Authorization", "value": f"Bearer {CANARY}"}, {"key": "X-Any", "value": CANARY}],
        "pathVariables": [{"key": "shop", "isUserProvided": True}],
        "queryParameters": [{"key": "apiKey", "value": CANARY}],
        "body": [{"key": "password", "value": CANARY}],
        **more,
    }


def _late(name: str) -> int:
    return DELETES_LAST.index(name) if name in DELETES_LAST else -1
