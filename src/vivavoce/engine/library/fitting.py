"""Fitting: what each kind of evidence weighs, learnt from examples by logistic regression of two kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_SHRINKING = 1e-3
_ROUNDS = 60


def fitted(
    columns: Sequence[Any], answers: Any, weights: Any = None, *, shrinking: float = _SHRINKING
) -> list[float]:
    """The weight of each column, shrunk, slightly where nothing else is said, and the base last.

    `answers` are 1 or 0 for each example, `weights` what each counts; without them the ones and the others
    count the same together. Columns are best of like spread.
    """
    import numpy

    features = numpy.column_stack([*columns, numpy.ones(len(answers))])
    if weights is None:
        weights = numpy.where(answers == 1, 0.5 / answers.sum(), 0.5 / (1 - answers).sum())
    weights = weights / weights.sum()
    shrunk = numpy.array([shrinking] * len(columns) + [0.0])
    found = numpy.zeros(features.shape[1])
    for _ in range(_ROUNDS):  # Newton's method
        chances = 1 / (1 + numpy.exp(-features @ found))
        slope = features.T @ (weights * (chances - answers)) + shrunk * found
        curve = (features * (weights * chances * (1 - chances))[:, None]).T @ features
        found -= numpy.linalg.solve(curve + numpy.diag(shrunk + 1e-9), slope)
    return [float(each) for each in found]


def ordered(
    columns: Sequence[Any], answers: Any, groups: Any, weights: Any, *, shrinking: float = _SHRINKING
) -> list[float]:
    """The weight of each column with which the one that answers comes first among those of its group.

    Groups without one tell nothing of that; where there are no others, no column weighs anything. Columns are
    best of like spread.
    """
    import numpy

    _, places = numpy.unique(groups, return_inverse=True)
    number = int(places.max()) + 1
    counts = numpy.bincount(places, weights * answers, number)
    if not counts.any():
        return [0.0] * len(columns)
    counts = (counts / counts.sum())[places]
    features = numpy.column_stack(columns)
    found = numpy.zeros(features.shape[1])
    for _ in range(_ROUNDS):  # Newton's method
        evidence = features @ found
        highest = numpy.full(number, -numpy.inf)
        numpy.maximum.at(highest, places, evidence)
        shares = numpy.exp(evidence - highest[places])
        shares /= numpy.bincount(places, shares, number)[places]
        middles = numpy.column_stack(
            [numpy.bincount(places, shares * column, number) for column in features.T]
        )
        apart = features - middles[places]
        slope = features.T @ (counts * (shares - answers)) + shrinking * found
        curve = (apart * (counts * shares)[:, None]).T @ apart
        found -= numpy.linalg.solve(curve + numpy.diag([shrinking + 1e-9] * len(found)), slope)
    return [float(each) for each in found]
