"""Qdrant's REST interface: one request, one result, and its failures in plain words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from vivavoce.errors import UpstreamFailed


class Send(Protocol):
    """Sends one request and gives the status and the body; UpstreamFailed or OSError when none came."""

    async def __call__(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes
    ) -> tuple[int, bytes]: ...


class Rest:
    """A Qdrant server, as it is spoken to."""

    def __init__(self, url: str, api_key: str, send: Send) -> None:
        self._url = url.rstrip("/")
        self._headers = {"content-type": "application/json"} | ({"api-key": api_key} if api_key else {})
        self._send = send

    async def asked(
        self, method: str, path: str, body: Mapping[str, Any] | bytes = b"", *, passing: int | None = None
    ) -> Any:
        """The result; None where there is no such thing, or for the status that is passed over."""
        content = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
        try:
            status, answer = await self._send(
                method, f"{self._url}{path}", headers=self._headers, content=content
            )
        except OSError as error:
            raise UpstreamFailed(
                "The Qdrant server cannot be reached.", hint="Check that it runs, then try again."
            ) from error
        if status in (404, passing):
            return None
        if status in (401, 403):
            raise UpstreamFailed(
                "The Qdrant server does not accept the key.", hint="Check the key for Qdrant."
            )
        if status != 200:
            raise UpstreamFailed(f"The Qdrant server failed with status {status}.", hint="Try again later.")
        try:
            return json.loads(answer)["result"]
        except (ValueError, KeyError, TypeError) as error:
            raise UpstreamFailed(
                "What answers is not a Qdrant server.", hint="Check the address of Qdrant."
            ) from error
