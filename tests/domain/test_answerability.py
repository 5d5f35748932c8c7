"""Answerability: more evidence never makes an answer less likely, and what is missing is seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.answerability import Evidence, likeness_told, logit_of, spoken_of
from vivavoce.domain.questions import wanted_in
from vivavoce.domain.relevance import score_of
from vivavoce.domain.words import words_of

SHARES = st.floats(0, 1)
LOGITS = st.floats(-12, 12)
EVIDENCE = st.builds(
    Evidence,
    asked=SHARES,
    missing=st.integers(0, 5).map(float),
    passage=LOGITS,
    sentence=LOGITS,
    unlike=SHARES,
    kind=SHARES,
)


def spoken(question, text, language="en"):
    return spoken_of(wanted_in(question, (), language), words_of(text, language))


def test_what_is_asked_beside_the_names_is_what_counts():
    text = "Toddington Outdoor takes tents back for 120 days."

    assert spoken("Does Toddington Outdoor take back tents?", text)[0] > 0.9
    assert spoken("Does Toddington Outdoor repair helicopters?", text)[0] < 0.1


def test_a_name_that_the_passage_does_not_have_is_missing():
    text = "The company was founded by Maria Silva in 1998."

    assert spoken("When did Maria Silva found the company?", text)[1] == 0
    assert spoken("When did Boris Karlov found the company?", text)[1] == 2


def test_another_form_of_a_word_counts_less_than_the_word():
    same, other, none = (
        spoken("quem regulamenta o mercado", text, "pt")[0]
        for text in ("quem regulamenta o mercado", "a regulação do mercado", "o preço do pão")
    )

    assert 1 == same > other > none == 0


def test_a_question_of_names_alone_asks_for_nothing_else():
    assert spoken_of(wanted_in("what about Maria Silva", (), "en"), ["maria", "silva"]) == (1.0, 0.0)


def test_words_without_their_like_add_up_and_small_words_do_not_count():
    alike = [("who", 0.7), ("painted", 0.55), ("the", 0.2), ("old", 0.1), ("canal", 0.9), ("gate", 0.65)]

    unlike, kind = likeness_told("Who painted the old canal gate?", alike)

    assert unlike == pytest.approx(0.3 + 0.2)
    assert kind == 0.7


def test_a_question_without_a_word_that_asks_is_of_no_kind():
    assert likeness_told("canal gate colour", [("canal", 0.9)]) == (0, 0.85)


@given(EVIDENCE, st.floats(0, 0.5), st.floats(0, 6))
def test_more_evidence_never_makes_an_answer_less_likely(evidence, share, logit):
    better = evidence._replace(
        asked=min(1.0, evidence.asked + share),
        passage=evidence.passage + logit,
        sentence=evidence.sentence + logit,
        unlike=max(0.0, evidence.unlike - share),
        kind=evidence.kind + share,
    )

    assert better.likelihood >= evidence.likelihood
    assert evidence._replace(missing=evidence.missing + 1).likelihood <= evidence.likelihood
    assert better._replace(passage=None).likelihood >= evidence._replace(passage=None).likelihood


@given(EVIDENCE)
def test_the_likelihood_is_a_chance_with_a_judge_and_without(evidence):
    assert 0 <= evidence.likelihood <= 1
    assert 0 <= evidence._replace(passage=None).likelihood <= 1


def test_what_was_not_read_is_not_told():
    assert Evidence(asked=0.5, missing=1).written() == {"asked": 0.5, "missing": 1}


@given(st.floats(-8, 8))
def test_a_logit_and_its_chance_belong_together(logit):
    assert abs(logit_of(score_of(logit)) - logit) < 0.001
