"""Looking ahead: what a turn needs to know is looked for while its message still goes to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from vivavoce.engine.handlers import Errand
from vivavoce.engine.library.retrieval import Found, Look

from .assembling import knowledge_of


class Ahead:
    """Looks that may have begun before it is their time. Nothing outside hears of them but the embedder."""

    def __init__(self, errand: Errand) -> None:
        self._errand = errand
        self._loop = asyncio.get_running_loop()
        self._looks: Sequence[Look] = ()
        self._looking: asyncio.Task[list[Found]] | None = None

    def begin(self, looks: Sequence[Look]) -> None:
        """Begin to look, from whichever thread."""
        self._loop.call_soon_threadsafe(self._begin, looks)

    async def found(self, looks: Sequence[Look]) -> list[Found]:
        """What these looks find, of which some time may have gone by already."""
        looking = self._looking
        if looking is None or looks != self._looks:
            self.drop()
            return await knowledge_of(looks, self._errand.ports, self._errand.pace)
        self._looking = None
        try:
            return await looking
        finally:
            looking.cancel()  # who waited may have gone away

    def drop(self) -> None:
        """Stop looking; nobody wants to know any more."""
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.add_done_callback(_forget)
            looking.cancel()

    def _begin(self, looks: Sequence[Look]) -> None:
        self.drop()  # the transaction was run again
        self._looks = looks
        self._looking = self._loop.create_task(knowledge_of(looks, self._errand.ports, self._errand.pace))


def _forget(looking: asyncio.Task[list[Found]]) -> None:
    if not looking.cancelled():
        looking.exception()  # whatever went wrong, nobody waits for it
