"""Avatars over HTTP: a server for each, keys for one avatar, and what strangers may do."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from avatar import ID, TEXT, config, kept_in
from doors import run_command
from serving import key_for, mcp_over_http, served, settings_in
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from vivavoce.app import open_app
from vivavoce.operations import CATALOGUE, OPERATOR, STRANGER, Caller, Scope
from vivavoce.operations.avatars import CreateAvatar
from vivavoce.operations.keys import CreateKey
from vivavoce.surfaces.auth import CALLER
from vivavoce.surfaces.avatars import AvatarServers
from vivavoce.surfaces.http import application
from vivavoce.surfaces.strangers import Buckets, StrangersLimited

OPEN, OTHER = "ada-lovelace", "someone-else"
MCP = f"/avatars/{ID}/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"accept": "application/json, text/event-stream"}
WELL_KNOWN = "/.well-known/oauth-protected-resource"


def key_of(settings, avatar_id, *scopes):
    """A new key that is for one avatar."""

    async def made():
        async with open_app(settings) as app:
            wanted = {"name": f"for {avatar_id}", "scopes": list(scopes), "avatarId": avatar_id}
            return await app.backend.run(CreateKey.parse(wanted), OPERATOR)

    return asyncio.run(made()).key


def old_key_of(settings, avatar_id):
    """A key for one avatar with every scope, as they could be made once."""
    made = key_for(settings, *Scope)

    def narrowed(tables):
        tables.keys.replace(tables.keys.find(made.id).model_copy(update={"avatar_id": avatar_id}))

    async def kept():
        async with open_app(settings) as app:
            await app.ports.store.write(narrowed)

    asyncio.run(kept())
    return made.key


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A workspace with a private, a public and another avatar."""
    settings = settings_in(tmp_path_factory.mktemp("avatars"))
    kept_in(settings)
    kept_in(settings, id=OPEN, is_public=True, mcp={"name": "ada", "version": "2.0.0"})
    kept_in(settings, id=OTHER)
    return settings


@pytest.fixture(scope="module")
def keys(shared):
    """Keys for everything, and keys for one avatar."""
    return {
        "all": key_for(shared, *Scope).key,
        "reads": key_for(shared, "read").key,
        "its": key_of(shared, ID, "read", "send"),
        "its reads": key_of(shared, ID, "read"),
        "its all": old_key_of(shared, ID),
        "other": key_of(shared, OTHER, "read", "send"),
    }


@pytest.fixture(scope="module")
def client(shared, keys):
    with TestClient(application(shared), base_url="http://127.0.0.1:8377") as client:
        yield client


@pytest.fixture(scope="module")
def address(shared, keys):
    with served(shared) as address:
        yield address


def bearing(key):
    return {"authorization": f"Bearer {key}"}


def asked(client, path, key=None, body=LIST):
    """What a client without a session is answered."""
    return client.post(path, json=body, headers=ACCEPT | (bearing(key) if key else {}))


# The endpoint


@pytest.mark.parametrize("key", ["all", "its"])
async def test_each_avatar_is_a_server_of_its_own(address, keys, era, key):
    async with mcp_over_http(f"{address}/avatars/{ID}", key=keys[key], mode=era) as client:
        name = client.server_info.name
        tools = [tool.name for tool in (await client.list_tools()).tools]
        found = await client.call_tool("query_corpus", {"query": "irrigation canals", "threshold": 0})

        asked = {"question": "What keeps a commons from being used up by everyone?"}
        said = (await client.call_tool("generate_response", asked)).structured_content

    assert name == "avatar-elinor-ostrom"
    assert [citation["quote"] in TEXT for citation in said["citations"]] == [True] * len(said["citations"])
    assert "boundaries" in said["response"]
    assert tools == ["query_corpus", "generate_response", "get_avatar_info"]
    assert found.structured_content["passages"][0]["content"] == TEXT


