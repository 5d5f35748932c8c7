"""Where providers post their events: stored first, and only then acknowledged."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from vivavoce.app import App
from vivavoce.errors import VivavoceError

from .openapi_events import PATH
from .rest import read_body, refused


def routes() -> list[Route]:
    """The routes of events, with and without /api before them."""
    return [Route(prefix + PATH, _Events(), methods=["POST"], name=prefix + PATH) for prefix in ("", "/api")]


class _Events:
    """Takes in the events of a request."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        app: App = scope["app"].state.app
        headers = {
            name: value.decode("latin-1")
            for name, key in (("x-webhook-token", b"x-webhook-token"), ("authorization", b"authorization"))
            for found, value in scope["headers"]
            if found == key
        }
        try:
            body = await read_body(request)
            taken = await app.inbox.accept(scope["path_params"]["accountId"], headers, body)
        except VivavoceError as error:
            await refused(error)(scope, receive, send)
            return
        answer = {"accepted": taken.accepted, "duplicates": taken.duplicates}
        await JSONResponse(answer)(scope, receive, send)
