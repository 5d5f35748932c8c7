"""Services: the model of a provider as the library has it, over our own HTTP client."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from .targets import Target

_NO_KEY = "none"
"""What is sent to a server that wants no key, because the library insists on one."""


def model_at(target: Target, client: Any) -> Model[Any]:
    """The model, ready to be asked; ImportError where the provider's package is missing."""
    return {"anthropic": _anthropic, "google": _google, "mistral": _mistral, "bedrock": _bedrock}[
        target.provider
    ](target, client)


def faults_at(target: Target) -> tuple[type[Exception], ...]:
    """What a provider's own library raises beside what pydantic-ai makes of it."""
    return (import_module("botocore.exceptions").BotoCoreError,) if target.provider == "bedrock" else ()


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
