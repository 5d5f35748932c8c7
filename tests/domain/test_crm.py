"""Steps: what they may be told to do."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from pydantic import ValidationError

from vivavoce.domain.crm import Step, WhatsappTemplate, ZapiNotice, with_covered_header
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
    covered = with_covered_header({"webhook_header": header}, {})

    assert CANARY not in json.dumps(covered["webhook_header"])
    assert with_covered_header({"webhook_header": covered["webhook_header"]}, covered["secrets"]) == covered


@given(objects(leaves=texts.filter(lambda text: text != MARKER)))
def test_any_webhook_header_read_and_written_back_keeps_its_secrets(header):
    covered = with_covered_header({"webhook_header": header}, {})

    assert with_covered_header({"webhook_header": covered["webhook_header"]}, covered["secrets"]) == covered


@pytest.mark.parametrize("header", [None, {}, ""])
def test_a_webhook_header_that_is_cleared_lets_its_secrets_go(header):
    stored = with_covered_header({"webhook_header": CANARY}, {})["secrets"]

    assert with_covered_header({"webhook_header": header}, stored)["secrets"] == {}


def test_a_webhook_header_that_is_not_given_is_left_alone():
    assert with_covered_header({"prompt": "Ask."}, {"webhookHeader": CANARY}) == {"prompt": "Ask."}
