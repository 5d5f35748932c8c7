"""Stories: chats in which time acts by itself, and those who are told of it.

A person writes once. The agent answers, after a while the conversation moves on to the next step, which says
something; then the person is silent for an hour, and the agent writes again. A webhook is told of all that.
Others ask with a callback. Steps and follow-ups happen once; webhooks and callbacks are told at least once,
with the same id each time.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from .databases import Ask

STEP = "Step two begins."
SILENCE = "Are you still there?"
WAIT = 12
"""Seconds that a conversation stays in its first step."""
SHARE = 0.005
"""How many stories there are, and calls with a callback, for each message."""
_TOLD = Counter({"AGENT_USER_MESSAGE": 1, "STEP_ENTERED": 2, "AGENT_MESSAGE_FOLLOW_UP": 1})


@dataclass
class Stories:
    """Who was promised what, and what the receivers were told."""

    chats: set[str] = field(default_factory=set)
    """Chats whose message was accepted."""
    asked: set[str] = field(default_factory=set)
    """Conversations that were asked for with a callback, and accepted."""
    told: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    """What came to webhooks and callbacks: the path, the id, the body."""

    async def ask(self, wire: Any, agent: str, outside: int, number: int, again: float) -> None:
        """Ask with a callback; what was not accepted is asked anew."""
        body = {"query": "When do you open?", "callbackURL": f"http://127.0.0.1:{outside}/callbacks"}
        for _ in range(number):
            status = 0
            while status != 202:
                status, said = await wire.ask("POST", f"/agents/{agent}/query", body)
                if status == 202:
                    self.asked.add(said["conversationId"])
                elif status not in (0, 429, 500, 502, 503):
                    raise AssertionError(f"The server refuses to call back with {status}: {said}")
                await asyncio.sleep(again)

    def wrongs(self, taken: list[tuple[str, str, str]], ask: Ask) -> dict[str, set[str]]:
        """Everything that must not have happened, with the chats or conversations where it did."""
        chats = {str(id): str(chat) for id, chat in ask(_TALKS)}
        unsure = {(str(chat), json.loads(message)["text"]) for chat, message in ask(_UNSURE)}
        said = {text: Counter(chat for _, chat, that in taken if that == text) for text in (STEP, SILENCE)}
        stays = Counter(chats.get(str(id), "") for (id,) in ask("select conversation_id from crm_logs"))
        hooks, calls = self._ids("/hooks"), self._ids("/callbacks")
        events = {chats.get(id, id): Counter(name for name, _ in told) for id, told in hooks.items()}
        return {
            **{
                f"not said once: {text}": {
                    chat for chat in self.chats if each[chat] != 1 and (chat, text) not in unsure
                }
                | {chat for chat, number in each.items() if number > 1}
                for text, each in said.items()
            },
            "not moved on once": {chat for chat in self.chats if stays[chat] != 2},
            "webhooks lost, or told under two ids": {
                f"{chat}: {dict(events.get(chat, {}))}"
                for chat in self.chats
                if events.get(chat, Counter()) != _TOLD
            },
            "callbacks lost, or told under two ids": {id for id in self.asked if len(calls[id]) != 1},
        }

    @property
    def figures(self) -> dict[str, str]:
        """How much there was."""
        ids = {path: {id for that, id, _ in self.told if that == path} for path in ("/hooks", "/callbacks")}
        posts = Counter(path for path, _, _ in self.told)
        return {
            "timed moves and follow-ups": f"{len(self.chats)} of each",
            "events told to webhooks / posts": f"{len(ids['/hooks'])} / {posts['/hooks']}",
            "callbacks promised / posts": f"{len(self.asked)} / {posts['/callbacks']}",
        }

    def _ids(self, path: str) -> dict[str, set[tuple[str, str]]]:
        """What was told of each conversation, by event and id."""
        found = defaultdict(set)
        for that, id, body in self.told:
            if that == path:
                found[body["conversationId"]].add((body.get("eventType", ""), id))
        return found


_TALKS = "select id, channel_external_id from conversations where channel_external_id like 's%'"

_UNSURE = (
    "select channel_external_id, messages.document from deliveries"
    " join messages on messages.id = deliveries.message_id"
    " join conversations on conversations.id = deliveries.conversation_id"
    " where deliveries.state = 'uncertain'"
)
