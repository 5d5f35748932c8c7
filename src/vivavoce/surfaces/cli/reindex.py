"""`vivavoce reindex`: new vectors for datastores, or their index made anew."""

from __future__ import annotations

import asyncio
import sys

import click

from vivavoce.app import App, open_app
from vivavoce.errors import VivavoceError
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import ListDatastores
from vivavoce.operations.knowledge_results import DatastoreShown
from vivavoce.settings import Settings
from vivavoce.upkeep.index import reindex_datastore

from .datastores import datastore_called
from .progress import Begin, progress
from .terminal import harmless

_STOPPED = "Stopped. Run it again to go on: what is embedded already is not embedded again."


@click.command("reindex")
@click.argument("datastores", nargs=-1, metavar="[DATASTORE]...")
@click.option("--all", "is_all", is_flag=True, help="Every datastore.")
def command(datastores: tuple[str, ...], is_all: bool) -> None:
    """Make the index of datastores anew.

    DATASTORE is an id or an exact name. Run this after you chose another embedder, whose vectors then
    replace the old ones, or when vivavoce doctor says that an index must be made again. Texts are not
    read again.

    Under a new embedder, questions go to the old index until the new one is whole. It can be stopped at
    any time and goes on where it was. It ends with 1 when a datastore could not be done.
    """
    if is_all == bool(datastores):
        raise click.UsageError("Name datastores, or give --all.")
    try:
        is_done = asyncio.run(_reindexed(datastores))
    except KeyboardInterrupt:
        click.echo(_STOPPED, err=True)
        sys.exit(130)
    sys.exit(0 if is_done else 1)


async def _reindexed(called: tuple[str, ...]) -> bool:
    """Whether all datastores that are called so, or simply all, could be done."""
    async with open_app(Settings.read()) as app:
        if called:
            wanted = {each.id: each for each in [await datastore_called(text, app) for text in called]}
            chosen = list(wanted.values())
        else:
            chosen = (await app.backend.run(ListDatastores(), OPERATOR)).datastores
        with progress() as begin:
            lines = [await _line(datastore, app, begin) for datastore in chosen]
    for line, is_done in lines:
        click.echo(harmless(line), err=not is_done)
    return all(is_done for _, is_done in lines)


async def _line(datastore: DatastoreShown, app: App, begin: Begin) -> tuple[str, bool]:
    """What became of a datastore, and whether it is well."""
    step = begin(datastore.name, "passages")
    about = f"{datastore.name} ({datastore.id})"
    try:
        made = await reindex_datastore(app, datastore.id, lambda done, total: step(done, total, ""))
    except VivavoceError as error:
        return f"{about}: {error.code}: {error}", False
    if made is None:
        return f"{about}: nothing is indexed in it yet.", True
    return f"{about}: {made.passages} passages under {made.embedder} in {made.seconds:.1f} s.", True
