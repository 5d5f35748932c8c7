"""What the one way out to the network promises: where it goes, what it takes along and when it gives up."""

import asyncio
import gzip
import ssl
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from httpcore2 import AsyncNetworkStream, ConnectError

from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.places import opening
from vivavoce.adapters.egress.wires import dialed
from vivavoce.errors import InvalidInput, UpstreamFailed

from .loopback import (
    FORBIDDEN_HOSTS,
    FORBIDDEN_URLS,
    PUBLIC,
    Names,
    Server,
    Switchboard,
    answer,
    closing,
    lying_names,
    redirect,
    serving,
)

ANY_PORT = Bounds(ports=range(1, 65536))
METADATA = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192"]
METADATA6 = [
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
]


@pytest.fixture
def switchboard(canary, front) -> Switchboard:
    return Switchboard(canary, {PUBLIC: front})


@pytest.fixture
async def egress(switchboard) -> AsyncIterator[Egress]:
    """An egress without any allowance, whose connections all end on loopback."""
    egress = Egress(resolve=lying_names(), dial=switchboard)
    yield egress
    await egress.close()


@pytest.fixture
async def allowed(front) -> AsyncIterator[Egress]:
    """An egress that may talk to the front server where it really is."""
    egress = Egress(allow=[f"127.0.0.1:{front.port}"])
    yield egress
    await egress.close()


# Where it goes


@pytest.mark.parametrize("url", FORBIDDEN_URLS)
async def test_a_forbidden_address_is_refused_before_anything_is_dialed(egress, switchboard, url):
    with pytest.raises(InvalidInput):
        await egress.request("GET", url)

    assert switchboard.dialed == []


@pytest.mark.parametrize("host", FORBIDDEN_HOSTS)
async def test_a_forbidden_host_stays_so_on_every_port(canary, host):
    async with closing(Egress(resolve=lying_names())) as egress:
        with pytest.raises(InvalidInput):
            await egress.request("GET", f"http://{host}:{canary.port}/", within=ANY_PORT)

    assert canary.connections == 0


@pytest.mark.parametrize("url", FORBIDDEN_URLS)
async def test_a_redirect_leads_to_no_forbidden_address(egress, front, switchboard, url):
    front.answers["/"] = redirect(url)

    with pytest.raises((InvalidInput, UpstreamFailed)):
        await egress.request("GET", "http://public.example/")

    assert set(switchboard.dialed) == {(PUBLIC, 80)}


@pytest.mark.parametrize(
    "location",
    ["//127.0.0.1", "//127.0.0.1/", "///127.0.0.1/", "http:\\\\127.0.0.1", "/\t/127.0.0.1", "/a\tb", "/a b"],
)
async def test_a_redirect_that_programs_read_in_different_ways_is_refused(egress, front, canary, location):
    front.answers["/"] = redirect(location)

    with pytest.raises(InvalidInput):
        await egress.request("GET", "http://public.example/")

    assert front.paths == ["/"]
    assert canary.connections == 0


async def test_a_name_that_turns_inside_between_two_requests_is_refused_then(switchboard, front, canary):
    front.answers["/"] = answer(b"hello", Connection="close")
    names = Names({"flip.example": [[PUBLIC], ["127.0.0.1"]]})
    async with closing(Egress(resolve=names, dial=switchboard)) as egress:
        assert (await egress.request("GET", "http://flip.example/")).body == b"hello"
        with pytest.raises(InvalidInput, match="private network"):
            await egress.request("GET", "http://flip.example/")

    assert names.asked == ["flip.example", "flip.example"]
    assert canary.connections == 0


async def test_the_address_that_was_checked_is_the_one_that_is_dialed(switchboard, front):
    front.answers["/"] = answer(b"hello")
    names = Names({"flip.example": [[PUBLIC], ["127.0.0.1"]]})
    async with closing(Egress(resolve=names, dial=switchboard)) as egress:
        await egress.request("GET", "http://flip.example/")

    assert (names.asked, switchboard.dialed) == (["flip.example"], [(PUBLIC, 80)])
    assert front.header("host") == "flip.example"


