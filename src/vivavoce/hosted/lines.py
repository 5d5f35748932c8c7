"""A line to the hosted account of one key: send a request, and read the answer as a result."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, TypeVar, cast

from vivavoce.errors import Conflict, NotAvailable, NotFound, UpstreamFailed, VivavoceError
from vivavoce.operations import Effect, Listing, Operation, Result
from vivavoce.operations.base import R

from .calling import Calls, Opened
from .exchanges import Asked, Reply, hidden
from .failing import LOOK_FIRST, says_error, told_in
from .reading import blank, read, read_value

T = TypeVar("T", bound=Result)

_NO_CONTENT = 204


class NoRoute(NotFound):
    """Neither spelling of a path leads anywhere: the thing is not there, or the route is not."""


class Line:
    """Sends requests with one key."""

    def __init__(self, calls: Calls, key: str) -> None:
        self._calls, self._key = calls, key

    async def send(self, asked: Asked) -> Reply:
        """The answer to a request."""
        return await self._calls.send(asked, self._key)

    async def send_raw(self, asked: Asked) -> Reply:
        """The same with the key left in where it stood, for what is written back and shown to nobody."""
        return await self._calls.send(asked, self._key, is_raw=True)

    async def send_about_tools(self, asked: Asked, *, is_raw: bool = False) -> Reply:
        """The answer to a request about the tools of an agent, whose path has /api before it, or has not.

        NoRoute where neither is found; a refused path has done nothing, so that the other may be tried.
        """
        missing = NoRoute("The hosted service has no such route.")
        for prefix in ("/api", ""):
            try:
                spelled = replace(asked, path=prefix + asked.path)
                return await (self.send_raw if is_raw else self.send)(spelled)
            except VivavoceError as error:
                if not _leads_nowhere(error):
                    raise
                missing = NoRoute(error.message, hint=error.hint)
        raise missing

    def opened(self, asked: Asked) -> AbstractAsyncContextManager[Opened]:
        """The answer as soon as it begins."""
        return self._calls.opened(asked, self._key)

    def hidden(self, text: str) -> str:
        """A text with the marker wherever the key stood in it."""
        return hidden(text.encode(), self._key).decode()


def result_of(op: Operation[R], reply: Reply) -> R:
    """The result that an answer holds."""
    return cast(R, _result(op, reply, op.spec.result))


def check_success(op: Operation[Any], reply: Reply) -> None:
    """Refuse an answer that tells of an error, though its status says success."""
    if b'"error"' in reply.body and says_error(reply.body):
        raise _told_otherwise(op, reply, UpstreamFailed("The hosted service tells of an error."))


def value_of(op: Operation[Any], reply: Reply, kind: type[T], value: Any) -> T:
    """A result that a part of an answer holds, which is parsed already."""
    try:
        return read_value(kind, value)
    except UpstreamFailed as failure:
        raise _told_otherwise(op, reply, failure) from None


def _result(op: Operation[Any], reply: Reply, kind: type[Result]) -> Result:
    if reply.status == _NO_CONTENT or not reply.body.strip():
        return _without_content(op, reply.status)
    _check_json(op, reply)
    if reply.body.strip() == b"null" and not issubclass(kind, Listing):  # what it says of an unknown id
        raise NotFound("The hosted account has no such thing.", hint="Look the id up with a list tool.")
    if "error" not in kind.model_fields:
        check_success(op, reply)
    try:
        result = read(kind, reply.body)
    except UpstreamFailed as failure:
        raise _told_otherwise(op, reply, failure) from None
    if getattr(result, "success", True) is False:
        raise Conflict(
            getattr(result, "message", "") or "The hosted service says that it did not succeed.",
            hint=LOOK_FIRST,
        )
    return result


def _leads_nowhere(error: VivavoceError) -> bool:
    return isinstance(error, NotFound | NotAvailable)


def _check_json(op: Operation[Any], reply: Reply) -> None:
    if reply.kind == "text/html" or reply.body.lstrip()[:1] == b"<":
        raise _after(
            op,
            "The hosted service answers with a web page instead of JSON.",
            hint="Check the address (VIVAVOCE_CHATVOLT_URL), and whether the service is being maintained.",
        )


def _without_content(op: Operation[Any], status: int) -> Result:
    """A deletion needs no words; of anything else we would not know what became of it."""
    if op.spec.effect is Effect.DELETE:
        sent = op.model_dump(by_alias=True)
        named = op.spec.route.path_names if op.spec.route is not None else ()
        what = {"id": sent[named[-1]]} if named else {}  # what is deleted stands last in the path
        return blank(op.spec.result, {**what, **op.given()})
    said = f"The hosted service answers {status} without content"
    if op.spec.effect is Effect.READ:
        raise UpstreamFailed(f"{said}.", hint="Try again later.")
    raise UpstreamFailed(f"{said}: it is done, but what became of it is not told.", hint=LOOK_FIRST)


def _told_otherwise(op: Operation[Any], reply: Reply, failure: UpstreamFailed) -> VivavoceError:
    """An answer that says in words what went wrong, though its status says success."""
    told = told_in(reply.body)
    if told.code or told.text:
        return _after(op, f"The hosted service says: {(told.text or told.code).rstrip('.')}.")
    return _after(op, failure.message, hint="Its API may have changed: look for a newer version of vivavoce.")


def _after(op: Operation[Any], message: str, hint: str = "") -> UpstreamFailed:
    """A failure after the service took the request: what it did is not known unless it only read."""
    if op.spec.effect is Effect.READ:
        return UpstreamFailed(message, hint=hint or "Try again later.")
    return UpstreamFailed(f"{message} It may have taken effect.", hint=f"{hint} {LOOK_FIRST}".strip())
