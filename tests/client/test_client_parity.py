"""Parity: the engine, and the client on our own REST surface, give the same results for every operation."""

from __future__ import annotations

import json

import pytest
from script import Outcome, carried_out, plain
from serving import settings_in

import vivavoce
from vivavoce.app import open_app
from vivavoce.client.failing import SERVED
from vivavoce.client.reading import result_of
from vivavoce.client.served import ServedBackend
from vivavoce.errors import VivavoceError
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.exchanges import Reply
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.answers import AgentAnswer

UNSERVED = {"create_key", "list_keys", "revoke_key"}
"""Operations for the command line alone."""


def door(platform):
    """The client as a door: what it has no way to is left out, as on the REST surface."""

    async def call(name, arguments):
        try:
            op = CATALOGUE[name].parse(arguments)
            if not platform.supports(type(op)):
                return Outcome(name)
            result = await platform.run(op)
        except VivavoceError as error:
            return Outcome(name, error=told(error))
        assert type(result) is op.spec.result
        return Outcome(name, result)

    return call


def told(error):
    """Everything about an error that a caller may act on."""
    return [type(error).__name__, error.code, error.message, error.hint, error.details]


@pytest.fixture(scope="module")
async def reference(tmp_path_factory):
    """What the script comes to on the engine itself, and each operation with its result."""
    ran = []

    async with open_app(settings_in(tmp_path_factory.mktemp("reference")), works=True) as app:

        async def call(name, arguments):
            try:
                op = CATALOGUE[name].parse(arguments)
                result = await app.backend.run(op, OPERATOR)
            except VivavoceError as error:
                return Outcome(name, error=told(error))
            ran.append((op, result))
            return Outcome(name, result)

        return await carried_out(call), ran


async def test_the_client_gives_what_the_engine_gives(reference, server):
    address, key = server
    async with vivavoce.connect(address, key.key) as platform:
        outcomes = await carried_out(door(platform))

    expected, _ = reference
    given = plain([alike(outcome, key.id) for outcome in outcomes if outcome.name not in UNSERVED])
    wanted = plain([alike(outcome) for outcome in expected if outcome.name not in UNSERVED])
    for mine, theirs in zip(given, wanted, strict=True):
        assert mine == theirs


async def test_every_operation_with_a_route_was_compared(reference):
    outcomes, _ = reference
    failing = {"answer_approval", "get_delivery", "redeliver", "retry_answer", "retry_arrival"}
    succeeded = {outcome.name for outcome in outcomes if outcome.error is None}

    assert CATALOGUE.keys() - succeeded == failing
    assert {kind.spec.name for kind in CATALOGUE.values() if not ways_to(kind)} == UNSERVED


def test_every_result_finds_its_way_back_from_the_wire(reference):
    _, ran = reference
    for op, result in ran:
        route = op.spec.route
        status = 200 if route is None else route.status
        body = b"" if status == 204 else json.dumps(result.wire()).encode()
        again = result_of(op, Reply(status, "application/json", body))

        assert type(again) is op.spec.result
        if not is_silent(result):
            assert again.model_dump(mode="json") == result.model_dump(mode="json"), op


def ways_to(kind):
    return ServedBackend(Calls("http://127.0.0.1:1", SERVED), "").supports(kind)


def is_silent(result):
    """Where the AI keeps silent, the wire does not say why."""
    return isinstance(result, AgentAnswer) and result.answer is None and result.message_id is None


def alike(outcome, key_id=""):
    """An outcome without what must differ: who asks is a key there, and why the AI keeps silent."""
    result = outcome.result
    if result is None:
        return outcome
    if is_silent(result):
        assert result.metadata["reason"]
        result = result.model_copy(update={"metadata": {}})
    text = json.dumps(result.model_dump(mode="json"))
    text = text.replace(f'"{key_id}"', '"operator"') if key_id else text
    return Outcome(outcome.name, json.loads(text), outcome.error)
