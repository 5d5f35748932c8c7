"""The embedded backend: carries out operations with our own rules, through the ports."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, cast

from pydantic import ValidationError

from vivavoce.errors import NotAvailable
from vivavoce.operations import Caller, Effect, Hear, Operation
from vivavoce.operations.base import R
from vivavoce.operations.explaining import explained
from vivavoce.ports import Ports

from . import (
    access,
    agents,
    approvals,
    asking,
    avatars,
    channels,
    contact_lists,
    contacts,
    conversations,
    crm,
    crm_logs,
    crm_moves,
    datasources,
    deliveries,
    documentation,
    exports,
    failed_answers,
    follow_ups,
    keys,
    knowledge,
    messages,
    notes,
    providers,
    ratings,
    tags,
    tools,
    uploads,
    variables,
    visitors,
    webhooks,
)
from .handlers import HANDLERS, LONG, RUNNERS, Errand, unheard
from .time import delivering, forgetting, hearing, timed_moves
from .time.backlog import MOST, Backlog
from .time.gates import Gates
from .time.jobs import TIME
from .time.later import Later
from .time.pacing import FilePace, Pace
from .time.worker import Worker
from .turns import durable
from .voices import corpora, responding

__all__ = [
    "Engine",
    "access",
    "agents",
    "approvals",
    "asking",
    "avatars",
    "channels",
    "contact_lists",
    "contacts",
    "conversations",
    "corpora",
    "crm",
    "crm_logs",
    "crm_moves",
    "datasources",
    "deliveries",
    "delivering",
    "documentation",
    "durable",
    "exports",
    "failed_answers",
    "follow_ups",
    "forgetting",
    "hearing",
    "keys",
    "knowledge",
    "messages",
    "notes",
    "providers",
    "ratings",
    "responding",
    "tags",
    "timed_moves",
    "tools",
    "uploads",
    "variables",
    "visitors",
    "webhooks",
]


class Engine:
    """Runs an operation: check the caller, find the handler, let it work in one transaction."""

    def __init__(
        self,
        ports: Ports,
        changed: Callable[[Effect], None] = lambda effect: None,
        *,
        call_budget: float = 45.0,
        backlog: int = MOST,
        attends: bool = True,
        keeps: timedelta | None = None,
    ) -> None:
        self.ports = ports
        self.later = Later()
        self._pace, self._files = Pace(), FilePace()
        self._gates = Gates(ports.now)
        self._call_budget = call_budget
        self._backlog = Backlog(backlog)
        self._attends = attends
        """Whether calls that wait do what is due, where no worker of this process does."""
        self._keeps = keeps
        """How long records of finished work are kept; None for ever."""
        self.worker = Worker(ports, self._errand_of_time, () if keeps is None else (forgetting.FORGET,))
        self._changed = changed
        """Told after each change, so that what is left to do begins at once."""

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Whether there is a handler for this kind of operation."""
        return kind in HANDLERS or kind in RUNNERS

    async def run(self, op: Operation[R], caller: Caller, hear: Hear | None = None) -> R:
        """Carry out `op`; what it changed is durable when this returns."""
        caller.check(op.spec)
        caller.check_avatar(getattr(op, "avatar_id", None))
        if not self.supports(type(op)):
            raise NotAvailable(f"The embedded engine cannot {op.spec.name} yet.")
        is_read = op.spec.effect is Effect.READ
        errand = self._errand(caller, unheard if hear is None else hear)
        try:
            if type(op) in RUNNERS:
                with self.later.under_way():
                    result = await RUNNERS[type(op)](op, errand)
            else:
                handler = partial(HANDLERS[type(op)], op)
                result = await (
                    errand.read(handler, is_long=type(op) in LONG)
                    if is_read
                    else errand.write(handler, alone=True)
                )
        except ValidationError as error:
            raise explained(error, type(op), by_name=True) from error
        if not is_read:
            self._changed(op.spec.effect)
            self.worker.wake()
        return cast(R, result)

    def _errand(self, caller: Caller, hear: Hear) -> Errand:
        return Errand(
            caller,
            self.ports,
            hear,
            self.later,
            self._pace,
            self._files,
            has_worker=self.worker.is_running or not self._attends,
            attend=self.worker.finish_due,
            gates=self._gates,
            backlog=self._backlog,
            patience=self._call_budget,
            keeps=self._keeps,
        )

    def _errand_of_time(self) -> Errand:
        return self._errand(TIME, unheard)

    async def close(self, *, at_once: bool = True) -> None:
        """End what still goes on for callers who were answered; else wait until it is done."""
        await self.later.close(at_once=at_once)
