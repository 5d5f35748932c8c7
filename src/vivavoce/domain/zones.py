"""Time zones: the moment that a clock on a wall somewhere will show."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from vivavoce.errors import InvalidInput

LATEST = timedelta(days=366)
"""How far ahead something can be planned."""
_LATE = timedelta(minutes=1)
"""What is planned for a moment that has only just gone by is meant for now."""
_NO_PLACE = re.compile(r"(localtime|posixrules|Factory)$|(posix|right)/", re.IGNORECASE)
"""What databases of zones hold beside them: the clock of this machine, and other countings of seconds."""
_WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2})?", re.ASCII)


def planned_for(local: str, zone: str, now: datetime) -> datetime:
    """The moment of a time in a zone; refused where it has gone by, or is more than a year ahead."""
    due = moment_of(local, zone)
    if due < now - _LATE:
        raise InvalidInput(
            f"{local.strip()} in {zone} has gone by: it is {_shown(now, zone)} there.",
            hint="Name a moment that is to come.",
            details={"dtToSend": "has gone by"},
        )
    if due > now + LATEST:
        raise InvalidInput(
            f"{local.strip()} in {zone} is more than a year ahead.",
            hint="Name a moment within a year.",
            details={"dtToSend": "is more than a year ahead"},
        )
    return max(due, now)


def moment_of(local: str, zone: str) -> datetime:
    """The moment, in UTC, of a time `2026-01-31 09:30:00` in a zone such as America/Sao_Paulo.

    A time that the clocks of the zone pass over in spring is as far after the gap as it is into it; of one
    that they show twice in autumn, the first is meant.
    """
    place = _zone(zone)
    found = _WRITTEN.fullmatch(local.strip())
    try:
        if found is None:
            raise ValueError
        # Before the clocks are changed (fold 0): the first of two, and across a gap the same distance.
        return datetime.fromisoformat(found[0]).replace(tzinfo=place).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"{local[:40]!r} is no date with a time.",
            hint="Write it as 2026-01-31 09:30:00, in the time of timeZone.",
            details={"dtToSend": "must be a date with a time, as 2026-01-31 09:30:00"},
        ) from error


def _zone(name: str) -> ZoneInfo:
    try:
        if _NO_PLACE.match(name.strip()):
            raise ValueError
        return ZoneInfo(name.strip())
    except (ValueError, KeyError, OSError) as error:  # no name of a zone, or of none that is known
        raise InvalidInput(
            f"There is no time zone {name[:60]!r}.",
            hint="Name one as the IANA does, such as America/Sao_Paulo, Europe/Lisbon or Etc/UTC.",
            details={"timeZone": "must be the name of a time zone"},
        ) from error


def _shown(moment: datetime, zone: str) -> str:
    return moment.astimezone(_zone(zone)).strftime("%Y-%m-%d %H:%M:%S")
