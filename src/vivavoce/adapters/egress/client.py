"""Egress: the one way out to the network, for everything that this program asks of others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import anyio

from vivavoce.errors import InvalidInput, UpstreamFailed

from .answers import Answer, Opened, headers_of
from .bounds import Bounds
from .calls import Call, call_of, leads_on
from .decoding import ENCODINGS
from .places import entry_for, opening

if TYPE_CHECKING:
    import ssl

    import httpcore2

    from .connections import Connections
    from .dialing import Dial, Resolve
    from .failures import Journey

_AT_ONCE = 32
_KEPT_SECONDS = 20.0
_USUAL = Bounds()


class Egress:
    """Asks servers on the public internet, and those private ones that the operator allows.

    An entry of `allow` opens its `host:port` to everything that goes through the same Egress. So that no user
    reaches what the operator's own settings name, such as a model's server, that gets an Egress of its own.
    `setting` is where the operator allows more, and what an address that is refused is told with.
    Addresses at which a cloud answers its own machines are refused even when they are allowed.
    """

    def __init__(
        self,
        allow: Sequence[str] = (),
        resolve: Resolve | None = None,
        dial: Dial | None = None,
        ssl_context: ssl.SSLContext | None = None,
        at_once: int = _AT_ONCE,
        setting: str = "VIVAVOCE_ALLOWED_ADDRESSES",
    ) -> None:
        self._allowed = frozenset(map(opening, allow))
        self._resolve = resolve
        self._dial = dial
        self._ssl_context = ssl_context
        self._at_once = at_once
        self._setting = setting

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within: Bounds = _USUAL,
        left: Callable[[], None] | None = None,
    ) -> Answer:
        """The whole answer, or as much of it as its bounds allow. `left` is called once all of it is sent.

        InvalidInput when the address is refused, UpstreamFailed when the server or the way to it fails:
        Unreached where the server has seen nothing of it.
        """
        asked = self.stream(method, url, headers=headers, content=content, within=within, left=left)
        async with asked as opened:
            body = b"".join([piece async for piece in opened.pieces])
            return Answer(opened.status, opened.url, opened.headers, body, opened.is_cut)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        within: Bounds = _USUAL,
        left: Callable[[], None] | None = None,
    ) -> AsyncGenerator[Opened]:
        """The answer as soon as it begins; its body comes in pieces, under the same rules."""
        from .failures import Journey, too_slow

        call, journey = call_of(method, url, headers, content), Journey(left)
        with anyio.move_on_after(within.timeout) as deadline:
            async with self._answered(call, within, journey) as opened:
                yield opened
        if deadline.cancelled_caught:
            raise too_slow(call.place, within.timeout, journey)

    async def close(self) -> None:
        """Let go of the connections that are kept."""
        if "_connections" in self.__dict__:
            await self._connections.aclose()

    @asynccontextmanager
    async def _answered(self, call: Call, within: Bounds, journey: Journey) -> AsyncGenerator[Opened]:
        """The answer at the end of all redirects, each of which is a call like the first."""
        from .failures import in_plain_words

        for left in range(within.redirects, -1, -1):
            self._check_port(call, within)
            with in_plain_words(call.place, journey):
                async with self._sent(call, within, journey) as response:
                    opened = Opened(response.status, call.place.url, headers_of(response.headers))
                    if within.redirects == 0 or not leads_on(opened.status, opened.headers):
                        _check_encoding(call, opened)
                        coming = response.aiter_stream()
                        async with aclosing(opened.decoded(coming, within.max_bytes)) as pieces:
                            opened.pieces = pieces
                            yield opened
                        return
            if left > 0:
                call = call.redirected(opened.status, opened.headers["location"])
        raise UpstreamFailed(f"{call.place.origin} sends on more than {within.redirects} times.")

    def _check_port(self, call: Call, within: Bounds) -> None:
        place = call.place
        if place.port not in within.ports and (place.host, place.port) not in self._allowed:
            raise InvalidInput(
                f"The address {place.origin} has a port that is not open to requests.",
                hint=f"Use the usual port; an operator can allow {entry_for(place.host, place.port)} "
                f"in {self._setting}.",
            )

    def _sent(
        self, call: Call, within: Bounds, journey: Journey
    ) -> AbstractAsyncContextManager[httpcore2.Response]:
        import httpcore2

        place = call.place
        return self._connections.stream(
            call.method,
            httpcore2.URL(scheme=place.scheme, host=place.host, port=place.port, target=place.target),
            headers=call.sent_headers,
            content=call.content,
            extensions={"timeout": {"connect": within.connect}, "trace": journey.note},
        )

    @cached_property
    def _connections(self) -> Connections:
        import httpcore2  # loaded when the network is first asked

        from .connections import Connections
        from .dialing import CheckedDialing, system_trust

        trust = system_trust() if self._ssl_context is None else self._ssl_context
        dialing = CheckedDialing(self._allowed, self._resolve, self._dial, self._setting)

        def opened(origin: httpcore2.Origin) -> httpcore2.AsyncHTTPConnection:
            return httpcore2.AsyncHTTPConnection(
                origin, ssl_context=trust, keepalive_expiry=_KEPT_SECONDS, network_backend=dialing
            )

        return Connections(self._at_once, opened)


def _check_encoding(call: Call, opened: Opened) -> None:
    if opened.encoding not in ENCODINGS:
        raise UpstreamFailed(f"{call.place.origin} answers in an encoding that was not asked for.")
