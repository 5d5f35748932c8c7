"""Copying a hosted account into the workspace, from the first scenario to the last message."""

from __future__ import annotations

import asyncio
import time

from vivavoce.app import App
from vivavoce.hosted.backend import HostedBackend
from vivavoce.operations.agents import ListAgents
from vivavoce.upkeep.reports import Report

from .account import Account, Pause
from .agents import move_agents
from .contacts import move_contacts
from .conversations import move_conversations
from .crm import move_scenarios, move_stays, move_steps, read_stays
from .knowledge import move_datasources, move_datastores
from .ledger import Ledger
from .moves import Move, Told
from .settling import Settler
from .things import Home


async def copy_account(
    app: App,
    hosted: HostedBackend,
    told: Told,
    *,
    source: str,
    is_dry: bool = False,
    pause: Pause = asyncio.sleep,
) -> Report:
    """Copy what a hosted account holds. Broken off, it goes on where it was when it is called again.

    Nothing of it acts: secrets are blank, webhooks paused, no conversation is answered and nothing is sent.
    What changed there since an earlier copy is followed, unless it was changed here, too. A dry run reads
    everything, stores nothing, and says what would have become of it. OutOfReach where the account does not
    answer any more.
    """
    began, now = time.perf_counter(), app.ports.now()
    ledger = await Ledger.opened(app.ports.store, now)
    report = Report(source, is_dry)
    settler = Settler(app.ports, ledger, report)
    move = Move(Account(hosted, pause), settler, Home(ledger.organization_id, now), told)
    if not is_dry:
        await app.ports.store.write(ledger.begin)
    await _copied(move)
    if not is_dry:
        await app.ports.store.write(ledger.finish)
    report.seconds = time.perf_counter() - began
    return report


async def _copied(move: Move) -> None:
    """In such an order that what others refer to comes before them."""
    agents = await move.account.rows(ListAgents())  # an account that does not even tell this is not copied
    scenarios = await move_scenarios(move)
    await move_datasources(move, await move_datastores(move))
    await move_agents(move, agents)
    await move_steps(move, scenarios)
    await move_contacts(move)
    stays = await read_stays(move)
    await move_conversations(move, stays)
    await move_stays(move, stays.past)
