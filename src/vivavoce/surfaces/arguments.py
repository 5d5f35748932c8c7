"""What a request asks for: the arguments in its path, its address, its body and its headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import pydantic_core
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vivavoce.errors import InvalidInput
from vivavoce.operations import Operation

IGNORED = "X-Ignored-Fields"
"""The header that names the keys of a body which were passed over, percent-encoded, with commas between."""
_NAMES = 20
_LETTERS = 60
"""How many keys are named, and how much of each."""

Kind = type[Operation[Any]]


class Wanted(NamedTuple):
    """An operation, and the keys of the body that it does not know."""

    op: Operation[Any]
    ignored: Sequence[str]


def wanted(kind: Kind, sent: Mapping[str, Any] | None, request: Request) -> Wanted:
    """Texts of the address are read leniently, and an empty one is as good as none; a body strictly.

    Keys that an operation does not know are refused, but for a body of one that is open.
    """
    given = texts_of(request) if sent is None else sent
    in_headers = {
        ours: request.headers[theirs]
        for theirs, ours in kind.spec.rest_headers.items()
        if request.headers.get(theirs)
    }
    arguments = {**kind.spec.rest_defaults, **in_headers, **_arguments(kind, given, request)}
    ignored: list[str] = []
    if sent is not None and kind.spec.is_open:
        known = {field.alias for field in kind.model_fields.values()}
        ignored = [name for name in arguments if name not in known]
    op = kind.parse(
        {name: value for name, value in arguments.items() if name not in ignored}, strict=sent is not None
    )
    return Wanted(op, ignored)


def naming(ignored: Sequence[str], answer: ASGIApp) -> ASGIApp:
    """The answer with a header that names what was passed over."""
    if not ignored:
        return answer
    named = ", ".join(quote(name[:_LETTERS], errors="replace") for name in ignored[:_NAMES])
    header = (IGNORED.lower().encode(), named.encode())

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], header]
            await send(message)

        await answer(scope, receive, sent)

    return answering


def texts_of(request: Request) -> dict[str, Any]:
    """The texts of the address; what is said more than once is a list."""
    query = request.query_params
    said = {name: [value for value in query.getlist(name) if value != ""] for name in query}
    return {name: values[0] if len(values) == 1 else values for name, values in said.items() if values}


def json_in(raw: bytes) -> dict[str, Any]:
    """The JSON object that a body is; an empty one where there is no body."""
    try:
        sent = pydantic_core.from_json(raw, allow_inf_nan=False) if raw else {}
    except ValueError as error:
        raise InvalidInput("The body is not valid JSON.", hint="Send a JSON object.") from error
    if not isinstance(sent, dict):
        raise InvalidInput("The body must be a JSON object.")
    return sent


def _arguments(kind: Kind, given: Mapping[str, Any], request: Request) -> dict[str, Any]:
    """What was sent, without what clients merely send back; the path has the last word."""
    fields = {field.alias for field in kind.model_fields.values()}
    in_path = request.path_params
    passed_over = {name for name in kind.spec.echoes if name not in fields or name in in_path}
    named = kind.spec.rest_names
    for theirs, ours in named.items():
        if theirs in given and ours in given and given[theirs] != given[ours]:
            raise InvalidInput(
                f"{theirs} and {ours} disagree.",
                hint="Send one of the two.",
                details={theirs: f"differs from {ours}"},
            )
    kept = {named.get(name, name): value for name, value in given.items() if name not in passed_over}
    return {**kept, **in_path}
