"""The web: pages, and the addresses that sitemaps list, fetched with good manners."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

import anyio
import anyio.to_thread

from vivavoce.errors import InvalidInput, LimitReached, Unreadable, UpstreamFailed
from vivavoce.ports import Fetched, Page

from . import sitemaps
from .answers import Answer
from .bounds import Bounds
from .calls import leads_on
from .client import Egress
from .contents import in_utf8, kind_of_content
from .manners import HEADERS, Manners
from .places import Place, next_place, place_of
from .sitemaps import Sitemap, sitemap_of
from .sites import Listing

_MAX_BYTES = 20_000_000
_SECONDS = 30.0
_FILE_SECONDS = 20.0
_REDIRECTS = 3
_SITEMAP_FILES = 100
_SITEMAP_LEVELS = 2
_SITE_SECONDS = 300.0
_LOGINS = frozenset(
    {
        "auth",
        "log-in",
        "login",
        "login.aspx",
        "login.html",
        "login.php",
        "oauth",
        "oauth2",
        "saml",
        "sign-in",
        "sign_in",
        "signin",
        "sso",
        "wp-login.php",
    }
)

Failure = Unreadable | UpstreamFailed | LimitReached


class FetchedWeb:
    """Fetches pages through an Egress.

    What may not be fetched or is not there is Unreadable. UpstreamFailed and LimitReached may pass.
    """

    def __init__(
        self,
        egress: Egress,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        files: Egress | None = None,
    ) -> None:
        self._egress = egress
        self._files = egress if files is None else files
        """The way to files of messages, which may reach less: whoever may ask an agent names them."""
        self._manners = Manners(egress, now, sleep)

    async def page(self, url: str) -> Page:
        """The page; otherwise the reason in words."""
        with _refusals_as_unreadable():
            asked = place = place_of(url)
            await self._manners.check(place)
            await self._manners.wait(place)
            for _ in range(_REDIRECTS + 1):
                answer = await self._fetched(place, redirects=0)
                if not leads_on(answer.status, answer.headers):
                    return _page(place, answer)
                before, place = place, next_place(place, answer.headers["location"])
                if _is_login(place) and not _is_login(asked):
                    raise Unreadable(f"{asked.page} asks for a login.", hint="Add the text as a file.")
                await self._manners.check(place)
                if place.origin != before.origin:
                    await self._manners.wait(place)
        raise Unreadable(f"{asked.page} sends on more than {_REDIRECTS} times.")

    async def file(self, url: str, most: int) -> Fetched:
        """The file; otherwise the reason in words. Who sends one wants it read: no robots.txt counts."""
        bounds = Bounds(timeout=_FILE_SECONDS, max_bytes=most, redirects=_REDIRECTS)
        with _refusals_as_unreadable():
            place = place_of(url)
            answer = await self._files.request("GET", place.url, headers=HEADERS, within=bounds)
        if not 200 <= answer.status < 300:
            raise _failure(place.page, answer.status)
        if answer.is_cut:
            raise Unreadable(f"The file is larger than {most // 1_000_000} MB.", hint="Send a part of it.")
        mime_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        kind = "txt" if mime_type.startswith("text/") else ""
        return Fetched(mime_type, in_utf8(answer.headers, kind, answer.body))

    async def site(self, url: str, *, sitemap: str | None, without: Sequence[str]) -> list[str]:
        """The addresses that a site's sitemap lists, at most 5,000, without those that begin as `without`."""
        with _refusals_as_unreadable():
            place = place_of(url)
            robots = await self._manners.robots(place)
        listing = Listing(place, robots, without)
        starts = _named(place, robots.sitemaps) if sitemap is None else [sitemap]
        failures = await self._collected(starts, listing)
        if listing.pages or not failures:
            return listing.pages
        passing = [failure for failure in failures if failure.retryable]
        if sitemap is not None or passing:
            raise [*failures, *passing][-1]
        raise Unreadable(f"{place.origin} has no sitemap; add its pages one by one as web_page.")

    @staticmethod
    def is_sitemap(body: bytes) -> bool:
        """Whether the content of a page is a sitemap, so that its address means a whole site."""
        return sitemaps.is_sitemap(body)

    async def _collected(self, starts: Sequence[str], listing: Listing) -> list[Failure]:
        """Fill the listing from the sitemaps and those that they name; says why some were passed over."""
        failures: list[Failure] = []
        seen: set[str] = set()
        waiting = [(start, 0) for start in reversed(starts)]
        with anyio.move_on_after(_SITE_SECONDS) as deadline:
            while waiting and not listing.is_full and len(seen) < _SITEMAP_FILES:
                address, level = waiting.pop()
                if address in seen or level > _SITEMAP_LEVELS:
                    continue
                seen.add(address)
                try:
                    sitemap = await self._sitemap(address)
                except (Unreadable, UpstreamFailed, LimitReached) as failure:
                    failures.append(failure)
                    continue
                for page in sitemap.pages:
                    listing.add(page)
                waiting += [(nested, level + 1) for nested in reversed(sitemap.sitemaps)]
        if deadline.cancelled_caught:
            failures.append(UpstreamFailed("The sitemaps take too long to fetch.", hint="Try again later."))
        return failures

    async def _sitemap(self, address: str) -> Sitemap:
        with _refusals_as_unreadable():
            place = place_of(address)
            answer = await self._fetched(place, redirects=_REDIRECTS)
        if answer.status != HTTPStatus.OK:
            raise _failure(f"The sitemap {place.page}", answer.status)
        return await anyio.to_thread.run_sync(sitemap_of, answer.body)

    async def _fetched(self, place: Place, redirects: int) -> Answer:
        bounds = Bounds(timeout=_SECONDS, max_bytes=_MAX_BYTES, redirects=redirects)
        return await self._egress.request("GET", place.url, headers=HEADERS, within=bounds)


