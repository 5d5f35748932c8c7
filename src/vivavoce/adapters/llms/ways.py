"""Ways out to providers, as this package needs them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol


class Head(Protocol):
    """The head of an answer."""

    @property
    def status(self) -> int:
        """Its HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """By their names in small letters."""
        ...


class Asked(Protocol):
    """A call at work. Its errors are our own."""

    async def opened(self) -> Head:
        """The head of the answer, once."""
        ...

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Its body."""
        ...

    async def finish(self) -> None:
        """Wait a moment for an end that says nothing more, so that the connection can be used again."""
        ...

    async def aclose(self) -> None:
        """Stop, and let go of the connection."""
        ...


class Clients(Protocol):
    """Ways out to providers. All that is sent goes through the one way out.

    `is_own` says that the operator named the address, which may be private then. InvalidInput where `url` is
    no address that could be called.
    """

    def exchange(self, url: str, *, is_own: bool, headers: Mapping[str, str], content: bytes) -> Asked:
        """A call of our own that sends `content`."""
        ...

    def client(self, url: str, *, is_own: bool) -> Any:
        """An `httpx2.AsyncClient` for the library of a provider."""
        ...
