"""`vivavoce doctor`: what is configured, what can be reached, what is missing."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import platform
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import click

from vivavoce import __version__
from vivavoce.app import open_app
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.agents import ListAgents
from vivavoce.operations.keys import ListKeys
from vivavoce.operations.knowledge import ListDatastores
from vivavoce.settings import Settings
from vivavoce.workspace import (
    check_master_key,
    description_of_workspace,
    faults_of_workspace,
    has_workspace,
)

from . import doctor_knowledge, doctor_work
from .findings import Finding
from .terminal import harmless, is_unicode

_ENOUGH = 500 * 1024 * 1024
_TOO_LITTLE = 50 * 1024 * 1024
"""Below it, a write of any size may fail, and an index cannot be made anew."""
_MARKS = {"ok": ("✓", "green"), "note": ("·", "yellow"), "fault": ("✗", "red")}
_PLAIN_MARKS = {"✓": "+", "·": "-", "✗": "!"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """See what is configured, reachable and missing.

    Ends with 1 when something must be mended.
    """
    findings = list(_findings())
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        for finding in findings:
            mark, colour = _MARKS[finding.state]
            shown = mark if is_unicode(sys.stdout) else _PLAIN_MARKS[mark]
            click.echo(f"{click.style(shown, fg=colour)} {finding.about}: {harmless(finding.says)}")
            if finding.advice:
                click.echo(f"  {harmless(finding.advice)}")
    sys.exit(1 if any(finding.state == "fault" for finding in findings) else 0)


def _findings() -> Iterator[Finding]:
    yield Finding("program", "ok", f"vivavoce {__version__}, Python {platform.python_version()}")
    try:
        settings = Settings.read()
    except InvalidInput as error:
        yield Finding("settings", "fault", str(error), "Correct that variable.")
        return
    said = set()  # a fault of the file or its key comes back whenever the workspace is opened
    for look in _LOOKS:
        try:
            yield from look(settings)
        except VivavoceError as error:
            if error.message not in said:
                about = look.__name__.strip("_").replace("_", " ")
                yield Finding(about, "fault", error.message, error.hint)
            said.add(error.message)


def _disk(settings: Settings) -> Iterator[Finding]:
    folder = _existing(settings.database.parent)
    free = shutil.disk_usage(folder).free
    if not os.access(folder, os.W_OK):
        yield Finding("disk", "fault", f"{folder} cannot be written.", "Choose another VIVAVOCE_DATABASE.")
    elif free < _ENOUGH:
        state: Literal["note", "fault"] = "fault" if free < _TOO_LITTLE else "note"
        yield Finding("disk", state, f"{free // 1024**2} MB are free in {folder}.", "Make room.")
    else:
        yield Finding("disk", "ok", f"{free // 1024**3} GB are free in {folder}")


def _database(settings: Settings) -> Iterator[Finding]:
    if not has_workspace(settings):
        yield Finding("database", "note", f"{settings.database} does not exist yet; it is made on first use")
        return
    faults = faults_of_workspace(settings)
    if not faults:
        yield Finding("database", "ok", f"{description_of_workspace(settings)}, sound")
    elif settings.database_url:
        yield Finding("database", "fault", faults[0], "Set up the Postgres server anew, or name another.")
    else:
        yield Finding(
            "database", "fault", f"{settings.database} is damaged: {faults[0]}", "Restore a backup."
        )


def _master_key(settings: Settings) -> Iterator[Finding]:
    check_master_key(settings)
    if settings.master_key:
        yield Finding("master key", "ok", "from VIVAVOCE_MASTER_KEY")
    elif not settings.key_file.exists():
        yield Finding(
            "master key", "note", f"{settings.key_file} does not exist yet; it is made on first use"
        )
    elif stat.S_IMODE(settings.key_file.stat().st_mode) & 0o077 and os.name == "posix":
        yield Finding(
            "master key",
            "fault",
            f"{settings.key_file} can be read by others.",
            f"chmod 600 {shlex.quote(str(settings.key_file))}",
        )
    else:
        yield Finding("master key", "ok", f"{settings.key_file}; keep a copy of it apart from the database")


def _workspace(settings: Settings) -> Iterator[Finding]:
    if not has_workspace(settings):
        return

    async def counted() -> tuple[int, int]:
        async with open_app(settings) as app:
            agents = await app.backend.run(ListAgents(), OPERATOR)
            datastores = await app.backend.run(ListDatastores(), OPERATOR)
            return len(agents.agents), len(datastores.datastores)

    agents, datastores = asyncio.run(counted())
    yield Finding("workspace", "ok", f"{agents} agents, {datastores} datastores, {len(CATALOGUE)} operations")


def _keys(settings: Settings) -> Iterator[Finding]:
    if not has_workspace(settings):
        return

    async def active() -> tuple[int, bool]:
        async with open_app(settings) as app:
            keys = (await app.backend.run(ListKeys(), OPERATOR)).keys
            return sum(key.revoked_at is None for key in keys), await app.keyring.is_empty()

    number, is_open = asyncio.run(active())
    if is_open:
        yield Finding(
            "API keys",
            "note",
            "none yet: over HTTP, everyone on this machine may call",
            "Make one with vivavoce keys create NAME.",
        )
    else:
        yield Finding("API keys", "ok", f"{number} valid")


def _server(settings: Settings) -> Iterator[Finding]:
    address = f"{settings.url_host}:{settings.port}"
    connection = http.client.HTTPConnection(settings.host, settings.port, timeout=2)
    try:
        connection.request("GET", "/health")
        answer = json.loads(connection.getresponse().read(1000))
        yield Finding("HTTP server", "ok", f"vivavoce {answer['version']} answers at {address}")
    except ConnectionRefusedError:
        yield Finding("HTTP server", "note", f"nothing listens at {address}", "Start it with vivavoce serve.")
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        yield Finding(
            "HTTP server", "note", f"something else answers at {address}", "Choose another VIVAVOCE_PORT."
        )
    finally:
        connection.close()


def _hosted(settings: Settings) -> Iterator[Finding]:
    if settings.chatvolt_api_key:
        says = f"CHATVOLT_API_KEY is set: tools work on the hosted account at {settings.chatvolt_url}"
        yield Finding("hosted account", "note", says)


def _existing(folder: Path) -> Path:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder


_LOOKS = (
    _disk,
    _database,
    _master_key,
    _workspace,
    _keys,
    doctor_knowledge.embedder,
    doctor_knowledge.index,
    doctor_knowledge.datasources,
    doctor_work.models,
    doctor_work.deliveries,
    _server,
    _hosted,
)
