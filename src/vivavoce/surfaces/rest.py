"""The catalogue as a REST API, on the wire format of the hosted service."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import quote

import pydantic_core
from anyio import to_thread
from pydantic.alias_generators import to_camel
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from vivavoce.errors import InvalidInput, NotAuthenticated, NotFound, TooLarge, VivavoceError, disk_faults
from vivavoce.operations import CATALOGUE, Backend, Caller, Operation
from vivavoce.operations.agents import ListAgents
from vivavoce.operations.answers import AgentQuery
from vivavoce.operations.crm_moves import AddConversationToScenario
from vivavoce.operations.knowledge import CreateDatasource
from vivavoce.operations.uploads import LARGEST, AddFile

from . import answers
from .arguments import json_in, naming, texts_of, wanted
from .limits import BODY
from .pages import PageRoute

Kind = type[Operation[Any]]
_401_AREAS = ("crm", "tools")
"""Where the wire answers 401 to a missing key; elsewhere it is 403."""
_SPELLINGS = (("/conversation", "/conversations"), ("/conversations", "/conversation"))
"""Beginnings of paths that clients write either way."""
_FAILURES: dict[Kind, dict[str, Any]] = {
    AddConversationToScenario: {"success": False, "blockedBy24hRule": None}
}
"""What the wire says beside the error, where that is more."""
_UNSERVED = {
    "/conversations/history": "GET /conversations/export has all that was said.",
    "/conversation/history": "GET /conversations/export has all that was said.",
    "/contacts/available-variables": "GET /contacts/variables shows those of one contact.",
    "/contacts/ctwa-ads": "GET /conversation?adSourceId=… finds who came through an ad.",
    "/agents/check-handle-available": "POST /agents answers 409 where a handle is taken.",
}
"""Paths of the wire that are not served and would pass for ids, with what to use."""
_NO_CONTENT = 204
_SOON = 5
"""Seconds after which a call may be made again, where nobody knows better."""


def routes(backend: Callable[[Request], Backend], caller: Callable[[], Caller]) -> list[PageRoute]:
    """A route for every way to an operation, with and without /api before it."""
    unserved = [(path, "GET", _unserved(caller), False) for path in _UNSERVED]
    catalogue = [
        (path, method, _endpoint(kind, backend, caller), kind.spec.anonymous)
        for (method, path), kind in _ways().items()
    ]
    queries = [
        (path, "POST", _endpoint(AgentQuery, backend, caller, is_brief=path == answers.SIMPLE), True)
        for path in (answers.LEGACY, answers.SIMPLE)
    ]
    return [
        PageRoute(prefix + path, endpoint, is_open=is_open, methods=[method], name=f"{prefix}{method} {path}")
        for prefix in ("", "/api")
        for path, method, endpoint, is_open in (*unserved, *catalogue, *queries)
    ]


def refused(
    error: VivavoceError,
    kind: Kind | None = None,
    *,
    where: str = "body",
    given: Collection[str] = (),
) -> JSONResponse:
    """An error in the words of the wire, with our message and hint beside them; `given` is what was named."""
    body: dict[str, Any] = {"error": error.wire}
    if isinstance(error, InvalidInput):
        body = {"error": f"error invalid request {where}", "details": error.details}
    elif error.details:
        body["details"] = error.details
    body |= {"message": error.message} | ({"hint": error.hint} if error.hint else {})
    if kind is not None:
        body = _FAILURES.get(kind, {}) | _respelled(body, kind, given)
    status = error.status
    if isinstance(error, NotAuthenticated) and kind is not None and kind.spec.toolset in _401_AREAS:
        status = 401
    wait = _SOON if error.retry_after is None else max(1, math.ceil(error.retry_after))
    headers = {"Retry-After": str(wait)} if error.retryable else {}
    if isinstance(error, NotAuthenticated):
        headers["WWW-Authenticate"] = "Bearer"  # which tells it from a key that lacks a scope
    return JSONResponse(body, status, headers=headers)


def _unserved(caller: Callable[[], Caller]) -> Callable[[Request], Awaitable[ASGIApp]]:
    """Answers 404 that says of a route, and not of some thing, that there is none."""

    async def endpoint(request: Request) -> ASGIApp:
        path = request.url.path.removeprefix("/api")
        try:
            caller().check(ListAgents.spec)  # as before any list: strangers learn nothing
        except VivavoceError as error:
            return refused(error, ListAgents)
        return refused(NotFound(f"GET {path} is not served here.", hint=_UNSERVED[path]))

    return endpoint


def _respelled(body: dict[str, Any], kind: Kind, given: Collection[str]) -> dict[str, Any]:
    """The same with arguments that the wire writes in snake_case written so, unless the caller does not."""
    theirs = {
        ours: name
        for name, ours in kind.spec.rest_names.items()
        if to_camel(name) == ours and ours not in given
    }
    if not theirs:
        return body
    ours = re.compile(rf"\b({'|'.join(map(re.escape, theirs))})\b")

    def respelled(text: str) -> str:
        return ours.sub(lambda found: theirs[found[0]], text)

    details = {respelled(place): respelled(said) for place, said in body.get("details", {}).items()}
    after = {name: respelled(said) if isinstance(said, str) else said for name, said in body.items()}
    return after | ({"details": details} if "details" in body else {})


def _ways() -> dict[tuple[str, str], Kind]:
    """Every method and path, with the operation that it leads to; fixed paths before those with a name.

    What is documented comes first, then other routes, then paths that clients spell otherwise.
    """
    routed = [(kind.spec.route, kind) for kind in CATALOGUE.values() if kind.spec.route]
    routed += [(route, kind) for kind in CATALOGUE.values() for route in kind.spec.also]
    ways: dict[tuple[str, str], Kind] = {}
    for route, kind in routed:
        ways.setdefault((route.method, route.path), kind)
    for route, kind in routed:
        for spelled, otherwise in _SPELLINGS:
            if f"{route.path}/".startswith(f"{spelled}/"):
                ways.setdefault((route.method, otherwise + route.path.removeprefix(spelled)), kind)
    return dict(sorted(ways.items(), key=lambda way: "{" in way[0][1].rpartition("/")[2]))


def _endpoint(
    kind: Kind, backend: Callable[[Request], Backend], caller: Callable[[], Caller], *, is_brief: bool = False
) -> Callable[[Request], Awaitable[ASGIApp]]:
    assert kind.spec.route is not None
    route = kind.spec.route
    in_query = route.method == "GET" or route.arguments == "query"

    async def endpoint(request: Request) -> ASGIApp:
        where, sent = "query" if in_query else "body", None
        try:
            caller().check(kind.spec)  # before a stranger's body is read
            if kind is CreateDatasource and _is_form(request):
                async with _uploaded(request) as upload:
                    added = await backend(request).run(upload, caller())
                return JSONResponse(added.wire(), route.status)
            sent = None if in_query else await _sent(request)
            where = "query" if sent is None else "body"
            op, ignored = wanted(kind, sent, request)
            if isinstance(op, AgentQuery):
                op = op.model_copy(update={"is_aside": is_brief or op.is_aside})
                ask = partial(backend(request).run, op, caller())
                given = texts_of(request) if sent is None else sent
                refuse = partial(refused, kind=kind, where=where, given=given)
                return naming(ignored, answers.answered(op, ask, refuse, request, is_brief=is_brief))
            result = await backend(request).run(op, caller())
        except VivavoceError as error:
            given = texts_of(request) if sent is None else sent
            return refused(error, kind, where=where, given=given)
        if route.status == _NO_CONTENT:
            return Response(status_code=_NO_CONTENT)
        body = result.wire()
        return naming(ignored, JSONResponse(body, route.status, headers=_next_page(op, body)))

    return endpoint


def _next_page(op: Operation[Any], body: Any) -> dict[str, str]:
    """The cursor of a list that goes on behind its last row: such a list is bare and cannot tell it."""
    is_paged = isinstance(body, list) and "cursor" in type(op).model_fields
    if not is_paged or not body or len(body) < getattr(op, "limit", 0):
        return {}
    last = {"lastCreatedAt": body[-1]["createdAt"], "lastId": body[-1]["id"]}
    return {"Next-Cursor": quote(pydantic_core.to_json(last).decode())}


async def _sent(request: Request) -> dict[str, Any] | None:
    """What the body holds; None where there is none and the address has arguments."""
    raw = await read_body(request)
    return None if not raw and request.query_params else json_in(raw)


def _is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("multipart/")


async def read_body(request: Request) -> bytes:
    """The whole body; TooLarge where it is more than a request may carry."""
    return b"".join([chunk async for chunk in _counted(request, BODY)])


@asynccontextmanager
async def _uploaded(request: Request) -> AsyncIterator[AddFile]:
    """The file that a form carries, on disk while it is taken over, and the fields of the wire beside it."""
    parser = MultiPartParser(request.headers, _counted(request, LARGEST + BODY), max_files=1, max_fields=20)
    put_aside = disk_faults("The file cannot be put aside", hint="Make room for it, then send it again.")
    with put_aside:  # as a whole: a full disk is told once more when files are closed
        try:
            form = await parser.parse()
        except MultiPartException as error:
            raise InvalidInput(f"The form cannot be read: {error.message}") from error
        try:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise InvalidInput("file: is required.", details={"file": "is required"})
            with NamedTemporaryFile(prefix="vivavoce-") as kept:
                await to_thread.run_sync(shutil.copyfileobj, file.file, kept)
                kept.flush()
                yield _file_op(form, file, kept.name)
        finally:
            await form.close()


def _file_op(form: FormData, file: UploadFile, path: str) -> AddFile:
    fields = {name: value for name, value in form.items() if isinstance(value, str) and value != ""}
    if fields.pop("type", "file") != "file":
        raise InvalidInput("type: a form carries a file.", details={"type": "must be file"})
    for name in ("text", "datasourceText"):
        if name in fields:
            raise InvalidInput(f"{name}: the file has it.", details={name: "the file has it"})
    fields.pop("isUpdateText", None)
    names = [fields.pop(name, None) for name in ("fileName", "name")]
    config = json_in(fields.pop("config", "").encode())
    if "custom_id" in fields:
        config["custom_id"] = fields.pop("custom_id")
    if "tags" in fields:
        config["tags"] = [tag.strip() for tag in fields.pop("tags").split(",") if tag.strip()]
    if file.content_type:
        config.setdefault("mime_type", file.content_type)
    given = {
        "name": next((name for name in names if name is not None), file.filename or "file.txt"),
        "file": path,
        "config": config,
        **fields,
    }
    return AddFile.parse(given, strict=False)


async def _counted(request: Request, most: int) -> AsyncGenerator[bytes]:
    size = request.headers.get("content-length", "")
    if size.isdecimal() and int(size) > most:
        raise _too_large(most)
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        if received > most:
            raise _too_large(most)
        yield chunk


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"A request may carry at most {most} bytes.", hint="Send less at once.")
