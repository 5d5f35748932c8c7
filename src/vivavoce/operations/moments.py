"""Points in time as callers write them: a day, a day with an hour, or ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

_DAY = len("2026-01-31")
_TEXT = WithJsonSchema({"type": "string"})


def moment(given: str) -> datetime:
    """The moment that a text names; without a time zone it is UTC."""
    try:
        read = datetime.fromisoformat(given.strip())
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("must be a date such as 2026-01-31 or 2026-01-31T09:30:00Z") from error


def _begins(given: Any) -> Any:
    return moment(given) if isinstance(given, str) else given


def _ends(given: Any) -> Any:
    read = _begins(given)
    if isinstance(given, str) and len(given.strip()) == _DAY:
        return read.replace(hour=23, minute=59, second=59, microsecond=999_999)
    return read


From = Annotated[datetime, BeforeValidator(_begins), _TEXT]
"""A moment; of a day, its beginning."""
Until = Annotated[datetime, BeforeValidator(_ends), _TEXT]
"""A moment; of a day, its end."""
