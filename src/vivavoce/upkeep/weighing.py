"""Weighing: how the scores of an embedder are calibrated, and measuring it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vivavoce.app import App
from vivavoce.domain.answers.relevance import KNOWN, Calibration
from vivavoce.engine.library.calibration import calibrate
from vivavoce.ports import Embedder


@dataclass(frozen=True)
class Weighed:
    """A calibration and where it comes from."""

    embedder: str
    origin: Literal["measured", "shipped", "none"]
    calibration: Calibration | None
    reranker: str | None = None


async def calibrate_anew(app: App, name: str | None = None) -> Weighed:
    """Measure an embedder, with the reranker where the app has one, and keep what was found.

    The one of that name, or else the one that is chosen for English texts.
    """
    embedder, reranker = _embedder(app, name), app.ports.embedders.reranker()
    found = await calibrate(embedder, reranker, app.ports)
    return Weighed(
        embedder.identity, "measured", found, reranker.identity if reranker and found.rereads else None
    )


async def calibration_in_force(app: App, name: str | None = None) -> Weighed:
    """The calibration that searches under such an embedder use now."""
    identity = _embedder(app, name).identity
    kept = await app.ports.store.read(lambda tables: tables.collections.calibration(identity))
    if kept is not None:
        return Weighed(identity, "measured", Calibration.read(kept))
    known = KNOWN.get(identity)
    return Weighed(identity, "none" if known is None else "shipped", known)


def _embedder(app: App, name: str | None) -> Embedder:
    return app.ports.embedders.chosen("en") if name is None else app.ports.embedders.named(name)
