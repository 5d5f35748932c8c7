"""Understanding what a program posts: JSON becomes events, or a refusal that says which part is wrong."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from vivavoce.domain.attributions import FIELDS, MOST
from vivavoce.domain.channels import Heard, HeardKind, Status
from vivavoce.domain.entities import written
from vivavoce.domain.language.cleaning import cleaned
from vivavoce.domain.values import LINE, TEXT
from vivavoce.errors import InvalidInput, TooLarge

MOST_EVENTS = 1_000
"""How many events one request may bring."""
_LONGEST_ID = 500
_LONGEST_CHAT = 160
_MOST_FILES = 50
_MILLISECONDS = 10_000_000_000
"""Seconds since 1970 are fewer than this until the year 2286; a greater number counts milliseconds."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_KINDS: tuple[str, ...] = get_args(HeardKind)
_STATUSES: tuple[str, ...] = get_args(Status)


def understood(body: bytes) -> list[Heard]:
    """The events of a body: `{"events": […]}`, a list of them, or one alone."""
    try:
        said = json.loads(body.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _wrong("The body", "is not valid UTF-8") from None
    except (ValueError, RecursionError):
        raise _wrong("The body", "is not valid JSON") from None
    events = said.get("events", said) if isinstance(said, dict) else said
    events = [events] if isinstance(events, dict) else events
    if not isinstance(events, list):
        raise _wrong("The body", 'must be {"events": […]}, a list of events, or one event')
    if len(events) > MOST_EVENTS:
        raise TooLarge(f"A request may bring at most {MOST_EVENTS} events.", hint="Send them in parts.")
    return [_event(each, f"events[{place}]") for place, each in enumerate(events)]


def _event(said: Any, place: str) -> Heard:
    if not isinstance(said, dict):
        raise _wrong(place, "must be an object")
    type = said.get("type")
    kind: HeardKind = _one_of(_KINDS, "message" if type is None else type, f"{place}.type")
    is_status = kind == "status"
    status = _line(said, "status", place, 40)
    if is_status:
        _one_of(_STATUSES, status, f"{place}.status")
    return Heard(
        event_id=_id(said, "id", place, _LONGEST_ID),
        chat=_id(said, "chat", place, _LONGEST_CHAT, is_needed=kind == "message"),
        text=cleaned(_text(said, "text", place))[:TEXT],
        sent_at=_moment(said.get("sentAt"), f"{place}.sentAt"),
        kind=kind,
        name=_line(said, "name", place, 200),
        phone_number=_line(said, "phoneNumber", place, 40),
        email=_line(said, "email", place, 320),
        attachments=_attachments(said.get("attachments"), f"{place}.attachments"),
        is_group=_flag(said, "isGroup", place),
        is_mention=_flag(said, "isMention", place),
        ctwa_attributions=_ads(said.get("ctwaAttributions"), f"{place}.ctwaAttributions"),
        delivery_id=_id(said, "deliveryId", place, _LONGEST_ID, is_needed=is_status),
        status=status if is_status else "",
        detail=cleaned(_text(said, "detail", place))[:LINE],
    )


def _one_of(known: tuple[str, ...], given: Any, place: str) -> Any:
    if given not in known:
        raise _wrong(place, f"must be one of {', '.join(known)}")
    return given


def _id(said: Mapping[str, Any], name: str, place: str, longest: int, *, is_needed: bool = True) -> str:
    """What something is called; numbers are names too. It is kept as it is, or refused."""
    given = said.get(name)
    if given is None and not is_needed:
        return ""
    if isinstance(given, bool) or not isinstance(given, str | int):
        raise _wrong(f"{place}.{name}", "is required, as a text" if given is None else "must be a text")
    text = str(given)
    if not text.strip() and is_needed:
        raise _wrong(f"{place}.{name}", "must not be blank")
    if len(text) > longest or _CONTROL.search(text):
        raise _wrong(f"{place}.{name}", f"must be one line of at most {longest} characters")
    return text


def _text(said: Mapping[str, Any], name: str, place: str) -> str:
    given = said.get(name)
    if given is None:
        return ""
    if not isinstance(given, str):
        raise _wrong(f"{place}.{name}", "must be a text")
    return given


def _line(said: Mapping[str, Any], name: str, place: str, longest: int) -> str:
    """One line of what is told of a person, cut where it is long: it must not cost their message."""
    given = said.get(name)
    given = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    return " ".join(_CONTROL.sub(" ", cleaned(_text({name: given}, name, place))).split())[:longest]


def _flag(said: Mapping[str, Any], name: str, place: str) -> bool:
    given = said.get(name)
    if given is not None and not isinstance(given, bool):
        raise _wrong(f"{place}.{name}", "must be true or false")
    return given is True


def _moment(given: Any, place: str) -> datetime | None:
    """A point in time: as ISO 8601, or in seconds or milliseconds since 1970."""
    if given is None or given == "":
        return None
    try:
        if isinstance(given, str):
            read = datetime.fromisoformat(given.strip())
            return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
        if isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
            return datetime.fromtimestamp(given / 1000 if given >= _MILLISECONDS else given, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise _wrong(place, "must be a moment such as 2026-01-31T09:30:00Z")


def _attachments(given: Any, place: str) -> tuple[dict[str, Any], ...]:
    """The files of a message, as messages keep them."""
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > _MOST_FILES:
        raise _wrong(place, f"must be a list of at most {_MOST_FILES} files")
    return tuple(_attachment(each, f"{place}[{number}]") for number, each in enumerate(given))


def _attachment(given: Any, place: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise _wrong(place, "must be an object with url and name")
    url = _id(given, "url", place, LINE)
    size = given.get("size")
    is_size = isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= 2**53
    return {
        "name": _line(given, "name", place, 200) or "file",
        "url": url,
        "size": size if is_size else None,
        "mimeType": _line(given, "mimeType", place, 200) or None,
    }


def _ads(given: Any, place: str) -> tuple[dict[str, Any], ...]:
    """The ads through which the person came."""
    if given is None:
        return ()
    if not isinstance(given, list) or len(given) > MOST or not all(isinstance(each, dict) for each in given):
        raise _wrong(place, f"must be a list of at most {MOST} objects")
    return tuple(_ad(each, f"{place}[{number}]") for number, each in enumerate(given))


def _ad(given: Mapping[str, Any], place: str) -> dict[str, Any]:
    said = {name: _line(given, name, place, LINE) for name in FIELDS if name != "clickedAt"}
    clicked_at = _moment(given.get("clickedAt"), f"{place}.clickedAt")
    told = {name: value for name, value in said.items() if value}
    return told if clicked_at is None else {**told, "clickedAt": written(clicked_at)}


def _wrong(place: str, fault: str) -> InvalidInput:
    return InvalidInput(f"{place}: {fault}.", hint="Nothing was stored.", details={place: fault})
