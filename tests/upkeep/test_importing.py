"""A hosted account is copied: as a whole, inert, once, and followed where nobody changed the copy."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.upkeep.moving_in.indexing import index_waiting
from vivavoce.upkeep.moving_in.settling import CHANGED, GONE, TAKEN

from .accounts import SECRET, Filled, copied, fill, numbers, said, stored

from serving import key_for, served, settings_in  # isort: skip  # found by way of accounts

EVERYTHING = {
    **{"scenarios": 1, "datastores": 1, "datasources": 2, "agents": 1, "tools": 4, "steps": 2},
    **{"contacts": 1, "conversations": 1, "messages": 3, "notes": 1, "crm_logs": 1},
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """A folder with the workspace that stands for the account, its key and the ids in it."""
    folder = tmp_path_factory.mktemp("account")
    settings = settings_in(folder)
    ids = asyncio.run(fill(settings))
    return folder, key_for(settings, "read", "write", "send", "admin").key, ids


@pytest.fixture
def account(prepared, tmp_path_factory):
    """The account, served for one test alone."""
    folder, key, ids = prepared
    mine = tmp_path_factory.mktemp("served")
    shutil.copytree(folder, mine, dirs_exist_ok=True)
    with served(settings_in(mine)) as address:
        yield Filled(address, key, ids)


@pytest.fixture
async def hosted(account):
    """What calls the account."""
    backend = account.backend()
    yield backend
    await backend.close()


async def here(app, operation, /, **arguments):
    result = await app.backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)
    return result.model_dump(mode="json")


def same(mine, theirs, *names):
    assert {name: mine[name] for name in names} == {name: theirs[name] for name in names}


async def test_everything_that_the_account_has_is_here_under_the_same_ids(app, account, hosted):
    report = await copied(app, hosted)

    assert numbers(report, "added") == EVERYTHING
    assert numbers(report, "failed") == numbers(report, "kept") == {}
    ids = account.ids
    agent = await here(app, "get_agent", id="@ana")
    theirs = (await account.change("get_agent", id=ids["agent"])).model_dump(mode="json")
    same(agent, theirs, "id", "name", "systemPrompt", "modelName", "temperature", "description", "createdAt")
    assert [(tool["id"], tool["type"]) for tool in agent["tools"]] == [
        (tool["id"], tool["type"]) for tool in theirs["tools"]
    ]
    steps = (await here(app, "list_crm_steps", scenarioId=ids["scenario"]))["steps"]
    assert [(step["id"], step["index"], step["agentId"]) for step in steps] == [
        (ids["first"], 0, ids["agent"]),
        (ids["second"], 1, None),
    ]
    assert steps[0]["autoNextStepId"] == ids["second"]
    assert steps[0]["autoNextTime"] == 1


async def test_a_conversation_comes_with_what_was_said_and_kept_in_it(app, account, hosted):
    await copied(app, hosted)

    talk = {"conversationId": "talk-1"}
    mine, theirs = [
        (await call("get_conversation", **talk))
        for call in (lambda *a, **k: here(app, *a, **k), account.change)
    ]
    theirs = theirs.model_dump(mode="json")
    same(mine, theirs, "status", "priority", "channel", "isAiEnabled", "tags", "visitorId", "createdAt")
    assert [(each["varName"], each["varValue"]) for each in mine["conversationVariables"]] == [("order", "0")]
    assert [each["id"] for each in mine["participantsContacts"]] == [account.ids["contact"]]
    messages = (await here(app, "list_messages", **talk, count=10))["messages"]
    there = (await account.change("list_messages", **talk, count=10)).model_dump(mode="json")["messages"]
    assert [(each["id"], each["from"], each["text"], each["createdAt"]) for each in messages] == [
        (each["id"], each["from"], each["text"], each["createdAt"]) for each in there
    ]
    notes = (await here(app, "list_notes", **talk))["notes"]
    assert [note["note"] for note in notes] == ["Call back on Monday."]
    facts = await here(app, "list_contact_variables", id=account.ids["contact"])
    assert facts["variables"] == {"size": {"shoe": 41}, "_sources": {"size": "ai"}}
    placed = await here(app, "list_scenario_conversations", scenarioId=account.ids["scenario"])
    assert [(each["conversationId"], each["stepId"], each["movesAt"]) for each in placed["placements"]] == [
        ("talk-1", account.ids["first"], None)
    ]
    assert [tag["name"] for tag in (await here(app, "list_tags"))["tags"]] == ["vip"]


async def test_texts_can_be_searched_once_they_are_indexed(app, account, hosted):
    await copied(app, hosted)

    assert await index_waiting(app, lambda done, total: None) == []
    found = await here(app, "query_datastore", id=account.ids["datastore"], query="old bridge built")
    assert "1823" in found["chunks"][0]["text"]
    assert found["chunks"][0]["datasource_id"] == account.ids["text"]
    asked = await here(app, "query_datastore", id=account.ids["datastore"], query="shop opens nine")
    assert asked["chunks"][0]["datasource_id"] == account.ids["qa"]


async def test_what_is_copied_does_nothing_by_itself_and_has_no_secret(app, account, hosted):
    report = await copied(app, hosted)

    assert SECRET not in "\n".join(stored(app))
    assert account.key not in "\n".join(stored(app, apart="none"))
    for table in ("jobs", "turns", "deliveries", "events", "follow_ups", "integrations", "accounts"):
        assert not [line for line in stored(app) if f'INSERT INTO "{table}"' in line]
    endpoints = await app.ports.store.read(lambda tables: tables.endpoints.where())
    assert {each.id for each in endpoints} == {account.ids["agent"], account.ids["second"]}
    assert all(each.paused_at is not None for each in endpoints)
    assert "its secrets are blank: write them again" in said(report, "tools")
    assert "tools of type lead_capture are kept, but do nothing here" in said(report, "tools")


async def test_a_second_copy_changes_nothing(app, hosted):
    await copied(app, hosted)
    before = stored(app)

    report = await copied(app, hosted)

    assert stored(app) == before
    assert numbers(report, "unchanged") == {name: n for name, n in EVERYTHING.items() if name != "messages"}
    assert numbers(report, "added") == numbers(report, "updated") == {}


async def test_a_dry_run_says_what_a_copy_does_and_stores_nothing(app, hosted):
    before = stored(app, apart="none")

    dry = await copied(app, hosted, is_dry=True)

    assert stored(app, apart="none") == before
    real = await copied(app, hosted)
    assert dry.counts == real.counts
    assert dry.remarks == real.remarks


async def test_what_changed_there_is_followed(app, account, hosted):
    await copied(app, hosted)
    ids = account.ids
    await account.change("update_agent", id=ids["agent"], systemPrompt="Be brief.")
    await account.change("save_contact", id=ids["contact"], lastName="Berg")
    await account.change("update_crm_step", id=ids["second"], name="Bid", initialMessage=None)
    await account.change(
        "create_datasource",
        **{"id": ids["qa"], "datastoreId": ids["datastore"], "name": "q", "text": "", "type": "qa"},
        config={"question": "When does the shop open?", "answer": "The shop opens at noon."},
    )
    await account.change("register_message", conversationId="talk-1", message="One more thing.")

    report = await copied(app, hosted)

    updated = {"agents": 1, "contacts": 1, "steps": 1, "datasources": 1, "conversations": 1}
    assert numbers(report, "updated") == updated
    assert numbers(report, "added") == {"messages": 1}
    assert numbers(report, "kept") == {}
    assert (await here(app, "get_agent", id=ids["agent"]))["systemPrompt"] == "Be brief."
    assert (await here(app, "get_contact", contactId=ids["contact"]))["lastName"] == "Berg"
    steps = (await here(app, "list_crm_steps", scenarioId=ids["scenario"]))["steps"]
    assert (steps[1]["name"], steps[1]["initialMessage"]) == ("Bid", None)
    last = (await here(app, "list_messages", conversationId="talk-1", count=1))["messages"]
    assert last[0]["text"] == "One more thing."
    await index_waiting(app, lambda done, total: None)
    assert (await here(app, "get_datasource", id=ids["qa"]))["text"].endswith("The shop opens at noon.")


async def test_what_was_changed_here_stays_and_is_reported_once_it_changes_there(app, account, hosted):
    await copied(app, hosted)
    await here(app, "update_agent", id=account.ids["agent"], systemPrompt="Mine.")
    untouched = await copied(app, hosted)
    await account.change("update_agent", id=account.ids["agent"], systemPrompt="Theirs.")

    report = await copied(app, hosted)

    assert numbers(untouched, "kept") == {}
    assert numbers(report, "kept") == {"agents": 1}
    assert said(report, "agents") == [CHANGED]
    assert (await here(app, "get_agent", id=account.ids["agent"]))["systemPrompt"] == "Mine."


async def test_a_secret_that_was_written_here_is_not_lost(app, account, hosted):
    await copied(app, hosted)
    tool = {"agentId": account.ids["agent"], "toolId": account.ids["http tool"]}
    config = (await here(app, "get_agent_tool", **tool))["config"]
    config["headers"][0]["value"] = "mine"
    await here(app, "update_agent_tool", **tool, config=config)
    theirs = (await account.change("get_agent_tool", **tool)).config
    await account.change("update_agent_tool", **tool, config={**theirs, "description": "Changed."})

    report = await copied(app, hosted)

    assert said(report, "tools") == [CHANGED]
    stored = await app.ports.store.read(lambda tables: tables.tools.find(account.ids["http tool"]))
    assert list(stored.secrets.values()) == ["mine"]


async def test_a_webhook_that_was_resumed_is_paused_again_only_where_it_leads_elsewhere(app, account, hosted):
    async def is_paused():
        return (await here(app, "get_webhook_status", id=account.ids["agent"]))["isPaused"]

    await copied(app, hosted)
    assert await is_paused()
    await here(app, "resume_webhook", id=account.ids["agent"])
    await account.change("update_agent", id=account.ids["agent"], systemPrompt="Be brief.")
    await copied(app, hosted)
    assert not await is_paused()

    elsewhere = {"url_webhook_external": "https://other.example/x", "headerKey": "new"}
    await account.change("update_agent", id=account.ids["agent"], configUrlInfosSystemExternal=elsewhere)
    await copied(app, hosted)

    assert await is_paused()


async def test_a_conversation_that_went_on_here_stays_as_it_is(app, account, hosted):
    await copied(app, hosted)
    await here(app, "register_message", conversationId="talk-1", message="Said here.")
    await account.change("register_message", conversationId="talk-1", message="Said there.")

    report = await copied(app, hosted)

    assert said(report, "conversations") == [CHANGED]
    texts = [
        each["text"]
        for each in (await here(app, "list_messages", conversationId="talk-1", count=9))["messages"]
    ]
    assert texts[-1] == "Said here."
    assert "Said there." not in texts


async def test_what_was_deleted_here_stays_deleted(app, account, hosted):
    await copied(app, hosted)
    await here(app, "delete_contact", contactId=account.ids["contact"])

    report = await copied(app, hosted)

    assert said(report, "contacts") == [GONE]
    assert (await here(app, "list_contacts"))["count"] == 0


async def test_a_conversation_that_moved_there_moves_here_and_nothing_is_said(app, account, hosted):
    await copied(app, hosted)
    await account.change("move_conversation", conversationId="talk-1", destStepId=account.ids["second"])
    dry = await copied(app, hosted, is_dry=True)

    report = await copied(app, hosted)

    assert dry.counts == report.counts
    assert numbers(report, "failed") == numbers(report, "kept") == {}
    placed = await here(app, "list_scenario_conversations", scenarioId=account.ids["scenario"])
    assert [each["stepId"] for each in placed["placements"]] == [account.ids["second"]]
    logs = (await here(app, "list_conversation_logs", conversationId="talk-1"))["data"]
    assert [log["status"] for log in logs] == ["active", "inactive"]
    assert not [
        line for line in stored(app) if 'INSERT INTO "jobs"' in line or 'INSERT INTO "events"' in line
    ]


async def test_whom_an_agent_may_not_answer_comes_along(app, account, hosted):
    agent = account.ids["agent"]
    await account.change("add_to_blacklist", agentId=agent, userIdentify=["mo@example.com", "4755555"])
    await account.change("add_to_whitelist", agentId=agent, whatsappNumber="+47 123 45")

    report = await copied(app, hosted)

    assert numbers(report, "added")["access"] == 3
    kept_out = (await here(app, "list_agent_blacklist", agentId=agent))["entries"]
    theirs = (await account.change("list_agent_blacklist", agentId=agent)).entries
    assert {each["id"] for each in kept_out} == {each.id for each in theirs}
    let_in = (await here(app, "list_agent_whitelist", agentId=agent))["entries"]
    assert [each["whatsappNumber"] for each in let_in] == ["+47 123 45"]
    again = await copied(app, hosted)
    assert numbers(again, "unchanged")["access"] == 3


async def test_an_id_that_something_else_has_here_is_left_alone(app, account, hosted):
    mine = await here(app, "create_datastore", type="qdrant", name="Mine")
    await here(
        app,
        "create_datasource",
        **{"id": account.ids["text"], "datastoreId": mine["id"], "name": "mine.txt", "text": "My own."},
    )

    report = await copied(app, hosted)

    assert said(report, "datasources") == [TAKEN]
    assert (await here(app, "get_datasource", id=account.ids["text"]))["text"] == "My own."
    assert numbers(report, "added")["datasources"] == 1


async def test_someone_who_is_known_here_already_stands_for_the_contact(app, account, hosted):
    known = await here(app, "save_contact", email="bo@example.com", firstName="Bodil")

    report = await copied(app, hosted)

    assert said(report, "contacts") == [
        f"contact {known['id']} has the same e-mail address here, and stays as it is"
    ]
    talk = await here(app, "get_conversation", conversationId="talk-1")
    assert [each["firstName"] for each in talk["participantsContacts"]] == ["Bodil"]


async def test_a_handle_that_is_taken_here_is_left_out(app, account, hosted):
    fields = {"name": "A", "description": "", "modelName": "m", "systemPrompt": ""}
    await here(app, "create_agent", **fields, handle="ana")

    report = await copied(app, hosted)

    assert "handle: another agent is called @ana here" in said(report, "agents")
    assert (await here(app, "get_agent", id=account.ids["agent"]))["handle"] is None


async def test_what_is_copied_can_be_used_at_once(app, account, hosted):
    await copied(app, hosted)
    await index_waiting(app, lambda done, total: None)

    asked = {"id": account.ids["agent"], "query": "Hello?", "conversationId": "talk-1"}
    answer = await here(app, "agent_query", **asked)

    assert answer["conversationId"] == "talk-1"
