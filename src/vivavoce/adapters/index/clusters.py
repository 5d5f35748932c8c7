"""Clusters: vectors that lie near each other stand together, so that a search reads only a few of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

_ROWS_EACH = 256
"""How many vectors a cluster has on average."""
_SMALL = 8_192
"""Up to this many vectors are read whole: clusters would not pay."""
_SAMPLE_EACH = 48
"""How many vectors of a sample teach one cluster."""
_ROUNDS = 8
_AT_ONCE = 16_384


def clustered(number: int, rows: Callable[[Any], Any], dimension: int) -> tuple[Any, Any]:
    """Centres for `number` vectors, and the cluster of each; `rows(places)` gives vectors as float32."""
    if number <= _SMALL:
        return numpy.zeros((1, dimension), "f4"), numpy.zeros(number, "i4")
    wanted = number // _ROWS_EACH
    chance = numpy.random.default_rng(number)  # the same vectors, the same clusters
    sample = rows(numpy.sort(chance.choice(number, min(number, wanted * _SAMPLE_EACH), replace=False)))
    centres = _taught(sample, wanted, chance)
    assigned = numpy.empty(number, "i4")
    for start in range(0, number, _AT_ONCE):
        places = numpy.arange(start, min(start + _AT_ONCE, number))
        assigned[places] = _nearest(rows(places), centres)
    return centres, assigned


def _taught(sample: Any, wanted: int, chance: numpy.random.Generator) -> Any:
    """Centres that the sample gathers around: k-means on the sphere."""
    centres = sample[chance.choice(len(sample), wanted, replace=False)]
    for _ in range(_ROUNDS):
        assigned = _nearest(sample, centres)
        order = numpy.argsort(assigned, kind="stable")
        members = numpy.bincount(assigned, minlength=wanted)
        starts = numpy.concatenate(([0], numpy.cumsum(members)[:-1]))
        sums = numpy.add.reduceat(sample[order], numpy.minimum(starts, len(sample) - 1), axis=0)
        lonely = members == 0
        sums[lonely] = sample[chance.choice(len(sample), int(lonely.sum()))]
        lengths = numpy.linalg.norm(sums, axis=1, keepdims=True)
        centres = sums / numpy.where(lengths == 0, 1, lengths)
    return centres.astype("f4")


def _nearest(rows: Any, centres: Any) -> Any:
    nearest = numpy.empty(len(rows), "i4")
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        nearest[start : start + len(part)] = numpy.argmax(part @ centres.T, axis=1)
    return nearest
