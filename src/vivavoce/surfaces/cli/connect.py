"""`vivavoce connect`: the configuration with which a client finds this server."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from vivavoce.errors import Conflict, InvalidInput, NotAvailable, StorageFailed
from vivavoce.settings import Settings, user_folder, variable

from .limits import limited, selection_of, words_of

Json = dict[str, Any]
_KEY = "VIVAVOCE_KEY"
"""The variable in which a client keeps the API key for a server over HTTP."""
_PASSWORD = re.compile(r"://[^/]*:[^/]*@|[?&](ssl)?password=")
"""In the URL of a database."""


@dataclass(frozen=True)
class Client:
    """Where a client keeps its servers, and how it writes them."""

    title: str
    file: tuple[str, ...]
    section: str
    is_project: bool = False
    key: str = ""
    """How the client refers to the variable or the input with the key; %s is the name of the server."""

    def path(self) -> Path:
        """The file in the user's folder, or below the current one."""
        return (Path.cwd() if self.is_project else user_folder()).joinpath(*self.file)


_CLIENTS = {
    "claude-desktop": Client("Claude Desktop", (), "mcpServers"),
    "claude-code": Client("Claude Code", (".mcp.json",), "mcpServers", True, f"${{{_KEY}}}"),
    "cursor": Client("Cursor", (".cursor", "mcp.json"), "mcpServers", key=f"${{env:{_KEY}}}"),
    "vscode": Client("VS Code", (".vscode", "mcp.json"), "servers", True, "${input:%s-key}"),
    "codex": Client("Codex", (".codex", "config.toml"), "mcp_servers"),
}


@click.command("connect")
@click.argument("client", type=click.Choice(list(_CLIENTS)))
@click.option("--write", is_flag=True, help="Write it into the client's file; other entries stay.")
@click.option(
    "--url", metavar="URL", help="A server over HTTP, e.g. http://127.0.0.1:8377/mcp, instead of stdio."
)
@click.option("--name", default="vivavoce", show_default=True, help="What the client calls the server.")
@limited
def command(client: str, write: bool, url: str | None, name: str, **limits: Any) -> None:
    """Print a client's configuration, or write it.

    For VS Code and Claude Code that is a file of the project in the current folder. A key is never
    written: over HTTP the client takes it from the variable VIVAVOCE_KEY. What limits the tools holds
    over stdio; a server over HTTP takes the same options where it is started.
    """
    if not name.strip() or not name.isprintable():
        raise InvalidInput("--name: must be one line of text.")
    known = _CLIENTS[client]
    path = _desktop_path() if client == "claude-desktop" else known.path()
    words = _limits(url, limits)
    entry = _local(known, words) if url is None else _remote(client, known, name, url)
    asked = _asked(client, name, url)
    text = _toml(name, entry) if client == "codex" else _json({known.section: {name: entry}, **asked})
    if not write:
        click.echo(text)
        click.echo(f"This belongs into {path}. Add --write to put it there.", err=True)
        return
    if client == "codex":
        _put(path, name, text)
    else:
        _merge(path, known.section, name, entry, asked)
    click.echo(f"{known.title} finds {name!r} in {path}. Restart it, or reload its servers.")


def _limits(url: str | None, limits: dict[str, Any]) -> list[str]:
    """The words that limit the tools, looked over here because the client shows no complaint later."""
    words = words_of(**limits)
    if words and url is not None:
        raise click.UsageError(
            f"{words[0]} cannot be written for a server over HTTP: give it to vivavoce serve, "
            "or limit the key with vivavoce keys create NAME --scopes read."
        )
    if words:
        selection_of(**limits)
    return words


def _local(client: Client, limits: list[str]) -> Json:
    words = [*_program(), "mcp", *limits]
    entry: Json = {"type": "stdio"} if client.section == "servers" else {}
    entry |= {"command": words[0], "args": words[1:]}
    settings = Settings.read()
    places = {"database": str(settings.database.absolute()), "key_file": str(settings.key_file.absolute())}
    if settings.database_url:
        if _PASSWORD.search(settings.database_url):
            raise NotAvailable(
                "The password of the Postgres database would be written into the client's configuration.",
                hint="Leave it out of VIVAVOCE_DATABASE and keep it in ~/.pgpass, or run vivavoce serve and"
                " give its address with --url.",
            )
        places["database"] = settings.database_url
    return entry | {"env": {variable(name): place for name, place in places.items()}}


