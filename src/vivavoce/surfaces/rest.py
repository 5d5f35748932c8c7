"""The catalogue as a REST API, on the wire format of the hosted service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pydantic_core
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message

from vivavoce.errors import InvalidInput, NotAuthenticated, TooLarge, VivavoceError
from vivavoce.operations import CATALOGUE, Backend, Caller, Operation
from vivavoce.operations.knowledge import CreateDatasource

from .limits import BODY

Kind = type[Operation[Any]]
_401_AREAS = ("crm", "tools")
"""Where the wire answers 401 to a missing key; elsewhere it is 403."""


def routes(backend: Callable[[Request], Backend], caller: Callable[[], Caller]) -> list[Route]:
    """A route for every operation that has one, with and without /api before it."""
    served = [kind for kind in CATALOGUE.values() if kind.spec.route]
    served.sort(key=lambda kind: "{" in (kind.spec.route.path.rpartition("/")[2] if kind.spec.route else ""))
    return [
        Route(
            prefix + kind.spec.route.path,
            _endpoint(kind, backend, caller),
            methods=[kind.spec.route.method],
            name=prefix + kind.spec.name,
        )
        for prefix in ("", "/api")
        for kind in served
        if kind.spec.route
    ]


def refused(error: VivavoceError, kind: Kind | None = None, *, where: str = "body") -> JSONResponse:
    """An error in the words of the wire, with our message and hint beside them."""
    body: dict[str, Any] = {"error": error.wire}
    if isinstance(error, InvalidInput):
        body = {"error": f"error invalid request {where}", "details": error.details}
    body |= {"message": error.message} | ({"hint": error.hint} if error.hint else {})
    status = error.status
    if isinstance(error, NotAuthenticated) and kind is not None and kind.spec.toolset in _401_AREAS:
        status = 401
    headers = {"Retry-After": "5"} if error.retryable else None
    return JSONResponse(body, status, headers=headers)


def _endpoint(
    kind: Kind, backend: Callable[[Request], Backend], caller: Callable[[], Caller]
) -> Callable[[Request], Awaitable[Response]]:
    assert kind.spec.route is not None
    route = kind.spec.route
    in_query = route.method == "GET" or route.arguments == "query"

    async def endpoint(request: Request) -> Response:
        where = "query" if in_query else "body"
        try:
            caller().check(kind.spec)  # before a stranger's body is read
            sent = None if in_query else await _sent(kind, request)
            where = "query" if sent is None else "body"
            op = _parsed(kind, sent, request)
            result = await backend(request).run(op, caller())
        except VivavoceError as error:
            return refused(error, kind, where=where)
        return JSONResponse(result.wire(), route.status)

    return endpoint


async def _sent(kind: Kind, request: Request) -> dict[str, Any] | None:
    """What the body holds; None where there is none and the address has arguments."""
    raw = await _read(request)
    if kind is CreateDatasource and request.headers.get("content-type", "").startswith("multipart/"):
        return await _uploaded(request, raw)
    return None if not raw and request.query_params else _json(raw)


def _parsed(kind: Kind, sent: Mapping[str, Any] | None, request: Request) -> Operation[Any]:
    """Texts of the address are read leniently, and an empty one is as good as none; a body strictly."""
    given = sent
    if given is None:
        given = {name: value for name, value in request.query_params.items() if value != ""}
    arguments = {**kind.spec.rest_defaults, **_arguments(kind, given, request)}
    return kind.parse(arguments, strict=sent is not None)


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


def _json(raw: bytes) -> dict[str, Any]:
    try:
        sent = pydantic_core.from_json(raw, allow_inf_nan=False) if raw else {}
    except ValueError as error:
        raise InvalidInput("The body is not valid JSON.", hint="Send a JSON object.") from error
    if not isinstance(sent, dict):
        raise InvalidInput("The body must be a JSON object.")
    return sent


async def _read(request: Request) -> bytes:
    size = request.headers.get("content-length", "")
    if size.isdecimal() and int(size) > BODY:
        raise _too_large()
    chunks: list[bytes] = []
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > BODY:
            raise _too_large()
        chunks.append(chunk)
    return b"".join(chunks)


async def _uploaded(request: Request, raw: bytes) -> dict[str, Any]:
    """A text file that was uploaded, in the fields of the wire."""

    async def again() -> Message:
        return {"type": "http.request", "body": raw, "more_body": False}

    counted = Request(request.scope, again)
    async with counted.form(max_files=1, max_fields=20, max_part_size=BODY) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InvalidInput("file: is required.", details={"file": "is required"})
        fields = {name: value for name, value in form.items() if isinstance(value, str) and value != ""}
        name = fields.pop("fileName", None) or file.filename or "file.txt"
        try:
            text = (await file.read()).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidInput("file: must be text in UTF-8.", hint="Convert the file first.") from error
    if "text" in fields:
        raise InvalidInput("text: the file has it.", details={"text": "the file has it"})
    return {"name": name, **fields, "text": text}


def _too_large() -> TooLarge:
    return TooLarge(f"A request may carry at most {BODY} bytes.", hint="Send less at once.")
