"""A process that is killed in the midst of a turn: the message is kept, the turn marked, nothing doubled."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator

import httpx2
import pytest
from processes import Served, serving

_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    b"Connection: close\r\n\r\n"
)


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    said = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    said["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    line = b"data: " + json.dumps(said).encode() + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(line), line)


def _whole_request(connection: socket.socket) -> bytes:
    """A request with its body: who answers before and hangs up breaks the connection."""
    read = b""
    while b"\r\n\r\n" not in read:
        read += connection.recv(65_536)
    head, _, body = read.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(65_536)
    return body


class Speaker:
    """A model on loopback that stops in the midst of its answer until it is let go on."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.asked, self.may_end = threading.Semaphore(0), threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with connection:
            _whole_request(connection)
            connection.sendall(_HEAD + _chunk({"role": "assistant", "content": "I am "}))
            self.asked.release()
            self.may_end.wait(60)
            try:
                connection.sendall(_chunk({"content": "here."}) + _chunk({}, "stop"))
                connection.sendall(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
            except OSError:
                return


@pytest.fixture
def speaker() -> Iterator[Speaker]:
    made = Speaker()
    yield made
    made.may_end.set()
    made.listening.close()


def _asked(served: Served, agent_id: str, query: str) -> httpx2.Response:
    url = f"{served.address}/agents/{agent_id}/query"
    body = {"query": query, "conversationId": "c1"}
    return httpx2.post(url, json=body, timeout=90, trust_env=False)


def test_a_turn_that_was_killed_is_marked_the_next_one_answered_and_it_can_be_tried_again(tmp_path, speaker):
    settings = {"VIVAVOCE_MODEL_URL": speaker.url, "VIVAVOCE_MODEL": "m"}
    with serving(tmp_path, **settings) as served:
        agent = httpx2.post(
            f"{served.address}/agents", json={"name": "Ana", "modelName": "m"}, trust_env=False
        ).json()
        lost: list[Exception] = []

        def ask() -> None:
            try:
                _asked(served, agent["id"], "Are you there?")
            except httpx2.HTTPError as error:
                lost.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        assert speaker.asked.acquire(timeout=60)
        served.kill()
        asking.join(timeout=60)
        assert len(lost) == 1  # whoever asked knows that there was no answer

    speaker.may_end.set()
    with serving(tmp_path, **settings) as served:
        answer = _asked(served, agent["id"], "And now?").json()
        url = f"{served.address}/conversations/c1/messages/100"
        messages = httpx2.get(url, trust_env=False).json()["messages"]

        assert answer["answer"] == "I am here."
        assert sorted((message["from"], message["text"]) for message in messages) == [
            ("agent", "I am here."),
            ("human", "And now?"),
            ("human", "Are you there?"),
        ]
        first = next(message for message in messages if message["text"] == "Are you there?")
        trace = httpx2.get(f"{served.address}/messages/{first['id']}/trace", trust_env=False).json()
        assert trace["state"] == "interrupted"
        assert "was not answered" in trace["reason"]

        unanswered = f"{served.address}/failed-answers"
        assert [each["messageId"] for each in httpx2.get(unanswered, trust_env=False).json()] == [first["id"]]
        fetched = f"{served.address}/messages/{first['id']}/answer"
        why = httpx2.get(fetched, trust_env=False).json()["metadata"]["reason"]
        again = httpx2.post(f"{fetched}/retry", json={}, trust_env=False)
        twice = httpx2.post(f"{fetched}/retry", json={}, trust_env=False)
        late = httpx2.get(fetched, timeout=90, trust_env=False).json()
        messages = httpx2.get(url, trust_env=False).json()["messages"]

        assert why == trace["reason"]
        assert (again.status_code, twice.status_code, late["answer"]) == (200, 404, "I am here.")
        assert sorted(message["from"] for message in messages) == ["agent", "agent", "human", "human"]
        assert httpx2.get(unanswered, trust_env=False).json() == []
