"""Native: one request through pydantic-ai, for providers with protocols of their own.

Importing this takes a second or more.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, cast

from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UserError,
)
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from vivavoce.errors import VivavoceError
from vivavoce.ports import Called, Cut, Delta, Offered, Piece, Prompt, Spent

from .chunks import MOST_CALLS
from .failing import (
    Failed,
    cut_off,
    refused,
    retry_seconds,
    unreachable,
    unreadable,
    unusable,
    used_up,
    withheld,
)
from .pricing import cost_of, counted
from .rendering import Message, Names, messages_of
from .seeing import Sight
from .services import faults_at, model_at
from .targets import Target

_UNREADABLE = (
    *(AgentRunError, UserError, AssertionError, AttributeError, LookupError),
    *(RecursionError, TypeError, ValueError),
)
"""What the libraries raise when a server answers with JSON of another shape, too deep, or with none."""


class NativeSpeaker:
    """A model at its provider, ready to be asked."""

    def __init__(self, target: Target, client: Any) -> None:
        self._target, self._sight = target, Sight()
        self._faults: tuple[type[Exception], ...] = (VivavoceError, *_UNREADABLE, *faults_at(target))
        try:
            self._model = model_at(target, client)
        except self._faults:
            raise unusable(target) from None

    async def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece | None, None]:
        """What it says when it is asked once, and None for each other sign of life; Failed where it fails."""
        names = Names(prompt.tools)
        sees = bool(prompt.pictures) and self._sight.takes_pictures
        while True:  # a second time without pictures, where they are refused
            has_begun = False
            try:
                async with self._asked(prompt, names, sees=sees) as stream:
                    async for event in stream:
                        if sees and not has_begun:
                            self._sight.saw()
                        has_begun = True
                        text = _text(event)
                        yield Delta(text) if text else None
                    response = stream.get()
                end = self._end(response, names)
            except self._faults as error:
                if has_begun or not (sees and self._refuses_pictures(error)):
                    raise self._failed(error) from None
                sees = False
            else:
                for piece in end:
                    yield piece
                return

    def _asked(
        self, prompt: Prompt, names: Names, *, sees: bool
    ) -> AbstractAsyncContextManager[StreamedResponse]:
        tools = prompt.tools if self._target.takes_tools else ()
        return model_request_stream(
            self._model,
            _messages(messages_of(prompt, names, sees=sees)),
            model_settings=self._settings(prompt.sampling),
            model_request_parameters=ModelRequestParameters(function_tools=_tools(tools, names)),
            instrument=False,
        )

    def _refuses_pictures(self, error: Exception) -> bool:
        return isinstance(error, ModelHTTPError) and self._sight.is_refused(
            error.status_code, str(error.body)
        )

    def _end(self, response: ModelResponse, names: Names) -> list[Piece]:
        """The calls and what it cost, once all was said."""
        if response.finish_reason == "content_filter":
            raise withheld(self._target)
        if response.finish_reason is None:
            raise cut_off(self._target)
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        if not calls and not response.text:
            raise (used_up if response.finish_reason == "length" else unreadable)(self._target)
        if len(calls) > MOST_CALLS:
            raise unreadable(self._target)
        return [
            *(Called(call.tool_call_id, names.meant(call.tool_name), _arguments(call)) for call in calls),
            *((Cut(),) if response.finish_reason == "length" else ()),
            *self._spent(response),
        ]

    def _spent(self, response: ModelResponse) -> list[Spent]:
        """What it cost; nothing where that cannot be."""
        target = self._target
        read, wrote = counted(response.usage.input_tokens), counted(response.usage.output_tokens)
        if not read or wrote is None:  # who says that it read nothing does not count
            return []
        return [Spent(target.model, read, wrote, cost_of(target, read, wrote))]

    def _settings(self, sampling: Mapping[str, float | int]) -> ModelSettings:
        """How freely it speaks, without what models that think first do not take."""
        profile: Mapping[str, Any] = self._model.profile
        refuses = any(value for key, value in profile.items() if key.endswith("disallows_sampling_settings"))
        kept = {"max_tokens"} if refuses else set(sampling)
        return cast(ModelSettings, {name: value for name, value in sampling.items() if name in kept})

    def _failed(self, error: Exception) -> Failed:
        if isinstance(error, ModelHTTPError):
            failed = refused(self._target, error.status_code, retry_seconds(error.headers or {}))
            failed.is_passing = failed.is_passing and not isinstance(error, ModelQuotaExceededError)
            return failed
        cause = _cause(error)
        if cause is not None:
            return unreachable(self._target, cause)
        if isinstance(error, ModelConnectionError):
            return cut_off(self._target)
        return unreadable(self._target)


def _text(event: ModelResponseStreamEvent) -> str:
    """What is said; what the model thinks is left out."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _arguments(call: ToolCallPart) -> str:
    """JSON as the model wrote it, which may be none."""
    if isinstance(call.args, str):
        return call.args
    return json.dumps(call.args or {}, ensure_ascii=False)


def _messages(messages: Sequence[Message]) -> list[ModelMessage]:
    """Messages as the library has them: what one side says in a row is one of them."""
    built: list[ModelMessage] = []
    tools: dict[str, str] = {}
    for message in messages:
        if message["role"] == "assistant":
            calls = [(call["id"], call["function"]) for call in message.get("tool_calls", ())]
            tools |= {id: function["name"] for id, function in calls}
            said = [TextPart(content=message["content"])] if message["content"] else []
            made = [
                ToolCallPart(tool_name=function["name"], args=function["arguments"], tool_call_id=id)
                for id, function in calls
            ]
            built.append(ModelResponse(parts=[*said, *made]))
            continue
        before = built.pop().parts if built and isinstance(built[-1], ModelRequest) else []
        built.append(ModelRequest(parts=[*cast(Any, before), _part(message, tools)]))
    return built


def _part(message: Message, tools: Mapping[str, str]) -> ModelRequestPart:
    match message["role"]:
        case "system":
            return SystemPromptPart(content=message["content"])
        case "tool":
            id = message["tool_call_id"]
            return ToolReturnPart(
                tool_name=tools.get(id, "tool"), content=message["content"], tool_call_id=id
            )
        case _ if "pictures" in message:
            shown = [BinaryContent(each.content, media_type=each.mime_type) for each in message["pictures"]]
            return UserPromptPart(content=[message["content"], *shown])
        case _:
            return UserPromptPart(content=message["content"])


def _tools(offered: Iterable[Offered], names: Names) -> list[ToolDefinition]:
    """The tools as they are offered to a provider, their schemas unchanged."""
    return [
        ToolDefinition(
            name=names.sent(tool.name),
            description=tool.description,
            parameters_json_schema=tool.parameters,
            strict=False,
        )
        for tool in offered
    ]


def _cause(error: BaseException | None) -> VivavoceError | None:
    """Our own error, when that is what stopped the library."""
    while error is not None and not isinstance(error, VivavoceError):
        error = error.__cause__ or error.__context__
    return error
