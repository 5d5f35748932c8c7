"""What "it" and "she" stand for."""

import pytest

from vivavoce.domain.answers.antecedents import meant_in
from vivavoce.domain.answers.extracting import Passage, Weighed
from vivavoce.domain.corpus.excerpts import excerpts_of
from vivavoce.domain.questions.subjects import has_pronoun, points_back


@pytest.mark.parametrize(
    "question",
    [
        "What power does the Gardner engine have?",
        "What is the gig made of?",
        "Who was the first keeper?",
        "Is there a lift to the first floor?",
        "Quem foi o primeiro faroleiro?",
        "Quand l'église fut-elle consacrée ?",
    ],
)
def test_a_question_that_names_its_thing_is_whole(question):
    assert not points_back(question)


@pytest.mark.parametrize(
    ("question", "by_pronoun"),
    [
        ("What about the second?", False),
        ("And the roof?", False),
        ("What is it made of?", True),
        ("How long is she?", True),
        ("Combien pèse-t-elle ?", True),
        ("E o segundo?", False),
    ],
)
def test_a_question_points_back_by_a_pronoun_or_by_what_it_leaves_out(question, by_pronoun):
    assert (points_back(question), has_pronoun(question)) == (True, by_pronoun)


BOATS = "The Endeavour is a boat of 1859. The Morning Star was built in Polruan. She is 14 metres long."


def of_another(question, before, said, text=BOATS, language="en"):
    """The sentences that are about another thing than a question after others."""
    meant = meant_in(question, before, said)
    assert meant is not None
    passage = Passage(1, text, language, 0.9)
    every = [Weighed(0.0, 1.0, False, passage, each) for each in excerpts_of(text, language)]
    return [each.excerpt.place for each in every if meant.is_of_another(each)]


def test_a_sentence_that_names_another_thing_or_goes_on_with_it_is_of_another():
    assert of_another("How long is she?", ["When was the Endeavour launched?"], ["In 1859."]) == [1, 2]
    assert of_another("How long is she?", ["Who built the Morning Star?"], ["In Polruan."]) == [0]


def test_a_name_in_the_last_answer_may_be_what_is_meant():
    assert of_another("How long is she?", ["Which lugger is the oldest?"], ["It is the Morning Star."]) == [0]


def test_what_names_nothing_is_of_anything():
    text = "Entry costs 4 euros on Mondays. The Kittiwake is a gig."

    assert of_another("How much is it?", ["May I swim here?"], ["Yes, you may."], text) == [1]


@pytest.mark.parametrize(
    ("question", "said"),
    [("How long is she?", []), ("When did it open?", []), ("Wie lang ist sie?", ["Ja."])],
)
def test_nothing_is_known_of_it_where_nothing_was_said_or_names_are_like_nouns(question, said):
    assert meant_in(question, ["When was the Endeavour launched?"], said) is None
