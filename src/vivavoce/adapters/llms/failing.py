"""Failing: what a provider did wrong, in plain words and without keys, addresses or what it said itself."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.errors import (
    InvalidInput,
    LimitReached,
    NotAvailable,
    Rejected,
    UpstreamFailed,
    VivavoceError,
)

from .targets import Target

_LATER = "Try again later."
_DAY = 86_400.0
_PASSING = (408, 409, 425)
"""Beside those from 500 on, the answers after which asking again may help."""


class Failed(Exception):
    """An attempt that failed: what the caller is told, and whether asking again may help."""

    def __init__(
        self, error: VivavoceError, *, is_passing: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(error.message)
        self.error, self.is_passing, self.retry_after = error, is_passing, retry_after


def retry_seconds(headers: Mapping[str, str]) -> float | None:
    """How long a provider wants to be left alone, where it says so in seconds; at most a day."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return min(seconds, _DAY) if seconds >= 0 else None


def refused(target: Target, status: int, retry_after: float | None = None) -> Failed:
    """A provider that answers with a status that is none of success."""
    if status == 429:
        wait = _LATER if retry_after is None else f"Try again in {retry_after:.0f} seconds."
        told = f"{target.provider} answers 429: too many requests, or nothing left to spend there."
        limited = LimitReached(told, hint=wait, retry_after=retry_after)
        return Failed(limited, is_passing=True, retry_after=retry_after)
    if status >= 500 or status in _PASSING:
        told = f"{target.provider} answers {status}."
        failed = UpstreamFailed(told, hint=_LATER, retry_after=retry_after)
        return Failed(failed, is_passing=True, retry_after=retry_after)
    if status in (401, 403):
        return Failed(
            Rejected(
                f"{target.provider} does not accept the key.",
                hint="An operator can store another one with set_provider, or in the environment.",
            )
        )
    if status == 404:
        return Failed(
            Rejected(
                f"{target.provider} does not know the model {target.model}.",
                hint="Give the agent another model; list_models lists them.",
            )
        )
    return Failed(Rejected(f"{target.provider} answers {status} and does not take the request."))


def unreachable(target: Target, error: VivavoceError) -> Failed:
    """A provider that the way out does not lead to."""
    if isinstance(error, InvalidInput):
        return Failed(
            NotAvailable(
                f"The address of {target.provider} may not be called.",
                hint="An operator can change it with set_provider, or name it in VIVAVOCE_ALLOWED_ADDRESSES.",
            )
        )
    return Failed(
        UpstreamFailed(f"{target.provider} cannot be reached, or broke off.", hint=_LATER), is_passing=True
    )


def unusable(target: Target) -> Failed:
    """A provider that cannot be asked with what is set for it."""
    return Failed(
        NotAvailable(
            f"{target.provider} cannot be asked with the key and the address that are set for it.",
            hint="An operator can store others with set_provider, or in the environment.",
        )
    )


def no_key(target: Target) -> Failed:
    """A key that cannot be one."""
    return Failed(
        NotAvailable(
            f"The key of {target.provider} holds a line end or another character that no key has.",
            hint="An operator can store it again with set_provider, or in the environment.",
        )
    )


def cut_off(target: Target) -> Failed:
    """An answer that ended before its end."""
    return Failed(
        UpstreamFailed(f"{target.provider} broke off in the middle of its answer.", hint=_LATER),
        is_passing=True,
    )


def unreadable(target: Target) -> Failed:
    """An answer that is none."""
    return Failed(
        UpstreamFailed(f"{target.provider} answers with something that cannot be read.", hint=_LATER),
        is_passing=True,
    )


def withheld(target: Target) -> Failed:
    """An answer that the provider's own filter stopped."""
    return Failed(Rejected(f"A filter of {target.provider} stopped the answer."))


def used_up(target: Target) -> Failed:
    """A model that thought until it had no tokens left to answer with."""
    return Failed(
        Rejected(
            f"{target.model} used up all tokens that its answer may have before it said anything.",
            hint="Allow it more (maxTokens), or choose a model that thinks less.",
        )
    )


def silent(target: Target, seconds: float) -> Failed:
    """A provider that was waited for in vain."""
    return Failed(UpstreamFailed(f"{target.provider} took longer than {seconds:g} seconds.", hint=_LATER))


def not_installed(target: Target) -> Failed:
    """A provider whose package is missing."""
    return Failed(
        NotAvailable(
            f"The package that speaks with {target.provider} is not installed.",
            hint=f'Install it with: pip install "vivavoce[{target.provider}]"',
        )
    )
