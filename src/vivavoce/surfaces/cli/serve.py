"""`vivavoce serve`: REST and MCP over HTTP."""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from vivavoce.errors import Conflict, InvalidInput, VivavoceError
from vivavoce.settings import Settings, hand_down, handed_down
from vivavoce.surfaces.logs import write_logs
from vivavoce.surfaces.mcp.selection import Selection
from vivavoce.surfaces.settling import SettlingIn

from .limits import limited, selection_of

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette


@click.command("serve")
@click.option("--host", help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="The port to listen on.  [default: 8377]")
@click.option(
    "--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="How many processes."
)
@click.option("--no-work", is_flag=True, help="Only accept and serve; vivavoce work does the rest.")
@limited
def command(host: str | None, port: int | None, workers: int, no_work: bool, **limits: Any) -> None:
    """Serve REST and MCP over HTTP.

    It listens on loopback. To listen elsewhere, make a key first: vivavoce keys create NAME.
    """
    settings = Settings.read()
    settings = replace(
        settings, host=settings.host if host is None else host, port=settings.port if port is None else port
    )
    selection = selection_of(**limits)
    is_open = asyncio.run(_is_open(settings))
    chosen = json.dumps({**asdict(selection), "is_alone": workers == 1, "works": not no_work})
    hand_down(settings, chosen)
    _serve(settings, workers, is_open)


def application() -> Starlette:
    """The application of one process, set up as the command asked."""
    settings = Settings.read()
    write_logs(settings)
    chosen: dict[str, Any] = json.loads(handed_down() or "{}")
    is_alone = bool(chosen.get("is_alone", True))
    with SettlingIn():
        from vivavoce.surfaces.http import application, offering

        sessions = offering(Selection.read(chosen), is_alone=is_alone)
        return application(settings, sessions, works=bool(chosen.get("works", True)))


def shared_listener(config: uvicorn.Config) -> socket.socket:
    """The socket that every process accepts from.

    Its connections send small packets at once. asyncio asks for that itself only where it made the socket,
    and without it every answer waits 40 ms for the client to acknowledge its head.
    """
    listener = None
    try:
        listener = socket.socket(socket.AF_INET6 if ":" in config.host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.bind((config.host, config.port))
        listener.listen(config.backlog)
    except (OSError, UnicodeError) as error:  # the system's resolver wants a host in ASCII
        if listener is not None:
            listener.close()
        raise _unheard(config, error) from error
    listener.set_inheritable(True)
    return listener


def _unheard(config: uvicorn.Config, error: OSError | UnicodeError) -> VivavoceError:
    """Why nothing can be heard there, and what to do."""
    if isinstance(error, UnicodeError | socket.gaierror):
        return InvalidInput(f"{config.host!r} is not the name of a host.", hint="Choose another with --host.")
    if error.errno == errno.EADDRINUSE:
        return Conflict(
            f"Port {config.port} of {config.host} is in use: another program listens there, maybe vivavoce.",
            hint="Choose another with --port, or end that program.",
        )
    return InvalidInput(
        f"Port {config.port} of {config.host} cannot be listened on: {error.strerror}.",
        hint="Choose another with --host and --port.",
    )


def _serve(settings: Settings, workers: int, is_open: bool) -> None:
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    write_logs(settings)
    config = uvicorn.Config(
        "vivavoce.surfaces.cli.serve:application",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=10,
    )
    listener = shared_listener(config)
    _announce(f"http://{settings.url_host}:{listener.getsockname()[1]}", is_open)
    with suppress(KeyboardInterrupt):
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            Multiprocess(config, sockets=[listener]).run()


def _announce(address: str, is_open: bool) -> None:
    click.echo(f"vivavoce serves {address} (REST and /docs) and {address}/mcp (MCP).", err=True)
    if is_open:
        click.echo(
            "No key exists yet, so everyone on this machine may call: vivavoce keys create NAME", err=True
        )


async def _is_open(settings: Settings) -> bool:
    """Whether callers need no key yet; refused where others than the people at this machine could call."""
    with SettlingIn():
        from vivavoce.app import open_app
        from vivavoce.surfaces.auth import is_trusting

    async with open_app(settings) as app:
        has_no_key = await app.keyring.is_empty()
    if has_no_key and not is_trusting(settings):
        raise click.UsageError(
            f"{settings.public_url or settings.host} can be reached from other machines, and there is no "
            "API key yet. Make one first: vivavoce keys create NAME"
        )
    return has_no_key
