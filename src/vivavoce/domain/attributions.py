"""Attributions: the ads that brought a person to a conversation, as a provider tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

FIELDS = (
    *("ctwaClid", "sourceId", "sourceType", "headline", "body", "sourceUrl"),
    *("mediaType", "imageUrl", "videoUrl", "thumbnailUrl", "clickedAt"),
)
"""What is told of an ad, by the names of the wire; `ctwaClid` is the click."""
MOST = 20
"""How many are kept with a conversation; the oldest are dropped."""


def with_clicks(
    known: Sequence[Mapping[str, Any]], told: Iterable[Mapping[str, Any]], *, id: str, at: str
) -> list[dict[str, Any]]:
    """Those that are known and those that are told now, each click once; `id` and `at` are of the message."""
    kept = [dict(each) for each in known]
    for number, each in enumerate(told, start=1):
        click = {"clickedAt": at, **{name: each[name] for name in FIELDS if each.get(name)}}
        if not any(_is_same(click, other) for other in kept):
            kept.append({"id": f"{id}-{number}", **click, "createdAt": at, "updatedAt": at})
    return kept[-MOST:]


def told_of(known: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What webhooks are told."""
    return [{name: each[name] for name in FIELDS if name in each} for each in known]


def shown_of(known: Iterable[Mapping[str, Any]], **belongs_to: str | None) -> list[dict[str, Any]]:
    """What is shown with a conversation, with the ids of what it belongs to."""
    always = {"ctwaClid": "", "sourceId": "", "sourceType": ""}
    return [{**always, **each, **belongs_to} for each in known]


def variables_of(known: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What prompt variables tell of the ad that brought the person last, in one line each; else nothing."""
    last = known[-1] if known else {}
    return {name: " ".join(str(last.get(field, "")).split())[:most] for name, (field, most) in _TOLD.items()}


_TOLD = {
    "ad-headline": ("headline", 100),
    "ad-body": ("body", 200),
    "ad-source-url": ("sourceUrl", 200),
    "ad-source-type": ("sourceType", 100),
    "ad-clicked-at": ("clickedAt", 100),
    "ad-clid": ("ctwaClid", 500),
    "ad-source-id": ("sourceId", 200),
}
"""Each variable, where its value stands, and how many characters it may have."""


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    names = ("ctwaClid",) if one.get("ctwaClid") else ("sourceId", "clickedAt")
    return all(one.get(name) == other.get(name) for name in names)
