"""Signing: how a receiver knows that a call is ours, fresh and unchanged."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable


def signing_secret(derived: Callable[[str], bytes], organization_id: str) -> str:
    """What signs the calls of a workspace; `derived` gives the vault's key for a use."""
    return f"vvs_{derived(f'signing:{organization_id}').hex()}"


def signature_headers(secret: str, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The headers that sign a body; the id is the same each time that it is sent."""
    signed = f"{id}.{timestamp}.".encode() + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return {
        "Vivavoce-Id": id,
        "Vivavoce-Timestamp": str(timestamp),
        "Vivavoce-Signature": f"v1={digest}",
    }
