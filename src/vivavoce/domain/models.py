"""The language models that an agent can be given, by the names that the platform uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Price(NamedTuple):
    """What a model costs, in US dollars for a million tokens."""

    input: float
    output: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost."""
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


class Model(NamedTuple):
    """A model: the platform's name for it, who makes it, what it is called, and where it can be had."""

    name: str
    maker: str
    title: str
    context: int
    """How many tokens it takes in."""
    vision: bool
    """Whether it sees pictures."""
    tools: bool
    """Whether it calls tools."""
    price: Price | None
    """At the first provider; None where it is not known for sure."""
    at: Mapping[str, str]
    """What each provider calls it, the provider to prefer first. Nowhere for one that only you can serve."""


@cache
def models() -> Mapping[str, Model]:
    """Every model of the catalogue by its name.

    Any other name is accepted as well, e.g. that of a model which you serve yourself.
    """
    rows = json.loads(files("vivavoce.domain").joinpath("models.json").read_text(encoding="utf-8"))
    return {row["name"]: _model(row) for row in rows}


def __getattr__(name: str) -> tuple[Model, ...]:
    """`MODELS`, the models of the catalogue, read when they are first asked for."""
    if name != "MODELS":
        raise AttributeError(name)
    return tuple(models().values())


def _model(row: dict[str, object]) -> Model:
    price = row["price"]
    return Model(**{**row, "price": Price(*price) if isinstance(price, list) else None})  # type: ignore[arg-type]  # our own file
