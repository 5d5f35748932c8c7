"""Inactive hours: when an agent keeps silent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_DAY_NAMES = frozenset((*_DAYS, *(day[:3] for day in _DAYS), *"01234567", "all", "default"))
_ZONE_NAMES = ("timezone", "timeZone", "time_zone")
_MIDNIGHT = 24 * 60
_LAST_MINUTE = _MIDNIGHT - 1
_STRIDE, _STRIDES = timedelta(minutes=30), 8 * 48
_MINUTE = timedelta(minutes=1)


def checked_hours(hours: Mapping[str, Any]) -> Mapping[str, Any]:
    """The hours themselves, refused where some that are given cannot be read, and so would never be kept."""
    for channel, week in hours.items():
        if channel in _ZONE_NAMES:
            _check_zone(week, channel)
        elif isinstance(week, Mapping):
            for day, stretches in week.items():
                _check_day(day, stretches, f"{channel}.{day}")
        elif week:
            raise ValueError(f"{channel}: must have weekdays, such as monday, with lists of from and to")
    return hours


def is_inactive(hours: Mapping[str, Any], channel: str, at: datetime) -> bool:
    """Whether a channel rests at a moment; what cannot be read never makes it rest.

    `hours` holds, for each channel and weekday, a list of `{"from": "22:00", "to": "06:00"}`, which may end
    on the next day. What stands under `all` counts as well, `default` where there is nothing of its own. The
    times are those of `timezone`, a name such as America/Sao_Paulo, else UTC.
    """
    moment = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
    weeks = [week for week in _named(hours, channel) if isinstance(week, Mapping)]
    return any(_rests(week, moment.astimezone(_zone(week, hours))) for week in weeks)


def active_from(hours: Mapping[str, Any], channel: str, at: datetime) -> datetime | None:
    """When a channel does not rest, from a moment on; None where it rests for a week and longer.

    Of a break in the rest, at least half an hour is found.
    """
    if not is_inactive(hours, channel, at):
        return at
    resting = at.replace(second=0, microsecond=0)
    for _ in range(_STRIDES):
        if not is_inactive(hours, channel, resting + _STRIDE):
            while is_inactive(hours, channel, resting):
                resting += _MINUTE
            return resting
        resting += _STRIDE
    return None


def _rests(week: Mapping[str, Any], at: datetime) -> bool:
    minute, weekday = at.hour * 60 + at.minute, at.isoweekday() % 7
    return any(
        begin <= minute < end or (end < begin and minute >= begin) for begin, end in _stretches(week, weekday)
    ) or any(end < begin and minute < end for begin, end in _stretches(week, (weekday - 1) % 7))


def _stretches(week: Mapping[str, Any], weekday: int) -> Iterator[tuple[int, int]]:
    """When a day's rests begin and end, in minutes; the end is before the beginning if it is tomorrow's."""
    name = _DAYS[weekday]
    for day in _named(week, name, name[:3], str(weekday), *(("7",) if weekday == 0 else ())):
        for stretch in day if isinstance(day, list) else [day]:
            if isinstance(stretch, Mapping):
                begin, end = _minute(stretch.get("from")), _minute(stretch.get("to"))
                if begin is not None and end is not None:
                    # A clock without 24:00 says midnight as 00:00, or as its last minute.
                    yield begin, _MIDNIGHT if end in {0, _LAST_MINUTE} else end


def _named(given: Mapping[str, Any], *names: str) -> Iterator[Any]:
    """What stands under the names and under `all`; else what stands under `default`."""
    lowered = {str(key).strip().lower(): value for key, value in given.items()}
    own = [lowered[name.lower()] for name in names if lowered.get(name.lower()) is not None]
    own = own or [lowered[key] for key in ("default",) if lowered.get(key) is not None]
    yield from (each for each in (*own, lowered.get("all")) if isinstance(each, list | Mapping))


def _minute(written: Any) -> int | None:
    """The minute of the day that HH:MM says."""
    parts = written.strip().split(":") if isinstance(written, str) else []
    if len(parts) not in {2, 3} or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    if any(len(part) > 2 for part in parts):
        return None
    minute = int(parts[0]) * 60 + int(parts[1])
    return minute if int(parts[1]) < 60 and minute <= _MIDNIGHT else None


def _zone(*given: Mapping[str, Any]) -> tzinfo:
    for each in given:
        for key in _ZONE_NAMES:
            name = each.get(key)
            if isinstance(name, str):
                try:
                    return ZoneInfo(name.strip())
                except (ValueError, KeyError, OSError):  # no name of a zone, or of none that is known
                    continue
    return UTC


def _check_day(day: str, stretches: Any, place: str) -> None:
    if day in _ZONE_NAMES:
        _check_zone(stretches, place)
        return
    if str(day).strip().lower() not in _DAY_NAMES:
        raise ValueError(f"{place}: must be a weekday, such as monday, mon or 1, or all or default")
    for stretch in stretches if isinstance(stretches, list) else [stretches] if stretches else []:
        if isinstance(stretch, Mapping) and not stretch.get("from") and not stretch.get("to"):
            continue  # a row of a form that nobody filled in
        for end in ("from", "to"):
            if not isinstance(stretch, Mapping) or _minute(stretch.get(end)) is None:
                raise ValueError(f"{place}: {end} must be a time as HH:MM")


def _check_zone(name: Any, place: str) -> None:
    try:
        if name:
            ZoneInfo(name.strip())
    except (AttributeError, ValueError, KeyError, OSError):
        raise ValueError(f"{place}: must be the name of a time zone, such as America/Sao_Paulo") from None
