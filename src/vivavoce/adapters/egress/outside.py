"""The way out for requests that the tools of users make."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.ports import Reply

from .bounds import Bounds
from .client import Egress

_SECONDS = 15
"""How long a whole call may take."""


class EgressOutside:
    """Sends requests through the one egress client, without redirects to elsewhere."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes | None, most: int
    ) -> Reply:
        """The answer, at most `most` bytes of it."""
        bounds = Bounds(timeout=_SECONDS, max_bytes=most, redirects=0)
        answer = await self._egress.request(method, url, headers=headers, content=content, within=bounds)
        return Reply(answer.status, answer.headers, answer.body, answer.is_cut)
