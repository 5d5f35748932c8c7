"""A hosted account that answers badly is copied as far as it can be, and the rest is named."""

from __future__ import annotations

import pytest

from vivavoce.errors import NotAuthenticated
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.upkeep.moving_in.account import OutOfReach
from vivavoce.upkeep.moving_in.indexing import index_waiting

from .accounts import copied, numbers, said

from fake import hosting, says  # isort: skip  # found by way of accounts

AGENT = {
    "id": "cagent",
    "name": "Ana",
    "modelName": "gpt_4o",
    "tools": [],
    "createdAt": "2025-01-01T10:00:00Z",
}
TALK = {
    **{"id": "ctalk", "agentId": "cagent", "channel": "whatsapp", "status": "UNRESOLVED", "priority": "LOW"},
    **{"isAiEnabled": True, "createdAt": "2025-02-01T10:00:00Z", "updatedAt": "2025-02-01T10:00:00Z"},
}
EMPTY = {"data": [], "pagination": {"total": 0, "offset": 0, "limit": 100, "count": 0}}


def said_by(text, number, **more):
    at = f"2025-02-01T10:00:{number:02}Z"
    return {
        "id": f"m{number}",
        "text": text,
        "from": "human",
        "conversationId": "ctalk",
        "createdAt": at,
        **more,
    }


def page(*rows):
    return says(200, {"data": list(rows), "pagination": {**EMPTY["pagination"], "total": len(rows)}})


def in_turn(*replies):
    """One reply after the other, the last one again and again."""
    left = list(replies)

    async def reply(writer):
        await (left.pop(0) if len(left) > 1 else left[0])(writer)

    return reply


def account(agents=(AGENT,), talks=(), **routes):
    """The routes of an account, which has what is given and nothing else."""
    known = {
        "GET /agents": says(200, list(agents)),
        "GET /crm/scenario": says(200, []),
        "GET /datastores/list": says(200, EMPTY),
        "GET /contacts": says(200, {"contacts": [], "count": 0}),
        "GET /crm/conversationLog": says(200, {**EMPTY, "pagination": {}}),
        "GET /conversation": in_turn(says(200, list(talks)), says(200, [])),
        **{f"GET /agents/{agent['id']}": says(200, agent) for agent in agents if "id" in agent},
        **{f"GET /agent-blacklist/{agent['id']}": says(200, []) for agent in agents if "id" in agent},
        **{
            f"GET /agent-whitelist-whatsapp/{agent['id']}": says(200, []) for agent in agents if "id" in agent
        },
    }
    for talk in talks:
        known[f"GET /conversation/{talk['id']}/messages/10000"] = says(200, {"messages": []})
        known[f"GET /conversations/{talk['id']}/notes"] = says(200, [])
    return known | {name.replace("__", " "): reply for name, reply in routes.items()}


@pytest.fixture
async def fake():
    async with hosting(says(404, {"error": "NOT_FOUND"})) as fake:
        yield fake


async def here(app, operation, /, **arguments):
    result = await app.backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)
    return result.model_dump(mode="json")


async def test_what_cannot_be_read_does_not_keep_the_rest_out(app, fake):
    fake.routes = account(agents=[{**AGENT, "id": "cbroken"}, AGENT])
    fake.routes["GET /agents/cbroken"] = says(500, {"error": "boom"})

    report = await copied(app, fake.backend)

    assert numbers(report, "added") == {"agents": 1}
    assert [(each.kind, each.id) for each in report.remarks] == [("agents", "cbroken")]
    assert "500" in report.remarks[0].reason


async def test_what_could_not_be_read_comes_with_the_next_copy(app, fake):
    fake.routes = account(talks=[TALK])
    fake.routes["GET /agents/cagent"] = says(500, {"error": "boom"})
    first = await copied(app, fake.backend)
    fake.routes = account(talks=[TALK])

    second = await copied(app, fake.backend)

    assert said(first, "conversations") == ["agentId: cagent is not here"]
    assert numbers(second, "added") == {"agents": 1}
    assert numbers(second, "updated") == {"conversations": 1}
    assert (await here(app, "get_conversation", conversationId="ctalk"))["agentId"] == "cagent"


async def test_too_many_calls_are_waited_out(app, fake):
    limited = says(429, {"error": "RATE_LIMIT"}, retry_after="120")
    fake.routes = account()
    fake.routes["GET /agents"] = in_turn(limited, limited, says(200, [AGENT]))
    waited = []

    report = await copied(app, fake.backend, waited)

    assert waited == [120, 120]
    assert numbers(report, "added") == {"agents": 1}


