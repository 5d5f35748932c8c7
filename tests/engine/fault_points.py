"""A process that ends after each single statement between "bytes read" and "sent", and one that goes on.

Run as `python -m tests.engine.fault_points FOLDER [STORY [SERVER]]`; what became of each is printed as JSON.
The workspace is a file, or a database of the Postgres server at that address. Children are forked from a
process in which everything is imported and nothing is open, so that one costs little.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import Any

from vivavoce.adapters import identity
from vivavoce.domain.channels import Account
from vivavoce.engine import Engine
from vivavoce.engine.time.inbox import Inbox
from vivavoce.operations import OPERATOR
from vivavoce.operations.agents import CreateAgent
from vivavoce.ports import Piece, Prompt, Reply, Tables
from vivavoce.ports.time import Outcome, Sending, Sent
from vivavoce.testing import FakeClock, MemoryChannel, ScriptedModel, TestModels, open_test_engine

from .copies import copied, opened, prepared, wait_for_the_dead

_ENDED = 9
_MOST = 2_000
_MINUTE = 60
_HOLD = 6
STORIES: dict[str, dict[str, Any]] = {
    "plain": {},
    "held": {
        "tools": [{"type": "delayed_responses", "config": {"delay": _HOLD}}],
        "configUrlInfosSystemExternal": {"url_webhook_external": "https://hooks.example/events"},
    },
}
"""What the agent is like: one that answers at once, or one that holds its answer and has a webhook told."""

Point = Callable[[], None]


class _Ends:
    """Ends the process at its n-th point, as a power cut would; at none where n is 0."""

    def __init__(self, at: int) -> None:
        self._left, self._lock = at, threading.Lock()

    def __call__(self, *_: object) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                os._exit(_ENDED)


class _Model(ScriptedModel):
    """A model that may never answer."""

    def __init__(self, point: Point) -> None:
        super().__init__(["At nine."])
        self._point = point

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The answer."""
        self._point()
        async for piece in super().answer(prompt):
            yield piece
        self._point()


class _Channel(MemoryChannel):
    """A channel that notes what arrives in a file, which outlives the process."""

    def __init__(self, point: Point, ledger: Path) -> None:
        super().__init__()
        self._point, self._ledger = point, ledger

    async def send(self, account: Account, sending: Sending) -> Outcome:
        """Take it."""
        self._point()
        with self._ledger.open("a", encoding="utf-8") as file:
            print(json.dumps([sending.id, sending.chat, sending.text]), file=file)
        self._point()
        return Sent(f"ext-{sending.id}")


class _Receiver:
    """An address that notes what it is told in a file, which outlives the process."""

    def __init__(self, point: Point, ledger: Path) -> None:
        self._point, self._ledger = point, ledger

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], **_: Any) -> Reply:
        """Take it."""
        self._point()
        with self._ledger.open("a", encoding="utf-8") as file:
            print(headers["Vivavoce-Id"], file=file)
        self._point()
        return Reply(200, {}, b"", False)


def matrix(folder: Path, story: str = "plain", server: str = "") -> list[dict[str, Any]]:
    """What became of the message for each point at which the process ended; the last one did not end."""
    first = folder / "prepared"
    first.mkdir(parents=True)
    with prepared(server) as url:
        assert _in_child(lambda: asyncio.run(prepare(first, url, **STORIES[story]))) == 0
    seen: list[dict[str, Any]] = []
    for number in range(1, _MOST):
        here = folder / str(number)
        shutil.copytree(first, here)
        with copied(server, number) as url:
            has_ended = _lived(here, url, number, 0) == _ENDED
            again = 0
            while _lived(here, url, 0, again + 1):
                again += 1
                assert again < 5, "It does not come up again."
        seen.append({"point": number, **json.loads((here / "seen.json").read_text(encoding="utf-8"))})
        shutil.rmtree(here)
        if not has_ended:
            return seen
    raise AssertionError("It never comes to an end.")