@pytest.mark.parametrize("said", ["", "nonsense", "127.0.0.1:80", "::1]"])
async def test_an_answer_that_is_no_address_is_refused(switchboard, said):
    async with closing(Egress(resolve=Names({"odd.example": [[said]]}), dial=switchboard)) as egress:
        with pytest.raises(InvalidInput):
            await egress.request("GET", "http://odd.example/")

    assert switchboard.dialed == []


@pytest.mark.parametrize(
    "address", [PUBLIC, "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8"]
)
async def test_public_addresses_are_dialed(canary, address):
    dialing = Switchboard(canary, {})
    canary.answers["/"] = answer(b"hello")
    async with closing(Egress(resolve=Names({"public.example": [[address]]}), dial=dialing)) as egress:
        assert (await egress.request("GET", "http://public.example/")).status == 200

    assert len(dialing.dialed) == 1


async def test_the_next_address_is_tried_where_one_does_not_answer(front):
    called = []

    async def dial(address: str, port: int, timeout: float | None) -> AsyncNetworkStream:
        called.append(address)
        if address != PUBLIC:
            raise ConnectError
        return await dialed("127.0.0.1", front.port, timeout)

    front.answers["/"] = answer(b"hello")
    names = Names({"two.example": [["2606:4700::1111", PUBLIC]]})
    async with closing(Egress(resolve=names, dial=dial)) as egress:
        assert (await egress.request("GET", "http://two.example/")).body == b"hello"

    assert called == ["2606:4700::1111", PUBLIC]


async def test_the_names_of_the_system_are_checked_like_all_others(front):
    front.answers["/"] = answer(b"inside")
    url = f"http://localhost:{front.port}/"
    async with closing(Egress()) as egress:
        with pytest.raises(InvalidInput, match="private network"):
            await egress.request("GET", url, within=ANY_PORT)
    assert front.connections == 0

    async with closing(Egress(allow=[f"localhost:{front.port}"])) as egress:
        assert (await egress.request("GET", url)).body == b"inside"


async def test_a_name_that_nobody_knows_is_a_failure(switchboard):
    async with closing(Egress(resolve=Names({"nowhere.example": [[]]}), dial=switchboard)) as egress:
        with pytest.raises(UpstreamFailed, match="cannot be found"):
            await egress.request("GET", "http://nowhere.example/")


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"])
async def test_a_proxy_of_the_environment_is_not_used(monkeypatch, egress, front, canary, name):
    monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
    front.answers["/"] = answer(b"hello")

    assert (await egress.request("GET", "http://public.example/")).body == b"hello"
    assert canary.connections == 0


# What the operator allows


async def test_an_allowed_host_and_port_is_reached_and_nothing_beside_it(front, canary):
    front.answers["/"] = answer(b"inside")
    names = Names({"ollama.internal": [["127.0.0.1"]], "other.internal": [["127.0.0.1"]]})
    async with closing(Egress(allow=[f"Ollama.Internal:{front.port}"], resolve=names)) as egress:
        said = await egress.request("GET", f"http://ollama.internal:{front.port}/")
        for elsewhere in (
            f"ollama.internal:{canary.port}",
            f"other.internal:{front.port}",
            f"127.0.0.1:{front.port}",
        ):
            with pytest.raises(InvalidInput):
                await egress.request("GET", f"http://{elsewhere}/", within=ANY_PORT)

    assert said.body == b"inside"
    assert (front.connections, canary.connections) == (1, 0)


async def test_what_is_allowed_does_not_open_the_way_for_a_redirect_beside_it(allowed, front, canary):
    front.answers["/"] = redirect(f"http://127.0.0.1:{canary.port}/")

    with pytest.raises(InvalidInput):
        await allowed.request("GET", f"http://127.0.0.1:{front.port}/", within=ANY_PORT)

    assert canary.connections == 0


