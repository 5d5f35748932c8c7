"""Names that a question spells otherwise than the texts."""

import pytest

from vivavoce.domain.questions.spellings import as_they_spell

TEXT = "Mr. Harrisson and the Bishop of Katharinenberg met Leibnitz. Wellingtons were sold there."


@pytest.mark.parametrize(
    ("question", "spelt"),
    [
        ("What did Leibniz say?", "What did Leibnitz say?"),
        ("Who was Harrison?", "Who was Harrisson?"),
        ("Is Catharinenberg far?", "Is Catharinenberg far?"),  # another beginning may be another name
        ("Who sold Wellington?", "Who sold Wellington?"),  # one thing and many
        ("Who met the bishop?", "Who met the bishop?"),
        ("Who was Leibnitz, and who Leibniz?", "Who was Leibnitz, and who Leibnitz?"),
        ("", ""),
    ],
)
def test_a_long_name_is_spelt_as_the_texts_spell_it(question, spelt):
    assert as_they_spell(question, [TEXT]) == spelt


def test_a_name_that_the_texts_have_is_left():
    assert as_they_spell("Who was Harrison?", [TEXT, "Harrison was a baker."]) == "Who was Harrison?"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is Johnson?", "Johnston keeps the mill."),
        ("Who was Frances?", "Francis kept the mill."),
        ("Where is Christina?", "Christiana kept the mill."),
        ("Who was Antonia?", "Antonina kept the mill."),
        ("Who is Michele?", "Michelle keeps the mill."),
        ("Explain the Contract terms", "Contact the miller."),
        ("Was kostet die Bestellung?", "Die Bestallung ist frei."),
    ],
)
def test_a_name_is_not_taken_for_another_that_sounds_otherwise(question, text):
    assert as_they_spell(question, [text]) == question


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Nietsche", "Nietzsche"),
        ("Vasconcelos", "Vasconcellos"),
        ("Bragança", "Braganza"),
        ("Petrarca", "Petrarcha"),
        ("Sigismund", "Sigizmund"),
    ],
)
def test_a_name_that_sounds_alike_is_the_same(asked, written):
    assert as_they_spell(f"Who was {asked}?", [f"{written} came."]) == f"Who was {written}?"
