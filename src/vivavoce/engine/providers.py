"""How the engine carries out operations on models and their providers."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.models import Model, models
from vivavoce.domain.providers import Provider, with_covered_key
from vivavoce.domain.secrets import MARKER
from vivavoce.errors import NotFound
from vivavoce.operations.providers import (
    ListModels,
    ListProviders,
    ModelList,
    ModelPrice,
    ModelShown,
    ProviderList,
    ProviderRemoved,
    ProviderShown,
    RemoveProvider,
    SetProvider,
)
from vivavoce.ports import Tables

from .handlers import Work, handles


def provider_keys(tables: Tables) -> dict[str, dict[str, str]]:
    """What the workspace has stored for each provider, as models are asked with it."""
    return {
        provider.name: {"base_url": provider.base_url or "", **provider.secrets}
        for provider in tables.providers.where()
    }


@handles(ListModels, is_long=True)
def list_models(op: ListModels, work: Work) -> ModelList:
    keys = provider_keys(work.tables)
    return ModelList(models=[_model_shown(model, keys, work) for model in models().values()])


@handles(SetProvider)
def set_provider(op: SetProvider, work: Work) -> ProviderShown:
    before = _stored(op.name, work)
    values = with_covered_key(op.api_key, op.base_url, before)
    if before is None:
        provider = Provider(**work.identity(), name=op.name, **values)
        work.tables.providers.add(provider)
    else:
        provider = before.changed(work.now, **values)
        work.tables.providers.replace(provider)
    return ProviderShown(**_shown(provider))


@handles(ListProviders)
def list_providers(op: ListProviders, work: Work) -> ProviderList:
    return ProviderList(
        providers=[ProviderShown(**_shown(provider)) for provider in work.tables.providers.where()]
    )


@handles(RemoveProvider)
def remove_provider(op: RemoveProvider, work: Work) -> ProviderRemoved:
    provider = _stored(op.name, work)
    if provider is None:
        raise NotFound(
            f"No key of the provider {op.name!r} is stored.", hint="List them with list_providers."
        )
    work.tables.providers.drop(provider.id)
    return ProviderRemoved(**_shown(provider))


def _model_shown(model: Model, keys: dict[str, dict[str, str]], work: Work) -> ModelShown:
    asked = None if work.caller.is_anonymous else work.ports.models.named(model.name, None, keys)
    return ModelShown(
        name=model.name,
        label=model.title,
        provider=model.maker,
        cost=None if model.price is None else ModelPrice(**model.price._asdict()),
        context=model.context,
        vision=model.vision,
        tools=model.tools,
        is_available=None if work.caller.is_anonymous else asked is not None,
    )


def _stored(name: str, work: Work) -> Provider | None:
    return next(iter(work.tables.providers.where(name=name)), None)


def _shown(provider: Provider) -> dict[str, Any]:
    names = ("name", "base_url", "created_at", "updated_at")
    return {
        "api_key": MARKER if "api_key" in provider.secrets else None,
        **{name: getattr(provider, name) for name in names},
    }
