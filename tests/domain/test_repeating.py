"""What was said before, and what may be said again."""

import pytest

from vivavoce.domain.answers.extracting import Passage
from vivavoce.domain.answers.repeating import extracts_after
from vivavoce.domain.questions.standalone import Spoken, standalone

SHOP = "A loja vende p\u00e3o. A loja abre aos domingos das 8 \u00e0s 12 horas."
ROME = "Rome fell in 476. Its roads were long."


def told(text, language, *talk):
    """What is quoted from a text at the end of a talk, in which people and the one who answers take turns."""
    context = [Spoken(bool(place % 2), each) for place, each in enumerate(talk[:-1])]
    found = extracts_after(standalone(talk[-1], context), [Passage(1, text, language, 0.6)])
    return [each.text for each in found]


@pytest.mark.parametrize(
    ("text", "language", "before", "question", "quote"),
    [
        (
            SHOP,
            "pt",
            "Quando a loja abre?",
            "A que horas a loja abre aos domingos?",
            "A loja abre aos domingos das 8 \u00e0s 12 horas.",
        ),
        (ROME, "en", "What fell?", "When did Rome fall?", "Rome fell in 476."),
        (ROME, "en", "When did Rome fall?", "When did Rome fall?", "Rome fell in 476."),
    ],
)
def test_a_complete_question_is_answered_with_what_was_said_before(text, language, before, question, quote):
    assert quote in told(text, language, before, quote, question)


def test_the_words_of_a_question_word_are_no_reason_to_say_nothing():
    mill = "O moinho funciona desde 1820."

    assert told(mill, "pt", "Onde funciona o moinho?", mill, "Desde quando?") == [mill]


MILL = (
    "The mill opened in 1890. The wheel is of oak. It was built by Ann Prado. A visit costs 4 euros. "
    "The mill is closed on Mondays because the miller bakes."
)
MOINHO = "O moinho abriu em 1890. A roda é de carvalho. Foi construído por Ana Prado."


@pytest.mark.parametrize(
    ("text", "language", "before", "question", "quotes"),
    [
        (MILL, "en", "When did the mill open?", "What colour is it?", []),
        (MILL, "en", "When did the mill open?", "What was painted?", []),
        (MILL, "en", "When did the mill open?", "And the roof?", []),
        (MILL, "en", "When did the mill open?", "What does a visit cost?", ["A visit costs 4 euros."]),
        (MILL, "en", "When did the mill open?", "And the wheel?", ["The wheel is of oak."]),
        (MOINHO, "pt", "Quando abriu o moinho?", "O que foi pintado?", []),
        (MOINHO, "pt", "Quando abriu o moinho?", "E o telhado?", []),
        (MOINHO, "pt", "Quando abriu o moinho?", "E a roda?", ["A roda é de carvalho."]),
    ],
)
def test_the_answer_to_the_question_before_is_not_given_to_the_next_one(
    text, language, before, question, quotes
):
    said = text[: text.index(".") + 1]

    assert told(text, language, before, f"{said} [1]", question) == quotes


BOATS = (
    "The Endeavour was launched in 1859. Her crew rowed out in storms. The Morning Star is a lugger built by "
    "Josiah Trevanion in 1884. She is 14 metres long. The café is open in the evening."
)


@pytest.mark.parametrize(
    ("before", "said", "question", "quotes"),
    [
        ("When was the Endeavour launched?", "The Endeavour was launched in 1859.", "How long is she?", []),
        ("When was the Endeavour launched?", "The Endeavour was launched in 1859.", "Who built her?", []),
        (
            "Who built the Morning Star?",
            "The Morning Star is a lugger built by Josiah Trevanion in 1884.",
            "Is the café open in the evening?",
            ["The café is open in the evening."],
        ),
    ],
)
def test_it_and_she_stand_for_what_was_spoken_of(before, said, question, quotes):
    assert told(BOATS, "en", before, said, question) == quotes


def test_a_sentence_that_was_said_is_said_again_where_it_has_what_is_asked_now():
    keeper = "The first keeper was Josiah Penrose, who served for thirty-one years. The light is white."

    found = told(
        keeper, "en", "Who was the first keeper?", keeper.split(". ")[0] + ".", "How long did he serve?"
    )

    assert found == ["The first keeper was Josiah Penrose, who served for thirty-one years."]
