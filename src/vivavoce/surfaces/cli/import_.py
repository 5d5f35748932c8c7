"""`vivavoce import`: a hosted account, or an archive, into the workspace."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from vivavoce.app import App, open_app
from vivavoce.errors import InvalidInput, NotAuthenticated
from vivavoce.settings import Settings
from vivavoce.upkeep.reports import OUTCOMES, Report
from vivavoce.workspace import is_new_workspace

from .progress import Begin, Step, progress
from .terminal import harmless

_ACCOUNT = "chatvolt"
_STOPPED = "Stopped. Run the same command again to go on: what was stored is not copied again."
_NAMES = {"crm_logs": "CRM logs", "access": "access lists"}


@click.command("import")
@click.argument("source")
@click.option("--dry-run", "is_dry", is_flag=True, help="Read all, store nothing, say what would be done.")
@click.option("--no-wait", is_flag=True, help="Leave the indexing of texts to a running server.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(source: str, is_dry: bool, no_wait: bool, as_json: bool) -> None:
    """Copy a hosted account, or an archive, into the workspace.

    SOURCE is the word chatvolt, or the path of an archive that vivavoce export made. The account is the one
    that CHATVOLT_API_KEY opens; nothing in it is changed. Its agents, tools, datastores, scenarios,
    contacts and conversations keep their ids.

    What is copied does nothing by itself: secrets are blank, webhooks are paused, channels are not
    connected, no conversation is answered, and nothing is sent.

    Run it again to go on where it was stopped or, for an account, to follow what has changed since. What
    was changed here stays as it is here and is reported. Nothing is ever deleted.

    It ends with 1 when something could not be read or kept. For example: vivavoce import chatvolt --dry-run
    """
    settings = Settings.read()
    work = (
        _from_account(settings, is_dry=is_dry, waits=not no_wait)
        if source == _ACCOUNT
        else _from_archive(settings, source, is_dry=is_dry, waits=not no_wait)
    )
    try:
        report = asyncio.run(work)
    except KeyboardInterrupt:
        click.echo(_STOPPED, err=True)
        sys.exit(130)
    if as_json:
        click.echo(json.dumps(_summary(report), indent=2, ensure_ascii=False))
    else:
        _show(report)
    sys.exit(1 if report.number("failed") else 0)


async def _from_account(settings: Settings, *, is_dry: bool, waits: bool) -> Report:
    if not settings.chatvolt_api_key:
        raise NotAuthenticated(
            "There is no key of a hosted account.", hint="Set CHATVOLT_API_KEY to the key of the account."
        )
    from vivavoce.hosted.backend import HostedBackend
    from vivavoce.hosted.calling import Calls
    from vivavoce.hosted.keys import key_of
    from vivavoce.upkeep.moving_in.copying import copy_account

    calls = Calls(settings.chatvolt_url)
    hosted = HostedBackend(calls, key_of(settings.chatvolt_api_key))
    try:
        async with _workspace(settings, is_dry=is_dry) as app:
            with progress() as begin:
                report = await copy_account(app, hosted, _Shown(begin), source=calls.place, is_dry=is_dry)
                if waits and not is_dry:
                    await _index(app, report, begin)
    finally:
        await hosted.close()
    return report


async def _from_archive(settings: Settings, path: str, *, is_dry: bool, waits: bool) -> Report:
    from vivavoce.upkeep.archives import CHECKING, checked, take_in

    file = Path(path)
    if not file.is_file():
        raise InvalidInput(f"There is no file {path!r}.", hint=f"Name an archive, or the word {_ACCOUNT}.")
    with progress() as begin:
        steps = {name: begin(name, noun) for name, noun in (("Checking", "bytes"), ("Reading", "lines"))}

        def told(part: str, done: int, total: int) -> None:
            is_read = part != CHECKING
            steps["Reading" if is_read else "Checking"](done, total, part if is_read else "")

        async with checked(file, told=told) as archive, _workspace(settings, is_dry=is_dry) as app:
            report = await take_in(app.ports, archive, is_dry=is_dry, told=told)
            if waits and not is_dry:
                await _index(app, report, begin)
    return report


@asynccontextmanager
async def _workspace(settings: Settings, *, is_dry: bool) -> AsyncIterator[App]:
    """The workspace itself, whatever account the tools work on.

    A dry run makes none: where there is none yet, it looks into an empty one that is gone afterwards.
    """
    own = replace(settings, chatvolt_api_key="", forward_keys="off")
    with TemporaryDirectory(prefix="vivavoce-") as folder:
        if is_dry and is_new_workspace(own):
            file = Path(folder) / "empty.db"
            own = replace(own, database=file, key_file=file.with_suffix(".key"), database_url="", index="")
        async with open_app(own) as app:
            yield app


async def _index(app: App, report: Report, begin: Begin) -> None:
    """Index the texts that came in; the report says which could not be."""
    from vivavoce.upkeep.moving_in.indexing import index_waiting

    step = begin("Indexing", "datasources")
    for id, reason in await index_waiting(app, lambda done, total: step(done, total, "")):
        report.say("datasources", id, f"it is not indexed: {reason}")


class _Shown:
    """A bar for each kind of thing, from the moment on in which there is something of it."""

    def __init__(self, begin: Begin) -> None:
        self._begin = begin
        self._steps: dict[str, Step] = {}

    def __call__(self, kind: str, done: int, total: int) -> None:
        """Show how many things of a kind are done."""
        if kind not in self._steps:
            self._steps[kind] = self._begin(f"Copying {_named(kind)}", "done")
        self._steps[kind](done, total, "")


def _named(kind: str) -> str:
    return _NAMES.get(kind, kind.replace("_", " "))


def _summary(report: Report) -> dict[str, Any]:
    return {
        "source": report.source,
        "dryRun": report.is_dry,
        "kinds": {
            kind: {outcome: counted[outcome] for outcome in OUTCOMES}
            for kind, counted in report.counts.items()
        },
        "remarks": [remark._asdict() for remark in report.remarks],
        "seconds": round(report.seconds, 1),
    }


def _show(report: Report) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=True, title=_title(report), title_justify="left")
    table.add_column("what")
    for outcome in OUTCOMES:
        table.add_column(outcome, justify="right", no_wrap=True)
    for kind, counted in report.counts.items():
        table.add_row(_named(kind), *(str(counted[outcome]) for outcome in OUTCOMES))
    Console(markup=False, highlight=False).print(table)
    reasons = report.reasons()
    if not reasons:
        return
    click.echo("To know, or to do by hand:")
    for kind, reason, number, ids in reasons:
        more = "" if number <= len(ids) else f" and {number - len(ids)} more"
        named = ", ".join(id for id in ids if id)
        click.echo(harmless(f"  {_named(kind)}: {reason}{f' ({named}{more})' if named else ''}"))


def _title(report: Report) -> str:
    said = "would come" if report.is_dry else "came"
    return f"What {said} from {report.source}"
