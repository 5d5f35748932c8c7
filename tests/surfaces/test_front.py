"""The front over real pipes: what it answers, what it leaves to the SDK, and how the process ends."""

import json
import os
import pty
import queue
import signal
import socket
import subprocess
import sys
import threading
import tty
from pathlib import Path

import anyio
import pytest
import toy_server
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from vivavoce.surfaces.mcp import front, stdio
from vivavoce.surfaces.mcp.wire import Lane

TOY = Path(toy_server.__file__)
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
LOADED, CLOSED = "the SDK is loaded", "the server is closed"
ME = {"name": "test", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": ME,
}


# What it answers


async def test_the_manifest_is_what_the_live_server_answers(manifest, start):
    recorded = json.loads(manifest.read_bytes())
    live = start(manifest=None)

    assert live.initialize() == recorded["legacy"]["initialize"]
    assert {method: live.result(method) for method in ("ping", *LISTS)}.items() <= recorded["legacy"].items()
    modern = {method: live.result(method, _meta=ENVELOPE) for method in ("server/discover", *LISTS)}
    assert modern == recorded["modern"]


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_version_of_an_era_has_the_same_lists(manifest, start, version):
    live = start(manifest=None)
    live.initialize(version)

    recorded = json.loads(manifest.read_bytes())["legacy"]
    assert {method: live.result(method) for method in LISTS}.items() <= recorded.items()


def test_the_first_requests_are_answered_without_the_sdk(manifest, start):
    client = start()
    client.initialize()
    client.notify("notifications/initialized")
    recorded = json.loads(manifest.read_bytes())["legacy"]

    assert {method: client.result(method) for method in ("ping", *LISTS)}.items() <= recorded.items()
    assert client.leave() == (0, "")


def test_modern_requests_are_answered_without_the_sdk(manifest, start):
    client = start()
    answers = {method: client.result(method, _meta=ENVELOPE) for method in ("server/discover", *LISTS)}

    assert answers == json.loads(manifest.read_bytes())["modern"]
    assert client.leave() == (0, "")


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        *((version, version) for version in HANDSHAKE_PROTOCOL_VERSIONS),
        *((v, "2025-11-25") for v in ("2026-07-28", "x")),
    ],
)
def test_initialize_echoes_a_known_version(start, asked, answered):
    assert start().initialize(asked)["protocolVersion"] == answered


def test_the_front_knows_the_versions_of_the_sdk():
    assert front.HANDSHAKE_VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize("meta", [{}, {"_meta": ENVELOPE}], ids=["legacy", "modern"])
def test_only_allowed_tools_are_listed(start, meta):
    client = start("--allow", "ask", "echo", "unknown")
    client.initialize()

    assert [tool["name"] for tool in client.result("tools/list", **meta)["tools"]] == ["echo", "ask"]


@pytest.mark.parametrize("content", [None, "{", '{"version": "0.0.1", "legacy": {}, "modern": {}}'])
def test_without_a_fitting_manifest_the_sdk_answers_everything(start, tmp_path, content):
    stale = tmp_path / "manifest.json"
    if content is not None:
        stale.write_text(content, encoding="utf-8")
    client = start(manifest=stale)

    assert client.initialize()["serverInfo"] == {"name": "toy", "version": toy_server.VERSION}
    assert len(client.result("tools/list")["tools"]) == len(toy_server.TOOLS)


def test_importing_the_front_imports_nothing_dear():
    script = "import sys, vivavoce.surfaces.mcp.front; print(*sys.modules)"
    loaded = subprocess.check_output(
        [sys.executable, "-S", "-c", script], text=True, env=environment()
    ).split()

    assert not {"typing", "asyncio", "logging", "pydantic", "anyio", "mcp", "subprocess"} & set(loaded)


# What it leaves to the SDK


def test_a_tool_is_called_and_lists_are_still_answered(start):
    client = start()
    client.initialize()
    client.notify("notifications/initialized")

    assert client.call("echo", "Olá") == "Olá"
    assert len(client.result("tools/list")["tools"]) == len(toy_server.TOOLS)
    assert client.call("echo", "again") == "again"
    code, log = client.leave()
    assert (code, log.splitlines()) == (0, [LOADED, CLOSED])
    assert client.unread() == []  # the SDK's answer to the replayed handshake stays inside


def test_both_eras_are_served_on_one_connection(start):
    client = start()
    client.result("server/discover", _meta=ENVELOPE)

    assert client.call("echo", "modern", _meta=ENVELOPE) == "modern"
    assert client.initialize()["protocolVersion"] == "2025-11-25"
    assert client.call("echo", "legacy") == "legacy"
    assert client.call("echo", "modern", _meta=ENVELOPE) == "modern"


