"""How REST answers a query: whole, as a stream, later, or in few words."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse

from vivavoce.operations.answers import AgentAnswer, AgentQuery

from .sse import Ask, Refuse, Stream, is_raw

LEGACY = "/agents/query/{id}"
"""Where older clients ask."""
SIMPLE = "/agents/{id}/simplequery"
"""Where an agent asks another one through a tool that calls it."""


async def answered(
    op: AgentQuery, ask: Ask, refuse: Refuse, request: Request, *, is_brief: bool = False
) -> JSONResponse | Stream:
    """The response that the query wants; `is_brief` where it came by the way for tools."""
    raw = is_raw(request.query_params)
    if op.streaming:
        return Stream(ask, refuse, is_raw=raw)
    result = await ask(None)
    is_later = op.callback_url is not None and not op.is_draft
    body = _brief(result) if is_brief and not is_later else result.wire()
    return JSONResponse(body, 202 if is_later else 200)


def _brief(result: AgentAnswer) -> dict[str, str]:
    """The words, and how to go on; a model that called reads nothing else."""
    return {"answer": result.answer or "", "conversationId": result.conversation_id}