@pytest.mark.parametrize("address", [*METADATA, *METADATA6])
async def test_where_a_cloud_answers_its_machines_is_refused_even_when_allowed(switchboard, address):
    host = f"[{address}]" if ":" in address else address
    names = Names({"named.example": [[address]]})
    async with closing(
        Egress(allow=[f"{host}:80", "named.example:80"], resolve=names, dial=switchboard)
    ) as egress:
        for url in (f"http://{host}/", "http://named.example/"):
            with pytest.raises(InvalidInput) as refused:
                await egress.request("GET", url)
            assert refused.value.hint == "Use a public address."

    assert switchboard.dialed == []


@pytest.mark.parametrize(
    ("host", "within"), [("[::1]", Bounds()), ("[::1]", ANY_PORT), ("127.0.0.1", ANY_PORT)]
)
async def test_an_address_that_is_refused_says_where_an_operator_allows_it(host, within):
    async with closing(Egress(setting="VIVAVOCE_FILE_ADDRESSES")) as egress:
        with pytest.raises(InvalidInput) as refused:
            await egress.request("GET", f"http://{host}:8080/", within=within)

    entry = f"{host}:8080"
    assert refused.value.hint.endswith(f" an operator can allow {entry} in VIVAVOCE_FILE_ADDRESSES.")
    assert opening(entry) == (host.strip("[]"), 8080)


async def test_an_ipv6_address_is_allowed_in_brackets(switchboard, canary):
    canary.answers["/"] = answer(b"inside")
    async with closing(Egress(allow=["[0:0::1]:8080"], dial=switchboard)) as egress:
        assert (await egress.request("GET", "http://[::1]:8080/")).body == b"inside"

    assert switchboard.dialed == [("::1", 8080)]
    assert canary.header("host") == "[::1]:8080"


@pytest.mark.parametrize(
    "entry",
    ["", "localhost", "localhost:", "localhost:0", "::1:80", "http://a:80", "a:80/", "*:80", "127.1:80"],
)
def test_an_allowance_that_names_no_host_and_port_is_refused(entry):
    with pytest.raises(InvalidInput, match="host and a port"):
        Egress(allow=[entry])


# What it takes along


async def test_credentials_stay_with_the_server_that_they_are_for(front, switchboard):
    headers = {
        "Authorization": "Bearer s3cret",
        "Cookie": "s3cret",
        "X-Api-Key": "s3cret",
        "Accept": "text/html",
    }
    front.answers["/"] = redirect("/same")
    front.answers["/same"] = redirect("http://other.example/there")
    front.answers["/there"] = answer(b"hello")
    names = Names({"public.example": [[PUBLIC]], "other.example": [[PUBLIC]]})
    async with closing(Egress(resolve=names, dial=switchboard)) as egress:
        await egress.request("GET", "http://public.example/", headers=headers)

    assert front.paths == ["/", "/same", "/there"]
    assert ["s3cret" in request for request in front.requests] == [True, True, False]
    assert front.header("accept") == "text/html"


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
async def test_a_redirect_keeps_or_drops_the_body_as_its_status_says(egress, front, status, method):
    front.answers["/"] = redirect("/next", status)
    front.answers["/next"] = answer(b"hello")

    said = await egress.request(
        "POST", "http://public.example/", content=b"{}", headers={"Content-Type": "x/y"}
    )

    assert said.url == "http://public.example/next"
    assert front.requests[-1].startswith(f"{method} /next ")
    assert front.requests[-1].endswith("{}") is (method == "POST")
    assert (front.header("content-type") is None) is (method == "GET")


async def test_a_body_is_not_sent_on_to_another_server(front, switchboard):
    front.answers["/"] = redirect("http://other.example/there", 307)
    names = Names({"public.example": [[PUBLIC]], "other.example": [[PUBLIC]]})
    async with closing(Egress(resolve=names, dial=switchboard)) as egress:
        with pytest.raises(UpstreamFailed, match=r"other\.example"):
            await egress.request("POST", "http://public.example/", content=b"secret")

    assert front.paths == ["/"]


@pytest.mark.parametrize(
    "name", ["Host", "content-length", "Transfer-Encoding", "Connection", "Proxy-Authorization"]
)
async def test_headers_that_say_how_a_call_travels_cannot_be_set(egress, switchboard, name):
    with pytest.raises(InvalidInput, match=name):
        await egress.request("GET", "http://public.example/", headers={name: "127.0.0.1"})

    assert switchboard.dialed == []


