"""Fitting: what examples tell about the weight of evidence."""

import numpy
import pytest

from vivavoce.engine.library.fitting import fitted

ANSWERS = numpy.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
TELLING = numpy.array([0.0, 1.0, 2.0, 2.0, 3.0, 4.0])
SAYING_NOTHING = numpy.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])


def test_evidence_that_tells_weighs_more_than_evidence_that_does_not():
    telling, nothing, base = fitted([TELLING, SAYING_NOTHING], ANSWERS)

    assert telling > 0.5
    assert base < 0
    assert telling > abs(nothing) / 4


def test_ones_and_others_count_the_same_together_however_many_there_are():
    more = numpy.tile([0.0, 1.0, 2.0], 20)

    once = fitted([TELLING], ANSWERS)
    often = fitted(
        [numpy.concatenate([numpy.repeat(TELLING[ANSWERS == 0], 20), TELLING[ANSWERS == 1]])],
        numpy.concatenate([numpy.zeros(len(more)), numpy.ones(3)]),
    )

    assert often == pytest.approx(once, abs=1e-6)


def test_an_example_that_counts_for_nothing_changes_nothing():
    counts = numpy.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])

    assert fitted([TELLING], ANSWERS, counts) == pytest.approx(fitted([TELLING[:5]], ANSWERS[:5], counts[:5]))