def test_initialize_after_discover_needs_no_manifest(start):
    client = start(manifest=None)
    client.result("server/discover", _meta=ENVELOPE)

    assert client.initialize()["protocolVersion"] == "2025-11-25"
    assert client.call("echo", "legacy") == "legacy"


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "tools/call"])
def test_requests_before_the_handshake_are_refused(start, method):
    client = start()

    assert client.error(method)["code"] == -32602
    client.initialize()
    assert client.call("echo", "now") == "now"


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        ({"io.modelcontextprotocol/protocolVersion": "2099-01-01"}, -32022),
        ({"io.modelcontextprotocol/protocolVersion": ["2026-07-28"]}, -32602),
        ({"io.modelcontextprotocol/clientCapabilities": None}, -32602),
        ({"io.modelcontextprotocol/clientInfo": "me"}, -32602),
    ],
)
def test_a_broken_envelope_is_refused(start, broken, code):
    assert start().error("tools/list", _meta=ENVELOPE | broken)["code"] == code


@pytest.mark.parametrize(
    "params", [{}, {"protocolVersion": 1}, {"protocolVersion": "2025-11-25", "capabilities": []}]
)
def test_a_broken_handshake_is_refused(start, params):
    assert start().error("initialize", **params)["code"] == -32602


@pytest.mark.parametrize("meta", [{}, {"_meta": ENVELOPE}], ids=["legacy", "modern"])
def test_a_page_of_a_list_comes_from_the_sdk(start, meta):
    client = start()
    client.initialize()

    assert client.result("tools/list", cursor="2", **meta)["tools"] == []


@pytest.mark.parametrize("meta", [{}, {"_meta": ENVELOPE}], ids=["legacy", "modern"])
def test_unknown_methods_are_refused(start, meta):
    client = start()
    client.initialize()

    assert client.error("no/such", **meta)["code"] == -32601


def test_a_tool_may_ask_a_client_that_can_be_asked(start):
    client = start()
    client.initialize(capabilities={"elicitation": {"form": {}}})
    client.notify("notifications/initialized")
    call = client.request("tools/call", name="ask")

    question = client.read()
    assert question["method"] == "elicitation/create"
    client.write(
        {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"sure": True}}}
    )
    assert client.read()["result"]["content"][0]["text"] == "accept {'sure': True}"
    assert call not in client.unread()


@pytest.mark.parametrize("meta", [{}, {"_meta": ENVELOPE}], ids=["legacy", "modern"])
def test_a_cancelled_request_is_not_answered(start, meta):
    client = start()
    client.initialize()
    cancelled = client.request("tools/call", name="wait", arguments={"text": "60"}, **meta)
    client.log_until("waiting")
    client.notify("notifications/cancelled", requestId=cancelled)

    assert client.call("echo", "next", **meta) == "next"
    assert client.leave()[0] == 0
    assert client.unread() == []


def test_a_failing_tool_fails_alone(start):
    client = start()
    client.initialize()

    assert client.error("tools/call", name="fail")["message"] == "the tool broke"
    assert "error" in client.ask("tools/call", name="half")  # half a surrogate pair cannot be written
    assert client.call("echo", "alive") == "alive"


def test_stray_output_misses_the_wire(start):
    client = start()
    client.initialize()

    assert client.call("print", "clean") == "clean"
    _, log = client.leave()
    assert {"stray print", "stray write", "stray child"} <= set(log.splitlines())
    assert client.unread() == []


# What it refuses itself


@pytest.mark.parametrize(
    ("line", "code", "answered_id"),
    [
        (b"not json", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"pi\x00ng"}', -32700, None),
        (b'\x00{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"pi\xffng"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}', -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"a":' * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":%b,"method":"ping"}' % (b"9" * 5000), -32700, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, None),
        (b"[]", -32600, None),
        (b"7", -32600, None),
        (b'"ping"', -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"id":2,"method":"ping"}', -32600, 2),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":3,"method":5}', -32600, 3),
        (b'{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', -32600, 4),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else None,
)
def test_a_line_that_is_no_message_is_refused(start, line, code, answered_id):
    client = start()
    client.write_line(line)
    refused = client.read()

    assert (refused["error"]["code"], refused["id"]) == (code, answered_id)
    assert client.result("ping") == {}


def test_blank_lines_are_ignored(start):
    client = start()
    for blank in (b"", b"  ", b"\r"):
        client.write_line(blank)

    assert client.result("ping") == {}
    assert client.unread() == []


