"""Events of providers over the real HTTP surface: accepted means stored, once, and answered."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import jsonschema
import pytest
from serving import key_for, served, settings_in
from starlette.testclient import TestClient

from docs.generate.rest import lines
from vivavoce.surfaces.http import application
from vivavoce.surfaces.limits import BODY

AGENT = {"name": "Ana", "description": "d", "modelName": "gpt_4o", "systemPrompt": "p"}


@contextmanager
def client_of(settings, *, works=False):
    """A client of a server that leaves what it accepted to others, unless it works."""
    with TestClient(application(settings, works=works), base_url="http://127.0.0.1:8377") as client:
        yield client


@pytest.fixture
def client(settings):
    with client_of(settings) as client:
        yield client


class Shop:
    """A provider with a channel."""

    def __init__(self, client, **more) -> None:
        agent = client.post("/agents", json=AGENT).json()
        given = {"agentId": agent["id"], "name": "Shop", "config": {"url": "https://shop.example/in"}, **more}
        made = client.post("/channels", json=given)
        assert made.status_code == 201, made.text
        self.client, self.made = client, made.json()
        self.path = self.made["eventsPath"]

    def posts(self, body, *, token=None, path=None, headers=None):
        shown = {"X-Webhook-Token": self.made["token"] if token is None else token}
        content = body if isinstance(body, bytes) else json.dumps(body)
        return self.client.post(
            path or self.path, content=content, headers=shown if headers is None else headers
        )

    def arrivals(self):
        return self.client.get(f"/channels/{self.made['id']}/arrivals", params={"limit": 100}).json()


def message(id="e1", **fields):
    return {"id": id, "chat": "c1", "text": "When do you open?", **fields}


def test_an_event_is_accepted_and_stored(client):
    shop = Shop(client)

    answer = shop.posts({"events": [message()]})

    assert (answer.status_code, answer.json()) == (200, {"accepted": 1, "duplicates": 0})
    (arrival,) = shop.arrivals()
    assert (arrival["eventId"], arrival["state"], arrival["heard"]["text"]) == (
        "e1",
        "waiting",
        "When do you open?",
    )
    assert json.loads(arrival["raw"]) == {"events": [message()]}


def test_what_came_is_kept_with_the_first_event_that_is_new(client):
    shop = Shop(client)
    shop.posts({"events": [message("known")]})

    mixed = {"events": [message("known"), message("new", text="É você?"), message("newer")]}
    answer = shop.posts(json.dumps(mixed, ensure_ascii=False).encode())

    assert answer.json() == {"accepted": 2, "duplicates": 1}
    raw = {each["eventId"]: each["raw"] for each in shop.arrivals()}
    assert json.loads(raw["known"]) == {"events": [message("known")]}
    assert (json.loads(raw["new"]), raw["newer"]) == (mixed, "")


def test_an_event_says_which_ads_brought_the_person(client):
    shop = Shop(client)
    click = {"ctwaClid": "k1", "sourceType": "ad", "clickedAt": "2026-01-31T09:30:00Z", "other": "x"}

    taken = shop.posts({"events": [message("e1", ctwaAttributions=[click])]})
    refused = [shop.posts(message("e2", ctwaAttributions=bad)) for bad in ("k1", [1], [{}] * 21)]

    assert (taken.status_code, {each.status_code for each in refused}) == (200, {400})
    (arrival,) = shop.arrivals()
    kept = {"ctwaClid": "k1", "sourceType": "ad", "clickedAt": "2026-01-31T09:30:00.000Z"}
    assert arrival["heard"]["ctwaAttributions"] == [kept]


def test_what_is_not_utf_8_is_refused_and_not_altered(client):
    shop = Shop(client)

    answer = shop.posts(b'{"id": "e1", "chat": "c1", "text": "caf\xe9"}')

    assert answer.status_code == 400
    assert "is not valid UTF-8" in answer.text
    assert shop.arrivals() == []


def test_the_token_may_be_a_bearer_and_the_path_begin_with_api(client):
    shop = Shop(client)
    bearer = {"Authorization": f"Bearer {shop.made['token']}"}

    assert shop.posts(message(), headers=bearer).status_code == 200
    assert shop.posts(message("e2"), path=f"/api{shop.path}").status_code == 200


def test_who_has_no_token_learns_nothing(client):
    shop = Shop(client)
    unknown = "/channels/nobody/events"
    tries = [
        shop.posts(message(), token="wrong"),
        shop.posts(message(), headers={}),
        shop.posts(b"junk", token="wrong"),
        shop.posts(message(), path=unknown),
        shop.posts(message(), path=unknown, token="wrong"),
        shop.posts(b"junk", path=unknown),
    ]

    assert {each.status_code for each in tries} == {403}
    assert len({each.text for each in tries}) == 1
    assert shop.arrivals() == []


def test_a_token_opens_its_own_channel_alone(client):
    shop, other = Shop(client), Shop(client)

    assert other.posts(message(), token=shop.made["token"]).status_code == 403


def test_the_token_of_a_channel_is_no_key(settings):
    key_for(settings, "admin")
    key = key_for(settings, "read", "write").key
    with client_of(settings) as client:
        client.headers["Authorization"] = f"Bearer {key}"
        shop = Shop(client)
        del client.headers["Authorization"]
        token = {"Authorization": f"Bearer {shop.made['token']}"}

        assert client.get("/agents", headers=token).status_code == 403
        assert shop.posts(message(), headers={"Authorization": f"Bearer {key}"}).status_code == 403
        assert shop.posts(message(), headers=token).status_code == 200


def test_a_renewed_token_counts_at_once(client):
    shop = Shop(client)
    assert shop.posts(message()).status_code == 200

    renewed = client.put(f"/channels/{shop.made['id']}/token", json={}).json()

    assert shop.posts(message("e2")).status_code == 403
    assert shop.posts(message("e2"), token=renewed["token"]).status_code == 200


@pytest.mark.parametrize(
    "body", [b"", b"{", b"7", b'"text"', b"[{}]", b'{"events": [{"id": "e1"}]}', b"\xff"]
)
def test_junk_is_refused_in_words_and_nothing_is_stored(client, body):
    shop = Shop(client)

    answer = shop.posts(body)

    assert answer.status_code == 400
    assert answer.json()["message"]
    assert answer.json()["details"]
    assert shop.arrivals() == []


def test_one_bad_event_refuses_the_whole_request(client):
    shop = Shop(client)

    answer = shop.posts([message("e1"), {"id": "e2"}])

    assert answer.status_code == 400
    assert "events[1].chat" in answer.json()["message"]
    assert shop.arrivals() == []


def test_where_events_are_posted_is_described(client):
    shop = Shop(client)
    described = client.get("/openapi.json").json()["paths"]["/channels/{accountId}/events"]["post"]
    schemas = described["requestBody"]["content"]["application/json"]["schema"]
    answer = shop.posts(message())

    jsonschema.validate({"events": [message()]}, schemas)
    jsonschema.validate([message()], schemas)
    jsonschema.validate(message(), schemas)
    jsonschema.validate(answer.json(), described["responses"]["200"]["content"]["application/json"]["schema"])
    assert {"400", "403", "413", "503"} <= described["responses"].keys()
    assert described["security"] == [{"channelToken": []}, {"key": []}]
    assert any("### POST /channels/{accountId}/events" in line for line in lines())


def test_too_much_at_once_is_refused(client):
    shop = Shop(client)

    assert shop.posts(b" " * (BODY + 1)).status_code == 413
    assert shop.posts([message(str(number)) for number in range(1_001)]).status_code == 413
    assert shop.arrivals() == []


def test_a_channel_that_is_switched_off_lets_the_provider_keep_its_events(client):
    shop = Shop(client, enabled=False)

    answer = shop.posts(message())
    assert (answer.status_code, "Retry-After" in answer.headers) == (503, True)
    assert answer.json()["error"] == "NOT_NOW"
    assert shop.arrivals() == []

    client.patch(f"/channels/{shop.made['id']}", json={"enabled": True})
    assert shop.posts(message()).json() == {"accepted": 1, "duplicates": 0}


def test_events_are_not_counted_as_calls_of_strangers(client):
    shop = Shop(client)

    assert {shop.posts(message(str(number))).status_code for number in range(100)} == {200}


def test_a_replay_makes_no_second_row(client):
    shop = Shop(client)

    answers = [shop.posts({"events": [message(), message()]}).json() for _ in range(5)]

    assert answers == [{"accepted": 1, "duplicates": 1}] + [{"accepted": 0, "duplicates": 2}] * 4
    assert len(shop.arrivals()) == 1


def test_a_batch_of_a_thousand_goes_to_the_right_conversations_of_two_accounts(settings):
    with client_of(settings, works=True) as client:
        shops = [Shop(client), Shop(client)]
        events = [message(str(number), chat=f"c{number % 10}") for number in range(1_000)]
        for shop in shops:
            client.patch(f"/agents/{shop.made['agentId']}", json={"inactiveHours": {}})
        kinds = [{**event, "type": "other"} if int(event["id"]) % 50 else event for event in events]

        taken = [shop.posts(kinds).json() for shop in shops]

        assert taken == [{"accepted": 1_000, "duplicates": 0}] * 2
        settled = _settled(client, shops)
    for shop, found in zip(shops, settled, strict=True):
        assert {each["channelId"] for each in found} == {shop.made["id"]}
        assert len({each["eventId"] for each in found}) == 20
        assert len({each["conversationId"] for each in found}) == 1


def _settled(client, shops):
    """The events of each that became messages, once all are heard."""
    found = []
    for shop in shops:
        path = f"/channels/{shop.made['id']}/arrivals"
        while client.get(path, params={"state": "waiting", "limit": 1}).json():
            pass
        found.append(client.get(path, params={"state": "done", "limit": 100}).json())
    return found


async def test_twenty_at_once_make_one_row(settings):
    with served(settings) as address:
        async with httpx2.AsyncClient(base_url=address, trust_env=False, timeout=30) as client:
            agent = (await client.post("/agents", json=AGENT)).json()
            given = {"agentId": agent["id"], "name": "Shop", "config": {"url": "https://shop.example/in"}}
            shop = (await client.post("/channels", json=given)).json()
            headers = {"X-Webhook-Token": shop["token"]}
            posts = [
                client.post(shop["eventsPath"], json=message(type="other"), headers=headers)
                for _ in range(20)
            ]

            answers = [each.json() for each in await asyncio.gather(*posts)]

            arrivals = (await client.get(f"/channels/{shop['id']}/arrivals")).json()
    assert sum(each["accepted"] for each in answers) == 1
    assert sum(each["duplicates"] for each in answers) == 19
    assert len(arrivals) == 1


def test_what_a_full_server_refuses_is_taken_once_there_is_room(tmp_path):
    full = settings_in(tmp_path, backlog=100)
    events = [message(str(number), type="other") for number in range(300)]
    with client_of(full) as client:
        shop = Shop(client)
        refused = [event for event in events if shop.posts(event).status_code == 503]
        answer = shop.posts(refused[0])
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
        assert len(refused) == 200
    with client_of(full, works=True) as client:  # which hears them meanwhile
        shop.client = client
        while refused:
            refused = [event for event in refused if shop.posts(event).status_code == 503]
        while client.get(f"{shop.path[:-7]}/arrivals", params={"state": "waiting", "limit": 1}).json():
            pass
        heard = [
            each["eventId"]
            for offset in range(0, 400, 100)
            for each in client.get(
                f"{shop.path[:-7]}/arrivals", params={"limit": 100, "offset": offset}
            ).json()
        ]
    assert sorted(heard) == sorted(event["id"] for event in events)


class Provider(ThreadingHTTPServer):
    """A provider on loopback that keeps what was posted to it and answers with a name for it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.taken: list[dict] = []
        self.came = threading.Event()


