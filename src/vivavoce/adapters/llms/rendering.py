"""Rendering: a prompt as the messages that a provider is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.tools import ToolDefinition

from vivavoce.domain.cleaning import cleaned
from vivavoce.ports import Given, Offered, Prompt, Returned, Step, Wrote

_TAG = re.compile(r"<(?=\s*/?\s*(?:passage|result)\b)", re.IGNORECASE)
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]+")
_LONGEST_NAME = 64


def messages_of(prompt: Prompt, names: Names) -> list[ModelMessage]:
    """The whole prompt: instructions, what was said before, the question with its passages, and the steps."""
    turns: list[tuple[bool, str]] = [(said.by == "person", untrusted(said.text)) for said in prompt.history]
    turns.append((True, question_of(prompt)))
    messages: list[ModelMessage] = []
    for is_person, text in _joined(turns):
        messages.append(
            ModelRequest(parts=[UserPromptPart(content=text)])
            if is_person
            else ModelResponse(parts=[TextPart(content=text)])
        )
    first = SystemPromptPart(content=cleaned(prompt.instructions))
    if isinstance(messages[0], ModelRequest):
        messages[0] = ModelRequest(parts=[first, *messages[0].parts])
    else:
        messages.insert(0, ModelRequest(parts=[first]))
    return [*messages, *_steps(prompt.steps, names, may_call=bool(prompt.tools))]


def question_of(prompt: Prompt) -> str:
    """The question, after the passages that may answer it."""
    question = untrusted(prompt.question)
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

    def tools(self, offered: Iterable[Offered]) -> list[ToolDefinition]:
        """The tools as they are offered to a provider, their schemas unchanged."""
        return [
            ToolDefinition(
                name=self.sent(tool.name),
                description=tool.description,
                parameters_json_schema=tool.parameters,
                strict=False,
            )
            for tool in offered
        ]


def _passage(given: Given) -> str:
    source = escape(untrusted(given.source).replace("\n", " "))
    return f'<passage number="{given.number}" source="{source}">\n{untrusted(given.text)}\n</passage>'


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


def _steps(steps: tuple[Step, ...], names: Names, *, may_call: bool) -> Iterator[ModelMessage]:
    """What happened so far. Where no tool is offered any more, calls are told: some providers insist."""
    if not may_call:
        told = "\n".join(_result(step) for step in steps if isinstance(step, Returned))
        if told:
            yield ModelResponse(parts=[TextPart(content="I called tools.")])
            yield ModelRequest(parts=[UserPromptPart(content=told)])
        return
    said: list[ModelResponsePart] = []
    gave: list[ModelRequestPart] = []
    for step in steps:
        if isinstance(step, Returned):
            gave.append(
                ToolReturnPart(
                    tool_name=names.sent(step.name), content=untrusted(step.text), tool_call_id=step.call_id
                )
            )
            continue
        if gave:
            yield from (ModelResponse(parts=said), ModelRequest(parts=gave))
            said, gave = [], []
        said.append(
            TextPart(content=step.text)
            if isinstance(step, Wrote)
            else ToolCallPart(tool_name=names.sent(step.name), args=step.arguments, tool_call_id=step.id)
        )
    if gave:
        yield from (ModelResponse(parts=said), ModelRequest(parts=gave))


def _result(step: Returned) -> str:
    return f'<result tool="{escape(untrusted(step.name))}">\n{untrusted(step.text)}\n</result>'
