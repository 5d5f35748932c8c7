"""When an agent keeps silent."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.hours import active_from, checked_hours, is_inactive

from .json_values import objects

NIGHT = [{"from": "22:00", "to": "06:00"}]
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def at(written):
    """A moment in the week that begins with Monday, 5 January 2026."""
    day, time = written.split()
    hour, minute = time.split(":")
    return datetime(2026, 1, 5 + DAYS.index(day), int(hour), int(minute), tzinfo=UTC)


def rests(day_hours, moment, day="monday"):
    return is_inactive({"website": {day: day_hours}}, "website", at(moment))


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("mon 11:59", False),
        ("mon 12:00", True),
        ("mon 12:59", True),
        ("mon 13:00", False),
        ("mon 20:15", True),
        ("tue 12:30", False),
    ],
)
def test_a_channel_rests_from_the_first_time_until_the_second(moment, expected):
    hours = [{"from": "12:00", "to": "13:00"}, {"from": "20:00", "to": "21:00"}]

    assert rests(hours, moment) is expected


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("mon 21:59", False),
        ("mon 22:00", True),
        ("tue 05:59", True),
        ("tue 06:00", False),
        ("mon 03:00", False),
    ],
)
def test_a_rest_may_go_on_after_midnight(moment, expected):
    assert rests(NIGHT, moment) is expected


def test_the_night_of_sunday_ends_on_monday():
    assert rests(NIGHT, "mon 05:00", day="sunday")


@pytest.mark.parametrize("end", ["24:00", "00:00", "23:59"])
def test_the_end_of_a_day_has_three_names(end):
    assert rests([{"from": "00:00", "to": end}], "mon 23:59")
    assert not rests([{"from": "00:00", "to": end}], "tue 00:00")


def test_a_rest_that_ends_when_it_begins_is_none():
    assert not rests([{"from": "09:00", "to": "09:00"}], "mon 09:00")


@pytest.mark.parametrize("day", ["monday", "Monday", "MONDAY", "mon", " Mon ", "1"])
def test_a_weekday_may_be_a_name_or_a_number(day):
    assert rests(NIGHT, "mon 23:00", day=day)
    assert not rests(NIGHT, "wed 23:00", day=day)


@pytest.mark.parametrize("day", ["sunday", "0", "7"])
def test_the_week_begins_with_sunday(day):
    assert rests(NIGHT, "sun 23:00", day=day)


def test_another_channel_does_not_rest():
    hours = {"whatsapp": {"monday": NIGHT}}

    assert not is_inactive(hours, "website", at("mon 23:00"))
    assert is_inactive(hours, "whatsapp", at("mon 23:00"))
    assert is_inactive({"WhatsApp": {"monday": NIGHT}}, "whatsapp", at("mon 23:00"))


def test_all_counts_everywhere_and_default_where_there_is_nothing_else():
    assert is_inactive({"all": {"all": NIGHT}, "website": {}}, "website", at("thu 23:00"))
    assert is_inactive({"default": {"monday": NIGHT}}, "website", at("mon 23:00"))
    assert not is_inactive({"default": {"monday": NIGHT}, "website": {}}, "website", at("mon 23:00"))


def test_the_times_are_those_of_the_zone_that_is_named():
    week = {"website": {"monday": NIGHT}}

    assert is_inactive({**week, "timezone": "America/Sao_Paulo"}, "website", at("tue 08:59"))
    assert not is_inactive({**week, "timeZone": "America/Sao_Paulo"}, "website", at("tue 09:00"))
    assert is_inactive({"website": {"monday": NIGHT, "timezone": "Asia/Tokyo"}}, "website", at("mon 13:00"))
    assert not is_inactive(week, "website", at("tue 08:59"))


@pytest.mark.parametrize(
    "zone",
    [
        "Nowhere/Land",
        "",
        "/etc/passwd",
        "../UTC",
        "a\0b",
        "America",
        7,
        None,
        pytest.param("x" * 999, id="long"),
    ],
)
def test_a_zone_that_nobody_knows_is_utc(zone):
    assert is_inactive({"website": {"monday": NIGHT}, "timezone": zone}, "website", at("mon 23:00"))


def test_a_moment_without_a_zone_is_utc():
    assert is_inactive({"website": {"monday": NIGHT}}, "website", datetime(2026, 1, 5, 23, 0))


@pytest.mark.parametrize(
    "stretch",
    [
        None,
        "22:00-06:00",
        7,
        [],
        {},
        {"from": "22:00"},
        {"from": "22h", "to": "06h"},
        {"from": "25:00", "to": "26:00"},
        {"from": "22:60", "to": "23:99"},
        {"from": 22, "to": 23},
        {"from": "-1:00", "to": "24:01"},
        {"from": "\u0662\u0662:\u0660\u0660", "to": "24:00"},
        {"from": "9" * 5_000 + ":00", "to": "24:00"},
    ],
)
def test_what_cannot_be_read_never_makes_an_agent_silent(stretch):
    assert not rests([stretch], "mon 23:00")
    assert rests([stretch, *NIGHT], "mon 23:00")


@pytest.mark.parametrize(
    ("moment", "ends"),
    [
        ("mon 21:59", "mon 21:59"),
        ("mon 22:00", "tue 06:00"),
        ("tue 05:59", "tue 06:00"),
        ("sat 12:00", "sun 06:00"),
    ],
)
def test_a_rest_ends_to_the_minute(moment, ends):
    week = {"all": NIGHT, "saturday": [{"from": "10:00", "to": "22:00"}]}

    assert active_from({"website": week}, "website", at(moment)) == at(ends)


def test_a_rest_ends_in_its_own_time_zone_where_clocks_are_changed_meanwhile():
    hours = {"timezone": "America/New_York", "all": {"all": [{"from": "00:00", "to": "07:20"}]}}

    ends = active_from(hours, "website", datetime(2026, 3, 8, 6, 15, 30, tzinfo=UTC))

    assert ends == datetime(2026, 3, 8, 11, 20, tzinfo=UTC)


def test_who_rests_all_week_has_no_end_of_it():
    assert (
        active_from({"all": {"all": [{"from": "00:00", "to": "24:00"}]}}, "website", at("mon 12:00")) is None
    )


@given(
    st.lists(st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 23)), max_size=4),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31), timezones=st.just(UTC)),
)
def test_when_a_rest_is_over_nobody_rests_and_just_before_it_they_did(stretches, moment):
    day = [{"from": f"{begin}:{minute}", "to": f"{end}:30"} for begin, minute, end in stretches]
    hours = {"all": {"all": day}}

    ends = active_from(hours, "website", moment)

    assert ends is None or not is_inactive(hours, "website", ends)
    if ends is not None and ends != moment:
        assert is_inactive(hours, "website", moment)
        assert is_inactive(hours, "website", ends - timedelta(minutes=1))


keys = st.sampled_from(["website", "all", "default", "monday", "1", "from", "to", "timezone", "timeZone"])


@given(objects(keys), st.datetimes(timezones=st.just(UTC)))
def test_no_hours_raise(hours, moment):
    assert is_inactive(hours, "website", moment) in {True, False}


@pytest.mark.parametrize(
    "hours",
    [
        {},
        {"api": {}},
        {"api": None, "timezone": "America/Sao_Paulo"},
        {"all": {"Wed": [{"from": "22:00", "to": "06:00"}], "timezone": "UTC"}},
        {"timezone": "", "api": {"timezone": None, "mon": [{"from": "", "to": ""}]}},
        {"api": {"0": {"from": "09:00", "to": "24:00"}, "7": [], "default": None}},
    ],
)
def test_hours_that_can_be_read_are_kept_as_they_are(hours):
    assert checked_hours(hours) is hours


@pytest.mark.parametrize(
    ("hours", "fault"),
    [
        ({"api": {"wed": [{"from": "25:00", "to": "23:59"}]}}, "api.wed: from must be a time as HH:MM"),
        ({"api": {"wed": [{"from": "20:00"}]}}, "api.wed: to must be a time as HH:MM"),
        ({"api": {"wed": ["20:00-22:00"]}}, "api.wed: from must be a time as HH:MM"),
        ({"api": {"quarta": []}}, "api.quarta: must be a weekday"),
        ({"api": [{"from": "20:00", "to": "22:00"}]}, "api: must have weekdays"),
        ({"timezone": "Mars/Olympus"}, "timezone: must be the name of a time zone"),
        ({"api": {"timezone": 3}}, "api.timezone: must be the name of a time zone"),
    ],
)
def test_hours_that_would_never_be_kept_are_refused_by_their_place(hours, fault):
    with pytest.raises(ValueError, match=f"^{re.escape(fault)}"):
        checked_hours(hours)