def test_carriage_returns_and_a_missing_last_newline_are_accepted(start):
    client = start()
    client.write_line(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r')
    client.write_bytes(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')

    assert client.leave()[0] == 0
    assert [answer["id"] for answer in client.unread()] == [1, 2]


def test_a_line_of_twenty_megabytes_is_served(start):
    client = start()
    client.initialize()
    text = "ã" * 10_000_000

    assert client.call("echo", text) == text


def test_a_client_may_write_much_before_it_reads(start):
    client = start(reading=False)
    client.initialize(wait=False)
    calls = [client.request("tools/call", name="echo", arguments={"text": "x" * 200}) for _ in range(2000)]
    client.start_reading()

    assert client.leave()[0] == 0
    assert sorted(answer["id"] for answer in client.unread()) == [0, *calls]


def test_a_full_lane_holds_up_its_reader():
    lane, done = Lane(limit=2), threading.Event()

    def fill():
        for number in range(3):
            lane.put({"id": number})
        done.set()

    threading.Thread(target=fill, daemon=True).start()
    assert not done.wait(0.05)
    assert lane.take(list) == {"id": 0}
    assert done.wait(10)


# How the process ends


def test_the_end_before_any_message_loads_nothing(start):
    assert start().leave() == (0, "")


def test_what_was_asked_is_answered_before_the_end(start):
    client = start()
    client.initialize(wait=False)
    legacy = client.request("tools/call", name="wait", arguments={"text": "0.05"})
    modern = client.request("tools/call", name="wait", arguments={"text": "0.05"}, _meta=ENVELOPE)

    code, log = client.leave()
    assert (code, log.splitlines()[-1]) == (0, CLOSED)
    assert {answer["id"] for answer in client.unread() if "result" in answer} == {0, legacy, modern}


def test_a_question_to_a_client_that_left_is_not_waited_for(start):
    client = start()
    client.initialize(capabilities={"elicitation": {}})
    call = client.request("tools/call", name="ask")
    assert client.read()["method"] == "elicitation/create"

    assert client.leave()[0] == 0
    assert [(answer["id"], answer["error"]["code"]) for answer in client.unread()] == [(call, -32000)]


async def test_what_does_not_finish_is_cut_off(monkeypatch):
    monkeypatch.setattr(stdio, "PATIENCE", 0.01)
    answers, lane = [], Lane()
    arguments = {"name": "wait", "arguments": {"text": "60"}, "_meta": ENVELOPE}
    lane.put({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments})
    lane.end()

    async def keep(frame):
        answers.append(json.loads(frame))

    with anyio.fail_after(10):
        await stdio.Connection(lane, keep).serve(toy_server.server())
    assert [answer["error"]["message"] for answer in answers] == ["Connection closed"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
@pytest.mark.parametrize("stage", ["silent", "answered", "serving", "busy", "blocked"])
def test_a_signal_ends_it_quietly(start, number, stage):
    client = start()
    if stage == "silent":
        client.result("ping")
    else:
        client.initialize()
    if stage in {"serving", "busy", "blocked"}:
        client.call("echo", "ready")
    if stage == "busy":
        client.request("tools/call", name="wait", arguments={"text": "60"})
        client.log_until("waiting")
    if stage == "blocked":
        client.request("tools/call", name="block", arguments={"text": "60"})
        client.log_until("blocking")
    client.process.send_signal(number)
    code, log = client.ended()

    assert code in {-number, 128 + number}
    assert "Traceback" not in log
    assert (CLOSED in log) == (stage in {"serving", "busy"})


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
def test_a_signal_that_breaks_off_no_sleep_ends_it_as_well(start, number):
    client = start()
    client.initialize()
    client.request("tools/call", name="kill", arguments={"text": str(int(number))})
    code, log = client.ended()

    assert code in {-number, 128 + number}
    assert "Traceback" not in log
    assert CLOSED in log


def test_a_client_that_stops_reading_ends_the_front_quietly(start):
    client = start(reading=False)
    client.process.stdout.close()
    client.request("ping")

    assert client.ended() == (0, "")


def test_a_client_that_stops_reading_ends_the_server_quietly(start):
    client = start(reading=False)
    client.initialize(wait=False)
    client.request("tools/call", name="wait", arguments={"text": "60"})
    client.log_until("waiting")
    client.process.stdout.close()
    client.request("tools/call", name="echo", arguments={"text": "unread"})

    code, log = client.ended()
    assert (code, log.splitlines()) == (0, [LOADED, "waiting", CLOSED])


def test_a_server_that_cannot_be_built_says_why(start):
    client = start("--broken")
    client.initialize()
    client.request("tools/call", name="echo")
    code, log = client.ended()

    assert code == 1
    assert "RuntimeError: no database" in log


# What stdin may be


def test_stdin_may_be_a_file(manifest, tmp_path):
    lines = tmp_path / "lines"
    lines.write_bytes(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    with lines.open("rb") as stdin:
        done = subprocess.run(
            command("--manifest", manifest), stdin=stdin, capture_output=True, env=environment()
        )

    assert (done.returncode, json.loads(done.stdout)["id"]) == (0, 1)


def test_stdin_may_be_a_socket_and_stdout_too(manifest):
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)  # as some parents leave it
    with (
        ours,
        subprocess.Popen(
            command("--manifest", manifest), stdin=theirs, stdout=theirs, env=environment()
        ) as child,
    ):
        theirs.close()
        ours.sendall(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        with ours.makefile("rb") as answers:
            assert json.loads(answers.readline())["id"] == 1
            ours.shutdown(socket.SHUT_WR)
            assert answers.read() == b""
    assert child.returncode == 0


def test_stdin_may_be_a_terminal(manifest):
    ours, theirs = pty.openpty()
    tty.setcbreak(theirs)
    with subprocess.Popen(
        command("--manifest", manifest), stdin=theirs, stdout=subprocess.PIPE, env=environment()
    ) as child:
        os.close(theirs)
        os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert json.loads(child.stdout.readline())["id"] == 1
        os.close(ours)
    assert child.returncode == 0


class Client:
    """The client's side of the pipes."""

    def __init__(self, *arguments, reading=True):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command(*arguments), stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, env=environment()
        )
        self.frames, self.log = queue.SimpleQueue(), queue.SimpleQueue()
        self.logged = []
        self.pumps = []
        self.next_id = 0
        self.pump(self.process.stderr, self.log)
        if reading:
            self.start_reading()

    def start_reading(self):
        self.pump(self.process.stdout, self.frames)

    def pump(self, stream, into):
        def move():
            with os.fdopen(os.dup(stream.fileno()), "rb") as lines:
                for line in lines:
                    into.put(line)
            into.put(b"")

        self.pumps.append(threading.Thread(target=move, daemon=True))
        self.pumps[-1].start()

    def write_bytes(self, content):
        view = memoryview(content)
        while view:
            view = view[self.process.stdin.write(view) :]

    def write_line(self, line):
        self.write_bytes(line + b"\n")

    def write(self, message):
        self.write_line(json.dumps(message).encode())

    def notify(self, method, **params):
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method, **params):
        request_id, self.next_id = self.next_id, self.next_id + 1
        self.write({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def read(self):
        frame = self.frames.get(timeout=60)
        assert frame.endswith(b"\n")
        assert not frame.endswith(b"\r\n")
        return json.loads(frame)

    def ask(self, method, **params):
        request_id = self.request(method, **params)
        answer = self.read()
        assert answer["id"] == request_id
        return answer

    def result(self, method, **params):
        return self.ask(method, **params)["result"]

    def error(self, method, **params):
        return self.ask(method, **params)["error"]

    def call(self, tool, text, **params):
        return self.result("tools/call", name=tool, arguments={"text": text}, **params)["content"][0]["text"]

    def initialize(self, version="2025-11-25", capabilities=None, wait=True):
        params = {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": ME}
        return self.result("initialize", **params) if wait else self.request("initialize", **params)

    def log_until(self, text):
        while not self.logged or text not in self.logged[-1]:
            line = self.log.get(timeout=60)
            assert line != b"", f"ended before {text!r}"
            self.logged.append(line.decode())

    def leave(self):
        """Close stdin: the exit code and what was logged."""
        self.process.stdin.close()
        return self.ended()

    def ended(self):
        code = self.process.wait(timeout=60)
        for pump in self.pumps:
            pump.join(timeout=60)
        while line := self.log.get():
            self.logged.append(line.decode())
        self.process.stdin.close()
        return code, "".join(self.logged)

    def unread(self):
        frames = []
        while not self.frames.empty():
            if frame := self.frames.get():
                frames.append(json.loads(frame))
        return frames

    def close(self):
        self.process.kill()
        self.process.wait()
        for pump in self.pumps:
            pump.join(timeout=60)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


def command(*arguments):
    return [sys.executable, str(TOY), *map(str, arguments)]


def environment():
    source = Path(front.__file__).parents[3]
    return os.environ | {"PYTHONPATH": str(source), "PYTHONWARNINGS": "default"}


@pytest.fixture(scope="session")
def manifest(tmp_path_factory):
    path = tmp_path_factory.mktemp("front") / "manifest.json"
    path.write_text(json.dumps(anyio.run(stdio.record, toy_server.server())), encoding="utf-8")
    return path


@pytest.fixture
def start(manifest):
    clients = []

    def started(*arguments, manifest=manifest, reading=True):
        chosen = () if manifest is None else ("--manifest", manifest)
        clients.append(Client(*chosen, *arguments, reading=reading))
        return clients[-1]

    yield started
    for client in clients:
        client.close()


@pytest.fixture
def anyio_backend():
    return "asyncio"
