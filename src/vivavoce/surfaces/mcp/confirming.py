"""Asking a person before something is destroyed or sent, where their client can ask."""

from __future__ import annotations

from typing import Any, NamedTuple

from mcp.server import ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)

from vivavoce.errors import Declined
from vivavoce.operations import Effect, Operation
from vivavoce.operations.approvals import AnswerApproval

from .previews import Reader

_KEY = "confirm"
_STATELESS_SINCE = "2026-07-28"


class _Question(NamedTuple):
    """What a person is asked, and what they agree to."""

    text: str
    yes: str

    @property
    def form(self) -> dict[str, Any]:
        agreed = {"type": "boolean", "title": self.yes, "default": False}
        return {"type": "object", "properties": {"confirm": agreed}, "required": ["confirm"]}


def wants_confirmation(op: Operation[Any]) -> bool:
    """Whether a person should be asked first: it deletes something, or lets a call out that was held back."""
    return op.spec.effect is Effect.DELETE or (isinstance(op, AnswerApproval) and op.approved)


async def confirmed(
    op: Operation[Any], call: CallToolRequestParams, context: ServerRequestContext[Any, Any], reader: Reader
) -> InputRequiredResult | None:
    """None when `op` may go on; a question for the client to put; Declined when the person said no.

    The question says what would go or be sent, and nobody is asked to delete what is not there: that is
    NotFound. The older protocol asks while the call waits, the newer one answers the call with the question
    and is called again. A client that cannot ask has its own way to let a person approve tool calls.
    """
    if not _can_ask(context):
        return None
    if context.protocol_version < _STATELESS_SINCE:
        if context.session.can_send_request:
            question = await _question(op, reader)
            if question is None:
                return None
            asked = context.session.elicit_form(question.text, question.form, context.request_id)
            _check(op, await asked)
        return None
    answer = (call.input_responses or {}).get(_KEY)
    if call.request_state != op.spec.name or not isinstance(answer, ElicitResult):
        question = await _question(op, reader)
        return None if question is None else _asked(op, question)
    _check(op, answer)
    return None


def _can_ask(context: ServerRequestContext[Any, Any]) -> bool:
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def _question(op: Operation[Any], reader: Reader) -> _Question | None:
    if isinstance(op, AnswerApproval):
        held = await reader.held_call(op)
        return None if held is None else _Question(f"Send the call {held}?", "Yes, send it")
    name, counts = await reader.preview(op)
    arguments = ", ".join(f"{name} {value}" for name, value in op.model_dump(mode="json").items())
    counted = f" ({', '.join(f'{what}: {many}' for what, many in counts.items())})" if counts else ""
    text = (
        f"{op.spec.title} {name!r} ({arguments})? "
        f"This also removes {op.spec.takes_along}{counted}. It cannot be undone."
    )
    return _Question(text, "Yes, delete it")


def _asked(op: Operation[Any], question: _Question) -> InputRequiredResult:
    params = ElicitRequestFormParams(message=question.text, requested_schema=question.form)
    ask = ElicitRequest(params=params)
    return InputRequiredResult(input_requests={_KEY: ask}, request_state=op.spec.name)


def _check(op: Operation[Any], answer: ElicitResult) -> None:
    if answer.action != "accept" or (answer.content or {}).get("confirm") is not True:
        done = "deleted" if op.spec.effect is Effect.DELETE else "sent"
        raise Declined(
            f"Nothing was {done}: the person did not confirm.", hint="Ask them before you try again."
        )
