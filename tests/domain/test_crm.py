"""Steps: what they may be told to do."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from pydantic import ValidationError

from vivavoce.domain.crm import Step, WhatsappTemplate, ZapiNotice, with_covered_webhook
from vivavoce.domain.secrets import MARKER
from vivavoce.errors import InvalidInput

from .json_values import objects, texts

CANARY = "canary-7f3a9c"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
KNOWN = {"id": "s1", "organization_id": "o1", "created_at": NOON, "updated_at": NOON, "scenario_id": "c1"}
CHOOSING = ["single_user", "random_selected", "fair_distribution_selected"]


def a_step(**fields) -> Step:
    return Step(**KNOWN, index=0, name="Qualified", **fields)


@pytest.mark.parametrize("logic", CHOOSING)
def test_a_step_that_assigns_somebody_names_who_can_be_chosen(logic):
    with pytest.raises(InvalidInput, match="selectedMembershipIdsForAssignee") as refusal:
        a_step(assignee_logic_type=logic)

    assert refusal.value.hint
    assert a_step(assignee_logic_type=logic, selected_membership_ids_for_assignee=["m1"])


@pytest.mark.parametrize("logic", ["none", "clear"])
def test_a_step_that_assigns_nobody_needs_no_names(logic):
    assert a_step(assignee_logic_type=logic).selected_membership_ids_for_assignee == []


def test_a_change_that_takes_the_names_away_is_refused_too():
    step = a_step(assignee_logic_type="single_user", selected_membership_ids_for_assignee=["m1"])

    with pytest.raises(InvalidInput):
        step.changed(NOON, selected_membership_ids_for_assignee=[])


@pytest.mark.parametrize(
    "field",
    [
        {"auto_next_time": -1},
        {"auto_next_time": 31_536_001},
        {"auto_next_time_unit": "s"},
        {"default_status": "OPEN"},
        {"default_priority": "URGENT"},
        {"default_tags": ["x" * 26]},
        {"default_tags": [" "]},
        {"default_tags": ["x"] * 101},
        {"agent_id": "../a"},
        {"webhook_url": "javascript:alert(1)"},
        {"webhook_url": "https://ana:pw@hooks.example"},
        {"webhook_url": "https://hooks.example\\@127.0.0.1"},
        {"webhook_url": "https://hooks.example:0/"},
    ],
)
def test_a_step_field_outside_its_rule_is_refused(field):
    with pytest.raises(ValidationError):
        a_step(**field)


def test_a_step_names_the_agents_of_its_answers_and_of_its_messages():
    step = a_step(
        agent_id="a1", zapi=ZapiNotice(agent_id="a2"), whatsapp=WhatsappTemplate(template_agent_id="a3")
    )

    assert step.agents_named() == ["a1", "a2", "a3"]
    assert a_step().agents_named() == []


@pytest.mark.parametrize("header", [CANARY, {"X-Any": CANARY}, {"X-Any": [CANARY, {"deep": CANARY}]}])
def test_a_webhook_header_is_covered_whole_and_comes_back_by_its_marker(header):
    covered = with_covered_webhook({"webhook_header": header})

    assert CANARY not in json.dumps(covered["webhook_header"])
    assert with_covered_webhook({"webhook_header": covered["webhook_header"]}, a_step(**covered)) == covered


@given(objects(leaves=texts.filter(lambda text: MARKER not in text)))
def test_any_webhook_header_read_and_written_back_keeps_its_secrets(header):
    covered = with_covered_webhook({"webhook_header": header})

    assert with_covered_webhook({"webhook_header": covered["webhook_header"]}, a_step(**covered)) == covered


@pytest.mark.parametrize("header", [None, {}, ""])
def test_a_webhook_header_that_is_cleared_lets_its_secrets_go(header):
    stored = a_step(**with_covered_webhook({"webhook_header": CANARY}))

    assert with_covered_webhook({"webhook_header": header}, stored)["secrets"] == {}


def test_a_webhook_header_that_is_not_given_is_left_alone():
    stored = a_step(**with_covered_webhook({"webhook_header": CANARY}))

    assert with_covered_webhook({"prompt": "Ask."}, stored) == {"prompt": "Ask.", "secrets": stored.secrets}


HOOK = {"webhook_url": f"https://hooks.example/x?sig={CANARY}", "webhook_header": {"X-Any": 12345}}


def test_the_secrets_of_a_webhook_are_covered_in_its_address_and_when_they_are_numbers():
    covered = with_covered_webhook(HOOK)

    assert covered["webhook_url"] == f"https://hooks.example/x?sig={MARKER}"
    assert covered["webhook_header"] == {"X-Any": MARKER}
    assert sorted(covered["secrets"].values(), key=str) == [12345, CANARY]
    given = {name: covered[name] for name in HOOK}
    assert with_covered_webhook(given, a_step(**covered)) == covered


def test_each_part_of_a_webhook_can_change_without_the_other():
    step = a_step(**with_covered_webhook(HOOK))

    moved = with_covered_webhook({"webhook_url": "https://hooks.example/y"}, step)
    renewed = with_covered_webhook({"webhook_header": "new"}, step)

    assert list(moved["secrets"].values()) == [12345]
    assert sorted(renewed["secrets"].values()) == [CANARY, "new"]


@pytest.mark.parametrize(
    "change",
    [
        {"webhook_url": "https://evil.example"},
        {"webhook_url": "https://evil.example", "webhook_header": {"X-Any": MARKER}},
        {"webhook_url": f"https://evil.example?sig={MARKER}", "webhook_header": None},
    ],
)
def test_a_secret_does_not_follow_a_webhook_to_another_host(change):
    with pytest.raises(InvalidInput, match="another host") as refusal:
        with_covered_webhook(change, a_step(**with_covered_webhook(HOOK)))

    assert "again for the new address" in refusal.value.hint


@pytest.mark.parametrize("header", [None, {"X-Any": "new"}])
def test_a_webhook_moves_to_another_host_with_a_new_header_or_none(header):
    change = {"webhook_url": "https://other.example", "webhook_header": header}

    assert (
        with_covered_webhook(change, a_step(**with_covered_webhook(HOOK)))["webhook_url"]
        == change["webhook_url"]
    )
