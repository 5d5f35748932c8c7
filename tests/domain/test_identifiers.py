"""What a question names by number or code, and which sentences speak of it."""

import pytest

from vivavoce.domain.questions.identifiers import identified_in


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who is the keeper of tower number 6000?", ["6000"]),
        ("Who keeps tower 6000?", ["6000"]),
        ("Quem guarda a torre n\u00ba 12?", ["12"]),
        ("What does the XR-200 weigh?", ["xr-200"]),
        ("What does section 1201 say?", ["1201"]),
    ],
)
def test_numbers_and_codes_name_one_thing(question, values):
    assert [each.value for each in identified_in(question)] == values


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1755?",
        "What was said in March 1755?",
        "What are the 2 reasons for the flood?",
        "How did the team study 127 irrigation systems?",
        "What does chapter 3 say?",
        "What was sown in the 1930s?",
        "Did more than 500 come?",
    ],
)
def test_years_counts_and_small_numbers_name_nothing(question):
    assert identified_in(question) == ()


def test_a_sentence_speaks_of_what_it_names_or_what_was_named_last():
    text = "Tower number 4317 is kept by Ana. Tower number 4321 is kept by Rui. He lights it at dusk."
    (tower,) = identified_in("Who is the keeper of tower number 4321?")
    first, second = text.index("Tower number 4321"), text.index("He lights")

    assert not tower.is_of(text, 0, first)
    assert tower.is_of(text, first, second)
    assert tower.is_of(text, second, len(text))
