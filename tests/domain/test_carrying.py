"""Things of others become entities of ours: what breaks a rule is cut or left out, and said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.agents import Agent
from vivavoce.domain.carrying import carried
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.imports import fingerprint
from vivavoce.errors import InvalidInput

MADE = "2025-01-01T00:00:00Z"
IDENTITY = {"id": "c1", "organization_id": "o", "created_at": MADE, "updated_at": MADE}


def test_what_keeps_our_rules_is_carried_over_as_it_is():
    agent, losses = carried(Agent, {**IDENTITY, "name": "Ana", "model_name": "m", "temperature": 0.0})

    assert (agent.name, agent.temperature, losses) == ("Ana", 0.0, [])


def test_a_text_that_is_too_long_is_cut():
    agent, losses = carried(Agent, {**IDENTITY, "name": "a" * 300, "model_name": "m"})

    assert len(agent.name) == 200
    assert losses == ["name: was cut to 200 characters"]


def test_what_breaks_a_rule_and_is_not_needed_is_left_out():
    talk, losses = carried(Conversation, {**IDENTITY, "channel": "fax", "frustration": 7})

    assert (talk.channel, talk.frustration) == ("api", None)
    assert losses == [
        "channel: 'fax' is not known here",
        "frustration: was left out: input should be less than or equal to 1",
    ]


def test_a_name_that_is_none_gets_one():
    agent, losses = carried(Agent, {**IDENTITY, "name": "\n", "model_name": "m"})

    assert agent.name == "Untitled"
    assert losses[0].startswith("name: was changed: ")


@pytest.mark.parametrize("lacking", ["name", "model_name"])
def test_what_lacks_something_needed_is_refused_by_name(lacking):
    fields = {**IDENTITY, "name": "Ana", "model_name": "m"}
    del fields[lacking]

    with pytest.raises(InvalidInput, match="It cannot be kept here"):
        carried(Agent, fields)


@pytest.mark.parametrize("id", ["", "a/b", "a" * 65, None, "é"])
def test_an_id_that_cannot_stand_in_an_address_is_refused(id):
    with pytest.raises(InvalidInput, match="Its id"):
        carried(Agent, {**IDENTITY, "id": id, "name": "Ana", "model_name": "m"})


@given(st.text(), st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3))
def test_any_text_can_be_stored_afterwards(text, metadata):
    said = {"conversation_id": "c", "from_": "human", "text": text, "metadata": metadata}

    message, _ = carried(Message, {**IDENTITY, **said})

    assert "\0" not in message.model_dump_json()
    message.text.encode()


def test_a_fingerprint_tells_states_apart_but_for_what_changes_by_itself():
    source = {"name": "a", "status": "pending", "updatedAt": MADE}

    same = fingerprint("datasources", {**source, "status": "synched", "updatedAt": "later", "nbChunks": 3})

    assert fingerprint("datasources", source) == same
    assert fingerprint("datasources", {**source, "name": "b"}) != same
    assert fingerprint("datasources", source, "text") != same
