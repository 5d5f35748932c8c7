"""Chat: one request over the OpenAI protocol, which most providers and servers speak.

It is small enough to be spoken without a library: loading one takes more than a second, and each request
through it longer than all the rest of a turn.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from vivavoce import __version__
from vivavoce.errors import VivavoceError
from vivavoce.ports import Called, Cut, Delta, Piece, Prompt, Spent

from .chunks import Hearing, Refused, Unreadable, events_in, object_in
from .failing import Failed, cut_off, refused, retry_seconds, unreachable, unreadable, used_up, withheld
from .pricing import cost_of, counted
from .rendering import Names, messages_of
from .seeing import Sight, in_parts
from .targets import Target
from .ways import Asked, Clients, Head

_MOST_ERROR = 65_536
"""Bytes of an error that are read."""
_SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty")
_NOT_TAKEN = re.compile(r"unsupported|not support|unknown|unrecogni[sz]ed", re.IGNORECASE)
"""How a refusal says that a model does not take a setting at all, whatever its value."""
_ONLY_THINKING = re.compile(r"o\d|gpt-(?:[5-9]|\d\d)|.*-search")
"""OpenAI's models that take no settings of sampling."""


class ChatSpeaker:
    """A model at a server that speaks the OpenAI protocol."""

    def __init__(self, target: Target, clients: Clients) -> None:
        self._target, self._clients = target, clients
        is_plain = target.provider != "openai" or _ONLY_THINKING.match(target.model) is None
        self._takes = set(_SAMPLING) if is_plain else set[str]()
        """The settings of sampling that it has not refused."""
        self._most = "max_completion_tokens" if target.provider == "openai" else "max_tokens"
        self._sight = Sight()

    async def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece | None, None]:
        """What it says when it is asked once, and None for each other sign of life; Failed where it fails."""
        names, hearing = Names(prompt.tools), Hearing()
        try:
            asked, head = await self._asked(prompt, names)
            async with aclosing(asked):
                if "json" in head.headers.get("content-type", ""):  # a server that does not stream
                    yield _piece(hearing.take(object_in(b"".join([piece async for piece in asked]))))
                else:
                    async for event in events_in(asked):
                        yield _piece("" if event is None else hearing.take(event))
                    await asked.finish()
            yield _piece(hearing.rest())
        except VivavoceError as error:
            raise unreachable(self._target, error) from None
        except Unreadable:
            raise unreadable(self._target) from None
        except Refused as told:
            failed = unreadable(self._target) if told.status is None else refused(self._target, told.status)
            raise failed from None
        for piece in self._end(hearing, names):
            yield piece

    async def _asked(self, prompt: Prompt, names: Names) -> tuple[Asked, Head]:
        """The answer once it begins; what the model refuses is left out from then on: settings, pictures."""
        sees = bool(prompt.pictures) and self._sight.takes_pictures
        while True:  # each time with one setting less, or without pictures
            body = self._body(prompt, names, sees=sees)
            asked = self._clients.exchange(
                f"{self._target.base_url.rstrip('/')}/chat/completions",
                is_own=self._target.is_own,
                headers=self._headers(),
                content=await asyncio.to_thread(_written, body) if sees else _written(body),
            )
            head = await asked.opened()
            if 200 <= head.status < 300:
                if sees:
                    self._sight.saw()
                return asked, head
            async with aclosing(asked):
                error = await _error(asked)
            if head.status == 400 and self._learns_from(error, body):
                continue
            if not (sees and self._sight.is_refused(head.status, str(error.get("message")))):
                raise self._refused(head, error)
            sees = False

    def _headers(self) -> dict[str, str]:
        key = {"authorization": f"Bearer {self._target.api_key}"} if self._target.api_key else {}
        return {
            **key,
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            "user-agent": f"vivavoce/{__version__}",
        }

    def _body(self, prompt: Prompt, names: Names, *, sees: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._target.model,
            "messages": messages_of(prompt, names, sees=sees),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        for name, value in prompt.sampling.items():
            if name == "max_tokens":
                body[self._most] = value
            elif name in self._takes:
                body[name] = value
        if prompt.tools and self._target.takes_tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": names.sent(tool.name),
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in prompt.tools
            ]
        return body

    def _learns_from(self, error: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
        """Whether a refusal names a setting of the body that can be left out, or that has another name."""
        named = f"{error.get('param') or ''} {error.get('message') or ''}"
        if "max_tokens" in body and "max_completion_tokens" in named:
            self._most = "max_completion_tokens"
            return True
        if _NOT_TAKEN.search(f"{error.get('code') or ''} {named}") is None:
            return False
        refused = {name for name in _SAMPLING if name in body and re.search(rf"\b{name}\b", named)}
        self._takes -= refused
        return bool(refused)

    def _refused(self, head: Head, error: Mapping[str, Any]) -> Failed:
        failed = refused(self._target, head.status, retry_seconds(head.headers))
        if "insufficient_quota" in (error.get("code"), error.get("type")):
            failed.is_passing = False
        return failed

    def _end(self, hearing: Hearing, names: Names) -> list[Piece]:
        """The calls and what it cost, once all was said."""
        if hearing.finish == "content_filter":
            raise withheld(self._target)
        calls = hearing.calls
        if hearing.finish == "length" and not calls and not hearing.has_spoken:
            raise used_up(self._target)
        if (not calls and not hearing.has_spoken) or not all(call.name for call in calls):
            raise unreadable(self._target)
        if hearing.finish is None:
            raise cut_off(self._target)
        pieces: list[Piece] = [
            Called(call.id or f"call_{place}", names.meant(call.name), call.arguments)
            for place, call in enumerate(calls)
        ]
        if hearing.finish == "length":
            pieces.append(Cut())
        usage = hearing.usage or {}
        read, wrote = counted(usage.get("prompt_tokens")), counted(usage.get("completion_tokens"))
        if read and wrote is not None:  # who says that it read nothing does not count
            pieces.append(Spent(self._target.model, read, wrote, cost_of(self._target, read, wrote)))
        return pieces


def _piece(said: str) -> Delta | None:
    return Delta(said) if said else None


def _written(body: dict[str, Any]) -> bytes:
    body = {**body, "messages": [in_parts(message) for message in body["messages"]]}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


async def _error(asked: Asked) -> Mapping[str, Any]:
    """What a refusal says of itself; nothing where it cannot be read."""
    body = b""
    async for piece in asked:
        body += piece
        if len(body) > _MOST_ERROR:
            return {}
    try:
        error = object_in(body).get("error")
    except Unreadable:
        return {}
    return error if isinstance(error, dict) else {"message": error if isinstance(error, str) else None}