async def test_a_public_avatar_is_open_to_strangers_and_says_so_of_no_other(address, era):
    async with mcp_over_http(f"{address}/avatars/{OPEN}", mode=era) as client:
        assert (client.server_info.name, client.server_info.version) == ("ada", "2.0.0")
        assert len((await client.list_tools()).tools) == 3
        told = await client.call_tool("get_avatar_info", {})
        passed_on = await client.call_tool("get_avatar_info", {"avatarId": ID})

    assert told.structured_content["id"] == passed_on.structured_content["id"] == OPEN


def test_a_private_avatar_and_none_at_all_look_the_same_to_a_stranger(client):
    answers = [asked(client, f"/avatars/{id}/mcp") for id in (ID, "nobody", "Not A Slug")]

    assert {answer.status_code for answer in answers} == {401}
    assert len({answer.text for answer in answers}) == 1
    challenge = answers[0].headers["www-authenticate"]
    assert f'resource_metadata="http://127.0.0.1:8377{WELL_KNOWN}{MCP}"' in challenge
    assert 'scope="read send"' in challenge


def test_no_more_is_asked_for_at_an_avatar_than_a_key_for_it_can_have(client):
    assert client.get(WELL_KNOWN + MCP).json()["scopes_supported"] == ["read", "send"]
    assert client.get(WELL_KNOWN).json()["scopes_supported"] == ["read", "write", "send", "admin"]


def test_metadata_names_the_resource_that_was_asked_for(client):
    of_avatar = client.get(WELL_KNOWN + MCP).json()

    assert of_avatar["resource"] == f"http://127.0.0.1:8377{MCP}"
    assert client.get(WELL_KNOWN).json()["resource"] == "http://127.0.0.1:8377/mcp"
    assert client.get(WELL_KNOWN + "/mcp").json()["resource"] == "http://127.0.0.1:8377/mcp"


@pytest.mark.parametrize("id", ["nobody", "Not A Slug", "x" * 500])
def test_an_avatar_that_is_not_there_is_404_for_who_has_a_key(client, keys, id):
    answer = asked(client, f"/avatars/{id}/mcp", keys["all"])

    assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND")


def test_the_guide_is_made_by_the_first_request_with_a_key_and_by_no_stranger(tmp_path):
    settings = settings_in(tmp_path)
    key = key_for(settings, "read", "send").key
    question = {"name": "query_corpus", "arguments": {"query": "What happens if I lose the key file?"}}
    with TestClient(application(settings, works=False), base_url="http://127.0.0.1:8377") as client:
        turned_away = asked(client, "/avatars/guide/mcp")
        before = client.get("/avatars", headers=bearing(key)).json()

        answer = asked(client, "/avatars/guide/mcp", key, LIST | {"method": "tools/call", "params": question})

        after = client.get("/avatars", headers=bearing(key)).json()
    assert turned_away.status_code == 401
    assert before == []
    assert [each["id"] for each in after] == ["guide"]
    assert answer.status_code == 200
    assert "How to back up and restore" in answer.text


def test_only_post_is_served(client, keys):
    answers = [client.request(method, MCP, headers=bearing(keys["all"])) for method in ("GET", "DELETE")]

    assert {answer.status_code for answer in answers} == {405}


def test_a_body_that_is_no_message_is_refused(client, keys):
    answer = client.post(MCP, content=b"{", headers={**ACCEPT, **bearing(keys["all"])})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)


async def test_a_server_is_made_anew_when_its_configuration_changes_and_let_go_with_its_avatar(tmp_path):
    async with open_app(settings_in(tmp_path)) as app:

        async def run(name, /, **arguments):
            return await app.backend.run(CATALOGUE[name].parse(arguments), OPERATOR)

        servers = AvatarServers(app, kept=2)
        await run("create_avatar", config=config())
        first = servers.of(await servers.admitted(ID, OPERATOR))
        await run("update_avatar", id=ID, isPublic=True)
        same = servers.of(await servers.admitted(ID, STRANGER))
        await run("update_avatar", id=ID, config=config(mcp={"version": "9.9.9"}))
        changed = servers.of(await servers.admitted(ID, OPERATOR))
        for id in ("one", "two"):
            await app.backend.run(CreateAvatar(config=config(id=id)), OPERATOR)
            servers.of(await servers.admitted(id, OPERATOR))
        again = servers.of(await servers.admitted(ID, OPERATOR))

    assert same is first
    assert changed is not first
    assert changed.version == "9.9.9"
    assert again is not changed  # two others came since, and two are kept