async def test_an_account_that_takes_no_more_calls_ends_the_copy(app, fake):
    fake.routes = account()
    fake.routes["GET /contacts"] = says(429, {"error": "RATE_LIMIT"}, retry_after="900")
    waited = []

    with pytest.raises(OutOfReach, match="goes on where it was"):
        await copied(app, fake.backend, waited)

    assert max(waited) == 600
    assert (await here(app, "get_agent", id="cagent"))["name"] == "Ana"


async def test_a_copy_that_was_broken_off_does_not_ask_again_for_what_it_has(app, fake):
    fake.routes = account(talks=[TALK])
    fake.routes["GET /contacts"] = says(429, {"error": "RATE_LIMIT"}, retry_after="900")
    with pytest.raises(OutOfReach):
        await copied(app, fake.backend)
    fake.requests.clear()
    fake.routes = account(talks=[TALK])

    report = await copied(app, fake.backend)

    assert "GET /agents/cagent" not in fake.calls
    assert numbers(report, "unchanged") == {"agents": 1}
    assert numbers(report, "added") == {"conversations": 1}


async def test_a_copy_that_was_broken_off_long_ago_is_begun_anew(app, fake, clock):
    fake.routes = account()
    fake.routes["GET /contacts"] = says(429, {"error": "RATE_LIMIT"}, retry_after="900")
    with pytest.raises(OutOfReach):
        await copied(app, fake.backend)
    fake.requests.clear()
    clock.advance(days=2)
    fake.routes = account()

    await copied(app, fake.backend)

    assert "GET /agents/cagent" in fake.calls


async def test_a_copy_that_came_to_its_end_is_followed_by_one_that_looks_at_everything(app, fake):
    fake.routes = account()
    await copied(app, fake.backend)
    fake.requests.clear()

    await copied(app, fake.backend)

    assert "GET /agents/cagent" in fake.calls


async def test_an_account_that_is_gone_ends_the_copy(app, fake):
    agents = [{**AGENT, "id": f"c{number}"} for number in range(12)]
    fake.routes = account(agents=agents)
    for agent in agents:
        fake.routes[f"GET /agents/{agent['id']}"] = says(500, {"error": "boom"})
    fake.routes["GET /agents"] = in_turn(says(200, agents), says(500, {"error": "boom"}))

    with pytest.raises(OutOfReach):
        await copied(app, fake.backend)


async def test_many_broken_things_in_a_row_do_not_end_it_as_long_as_the_account_answers(app, fake):
    agents = [{**AGENT, "id": f"c{number}"} for number in range(12)]
    fake.routes = account(agents=agents)
    for agent in agents[:-1]:
        fake.routes[f"GET /agents/{agent['id']}"] = says(500, {"error": "boom"})

    report = await copied(app, fake.backend)

    assert numbers(report, "failed") == {"agents": 11}
    assert numbers(report, "added") == {"agents": 1}


async def test_a_key_that_is_refused_ends_it_before_anything_is_stored(app, fake):
    fake.routes = account()
    fake.routes["GET /agents"] = says(403, {"error": "UNAUTHORIZED"})

    with pytest.raises(NotAuthenticated):
        await copied(app, fake.backend)


async def test_a_list_that_is_a_web_page_is_named_and_the_others_are_copied(app, fake):
    fake.routes = account(talks=[TALK])
    fake.routes["GET /contacts"] = says(200, "<html>Maintenance</html>")

    report = await copied(app, fake.backend)

    assert numbers(report, "failed") == {"contacts": 1}
    assert said(report, "contacts")[0].startswith("the list could not be read: ")
    assert numbers(report, "added") == {"agents": 1, "conversations": 1}


async def test_one_row_that_cannot_be_read_leaves_the_others_of_the_list(app, fake):
    fake.routes = account()
    contacts = [
        {"email": "a@example.com"},
        {"id": "cbo", "email": "", "metadata": None},
        {"id": "ccy", "email": 7},
    ]
    fake.routes["GET /contacts"] = in_turn(
        says(200, {"contacts": contacts, "count": 3}), says(200, {"contacts": [], "count": 3})
    )

    report = await copied(app, fake.backend)

    assert numbers(report, "added") == {"agents": 1, "contacts": 2}
    assert [(each.kind, each.id) for each in report.remarks] == [("contacts", "")]


