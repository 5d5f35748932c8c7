"""Channels: what is kept of a provider's settings, when people may be written to, how statuses add up."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.channels import (
    Account,
    WebhookConfig,
    address_of,
    configured,
    further,
    header_of,
    is_open,
    named_header,
    window_of,
)
from vivavoce.domain.secrets import MARKER
from vivavoce.errors import InvalidInput

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
STATUSES = ("sent", "delivered", "read", "failed")


def account(config, before=None):
    known = {"id": "a1", "organization_id": "o1", "created_at": NOW, "updated_at": NOW, "agent_id": "g1"}
    return Account(**known, type="webhook", name="Shop", **configured(WebhookConfig(**config), before))


def test_a_header_and_keys_in_the_address_are_kept_secret_and_used():
    made = account({"url": "https://shop.example/in?token=abc&lang=en", "header": "X-Key: s3cret"})

    assert made.config["url"] == f"https://shop.example/in?token={MARKER}&lang=en"
    assert made.config["header"] == MARKER
    assert address_of(made) == "https://shop.example/in?token=abc&lang=en"
    assert header_of(made) == {"X-Key": "s3cret"}
    assert "s3cret" not in repr(made) + made.model_dump_json()


def test_markers_that_are_written_back_keep_the_secrets():
    first = account({"url": "https://shop.example/in?token=abc", "header": "s3cret"})

    again = account({"url": f"https://shop.example/other?token={MARKER}", "header": MARKER}, first)

    assert address_of(again) == "https://shop.example/other?token=abc"
    assert header_of(again) == {"Authorization": "s3cret"}


def test_secrets_do_not_move_to_another_host():
    first = account({"url": "https://shop.example/in", "header": "s3cret"})

    with pytest.raises(InvalidInput, match="another host"):
        account({"url": "https://thief.example/in", "header": MARKER}, first)


@pytest.mark.parametrize("url", ["ftp://shop.example/", "shop.example", "https://me:pw@shop.example/"])
def test_an_address_that_cannot_be_called_is_refused(url):
    with pytest.raises(InvalidInput, match=r"config\.url"):
        account({"url": url})


@pytest.mark.parametrize(
    ("written", "header"),
    [
        ("X-Key: abc", {"X-Key": "abc"}),
        ("Bearer abc", {"Authorization": "Bearer abc"}),
        ("Basic YTpi", {"Authorization": "Basic YTpi"}),
        ("a b: c", {"Authorization": "a b: c"}),
        ("", {}),
    ],
)
def test_a_header_is_written_with_its_name_or_is_an_authorization(written, header):
    assert named_header(written) == header


@given(st.lists(st.sampled_from(STATUSES), min_size=1), st.randoms())
def test_the_status_of_a_message_does_not_depend_on_the_order_in_which_it_is_told(told, random):
    def together(statuses):
        known = ""
        for each in statuses:
            known = further(known, each)
        return known

    mixed = list(told)
    random.shuffle(mixed)

    assert together(told) == together(mixed)


def test_what_was_read_does_not_go_back_and_a_failure_yields_to_an_arrival():
    assert further("read", "delivered") == "read"
    assert further("delivered", "failed") == "delivered"
    assert further("sent", "failed") == "failed"
    assert further("failed", "sent") == "failed"
    assert further("failed", "read") == "read"


def test_a_window_is_that_of_the_channel_unless_the_account_has_one():
    assert window_of("whatsapp") == timedelta(hours=24)
    assert window_of("telegram") is None
    assert window_of("whatsapp", 48) == timedelta(hours=48)
    assert is_open(None, None, NOW)
    assert not is_open(timedelta(hours=1), None, NOW)
    assert not is_open(timedelta(hours=1), NOW - timedelta(hours=1), NOW)
    assert is_open(timedelta(hours=1), NOW - timedelta(minutes=59), NOW)
