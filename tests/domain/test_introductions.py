"""Messages that greet, thank or ask who answers."""

import pytest

from vivavoce.domain.introductions import small_talk

NAMES = ("Mary Wollstonecraft", "Wollstonecraft")


@pytest.mark.parametrize(
    ("message", "kind", "language"),
    [
        ("hello", "greeting", "en"),
        ("Ol\u00e1!", "greeting", "pt"),
        ("Thanks!", "thanks", "en"),
        ("Obrigado!", "thanks", "pt"),
        ("Who are you?", "who", "en"),
        ("Are you Mary Wollstonecraft?", "who", "en"),
        ("Are you an AI?", "who", "en"),
        ("What can I ask you?", "who", "en"),
        ("Quem \u00e9 voc\u00ea?", "who", "pt"),
        ("Voc\u00ea \u00e9 a Mary Wollstonecraft?", "who", "pt"),
        ("\u00bfQui\u00e9n eres?", "who", "es"),
        ("\u00bfEres una IA?", "who", "es"),
    ],
)
def test_it_is_known_in_three_languages(message, kind, language):
    assert small_talk(message, NAMES) == (kind, language)


@pytest.mark.parametrize(
    "message",
    [
        "Who was Mary Wollstonecraft?",
        "Hello, what is virtue?",
        "Who are you in the dialogue on virtue?",
        "Are you sure that women are born free?",
        "What did you write about virtue?",
        "What do you know about virtue?",
        "Quem \u00e9 o tutor?",
        "Are you " + "x" * 5000,
    ],
)
def test_a_question_of_its_own_is_none(message):
    assert small_talk(message, NAMES) is None
