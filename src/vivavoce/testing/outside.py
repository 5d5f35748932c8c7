"""Servers and channels without a network."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime

from vivavoce.domain.channels import Account, Heard
from vivavoce.errors import UpstreamFailed
from vivavoce.ports import Channel, Reply
from vivavoce.ports.time import Outcome, Sending, Sent


class FakeOutside:
    """Servers that are given by hand: `FakeOutside({"GET https://example.com/": (200, "yes")})`.

    What was sent stands in `sent`.
    """

    def __init__(self, answers: Mapping[str, tuple[int, str]] | None = None) -> None:
        self.answers = dict(answers or {})
        self.sent: list[tuple[str, str, dict[str, str], bytes | None]] = []

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes | None,
        most: int,
        left: Callable[[], None] | None = None,
    ) -> Reply:
        """The answer that was given for the address, or UpstreamFailed."""
        self.sent.append((method, url, dict(headers), content))
        if f"{method} {url}" not in self.answers:
            raise UpstreamFailed(f"{url} does not answer.")
        status, text = self.answers[f"{method} {url}"]
        body = text.encode()
        return Reply(status, {"content-type": "text/plain"}, body[:most], len(body) > most)


class MemoryChannel:
    """A channel without a network: what was sent stands in `sent`, and `outcomes` says what comes of it.

    The events of a request are a JSON list of objects with the fields of Heard.
    """

    def __init__(self, *outcomes: Outcome, repeats_safely: bool = False) -> None:
        self.outcomes, self.repeats_safely = list(outcomes), repeats_safely
        self.sent: list[Sending] = []
        self.typing: list[str] = []

    def heard(self, account: Account, headers: Mapping[str, str], body: bytes, now: datetime) -> list[Heard]:
        """The events."""
        return [Heard(**each) for each in json.loads(body)]

    async def send(self, account: Account, sending: Sending) -> Outcome:
        """The next outcome; after the last one, it is sent."""
        self.sent.append(sending)
        return self.outcomes.pop(0) if self.outcomes else Sent(f"ext-{len(self.sent)}")

    async def show_typing(self, account: Account, chat: str) -> None:
        """Noted."""
        self.typing.append(chat)


class TestChannels:
    """One channel for every type."""

    __test__ = False

    def __init__(self, channel: Channel) -> None:
        self.channel = channel

    def of(self, type: str) -> Channel:
        """The channel."""
        return self.channel
