"""Failing: what a provider did wrong, in plain words and without keys, addresses or what it said itself."""

from __future__ import annotations

from vivavoce.errors import InvalidInput, LimitReached, NotAvailable, UpstreamFailed, VivavoceError

from .targets import NATIVE, Target

_LATER = "Try again later."
_PASSING = (408, 409, 425)
"""Beside those from 500 on, the answers after which asking again may help."""


class Failed(Exception):
    """An attempt that failed: what the caller is told, and whether asking again may help."""

    def __init__(
        self, error: VivavoceError, *, is_passing: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(error.message)
        self.error, self.is_passing, self.retry_after = error, is_passing, retry_after


def refused(target: Target, status: int, retry_after: float | None = None) -> Failed:
    """A provider that answers with a status that is none of success."""
    if status == 429:
        wait = _LATER if retry_after is None else f"Try again in {retry_after:.0f} seconds."
        told = f"{target.provider} answers 429: too many requests, or nothing left to spend there."
        return Failed(LimitReached(told, hint=wait), is_passing=True, retry_after=retry_after)
    if status >= 500 or status in _PASSING:
        failed = UpstreamFailed(f"{target.provider} answers {status}.", hint=_LATER)
        return Failed(failed, is_passing=True, retry_after=retry_after)
    if status in (401, 403):
        return Failed(
            UpstreamFailed(
                f"{target.provider} does not accept the key.",
                hint="An operator can store another one with set_provider, or in the environment.",
            )
        )
    if status == 404:
        return Failed(
            UpstreamFailed(
                f"{target.provider} does not know the model {target.model}.",
                hint="Give the agent another model; list_models lists them.",
            )
        )
    return Failed(UpstreamFailed(f"{target.provider} answers {status} and does not take the request."))


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
    return Failed(UpstreamFailed(f"A filter of {target.provider} stopped the answer."))


def silent(target: Target, seconds: float) -> Failed:
    """A provider that was waited for in vain."""
    return Failed(UpstreamFailed(f"{target.provider} took longer than {seconds:g} seconds.", hint=_LATER))


def not_installed(target: Target) -> Failed:
    """A provider whose package is missing."""
    named = f"vivavoce[{target.provider}]" if target.provider in NATIVE else "pydantic-ai-slim[openai]"
    return Failed(
        NotAvailable(
            f"The package that speaks with {target.provider} is not installed.",
            hint=f'Install it with: pip install "{named}"',
        )
    )
