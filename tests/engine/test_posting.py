"""Sending to webhooks: signed, tried again by a ladder, paused where nobody listens, never lost sight of."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest

from vivavoce.domain.webhooks import WAITS
from vivavoce.errors import InvalidInput, UpstreamFailed
from vivavoce.ports import Reply
from vivavoce.testing import CountedIds, ScriptedModel, TestModels, open_test_engine

from .receivers import HOOK, HookDesk, Receiver, climb, hook_desks, is_signed, secret_of

SECRET = "s3cr3t-canary-4711"
HOURS = (0, 5, 300, 1_800, 7_200, 18_000, 36_000, 36_000)


@pytest.fixture
def desk(tmp_path, clock):
    """Opens a desk whose events go to a receiver that answers so."""
    with hook_desks(tmp_path, clock) as open_desk:
        yield open_desk


async def test_an_event_is_signed_with_the_secret_of_the_workspace(desk, clock):
    at = await desk()
    await at.ask()
    await at.works()

    ((url, headers, body),) = at.receiver.sent
    assert (url, headers["Content-Type"]) == (HOOK, "application/json")
    assert headers["Vivavoce-Timestamp"] == str(int(clock.now().timestamp()))
    secret = await secret_of(at.engine)
    assert is_signed(headers, body, secret)
    assert not is_signed(headers, body + b" ", secret)
    assert not is_signed(headers, body, secret[:-1])
    (delivery,) = await at.deliveries()
    assert (delivery.id, delivery.state, delivery.sent_at) == (headers["Vivavoce-Id"], "sent", clock.now())
    assert delivery.tries == [{"at": delivery.tries[0]["at"], "status": 200}]


@pytest.mark.parametrize("answer", [500, 302, 400, 404, 429, UpstreamFailed("hooks.example is silent.")])
async def test_what_is_not_taken_is_tried_again_by_the_ladder(desk, clock, answer):
    at = await desk(answer)
    began = clock.now()
    await at.ask()
    await at.works()

    for wait in WAITS["webhook"]:
        tries = len(at.receiver.sent)
        clock.advance(seconds=wait * 0.79)
        await at.works()
        assert len(at.receiver.sent) == tries
        clock.advance(seconds=wait * 0.42)
        await at.works()
        assert len(at.receiver.sent) == tries + 1
    clock.advance(days=30)
    await at.works()

    assert len(at.receiver.sent) == len(HOURS)
    assert (0.0, *WAITS["webhook"]) == HOURS
    assert len(set(at.receiver.ids)) == 1
    (delivery,) = await at.deliveries()
    assert (delivery.state, len(delivery.tries), delivery.due_at) == ("failed", 8, None)
    assert clock.now() - began > timedelta(hours=27)
    assert await at.jobs() == 0


async def test_each_try_is_signed_anew_under_the_same_id(desk, clock):
    at = await desk(500, 200)
    await at.ask()
    await at.works()
    await climb(at, clock, 1)

    (_, first, one), (_, second, two) = at.receiver.sent
    assert (first["Vivavoce-Id"], one) == (second["Vivavoce-Id"], two)
    assert first["Vivavoce-Timestamp"] != second["Vivavoce-Timestamp"]
    assert first["Vivavoce-Signature"] != second["Vivavoce-Signature"]


async def test_a_receiver_that_says_when_is_not_asked_before(desk, clock):
    at = await desk(Reply(429, {"retry-after": "120"}, b"", False), 200)
    await at.ask()
    await at.works()

    clock.advance(seconds=119)
    await at.works()
    assert len(at.receiver.sent) == 1
    clock.advance(seconds=2)
    await at.works()

    assert [each.state for each in await at.deliveries()] == ["sent"]


@pytest.mark.parametrize("wish", ["99999999999", "-5", "soon", "", "nan", "٣", "Wed, 21 Oct 2099 07:28 GMT"])
async def test_a_wish_that_makes_no_sense_does_not_stop_the_ladder(desk, clock, wish):
    at = await desk(Reply(503, {"retry-after": wish}, b"", False), 200)
    await at.ask()
    await at.works()

    clock.advance(hours=1, seconds=1)
    await at.works()

    assert [each.state for each in await at.deliveries()] == ["sent"]


async def test_an_address_that_may_not_be_reached_is_not_tried_again(desk):
    at = await desk(InvalidInput("The address 10.0.0.1 is not public."))
    await at.ask()
    await at.works()

    (delivery,) = await at.deliveries()
    assert (delivery.state, delivery.reason) == ("failed", "The address 10.0.0.1 is not public.")
    assert len(at.receiver.sent) == 1


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (f"X-Hook-Key: {SECRET}", {"X-Hook-Key": SECRET}),
        (f"x-hook-key:{SECRET}", {"x-hook-key": SECRET}),
        (f"Bearer {SECRET}", {"Authorization": f"Bearer {SECRET}"}),
        (SECRET, {"Authorization": SECRET}),
        ({"X-One": SECRET}, {"X-One": SECRET}),
        (json.dumps({"X-One": SECRET}), {"X-One": SECRET}),
        ("Content-Type: text/plain", {"Content-Type": "application/json"}),
        ("vivavoce-signature: v1=forged", {}),
        ("", {}),
        (None, {}),
    ],
)
async def test_the_receiver_knows_us_by_the_header_it_wants(desk, written, expected):
    at = await desk(hook={"url_webhook_external": HOOK, "headerKey": written})
    await at.ask()
    await at.works()

    ((_, headers, _),) = at.receiver.sent
    assert {name: headers[name] for name in expected} == expected
    assert not {name for name in headers if name.lower() == "vivavoce-signature"} - {"Vivavoce-Signature"}
    assert headers["Vivavoce-Signature"] != "v1=forged"


async def test_secrets_stand_nowhere_but_in_the_request(desk, clock, caplog):
    caplog.set_level(logging.DEBUG)
    hook = {"url_webhook_external": f"{HOOK}?token={SECRET}", "headerKey": f"X-Key: {SECRET}"}
    at = await desk(InvalidInput(f"No valid request: X-Key {SECRET}."), hook=hook)
    await at.ask()
    await at.works()
    at.receiver.answers[:] = [UpstreamFailed(f"{HOOK}?token={SECRET} broke off.")]
    await at.ask()
    await at.works()

    (url, headers, body), *_ = at.receiver.sent
    assert (url, headers["X-Key"]) == (f"{HOOK}?token={SECRET}", SECRET)
    assert SECRET.encode() not in body
    shown = [await at.run("list_deliveries"), await at.run("get_webhook_status", id=at.agent)]
    shown += [await at.run("get_delivery", deliveryId=each["id"]) for each in shown[0]["deliveries"]]
    stored = [each.model_dump_json() for each in await at.deliveries()]
    stored.append((await at.endpoint()).model_dump_json())
    assert SECRET not in json.dumps(shown) + "".join(stored) + caplog.text
    assert "********" in json.dumps(shown)
    sold = await at.engine.ports.store.read(
        lambda tables: repr(list(tables.connection.execute("select * from jobs", {})))
    )
    assert SECRET not in sold


async def test_the_address_is_looked_up_when_it_is_sent(desk, clock):
    at = await desk(503, 200)
    await at.ask()
    await at.works()

    other = {"url_webhook_external": "https://other.example/", "headerKey": "X-New: 1"}
    await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=other)
    await climb(at, clock, 1)

    assert [url for url, _, _ in at.receiver.sent] == [HOOK, "https://other.example/"]
    assert at.receiver.sent[-1][1]["X-New"] == "1"


async def test_what_nobody_wants_to_know_any_more_is_withdrawn(desk, clock):
    at = await desk(503)
    await at.ask()
    await at.works()

    await at.run("update_agent", id=at.agent, configUrlInfosSystemExternal=None)
    await climb(at, clock, 1)

    (delivery,) = await at.deliveries()
    assert (delivery.state, delivery.reason) == ("withdrawn", "No webhook is set any more.")
    assert (len(at.receiver.sent), await at.jobs()) == (1, 0)


@pytest.mark.parametrize("gone", ["agent", "conversation"])
async def test_what_is_deleted_is_told_to_nobody(desk, clock, gone):
    at = await desk(503)
    talk = (await at.ask())["conversationId"]
    await at.works()

    if gone == "agent":
        await at.run("delete_agent", id=at.agent)
    else:
        await at.run("delete_conversation", conversationId=talk)
    await climb(at, clock, 1)

    assert (len(at.receiver.sent), await at.jobs(), await at.deliveries()) == (1, 0, [])


async def test_an_event_that_was_being_sent_when_the_process_ended_is_sent_again(tmp_path, clock):
    ids, receiver = CountedIds(), Receiver()
    models = TestModels(ScriptedModel(["Nine."]))
    with open_test_engine(tmp_path, clock, ids, models=models, outside=receiver) as engine:
        at = await HookDesk(engine, receiver).opened()
        await at.ask()
        claimed = await engine.worker._claim(10)
        assert [job.kind for job in claimed] == ["post"]
    clock.advance(seconds=11)  # the lease of the process that is gone

    with open_test_engine(tmp_path, clock, ids, models=models, outside=receiver) as engine:
        await engine.worker.finish_due()
        states = await engine.ports.store.read(
            lambda tables: [each.state for each in tables.deliveries.where()]
        )

    assert (len(receiver.sent), states) == (1, ["sent"])


async def test_events_of_a_conversation_come_in_order(desk):
    at = await desk()
    for number in range(20):
        await at.ask(f"{number}?", conversationId=f"talk-{number % 3}")
    await at.works()

    for talk in range(3):
        told = [
            int(each["userMessage"][:-1])
            for each in at.receiver.events
            if each["conversationId"] == f"talk-{talk}"
        ]
        assert told == sorted(told)
    assert len(at.receiver.events) == 20
