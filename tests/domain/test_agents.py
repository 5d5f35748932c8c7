"""Handles, temperatures and the secrets in an agent's configurations."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from vivavoce.domain.agents import Agent, Handle, with_covered_configs
from vivavoce.domain.secrets import MARKER
from vivavoce.errors import InvalidInput

HANDLE = TypeAdapter(Handle)
CANARY = "canary-7f3a9c"
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)

handles = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{1,60}[A-Za-z0-9]", fullmatch=True)


@given(handles)
def test_a_handle_is_the_same_in_any_case_and_with_or_without_its_at(handle):
    forms = {HANDLE.validate_python(form) for form in (handle, f"@{handle}", handle.upper(), handle.lower())}

    assert forms == {handle.lower()}


@given(handles)
def test_a_handle_in_its_stored_form_stays_as_it_is(handle):
    stored = HANDLE.validate_python(handle)

    assert HANDLE.validate_python(stored) == stored


@pytest.mark.parametrize("handle", ["ab", "-abc", "abc_", "a b c", "@@abc", "ábc", "a/b", "abc\n", "x" * 65])
def test_a_handle_that_could_not_be_written_into_an_address_is_refused(handle):
    with pytest.raises(ValidationError):
        HANDLE.validate_python(handle)


@pytest.mark.parametrize("temperature", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_temperature_outside_zero_to_one_is_refused(temperature):
    with pytest.raises(ValidationError):
        an_agent(temperature=temperature)


@pytest.mark.parametrize("temperature", [0, 0.0, 0.5, 1])
def test_a_temperature_from_zero_to_one_is_kept(temperature):
    assert an_agent(temperature=temperature).temperature == temperature


@pytest.mark.parametrize(
    ("field", "config"),
    [
        ("config_url_external", {"url": "https://crm.example", "header": CANARY}),
        ("config_url_external", {"url": "https://crm.example", "header": {"X-Shop": CANARY}}),
        ("config_url_external", {"url": "https://crm.example", "header": [{"X-Shop": CANARY}]}),
        ("config_url_external", {"apiKey": CANARY}),
        ("config_url_infos_system_external", {"url_webhook_external": "https://a", "headerKey": CANARY}),
        ("config_url_infos_system_external", {"nested": [{"access_token": CANARY}]}),
        ("config_url_infos_system_external", {"tokens": [CANARY]}),
        ("config_url_infos_system_external", {"auth": {"user": "ana", "pass": CANARY}}),
    ],
)
def test_what_authenticates_an_outgoing_call_is_covered_and_comes_back_by_its_marker(field, config):
    covered = with_covered_configs({field: config}, {})

    assert CANARY not in json.dumps(covered[field])
    assert CANARY in covered["secrets"].values()
    assert with_covered_configs({field: covered[field]}, covered["secrets"]) == covered


def test_a_config_that_is_not_given_keeps_its_secrets():
    first = with_covered_configs({"config_url_external": {"header": CANARY}}, {})

    second = with_covered_configs({"config_url_infos_system_external": {"headerKey": "k"}}, first["secrets"])

    assert sorted(second["secrets"].values()) == [CANARY, "k"]


@pytest.mark.parametrize("config", [None, {}, {"url": "https://crm.example"}])
def test_a_config_that_is_replaced_or_cleared_lets_its_secrets_go(config):
    first = with_covered_configs({"config_url_external": {"header": CANARY}}, {})

    assert with_covered_configs({"config_url_external": config}, first["secrets"])["secrets"] == {}


def test_the_marker_of_one_config_does_not_open_the_secret_of_the_other():
    first = with_covered_configs({"config_url_external": {"header": CANARY}}, {})

    with pytest.raises(InvalidInput, match="none is stored"):
        with_covered_configs({"config_url_infos_system_external": {"header": MARKER}}, first["secrets"])


def test_secrets_are_in_no_form_of_an_agent_that_leaves_the_program():
    agent = an_agent(secrets={"config_url_external.header": CANARY})

    assert CANARY not in agent.model_dump_json()
    assert CANARY not in repr(agent)
    assert CANARY not in str(agent)


def an_agent(**fields) -> Agent:
    known = {"id": "a1", "organization_id": "o1", "created_at": NOON, "updated_at": NOON}
    return Agent(**known, name="Ana", model_name="gpt_4_o", **fields)