@contextmanager
def _refusals_as_unreadable() -> Iterator[None]:
    """An address that the egress refuses is, to a reader, one that cannot be read."""
    try:
        yield
    except InvalidInput as refusal:
        raise Unreadable(refusal.message, hint=refusal.hint) from None


def _named(place: Place, sitemaps: Sequence[str]) -> list[str]:
    """The sitemaps of a robots.txt, also where it leaves out the host; the usual one where it names none."""
    named = [named if "://" in named else f"{place.origin}/{named.lstrip('/')}" for named in sitemaps]
    return named or [f"{place.origin}/sitemap.xml"]


def _page(place: Place, answer: Answer) -> Page:
    if not 200 <= answer.status < 300:
        raise _failure(place.page, answer.status)
    if answer.is_cut:
        raise Unreadable(f"{place.page} is larger than 20 MB.", hint="Add a smaller part of it as a file.")
    kind = kind_of_content(place, answer.headers, answer.body)
    return Page(place.url, kind, in_utf8(answer.headers, kind, answer.body))


def _failure(subject: str, status: int) -> Failure:
    """What a status means to who asks: to wait, to try again, or to leave it."""
    said = f"{subject} {_in_words(status)}."
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return LimitReached(said, hint="Try again later.")
    return UpstreamFailed(said, hint="Try again later.") if status >= 500 else Unreadable(said)


def _in_words(status: int) -> str:
    try:
        said = f"answers {status} {HTTPStatus(status).phrase}"
    except ValueError:
        said = f"answers {status}"
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return f"{said}: it asks for a login or does not let programs in"
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        return f"{said}: there is nothing at this address"
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return f"{said}: it was asked too often"
    return f"{said}: the site fails" if status >= 500 else said


def _is_login(place: Place) -> bool:
    path = place.target.partition("?")[0].lower()
    return not _LOGINS.isdisjoint(path.split("/")) or place.host.startswith(("login.", "accounts.", "sso."))