@pytest.mark.parametrize(
    "headers", [{"X-A": "a\r\nHost: b"}, {"X-A\r\nB": "c"}, {"X A": "b"}, {"X-\u00e9": "b"}]
)
async def test_a_header_cannot_smuggle_another(egress, front, headers):
    with pytest.raises(InvalidInput):
        await egress.request("GET", "http://public.example/", headers=headers)

    assert front.requests == []


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "GET / HTTP/1.1\r\n", ""])
async def test_a_method_that_is_none_for_us_is_refused(egress, front, method):
    with pytest.raises(InvalidInput):
        await egress.request(method, "http://public.example/")

    assert front.requests == []


async def test_more_than_three_redirects_are_not_followed(egress, front):
    for number in range(5):
        front.answers[f"/{number}"] = redirect(f"/{number + 1}")

    with pytest.raises(UpstreamFailed, match="more than 3 times"):
        await egress.request("GET", "http://public.example/0")

    assert front.paths == ["/0", "/1", "/2", "/3"]


async def test_a_redirect_is_an_answer_where_none_is_to_be_followed(egress, front):
    front.answers["/"] = redirect("/next")

    said = await egress.request("POST", "http://public.example/", within=Bounds(redirects=0))

    assert (said.status, said.headers["location"]) == (302, "/next")


# How much and how long


async def test_a_body_is_cut_where_it_is_larger_than_asked_for(egress, front):
    front.answers["/"] = answer(b"0123456789")

    cut = await egress.request("GET", "http://public.example/", within=Bounds(max_bytes=9))
    whole = await egress.request("GET", "http://public.example/", within=Bounds(max_bytes=10))

    assert (cut.body, cut.is_cut) == (b"012345678", True)
    assert (whole.body, whole.is_cut) == (b"0123456789", False)


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", gzip.compress(b"hello" * 1000, mtime=0)),
        ("x-gzip", gzip.compress(b"hello" * 500, mtime=0) + gzip.compress(b"hello" * 500, mtime=0)),
        ("deflate", zlib.compress(b"hello" * 1000)),
        ("deflate", zlib.compress(b"hello" * 1000, wbits=-15)),
        ("identity", b"hello" * 1000),
    ],
)
async def test_a_compressed_body_is_unpacked(egress, front, encoding, packed):
    front.answers["/"] = answer(packed, Content_Encoding=encoding)

    said = await egress.request("GET", "http://public.example/")

    assert (said.body, said.is_cut) == (b"hello" * 1000, False)
    assert front.header("accept-encoding") == "gzip"


@pytest.mark.parametrize("wbits", [31, 15, -15])
async def test_a_bomb_is_cut_without_being_unpacked(egress, front, wbits):
    bomb = zlib.compress(bytes(200_000_000), level=1, wbits=wbits)
    front.answers["/"] = answer(bomb, Content_Encoding="gzip" if wbits == 31 else "deflate")

    async with egress.stream("GET", "http://public.example/") as opened:
        sizes = [len(piece) async for piece in opened.pieces]

    assert (sum(sizes), opened.is_cut) == (1_000_000, True)
    assert max(sizes) <= 256 * 1024


async def test_a_stream_that_never_holds_anything_is_cut(egress, front):
    packing = zlib.compressobj(wbits=31)
    nothing = packing.flush(zlib.Z_FULL_FLUSH) + b"\x00\x00\x00\xff\xff" * 100_000
    front.answers["/"] = answer(nothing, Content_Encoding="gzip")

    said = await egress.request("GET", "http://public.example/", within=Bounds(max_bytes=1000))

    assert (said.body, said.is_cut) == (b"", True)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress"])
async def test_an_encoding_that_was_not_asked_for_is_a_failure(egress, front, encoding):
    front.answers["/"] = answer(b"hello", Content_Encoding=encoding)

    with pytest.raises(UpstreamFailed, match="encoding"):
        await egress.request("GET", "http://public.example/")


