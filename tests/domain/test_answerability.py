"""Answerability: more evidence never makes an answer less likely, and what is missing is seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.answers.answerability import (
    Evidence,
    Mark,
    logit_of,
    spoken_of,
    together_told,
    unlike_told,
)
from vivavoce.domain.answers.relevance import score_of
from vivavoce.domain.corpus.excerpts import excerpts_of
from vivavoce.domain.language.words import words_of
from vivavoce.domain.questions.expecting import expected_by
from vivavoce.domain.questions.subjects import wanted_in

SHARES = st.floats(0, 1)
LOGITS = st.floats(-12, 12)
EVIDENCE = st.builds(
    Evidence,
    asked=SHARES,
    missing=st.integers(0, 5).map(float),
    together=SHARES,
    lacking=st.sampled_from([0.0, 1.0]),
    length=st.floats(-1, 2),
    passage=LOGITS,
    sentence=LOGITS,
    unlike=SHARES,
    within=LOGITS,
    said=LOGITS,
)


def spoken(question, text, language="en"):
    return spoken_of(wanted_in(question, (), language), words_of(text, language))


def told(question, text, title="", language="pt"):
    """What the sentences of a text tell one by one."""
    wanted, expected = wanted_in(question, (), language), expected_by(question, language)
    return together_told(wanted, expected, words_of(title, language), excerpts_of(text, language))


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


def test_a_measure_of_what_is_named_is_asked_for_by_the_names():
    text = "La péniche « Belle-Hortense », lancée en 1893, mesure 38 mètres."

    assert spoken("Quelle est la longueur de la Belle-Hortense ?", text, "fr") == (1.0, 0.0)


def test_words_count_together_where_one_sentence_has_them():
    together, _, _ = told("Quem pinta as barracas da feira?", "A feira abre cedo. Ana pinta as barracas.")
    apart, _, _ = told("Quem pinta as barracas da feira?", "Rui abre cedo. As barracas esperam. Ana pinta.")

    assert together == 1 > apart


def test_the_title_and_the_opening_need_not_be_repeated():
    text = "Rui chegou cedo. A feira abre às oito. Depois chove."

    assert told("Quando Rui abre a feira da praça?", text)[0] < 1
    assert told("Quando Rui abre a feira da praça?", text, title="A praça")[0] == 1


def test_the_nearest_sentence_may_lack_what_is_asked_for():
    text = "A loja de Ana vende queijo. A loja fechou em 2009. Rui tem seis vacas."

    assert told("Quando a loja fechou?", text)[1] == 0
    assert told("Por que a loja fechou?", text)[1] == 1
    assert told("Quantas vacas tem a loja?", text)[1] == 0
    assert told("Onde a loja fechou?", text)[1] == 0


def test_a_long_sentence_is_told_from_a_short_one():
    short = told("Quem pinta a feira?", "Ana pinta a feira.")[2]
    long = told("Quem pinta a feira?", f"Ana pinta a feira, {', '.join(f'cor{n}' for n in range(40))}.")[2]

    assert short < 0 < long


def test_a_passage_without_sentences_tells_nothing():
    assert told("Quem pinta a feira?", "") == (0, 0, 0)


def test_words_without_their_like_add_up_and_small_words_do_not_count():
    alike = [("who", 0.7), ("painted", 0.55), ("the", 0.2), ("old", 0.1), ("canal", 0.9), ("gate", 0.65)]

    assert unlike_told("Who painted the old canal gate?", alike) == pytest.approx(0.3 + 0.2)
    assert unlike_told("canal gate colour", [("canal", 0.9)]) == 0


@given(EVIDENCE, st.floats(0, 0.5), st.floats(0, 6))
def test_more_evidence_never_makes_an_answer_less_likely(evidence, share, logit):
    better = evidence._replace(
        asked=min(1.0, evidence.asked + share),
        together=min(1.0, evidence.together + share),
        lacking=0.0,
        length=evidence.length - share,
        passage=evidence.passage + logit,
        sentence=evidence.sentence + logit,
        unlike=max(0.0, evidence.unlike - share),
        within=evidence.within + logit,
        said=evidence.said + logit,
    )

    assert better.likelihood >= evidence.likelihood
    assert evidence._replace(missing=evidence.missing + 1).likelihood <= evidence.likelihood
    assert better._replace(passage=None).likelihood >= evidence._replace(passage=None).likelihood
    for marked in (
        evidence._replace(mark=Mark(0.5, -1.0)),
        evidence._replace(passage=None, mark=Mark(0.5, -1.0)),
    ):
        assert marked._replace(mark=Mark(0.5 + logit, -1.0)).likelihood >= marked.likelihood
        assert marked._replace(mark=Mark(0.5, -1.0 + logit)).likelihood >= marked.likelihood
    two = evidence._replace(mark=Mark(0.5, -1.0), second=Mark(1.0, 0.0))
    assert two._replace(mark=Mark(0.5 + logit, -1.0)).likelihood >= two.likelihood
    assert two._replace(second=Mark(1.0, logit)).likelihood >= two.likelihood
    abroad = two._replace(is_abroad=True)
    assert abroad._replace(mark=Mark(0.5 + logit, -1.0)).likelihood >= abroad.likelihood
    assert abroad._replace(score=abroad.score + logit).likelihood >= abroad.likelihood


@given(EVIDENCE)
def test_the_likelihood_is_a_chance_with_a_judge_and_without(evidence):
    assert 0 <= evidence.likelihood <= 1
    assert 0 <= evidence._replace(passage=None).likelihood <= 1
    assert 0 <= evidence._replace(mark=Mark(-30.0, 30.0)).likelihood <= 1


def test_what_was_not_read_is_not_told():
    by_words = {"asked": 0.5, "missing": 1, "together": 0.25, "lacking": 1, "length": 0, "score": 0}

    assert Evidence(asked=0.5, missing=1, together=0.25, lacking=1).written() == by_words
    assert Evidence(0.5, 1, 0.25, 1, passage=2.5).written() == by_words | {
        "passage": 2.5,
        "sentence": 0,
        "unlike": 0,
        "within": 0,
        "said": 0,
    }
    marked = Evidence(0.5, 1, 0.25, 1, mark=Mark(1.5, -2))
    told = by_words | {"markedWithin": 1.5, "markedAround": -2}
    assert marked.written() == told
    second = {"secondWithin": 0.5, "secondAround": 3}
    assert marked._replace(second=Mark(0.5, 3)).written() == told | second
    across_languages = {"score": 0, "markedWithin": 1.5, "markedAround": -2}
    assert marked._replace(is_abroad=True).written() == across_languages


@given(EVIDENCE, st.floats(-9, 9))
def test_where_words_have_chosen_a_second_reader_has_no_say(evidence, logit):
    marked = evidence._replace(passage=None, mark=Mark(0.5, -1.0), second=None)

    assert marked._replace(second=Mark(logit, logit)).likelihood == marked.likelihood
    assert (marked.most_marks, evidence.most_marks) == (1, 2)


@given(st.floats(-8, 8))
def test_a_logit_and_its_chance_belong_together(logit):
    assert abs(logit_of(score_of(logit)) - logit) < 0.001


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who had smallpox?", "He had the small-pox."),
        ("Who had small-pox?", "He had smallpox."),
        ("Who had small-pox?", "He had small pox."),
        ("Who sent the e-mail?", "She sent an email."),
    ],
)
def test_a_passage_speaks_of_a_word_however_it_writes_its_hyphen(question, text):
    words = words_of(text, "en")

    assert spoken_of(wanted_in(question, (), "en").against(words), words) == (1.0, 0.0)
