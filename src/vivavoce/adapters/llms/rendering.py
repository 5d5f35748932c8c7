"""Rendering: a prompt as the messages that a provider is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from vivavoce.domain.language.cleaning import cleaned
from vivavoce.ports import Called, Enclosed, Given, Offered, Prompt, Returned, Step, Wrote

Message = dict[str, Any]
"""As the OpenAI protocol has it: a role, a content, calls; but pictures stand beside the content."""

_TAG = re.compile(r"<(?=\s*/?\s*(?:passage|result|files?)\b)", re.IGNORECASE)
_SHOWN = "a picture, shown with this message"
_UNSEEN = "a picture, which you cannot see: say so where it matters"
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")
_LONGEST_NAME = 64


def messages_of(prompt: Prompt, names: Names, *, sees: bool = True) -> list[Message]:
    """The whole prompt: instructions, what was said before, the question with its passages, and the steps.

    Where the model sees, the message of the question has its pictures under `pictures`.
    """
    turns: list[tuple[bool, str]] = [(said.by == "person", untrusted(said.text)) for said in prompt.history]
    turns.append((True, question_of(prompt, sees=sees)))
    told: list[Message] = [
        {"role": "user" if is_person else "assistant", "content": text} for is_person, text in _joined(turns)
    ]
    if sees and prompt.pictures:
        told[-1]["pictures"] = prompt.pictures
    return [
        {"role": "system", "content": cleaned(prompt.instructions)},
        *told,
        *_steps(prompt.steps, names, may_call=bool(prompt.tools)),
    ]


def question_of(prompt: Prompt, *, sees: bool = True) -> str:
    """The question with its files, after the passages that may answer it."""
    question = "\n\n".join((untrusted(prompt.question), *map(_enclosed, prompt.enclosed)))
    shown = _SHOWN if sees else _UNSEEN
    if lines := [*prompt.files, *(f"{each.name}: {shown}" for each in prompt.pictures)]:
        question += "\n\n<files>\n" + "\n".join(map(untrusted, lines)) + "\n</files>"
    if not prompt.passages:
        return question
    passages = "\n".join(_passage(given) for given in prompt.passages)
    return f"{passages}\n\n{question}"


def untrusted(text: str) -> str:
    """A text from outside: without what nobody can see, and without tags that are ours."""
    return _TAG.sub("&lt;", cleaned(text))


class Names:
    """Tool names as providers take them, and back."""

    def __init__(self, tools: Iterable[Offered]) -> None:
        self._theirs: dict[str, str] = {}
        self._ours: dict[str, str] = {}
        for tool in tools:
            self.sent(tool.name)

    def sent(self, name: str) -> str:
        """The name as a provider reads it."""
        if name not in self._theirs:
            plain = _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME] or "tool"
            theirs, number = plain, 1
            while theirs in self._ours:
                number += 1
                theirs = f"{plain[: _LONGEST_NAME - len(str(number)) - 1]}_{number}"
            self._theirs[name], self._ours[theirs] = theirs, name
        return self._theirs[name]

    def meant(self, name: str) -> str:
        """The name that a provider's answer means; one that was not offered stays as it is."""
        return self._ours.get(name, name)


def _passage(given: Given) -> str:
    source = escape(untrusted(given.source).replace("\n", " "))
    return f'<passage number="{given.number}" source="{source}">\n{untrusted(given.text)}\n</passage>'


def _enclosed(file: Enclosed) -> str:
    name = escape(untrusted(file.name).replace("\n", " "))
    more = "" if file.is_whole else "\n[Only the beginning: the file is longer.]"
    return f'<file name="{name}">\n{untrusted(file.text)}\n</file>{more}'


def _joined(turns: list[tuple[bool, str]]) -> Iterator[tuple[bool, str]]:
    """The turns without empty ones, and with neighbours of one side as one: some templates insist on both."""
    told = [turn for turn in turns if turn[1].strip()] or [turns[-1]]
    side, texts = told[0][0], [told[0][1]]
    for is_person, text in told[1:]:
        if is_person != side:
            yield side, "\n\n".join(texts)
            side, texts = is_person, []
        texts.append(text)
    yield side, "\n\n".join(texts)


def _steps(steps: tuple[Step, ...], names: Names, *, may_call: bool) -> Iterator[Message]:
    """What happened so far. Where no tool is offered any more, calls are told: some providers insist."""
    if not may_call:
        told = "\n".join(_result(step) for step in steps if isinstance(step, Returned))
        if told:
            yield {"role": "assistant", "content": "I called tools."}
            yield {"role": "user", "content": told}
        return
    said: list[str] = []
    calls: list[Called] = []
    gave: list[Message] = []
    for step in steps:
        if isinstance(step, Returned):
            gave.append({"role": "tool", "tool_call_id": step.call_id, "content": untrusted(step.text)})
            continue
        if gave:
            yield from (_called(said, calls, names), *gave)
            said, calls, gave = [], [], []
        if isinstance(step, Wrote):
            said.append(step.text)
        else:
            calls.append(step)
    if gave:
        yield from (_called(said, calls, names), *gave)


def _called(said: list[str], calls: list[Called], names: Names) -> Message:
    return {
        "role": "assistant",
        "content": "\n\n".join(said) or None,
        "tool_calls": [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": names.sent(call.name), "arguments": _as_json(call.arguments)},
            }
            for call in calls
        ],
    }


def _as_json(arguments: str) -> str:
    """Arguments as they were written, or what some servers can read where they were no JSON."""
    try:
        is_object = isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        is_object = False
    return arguments if is_object else json.dumps({"unreadable": arguments}, ensure_ascii=False)


def _result(step: Returned) -> str:
    return f'<result tool="{escape(untrusted(step.name))}">\n{untrusted(step.text)}\n</result>'
