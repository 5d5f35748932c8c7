"""Who may call over HTTP: keys and scopes, Host and Origin, and what is open until the first key exists."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import logging
import os
import re
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from mcp import MCPError
from script import HTTP_TOOL
from serving import key_for, mcp_over_http, served, settings_in
from starlette.testclient import TestClient

from vivavoce.app import open_app
from vivavoce.operations import CATALOGUE, OPERATOR, Scope
from vivavoce.operations.keys import RevokeKey
from vivavoce.surfaces.auth import CALLER, Guard
from vivavoce.surfaces.http import application
from vivavoce.surfaces.pages import PageRoute, Pages

PUBLIC = {
    "/",
    "/health",
    "/docs",
    "/openapi.json",
    "/agents/models",
    "/api/agents/models",
    "/avatars",
    "/api/avatars",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/avatars/{avatarId}/mcp",
}
"""All that a stranger may read. Whatever is added here is added for everybody on the network."""
ROUTED = {name: kind for name, kind in CATALOGUE.items() if kind.spec.route is not None}
QUESTIONS = {
    "generate_response": {"question": "Hello?"},
    "receive_message": {"message": "Hello?", "visitorId": "v"},
    "message": {"message": "Hello?", "visitorId": "v"},
    "rate_conversation": {"rating": 9, "visitorId": "v"},
    "nps": {"rating": 9, "visitorId": "v"},
    "capture_visitor": {"visitorEmail": "a@b.example", "visitorId": "v"},
    "capture": {"visitorEmail": "a@b.example", "visitorId": "v"},
    "update_conversation": {"status": "RESOLVED", "visitorId": "v"},
}
"""What is asked where a stranger may ask and `query` is not the word for it."""
NEW = {"name": "Ana", "description": "d", "modelName": "m", "systemPrompt": "p"}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """A workspace with keys, for the tests that only read it."""
    return settings_in(tmp_path_factory.mktemp("auth"))


@pytest.fixture(scope="module")
def keys(settings):
    """A key for each scope, and one for all of them."""
    return {scope: key_for(settings, scope).key for scope in Scope} | {"all": key_for(settings, *Scope).key}


@pytest.fixture(scope="module")
def client(settings, keys):
    """A client of a server that has keys. It shows none by itself."""
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        yield client


def bearing(key, scheme="Bearer"):
    return {"authorization": f"{scheme} {key}"}


# Without a key


def test_every_route_is_closed_to_strangers_unless_it_is_on_the_public_list(client):
    reached = {}
    for route in client.app.routes:
        path = re.sub(r"{\w+}", "x", route.path)
        for method in route.methods:
            asked = QUESTIONS.get(path.rpartition("/")[2], {"query": "Hello?"})
            answer = client.request(method, path, json={} if method == "PATCH" else asked)
            reached[method, route.path] = answer.status_code
            if route.path.endswith("/eval-answer"):  # a visitor may, who can say which answer
                assert answer.status_code == 400
            elif route.path not in PUBLIC or method == "POST":
                assert answer.status_code in (401, 403), (method, path, answer.text)

    assert {path for (_, path), status in reached.items() if status == 200} == PUBLIC
    assert len(reached) > 2 * len(ROUTED)


def test_a_stranger_is_refused_before_anything_is_read_from_the_request(client):
    answers = [
        client.post("/agents", content=b"not json"),
        client.post("/crm/scenario", json={"unknown": 1}),
        client.get("/agents?limit=many"),
        client.post("/datasources", data={"x": "y"}, files={"file": ("a", b"\xff")}),
        client.post("/agents", content=b"{}", headers={"content-length": str(10**12)}),
    ]

    assert {answer.status_code for answer in answers} == {401, 403}
    assert all("details" not in answer.json() for answer in answers)


@pytest.mark.parametrize("name", sorted(ROUTED.keys() - {"list_models", "list_avatars", "rate_answer"}))
def test_a_missing_key_is_401_for_crm_and_tools_and_403_elsewhere(client, name):
    spec = ROUTED[name].spec
    asked = QUESTIONS.get(name, {"query": "x"})
    answer = client.request(spec.route.method, re.sub(r"{\w+}", "x", spec.route.path), json=asked)

    assert answer.status_code == (401 if spec.toolset in ("crm", "tools") else 403)
    assert answer.json()["error"] == "UNAUTHORIZED"
    assert "key" in answer.json()["hint"] + answer.json()["message"]


def test_a_public_agent_may_be_read_by_anyone_without_what_is_private_in_it(client, keys):
    made = client.post(
        "/agents",
        json={
            **NEW,
            "visibility": "public",
            "handle": "public_one",
            "tools": [{"type": "http", "config": HTTP_TOOL}, {"type": "request_human"}],
            "configUrlExternal": {"url": "https://internal.example.com", "header": "x"},
        },
        headers=bearing(keys["all"]),
    ).json()

    shown = [client.get(f"/agents/{ref}").json() for ref in (made["id"], "@public_one")]
    mine = client.get(f"/agents/{made['id']}", headers=bearing(keys["read"])).json()

    assert shown[0] == shown[1]
    assert [tool["config"] for tool in shown[0]["tools"]] == [{}, mine["tools"][1]["config"]]
    assert shown[0]["configUrlExternal"] is None
    assert mine["tools"][0]["config"]["url"] == HTTP_TOOL["url"]
    assert client.get(f"/agents/{made['id']}/tools").status_code == 401
    assert client.patch(f"/agents/{made['id']}", json={"name": "Mine"}).status_code == 403
    asked = client.post(f"/agents/{made['id']}/query", json={"query": "Hi"})
    assert (asked.status_code, bool(asked.json()["answer"])) == (200, True)


def test_a_private_agent_and_none_at_all_look_the_same_to_a_stranger(client, keys):
    private = client.post("/agents", json=NEW, headers=bearing(keys["all"])).json()["id"]
    answers = [client.get(f"/agents/{ref}") for ref in (private, "c" + "0" * 24, "@nobody")]

    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.text for answer in answers}) == 1


# With a key


@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize("name", ROUTED)
def test_a_key_reaches_the_operations_of_its_scopes_and_no_others(client, keys, name, scope):
    spec = ROUTED[name].spec
    path = re.sub(r"{\w+}", "none", spec.route.path)

    answer = client.request(spec.route.method, path, json={}, headers=bearing(keys[scope]))

    if spec.scope is scope:
        assert answer.status_code in (200, 201, 400, 404)
    else:
        assert (answer.status_code, answer.json()["error"]) == (403, "UNAUTHORIZED")
        assert f"lacks the scope {spec.scope}" in answer.json()["message"]


@pytest.mark.parametrize("scope", list(Scope))
async def test_a_key_reaches_the_tools_of_its_scopes_over_mcp(settings, keys, scope, era):
    with served(settings) as address:
        async with mcp_over_http(address, key=keys[scope], mode=era) as client:
            listed = {tool.name for tool in (await client.list_tools()).tools}
            refused = {
                name: (await client.call_tool(name, {})).content[0].text
                for name, kind in CATALOGUE.items()
                if kind.spec.offer != "never" and kind.spec.scope is not scope
            }

    offered = {name for name, kind in CATALOGUE.items() if kind.spec.offer != "never"}
    assert listed == {name for name in offered if CATALOGUE[name].spec.scope is scope}
    assert listed | refused.keys() == offered
    assert all(text.startswith("not_allowed: ") for text in refused.values())


def test_a_revoked_key_dies_at_once(tmp_path):
    settings = settings_in(tmp_path)
    one, two = key_for(settings, "read"), key_for(settings, "read")
    with TestClient(application(settings), base_url="http://localhost") as client:
        before = client.get("/agents", headers=bearing(one.key)).status_code
        environment = {**os.environ, "VIVAVOCE_DATABASE": str(settings.database)}
        command = [sys.executable, "-m", "vivavoce", "keys", "revoke", one.id]
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=60)
        after = client.get("/agents", headers=bearing(one.key)).status_code
        over_mcp = client.post("/mcp", json=LIST, headers={**bearing(one.key), **ACCEPT}).status_code
        other = client.get("/agents", headers=bearing(two.key)).status_code

    assert (before, after, over_mcp, other) == (200, 403, 401, 200)


def test_a_key_counts_in_the_authorization_header_alone(client, keys):
    key = keys["all"]
    elsewhere = [
        client.get("/agents", params={name: key})
        for name in ("key", "api_key", "apiKey", "access_token", "token", "authorization")
    ]
    elsewhere += [
        client.get("/agents", headers={"x-api-key": key}),
        client.get("/agents", headers={"proxy-authorization": f"Bearer {key}"}),
        client.get("/agents", headers={"cookie": f"key={key}; authorization=Bearer {key}"}),
        client.get("/agents", headers={"authorization": key}),
        client.get("/agents", headers={"authorization": f"Bearer {key} {key}"}),
        client.get("/agents", headers={"authorization": f"Bearer {key}x"}),
        client.get("/agents", headers={"authorization": f"Bearer {key[:-1]}"}),
        client.get("/agents", headers={"authorization": "Bearer " + key.upper()}),
        client.get("/agents", headers={"authorization": "Bearer " + base64.b64encode(key.encode()).decode()}),
        client.get("/agents", headers={"authorization": "Bearer"}),
        client.get("/agents", headers={"authorization": "Bearer " + "x" * 10_000}),
    ]
    over_mcp = client.post("/mcp", params={"access_token": key}, json=LIST, headers=ACCEPT)

    assert {answer.status_code for answer in elsewhere} == {403}
    assert over_mcp.status_code == 401
    assert client.get("/agents", headers=bearing(key)).status_code == 200
    assert client.get("/agents", headers=bearing(key, scheme="bearer")).status_code == 200


def test_a_stranger_at_mcp_is_told_where_to_learn_about_keys(client):
    for method in ("POST", "GET", "DELETE"):
        answer = client.request(method, "/mcp", json=LIST, headers=ACCEPT)
        challenge = answer.headers["www-authenticate"]
        told = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
        described = client.get(told["resource_metadata"])

        assert answer.status_code == 401
        assert challenge.startswith("Bearer ")
        assert told["scope"] == "read write send admin"
        assert described.status_code == 200
        assert described.json() == {
            "resource": "http://127.0.0.1:8377/mcp",
            "resource_name": "vivavoce",
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["read", "write", "send", "admin"],
        }


async def test_an_mcp_client_without_a_key_does_not_get_in(settings, keys, era):
    with served(settings) as address, pytest.raises((MCPError, ExceptionGroup)):
        async with mcp_over_http(address, mode=era) as client:
            await client.list_tools()


# Over MCP

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def test_a_session_serves_only_the_key_that_opened_it(settings, keys):
    twin = key_for(settings, *Scope).key  # the same name and scopes as the key "all"
    with TestClient(application(settings), base_url="http://127.0.0.1:8377") as client:
        opened = client.post("/mcp", json=HELLO, headers={**bearing(keys["all"]), **ACCEPT})
        session = {**ACCEPT, "mcp-session-id": opened.headers["mcp-session-id"]}
        others = [
            client.request(method, "/mcp", json=LIST, headers={**bearing(key), **session})
            for key in (twin, keys["read"])
            for method in ("POST", "GET", "DELETE")
        ]
        unknown = {**ACCEPT, "mcp-session-id": "0" * 32}
        nothing = client.post("/mcp", json=LIST, headers={**bearing(twin), **unknown})
        mine = client.post("/mcp", json=LIST, headers={**bearing(keys["all"]), **session})
        ended = client.delete("/mcp", headers={**bearing(keys["all"]), **session})

    assert {(answer.status_code, answer.text) for answer in others} == {(404, nothing.text)}
    assert mine.status_code == 200
    assert '"tools"' in mine.text
    assert ended.status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('{"jsonrpc":"2.0","id":1,"method":5,"params":"SEKRET"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"method":"ping","params":"SEKRET"}', -32600),
        ('{"jsonrpc":"2.0","id":1.5,"method":"SEKRET"}', -32600),
        ('{"jsonrpc":"SEKRET","id":1,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"result":"SEKRET"}', -32600),
        ('{"jsonrpc":"2.0","id":["SEKRET"],"result":{}}', -32600),
        ('{"jsonrpc":"2.0","id":1,"error":"SEKRET"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":"SEKRET","message":"x"}}', -32600),
        ('[{"jsonrpc":"2.0","id":1,"method":"SEKRET"}]', -32600),
        ('"SEKRET"', -32600),
        ('{"SEKRET"', -32700),
        ('{"jsonrpc":"2.0","id":1,"method":"\\ud800 SEKRET"}', -32700),
        ("[" * 100_000, -32700),
        ("", -32700),
    ],
    ids=range(14),
)
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("in_session", [False, True], ids=["alone", "in-session"])
def test_what_is_no_message_is_refused_without_its_values(client, keys, version, in_session, body, code):
    headers = {**bearing(keys["all"]), **ACCEPT, "content-type": "application/json"}
    if in_session:
        headers["mcp-session-id"] = client.post("/mcp", json=HELLO, headers=headers).headers["mcp-session-id"]

    answer = client.post("/mcp", content=body, headers={**headers, "mcp-protocol-version": version})

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
    assert "SEKRET" not in answer.text
    assert "pydantic" not in answer.text


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD"])
def test_without_a_session_there_is_no_stream_to_open_and_nothing_to_end(client, keys, method):
    answer = client.request(method, "/mcp", headers={**bearing(keys["all"]), **ACCEPT})

    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert method == "HEAD" or answer.json()["error"] == "METHOD_NOT_ALLOWED"


def test_a_path_with_a_slash_too_many_is_not_found_and_says_so(client, keys):
    for path in ("/agents/", "/mcp/", "/docs/"):
        answer = client.get(path, headers=bearing(keys["all"]), follow_redirects=False)

        assert (answer.status_code, answer.json()["error"]) == (404, "NOT_FOUND"), path


# Host and Origin

HOSTS = {
    "127.0.0.1": True,
    "127.0.0.1:8377": True,
    "localhost": True,
    "LOCALHOST:1": True,
    "[::1]:8377": True,
    "127.0.0.2": True,
    "": False,
    "evil.example": False,
    "127.0.0.1.evil.example": False,
    "localhost.evil.example:8377": False,
    "evil.example/?": False,
    "localhost/?": False,
    "localhost#": False,
    "localhost@evil.example": False,
    "evil.example:localhost": False,
    "localhost:8377:8377": False,
    "0.0.0.0": False,
    "192.168.0.1:8377": False,
    "[::1": False,
    "[::1]evil": False,
    "::1]": False,
    "[[::1]]": False,
    ":8377": False,
    "[::ffff:192.168.0.1]": False,
    "0x7f.1": False,
    "localhost evil.example": False,
}
ORIGINS = {
    "http://localhost:3000": True,
    "http://127.0.0.1:8377": True,
    "https://[::1]:1": True,
    "null": False,
    "": False,
    "https://evil.example": False,
    "http://localhost.evil.example": False,
    "http://127.0.0.1.evil.example": False,
    "http://localhost@evil.example": False,
    "http://evil.example@localhost": False,
    "http://evil.example#localhost": False,
    "http://evil.example/localhost": False,
    "http://evil.example:80:localhost": False,
    "file://": False,
    "localhost": False,
    "//localhost.evil.example": False,
    "chrome-extension://abcdef": False,
}


def verdicts(client, key, headers):
    """The status of a REST call, of an MCP call and of a public page."""
    return {
        client.get("/agents", headers={**bearing(key), **headers}).status_code,
        client.post("/mcp", json=LIST, headers={**bearing(key), **ACCEPT, **headers}).status_code,
        client.get("/health", headers=headers).status_code,
        client.get("/docs", headers=headers).status_code,
        client.get("/nothing", headers=headers).status_code,
    }


@pytest.mark.parametrize(("host", "is_ours"), HOSTS.items(), ids=HOSTS)
def test_a_server_on_loopback_answers_to_loopback_names_alone(client, keys, host, is_ours):
    seen = verdicts(client, keys["all"], {"host": host})

    assert seen == ({200, 404} if is_ours else {421}), host


@pytest.mark.parametrize(("origin", "is_ours"), ORIGINS.items(), ids=ORIGINS)
def test_a_server_on_loopback_takes_calls_from_pages_on_loopback_alone(client, keys, origin, is_ours):
    bare = {"/health": "GET", "/docs": "GET", "/nothing": "GET", "/agents": "GET", "/mcp": "POST"}
    seen = {
        client.request(method, path, headers={"origin": origin}).status_code for path, method in bare.items()
    }
    spoken = client.post("/mcp", json=LIST, headers={**bearing(keys["all"]), **ACCEPT, "origin": origin})

    assert seen == ({200, 404, 403, 401} if is_ours else {403}), origin
    assert spoken.status_code == (200 if is_ours else 403)


PAGE = {"origin": "https://shop.example"}


@pytest.fixture(scope="module")
def public(client, keys):
    """An agent that anyone may ask."""
    made = client.post("/agents", json={**NEW, "visibility": "public"}, headers=bearing(keys["all"]))
    return made.json()["id"]


def preflight(method, *names):
    asked = {"access-control-request-method": method, "access-control-request-headers": ", ".join(names)}
    return {**PAGE, **asked}


@pytest.mark.parametrize("prefix", ["", "/api"])
def test_a_page_of_any_origin_may_talk_to_a_public_agent(client, public, prefix):
    path = f"{prefix}/agents/{public}/query"

    invited = client.options(path, headers=preflight("POST", "content-type"))
    asked = client.post(path, json={"query": "Hello", "colour": 1}, headers=PAGE)
    shown = client.get(f"{prefix}/agents/{public}", headers=PAGE)
    mine = {"visitorId": asked.json()["visitorId"]}
    followed = client.get(
        f"{prefix}/conversations/{asked.json()['conversationId']}", params=mine, headers=PAGE
    )

    answers = (invited, asked, shown, followed)
    assert [answer.status_code for answer in answers] == [204, 200, 200, 200]
    assert {answer.headers["access-control-allow-origin"] for answer in answers} == {"*"}
    assert "X-Ignored-Fields" in asked.headers["access-control-expose-headers"]
    assert not [answer for answer in answers if "access-control-allow-credentials" in answer.headers]


def test_a_page_with_a_key_may_do_over_rest_what_the_key_may(client, keys):
    invited = client.options("/agents", headers=preflight("GET", "authorization"))
    listed = client.get("/agents", headers={**PAGE, **bearing(keys["read"])})
    refused = client.post("/agents", json=NEW, headers={**PAGE, **bearing(keys["read"])})

    assert [answer.status_code for answer in (invited, listed, refused)] == [204, 200, 403]
    assert {answer.headers["access-control-allow-origin"] for answer in (invited, listed, refused)} == {"*"}


def test_a_page_without_a_key_gets_nothing_else(client, public):
    refused = [
        client.get("/agents", headers=PAGE),
        client.get("/agents", headers={**PAGE, **bearing("made-up")}),
        client.options("/agents", headers=preflight("GET", "content-type")),
        client.patch(f"/agents/{public}", json={"name": "Eve"}, headers=PAGE),
        client.post("/mcp", json=LIST, headers={**ACCEPT, **PAGE}),
        client.options("/mcp", headers=preflight("POST", "authorization")),
        client.post("/channels/c1/events", json={}, headers=PAGE),
        client.post(f"/agents/{public}/query", json={"query": "?"}, headers={**PAGE, "host": "evil.example"}),
    ]

    assert [answer.status_code for answer in refused] == [403] * 7 + [421]
    assert not [answer for answer in refused if "access-control-allow-origin" in answer.headers]


@pytest.mark.parametrize("given", [{}, {"authorization": "Bearer made-up"}], ids=["no key", "a made-up key"])
def test_before_the_first_key_no_foreign_page_is_let_in(tmp_path, given):
    with TestClient(application(settings_in(tmp_path)), base_url="http://127.0.0.1:8377") as client:
        made = client.post("/agents", json={**NEW, "visibility": "public"}).json()["id"]
        path = f"/agents/{made}/query"

        refused = [
            client.options(path, headers=preflight("POST", "content-type", "authorization")),
            client.post(path, json={"query": "Hello"}, headers={**PAGE, **given}),
            client.get(f"/agents/{made}", headers={**PAGE, **given}),
            client.get("/agents", headers={**PAGE, **given}),
        ]
        near = client.get("/agents", headers={"origin": "http://localhost:3000"})

    assert {answer.status_code for answer in refused} == {403}
    assert not [answer for answer in (*refused, near) if "access-control-allow-origin" in answer.headers]
    assert near.status_code == 200


async def test_a_page_gains_nothing_while_the_first_key_is_made(tmp_path):
    class KeyMadeMeanwhile:
        """Keys of which there is none at the first look, and one at the second."""

        looks = 0

        async def is_empty(self) -> bool:
            self.looks += 1
            return self.looks == 1

        async def caller(self, token: str) -> None:
            return None

    served: list[str] = []

    async def app(scope, receive, send):
        served.append(CALLER.get().id)

    async def sent(message):
        if message["type"] == "http.response.start":
            served.append(str(message["status"]))

    pages = Pages([PageRoute("/agents", app)])
    guard = Guard(app, keys=lambda scope: KeyMadeMeanwhile(), settings=settings_in(tmp_path), pages=pages)
    headers = [(b"host", b"127.0.0.1:8377"), (b"origin", b"https://evil.example")]
    await guard({"type": "http", "method": "GET", "path": "/agents", "headers": headers}, None, sent)

    assert served == ["403"]


@pytest.mark.parametrize("origin", ["http://[x", "null", "https://", "http://[::1"])
def test_an_origin_that_nobody_can_read_is_a_foreign_one(tmp_path, origin):
    with TestClient(application(settings_in(tmp_path)), base_url="http://127.0.0.1:8377") as client:
        assert client.get("/agents", headers={"origin": origin}).status_code == 403


def test_a_browser_is_told_to_share_answers_only_with_the_origins_of_the_settings(settings, keys):
    named = "https://console.example.com"
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    shared = replace(settings, allowed_origins=(named,))
    with TestClient(application(shared), base_url="http://localhost") as client:
        for path in ("/agents", "/mcp", "/health"):
            invited = client.options(path, headers={"origin": named, **asked})
            answered = client.get(path, headers={"origin": named})
            others = [
                answer
                for origin in ("http://localhost:3000", "null", "https://evil.example")
                for answer in (
                    client.options(
                        path, headers={"origin": origin, **asked, "access-control-request-headers": ""}
                    ),
                    client.get(path, headers={"origin": origin}),
                )
            ]

            assert invited.status_code == 200
            assert invited.headers["access-control-allow-origin"] == named
            assert answered.headers["access-control-allow-origin"] == named
            assert not [answer for answer in others if "access-control-allow-origin" in answer.headers]
            assert not [
                answer
                for answer in (invited, answered, *others)
                if "access-control-allow-credentials" in answer.headers
            ]


def test_further_hosts_and_origins_are_answered_where_the_settings_name_them(settings, keys):
    public = replace(
        settings,
        host="0.0.0.0",
        allowed_hosts=("agents.example.com", "other.example.com:8443"),
        allowed_origins=("https://console.example.com",),
    )
    with TestClient(application(public), base_url="http://agents.example.com") as client:
        hosts = {
            host: client.get("/health", headers={"host": host}).status_code
            for host in (
                "agents.example.com",
                "agents.example.com:8377",
                "other.example.com:8443",
                "other.example.com",
                "agents.example.com.evil.example",
                "localhost",
            )
        }
        origins = {
            origin: client.get("/health", headers={"origin": origin}).status_code
            for origin in (
                "https://console.example.com",
                "http://console.example.com",
                "https://console.example.com.evil.example",
                "http://localhost",
            )
        }
        closed = client.get("/agents").status_code

    assert list(hosts.values()) == [200, 200, 200, 421, 421, 421]
    assert list(origins.values()) == [200, 403, 403, 403]
    assert closed == 403


def test_a_request_without_a_host_is_refused(settings, keys):
    with served(settings) as address:
        name, port = address.removeprefix("http://").split(":")
        with socket.create_connection((name, int(port)), timeout=10) as wire:
            wire.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            status = wire.makefile("rb").readline()

    assert b" 421 " in status


def test_blanks_around_the_value_of_a_header_are_no_part_of_it(settings, keys):
    with served(settings) as address:
        name, port = address.removeprefix("http://").split(":")
        with socket.create_connection((name, int(port)), timeout=10) as wire:
            wire.sendall(f"GET /health HTTP/1.1\r\nHost:  {name}:{port} \t\r\n\r\n".encode())
            status = wire.makefile("rb").readline()

    assert b" 200 " in status


# Before the first key


def test_a_server_on_loopback_is_open_until_the_first_key_and_never_again(tmp_path):
    settings = settings_in(tmp_path)

    def reached():
        return (
            client.get("/agents").status_code,
            client.post("/agents", json=NEW).status_code,
            client.post("/mcp", json=LIST, headers=ACCEPT).status_code,
        )

    with TestClient(application(settings), base_url="http://localhost") as client:
        at_first = reached()
        wrong_key = client.get("/agents", headers=bearing("vv_wrong")).status_code
        key = key_for(settings, "read")
        with_a_key = reached()
        _revoke(settings, key.id)
        after_revoking = reached()
    with TestClient(application(settings), base_url="http://localhost") as client:
        after_a_restart = reached()

    assert at_first == (200, 200, 200)
    assert wrong_key == 403
    assert with_a_key == after_revoking == after_a_restart == (403, 403, 401)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "agents.example.com", ""])
def test_a_server_beyond_loopback_is_never_open(tmp_path, host):
    settings = settings_in(tmp_path, host=host)
    with TestClient(application(settings), base_url="http://localhost") as client:
        assert client.get("/agents").status_code == 403
        assert client.post("/mcp", json=LIST, headers=ACCEPT).status_code == 401


@pytest.mark.parametrize(
    "more", [{"allowed_hosts": ("agents.example.com",)}, {"public_url": "https://agents.example.com"}]
)
def test_a_server_that_answers_to_another_name_is_never_open(tmp_path, more):
    """It stands behind a proxy then, and whoever calls through that is not the person at the machine."""
    with TestClient(application(settings_in(tmp_path, **more)), base_url="http://localhost") as client:
        for host in ("localhost", "agents.example.com"):
            assert client.get("/agents", headers={"host": host}).status_code == 403
            assert client.post("/mcp", json=LIST, headers={**ACCEPT, "host": host}).status_code == 401


@pytest.mark.parametrize("how", ["option", "setting"])
def test_serving_beyond_loopback_without_a_key_is_refused_with_the_next_step(tmp_path, how):
    environment = {**os.environ, "VIVAVOCE_DATABASE": str(tmp_path / "workspace.db")}
    words = ["serve", "--port", "0"]
    if how == "option":
        words += ["--host", "0.0.0.0"]
    else:
        environment["VIVAVOCE_HOST"] = "0.0.0.0"
    done = subprocess.run(
        [sys.executable, "-m", "vivavoce", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 2
    assert "0.0.0.0 can be reached from other machines, and there is no API key yet." in done.stderr
    assert "vivavoce keys create NAME" in done.stderr
    assert "Traceback" not in done.stderr


# What is left of a key


def test_a_key_appears_in_no_body_no_log_and_no_file(tmp_path, caplog, capfd):
    settings = settings_in(tmp_path)
    key = key_for(settings, *Scope).key
    wrong = key[:-4] + "wrng"
    caplog.set_level(logging.DEBUG)
    with served(settings) as address:
        place = address.removeprefix("http://")
        bodies = [_asked(place, *request, key) for request in _crawl()]
        bodies += [_asked(place, *request, wrong) for request in _crawl()]

    files = [path.read_bytes() for path in tmp_path.iterdir()]
    logged = "\n".join(f"{record.getMessage()} {record.exc_text or ''}" for record in caplog.records)
    printed = capfd.readouterr()
    assert len(bodies) == 2 * (2 * len(ROUTED) + len(PUBLIC) + 6)
    assert "POST /api/agents" in logged
    for form in (key, wrong, base64.b64encode(key.encode()).decode(), key.encode().hex()):
        assert form not in logged
        assert form not in printed.out + printed.err
        assert not [body for body in bodies if form.encode() in body]
        assert not [content for content in files if form.encode() in content]


def test_errors_that_others_log_are_written_without_their_words():
    script = """
