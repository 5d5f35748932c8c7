"""Choosing who answers: the model that is wanted, or sentences of the documents where there is none."""

from __future__ import annotations

from vivavoce.engine.handlers import Work
from vivavoce.engine.providers import provider_keys
from vivavoce.ports import Model

from .assembling import Scene
from .extractive import ExtractiveModel
from .spending import check_budget


def model_for(scene: Scene, work: Work) -> Model:
    """The model of a turn; BudgetSpent where the agent may not pay for one any more."""
    keys = provider_keys(work.tables)
    model = work.ports.models.named(scene.model_name, scene.agent.fallback_model_name, keys)
    if model is None:
        return ExtractiveModel()
    check_budget(scene.agent, work.now, work.tables)
    return model
