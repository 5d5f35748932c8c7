"""The channel of any program that speaks HTTP: it posts events to us, and we post messages to it."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from vivavoce.domain.channels import Account, Heard, address_of, header_of
from vivavoce.domain.http.signing import signature_headers
from vivavoce.errors import NotAuthenticated, Unreached, UpstreamFailed, VivavoceError
from vivavoce.ports import Outside, Reply
from vivavoce.ports.time import Outcome, Refused, Sending, Sent, TryLater, Unsure

from .understanding import understood

_MOST = 10_000
"""Bytes that are read of what the provider answers."""
_LONGEST_WAIT = 86_400.0
"""Seconds that a provider may ask us to wait."""
_LONGEST_ID = 500


class WebhookChannel:
    """Any program that posts events and takes messages over HTTP."""

    repeats_safely = False
    """Its accounts say so for themselves."""

    def __init__(
        self,
        outside: Outside,
        *,
        secret: Callable[[str], str],
        digest: Callable[[str], str],
        now: Callable[[], datetime],
    ) -> None:
        self._outside, self._secret, self._digest, self._now = outside, secret, digest, now

    def heard(self, account: Account, headers: Mapping[str, str], body: bytes, now: datetime) -> list[Heard]:
        """The events of a request; NotAuthenticated where it is not the provider's, InvalidInput for junk."""
        shown = self._digest(_token(headers))
        if not hmac.compare_digest(shown.encode(), account.token_digest.encode()):
            raise NotAuthenticated(
                "No such channel, or the token is not the one of this channel.",
                hint="Send the token that create_channel gave, as X-Webhook-Token.",
            )
        return understood(body)

    async def send(self, account: Account, sending: Sending) -> Outcome:
        """Send a message; never raises for what a provider does."""
        message = {
            "type": "message",
            "id": sending.id,
            "chat": sending.chat,
            "text": sending.text,
            "attachments": list(sending.attachments),
        }
        try:
            reply = await self._post(account, sending.id, message, sending.left)
        except Unreached as error:
            return TryLater(error.message)
        except UpstreamFailed as error:
            return TryLater(error.message) if account.repeats_safely else Unsure(error.message)
        except VivavoceError as error:  # where we may not go, or what we may not say
            return Refused(str(error))  # with what an operator can do about it
        return self._outcome(reply)

    async def show_typing(self, account: Account, chat: str) -> None:
        """Show the person that an answer is being written; failures do not matter."""
        if account.config.get("typing") is True:
            with suppress(VivavoceError):
                await self._post(account, "", {"type": "typing", "chat": chat})

    async def _post(
        self, account: Account, id: str, said: Mapping[str, Any], left: Callable[[], None] | None = None
    ) -> Reply:
        content = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        moment = int(self._now().timestamp())
        signed = signature_headers(self._secret(account.organization_id), id, moment, content)
        if not id:
            del signed["Vivavoce-Id"]
        headers = {**header_of(account), "Content-Type": "application/json", **signed}
        return await self._outside.send(
            "POST", address_of(account), headers=headers, content=content, most=_MOST, left=left
        )

    def _outcome(self, reply: Reply) -> Outcome:
        if 200 <= reply.status < 300:
            return Sent(_external_id(reply.body))
        said = f"The provider answers {reply.status}."
        if reply.status == 429 or reply.status >= 500:
            return TryLater(said, self._wanted_wait(reply.headers.get("retry-after", "")))
        if 300 <= reply.status < 400:
            return Refused(f"{said} It sends on to elsewhere, where nothing is sent.")
        return Refused(said)

    def _wanted_wait(self, asked: str) -> float | None:
        """The seconds of a Retry-After, which is a number or a date; None where it cannot be read."""
        asked = asked.strip()
        if asked.isascii() and asked.isdecimal():
            return min(float(asked[:9]), _LONGEST_WAIT)
        try:
            moment = parsedate_to_datetime(asked)
        except (ValueError, IndexError):
            return None
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return min(max((moment - self._now()).total_seconds(), 0.0), _LONGEST_WAIT)


def _token(headers: Mapping[str, str]) -> str:
    """What the caller shows; the scheme word of an Authorization is not checked, as elsewhere."""
    if token := headers.get("x-webhook-token", ""):
        return token
    words = headers.get("authorization", "").split()
    return words[1] if len(words) == 2 else ""


def _external_id(body: bytes) -> str | None:
    """What the provider calls the message, where its answer says so."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    id = said.get("id") if isinstance(said, dict) else None
    is_name = isinstance(id, str | int) and not isinstance(id, bool)
    text = str(id) if is_name else ""
    return text if text.isprintable() and 0 < len(text) <= _LONGEST_ID else None
