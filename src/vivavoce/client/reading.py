"""Reading what a vivavoce server answers: the way back from the wire to the result that it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import pydantic_core
from pydantic import ValidationError

from vivavoce.domain.faults import faults_of, in_words
from vivavoce.errors import UpstreamFailed
from vivavoce.hosted.exchanges import Reply
from vivavoce.operations import Effect, Listing, Operation, Result, Route
from vivavoce.operations.agents import IntegrationSwitched
from vivavoce.operations.answers import AgentAnswer
from vivavoce.operations.base import R
from vivavoce.operations.crm_results import PlacementPage

T = TypeVar("T", bound=Result)

_NO_CONTENT = 204
_SHOWN = 5
_LATER = "The answer is sent to callbackURL."
_SILENT = "The AI keeps silent: see the conversation, the agent's hours and its access lists."


def result_of(op: Operation[R], reply: Reply) -> R:
    """The result that an answer holds, of the declared class. What newer servers say more is passed over."""
    try:
        return cast(R, _result(op, reply))
    except ValidationError as error:
        raise _unreadable(op, in_words(dict(list(faults_of(error).items())[:_SHOWN]))) from None
    except ValueError:
        raise _unreadable(op, "it is no JSON, or is cut short") from None


def _result(op: Operation[Any], reply: Reply) -> Result:
    kind, route = op.spec.result, op.spec.route
    if route is not None and route.status == _NO_CONTENT:
        if reply.status != _NO_CONTENT:
            raise _unreadable(op, f"its status is {reply.status} instead of {_NO_CONTENT}")
        return _named(op, kind, route)
    if kind in _WAYS_BACK:
        return _WAYS_BACK[kind](op, reply.body)
    if issubclass(kind, Listing):
        ((name, field),) = kind.model_fields.items()
        return _read(kind, _under(field.alias or name, reply.body))
    return _read(kind, reply.body)


def _read(kind: type[T], body: bytes) -> T:
    return kind.model_validate_json(body, strict=True, extra="ignore")


def _under(name: str, body: bytes) -> bytes:
    return b'{"%b":%b}' % (name.encode(), body)


def _named(op: Operation[Any], kind: type[Result], route: Route) -> Result:
    """What is gone, where the wire says nothing: it was named by its id, or last in the path."""
    given = op.model_dump(by_alias=True)
    return kind.model_validate({"id": given.get("id", given[route.path_names[-1]])})


def _unreadable(op: Operation[Any], why: str) -> UpstreamFailed:
    hint = "Check the url, and whether the server is of another version."
    done = "" if op.spec.effect is Effect.READ else " It may have taken effect."
    return UpstreamFailed(f"What the server answers cannot be read: {why}.{done}", hint=hint)


def _switched(op: Any, body: bytes) -> IntegrationSwitched:
    """The wire has the sentence alone; an agent that was named by its handle is named so here."""
    status = pydantic_core.from_json(body)
    return IntegrationSwitched(agent_id=op.id, type=op.type, enabled=op.enabled, status=status)


def _placements(op: Any, body: bytes) -> PlacementPage:
    """The wire has a bare list; or the count in an object, or the counts by step."""
    if body.lstrip()[:1] == b"[":
        return _read(PlacementPage, _under("placements", body))
    return _read(PlacementPage, _under("counts", body) if op.step_id is None else body)


def _answer(op: Any, body: bytes) -> AgentAnswer:
    """Where the AI keeps silent, the wire does not say why."""
    answer = _read(AgentAnswer, body)
    if answer.answer is not None or answer.message_id is not None:
        return answer
    reason = _SILENT if getattr(op, "callback_url", None) is None else _LATER
    return answer.model_copy(update={"metadata": {"reason": reason}})


_WAYS_BACK: dict[type[Result], Callable[[Any, bytes], Result]] = {
    IntegrationSwitched: _switched,
    PlacementPage: _placements,
    AgentAnswer: _answer,
}
"""Results of which the wire says less, or says it otherwise."""
