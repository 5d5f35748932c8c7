"""Operations on models and on the providers that run them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from vivavoce.domain.entities import Moment
from vivavoce.domain.providers import ProviderName
from vivavoce.domain.values import LINE, Line

from .base import Effect, Listing, Operation, Result


class ModelPrice(Result):
    """What a model costs, in US dollars for a million tokens."""

    input: float
    output: float


class ModelShown(Result):
    """A model by the name that agents have it under."""

    name: str
    label: str
    provider: Annotated[str, Field(description="Who makes it.")]
    cost: Annotated[
        ModelPrice | None, Field(description="US dollars for a million tokens; null where it is not known.")
    ]
    context: Annotated[int, Field(description="How many tokens it takes in.")]
    vision: bool
    tools: Annotated[bool, Field(description="Whether it calls tools.")]
    is_available: Annotated[
        bool | None, Field(description="Whether it can be asked here; null for callers without a key.")
    ]


class ModelList(Listing):
    """The models of the catalogue."""

    models: list[ModelShown]


class ProviderShown(Result):
    """A provider. Its key appears as ********."""

    name: str
    api_key: str | None
    base_url: str | None
    created_at: Moment
    updated_at: Moment


class ProviderRemoved(ProviderShown):
    """The provider that was removed."""


class ProviderList(Listing):
    """The providers that this workspace has a key for."""

    providers: list[ProviderShown]


ApiKey = Annotated[str, Field(min_length=1, max_length=LINE, pattern=r"^[\x21-\x7e]+$")]


class ListModels(
    Operation[ModelList], effect=Effect.READ, route="GET /agents/models", offer="extra", anonymous=True
):
    """List the models that an agent can be given, with their prices and whether they can be asked here.

    Other names are accepted as well: provider:model, or a name that your own endpoint knows.
    """


class SetProvider(
    Operation[ProviderShown],
    effect=Effect.ADMIN,
    route="PUT /providers/{name}",
    offer="never",  # a key has no business in the context of a model
    echoes="createdAt updatedAt",
):
    """Store the key of a provider of models, encrypted. It replaces what was stored for that provider.

    Use it so that agents can speak with the provider's models. The key is never shown again. What is stored
    here is used instead of a key in the environment.
    """

    name: Annotated[ProviderName, Field(description="Which provider.")]
    api_key: Annotated[
        ApiKey | None, Field(description="Its key; ******** keeps the stored one. Null for none.")
    ] = None
    base_url: Annotated[
        Line | None,
        Field(description="Where it answers, up to /v1, where that is not its usual address."),
    ] = None


class ListProviders(Operation[ProviderList], effect=Effect.ADMIN, route="GET /providers", offer="never"):
    """List the providers that this workspace has stored keys for. Keys appear as ********."""


class RemoveProvider(
    Operation[ProviderRemoved], effect=Effect.ADMIN, route="DELETE /providers/{name}", offer="never"
):
    """Remove a provider and its key. A key for it in the environment counts again."""

    name: Annotated[ProviderName, Field(description="Which provider, as list_providers shows it.")]
