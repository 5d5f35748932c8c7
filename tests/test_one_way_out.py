"""Nothing but adapters/egress opens connections to others: there is no way around the checks in it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import vivavoce

SOURCE = Path(vivavoce.__file__).parent
EGRESS = SOURCE / "adapters" / "egress"

CLIENTS = frozenset(
    {
        "aiohttp",
        "ftplib",
        "h11",
        "http.client",
        "httpcore",
        "httpcore2",
        "httplib2",
        "httpx",
        "httpx2",
        "imaplib",
        "nntplib",
        "poplib",
        "pycurl",
        "requests",
        "smtplib",
        "socket",
        "telnetlib",
        "urllib.request",
        "urllib3",
        "websocket",
        "websockets",
        "xmlrpc.client",
    }
)
"""Modules with which a connection can be opened."""

CALLS = frozenset(
    {
        "connect_tcp",
        "create_connection",
        "create_datagram_endpoint",
        "create_connected_udp_socket",
        "getaddrinfo",
        "open_connection",
        "sock_connect",
    }
)
"""What asyncio and anyio open connections with."""

REASONS = {
    ("hosted/connections.py", "httpcore2"): "calls the one service that the operator's key is for",
    ("hosted/connections.py", "httpx2"): "writes forms for it and unfolds its answers, and never connects",
    ("surfaces/cli/doctor.py", "http.client"): "asks our own server on this machine whether it is well",
    ("surfaces/cli/serve.py", "socket"): "listens, and never connects",
}
"""Where else one of them stands, and why that is no way out. Postgres speaks a protocol of its own."""


def test_nothing_else_can_open_a_connection():
    found = {
        (path.relative_to(SOURCE).as_posix(), name)
        for path in SOURCE.rglob("*.py")
        if not path.is_relative_to(EGRESS)
        for name in ways_out(path.read_text(encoding="utf-8"))
    }

    assert found == set(REASONS)


@pytest.mark.parametrize(
    "code",
    [
        "import httpx2",
        "import httpx2 as polite",
        "import httpx2._client",
        "from httpx2 import AsyncClient",
        "import urllib.request",
        "from urllib import request",
        "from urllib.request import urlopen",
        "from http import client",
        "def f():\n    import socket",
        "if TYPE_CHECKING:\n    from requests import Session",
        "import importlib\nimportlib.import_module('aiohttp')",
        "__import__('socket')",
        "await asyncio.open_connection(host, port)",
        "from anyio import connect_tcp",
        "await loop.create_connection(Protocol, host)",
    ],
)
def test_a_way_out_is_seen_however_it_is_written(code):
    assert list(ways_out(code)) != []


@pytest.mark.parametrize(
    "code",
    [
        "from urllib.parse import urlsplit",
        "from http import HTTPStatus",
        "import requests_of_ours",
        "'httpx2'",
    ],
)
def test_what_is_no_way_out_is_not_taken_for_one(code):
    assert list(ways_out(code)) == []


def ways_out(code: str) -> Iterator[str]:
    """The clients and calls that a module's code names."""
    for node in ast.walk(ast.parse(code)):
        for name in named(node):
            if name in CALLS:
                yield name
            yield from (client for client in CLIENTS if name == client or name.startswith(f"{client}."))


def named(node: ast.AST) -> Iterator[str]:
    """What a piece of code imports, or calls by a name that gives it away."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=str(module), names=names):
            yield module
            yield from (f"{module}.{alias.name}" for alias in names)
            yield from (alias.name for alias in names if alias.name in CALLS)
        case ast.Attribute(attr=name) if name in CALLS:
            yield name
        case ast.Call(
            func=ast.Name(id="__import__" | "import_module"), args=[ast.Constant(value=str(name)), *_]
        ):
            yield name
        case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
            yield name
