"""A move: who reads the account, who stores what was read, and who is told how far it has come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from vivavoce.domain.entities import Entity
from vivavoce.domain.imports import Imported, Kind
from vivavoce.errors import VivavoceError
from vivavoce.hosted.rows import Row
from vivavoce.operations import Operation
from vivavoce.upkeep.reports import Report

from .account import AT_ONCE, Account, NextPage, OutOfReach
from .settling import Settler
from .things import Home, Thing

T = TypeVar("T")
Told = Callable[[str, int, int], None]
"""Hears of which kind so many things are done, of so many that are known."""

UNLISTED = "the list could not be read"


@dataclass(frozen=True)
class Move:
    """One copy of an account."""

    account: Account
    settler: Settler
    home: Home
    told: Told

    @property
    def report(self) -> Report:
        """What became of everything so far."""
        return self.settler.report

    async def read(self, kind: Kind, id: str, reading: Awaitable[T]) -> T | None:
        """What is read; None where it cannot be, which the report then says."""
        try:
            return await reading
        except OutOfReach:
            raise
        except VivavoceError as error:
            self.report.fail(kind, id, error.message)
            return None

    def made(
        self, kind: Kind, id: str, make: Callable[..., Thing], *given: Any, **named: Any
    ) -> Thing | None:
        """The thing made of what is given; None where it breaks a rule, which the report then says."""
        try:
            return make(*given, **named)
        except VivavoceError as error:
            self.report.fail(kind, id, error.message)
            return None

    def from_row(self, kind: Kind, row: Row, made: type[Entity], **fields: Any) -> Thing | None:
        """The thing that a row of a list shows."""
        if row.shown is None:
            self.report.fail(kind, row.id, row.fault)
            return None
        return self.made(kind, row.id, self.home.thing, kind, made, row.shown, **fields)

    async def rows(self, kind: Kind, op: Operation[Any], of: str = "") -> list[Row]:
        """A whole list; nothing where it cannot be read, which the report then says."""
        try:
            return await self.account.rows(op)
        except OutOfReach:
            raise
        except VivavoceError as error:
            self.report.fail(kind, of, f"{UNLISTED}: {error.message}")
            return []

    async def pages(self, kind: Kind, page: NextPage, of: str = "") -> AsyncGenerator[list[Row]]:
        """A long list, page by page."""
        coming = self.account.pages(page, lambda said: self.report.say(kind, of, said))
        while True:
            try:
                rows = await anext(coming)
            except StopAsyncIteration:
                return
            except OutOfReach:
                raise
            except VivavoceError as error:
                self.report.fail(kind, of, f"{UNLISTED}: {error.message}")
                return
            yield rows

    def undone(self, kind: Kind, rows: Sequence[Row], done: Mapping[str, Imported]) -> list[Row]:
        """The rows that were not dealt with before the copy was broken off; the others are counted."""
        for row in rows:
            if row.id in done:
                self.settler.pass_over(kind, row.id, done[row.id])
        return [row for row in rows if row.id not in done]


def few(rows: Sequence[T], number: int = AT_ONCE) -> Iterator[Sequence[T]]:
    """The rows, as many together as may be asked for at once."""
    for start in range(0, len(rows), number):
        yield rows[start : start + number]