async def test_a_list_that_begins_anew_for_ever_comes_to_an_end(app, fake):
    talks = [{**TALK, "id": f"c{number}"} for number in range(100)]
    fake.routes = account(talks=talks)
    fake.routes["GET /conversation"] = says(200, talks)

    report = await copied(app, fake.backend)

    assert numbers(report, "added") == {"agents": 1, "conversations": 100}
    assert said(report, "conversations") == [
        "The list begins anew after 100 of them: if there are more, they were not read."
    ]
    asked = [call for call in fake.calls if call.startswith("GET /conversation?")]
    assert len(asked) == 2
    assert "lastId" in asked[1]


async def test_what_belonged_to_something_deleted_here_stays_deleted_with_it(app, fake):
    tool = {"id": "ct1", "type": "request_human", "config": {}}
    fake.routes = account(agents=[{**AGENT, "tools": [tool]}], talks=[TALK])
    await copied(app, fake.backend)
    await here(app, "delete_agent", id="cagent")
    fake.routes = account(agents=[{**AGENT, "tools": [tool]}], talks=[TALK])

    report = await copied(app, fake.backend)

    assert numbers(report, "kept") == {"agents": 1, "tools": 1, "conversations": 1}
    assert numbers(report, "failed") == numbers(report, "added") == {}


async def test_a_tool_that_is_not_known_here_is_kept_and_does_nothing(app, fake):
    tools = [
        {"id": "ct1", "type": "voice", "config": {"pitch": 0}},
        {"id": "ct2", "type": "http", "config": {"name": "Odd", "url": 7}},
        {"id": "ct3", "type": "datastore", "datastoreId": "cnowhere"},
    ]
    fake.routes = account(agents=[{**AGENT, "tools": tools}])

    report = await copied(app, fake.backend)

    kept = (await here(app, "get_agent", id="cagent"))["tools"]
    assert [(tool["id"], tool["type"]) for tool in kept] == [("ct1", "api_tool"), ("ct2", "api_tool")]
    assert kept[0]["config"] == {"pitch": 0, "importedType": "voice"}
    unknown, odd, lost = said(report, "tools")
    assert unknown == "its type 'voice' is not known here: it is kept, but does nothing"
    assert odd.startswith("it is kept, but does nothing: config")
    assert lost == "its datastore cnowhere was not copied"


async def test_a_datasource_without_its_text_is_here_and_says_what_to_do(app, fake):
    sources = [
        {"id": "cs1", "name": "manual.pdf", "type": "file", "status": "synched", "config": {}},
        {
            "id": "cs2",
            "name": "page",
            "type": "web_page",
            "status": "synched",
            "config": {"source_url": "https://a.example/"},
        },
        {
            "id": "cs3",
            "name": "site",
            "type": "web_site",
            "status": "synched",
            "config": {"source_url": "https://a.example/"},
        },
    ]
    fake.routes = account()
    fake.routes["GET /datastores/list"] = in_turn(
        page({"id": "cd", "name": "Manuals", "type": "qdrant"}), page()
    )
    fake.routes["GET /datasources/list"] = in_turn(page(*sources), page())
    for source in sources:
        fake.routes[f"GET /datasources/{source['id']}"] = says(200, source)

    report = await copied(app, fake.backend)

    assert said(report, "datasources") == ["the account does not give its text"] * 2
    stored = {each["id"]: each for each in (await here(app, "get_datastore", id="cd"))["datasources"]}
    assert [stored[id]["status"] for id in ("cs1", "cs2", "cs3")] == ["error", "error", "synched"]
    assert "synch_datasource" in stored["cs2"]["error"]


async def test_the_text_of_a_web_page_is_kept_without_asking_the_web(app, fake):
    source = {"id": "cs", "name": "p", "type": "web_page", "config": {"source_url": "https://a.example/"}}
    fake.routes = account()
    fake.routes["GET /datastores/list"] = in_turn(
        page({"id": "cd", "name": "Pages", "type": "qdrant"}), page()
    )
    fake.routes["GET /datasources/list"] = in_turn(page(source), page())
    fake.routes["GET /datasources/cs"] = says(200, {**source, "text": "The mill was built in 1742."})
    await copied(app, fake.backend)

    assert await index_waiting(app, lambda done, total: None) == []

    assert "GET /datasources/cs?idstore=cd" in fake.calls
    assert (await here(app, "get_datasource", id="cs"))["status"] == "synched"
    found = (await here(app, "query_datastore", id="cd", query="mill built"))["chunks"]
    assert [chunk["source"] for chunk in found] == ["https://a.example/"]