import logging
from vivavoce.settings import Settings
from vivavoce.surfaces.logs import write_logs

write_logs(Settings.read({}))
try:
    raise ValueError("s3cr3t of a caller")
except ValueError as error:
    logging.getLogger("uvicorn.error").error("Exception in ASGI application", exc_info=error)
"""
    written = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    ).stderr

    assert "ERROR uvicorn.error: Exception in ASGI application" in written
    assert "ValueError" in written
    assert "s3cr3t" not in written


@pytest.mark.parametrize("workers", [1, 2])
def test_at_every_level_logs_go_to_stderr_and_hold_no_values(tmp_path, workers):
    settings = settings_in(tmp_path)
    key = key_for(settings, *Scope).key
    environment = {
        **os.environ,
        "VIVAVOCE_DATABASE": str(settings.database),
        "VIVAVOCE_LOG_LEVEL": "DEBUG",
        "PYTHONUNBUFFERED": "1",
    }
    call = {"name": "create_agent", "arguments": {**NEW, "name": "n4me-of-an-agent"}}
    body = json.dumps({**LIST, "method": "tools/call", "params": call}).encode()
    command = [sys.executable, "-m", "vivavoce", "serve", "--port", "0", "--workers", str(workers)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            place = re.search(r"http://(\S+) ", process.stderr.readline())[1]
            _wait_for(place)
            made = _asked(place, "POST", "/mcp", body, key)
            listed = _asked(place, "GET", "/agents?search=n4me-in-an-address", b"", key)
        finally:
            process.terminate()
            out, errors = process.communicate(timeout=30)

    assert b"n4me-of-an-agent" in made
    assert listed
    assert out == ""
    assert "n4me" not in errors
    assert key not in errors


def test_our_own_messages_have_the_level_of_the_settings_and_others_at_least_warning():
    script = (
        "import logging\n"
        "from vivavoce.settings import Settings\n"
        "from vivavoce.surfaces.logs import write_logs\n"
        "write_logs(Settings.read())\n"
        "for name in ('vivavoce.x', 'sse_starlette.sse', 'mcp'):\n"
        "    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):\n"
        "        logging.getLogger(name).log(level, 'said')\n"
    )
    said = {}
    for level in ("DEBUG", "ERROR"):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "VIVAVOCE_LOG_LEVEL": level},
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stdout == ""
        said[level] = done.stderr.splitlines()

    assert said["ERROR"] == [f"ERROR {name}: said" for name in ("vivavoce.x", "sse_starlette.sse", "mcp")]
    assert said["DEBUG"] == [
        *(f"{level} vivavoce.x: said" for level in ("DEBUG", "INFO", "WARNING", "ERROR")),
        *(f"{level} sse_starlette.sse: said" for level in ("WARNING", "ERROR")),
        *(f"{level} mcp: said" for level in ("WARNING", "ERROR")),
    ]


def _wait_for(place):
    """Return when a server that has said its address accepts connections at it."""
    host, port = place.split(":")
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def _crawl():
    """A request for every route, and some that go wrong."""
    for kind in ROUTED.values():
        for prefix in ("", "/api"):
            yield kind.spec.route.method, prefix + re.sub(r"{\w+}", "x", kind.spec.route.path), b"{}"
    yield from (("GET", path, b"") for path in sorted(PUBLIC))
    yield "POST", "/mcp", json.dumps(LIST).encode()
    yield "POST", "/mcp", b"{"
    yield "GET", "/mcp", b""
    yield "GET", "/nothing", b""
    yield "TRACE", "/agents", b""
    yield "POST", "/agents", b"{"


def _asked(place, method, path, body, key):
    connection = http.client.HTTPConnection(place, timeout=30)
    try:
        connection.request(method, path, body, {**bearing(key), **ACCEPT, "content-type": "application/json"})
        answer = connection.getresponse()
        heads = repr(answer.getheaders()).encode()
        return heads + (b"" if path == "/mcp" and method == "GET" and answer.status == 200 else answer.read())
    finally:
        connection.close()


def _revoke(settings, id):
    async def revoked():
        async with open_app(settings) as app:
            await app.backend.run(RevokeKey.parse({"id": id}), OPERATOR)

    asyncio.run(revoked())
