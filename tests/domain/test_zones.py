"""What a clock on a wall will show, as a moment."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.entities import written
from vivavoce.domain.zones import moment_of, planned_for
from vivavoce.errors import InvalidInput

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
ZONES = (
    "Etc/UTC",
    "America/Sao_Paulo",
    "America/New_York",
    "Europe/Lisbon",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca",
    "Pacific/Apia",
)


@pytest.mark.parametrize(
    ("local", "zone", "moment"),
    [
        ("2026-01-31 09:30:00", "Etc/UTC", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31 09:30:00", "America/Sao_Paulo", "2026-01-31T12:30:00.000Z"),
        ("2026-01-31T09:30:00", "Asia/Kathmandu", "2026-01-31T03:45:00.000Z"),
        (" 2026-01-31 09:30 ", " Europe/Lisbon ", "2026-01-31T09:30:00.000Z"),
        ("2026-07-31 09:30:00", "Europe/Lisbon", "2026-07-31T08:30:00.000Z"),
    ],
)
def test_a_time_in_a_zone_is_a_moment(local, zone, moment):
    assert written(moment_of(local, zone)) == moment


@pytest.mark.parametrize(
    ("local", "zone", "shown"),
    [
        ("2026-03-08 02:30:00", "America/New_York", "2026-03-08 03:30:00"),
        ("2026-03-08 02:00:00", "America/New_York", "2026-03-08 03:00:00"),
        ("2026-03-29 01:59:59", "Europe/Lisbon", "2026-03-29 02:59:59"),
        ("2026-10-04 02:10:00", "Australia/Lord_Howe", "2026-10-04 02:40:00"),
        ("2011-12-30 12:00:00", "Pacific/Apia", "2011-12-31 12:00:00"),
    ],
)
def test_a_time_that_the_clocks_pass_over_is_as_far_after_the_gap(local, zone, shown):
    assert moment_of(local, zone).astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S") == shown


@pytest.mark.parametrize(
    ("local", "zone", "moment"),
    [
        ("2026-11-01 01:30:00", "America/New_York", "2026-11-01T05:30:00.000Z"),
        ("2026-10-25 01:30:00", "Europe/Lisbon", "2026-10-25T00:30:00.000Z"),
        ("2026-04-05 01:45:00", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"),
    ],
)
def test_of_a_time_that_is_shown_twice_the_first_is_meant(local, zone, moment):
    assert written(moment_of(local, zone)) == moment


@given(
    wall=st.datetimes(datetime(2025, 1, 1), datetime(2028, 1, 1)).map(lambda at: at.replace(microsecond=0)),
    zone=st.sampled_from(ZONES),
)
def test_the_clock_of_the_zone_shows_the_time_at_that_moment_and_never_did_before(wall, zone):
    moment, place = moment_of(wall.isoformat(" "), zone), ZoneInfo(zone)

    def shows(at):
        return at.astimezone(place).replace(tzinfo=None)

    # Every offset of any zone is a multiple of a minute here, so that each moment can be tried.
    near = [moment + timedelta(minutes=minutes) for minutes in range(-180, 181)]
    if wall in map(shows, near):
        assert shows(moment) == wall
        assert all(shows(at) != wall for at in near if at < moment)
    else:
        gap = shows(moment) - wall
        assert timedelta(0) < gap <= timedelta(hours=24)
        assert all(not wall <= shows(at) < wall + gap - timedelta(minutes=1) for at in near if at > moment)


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "America", "../../etc/passwd", "utc\0", "-03:00", "🌍"])
def test_a_zone_that_nobody_knows_is_refused_in_words(zone):
    with pytest.raises(InvalidInput, match="There is no time zone") as refused:
        moment_of("2026-01-31 09:30:00", zone)

    assert "America/Sao_Paulo" in refused.value.hint
    assert refused.value.details.keys() == {"timeZone"}


@pytest.mark.parametrize(
    "local",
    [
        "",
        "tomorrow",
        "31/01/2026 09:30",
        "2026-02-30 09:30:00",
        "2026-01-31",
        "2026-01-31 24:30:00",
        "2026-01-31 09:30:00Z",
        "2026-01-31 09:30:00+03:00",
        "0001-01-01 00:00:00",
        "9999-12-31 23:59:59",
        "\u0662\u0660\u0662\u0666-01-31 09:30:00",
    ],
)
def test_what_is_no_time_is_refused_in_words(local):
    with pytest.raises(InvalidInput) as refused:
        planned_for(local, "America/Sao_Paulo", NOW)

    assert refused.value.details.keys() == {"dtToSend"}
    assert refused.value.hint


def test_what_is_planned_is_to_come_and_within_a_year():
    assert planned_for("2026-01-31 09:31:00", "Etc/UTC", NOW) == NOW + timedelta(minutes=1)
    assert planned_for("2027-01-31 09:30:00", "Etc/UTC", NOW) == NOW + timedelta(days=365)
    with pytest.raises(InvalidInput, match="more than a year ahead"):
        planned_for("2027-02-02 09:30:00", "Etc/UTC", NOW)
    with pytest.raises(InvalidInput, match="has gone by: it is 2026-01-31 06:30:00 there"):
        planned_for("2026-01-31 06:28:00", "America/Sao_Paulo", NOW)


def test_what_has_only_just_gone_by_is_meant_for_now():
    assert planned_for("2026-01-31 09:29:10", "Etc/UTC", NOW) == NOW
