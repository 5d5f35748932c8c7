"""`vivavoce work`: does what is due, beside servers that only accept and serve."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress

import click

from vivavoce.settings import Settings
from vivavoce.surfaces.logs import write_logs
from vivavoce.surfaces.settling import SettlingIn


@click.command("work")
def command() -> None:
    """Answer, send and ingest what is due, until it is ended.

    vivavoce serve does this itself. Run it alone, as often as you like and on any machine that reaches the
    database, beside vivavoce serve --no-work. Whatever one of them leaves undone, another one takes up.
    """
    settings = Settings.read()
    write_logs(settings)
    with suppress(KeyboardInterrupt):
        asyncio.run(_work(settings))


async def _work(settings: Settings) -> None:
    with SettlingIn():
        from vivavoce.app import open_app

    is_ended = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows: then the interrupt itself ends it
            asyncio.get_running_loop().add_signal_handler(each, is_ended.set)
    async with open_app(settings, works=True) as app:
        click.echo(f"vivavoce works on {settings.workspace}.", err=True)
        ends = [asyncio.create_task(each.wait()) for each in (is_ended, app.is_broken)]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()
    if app.is_broken.is_set():
        raise click.ClickException("A part of vivavoce failed; the log says which.")
