"""Endpoints: what a receiver knows us by, and when its address is paused."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.agents import Agent, with_covered_configs
from vivavoce.domain.crm import Step, with_covered_webhook
from vivavoce.domain.endpoints import FAILING_FOR, MOST_FAILURES, Endpoint, webhook_of, webhook_of_step

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KNOWN = {"id": "x1", "organization_id": "o1", "created_at": NOW, "updated_at": NOW}
URL = "https://hooks.example/in"


def agent_with(config) -> Agent:
    fields = with_covered_configs({"config_url_infos_system_external": config})
    return Agent.model_validate({**KNOWN, "name": "Ana", "model_name": "m", **fields})


def step_with(**fields) -> Step:
    known = {**KNOWN, "scenario_id": "s1", "index": 0, "name": "Hot"}
    return Step.model_validate({**known, **with_covered_webhook(fields)})


@pytest.mark.parametrize("config", [None, {}, {"url_webhook_external": ""}, {"url_webhook_external": None}])
def test_without_an_address_there_is_no_webhook(config):
    assert webhook_of(agent_with(config)) is None
    assert webhook_of_step(step_with()) is None


def test_the_secrets_of_an_address_are_put_in_when_it_is_called():
    agent = agent_with({"url_webhook_external": f"{URL}?token=abc-123&n=1&token=def-456", "headerKey": "k-1"})

    webhook = webhook_of(agent)

    assert webhook.url == f"{URL}?token=abc-123&n=1&token=def-456"
    assert webhook.shown == f"{URL}?token=********&n=1&token=********"
    assert webhook.headers == {"Authorization": "k-1"}
    assert set(webhook.secrets) == {"abc-123", "def-456", "k-1"}
    assert "abc-123" not in repr(webhook)
    assert "k-1" not in repr(webhook)


@pytest.mark.parametrize(
    ("written", "headers"),
    [
        ("X-Key: abc", {"X-Key": "abc"}),
        ("x_key:abc:def", {"x_key": "abc:def"}),
        ("  Authorization :  Bearer abc  ", {"Authorization": "Bearer abc"}),
        ("Bearer abc", {"Authorization": "Bearer abc"}),
        ("Basic dXNlcjpwdw==", {"Authorization": "Basic dXNlcjpwdw=="}),
        ("123:ABC", {"Authorization": "123:ABC"}),
        ('{"X-Key": "abc", "X-Number": 7}', {"X-Key": "abc", "X-Number": "7"}),
        ('{"X-Key": ', {"Authorization": '{"X-Key":'}),
        ({"X-Key": "abc", "X-None": None, "X-Empty": "", "bad name": "x"}, {"X-Key": "abc"}),
        ("", {}),
    ],
)
def test_a_header_is_read_as_people_write_it(written, headers):
    assert webhook_of(agent_with({"url_webhook_external": URL, "headerKey": written})).headers == headers
    assert webhook_of_step(step_with(webhook_url=URL, webhook_header=written)).headers == headers


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=60))
def test_an_address_is_paused_after_many_failures_for_long_and_never_else(happened):
    at, endpoint, failed = NOW, None, []
    for hours, is_taken in happened:
        at += timedelta(hours=hours)
        if is_taken:
            endpoint, failed = None, []
            continue
        failed.append(at)
        endpoint = (endpoint or Endpoint(**KNOWN, url=URL)).failed(at, "no")
        was_due = any(
            number >= MOST_FAILURES and moment - failed[0] >= FAILING_FOR
            for number, moment in enumerate(failed, start=1)
        )
        assert (endpoint.paused_at is not None) == was_due
        assert (endpoint.failures, endpoint.failing_since) == (len(failed), failed[0])


def test_an_address_that_is_gone_is_paused_at_once():
    gone = Endpoint(**KNOWN, url=URL).failed(NOW, "gone", is_gone=True)

    assert (gone.paused_at, gone.last_error) == (NOW, "gone")
    assert gone.failed(NOW + timedelta(days=9), "no").paused_at == NOW
