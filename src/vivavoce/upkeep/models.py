"""The operator's own server for models: whether it can be reached."""

from __future__ import annotations

from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.places import place_of
from vivavoce.app import host_and_port
from vivavoce.settings import Settings

_SHORTLY = Bounds(timeout=3, connect=3, max_bytes=1_000, redirects=0)
"""It is only asked whether it is there."""


async def reached_model_server(settings: Settings) -> str:
    """Where the server that VIVAVOCE_MODEL_URL names answers, without what may be secret in that address.

    InvalidInput where it cannot be an address, UpstreamFailed where nothing answers.
    """
    place = place_of(settings.model_url)
    egress = Egress(allow=[host_and_port(settings.model_url)])
    try:
        await egress.request("GET", f"{settings.model_url.rstrip('/')}/models", within=_SHORTLY)
    finally:
        await egress.close()
    return place.origin
