"""Callbacks: the answer of a turn, sent to the address that the caller named, and signed."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations.answers import AgentAnswer
from vivavoce.ports import Ports, Vault

from .handlers import Errand, Work
from .opening import Opened

WAITS = (1.0, 4.0, 15.0, 40.0)
"""Seconds before each further attempt."""
_MOST = 1_000
"""Bytes that are read of what the address answers."""


def check_callback(errand: Errand) -> None:
    """Refuse a stranger, who could have us call anyone, and more than can be held."""
    if errand.caller.is_anonymous:
        raise InvalidInput(
            "callbackURL: needs an API key.",
            hint="Send a key as a bearer token, or leave callbackURL out.",
            details={"callbackURL": "needs an API key"},
        )
    errand.later.check_room()


async def call_back(
    url: str,
    answer: Callable[[], Awaitable[AgentAnswer]],
    opened: Opened,
    errand: Errand,
    waits: Sequence[float] = WAITS,
) -> None:
    """Send what the turn comes to, or why it failed; how the sending went stands in the turn's trace."""
    try:
        body = (await answer()).wire()
    except VivavoceError as error:
        body = {
            "conversationId": opened.conversation.id,
            "visitorId": opened.conversation.visitor_id or "",
            "error": error.wire,
            "message": error.message,
        }
    content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    sending = _Sending(url, errand.ports.new_id(), content)
    try:
        await sending.send(await errand.read(secret_of_workspace), errand.ports, waits)
    except asyncio.CancelledError:
        sending.record["error"] = "The process ended before the answer could be sent."
        await asyncio.shield(errand.write(lambda work: _record(opened.turn.id, sending.record, work)))
        raise
    await errand.write(lambda work: _record(opened.turn.id, sending.record, work))


def signing_secret(vault: Vault, organization_id: str) -> str:
    """What signs the calls of a workspace; it follows from its master key."""
    return f"vvs_{vault.derived(f'signing:{organization_id}').hex()}"


def secret_of_workspace(work: Work) -> str:
    """The signing secret of the workspace that the work is done in."""
    return signing_secret(work.ports.vault, work.tables.organization_id)


def signature_headers(secret: str, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers by which a receiver knows that a call is ours, fresh and unchanged."""
    signed = f"{id}.{timestamp}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return {
        "Vivavoce-Id": id,
        "Vivavoce-Timestamp": str(timestamp),
        "Vivavoce-Signature": f"v1={digest}",
    }


class _Sending:
    """One body on its way to one address; its id is the same for each attempt."""

    def __init__(self, url: str, id: str, content: bytes) -> None:
        self.url, self.id, self.content = url, id, content
        self.record: dict[str, Any] = {"tries": 0}
        """What the trace keeps: how often it was tried, and the status or the error in the end."""

    async def send(self, secret: str, ports: Ports, waits: Sequence[float]) -> None:
        """Try until it is taken, refused for good, or the patience is over."""
        for wait in (*waits, None):
            if not await self._tried(secret, ports) or wait is None:
                return
            await asyncio.sleep(wait)

    async def _tried(self, secret: str, ports: Ports) -> bool:
        """Try once; whether another attempt may help."""
        self.record = {"tries": self.record["tries"] + 1}
        signed = signature_headers(secret, self.id, int(ports.now().timestamp()), self.content)
        headers = {"Content-Type": "application/json", **signed}
        try:
            reply = await ports.outside.send(
                "POST", self.url, headers=headers, content=self.content, most=_MOST
            )
        except VivavoceError as error:
            self.record["error"] = error.message
            return error.retryable
        self.record["status"] = reply.status
        if 200 <= reply.status < 300:
            return False
        self.record["error"] = f"The address answers {reply.status}."
        return reply.status == 429 or reply.status >= 500


def _record(turn_id: str, record: dict[str, Any], work: Work) -> None:
    turn = work.tables.turns.find(turn_id)
    if turn is not None:
        trace = {**turn.trace, "callback": record}
        work.tables.turns.replace(turn.changed(work.now, trace=trace))
