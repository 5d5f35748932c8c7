"""Weighing: how the scores of the chosen embedder are calibrated, and measuring it again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vivavoce.app import App
from vivavoce.domain.answers.relevance import KNOWN, Calibration
from vivavoce.engine.library.calibration import calibrate


@dataclass(frozen=True)
class Weighed:
    """A calibration and where it comes from."""

    embedder: str
    origin: Literal["measured", "shipped", "none"]
    calibration: Calibration | None
    reranker: str | None = None


async def calibrate_chosen(app: App) -> Weighed:
    """Measure the chosen embedder, with the reranker where the app has one, and keep what was found."""
    embedder, reranker = app.ports.embedders.chosen(), app.ports.embedders.reranker()
    found = await calibrate(embedder, reranker, app.ports)
    return Weighed(
        embedder.identity, "measured", found, reranker.identity if reranker and found.rereads else None
    )


async def calibration_in_force(app: App) -> Weighed:
    """The calibration that searches under the chosen embedder use now."""
    identity = app.ports.embedders.chosen().identity
    kept = await app.ports.store.read(lambda tables: tables.collections.calibration(identity))
    if kept is not None:
        return Weighed(identity, "measured", Calibration.read(kept))
    known = KNOWN.get(identity)
    return Weighed(identity, "none" if known is None else "shipped", known)
