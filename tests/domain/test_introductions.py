"""Messages that greet, thank or ask who answers."""

import pytest

from vivavoce.domain.questions.introductions import small_talk

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
        ("Bonjour !", "greeting", "fr"),
        ("Bonsoir, comment allez-vous ?", "greeting", "fr"),
        ("Merci beaucoup pour votre aide", "thanks", "fr"),
        ("Qui êtes-vous ?", "who", "fr"),
        ("Es-tu vraiment Mary Wollstonecraft ?", "who", "fr"),
        ("Guten Abend!", "greeting", "de"),
        ("Vielen Dank, das war alles", "thanks", "de"),
        ("Alles klar", "heard", "de"),
        ("Bist du eine KI?", "who", "de"),
        ("Was haben Sie gelesen?", "who", "de"),
        ("Ciao, come stai?", "greeting", "it"),
        ("Grazie mille!", "thanks", "it"),
        ("Chi sei?", "who", "it"),
        ("Sei un'intelligenza artificiale?", "who", "it"),
    ],
)
def test_it_is_known_in_six_languages(message, kind, language):
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
        "Bonjour, qu'est-ce que la vertu ?",
        "Qui est le tuteur ?",
        "Merci, mais que dit-elle des femmes ?",
        "Wer sind Sie im Dialog über die Tugend?",
        "Danke, und was sagt sie über die Tugend?",
        "Chi è il tutore?",
        "Are you " + "x" * 5000,
    ],
)
def test_a_question_of_its_own_is_none(message):
    assert small_talk(message, NAMES) is None