@pytest.fixture
def settings_here(workspace):
    """A workspace of its own with an avatar."""
    settings = settings_in(workspace.parent)
    kept_in(settings)
    return settings


async def test_what_changes_is_served_at_once(settings_here, era):
    with served(settings_here) as address:
        where = f"{address}/avatars/{ID}"
        async with mcp_over_http(where, mode=era) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
        with TestClient(application(settings_here), base_url="http://127.0.0.1:8377") as elsewhere:
            changed = config(mcp={"tools": ["query_corpus"]})
            elsewhere.patch(f"/avatars/{ID}", json={"config": changed}).raise_for_status()
        async with mcp_over_http(where, mode=era) as client:
            after = [tool.name for tool in (await client.list_tools()).tools]

    assert (len(before), after) == (3, ["query_corpus"])


# Keys for one avatar


def test_a_key_for_another_avatar_is_refused(client, keys):
    answer = asked(client, MCP, keys["other"])

    assert (answer.status_code, answer.json()["error"]) == (403, "UNAUTHORIZED")
    assert answer.json()["message"] == "The key 'for someone-else' is for the avatar 'someone-else' alone."


def test_a_key_for_an_avatar_does_not_open_the_whole_workspace_over_mcp(client, keys):
    answer = asked(client, "/mcp", keys["its all"])

    assert answer.status_code == 403
    assert f"/avatars/{ID}/mcp" in answer.json()["message"]


def test_a_key_for_an_avatar_works_for_that_avatar_over_rest(client, keys):
    headers = bearing(keys["its"])
    answers = {
        path: client.get(f"/avatars/{ID}/{path}", headers=headers).status_code for path in ("info", "sources")
    }
    found = client.post(f"/avatars/{ID}/query_corpus", json={"query": "x"}, headers=headers)
    others = [client.get(f"/avatars/{id}/info", headers=headers) for id in (OTHER, OPEN)]

    assert answers == {"info": 200, "sources": 200}
    assert found.status_code == 200
    assert {answer.status_code for answer in others} == {403}
    assert f"is for the avatar '{ID}' alone" in others[0].json()["message"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "query_corpus", {"query": "commons"}),
        ("GET", "info", None),
    ],
)
def test_tools_that_its_configuration_does_not_name_are_not_offered_over_rest_either(
    tmp_path, method, path, body
):
    settings = settings_in(tmp_path)
    kept_in(settings, is_public=True, mcp={"tools": ["generate_response"]})
    mine, its = key_for(settings, "read", "send").key, key_of(settings, ID, "read", "send")
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        stranger, guest, owner = (
            client.request(method, f"/avatars/{ID}/{path}", json=body, headers=bearing(key) if key else {})
            for key in (None, its, mine)
        )
        answered = client.post(f"/avatars/{ID}/generate_response", json={"question": "What is a commons?"})

    assert [each.status_code for each in (stranger, guest, owner)] == [403, 403, 200]
    assert "does not offer" in stranger.json()["message"]
    assert answered.status_code == 200


OF_AVATAR = {name for name, kind in CATALOGUE.items() if kind.spec.is_of_avatar}


@pytest.mark.parametrize(
    "name", sorted(name for name, kind in CATALOGUE.items() if kind.spec.route and name not in OF_AVATAR)
)
def test_a_key_for_an_avatar_opens_nothing_else(client, keys, name):
    route = CATALOGUE[name].spec.route
    path = "/".join("none" if part.startswith("{") else part for part in route.path.split("/"))
    answer = client.request(route.method, path, json={}, headers=bearing(keys["its all"]))

    assert (answer.status_code, answer.json()["error"]) == (403, "UNAUTHORIZED")
    assert f"is for the avatar '{ID}' alone" in answer.json()["message"]


