"""Sites: which of the addresses that a sitemap lists are taken."""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.errors import InvalidInput

from .places import Place, place_of
from .robots import Robots

MAX_PAGES = 5_000


class Listing:
    """The pages of a site, each once, in the order in which they were listed."""

    def __init__(self, site: Place, robots: Robots, without: Sequence[str]) -> None:
        self._site = site
        self._robots = robots
        self._without = tuple(beginning for beginning in without if beginning != "")
        self._pages: dict[str, str] = {}

    @property
    def pages(self) -> list[str]:
        """The addresses."""
        return list(self._pages.values())

    @property
    def is_full(self) -> bool:
        """Whether no more are taken."""
        return len(self._pages) >= MAX_PAGES

    def add(self, address: str) -> None:
        """Take the address if it belongs to the site, may be fetched and is not to be left out."""
        url = address.partition("#")[0]
        if self.is_full or url.startswith(self._without):
            return
        try:
            place = place_of(url)
        except InvalidInput:
            return
        if self._is_ours(place) and not place.url.startswith(self._without):
            self._pages.setdefault(place.url, url)

    def _is_ours(self, place: Place) -> bool:
        if place.origin == self._site.origin and not self._robots.allows(place.target):
            return False
        if place.port not in (80, 443, self._site.port):
            return False
        name = self._site.host.removeprefix("www.")
        return place.host == name or place.host.endswith(f".{name}")
