"""The way out for libraries that ask on their own: an HTTP client whose every call goes through it."""

from __future__ import annotations

from functools import partial

import httpx2

from .bounds import Bounds
from .client import Egress
from .exchanges import Exchange

_SENT = frozenset(
    {
        *("accept", "authorization", "content-type", "user-agent"),
        *("anthropic-beta", "anthropic-version", "x-api-key", "x-goog-api-key"),
    }
)
"""The headers that go out. Others tell about this machine, or come from its environment for other servers."""

_UNPACKED = frozenset({"content-encoding", "content-length", "transfer-encoding"})


def client_through(egress: Egress, within: Bounds) -> httpx2.AsyncClient:
    """An HTTP client that has no other way out, and reads no proxy or key from the environment."""
    return httpx2.AsyncClient(
        transport=EgressTransport(egress, within),
        trust_env=False,
        follow_redirects=False,
        timeout=httpx2.Timeout(within.timeout, connect=within.connect),
    )


class EgressTransport(httpx2.AsyncBaseTransport):
    """Sends what an HTTP client is asked to send through an Egress. Its errors are those of the Egress."""

    def __init__(self, egress: Egress, within: Bounds) -> None:
        self._egress, self._within = egress, within

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The answer as soon as it begins."""
        headers = {name: value for name, value in request.headers.items() if name.lower() in _SENT}
        content = await request.aread() or None
        stream = partial(self._egress.stream, headers=headers, content=content, within=self._within)
        coming = _Coming(partial(stream, request.method, str(request.url)))
        opened = await coming.opened()
        told = [(name, value) for name, value in opened.headers.items() if name not in _UNPACKED]
        return httpx2.Response(opened.status, headers=told, stream=coming, request=request)


class _Coming(Exchange, httpx2.AsyncByteStream):
    """An exchange as the library reads it."""
