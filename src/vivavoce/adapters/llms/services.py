"""Services: the model of a provider as the library has it, over our own HTTP client."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from pydantic_ai.models import Model
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.settings import ModelSettings

from .targets import NATIVE, Target

_NO_KEY = "none"
"""What is sent to a server that wants no key, because the library insists on one."""


def model_at(target: Target, client: Any) -> Model[Any]:
    """The model, ready to be asked; ImportError where the provider's package is missing."""
    if target.provider not in NATIVE:
        return _over_the_openai_protocol(target, client)
    return {"anthropic": _anthropic, "google": _google, "mistral": _mistral, "bedrock": _bedrock}[
        target.provider
    ](target, client)


def faults_at(target: Target) -> tuple[type[Exception], ...]:
    """What a provider's own library raises beside what pydantic-ai makes of it."""
    return (import_module("botocore.exceptions").BotoCoreError,) if target.provider == "bedrock" else ()


def _over_the_openai_protocol(target: Target, client: Any) -> Model[Any]:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    speaking: Any = AsyncOpenAI(
        api_key=target.api_key or _NO_KEY, base_url=target.base_url, http_client=client, max_retries=0
    )
    speaking.chat.completions = _Asked(speaking.chat.completions)
    # An answer without its end was cut off, even where the connection was closed in good order.
    ends = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if target.provider == "openai":
        return OpenAIChatModel(target.model, provider=OpenAIProvider(openai_client=speaking), profile=ends)
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False, **ends)
    provider = OpenAICompatibleProvider(target.provider, openai_client=speaking)
    return OpenAIChatModel(target.model, provider=provider, profile=profile)


class _Asked:
    """Completions whose messages go out as they are.

    The package walks through every message in search of values to convert, of which ours have none; with a
    history of 20 messages that takes longer than all the rest of a turn.
    """

    def __init__(self, completions: Any) -> None:
        self._completions = completions

    async def create(self, *, messages: Iterable[Any], extra_body: Any = None, **others: Any) -> Any:
        whole = {**(extra_body or {}), "messages": list(messages)}
        return await self._completions.create(messages=[], extra_body=whole, **others)


def _anthropic(target: Target, client: Any) -> Model[Any]:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    base_url = target.base_url or "https://api.anthropic.com"
    provider = AnthropicProvider(api_key=target.api_key or _NO_KEY, base_url=base_url, http_client=client)
    return AnthropicModel(target.model, provider=provider, settings=ModelSettings(max_retries=0))


def _google(target: Target, client: Any) -> Model[Any]:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    base_url = target.base_url or "https://generativelanguage.googleapis.com"
    provider = GoogleProvider(api_key=target.api_key or _NO_KEY, base_url=base_url, http_client=client)
    return GoogleModel(target.model, provider=provider)


def _mistral(target: Target, client: Any) -> Model[Any]:
    from pydantic_ai.models.mistral import MistralModel
    from pydantic_ai.providers.mistral import MistralProvider

    provider = MistralProvider(
        api_key=target.api_key or _NO_KEY,
        http_client=client,
        base_url=target.base_url or "https://api.mistral.ai",
    )
    return MistralModel(target.model, provider=provider)


def _bedrock(target: Target, client: Any) -> Model[Any]:
    """Over Amazon's own library, which opens its own connections, to the region that the operator names."""
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    return BedrockConverseModel(target.model, provider=BedrockProvider(**dict(target.access)))
