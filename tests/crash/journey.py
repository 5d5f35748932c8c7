"""One run: start, load, kill, and in the end the ledger."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.free_ports import free_port

from .databases import Database, database
from .ledger import Ledger, ledger
from .people import HOLD, Account, Load
from .programs import PROFILES, Killer, Program
from .stories import SILENCE, STEP, WAIT
from .wire import Wire

ROOT = Path(__file__).parents[2]
_WORKERS = 2
_PATIENCE = 600.0
_SLOWEST = 5
"""Messages a second, below which a run counts as stuck."""
_TOGETHER = 0.2
"""How many of the messages come while the server does the work itself."""


def crash_test(messages: int, name: str, folder: Path, *, seed: int, kills: bool = True) -> Ledger:
    """Send so many messages through processes that are killed meanwhile; what came of it.

    First a server that only accepts and two workers beside it, then a server that works itself.
    """
    patience = _PATIENCE + messages / _SLOWEST
    with database(name, folder) as place, outside() as port:
        return asyncio.run(_crashed(messages, place, port, folder, random.Random(seed), kills, patience))


async def _crashed(
    messages: int,
    place: Database,
    outside: int,
    folder: Path,
    chance: random.Random,
    kills: bool,
    patience: float,
) -> Ledger:
    began = time.monotonic()
    port = free_port()
    settings = _settings(place, outside, folder)
    alone = [Program(["serve", "--port", str(port)], settings, folder / "serve.log")]
    server = Program(["serve", "--no-work", "--port", str(port)], settings, folder / "serve.log")
    apart = [server] + [Program(["work"], settings, folder / f"work-{n}.log") for n in range(_WORKERS)]
    together = round(messages * _TOGETHER)
    first_chat = 1
    struck = kills and not os.environ.get(PROFILES)
    async with asyncio.timeout(patience), Wire(outside) as provider:
        load = Load(port, provider, place, {}, chance)
        for programs, number in ((apart, messages - together), (alone, together)):
            with _started(programs):
                if not load.accounts:
                    async with Wire(port) as wire:
                        load.accounts = await _accounts(wire, outside)
                        load.caller = (await _made(wire, "/agents", _agent("k")))["id"]
                first_chat = await _through(load, number, first_chat, programs, chance, struck)
    spent = time.monotonic() - began
    found = ledger(load, place.ask, sum(each.kills for each in (*apart, *alone)))
    seconds = {"seconds": round(spent), "messages a second": round(len(load.accepted) / spent, 1)}
    return Ledger({"database": place.name, **found.figures, **seconds}, found.wrongs)


async def _through(
    load: Load, number: int, first_chat: int, programs: list[Program], chance: random.Random, kills: bool
) -> int:
    """Send messages while processes are killed."""
    killing = asyncio.create_task(Killer(programs, chance).run()) if kills else None
    running = asyncio.create_task(load.run(number, first_chat))
    await asyncio.wait(
        [running] if killing is None else [running, killing], return_when=asyncio.FIRST_COMPLETED
    )
    if killing is not None:
        if killing.done():
            running.cancel()
            killing.result()
        killing.cancel()
    next_chat = await running
    codes = {program.end() for program in programs}
    assert codes <= {0, -signal.SIGTERM}, f"Not all processes ended cleanly: {codes}"
    return next_chat


async def _accounts(wire: Wire, outside: int) -> dict[str, Account]:
    """Three agents with a channel each; the second holds its answers, and the third has stories."""
    hold = {"type": "delayed_responses", "config": {"delay": HOLD}}
    follow_up = {"messages": SILENCE, "max_sends": 1, "interval_hours": 1}
    told = {"url_webhook_external": f"http://127.0.0.1:{outside}/hooks"}
    again = {"type": "follow_up_messages", "config": follow_up}
    agents = {
        "c": await _made(wire, "/agents", _agent("c")),
        "h": await _made(wire, "/agents", _agent("h", tools=[hold])),
        "s": await _made(wire, "/agents", _agent("s", tools=[again], configUrlInfosSystemExternal=told)),
    }
    await _board(wire, agents["s"]["id"])
    return {letter: await _account(wire, outside, letter, agent) for letter, agent in agents.items()}


def _agent(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Answers.", "modelName": "m", "systemPrompt": "Hi.", **more}


async def _board(wire: Wire, agent: str) -> None:
    """Two steps, of which the first is left after a while, for all conversations of an agent."""
    scenario = (await _made(wire, "/crm/scenario", {"name": "Story"}))["id"]
    on = {"scenarioId": scenario}
    second = await _made(wire, "/crm/step", {**on, "name": "two", "initialMessage": STEP})
    timed = {"autoNextStepId": second["id"], "autoNextTime": WAIT}
    first = await _made(wire, "/crm/step", {**on, "name": "one", **timed})
    await _made(wire, f"/agents/{agent}/crm-config", {**on, "stepId": first["id"]}, method="PUT")


async def _account(wire: Wire, outside: int, letter: str, agent: dict[str, Any]) -> Account:
    config = {"url": f"http://127.0.0.1:{outside}/messages"}
    channel = await _made(
        wire, "/channels", {"agentId": agent["id"], "type": "webhook", "name": letter, "config": config}
    )
    return Account(channel["id"], channel["token"])


async def _made(wire: Wire, path: str, body: dict[str, Any], method: str = "POST") -> Any:
    while True:
        status, made = await wire.ask(method, path, body)
        if 200 <= status < 300:
            return made
        assert status == 0, f"{path} answers {status}: {made}"
        await asyncio.sleep(0.1)  # it is not up yet


def _settings(place: Database, outside: int, folder: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("VIVAVOCE_")}
    return {
        **own,
        "VIVAVOCE_DATABASE": place.place,
        "VIVAVOCE_KEEP_DAYS": "0",  # else there is always a job, and here nothing is left at the end
        "VIVAVOCE_KEY_FILE": str(folder / "workspace.key"),
        "VIVAVOCE_MODEL_URL": f"http://127.0.0.1:{outside}/v1",
        "VIVAVOCE_MODEL": "m",
        "VIVAVOCE_ALLOWED_ADDRESSES": f"127.0.0.1:{outside}",
        "XDG_DATA_HOME": str(folder),
    }


@contextmanager
def _started(programs: list[Program]) -> Iterator[None]:
    try:
        for program in programs:
            program.start()
        yield
    finally:
        for program in programs:
            program.abandon()


@contextmanager
def outside() -> Iterator[int]:
    """What lies outside, as a process; its port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.crash.outside"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
