"""Lean vectors: turned so that the first few numbers tell most, and only those, a byte each.

Neighbours are looked for among lean vectors; exact ones decide among those that were found.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy

_LEAST = 128
_SHARE = 3
_CUT = 0.999
"""The few numbers that lie beyond this quantile are cut, so that a byte is fine enough for the rest."""


class Lean(NamedTuple):
    """How vectors become lean."""

    basis: Any
    """A column for each number of a lean vector: the directions in which the vectors differ most."""
    scale: Any
    """What one step of a byte is worth in each of them."""

    def turned(self, vectors: Any) -> Any:
        """Vectors as lean ones, before they are bytes."""
        return vectors @ self.basis

    def packed(self, turned: Any) -> Any:
        """Lean vectors as bytes."""
        return numpy.clip(numpy.rint(turned / self.scale), -127, 127).astype("i1")


def lean_for(sample: Any) -> Lean:
    """The way that loses least for vectors like these."""
    dimension = sample.shape[1]
    _, directions = numpy.linalg.eigh(sample.T @ sample)  # the weakest first
    length = min(dimension, max(_LEAST, dimension // _SHARE))
    basis = numpy.ascontiguousarray(directions[:, ::-1][:, :length], "f4")
    widest = numpy.quantile(numpy.abs(sample @ basis), _CUT, axis=0)
    return Lean(basis, (numpy.maximum(widest, 1e-6) / 127).astype("f4"))
