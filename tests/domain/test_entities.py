"""Moments, and how an entity changes."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from vivavoce.domain.crm import Scenario
from vivavoce.domain.entities import Moment

MOMENT = TypeAdapter(Moment)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)

zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=zones)


@given(moments)
def test_a_moment_is_written_in_utc_to_the_millisecond(moment):
    written = MOMENT.dump_python(MOMENT.validate_python(moment), mode="json")

    assert len(written) == len("2026-01-31T09:30:00.000Z")
    assert written.endswith("Z")
    assert timedelta(0) <= moment - datetime.fromisoformat(written) < timedelta(milliseconds=1)


@given(moments)
def test_what_was_written_reads_back_as_what_it_says(moment):
    written = MOMENT.dump_python(MOMENT.validate_python(moment), mode="json")

    assert MOMENT.dump_python(MOMENT.validate_python(written), mode="json") == written


def test_a_moment_without_a_zone_is_in_utc():
    assert MOMENT.validate_python(NOON.replace(tzinfo=None)) == NOON


def test_a_change_gives_a_copy_and_leaves_the_entity_as_it_was():
    scenario = a_scenario()

    changed = scenario.changed(NOON + timedelta(days=1), name="Renewal")

    assert (scenario.name, scenario.updated_at) == ("Sale", NOON)
    assert (changed.name, changed.updated_at) == ("Renewal", NOON + timedelta(days=1))
    assert (changed.id, changed.created_at) == (scenario.id, NOON)


def test_a_change_keeps_every_rule():
    with pytest.raises(ValidationError):
        a_scenario().changed(NOON, name="\0")
    with pytest.raises(ValidationError):
        a_scenario().changed(NOON, colour="red")


def test_an_entity_cannot_be_changed_in_place():
    with pytest.raises(ValidationError, match="frozen"):
        a_scenario().name = "Renewal"


def a_scenario() -> Scenario:
    return Scenario(id="s1", organization_id="o1", created_at=NOON, updated_at=NOON, name="Sale")
