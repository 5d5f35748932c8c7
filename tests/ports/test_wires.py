"""Wires and the connections that are kept: what the HTTP library may rely on, over real sockets."""

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from httpcore2 import ConnectError, ReadError, ReadTimeout, WriteError, WriteTimeout

from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.wires import Wire, dialed
from vivavoce.errors import UpstreamFailed

from .loopback import answer, closing, serving

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
LARGE = 8 * 1024 * 1024
"""More than the sockets of both sides hold."""


@asynccontextmanager
async def listening(talk: Talk) -> AsyncIterator[int]:
    """Someone who talks like this to whoever comes; the port."""
    talking: set[asyncio.Task[None]] = set()

    async def to_its_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        finally:
            writer.transport.abort()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talking.add(asyncio.ensure_future(to_its_end(reader, writer)))

    listener = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield listener.sockets[0].getsockname()[1]
    finally:
        listener.close()
        for task in talking:
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)
        await listener.wait_closed()


@asynccontextmanager
async def wired(talk: Talk) -> AsyncIterator[Wire]:
    """A wire to someone who talks like this."""
    async with listening(talk) as port:
        wire = await dialed("127.0.0.1", port, 5)
        try:
            yield wire
        finally:
            await wire.aclose()


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say nothing until the other side goes."""
    await reader.read()


async def all_of(wire: Wire) -> bytes:
    """What comes until the end."""
    pieces = []
    while piece := await wire.read(65_536):
        pieces.append(piece)
    return b"".join(pieces)


async def test_what_comes_is_read_in_order_to_the_end():
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for number in range(100):
            writer.write(f"{number},".encode())
            await writer.drain()
        writer.write_eof()
        await reader.read()

    async with wired(speak) as wire:
        assert await wire.read(2) == b"0,"
        assert await all_of(wire) == b"".join(f"{number},".encode() for number in range(1, 100))
        assert await wire.read(10) == b""


async def test_who_reads_slowly_makes_the_other_side_wait():
    sent = 0

    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        while sent < 2 * LARGE:
            writer.write(b"x" * 65_536)
            await writer.drain()
            sent += 65_536
        writer.write_eof()
        await reader.read()

    async with wired(pour) as wire:
        first = await wire.read(1)
        before = -1
        while before != sent:  # until it does not get rid of any more
            before = sent
            await asyncio.sleep(0.1)
        assert sent < 2 * LARGE

        rest = await all_of(wire)

    assert len(first + rest) == 2 * LARGE


async def test_who_sends_more_than_is_read_waits_and_goes_on_when_it_is_read():
    may_read = asyncio.Event()
    heard: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await may_read.wait()
        heard.set_result(len(await reader.readexactly(LARGE)))

    async with wired(listen) as wire:
        sending = asyncio.create_task(wire.write(b"x" * LARGE))
        assert not (await asyncio.wait([sending], timeout=0.2))[0]

        may_read.set()

        await asyncio.wait_for(sending, 10)
        assert await asyncio.wait_for(heard, 10) == LARGE


async def test_nobody_waits_longer_than_agreed():
    async with wired(silent) as wire:
        with pytest.raises(ReadTimeout):
            await wire.read(10, timeout=0.05)

    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with wired(deaf) as wire:
        with pytest.raises(WriteTimeout):
            await wire.write(b"x" * LARGE, timeout=0.05)


async def test_a_wire_that_is_torn_is_a_failure_for_who_reads_and_who_writes():
    async def tear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
        )  # so that it is reset, not ended

    async with wired(tear) as wire:
        with pytest.raises(ReadError):
            await wire.read(10, timeout=5)
        with pytest.raises(WriteError):
            await wire.write(b"x")


async def test_who_does_not_speak_tls_is_refused_and_left():
    gone = asyncio.Event()

    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
        await reader.read()
        gone.set()

    async with wired(plain) as wire:
        with pytest.raises(ConnectError) as failure:
            await wire.start_tls(ssl.create_default_context(), "public.example", timeout=5)
        assert isinstance(failure.value.args[0], ssl.SSLError)
        await asyncio.wait_for(gone.wait(), 5)


async def test_a_request_leaves_in_one_packet():
    packets: list[bytes] = []

    async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while packet := await reader.read(65_536):
            packets.append(packet)
            writer.write(answer(b"heard"))

    async with listening(note) as port, closing(Egress(allow=[f"127.0.0.1:{port}"])) as egress:
        for method, content in (("POST", b"a body"), ("POST", b"ends like a head\r\n\r\n"), ("GET", None)):
            packets.clear()

            said = await egress.request(method, f"http://127.0.0.1:{port}/", content=content)

            assert said.body == b"heard"
            assert packets[0].startswith(method.encode())
            assert packets[0].endswith(b"\r\n\r\n" + (content or b""))


async def test_a_connection_that_the_server_ends_while_nobody_asks_is_not_used_again():
    async def once(writer) -> None:
        writer.write(answer(b"hello"))
        await writer.drain()
        writer.close()
        raise ConnectionError

    async with serving() as server, closing(Egress(allow=[f"127.0.0.1:{server.port}"])) as egress:
        server.answers["/"] = once
        for _ in range(3):
            assert (await egress.request("GET", f"http://127.0.0.1:{server.port}/")).body == b"hello"
            await asyncio.sleep(0.05)

    assert server.connections == 3


async def test_no_more_connections_wait_to_be_used_than_may_be_used_at_once():
    async with serving() as one, serving() as two, serving() as three:
        allow = [f"127.0.0.1:{server.port}" for server in (one, two, three)]
        for server in (one, two, three):
            server.answers["/"] = answer(b"hello")
        async with closing(Egress(allow=allow, at_once=2)) as egress:
            for address in (*allow, *reversed(allow)):
                await egress.request("GET", f"http://{address}/")

            # The first was let go for the third, which with the second waited to be used again.
            assert [server.connections for server in (one, two, three)] == [2, 1, 1]


async def test_a_connection_whose_answer_was_left_early_is_not_used_again():
    async def long(writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nfirst")

    async with serving() as server, closing(Egress(allow=[f"127.0.0.1:{server.port}"])) as egress:
        server.answers |= {"/long": long, "/": answer(b"hello")}
        async with egress.stream("GET", f"http://127.0.0.1:{server.port}/long") as opened:
            async for piece in opened.pieces:
                assert piece == b"first"
                break

        assert (await egress.request("GET", f"http://127.0.0.1:{server.port}/")).body == b"hello"
        assert server.connections == 2


async def test_who_goes_away_while_a_connection_is_opened_leaves_room_for_others():
    async with serving() as server:
        server.answers["/"] = answer(b"hello")
        stuck = asyncio.Event()

        async def dial(address: str, port: int, seconds: float | None) -> Wire:
            if not stuck.is_set():
                stuck.set()
                await asyncio.Event().wait()
            return await dialed("127.0.0.1", server.port, seconds)

        async with closing(Egress(allow=["127.0.0.1:80"], dial=dial, at_once=1)) as egress:
            first = asyncio.create_task(egress.request("GET", "http://127.0.0.1/"))
            await stuck.wait()
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first

            assert (await asyncio.wait_for(egress.request("GET", "http://127.0.0.1/"), 5)).body == b"hello"


async def test_an_answer_that_is_torn_off_after_its_head_is_a_failure_and_the_next_call_works():
    async def torn(writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
        await writer.drain()
        writer.transport.abort()
        raise ConnectionError

    async with serving() as server, closing(Egress(allow=[f"127.0.0.1:{server.port}"])) as egress:
        server.answers |= {"/torn": torn, "/": answer(b"hello")}
        with pytest.raises(UpstreamFailed, match="broke off"):
            await egress.request("GET", f"http://127.0.0.1:{server.port}/torn")

        assert (await egress.request("GET", f"http://127.0.0.1:{server.port}/")).body == b"hello"


async def test_an_answer_that_nobody_reads_in_time_leaves_no_connection_behind():
    gone = 0

    async def long(writer) -> None:
        nonlocal gone
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nfirst")
        await writer.drain()
        try:
            while True:
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.01)
        finally:
            gone += 1

    async with serving() as server, closing(Egress(allow=[f"127.0.0.1:{server.port}"])) as egress:
        server.answers["/"] = long
        for _ in range(3):
            with pytest.raises(UpstreamFailed, match="took longer"):
                async with egress.stream(
                    "GET", f"http://127.0.0.1:{server.port}/", within=Bounds(timeout=0.1)
                ):
                    await asyncio.sleep(5)  # without a look at what comes
        for _ in range(200):
            await asyncio.sleep(0.01)
            if gone == 3:
                break

        assert (server.connections, gone) == (3, 3)


async def test_a_connection_that_ended_while_the_event_loop_was_busy_is_not_used_again():
    may_end, has_ended = threading.Event(), threading.Event()

    def talk(listener: socket.socket) -> None:
        for _ in range(2):
            connected, _ = listener.accept()
            connected.recv(65_536)
            connected.sendall(answer(b"hello"))
            may_end.wait(5)
            connected.close()
            has_ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)  # nobody waits for ever where the same connection is used again
        talking = threading.Thread(target=talk, args=(listener,), daemon=True)
        talking.start()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        async with closing(Egress(allow=[address])) as egress:
            assert (await egress.request("POST", f"http://{address}/", content=b"one")).body == b"hello"
            may_end.set()
            assert has_ended.wait(5)  # and the event loop with us

            assert (await egress.request("POST", f"http://{address}/", content=b"two")).body == b"hello"
        talking.join(5)


async def test_a_call_that_ends_after_the_egress_was_closed_leaves_no_connection_behind():
    may_answer, gone = asyncio.Event(), asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await may_answer.wait()
        writer.write(answer(b"hello"))
        await reader.read()
        gone.set()

    async with listening(talk) as port:
        egress = Egress(allow=[f"127.0.0.1:{port}"])
        called = asyncio.create_task(egress.request("GET", f"http://127.0.0.1:{port}/"))
        while "_connections" not in egress.__dict__:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        await egress.close()
        may_answer.set()

        assert (await called).body == b"hello"
        await asyncio.wait_for(gone.wait(), 5)
