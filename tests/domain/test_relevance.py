"""Relevance: evidence becomes a score from 0 to 1 that rises with it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.answers.relevance import KNOWN, Calibration, Fit, Reread, score_of

shares = st.floats(0, 1)
cosines = st.floats(-1, 1)
languages = st.sampled_from(["en", "pt", "fr", ""])


@given(st.floats(allow_nan=False))
def test_a_score_lies_between_0_and_1(logit):
    assert 0 < score_of(logit) < 1


@given(st.floats(-29, 29), st.floats(0.01, 1))
def test_more_evidence_is_a_higher_score(logit, more):
    assert score_of(logit + more) > score_of(logit)


def test_even_odds_are_a_half():
    assert score_of(0) == 0.5
    assert score_of(3) == pytest.approx(1 - score_of(-3))


@pytest.mark.parametrize("embedder", KNOWN)
@given(words=shares, meaning=cosines, language=languages, more=st.floats(0.01, 1))
def test_words_and_meaning_both_raise_the_score_of_every_known_embedder(
    embedder, words, meaning, language, more
):
    fit = KNOWN[embedder].fit(language)

    assert fit.evidence(words + more, meaning) > fit.evidence(words, meaning)
    assert fit.evidence(words, meaning + more) > fit.evidence(words, meaning)


def test_weights_follow_the_language():
    known = KNOWN["bge-small-en-int8"]

    # An English model tells little about Portuguese, so words must.
    assert known.fit("pt").meaning / known.fit("pt").words < known.fit("en").meaning / known.fit("en").words


def test_a_language_that_was_not_measured_gets_the_fit_that_trusts_meaning_least():
    calibration = Calibration({"en": Fit(2.0, 10.0, -5.0), "pt": Fit(8.0, 4.0, -4.0)})

    assert calibration.fit("ar") == calibration.fit("") == calibration.fit("pt") == Fit(8.0, 4.0, -4.0)
    assert calibration.fit("en") == Fit(2.0, 10.0, -5.0)


def test_a_reranker_counts_only_in_the_languages_it_was_measured_in():
    calibration = Calibration({"en": Fit(1, 1, 0)}, {"en": Reread(0.5, 2.0, -1.0)})

    assert calibration.reread("pt") is None
    assert calibration.reread("en").judged(1.0, 2.0) == 0.5 + 4.0 - 1.0


def test_a_calibration_survives_being_written_and_read():
    calibration = Calibration({"en": Fit(1.5, 2.0, -3.25)}, {"en": Reread(0.5, 2.0, -1.0)})

    again = Calibration.read(json.loads(json.dumps(calibration.written())))

    assert (again.fits, again.rereads) == (calibration.fits, calibration.rereads)
