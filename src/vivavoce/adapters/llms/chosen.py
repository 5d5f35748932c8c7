"""The models that this program can use: by the keys there are, and by an endpoint of the operator's own."""

from __future__ import annotations

from collections.abc import Mapping

from vivavoce.domain.models import Price
from vivavoce.ports import Model

from .asking import AskedModel, Patience
from .pricing import priced
from .speaking import Speakers
from .targets import Endpoint, Keys, target_for
from .ways import Clients

__all__ = ["ChosenModels", "Clients", "Endpoint", "Patience"]


class ChosenModels:
    """Models by the names of the catalogue, as `provider:model`, or as an endpoint knows them.

    `keys` are those of the environment. What a workspace has stored for a provider takes their place as a
    whole: a key of the operator is never sent to an address that a workspace names. `prices` are the
    operator's own, by what the provider or the agent calls a model.
    """

    def __init__(
        self,
        clients: Clients,
        *,
        keys: Keys | None = None,
        endpoint: Endpoint | None = None,
        prices: Mapping[str, Price] | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._keys = keys or {}
        self._endpoint = endpoint
        self._prices = prices or {}
        self._speakers = Speakers(clients)
        self._patience = patience or Patience()

    def named(self, name: str, fallback: str | None, keys: Keys) -> Model | None:
        """The model behind a name; None where none is configured.

        Where only the fallback is configured, that one answers.
        """
        known = {**self._keys, **keys}
        wanted = [name] if fallback is None else [name, fallback]
        found = [(target_for(each, known, self._endpoint), each) for each in wanted]
        ready = [priced(target, each, self._prices) for target, each in found if target is not None]
        targets = tuple(dict.fromkeys(ready))
        return AskedModel(targets, self._speakers, self._patience) if targets else None