def test_the_operations_of_an_avatar_are_those_that_name_it():
    asking = {"query_corpus", "generate_response", "get_avatar_info"}

    assert asking | {"list_avatar_sources", "list_avatar_answers", "explain_answer"} == OF_AVATAR


def test_the_scopes_of_a_key_for_an_avatar_count_as_well(client, keys):
    question = {"question": "Why boundaries?"}
    answer = client.post(
        f"/avatars/{ID}/generate_response", json=question, headers=bearing(keys["its reads"])
    )

    assert answer.status_code == 403
    assert "lacks the scope send" in answer.json()["message"]


def test_a_key_for_an_avatar_does_not_show_what_others_asked(client, keys):
    answer = client.get(f"/avatars/{ID}/answers", headers=bearing(keys["its"]))

    assert answer.status_code == 403
    assert "what others asked" in answer.json()["message"]
    assert client.get(f"/avatars/{ID}/answers", headers=bearing(keys["reads"])).status_code == 200


def test_a_key_for_an_avatar_has_its_own_answers_explained_and_no_others(client, keys):
    question = {"question": "What keeps a commons from being used up by everyone?"}
    explained = {}
    for who in ("its", "all"):
        said = client.post(f"/avatars/{ID}/generate_response", json=question, headers=bearing(keys[who]))
        path = f"/avatars/{ID}/answers/{said.json()['answer_id']}"
        explained[who] = client.get(path, headers=bearing(keys["its"])).status_code

    assert explained == {"its": 200, "all": 404}


@pytest.mark.usefixtures("settings_here")
def test_the_command_line_makes_a_key_for_an_avatar():
    code, made, _ = run_command(["keys", "create", "Harmonica", "--avatar", ID, "--field", "key"])
    _, listed, _ = run_command(["keys", "list", "--json"])
    unknown = run_command(["keys", "create", "Harmonica", "--avatar", "nobody"])
    nameless = [run_command(["keys", "create", *words])[0] for words in (["--avatar", ID], [])]

    assert code == 0
    assert nameless == [0, 2]
    assert made.startswith("vv_")
    assert f'"avatarId": "{ID}"' in listed or f'"avatarId":"{ID}"' in listed
    assert unknown[0] == 4
    assert "No avatar 'nobody'" in unknown[2]


# Strangers


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_bucket_is_emptied_and_fills_up_again_by_itself():
    clock = Clock()
    buckets = Buckets(3, per_minute=60, now=clock)

    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]
    assert buckets.take("b") == 0
    clock.seconds += 1.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 0.5]
    clock.seconds += 1_000
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 1]


def test_what_is_given_back_can_be_taken_again():
    buckets = Buckets(1, per_minute=60, now=Clock())
    buckets.take("a")
    buckets.give_back("a")
    buckets.give_back("a")

    assert buckets.take("a") == 0
    assert buckets.take("a") == 1


def test_only_so_many_are_remembered():
    buckets = Buckets(1, per_minute=1, remembered=2, now=Clock())
    for who in ("a", "b", "c"):
        buckets.take(who)

    assert [buckets.take("c") > 0, buckets.take("b") > 0, buckets.take("a")] == [True, True, 0]


@pytest.fixture
def limited(shared):
    """A client of an application in which strangers may ask twice, and all of them three times."""

    def client(caller=STRANGER, status=200, each=2, most=3, per_minute=6, **changes):
        async def answer(request):
            return PlainTextResponse("said", status)

        app = StrangersLimited(
            Starlette(routes=[Route("/{path:path}", answer, methods=["GET", "POST", "PATCH"])]),
            settings=replace(shared, **changes),
            each=Buckets(each, per_minute=per_minute, now=Clock()),
            all=Buckets(most, per_minute=per_minute, now=Clock()),
        )
        CALLER.set(caller)
        return lambda path=MCP, address="203.0.113.1", method="GET", **headers: TestClient(
            app, client=(address, 1)
        ).request(method, path, headers=headers)

    token = CALLER.set(STRANGER)
    yield client
    CALLER.reset(token)


