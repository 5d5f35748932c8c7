"""Speech: one request to a model through pydantic-ai. Importing this takes a second or more."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
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
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from vivavoce.errors import VivavoceError
from vivavoce.ports import Called, Delta, Piece, Prompt, Spent

from .failing import Failed, cut_off, refused, unreachable, unreadable, unusable, withheld
from .rendering import Names, messages_of
from .services import faults_at, model_at
from .targets import Target

_UNREADABLE = (
    *(AgentRunError, UserError, AssertionError, AttributeError, LookupError),
    *(RecursionError, TypeError, ValueError),
)
"""What the libraries raise when a server answers with JSON of another shape, too deep, or with none."""


class Speaker:
    """A model at its provider, ready to be asked."""

    def __init__(self, target: Target, client: Any) -> None:
        self._target = target
        self._faults: tuple[type[Exception], ...] = (VivavoceError, *_UNREADABLE, *faults_at(target))
        try:
            self._model = model_at(target, client)
        except self._faults:
            raise unusable(target) from None

    async def pieces(self, prompt: Prompt) -> AsyncGenerator[Piece | None, None]:
        """What it says when it is asked once, and None for each other sign of life; Failed where it fails."""
        tools = prompt.tools if self._target.takes_tools else ()
        names = Names(prompt.tools)
        asked = model_request_stream(
            self._model,
            messages_of(prompt, names),
            model_settings=self._settings(prompt.sampling),
            model_request_parameters=ModelRequestParameters(function_tools=names.tools(tools)),
            instrument=False,
        )
        try:
            async with asked as stream:
                async for event in stream:
                    text = _text(event)
                    yield Delta(text) if text else None
                response = stream.get()
            end = self._end(response, names)
        except self._faults as error:
            raise self._failed(error) from None
        for piece in end:
            yield piece

    def _end(self, response: ModelResponse, names: Names) -> list[Piece]:
        """The calls and what it cost, once all was said."""
        if response.finish_reason == "content_filter":
            raise withheld(self._target)
        if response.finish_reason is None:
            raise cut_off(self._target)
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        if not calls and not response.text:
            raise unreadable(self._target)
        return [
            *(Called(call.tool_call_id, names.meant(call.tool_name), _arguments(call)) for call in calls),
            self._spent(response),
        ]

    def _spent(self, response: ModelResponse) -> Spent:
        used, target = response.usage, self._target
        tokens = used.input_tokens, used.output_tokens
        return Spent(target.model, *tokens, cost=self._cost(response, *tokens))

    def _cost(self, response: ModelResponse, read: int, wrote: int) -> float | None:
        """By the price list that comes with the library, which knows of caches, or by the catalogue."""
        if self._target.is_own or not read:
            return None
        try:
            return float(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            price = self._target.price
            return None if price is None else price.of(read, wrote)

    def _settings(self, sampling: Mapping[str, float | int]) -> ModelSettings:
        """How freely it speaks, without what models that think first do not take."""
        profile: Mapping[str, Any] = self._model.profile
        thinks = profile.get("openai_supports_reasoning") and (
            profile.get("thinking_enabled_by_default")
            or not profile.get("openai_supports_reasoning_effort_none")
        )
        refuses = any(value for key, value in profile.items() if key.endswith("disallows_sampling_settings"))
        kept = {"max_tokens"} if thinks or refuses or "-search" in self._target.model else set(sampling)
        return cast(ModelSettings, {name: value for name, value in sampling.items() if name in kept})

    def _failed(self, error: Exception) -> Failed:
        if isinstance(error, ModelHTTPError):
            failed = refused(self._target, error.status_code, _retry_after(error))
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


def _retry_after(error: ModelHTTPError) -> float | None:
    said = (error.headers or {}).get("retry-after", "")
    try:
        seconds = float(said)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _cause(error: BaseException | None) -> VivavoceError | None:
    """Our own error, when that is what stopped the library."""
    while error is not None and not isinstance(error, VivavoceError):
        error = error.__cause__ or error.__context__
    return error
