"""Manners: what a site's robots.txt asks for is done, and its pages are not fetched faster than it likes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from vivavoce import __version__
from vivavoce.errors import InvalidInput, Unreadable, UpstreamFailed

from .bounds import Bounds
from .client import Egress
from .places import Place
from .robots import Robots, robots_of

AGENT = "vivavoce"
HEADERS = {"User-Agent": f"{AGENT}/{__version__} (+knowledge)"}

_BOUNDS = Bounds(max_bytes=512_000, redirects=5)
_KEPT = 3600.0
_KEPT_AFTER_FAILURE = 60.0
_SITES = 500
_LONGEST_DELAY = 10.0


class Manners:
    """Knows what sites ask of us; each is asked once an hour."""

    def __init__(
        self, egress: Egress, now: Callable[[], float], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        self._egress = egress
        self._now = now
        self._sleep = sleep
        self._known: OrderedDict[str, _Known] = OrderedDict()

    async def robots(self, place: Place) -> Robots:
        """What the robots.txt of a place's site says; UpstreamFailed when nobody can tell for now."""
        known = await self._asked(place)
        if known.refusal is None:
            return known.robots
        if known.may_pass:
            raise UpstreamFailed(known.refusal, hint="Try again later.")
        raise Unreadable(known.refusal)

    async def check(self, place: Place) -> None:
        """Nothing, or Unreadable when the site does not want this page to be fetched."""
        if not (await self.robots(place)).allows(place.target):
            raise Unreadable(
                f"{place.origin} does not let programs fetch {place.page}: its robots.txt says so.",
                hint="Ask who runs the site, or add the text as a file.",
            )

    async def wait(self, place: Place) -> None:
        """Wait until it is time for the next page of the site."""
        known, now = await self._asked(place), self._now()
        start = max(now, known.next_page)
        known.next_page = start + min(known.robots.delay, _LONGEST_DELAY)
        if start > now:
            await self._sleep(start - now)

    async def _asked(self, place: Place) -> _Known:
        known = self._fresh(place)
        if known is not None:
            return known
        asked = await self._answer(place)
        known = self._fresh(place)
        if known is not None:
            return known  # another page of the site was faster
        self._known[place.origin] = asked
        if len(self._known) > _SITES:
            self._known.popitem(last=False)
        return asked

    def _fresh(self, place: Place) -> _Known | None:
        known = self._known.get(place.origin)
        if known is None or known.until <= self._now():
            return None
        self._known.move_to_end(place.origin)
        return known

    async def _answer(self, place: Place) -> _Known:
        try:
            answer = await self._egress.request(
                "GET", f"{place.origin}/robots.txt", headers=HEADERS, within=_BOUNDS
            )
        except (InvalidInput, UpstreamFailed) as error:
            return self._refused(place, error.message, may_pass=error.retryable)
        if answer.status >= 500:
            return self._refused(place, f"it answers {answer.status}.")
        text = answer.body.decode(errors="replace") if 200 <= answer.status < 300 else ""
        return _Known(robots_of(text, AGENT), self._now() + _KEPT)

    def _refused(self, place: Place, reason: str, *, may_pass: bool = True) -> _Known:
        """The standard's rule: a site that cannot say what it allows allows nothing."""
        refusal = (
            f"The robots.txt of {place.origin} cannot be fetched, so its pages may not be either: {reason}"
        )
        return _Known(Robots(), self._now() + _KEPT_AFTER_FAILURE, refusal, may_pass)


@dataclass
class _Known:
    robots: Robots
    until: float
    refusal: str | None = None
    may_pass: bool = False
    """Whether the refusal may be another one, or none, when the site is asked again."""
    next_page: float = 0.0
