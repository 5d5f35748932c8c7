"""The account that is copied: read patiently, page by page, and left alone where it does not answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import Any, TypeVar

from vivavoce.errors import LimitReached, NotAuthenticated, UpstreamFailed
from vivavoce.hosted.backend import HostedBackend
from vivavoce.hosted.rows import Row
from vivavoce.operations import OPERATOR, Operation
from vivavoce.operations.agents import ListAgents
from vivavoce.operations.base import R

T = TypeVar("T")
Pause = Callable[[float], Awaitable[None]]
NextPage = Callable[[int, Row | None], Operation[Any]]
"""What asks for the next page, from the number of rows seen and the last of them."""

AT_ONCE = 4
"""How many requests are under way at most."""
PAGE = 100
AGAIN = "Run the same command again later: it goes on where it was."

_WAITS = 10
_FIRST_WAIT, _LONGEST_WAIT = 5.0, 600.0
_TROUBLES = 8
"""After so many failures in a row the account is asked for something that it had before."""
_MOST_PAGES = 100_000


class OutOfReach(UpstreamFailed):
    """The account does not answer any more: the copy ends here, and goes on when it is run again."""


class Account:
    """Reads a hosted account. A refusal for too many calls is waited out."""

    def __init__(self, hosted: HostedBackend, pause: Pause = asyncio.sleep) -> None:
        self._hosted, self._pause = hosted, pause
        self._troubles = 0

    async def get(self, op: Operation[R]) -> R:
        """What an operation gives."""
        return await self._patiently(lambda: self._hosted.run(op, OPERATOR))

    async def rows(self, op: Operation[Any]) -> list[Row]:
        """The rows of the list that an operation asks for."""
        return await self._patiently(lambda: self._hosted.rows(op, OPERATOR))

    async def pages(self, page: NextPage, told: Callable[[str], None]) -> AsyncGenerator[list[Row]]:
        """A long list, page by page, each row once; `told` hears where it does not come to an end.

        A page may have fewer rows than it was asked for: the list ends with a page that has none.
        """
        seen, number = set[str](), 0
        last: Row | None = None
        for _ in range(_MOST_PAGES):
            rows = await self.rows(page(number, last))
            if not rows:
                return
            fresh = {row.id for row in rows if row.id} - seen
            if fresh or number == 0:
                yield [row for row in rows if row.id not in seen]
            if not fresh:
                told(
                    f"The list begins anew after {len(seen)} of them: if there are more, they were not read."
                )
                return
            seen |= fresh
            number += len(rows)
            last = next((row for row in reversed(rows) if row.id and row.created_at), last)
        told("The list does not come to an end.")

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        for tries in range(_WAITS):
            try:
                result = await call()
            except LimitReached as error:
                wait = max(error.retry_after or 0.0, _FIRST_WAIT * 2**tries)
                await self._pause(min(wait, _LONGEST_WAIT))
            except (UpstreamFailed, NotAuthenticated):
                await self._in_trouble()
                raise
            else:
                self._troubles = 0
                return result
        raise OutOfReach("The hosted service takes no more calls for now.", hint=AGAIN)

    async def _in_trouble(self) -> None:
        """After several failures in a row, find out whether it is the account or those things alone."""
        self._troubles += 1
        if self._troubles < _TROUBLES:
            return
        self._troubles = 0
        try:
            await self._hosted.rows(ListAgents(), OPERATOR)
        except (UpstreamFailed, NotAuthenticated, LimitReached) as error:
            raise OutOfReach(error.message, hint=AGAIN) from None


async def together(calls: Sequence[Awaitable[T]]) -> list[T]:
    """What several calls give, made at the same time; the first failure counts once all have ended."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]
