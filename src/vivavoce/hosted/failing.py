"""What the hosted service refuses, in our own errors and with the next step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pydantic_core

from vivavoce.errors import (
    BudgetSpent,
    Conflict,
    InvalidInput,
    LimitReached,
    NotAuthenticated,
    NotAvailable,
    NotFound,
    TooLarge,
    Unreadable,
    UpstreamFailed,
    VivavoceError,
)

from .exchanges import Refused, Service

UNSURE = "It is not known whether it took effect."
LOOK_FIRST = "Look at what is there before you send it again."
LATER = "Try again later."
_MOST = 300

_BY_STATUS: dict[int, type[VivavoceError]] = {
    400: InvalidInput,
    401: NotAuthenticated,
    402: BudgetSpent,
    403: NotAuthenticated,
    404: NotFound,
    405: NotAvailable,
    406: Conflict,
    409: Conflict,
    413: TooLarge,
    419: LimitReached,
    422: Unreadable,
    429: LimitReached,
    501: NotAvailable,
}
_BY_CODE: dict[str, tuple[type[VivavoceError], str, str]] = {
    "UNAUTHORIZED": (
        NotAuthenticated,
        "The hosted service refuses the key, or the thing is of another account.",
        "",
    ),
    "USAGE_LIMIT": (
        BudgetSpent,
        "The hosted account has used up what its plan includes.",
        "Raise the plan in the dashboard of the account, or wait for the next period.",
    ),
    "PREMIUM_FEATURE": (
        BudgetSpent,
        "The plan of the hosted account does not include this.",
        "Choose another plan in the dashboard of the account.",
    ),
    "NOT_FOUND": (NotFound, "The hosted account has no such thing.", "Look the id up with a list tool."),
    "INVALID_REQUEST": (InvalidInput, "The hosted service does not accept these arguments.", ""),
    "EMPTY_DATASOURCE": (InvalidInput, "The datasource holds nothing to read.", "Send a text."),
    "ALREADY_INVITED": (Conflict, "That person is invited already.", ""),
    "INTEGRATION_VALIDATION_FAILED": (
        InvalidInput,
        "The hosted service cannot validate the integration.",
        "Check its settings in the dashboard of the account.",
    ),
    "INTEGRATION_CREDENTIALS_INVALID": (
        Conflict,
        "The credentials of the integration are not valid.",
        "Renew them in the dashboard of the account.",
    ),
    "RATE_LIMIT": (LimitReached, "The hosted service takes no more calls for now.", "Wait, then try again."),
    "NOT_IMPLEMENTED": (NotAvailable, "The hosted service cannot do this.", "Use another way."),
    "ERR_META_SESSION_EXPIRED_24H": (
        Conflict,
        "The person's last message is more than 24 hours ago, and the channel takes no free text now.",
        "Wait for their next message, or send a template in the dashboard.",
    ),
}
_HINTS: dict[type[VivavoceError], str] = {
    NotAuthenticated: "Check the key (CHATVOLT_API_KEY), and that the ids are of its account.",
    NotFound: "Look the id up with a list tool.",
    InvalidInput: "Correct the arguments.",
    Unreadable: "Correct the arguments.",
    Conflict: "Read it, then try again.",
    BudgetSpent: "Look at the plan in the dashboard of the account.",
    LimitReached: "Wait, then try again.",
    TooLarge: "Send less at once.",
    NotAvailable: "Use another way.",
}


def refusal(refused: Refused) -> VivavoceError:
    """The error that an answer which is no success stands for."""
    told = told_in(refused.body)
    status, code = refused.status, told.code
    if status >= 500 and status != 501 and "no conversation found" in told.text.lower():
        return NotFound("The hosted account has no such conversation.", hint=_HINTS[NotFound])
    if code in _BY_CODE:
        kind, message, hint = _BY_CODE[code]
    elif status in _BY_STATUS:
        kind = _BY_STATUS[status]
        message, hint = f"The hosted service answers {status}{': ' if code else ''}{code}.", ""
    else:
        return _failed(status, told, repeats=refused.repeats)
    if status == 401:
        kind = NotAuthenticated
    text = told.text or message
    return kind(
        text,
        hint=told.hint or hint or _HINTS.get(kind, ""),
        details=told.details if kind is InvalidInput else None,
        retry_after=refused.retry_after if kind is LimitReached else None,
    )


HOSTED = Service("the hosted service", "CHATVOLT_API_KEY", "VIVAVOCE_CHATVOLT_URL", refusal)


def told_error(code: str) -> VivavoceError:
    """The error that a stream breaks off with."""
    statuses = {name: kind.status for name, (kind, _, _) in _BY_CODE.items()}
    body = pydantic_core.to_json({"error": code})
    return refusal(Refused(statuses.get(code, 500), {}, body, repeats=False))


class Told:
    """What the body of a refusal says: a code of the wire or a sentence, and details."""

    def __init__(self, code: str = "", text: str = "", hint: str = "", details: Any = None) -> None:
        self.code, self.text, self.hint = code, text, hint
        self.details = (
            {str(name)[:100]: plain(str(said)) for name, said in list(details.items())[:12]}
            if isinstance(details, Mapping)
            else {}
        )


def told_in(body: bytes) -> Told:
    """What a body says; nothing where it is no JSON object, such as a web page."""
    try:
        answer = pydantic_core.from_json(body)
    except ValueError:
        return Told()
    if not isinstance(answer, dict):
        return Told(text=plain(answer)) if isinstance(answer, str) else Told()
    error, message, hint = (answer.get(name) for name in ("error", "message", "hint"))
    error = error if isinstance(error, str) else ""
    if answer.get("blockedBy24hRule") is True:
        error = "ERR_META_SESSION_EXPIRED_24H"
    is_code = re.fullmatch(r"[A-Z][A-Z0-9_]*", error) is not None
    text = message if isinstance(message, str) else "" if is_code else error
    return Told(
        error if is_code else "",
        plain(text),
        plain(hint) if isinstance(hint, str) else "",
        answer.get("details"),
    )


def says_error(body: bytes) -> bool:
    """Whether a body is a JSON object whose `error` says something."""
    return bool(object_in(body).get("error"))


def object_in(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is; empty where it is none."""
    try:
        answer = pydantic_core.from_json(body)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def plain(text: str) -> str:
    """A text of others as one line that is not too long."""
    line = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", text).split())
    return line if len(line) <= _MOST else f"{line[:_MOST]}…"


def _failed(status: int, told: Told, *, repeats: bool) -> UpstreamFailed:
    said = f": {told.text or told.code}" if told.text or told.code else ""
    if repeats:
        return UpstreamFailed(f"The hosted service answers {status}{said}.".replace("..", "."), hint=LATER)
    return UpstreamFailed(
        f"The hosted service answers {status}{said}. {UNSURE}".replace("..", "."), hint=LOOK_FIRST
    )
