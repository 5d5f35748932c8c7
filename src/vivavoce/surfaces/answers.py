"""How REST answers a query: whole, as a stream, later, or in few words."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vivavoce.errors import VivavoceError
from vivavoce.operations.answers import AgentAnswer, AgentQuery

from .hearing import stop
from .sse import Ask, Refuse, Stream, gone, is_raw

LEGACY = "/agents/query/{id}"
"""Where older clients ask."""
SIMPLE = "/agents/{id}/simplequery"
"""Where an agent asks another one through a tool that calls it."""


def answered(
    op: AgentQuery, ask: Ask, refuse: Refuse, request: Request, *, is_brief: bool = False
) -> ASGIApp:
    """The response that the query wants; `is_brief` where it came by the way for tools."""
    raw = is_raw(request.query_params)
    if op.streaming:
        return Stream(ask, refuse, is_raw=raw)
    is_later = op.callback_url is not None and not op.is_draft
    return _Whole(ask, refuse, is_brief=is_brief and not is_later, status=202 if is_later else 200)


class _Whole:
    """Answers a request once `ask` is done; stops it when the client goes away before."""

    def __init__(self, ask: Ask, refuse: Refuse, *, is_brief: bool, status: int) -> None:
        self._ask, self._refuse = ask, refuse
        self._is_brief, self._status = is_brief, status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asking = asyncio.ensure_future(self._response())
        leaving = asyncio.create_task(gone(receive))
        try:
            await asyncio.wait({asking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                await asking.result()(scope, receive, send)
        finally:
            await stop(asking, leaving)

    async def _response(self) -> ASGIApp:
        try:
            result = await self._ask(None)
        except VivavoceError as error:
            return self._refuse(error)
        return JSONResponse(_brief(result) if self._is_brief else result.wire(), self._status)


def _brief(result: AgentAnswer) -> dict[str, str]:
    """The words, and how to go on; a model that called reads nothing else."""
    return {"answer": result.answer or "", "conversationId": result.conversation_id}