async def test_messages_come_in_order_once_and_without_those_that_cannot_be_read(app, fake):
    fake.routes = account(talks=[TALK])
    messages = [
        said_by("third", 3),
        said_by("first", 1),
        {"text": "no id"},
        said_by("second", 2),
        said_by("first", 1),
    ]
    fake.routes["GET /conversation/ctalk/messages/10000"] = says(200, {"messages": messages})

    report = await copied(app, fake.backend)

    stored = (await here(app, "list_messages", conversationId="ctalk", count=9))["messages"]
    assert [message["text"] for message in stored] == ["first", "second", "third"]
    assert said(report, "conversations") == ["1 of its messages cannot be read"]


async def test_more_messages_than_one_transaction_takes_are_all_there(app, fake):
    fake.routes = account(talks=[TALK])
    messages = [said_by(str(number), number % 60, id=f"m{number}") for number in range(1_203)]
    fake.routes["GET /conversation/ctalk/messages/10000"] = says(200, {"messages": messages})

    report = await copied(app, fake.backend)

    stored = (await here(app, "list_messages", conversationId="ctalk", count=10_000))["messages"]
    assert len(stored) == 1_203
    assert numbers(report, "added")["messages"] == 1_203


async def test_messages_that_are_too_many_for_one_answer_are_asked_for_in_part(app, fake):
    fake.routes = account(talks=[TALK])
    fake.routes["GET /conversation/ctalk/messages/10000"] = says(500, {"error": "too much"})
    fake.routes["GET /conversation/ctalk/messages/500"] = says(200, {"messages": [said_by("hello", 1)]})

    report = await copied(app, fake.backend)

    assert numbers(report, "added") == {"agents": 1, "conversations": 1, "messages": 1}


async def test_what_breaks_a_rule_of_ours_is_cut_or_left_out_and_named(app, fake):
    talk = {**TALK, "channel": "fax", "title": "t" * 300, "tags": [{"tag": "x" * 40}, {"tag": "vip"}]}
    talk["conversationVariables"] = [{"conversationId": "ctalk", "varName": "o", "varValue": "v" * 200}]
    fake.routes = account(agents=[{**AGENT, "temperature": 1.7, "handle": "no way"}], talks=[talk])

    report = await copied(app, fake.backend)

    stored = await here(app, "get_conversation", conversationId="ctalk")
    assert (stored["channel"], len(stored["title"]), stored["tags"]) == ("api", 200, [{"tag": "vip"}])
    assert len(stored["conversationVariables"][0]["varValue"]) == 100
    assert "channel: 'fax' is not known here" in said(report, "conversations")
    assert [text.partition(":")[0] for text in said(report, "agents")] == ["temperature", "handle"]
    assert numbers(report, "failed") == {}


async def test_where_a_conversation_stands_is_known_without_logs(app, fake):
    link = {"id": "clink", "available": True, "scenario": {"id": "csc", "name": "S"}, "step": {"id": "cst"}}
    fake.routes = account(talks=[{**TALK, "crmScenarioConversations": [link]}])
    fake.routes["GET /crm/scenario"] = says(200, [{"id": "csc", "name": "Sales"}])
    fake.routes["GET /crm/step"] = says(200, [{"id": "cst", "name": "New", "index": 0, "scenarioId": "csc"}])

    await copied(app, fake.backend)

    placed = (await here(app, "list_scenario_conversations", scenarioId="csc"))["placements"]
    assert [(each["id"], each["conversationId"], each["stepId"]) for each in placed] == [
        ("clink", "ctalk", "cst")
    ]


async def test_a_conversation_on_a_channel_has_no_way_out(app, fake):
    fake.routes = account(talks=[{**TALK, "channelExternalId": "4712345", "channelCredentialsId": "cwhats"}])

    await copied(app, fake.backend)

    stored = await app.ports.store.read(lambda tables: tables.conversations.find("ctalk"))
    assert (stored.channel_external_id, stored.channel_credentials_id) == ("4712345", None)
    assert not stored.is_for_ai


async def test_facts_about_contacts_are_not_asked_for_in_vain_for_ever(app, fake):
    fake.routes = account()
    contacts = [{"id": f"cc{number}"} for number in range(30)]
    fake.routes["GET /contacts"] = in_turn(
        says(200, {"contacts": contacts, "count": 30}), says(200, {"contacts": [], "count": 30})
    )
    fake.routes["GET /contacts/variables"] = says(501, {"error": "NOT_IMPLEMENTED"})

    report = await copied(app, fake.backend)

    assert numbers(report, "added")["contacts"] == 30
    assert len([call for call in fake.calls if "/contacts/variables" in call]) <= 8
    assert len(said(report, "contacts")) == 30
