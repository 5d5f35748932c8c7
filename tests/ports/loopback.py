"""Servers on loopback that answer what they are told, and names that lead where a test wants."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from httpcore2 import AsyncNetworkStream

from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.wires import dialed

PUBLIC = "93.184.215.14"
"""An address of the public internet. No test may really call it."""

Script = Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer(body: bytes = b"", status: int = 200, **headers: str) -> bytes:
    """An HTTP answer as it goes over the wire; `content_type` in Python is Content-Type there."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def redirect(location: str, status: int = 302) -> bytes:
    """An answer that sends on."""
    return answer(status=status, Location=location)


class Server:
    """Remembers who connected and what was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.answers: dict[str, bytes | Script] = {}
        self.connections = 0
        self.requests: list[str] = []

    @property
    def paths(self) -> list[str]:
        return [request.split(" ")[1] for request in self.requests]

    def header(self, name: str) -> str | None:
        """What the last request said under this name."""
        for line in self.requests[-1].split("\r\n")[1:]:
            key, _, value = line.partition(": ")
            if key.lower() == name.lower():
                return value
        return None

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                self.requests.append(head)
                length = self.header("content-length")
                if length is not None:
                    self.requests[-1] += (await reader.readexactly(int(length))).decode("latin-1")
                said = self.answers.get(head.split(" ")[1], answer(status=404))
                if isinstance(said, bytes):
                    writer.write(said)
                    await writer.drain()
                else:
                    await said(writer)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(context: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """A server on a free port of loopback, for as long as the block runs."""
    server = Server()
    talking: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talking.add(asyncio.ensure_future(server.talk(reader, writer)))

    listener = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)
        await listener.wait_closed()


@asynccontextmanager
async def closing(egress: Egress) -> AsyncIterator[Egress]:
    """The egress, closed at the end of the block."""
    try:
        yield egress
    finally:
        await egress.close()


class Names:
    """A resolver that says what it is told; with every look-up of a name, the next of its answers."""

    def __init__(self, answers: dict[str, Sequence[Sequence[str]]]) -> None:
        self._answers = {name: list(told) for name, told in answers.items()}
        self.asked: list[str] = []

    def tell(self, name: str, addresses: Sequence[str]) -> None:
        self._answers[name] = [addresses]

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        told = self._answers[host]
        return told.pop(0) if len(told) > 1 else told[0]


class Switchboard:
    """Opens every connection on loopback: to our server where the address is known, or else to the canary."""

    def __init__(self, canary: Server, known: dict[str, Server]) -> None:
        self._canary = canary
        self._known = known
        self.dialed: list[tuple[str, int]] = []

    async def __call__(self, address: str, port: int, timeout: float | None) -> AsyncNetworkStream:
        self.dialed.append((address, port))
        server = self._known.get(address, self._canary)
        return await dialed("127.0.0.1", server.port, timeout)


FORBIDDEN_HOSTS = (
    "127.0.0.1",
    "127.0.0.1.",
    "localhost",
    "localhost.",
    "0.0.0.0",
    "0",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.0x1",
    "\u2460\u2461\u2466.0.0.1",
    "\uff11\uff12\uff17.0.0.1",
    "127\u30020\u30020\u30021",
    "127.0.0.1.nip.io",
    "loopback.example",
    "mapped.example",
    "mixed.example",
    "mixed-last.example",
    "metadata.example",
    "b\u00fccher.example",
    "[::]",
    "[::1]",
    "[::1%lo]",
    "[::1%25lo]",
    "[fe80::1%eth0]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:0:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2606:4700::5efe:10.0.0.1]",
    "[fe80::5efe:127.0.0.1]",
    "[fe80::1]",
    "[fec0::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[5f00::1]",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
)
"""Hosts that lead inside, or that programs read in different ways."""

FORBIDDEN_URLS = (
    *(f"http://{host}/" for host in FORBIDDEN_HOSTS),
    "https://127.0.0.1/",
    "http://user:pw@127.0.0.1/",
    "http://user@public.example/",
    "http://public.example:80@127.0.0.1/",
    "http://public.example\\@127.0.0.1/",
    "http://127.0.0.1\\.public.example/",
    "http://127.0.0.1\t.public.example/",
    "http://127.0.0.1\n.public.example/",
    "http://public.example /",
    "http://%31%32%37.0.0.1/",
    "http://127.0.0.1%2f.public.example/",
    "http://[::1].public.example/",
    "http://public..example/",
    "http://public.example:0/",
    "http://public.example:22/",
    "http://public.example:25/",
    "http://public.example:6379/",
    "http://public.example:99999/",
    "http://public.example:-80/",
    "http://public.example:\uff18\uff10/",
    "http:///127.0.0.1/",
    "gopher://127.0.0.1/",
    "file:///etc/passwd",
    "ftp://public.example/",
    "javascript:alert(1)",
)
"""Addresses that nothing may be sent to."""


def lying_names() -> Names:
    """What the names among the forbidden hosts resolve to, and one good name."""
    return Names(
        {
            "public.example": [[PUBLIC]],
            "localhost": [["127.0.0.1", "::1"]],
            "127.0.0.1.nip.io": [["127.0.0.1"]],
            "loopback.example": [["127.0.0.1"]],
            "mapped.example": [["::ffff:127.0.0.1"]],
            "mixed.example": [[PUBLIC, "127.0.0.1"]],
            "mixed-last.example": [["10.0.0.1", PUBLIC]],
            "metadata.example": [["169.254.169.254"]],
            "xn--bcher-kva.example": [["127.0.0.1"]],
        }
    )
