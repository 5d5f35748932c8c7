"""Lists of the hosted service are read row by row."""

from __future__ import annotations

import pytest
from fake import KEY, hosting, says

from vivavoce.errors import NotAuthenticated, UpstreamFailed
from vivavoce.operations import OPERATOR
from vivavoce.operations.agents import AgentShown, ListAgents
from vivavoce.operations.contacts import ListContacts
from vivavoce.operations.messages import ListMessages

AGENT = {"id": "c1", "name": "Ana", "modelName": "m", "createdAt": "2025-01-01T00:00:00.123Z"}


async def test_a_row_that_cannot_be_read_leaves_the_others():
    async with hosting(says(200, [AGENT, {"id": "c2", "name": ["odd"]}, 7])) as fake:
        good, bad, none = await fake.backend.rows(ListAgents(), OPERATOR)

    assert isinstance(good.shown, AgentShown)
    assert (good.id, good.created_at, good.fault) == ("c1", "2025-01-01T00:00:00.123Z", "")
    assert (bad.id, bad.shown) == ("c2", None)
    assert "name" in bad.fault
    assert (none.id, none.shown) == ("", None)


@pytest.mark.parametrize("wrapper", ["contacts", "data", "items", "results"])
async def test_a_list_is_found_wherever_it_is_wrapped(wrapper):
    async with hosting(says(200, {wrapper: [{"id": "c1"}], "count": 1})) as fake:
        (row,) = await fake.backend.rows(ListContacts(), OPERATOR)

    assert row.shown.id == "c1"


async def test_messages_are_read_one_by_one_as_well():
    body = {
        "messages": [{"id": "m1", "text": "hi", "from": "human"}, {"id": "m2", "text": 7, "from": []}],
        "status": "UNRESOLVED",
    }
    async with hosting(says(200, body)) as fake:
        first, second = await fake.backend.rows(ListMessages(conversation_id="c", count=9), OPERATOR)

    assert first.shown.text == "hi"
    assert second.shown is None


@pytest.mark.parametrize("body", [{"agents": 7}, 7, None, "<html>"])
async def test_an_answer_without_a_list_is_a_failure(body):
    async with hosting(says(200, body)) as fake:
        with pytest.raises(UpstreamFailed):
            await fake.backend.rows(ListAgents(), OPERATOR)


async def test_a_refusal_is_one_of_our_errors_and_secrets_are_covered():
    secretive = {
        **AGENT,
        "configUrlExternal": {"url": "https://a.example/", "header": "hush"},
        "description": KEY,
    }
    async with hosting(says(200, [secretive]), says(403, {"error": "UNAUTHORIZED"})) as fake:
        (row,) = await fake.backend.rows(ListAgents(), OPERATOR)
        with pytest.raises(NotAuthenticated):
            await fake.backend.rows(ListAgents(), OPERATOR)

    assert "hush" not in row.shown.model_dump_json()
    assert KEY not in row.shown.model_dump_json()
