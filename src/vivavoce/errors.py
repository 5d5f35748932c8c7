"""Every error that a caller may meet, and how each surface says it.

VivavoceError
├── InvalidInput      the arguments break a rule               correct the call
├── NotAuthenticated  no key, or a key that is not known       show a key
├── NotAllowed        the key lacks a scope                    use another key
├── NotFound          no such thing here                       look it up first
├── Conflict          the thing is not in a state for this     read it, then try again
├── TooLarge          more than one request may carry          send less
├── Unreadable        a file or page cannot be read            mend or convert it
├── LimitReached      too much, too soon                       wait, then try again
│   └── NotNow        it cannot be taken now                   send it again later
├── BudgetSpent       the money of a month is spent            raise the budget, or wait
├── NotAvailable      this backend cannot do it                use another way
├── Declined          the person said no                       do not repeat it
├── UpstreamFailed    a service that we need failed            try again later
│   └── Rejected      it does not take what we send            mend the settings
└── StorageFailed     the disk or the database failed          mend it, then try again
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import ClassVar, Self


class VivavoceError(Exception):
    """An error raised on purpose: what is wrong, and the next step in words a model can act on."""

    code: ClassVar[str]
    """The name of the error, the same on every surface."""
    wire: ClassVar[str]
    """The code of the hosted API's error table."""
    status: ClassVar[int]
    """The HTTP status."""
    exit_code: ClassVar[int] = 1
    """What the command line ends with."""
    retryable: ClassVar[bool] = False
    """Whether the same call may succeed later."""

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        details: dict[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.details = details or {}
        self.retry_after = retry_after
        """In how many seconds the same call may succeed, where that is known."""

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()

    def saying(self, hint: str, **details: str) -> Self:
        """The same error with more to say: a further hint, and further details."""
        said = copy(self)
        said.hint, said.details = f"{self.hint} {hint}".strip(), {**self.details, **details}
        return said


class InvalidInput(VivavoceError):
    """The arguments break a rule."""

    code, wire, status, exit_code = "invalid_input", "INVALID_REQUEST", 400, 2


class NotAuthenticated(VivavoceError):
    """No key, or a key that is not known."""

    code, wire, status, exit_code = "not_authenticated", "UNAUTHORIZED", 403, 3


class NotAllowed(VivavoceError):
    """The key is known but lacks the scope that this operation needs."""

    code, wire, status, exit_code = "not_allowed", "UNAUTHORIZED", 403, 3


class NotFound(VivavoceError):
    """No such thing in this workspace."""

    code, wire, status, exit_code = "not_found", "NOT_FOUND", 404, 4


class Conflict(VivavoceError):
    """The thing exists but is not in a state that allows this."""

    code, wire, status, exit_code = "conflict", "CONFLICT", 409, 5


class WindowClosed(Conflict):
    """The channel takes nothing for the person now: their last message is too long ago."""

    wire, status = "ERR_META_SESSION_EXPIRED_24H", 406


class TooLarge(VivavoceError):
    """More than one request may carry."""

    code, wire, status, exit_code = "too_large", "INVALID_REQUEST", 413, 2


class Unreadable(VivavoceError):
    """A file, a page or an address holds nothing that can be read: a scan, a bomb, a closed door."""

    code, wire, status, exit_code = "unreadable", "INVALID_REQUEST", 422, 2


class LimitReached(VivavoceError):
    """Too much, too soon."""

    code, wire, status, exit_code, retryable = "limit_reached", "RATE_LIMIT", 429, 6, True


class NotNow(LimitReached):
    """It cannot be taken now, through no fault of the caller's. Nothing was stored: send it again later."""

    code, wire, status = "not_now", "NOT_NOW", 503


class BudgetSpent(VivavoceError):
    """The agent has spent what it may spend this month."""

    code, wire, status, exit_code = "budget_spent", "USAGE_LIMIT", 402, 6


class NotAvailable(VivavoceError):
    """The operation exists, but this backend does not carry it out."""

    code, wire, status, exit_code = "not_available", "NOT_IMPLEMENTED", 501, 7


class Declined(VivavoceError):
    """A person was asked to confirm and did not."""

    code, wire, status, exit_code = "declined", "DECLINED", 409, 8


class UpstreamFailed(VivavoceError):
    """A model, a vector index, a channel or the hosted service failed us."""

    code, wire, status, exit_code, retryable = "upstream_failed", "UPSTREAM_FAILED", 502, 9, True


class Unreached(UpstreamFailed):
    """There was no connection: the service has not seen the request, so that repeating it does no harm."""


class Rejected(UpstreamFailed):
    """A service does not take the request as it is, such as its key or its model: asking again is no use."""

    retryable = False


class StorageFailed(VivavoceError):
    """The disk is full, the database is locked or damaged. Nothing was stored."""

    code, wire, status, exit_code, retryable = "storage_failed", "STORAGE_FAILED", 503, 10, True


class Damaged(StorageFailed):
    """Files of the index are missing or cut short. They are made again from the database."""


@contextmanager
def disk_faults(message: str, *, hint: str) -> Iterator[None]:
    """Faults of the disk, such as a full one, as StorageFailed: the message, and what the system says."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(f"{message}: {error.strerror}.", hint=hint) from error
