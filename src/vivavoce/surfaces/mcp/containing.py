"""The outermost catch: what breaks in a handler is written to stderr, and the client learns only that."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import INTERNAL_ERROR

from vivavoce.surfaces.logs import log_failure

P = TypeVar("P")
A = TypeVar("A")
Handler = Callable[[ServerRequestContext[Any, Any], P], Awaitable[A]]

BROKEN = "Something broke here."

_log = logging.getLogger(__name__)


def contained(handler: Handler[P, A], broken: Callable[[], A] | None = None) -> Handler[P, A]:
    """The handler, which fails with no more than BROKEN; `broken` makes the answer where that is no error."""

    async def run(context: ServerRequestContext[Any, Any], params: P) -> A:
        try:
            return await handler(context, params)
        except MCPError:
            raise
        except Exception as error:
            log_failure(_log, context.method, error)
            if broken is not None:
                return broken()
            raise MCPError(INTERNAL_ERROR, BROKEN) from None

    return run
