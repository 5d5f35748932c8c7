"""A vivavoce server elsewhere: its REST surface is called from the routes that operations declare."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any, cast

import pydantic_core

from vivavoce.domain.values import Value
from vivavoce.errors import NotAvailable
from vivavoce.hosted.asking import opened, request_of
from vivavoce.hosted.calling import Calls
from vivavoce.hosted.exchanges import ANSWER, Asked, Reply
from vivavoce.hosted.lines import Line
from vivavoce.hosted.streaming import heard
from vivavoce.operations import Caller, Hear, Operation
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.operations.base import R
from vivavoce.operations.knowledge import CreateDatasource
from vivavoce.operations.tools import AddAgentTool, AddsTool
from vivavoce.operations.uploads import AddFile

from .failing import broken_off
from .reading import result_of

_EVENTS = "text/event-stream"


class ServedBackend:
    """Runs operations on another vivavoce server, with one key or with none."""

    def __init__(self, calls: Calls, key: str) -> None:
        self._line = Line(calls, key)

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Whether there is a way to it: a route, or one that its kind shares."""
        return kind.spec.route is not None or issubclass(kind, AddsTool | AddFile)

    async def run(self, op: Operation[R], caller: Caller, hear: Hear | None = None) -> R:
        """Carry out `op`; what the key allows, the server decides."""
        if not self.supports(type(op)):
            raise NotAvailable(
                f"There is no route to {op.spec.name}.", hint="Use the command line of the server."
            )
        if isinstance(op, AddFile):
            with opened(op) as file:
                return cast(R, result_of(op, await self._line.send(_upload(op, file))))
        if not isinstance(op, AgentQuery):
            return result_of(op, await self._line.send(_asked(op)))
        if hear is None or op.callback_url is not None:
            return cast(R, result_of(op, await self._line.send(_asked(op, streaming=False))))
        return cast(R, await self._heard(op, hear))

    async def _heard(self, op: AgentQuery, hear: Hear) -> AgentAnswer:
        asked = _asked(op, streaming=True)
        async with self._line.opened(asked) as coming:
            if coming.kind != _EVENTS:
                return result_of(op, await coming.whole())
            async with aclosing(coming.pieces()) as pieces:
                whole = await heard(pieces, hear, self._line.hidden, broken_off)
        return result_of(op, Reply(200, "application/json", whole.encode()))


def _asked(op: Operation[Any], **changed: Any) -> Asked:
    """The request that an operation comes to. What the caller gave arrives as it is."""
    given: Value = op
    route = op.spec.route
    if isinstance(op, AddsTool):
        given, route, changed = op.draft(), AddAgentTool.spec.route, {"agentId": op.agent_id}
    assert route is not None
    sent = given.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return request_of(route, op, sent | changed)


def _upload(op: AddFile, file: Any) -> Asked:
    """A file as a form, with its settings as JSON beside it."""
    fields = {"datastoreId": op.datastore_id, "type": "file", "fileName": op.name}
    if op.config:
        fields["config"] = pydantic_core.to_json(op.config).decode()
    if op.replaces is not None:
        fields["id"] = op.replaces
    kind = str(op.config.get("mime_type") or "")
    route = CreateDatasource.spec.route
    assert route is not None
    return Asked(route.method, route.path, form=fields, file=(op.name, file, kind), seconds=ANSWER)
