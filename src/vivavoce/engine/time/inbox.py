"""The inbox: what providers post is stored before they are told that it was taken. Nothing is done here yet.

It is on the path of every event, so it is kept short: the account is remembered for a moment, and how much
waits is counted about once a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from vivavoce.domain.channels import Account, Arrival, Heard
from vivavoce.errors import InvalidInput, NotAuthenticated, NotNow
from vivavoce.ports import Ports, Tables

from .backlog import MOST, Room
from .hearing import job_of

_FRESH = 1.0
"""Seconds for which an account is remembered."""
_REMEMBERED = 1_000
_SWITCHED_OFF = 60.0
"""Seconds after which a provider may try again."""
_DEFAULTS = Heard(event_id="", chat="")._asdict()
_NOBODY = Account.model_construct(None, id="", organization_id="", agent_id="", type="webhook", name="")
"""Who is not there is refused as who has the wrong token is: in the same words, at the same price."""


class Accepted(NamedTuple):
    """What became of a request of a provider."""

    accepted: int
    """Events that are stored now."""
    duplicates: int
    """Events that were stored before."""


class Inbox:
    """Takes in what providers post."""

    def __init__(self, ports: Ports, wake: Callable[[], None], most: int = MOST) -> None:
        self._ports, self._wake = ports, wake
        self._room = Room(most, "events wait to be heard or answered")
        self._accounts: dict[str, tuple[float, Account]] = {}

    async def accept(self, account_id: str, headers: Mapping[str, str], body: bytes) -> Accepted:
        """Store the events of a request; they are durable when this returns, or nothing happened.

        NotAuthenticated where it is not the provider's, InvalidInput for junk, NotNow where it must be sent
        again later. `headers` are named in small letters.
        """
        await self._check_room()
        account = await self._account(account_id)
        now = self._ports.now()
        channel = self._ports.channels.of((account or _NOBODY).type)
        heard = channel.heard(account or _NOBODY, headers, body, now)
        if account is None:
            raise NotAuthenticated("No such channel.")
        if not account.enabled:
            raise NotNow(
                f"The channel {account.name!r} is switched off.",
                hint="Nothing was stored. Send it again once it is on.",
                retry_after=_SWITCHED_OFF,
            )
        arrivals = self._arrivals(heard, account, _text_of(body), now)
        self._room.add(len(arrivals))
        accepted = 0
        try:
            accepted = await self._ports.store.write(lambda tables: _stored(arrivals, now, tables))
        finally:
            self._room.add(accepted - len(arrivals))
        self._wake()
        return Accepted(accepted, len(arrivals) - accepted)

    def forget(self) -> None:
        """Look accounts up anew: something may have changed."""
        self._accounts.clear()

    async def _check_room(self) -> None:
        """Refuse what would wait too long: it is safer with the provider, who sends it again."""
        if self._room.wants_count():
            self._room.counted(await self._ports.store.read(self._number_waiting))
        self._room.check(1)

    def _number_waiting(self, tables: Tables) -> int:
        """How many events nobody has heard yet, or how many of those that were wait for an answer."""
        unheard = tables.arrivals.count(state="waiting")
        return max(unheard, tables.turns.number_promised(self._room.most + 1))

    async def _account(self, account_id: str) -> Account | None:
        """The account, as it was at most a moment ago."""
        known_at, known = self._accounts.get(account_id, (float("-inf"), None))
        moment = time.monotonic()
        if moment - known_at <= _FRESH:
            return known
        found = await self._ports.store.read(lambda tables: tables.accounts.find(account_id))
        if found is not None:
            if len(self._accounts) >= _REMEMBERED:
                self._accounts.clear()
            self._accounts[account_id] = (moment, found)
        return found

    def _arrivals(self, heard: list[Heard], account: Account, raw: str, now: datetime) -> list[Arrival]:
        return [
            Arrival(
                id=self._ports.new_id(),
                organization_id=account.organization_id,
                created_at=now,
                updated_at=now,
                account_id=account.id,
                event_id=each.event_id,
                sent_at=each.sent_at,
                heard=_kept(each),
                raw=raw if place == 0 else "",
            )
            for place, each in enumerate(heard)
        ]


def _kept(heard: Heard) -> dict[str, Any]:
    """What is stored of an event: what it says, without what it does not."""
    said = {name: value for name, value in heard._asdict().items() if value != _DEFAULTS[name]}
    said.pop("sent_at", None)  # which is a field of its own
    return {"chat": heard.chat, **said}


def _text_of(body: bytes) -> str:
    """The body as it came, to the letter; InvalidInput where it is not the text that JSON must be."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise InvalidInput(
            f"The body: is not valid UTF-8, at byte {fault.start}.", hint="Nothing was stored."
        ) from None


def _stored(arrivals: list[Arrival], now: datetime, tables: Tables) -> int:
    """Store those that are new, each with the job that hears it; how many they are.

    All do so in one order of events and lanes, so that no two requests wait for each other in a circle.
    Within a lane, jobs stay in the order in which the events came.
    """
    taken = {each.id for each in sorted(arrivals, key=_event) if tables.arrivals.take(each)}
    new = [each for each in arrivals if each.id in taken]
    if new and not new[0].raw:  # what came is kept with an event that is
        tables.arrivals.replace(new[0].changed(now, raw=arrivals[0].raw))
    jobs = [job_of(each, now) for each in new]
    for job in sorted(jobs, key=lambda job: job.lane):
        tables.jobs.add(job, now)
    return len(taken)


def _event(arrival: Arrival) -> str:
    return arrival.event_id
