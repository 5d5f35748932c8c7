"""`vivavoce connect`: the configuration with which a client finds this server."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from vivavoce.errors import Conflict, InvalidInput, NotAvailable, StorageFailed
from vivavoce.settings import Settings, user_folder, variable

Json = dict[str, Any]
_KEY = "VIVAVOCE_KEY"
"""The variable in which a client keeps the API key for a server over HTTP."""


@dataclass(frozen=True)
class Client:
    """Where a client keeps its servers, and how it writes them."""

    title: str
    file: tuple[str, ...]
    section: str
    is_project: bool = False
    key: str = ""
    """How the client refers to the variable with the key."""

    def path(self) -> Path:
        """The file in the user's folder, or below the current one."""
        return (Path.cwd() if self.is_project else user_folder()).joinpath(*self.file)


_CLIENTS = {
    "claude-desktop": Client("Claude Desktop", (), "mcpServers"),
    "claude-code": Client("Claude Code", (".mcp.json",), "mcpServers", True, f"${{{_KEY}}}"),
    "cursor": Client("Cursor", (".cursor", "mcp.json"), "mcpServers", key=f"${{env:{_KEY}}}"),
    "vscode": Client("VS Code", (".vscode", "mcp.json"), "servers", True, "${input:vivavoce-key}"),
    "codex": Client("Codex", (".codex", "config.toml"), "mcp_servers"),
}


@click.command("connect")
@click.argument("client", type=click.Choice(list(_CLIENTS)))
@click.option("--write", is_flag=True, help="Write it into the client's file; other entries stay.")
@click.option(
    "--url", metavar="URL", help="A server over HTTP, e.g. http://127.0.0.1:8377/mcp, instead of stdio."
)
@click.option("--name", default="vivavoce", show_default=True, help="What the client calls the server.")
@click.option("--read-only", is_flag=True, help="Offer only tools that change nothing (stdio).")
@click.option("--toolsets", default="", metavar="LIST", help="Offer only these groups of tools (stdio).")
@click.option("--tools", default="", metavar="LIST", help="Offer these single tools (stdio).")
@click.option("--exclude-tools", default="", metavar="LIST", help="Never offer these tools (stdio).")
def command(client: str, write: bool, url: str | None, name: str, read_only: bool, **lists: str) -> None:
    """Print a client's configuration, or write it.

    For VS Code and Claude Code that is a file of the project in the current folder. A key is never
    written: over HTTP the client takes it from the variable VIVAVOCE_KEY.
    """
    known = _CLIENTS[client]
    path = _desktop_path() if client == "claude-desktop" else known.path()
    entry = _remote(client, known, url) if url else _local(known, read_only, lists)
    text = (
        _toml(name, entry)
        if client == "codex"
        else _json({known.section: {name: entry}, **_asked(client, url)})
    )
    if not write:
        click.echo(text)
        click.echo(f"This belongs into {path}. Add --write to put it there.", err=True)
        return
    if client == "codex":
        _append(path, name, text)
    else:
        _merge(path, known.section, name, entry, _asked(client, url))
    click.echo(f"{known.title} finds {name!r} in {path}. Restart it, or reload its servers.")


def _local(client: Client, read_only: bool, lists: dict[str, str]) -> Json:
    words = _program()
    words += ["mcp", *(["--read-only"] if read_only else [])]
    for option, listed in lists.items():
        words += [f"--{option.replace('_', '-')}", listed] if listed else []
    entry: Json = {"type": "stdio"} if client.section == "servers" else {}
    entry |= {"command": words[0], "args": words[1:]}
    settings = Settings.read()
    places = {"database": settings.database, "key_file": settings.key_file}
    return entry | {"env": {variable(name): str(path.absolute()) for name, path in places.items()}}


def _program() -> list[str]:
    """How to start this program again, also after a temporary environment has gone."""
    script = Path(sys.executable).with_name("vivavoce")
    if "/archive-v" in script.as_posix():  # made by uvx for this one run
        return ["uvx", "vivavoce"]
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "vivavoce"]


def _remote(name: str, client: Client, url: str) -> Json:
    if not url.startswith(("http://", "https://")):
        raise InvalidInput("--url: must be a full http:// or https:// address.")
    if name == "claude-desktop":
        raise NotAvailable(
            "Claude Desktop takes servers over HTTP from its own settings, under Connectors.",
            hint="Leave out --url to connect over stdio.",
        )
    if name == "codex":
        return {"url": url, "bearer_token_env_var": _KEY}
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {client.key}"}}


def _asked(client: str, url: str | None) -> Json:
    """VS Code asks for a key once and keeps it itself."""
    if client != "vscode" or not url:
        return {}
    return {
        "inputs": [
            {
                "type": "promptString",
                "id": "vivavoce-key",
                "description": "vivavoce API key",
                "password": True,
            }
        ]
    }


def _merge(path: Path, section: str, name: str, entry: Json, beside: Json) -> None:
    """Put the entry into the file and leave everything else as it is."""
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        config = json.loads(before) if before.strip() else {}
    except (OSError, ValueError) as error:
        raise Conflict(
            f"{path} cannot be read as JSON, so it was left alone.",
            hint="Run the command without --write and copy what it prints.",
        ) from error
    if not isinstance(config, dict) or not isinstance(config.get(section, {}), dict):
        raise Conflict(f"{path} has another shape than expected, so it was left alone.")
    known = config.get("inputs", [])
    config[section] = {**config.get(section, {}), name: entry}
    for key, values in beside.items():
        config[key] = known + [value for value in values if value not in known]
    _write(path, _json(config) + "\n")


def _append(path: Path, name: str, text: str) -> None:
    """Add the table to a TOML file that has none of that name."""
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        known = tomllib.loads(before).get("mcp_servers", {})
    except (OSError, ValueError) as error:
        raise Conflict(f"{path} cannot be read as TOML, so it was left alone.") from error
    if name in known:
        raise Conflict(f"{path} has a server {name!r} already.", hint="Remove it there, or use --name.")
    _write(path, (before.rstrip() + "\n\n" if before.strip() else "") + text + "\n")


def _write(path: Path, text: str) -> None:
    """Replace the file at once, so that no reader meets half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as draft:
            draft.write(text)
        os.chmod(draft.name, path.stat().st_mode if path.exists() else 0o600)
        os.replace(draft.name, path.resolve())
    except OSError as error:
        raise StorageFailed(f"{path} cannot be written: {error.strerror}.") from error


def _desktop_path() -> Path:
    home = user_folder()
    if sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = home / "AppData" / "Roaming"
    else:
        folder = home / ".config"
    return folder / "Claude" / "claude_desktop_config.json"


def _json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _toml(name: str, entry: Json) -> str:
    """A table of texts and lists of texts, which JSON writes as TOML wants them."""
    lines = [f"[mcp_servers.{json.dumps(name)}]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in entry.items() if not isinstance(value, dict)]
    for key, table in entry.items():
        if isinstance(table, dict):
            lines += ["", f"[mcp_servers.{json.dumps(name)}.{key}]"]
            lines += [f"{inner} = {json.dumps(value)}" for inner, value in table.items()]
    return "\n".join(lines)
