"""Questions: which of their words say what they are about."""

import pytest

from vivavoce.domain.questions import points_back, telling_words, wanted_in


@pytest.mark.parametrize(
    ("question", "language", "telling"),
    [
        ("What does Pangloss teach about the best worlds?", "en", {"pangloss", "best", "worlds"}),
        ("Where did Pangloss teach?", "en", {"pangloss", "teach"}),
        ("Why do we praise the busy, according to the author?", "en", {"praise", "busy"}),
        ("O que o autor pensa das m\u00e1quinas?", "pt", {"maquinas"}),
        ("Quem ensina matem\u00e1tica?", "pt", {"ensina", "matematica"}),
    ],
)
def test_who_speaks_is_not_what_a_question_is_about(question, language, telling):
    assert telling_words(question, language) == telling


def test_what_an_apostrophe_parts_tells_word_by_word_but_no_single_letter():
    assert telling_words("Why is O'Brien's coat red?", "en") == {"brien", "coat", "red"}


@pytest.mark.parametrize(("question", "is_back"), [("Who paid?", True), ("Why bees?", False), ("Why?", True)])
def test_a_verb_behind_a_question_word_points_back_but_a_thing_behind_why_does_not(question, is_back):
    assert points_back(question) == is_back


def test_a_word_that_only_frames_is_not_looked_for():
    assert wanted_in("What does she say about taxes?", (), "en").words.keys() == {"tax"}