async def prepare(folder: Path, url: str = "", **more: Any) -> None:
    """A workspace with an agent and an account of a channel."""
    with opened(url) as store, open_test_engine(folder, ids=identity.Ids(), store=store) as engine:
        asked = {"name": "Ana", "description": "Answers.", "modelName": "m", "systemPrompt": "You are Ana."}
        agent = await engine.run(CreateAgent.parse({**asked, **more}), OPERATOR)
        now = engine.ports.now()
        known = {"id": "account1", "organization_id": "o1", "created_at": now, "updated_at": now}
        account = Account(**known, agent_id=agent.id, type="webhook", name="Test")
        await engine.ports.store.write(lambda tables: tables.accounts.add(account))


async def accept(engine: Engine, event_id: str, chat: str = "chat1") -> None:
    """Take an event in, as the inbound surface does."""
    event = {"event_id": event_id, "chat": chat, "text": "When do you open?"}
    await Inbox(engine.ports, engine.worker.wake).accept("account1", {}, json.dumps([event]).encode())


def _lived(folder: Path, url: str, ends_at: int, life: int) -> int:
    """The exit code of one life of the process."""
    code = _in_child(lambda: asyncio.run(_live(folder, url, ends_at, life)))
    wait_for_the_dead(url)
    return code


async def _live(folder: Path, url: str, ends_at: int, life: int) -> None:
    """One life of the process: take the event unless that was said, then do what is due.

    The clock is a minute on in each, so that the leases of the dead are over.
    """
    clock = FakeClock()
    clock.advance(seconds=_MINUTE * life)
    point = _Ends(ends_at)
    channel = _Channel(point, folder / "ledger")
    given: dict[str, Any] = {
        "models": TestModels(_Model(point)),
        "channel": channel,
        "outside": _Receiver(point, folder / "posts"),
    }
    with (
        opened(url) as store,
        open_test_engine(folder, clock, identity.Ids(), store=store, **given) as engine,
    ):
        if url:
            _let_statements_of_postgres_count(engine, point)
        else:
            _let_statements_count(engine, point)
        if not (folder / "accepted").exists():
            await accept(engine, "e1")  # again, as a provider does that was not told
            point()
            (folder / "accepted").touch()
        point()
        await engine.worker.finish_due()
        clock.advance(seconds=_HOLD)
        await engine.worker.finish_due()
        if not ends_at:
            seen = await engine.ports.store.read(_seen)
            ledger = folder / "ledger"
            sent = ledger.read_text(encoding="utf-8").splitlines() if ledger.exists() else []
            posts = folder / "posts"
            told = posts.read_text(encoding="utf-8").split() if posts.exists() else []
            said = json.dumps({**seen, "sent": [json.loads(line) for line in sent], "posts": told})
            (folder / "seen.json").write_text(said, encoding="utf-8")


def _let_statements_count(engine: Engine, point: Point) -> None:
    """Each statement begins at a point, so that the process ends after the one before it."""
    store: Any = engine.ports.store
    connected = store._connection

    def traced(kind: Any) -> Any:
        connection = connected(kind)
        connection.set_trace_callback(point)
        return connection

    store._connection = traced


def _let_statements_of_postgres_count(engine: Engine, point: Point) -> None:
    """The same on Postgres, where a transaction begins and ends with a statement as well."""
    store: Any = engine.ports.store
    own = store._connections.own

    def traced() -> Any:
        connection = own()
        inner = connection._connection
        if "execute" not in vars(inner):
            execute = inner.execute

            def counted(*said: Any, **how: Any) -> Any:
                point()
                return execute(*said, **how)

            inner.execute = counted
        return connection

    store._connections.own = traced


def _seen(tables: Tables) -> dict[str, Any]:
    (talk,) = tables.conversations.where()
    return {
        "arrivals": [each.state for each in tables.arrivals.where()],
        "said": [[each.from_, each.text] for each in tables.messages.last(talk.id, 10)],
        "turns": [each.state for each in tables.turns.where()],
        "deliveries": [[each.id, each.state] for each in tables.deliveries.where(kind="message")],
        "told": [[each.id, each.event_type, each.state] for each in tables.deliveries.where(kind="webhook")],
        "jobs": tables.jobs.number(),
    }


def _in_child(work: Callable[[], None]) -> int:
    """Its exit code; what it breaks on is written to stderr."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    print(json.dumps(matrix(Path(sys.argv[1]), *sys.argv[2:])))
