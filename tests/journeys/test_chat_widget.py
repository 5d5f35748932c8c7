"""A published chat window of the hosted service's family works on a server of ours, in a shop's page.

The service's own, `@chatvolt/embeds`, could not be had from npm. This is the one that it descends from, with
the same requests: `@databerry/chat-bubble`. It runs in a page without a screen; only the address is another.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from processes import PROGRAM, Served, environment, serving

from tests.node_tools import installed

HERE = Path(__file__).parent
PACKAGE = HERE / "node_modules" / "@databerry" / "chat-bubble" / "dist" / "chatbox" / "index.js"
SHOP = {"VIVAVOCE_ALLOWED_ORIGINS": "http://shop.example"}
ANA = {
    "name": "Ana",
    "modelName": "gpt_4o_mini",
    "visibility": "public",
    "interfaceConfig": {"initialMessages": ["Welcome to the shop."]},
}
THUMB, RESOLVED = "ThumbUpAltRoundedIcon", "CheckCircleIcon"
"""The icons of two of its buttons."""


@dataclass
class Page:
    """A page that is open, with the chat window in it."""

    process: Process
    notes: Path
    answers: BufferedByteReceiveStream = field(init=False)
    kept: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.process.stdout is not None
        self.answers = BufferedByteReceiveStream(self.process.stdout)

    async def do(self, *words: str) -> str:
        """What is shown after the visitor did something."""
        assert self.process.stdin is not None
        with anyio.fail_after(60):
            await self.process.stdin.send(json.dumps(words).encode() + b"\n")
            after = json.loads(await self.answers.receive_until(b"\n", 1_000_000))
        self.kept = after["kept"]
        return str(after["shown"])

    @property
    def conversation(self) -> str:
        """The conversation that it keeps in mind."""
        return next(value for name, value in self.kept.items() if name.startswith("iFrameConversationId"))

    def statuses(self, conversation: str) -> dict[str, set[int]]:
        """Which requests it made about a conversation, and how they were answered.

        It forgets the conversation itself once that has ended.
        """
        made: dict[str, set[int]] = {}
        for line in self.notes.read_text(encoding="utf-8").splitlines():
            noted = json.loads(line)
            path = noted["path"].replace(conversation, "ID").partition("?")[0]
            made.setdefault(f"{noted['method']} {path}", set()).add(noted["status"])
        return made


@pytest.fixture(scope="session")
def node() -> str:
    """The Node with which to open a page, once the package is installed."""
    return installed(HERE, "a chat window", oldest_node=(22, 22), install="install --no-save")


@asynccontextmanager
async def opened(node: str, served: Served, agent: str, kept: dict[str, str]) -> AsyncIterator[Page]:
    """A page with the chat window of an agent, and what its browser kept of an earlier visit."""
    notes = served.log.with_name(f"requests-{agent}.jsonl")
    variables = {
        **os.environ,
        "NODE_OPTIONS": f"--import={(HERE / 'redirect.mjs').as_uri()}",
        "SERVED_AT": served.address,
        "NOTED_IN": str(notes),
    }
    command = [node, str(HERE / "page.mjs"), PACKAGE.as_uri(), agent, json.dumps(kept)]
    async with await anyio.open_process(command, env=variables, stderr=subprocess.DEVNULL) as process:
        try:
            yield Page(process, notes)
        finally:
            process.kill()


@contextmanager
def api(served: Served, **headers: str) -> Iterator[httpx2.Client]:
    """Our own API, for the team of the shop."""
    with httpx2.Client(base_url=served.address, headers=headers, timeout=60, trust_env=False) as client:
        yield client


def made(client: httpx2.Client, path: str, given: dict[str, Any]) -> Any:
    return client.post(path, json=given).raise_for_status().json()


async def test_a_stranger_is_greeted_answered_and_may_rate_the_answer(node, tmp_path):
    command = [*PROGRAM, "keys", "create", "team", "--scopes", "read,write,send", "--field", "key"]
    key = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=60)
    assert key.returncode == 0, key.stderr
    with (
        serving(tmp_path, **SHOP) as served,
        api(served, Authorization=f"Bearer {key.stdout.strip()}") as team,
    ):
        agent = made(team, "/agents", ANA)["id"]
        async with opened(node, served, agent, kept={}) as page:
            await page.do("see", "Welcome to the shop.")
            await page.do("say", "Hello?")
            await page.do("see", "How can I help you?")
            await page.do("hear", "GET /api/conversations/")
            await page.do("press", THUMB)
            await page.do("hear", "POST /api/conversations/eval-answer")
            await page.do("say", "Thank you!")
            await page.do("see", "You are welcome.")
            statuses = page.statuses(page.conversation)
        conversation = team.get(f"/conversations/{page.conversation}").json()

    assert conversation["channel"] == "website"
    assert conversation["visitorId"] == page.kept["visitorId"]
    said = [message["text"] for message in reversed(conversation["messages"])]
    assert said[:3] == ["Hello?", "Hello! How can I help you?", "Thank you!"]
    assert [message["eval"] for message in conversation["messages"] if message["text"] == said[1]] == ["good"]
    # It does not say who it is where it reads what was said before, so we do not show that to a stranger.
    assert statuses.pop("GET /api/conversations/ID") == {403}
    assert statuses == {
        f"GET /api/agents/{agent}": {200},
        f"POST /api/agents/{agent}/query": {200},
        "POST /api/conversations/eval-answer": {200},
    }


async def test_where_it_is_trusted_a_visit_goes_on_with_the_team_and_ends_resolved(node, tmp_path):
    with serving(tmp_path, **SHOP) as served, api(served) as team:
        agent = made(team, "/agents", ANA)["id"]
        async with opened(node, served, agent, kept={}) as page:
            await page.do("see", "Welcome to the shop.")
            await page.do("say", "Hello?")
            await page.do("see", "How can I help you?")
            await page.do("hear", "GET /api/conversations/")
        made(team, f"/conversations/{page.conversation}/set-ai-enabled", {"enabled": False})
        made(team, f"/conversation/message/conversationId/{page.conversation}", {"message": "Bo here."})

        async with opened(node, served, agent, kept=page.kept) as again:
            assert "Hello?" in await again.do("see", "Bo here.")
            await again.do("say", "Is it in stock?")
            await again.do("hear", f"POST /api/conversations/{page.conversation}/message")
            await again.do("see", "Is it in stock?")
            made(team, f"/conversation/message/conversationId/{page.conversation}", {"message": "It is."})
            await again.do("see", "It is.")  # it looks by itself every five seconds
            await again.do("press", RESOLVED)
            await again.do("hear", "PATCH /api/conversations/")
            statuses = again.statuses(page.conversation)
        conversation = team.get(f"/conversations/{page.conversation}").json()

    assert conversation["status"] == "RESOLVED"
    said = [message["text"] for message in reversed(conversation["messages"])]
    assert said == ["Hello?", "Hello! How can I help you?", "Bo here.", "Is it in stock?", "It is."]
    assert {status for each in statuses.values() for status in each} == {200}
    assert {"PATCH /api/conversations/ID", "POST /api/conversations/ID/message"} < set(statuses)