class _Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.taken.append(body)
        answer = json.dumps({"id": f"wamid.{len(self.server.taken)}"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
        self.server.came.set()

    def log_message(self, *words) -> None:
        """Nothing."""


@pytest.fixture
def provider():
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_from_a_providers_post_to_its_status_and_back(tmp_path, provider):
    port = provider.server_address[1]
    settings = settings_in(tmp_path, allowed_addresses=(f"127.0.0.1:{port}",))
    with client_of(settings, works=True) as client:
        shop = Shop(client, config={"url": f"http://127.0.0.1:{port}/in", "channel": "whatsapp"})
        assert shop.posts(message(name="Ann Lee", phoneNumber="+5511")).status_code == 200
        assert provider.came.wait(30)

        sent = provider.taken[0]
        assert (sent["type"], sent["chat"]) == ("message", "c1")
        assert sent["text"]
        status = {"id": "s1", "type": "status", "deliveryId": sent["id"], "status": "read"}
        assert shop.posts(status).json() == {"accepted": 1, "duplicates": 0}
        while len(client.get(f"{shop.path[:-7]}/arrivals", params={"state": "done"}).json()) < 2:
            pass
        (talk,) = client.get("/conversation").json()
        assert talk["channel"] == "whatsapp"
        assert talk["participantsContacts"][0]["phoneNumber"] == "+5511"
