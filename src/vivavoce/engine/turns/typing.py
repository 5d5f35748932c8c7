"""Typing: people see that an answer is being written, as well as their channel can show it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from vivavoce.domain.channels import Account
from vivavoce.domain.turns import OPEN
from vivavoce.engine.handlers import Errand, Work
from vivavoce.errors import VivavoceError

_APART = 5.0
"""Seconds between two signs."""
_LONGEST = 600.0
_MOMENT = 0.5
"""Seconds of work before the first sign: most answers are quicker, and need none."""

Wanted = Callable[[], Awaitable[bool]]


class Typist:
    """Shows signs of life in one conversation. It is never waited for, and what fails does not matter."""

    def __init__(self, conversation_id: str, errand: Errand) -> None:
        self._conversation_id, self._errand = conversation_id, errand

    @asynccontextmanager
    async def shown(self) -> AsyncIterator[None]:
        """Signs as long as the block lasts."""
        task = asyncio.create_task(self._show(_always, _MOMENT))
        try:
            yield
        finally:
            task.cancel()

    def show_until_answered(self, turn_id: str) -> None:
        """Signs from now on, until a turn is begun; then who answers it shows them."""

        async def is_held() -> bool:
            turn = await self._errand.read(lambda work: work.tables.turns.find(turn_id))
            return turn is not None and turn.state in OPEN and turn.lease_until is None

        if self._errand.later.has_room:
            self._errand.later.begin(self._show(is_held))

    async def _show(self, is_wanted: Wanted, after: float = 0.0) -> None:
        await asyncio.sleep(after)
        try:
            async with asyncio.timeout(_LONGEST):
                while await is_wanted():
                    account, chat = await self._errand.read(self._place)
                    if account is None:
                        return
                    await self._show_once(account, chat)
                    await asyncio.sleep(_APART)
        except (VivavoceError, TimeoutError):
            return

    async def _show_once(self, account: Account, chat: str) -> None:
        """One sign; none where the provider is so slow that others are still on their way."""
        gate = self._errand.gates.to(f"typing:{account.id}")
        if await gate.enter() > 0:
            return
        try:
            await self._errand.ports.channels.of(account.type).show_typing(account, chat)
        finally:
            gate.leave(went_well=None)

    def _place(self, work: Work) -> tuple[Account | None, str]:
        """Where to show it; nowhere, where the account does not want to be told, or a person took over."""
        conversation = work.tables.conversations.find(self._conversation_id)
        if conversation is None or conversation.channel_credentials_id is None or not conversation.is_for_ai:
            return None, ""
        account = work.tables.accounts.find(conversation.channel_credentials_id)
        is_wanted = account is not None and account.enabled and account.config.get("typing") is True
        return account if is_wanted else None, conversation.channel_external_id or ""


async def _always() -> bool:
    return True
