"""All kinds of providers that are known."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from vivavoce.errors import NotAvailable
from vivavoce.ports import Channel, Outside

from .webhook import WebhookChannel


class KnownChannels:
    """Finds the channel of a type."""

    def __init__(
        self,
        outside: Outside,
        *,
        secret: Callable[[str], str],
        digest: Callable[[str], str],
        now: Callable[[], datetime],
    ) -> None:
        """`secret` signs the calls of an organization; `digest` is the fingerprint of a token."""
        self._channels: dict[str, Channel] = {
            "webhook": WebhookChannel(outside, secret=secret, digest=digest, now=now)
        }

    def of(self, type: str) -> Channel:
        """The one of a type."""
        if type not in self._channels:
            raise NotAvailable(f"There is no channel {type!r}.")
        return self._channels[type]