def _program() -> list[str]:
    """How to start this program again, also after a temporary environment has gone."""
    script = Path(sys.executable).with_name("vivavoce")
    if "/archive-v" in script.as_posix():  # made by uvx for this one run
        return ["uvx", "--from", "vivavoce[models]", "vivavoce"]
    return [str(script)] if script.exists() else [sys.executable, "-P", "-m", "vivavoce"]


def _remote(kind: str, client: Client, name: str, url: str) -> Json:
    if not url.startswith(("http://", "https://")) or not url.isprintable():
        raise InvalidInput("--url: must be a full http:// or https:// address.")
    if kind == "claude-desktop":
        raise NotAvailable(
            "Claude Desktop takes servers over HTTP from its own settings, under Connectors.",
            hint="Leave out --url to connect over stdio.",
        )
    if kind == "codex":
        return {"url": url, "bearer_token_env_var": _KEY}
    key = client.key.replace("%s", name)
    return {"type": "http", "url": url, "headers": {"Authorization": f"Bearer {key}"}}


def _asked(client: str, name: str, url: str | None) -> Json:
    """VS Code asks for the key of each server once and keeps it itself."""
    if client != "vscode" or url is None:
        return {}
    return {
        "inputs": [
            {
                "type": "promptString",
                "id": f"{name}-key",
                "description": f"API key of {name}",
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
    config[section] = {**config.get(section, {}), name: entry}
    for key, values in beside.items():
        known = config.get(key, [])
        if not isinstance(known, list) or not all(isinstance(value, dict) for value in known):
            raise Conflict(f"{path} has another shape than expected, so it was left alone.")
        ids = [value["id"] for value in values]
        config[key] = [*(value for value in known if value.get("id") not in ids), *values]
    _write(path, _json(config) + "\n")


def _put(path: Path, name: str, text: str) -> None:
    """Put the tables into the TOML file in place of those of the same name; the rest stays as it is."""
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        wanted = tomllib.loads(before)
    except (OSError, ValueError) as error:
        raise Conflict(f"{path} cannot be read as TOML, so it was left alone.") from error
    kept = _without(before, name).rstrip()
    after = f"{kept}\n\n{text}\n" if kept else f"{text}\n"
    try:
        wanted["mcp_servers"] = {**wanted.get("mcp_servers", {}), **tomllib.loads(text)["mcp_servers"]}
        is_sound = tomllib.loads(after) == wanted
    except (TypeError, ValueError):
        is_sound = False
    if not is_sound:
        raise Conflict(
            f"{path} has its servers in a form that cannot be changed here, so it was left alone.",
            hint="Run the command without --write and copy what it prints.",
        )
    _write(path, after)


def _without(text: str, name: str) -> str:
    """The TOML without the tables of one server. What comments the next table stays."""
    kept: list[str] = []
    comments: list[str] = []
    is_own = False
    for line in text.splitlines(keepends=True):
        table = _table(line)
        is_own = is_own if table is None else table[:2] == ["mcp_servers", name]
        if is_own and line.strip() and not line.lstrip().startswith("#"):
            comments = []
        elif is_own:
            comments.append(line)
        else:
            kept += [*comments, line]
            comments = []
    return "".join([*kept, *comments])


def _table(line: str) -> list[str] | None:
    """The path of the table that a line opens; None for a line that opens none."""
    try:
        node = tomllib.loads(line) if line.lstrip().startswith("[") else None
    except ValueError:
        return None
    if node is None:
        return None
    path = []
    while isinstance(node, dict) and node:
        ((key, node),) = node.items()
        path.append(key)
    return path


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
    lines = [f"[mcp_servers.{_quoted(name)}]"]
    lines += [f"{key} = {_quoted(value)}" for key, value in entry.items() if not isinstance(value, dict)]
    for key, table in entry.items():
        if isinstance(table, dict):
            lines += ["", f"[mcp_servers.{_quoted(name)}.{key}]"]
            lines += [f"{inner} = {_quoted(value)}" for inner, value in table.items()]
    return "\n".join(lines)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)  # TOML knows no pairs of surrogates
