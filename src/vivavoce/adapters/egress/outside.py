"""The way out for requests that the tools of users make."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vivavoce.ports import Reply

from .bounds import Bounds
from .client import Egress

_SECONDS = 15
"""How long a whole call may take."""


class EgressOutside:
    """Sends requests through the one egress client, without redirects to elsewhere."""

    def __init__(self, egress: Egress, seconds: float = _SECONDS) -> None:
        self._egress, self._seconds = egress, seconds

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
        """The answer, at most `most` bytes of it."""
        bounds = Bounds(timeout=self._seconds, max_bytes=most, redirects=0)
        answer = await self._egress.request(
            method, url, headers=headers, content=content, within=bounds, left=left
        )
        return Reply(answer.status, answer.headers, answer.body, answer.is_cut)
