"""Asking a person before something is destroyed, where their client can ask."""

from __future__ import annotations

from typing import Any

from mcp.server import ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from vivavoce.errors import Declined
from vivavoce.operations import Operation

from .previews import Reader

_KEY = "confirm"
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Yes, delete it", "default": False}},
    "required": ["confirm"],
}
_STATELESS_SINCE = "2026-07-28"


async def confirmed(
    op: Operation[Any], call: CallToolRequestParams, context: ServerRequestContext[Any, Any], reader: Reader
) -> InputRequiredResult | None:
    """None when `op` may go on; a question for the client to put; Declined when the person said no.

    The question says what would go, and nobody is asked about what is not there: that is NotFound. The
    older protocol asks while the call waits, the newer one answers the call with the question and is called
    again. A client that cannot ask has its own way to let a person approve tool calls.
    """
    if not _can_ask(context):
        return None
    if context.protocol_version < _STATELESS_SINCE:
        if context.session.can_send_request:
            question = await _question(op, reader)
            _check(await context.session.elicit_form(question, _FORM, context.request_id))
        return None
    answer = (call.input_responses or {}).get(_KEY)
    if call.request_state != op.spec.name or not isinstance(answer, ElicitResult):
        return _asked(op, await _question(op, reader))
    _check(answer)
    return None


def _can_ask(context: ServerRequestContext[Any, Any]) -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def _question(op: Operation[Any], reader: Reader) -> str:
    name, counts = await reader.preview(op)
    arguments = ", ".join(f"{name} {value}" for name, value in op.model_dump(mode="json").items())
    counted = f" ({', '.join(f'{what}: {many}' for what, many in counts.items())})" if counts else ""
    return (
        f"{op.spec.title} {name!r} ({arguments})? "
        f"This also removes {op.spec.takes_along}{counted}. It cannot be undone."
    )


def _asked(op: Operation[Any], question: str) -> InputRequiredResult:
    ask = ElicitRequest(params=ElicitRequestFormParams(message=question, requested_schema=_FORM))
    return InputRequiredResult(input_requests={_KEY: ask}, request_state=op.spec.name)


def _check(answer: ElicitResult) -> None:
    if answer.action != "accept" or (answer.content or {}).get("confirm") is not True:
        raise Declined(
            "Nothing was deleted: the person did not confirm.", hint="Ask them before you try again."
        )
