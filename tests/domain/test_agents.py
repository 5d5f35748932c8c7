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
        ("config_url_external", {"url": f"https://crm.example/x?token={CANARY}&page=1"}),
        ("config_url_external", {"header": 12345, "apiKey": False, "token": 1.5, "secret": CANARY}),
        ("config_url_infos_system_external", {"url_webhook_external": f"https://a/x?sig={CANARY}"}),
        ("config_url_infos_system_external", {"other": f"ftp://ana:{CANARY}@a.example/x"}),
        ("interface_config", {"apiKey": CANARY, "header": "Welcome"}),
        ("config_url_infos_system_external", {"url_webhook_external": "https://a", "headerKey": CANARY}),
        ("config_url_infos_system_external", {"nested": [{"access_token": CANARY}]}),
        ("config_url_infos_system_external", {"tokens": [CANARY]}),
        ("config_url_infos_system_external", {"auth": {"user": "ana", "pass": CANARY}}),
    ],
)
def test_what_authenticates_an_outgoing_call_is_covered_and_comes_back_by_its_marker(field, config):
    covered = with_covered_configs({field: config})

    assert CANARY not in json.dumps(covered[field])
    assert any(CANARY in str(secret) for secret in covered["secrets"].values())
    assert with_covered_configs({field: covered[field]}, an_agent(**covered)) == covered


def test_a_config_that_is_not_given_keeps_its_secrets():
    first = with_covered_configs({"config_url_external": {"header": CANARY}})

    second = with_covered_configs({"config_url_infos_system_external": {"headerKey": "k"}}, an_agent(**first))

    assert sorted(second["secrets"].values()) == [CANARY, "k"]


@pytest.mark.parametrize("config", [None, {}, {"url": "https://crm.example"}])
def test_a_config_that_is_replaced_or_cleared_lets_its_secrets_go(config):
    first = with_covered_configs({"config_url_external": {"header": CANARY}})

    assert with_covered_configs({"config_url_external": config}, an_agent(**first))["secrets"] == {}


def test_the_marker_of_one_config_does_not_open_the_secret_of_the_other():
    first = with_covered_configs({"config_url_external": {"header": CANARY}})

    with pytest.raises(InvalidInput, match="none is stored"):
        with_covered_configs({"config_url_infos_system_external": {"header": MARKER}}, an_agent(**first))


def test_secrets_are_in_no_form_of_an_agent_that_leaves_the_program():
    agent = an_agent(secrets={"config_url_external.header": CANARY})

    assert CANARY not in agent.model_dump_json()
    assert CANARY not in repr(agent)
    assert CANARY not in str(agent)


def an_agent(**fields) -> Agent:
    known = {"id": "a1", "organization_id": "o1", "created_at": NOON, "updated_at": NOON}
    return Agent(**known, name="Ana", model_name="gpt_4_o", **fields)


def test_the_header_of_the_chat_window_is_a_text_like_any_other():
    config = {"header": "Welcome", "color": "#fff", "isOpen": True}

    assert with_covered_configs({"interface_config": config}) == {"interface_config": config, "secrets": {}}


@pytest.mark.parametrize(
    "url", ["https://ana:pw@crm.example", "crm.example", "https://crm.example:0", 5, ["x"]]
)
@pytest.mark.parametrize(
    ("field", "name"),
    [("config_url_external", "url"), ("config_url_infos_system_external", "url_webhook_external")],
)
def test_an_external_address_that_breaks_the_rules_is_refused_by_its_name(field, name, url):
    with pytest.raises(InvalidInput, match=rf"^config[A-Za-z]+\.{name}: must|^config[A-Za-z]+\.{name}: the"):
        with_covered_configs({field: {name: url}})


@pytest.mark.parametrize(
    "url", ["https://evil.example/x", "http://crm.example/x", "https://crm.example:8443/x"]
)
def test_a_secret_does_not_follow_an_external_address_to_another_host(url):
    first = {"url": f"https://crm.example/x?token={CANARY}", "header": CANARY}
    agent = an_agent(**with_covered_configs({"config_url_external": first}))

    for config in ({"url": url, "header": MARKER}, {"url": f"{url}?token={MARKER}"}):
        with pytest.raises(InvalidInput, match="another host") as refusal:
            with_covered_configs({"config_url_external": config}, agent)
        assert refusal.value.hint == "Write the secret again for the new address."


def test_a_secret_does_not_follow_an_address_that_was_cleared_and_set_anew():
    agent = an_agent(**with_covered_configs({"config_url_external": {"url": "https://a", "header": CANARY}}))
    agent = an_agent(**with_covered_configs({"config_url_external": {"header": MARKER}}, agent))

    with pytest.raises(InvalidInput, match="another host"):
        with_covered_configs({"config_url_external": {"url": "https://b", "header": MARKER}}, agent)


def test_a_secret_stays_when_the_address_changes_behind_its_host():
    agent = an_agent(**with_covered_configs({"config_url_external": {"url": "https://a", "header": CANARY}}))

    changed = {"config_url_external": {"url": "HTTPS://A:443/new", "header": MARKER}}

    assert list(with_covered_configs(changed, agent)["secrets"].values()) == [CANARY]