def test_a_stranger_is_told_of_one_second_as_one(limited):
    ask = limited(each=1, per_minute=60)

    assert [ask().status_code, ask().json()["hint"].split(",")[0]] == [200, "Ask again in 1 second"]


def test_a_stranger_who_asks_too_often_is_told_when_to_ask_again(limited):
    ask = limited()
    answers = [ask() for _ in range(3)]
    others = ask(address="203.0.113.2")

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].headers["retry-after"] == "10"
    assert answers[2].json()["error"] == "RATE_LIMIT"
    assert answers[2].json()["hint"].startswith("Ask again in 10 seconds, or")
    assert others.status_code == 200


def test_all_strangers_together_have_a_limit_too(limited):
    ask = limited()
    statuses = [ask(address=f"203.0.113.{number}").status_code for number in range(5)]

    assert statuses == [200, 200, 200, 429, 429]


def test_who_has_a_key_or_asks_for_something_else_is_not_limited(limited):
    known = limited(Caller(id="k", name="k", scopes=frozenset(Scope)))
    assert {known().status_code for _ in range(5)} == {200}

    stranger = limited()
    assert {stranger("/agents").status_code for _ in range(5)} == {200}


@pytest.mark.parametrize("prefix", ["", "/api"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/agents/a1/query"),
        ("POST", "/conversations/talk1/message"),
        ("POST", "/conversation/talk1/message"),
        ("PATCH", "/conversations/talk1"),
    ],
)
def test_a_stranger_who_writes_to_an_agent_too_often_is_limited_and_may_go_on_reading(
    limited, prefix, method, path
):
    ask = limited()
    statuses = [ask(prefix + path, method=method).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]
    assert {ask("/conversations/talk1").status_code for _ in range(5)} == {200}


def test_who_is_turned_away_is_not_counted(limited):
    ask = limited(status=401)

    assert {ask().status_code for _ in range(9)} == {401}


@pytest.mark.parametrize(
    ("changes", "address", "first", "second", "is_same"),
    [
        ({"public_url": "https://a.example"}, "127.0.0.1", "198.51.100.1", "198.51.100.2", False),
        ({"public_url": "https://a.example"}, "127.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1", True),
        ({"public_url": "https://a.example"}, "203.0.113.1", "198.51.100.1", "198.51.100.2", True),
        ({}, "127.0.0.1", "198.51.100.1", "198.51.100.2", True),
        ({"public_url": "https://a.example"}, "127.0.0.1", "2001:db8::1", "2001:db8::2", True),
        ({"public_url": "https://a.example"}, "127.0.0.1", "2001:db8::1", "2001:db8:0:1::1", False),
    ],
    ids=["proxy", "last", "no proxy", "not told of one", "one network", "two networks"],
)
def test_behind_a_proxy_strangers_are_told_apart_by_what_it_says(
    limited, changes, address, first, second, is_same
):
    ask = limited(each=1, **changes)
    ask(address=address, **{"X-Forwarded-For": first})

    assert (ask(address=address, **{"X-Forwarded-For": second}).status_code == 429) is is_same


def test_the_application_limits_strangers_at_both_doors(tmp_path):
    settings = settings_in(tmp_path)
    kept_in(settings, is_public=True)
    key = key_for(settings, *Scope).key
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        statuses = [asked(client, MCP).status_code for _ in range(30)]
        statuses += [client.get(f"/avatars/{ID}/info").status_code for _ in range(90)]
        known = client.get(f"/avatars/{ID}/info", headers=bearing(key)).status_code

    assert set(statuses) == {200, 429}
    assert statuses[:60] == [200] * 60
    assert known == 200