@pytest.mark.parametrize("packed", [b"no gzip at all", gzip.compress(b"hello" * 1000, mtime=0)[:-12]])
async def test_a_damaged_body_is_a_failure(egress, front, packed):
    front.answers["/"] = answer(packed, Content_Encoding="gzip")

    with pytest.raises(UpstreamFailed, match="decompressed"):
        await egress.request("GET", "http://public.example/")


async def test_a_server_that_answers_drop_by_drop_does_not_hold_us_longer_than_agreed(egress, front):
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.01)

    front.answers["/"] = drip

    with anyio.fail_after(5), pytest.raises(UpstreamFailed, match=r"longer than 0\.3 seconds"):
        await egress.request("GET", "http://public.example/", within=Bounds(timeout=0.3))


async def test_a_server_that_says_nothing_does_not_hold_us_longer_than_agreed(egress, front):
    async def wait(_: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    front.answers["/"] = wait

    with anyio.fail_after(5), pytest.raises(UpstreamFailed, match="longer than"):
        await egress.request("GET", "http://public.example/", within=Bounds(timeout=0.2))


async def test_a_name_server_that_says_nothing_does_not_hold_us_longer_than_agreed(switchboard):
    async def resolve(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    async with closing(Egress(resolve=resolve, dial=switchboard)) as egress:
        with anyio.fail_after(5), pytest.raises(UpstreamFailed, match="does not answer"):
            await egress.request("GET", "http://public.example/", within=Bounds(connect=0.1))


async def test_a_connection_that_breaks_off_is_a_failure(egress, front):
    async def break_off(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
        raise ConnectionError

    front.answers["/"] = break_off

    with pytest.raises(UpstreamFailed, match="broke off"):
        await egress.request("GET", "http://public.example/")


async def test_what_is_no_http_is_a_failure(egress, front):
    front.answers["/"] = b"SSH-2.0-OpenSSH_9.6\r\n\r\n"

    with pytest.raises(UpstreamFailed, match="broke off"):
        await egress.request("GET", "http://public.example/")


async def test_endless_headers_are_a_failure(egress, front):
    front.answers["/"] = b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100_000

    with pytest.raises(UpstreamFailed):
        await egress.request("GET", "http://public.example/")


async def test_a_port_where_nobody_listens_is_a_failure(front):
    async with serving() as gone:
        port = gone.port
    async with closing(Egress(allow=[f"127.0.0.1:{port}"])) as egress:
        with pytest.raises(UpstreamFailed, match="does not accept connections"):
            await egress.request("GET", f"http://127.0.0.1:{port}/")


async def test_an_error_says_nothing_of_the_path_and_the_query(egress, front):
    front.answers["/s3cret?key=s3cret"] = b"nonsense\r\n\r\n"

    with pytest.raises(UpstreamFailed) as failure:
        await egress.request(
            "GET", "http://public.example/s3cret?key=s3cret", headers={"Authorization": "s3cret"}
        )

    assert "s3cret" not in str(failure.value)
    assert "http://public.example" in str(failure.value)
    assert failure.value.__cause__ is None


async def test_no_more_requests_are_under_way_at_once_than_agreed(front, switchboard):
    under_way = 0
    most = 0

    async def count(writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(20):
            await asyncio.sleep(0)
        under_way -= 1
        writer.write(answer(b"hello"))

    front.answers["/"] = count
    async with (
        closing(Egress(resolve=lying_names(), dial=switchboard, at_once=3)) as egress,
        anyio.create_task_group() as group,
    ):
        for _ in range(12):
            group.start_soon(egress.request, "GET", "http://public.example/")

    assert (most, len(front.requests)) == (3, 12)


# How it talks


async def test_a_crowd_of_calls_is_under_way_at_once_and_few_connections_serve_those_that_follow(front):
    crowd, together = 40, asyncio.Barrier(40)

    async def once_all_are_here(writer: asyncio.StreamWriter) -> None:
        await together.wait()
        writer.write(answer(b"said"))

    front.answers |= {"/together": once_all_are_here, "/alone": answer(b"said")}
    egress = Egress(allow=[f"127.0.0.1:{front.port}"], at_once=crowd)
    async with closing(egress), asyncio.timeout(20):
        url = f"http://127.0.0.1:{front.port}"
        asked = [egress.request("GET", f"{url}/together") for _ in range(crowd)]
        assert {each.body for each in await asyncio.gather(*asked)} == {b"said"}
        assert front.connections == crowd
        for _ in range(crowd):
            await egress.request("GET", f"{url}/alone")
        assert front.connections == crowd


async def test_who_waits_takes_the_next_connection_that_is_free_whichever_it_is(front):
    held, crowd = asyncio.Event(), 20
    arrived = asyncio.Semaphore(0)

    async def once_let_go(writer: asyncio.StreamWriter) -> None:
        arrived.release()
        await held.wait()
        writer.write(answer(b"held"))

    front.answers |= {"/held": once_let_go, "/alone": answer(b"alone")}
    async with (
        closing(Egress(allow=[f"127.0.0.1:{front.port}"], at_once=crowd)) as egress,
        asyncio.timeout(20),
    ):
        url = f"http://127.0.0.1:{front.port}"
        asked = [asyncio.create_task(egress.request("GET", f"{url}/held")) for _ in range(crowd)]
        for _ in range(crowd):
            await arrived.acquire()
        waiting = [asyncio.create_task(egress.request("GET", f"{url}/alone")) for _ in range(8)]
        asked.pop().cancel()  # one connection is free now: that of the last one

        assert {(await each).body for each in waiting} == {b"alone"}
        held.set()
        assert {(await each).body for each in asked} == {b"held"}


async def test_one_connection_serves_two_requests(allowed, front):
    front.answers["/"] = answer(b"hello")

    for _ in range(2):
        assert (await allowed.request("GET", f"http://127.0.0.1:{front.port}/")).body == b"hello"

    assert (front.connections, len(front.requests)) == (1, 2)


async def test_a_body_is_sent_and_headers_come_back_in_small_letters(egress, front):
    front.answers["/a?b=%C3%A9"] = answer(b"{}", 201, X_Many="1", x_many="2", Content_Type="application/json")

    said = await egress.request(
        "post", "http://public.example/a?b=\u00e9#c", content=b"[1]", headers={"X-Word": "\u00e9"}
    )

    assert said.status == 201
    assert said.url == "http://public.example/a?b=%C3%A9"
    assert (said.headers["content-type"], said.headers["x-many"]) == ("application/json", "1, 2")
    assert front.requests[-1].endswith("[1]")
    assert front.header("x-word") == "\u00e9".encode().decode("latin-1")


async def test_a_name_in_another_script_is_asked_for_as_the_name_system_knows_it(front, switchboard):
    front.answers["/"] = answer(b"hello")
    async with closing(
        Egress(resolve=Names({"xn--mller-kva.example": [[PUBLIC]]}), dial=switchboard)
    ) as egress:
        await egress.request("GET", "http://M\u00fcller.example/")

    assert front.header("host") == "xn--mller-kva.example"


async def test_a_stream_gives_each_piece_when_it_comes(egress, front):
    more = asyncio.Event()

    async def speak(writer: asyncio.StreamWriter) -> None:
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: 1\n\n"
        )
        await writer.drain()
        await more.wait()
        writer.write(b"data: 2\n\n")
        raise ConnectionError

    front.answers["/"] = speak
    pieces = []
    async with egress.stream("GET", "http://public.example/") as opened:
        async for piece in opened.pieces:
            pieces.append(piece)
            more.set()

    assert b"".join(pieces) == b"data: 1\n\ndata: 2\n\n"
    assert len(pieces) == 2


async def test_a_stream_may_be_left_early(egress, front):
    front.answers["/"] = answer(b"hello")

    async with egress.stream("GET", "http://public.example/") as opened:
        assert opened.status == 200
    said = await egress.request("GET", "http://public.example/")

    assert said.body == b"hello"


def test_the_network_is_not_loaded_before_it_is_used():
    code = "import vivavoce.adapters.egress.web, sys; print([m for m in sys.modules if m.startswith('http')])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['http']"


# TLS


@pytest.fixture(scope="session")
def authority() -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    return key, _certificate("Test authority", key, None)


@pytest.fixture
def client_context(authority) -> ssl.SSLContext:
    """A client that trusts the authority of the tests and no other."""
    pem = authority[1].public_bytes(serialization.Encoding.PEM).decode()
    return ssl.create_default_context(cadata=pem)


@pytest.fixture
def server_names() -> list[str | None]:
    """The names that clients asked the TLS server for."""
    return []


@pytest.fixture
async def secure(tmp_path, authority, server_names) -> AsyncIterator[Server]:
    """A server with a certificate for secure.example."""
    key = ec.generate_private_key(ec.SECP256R1())
    path = tmp_path / "server.pem"
    path.write_bytes(
        _certificate("secure.example", key, authority).public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    context.sni_callback = lambda _socket, name, _context: server_names.append(name)
    async with serving(context) as server:
        yield server


async def test_tls_sees_the_name_that_was_asked_for(secure, client_context, server_names):
    secure.answers["/"] = answer(b"hello")
    address = f"secure.example:{secure.port}"
    names = Names({"secure.example": [["127.0.0.1"]]})
    async with closing(Egress([address], names, ssl_context=client_context)) as egress:
        said = await egress.request("GET", f"https://{address}/")

    assert said.body == b"hello"
    assert server_names == ["secure.example"]
    assert secure.header("host") == address


@pytest.mark.parametrize("pause", [0.0, 0.02])
async def test_a_large_body_comes_whole_over_tls_however_slowly_it_is_read(secure, client_context, pause):
    body = bytes(range(256)) * 16_000  # more than is held unread
    secure.answers["/"] = answer(body)
    address = f"secure.example:{secure.port}"
    names = Names({"secure.example": [["127.0.0.1"]]})
    large = Bounds(timeout=20, max_bytes=10_000_000)
    async with closing(Egress([address], names, ssl_context=client_context)) as egress:
        for _ in range(2):
            pieces = []
            async with egress.stream("GET", f"https://{address}/", within=large) as opened:
                async for piece in opened.pieces:
                    pieces.append(piece)
                    await asyncio.sleep(pause)

            assert b"".join(pieces) == body

    assert secure.connections == 1


async def test_a_certificate_for_another_name_is_refused(secure, client_context):
    address = f"other.example:{secure.port}"
    names = Names({"other.example": [["127.0.0.1"]]})
    async with closing(Egress([address], names, ssl_context=client_context)) as egress:
        with pytest.raises(UpstreamFailed, match="certificate") as failure:
            await egress.request("GET", f"https://{address}/?key=s3cret")

    assert secure.requests == []
    assert "s3cret" not in str(failure.value)


async def test_a_certificate_of_an_unknown_authority_is_refused(secure):
    address = f"secure.example:{secure.port}"
    names = Names({"secure.example": [["127.0.0.1"]]})
    async with closing(Egress([address], names)) as egress:
        with pytest.raises(UpstreamFailed, match="certificate"):
            await egress.request("GET", f"https://{address}/")

    assert secure.requests == []


async def test_a_redirect_from_https_to_http_is_refused(secure, front, client_context):
    secure.answers["/"] = redirect(f"http://secure.example:{front.port}/")
    names = Names({"secure.example": [["127.0.0.1"]]})
    allow = [f"secure.example:{secure.port}", f"secure.example:{front.port}"]
    async with closing(Egress(allow, names, ssl_context=client_context)) as egress:
        with pytest.raises(InvalidInput, match="from https to http"):
            await egress.request("GET", f"https://secure.example:{secure.port}/")

    assert front.connections == 0


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: tuple[ec.EllipticCurvePrivateKey, x509.Certificate] | None,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signing_key = key if issuer is None else issuer[0]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer[1].subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False
        )
        .add_extension(
            x509.KeyUsage(
                digital_signature=True,
                key_cert_sign=issuer is None,
                crl_sign=issuer is None,
                content_commitment=False,
                key_encipherment=False,
                data_encipherment=False,
                key_agreement=False,
                encipher_only=False,
                decipher_only=False,
            ),
            critical=True,
        )
    )
    if issuer is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(signing_key, hashes.SHA256())
