"""Languages: told by the small words of a text, and left open where nothing tells."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.language.languages import UNKNOWN, language_of, small_words

TEXTS = {
    "en": "You may return the shoes within thirty days if they have not been worn.",
    "pt": "Você pode devolver os sapatos em até trinta dias se não foram usados.",
    "es": "Puede devolver los zapatos en un plazo de treinta días si no los ha usado.",
    "fr": "Vous pouvez rendre les chaussures dans les trente jours si elles ne sont pas portées.",
    "de": "Sie können die Schuhe innerhalb von dreißig Tagen zurückgeben, wenn sie nicht getragen sind.",
    "it": "Può restituire le scarpe entro trenta giorni se non sono state usate.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_a_sentence_is_told(language):
    assert language_of(TEXTS[language]) == language
    assert language_of(TEXTS[language].upper()) == language
    assert language_of(unicodedata.normalize("NFD", TEXTS[language])) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Posso pagare con carta?", "it"),
        ("Quali barche?", "it"),
        ("Wieviel?", "de"),
        ("Combien ?", "fr"),
        ("¿Cuánto?", "es"),
        ("Desde quando existe?", "pt"),
    ],
)
def test_a_short_question_tells_its_language_by_the_words_that_ask(question, language):
    assert language_of(question) == language


@pytest.mark.parametrize("language", TEXTS)
def test_what_is_likely_does_not_outweigh_what_the_text_says(language):
    for likely in TEXTS:
        assert language_of(TEXTS[language], likely) == language


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How long do I have to send shoes back?", "en"),
        ("Qual é o prazo para devolver?", "pt"),
        ("Quanto custa o frete para Lisboa?", "pt"),
        ("What is your return policy?", "en"),
    ],
)
def test_the_language_of_a_question_is_told(question, language):
    assert language_of(question) == language


@pytest.mark.parametrize("text", ["", "42", "退货政策是三十天", "سياسة الإرجاع", "shipping Brazil", "...!"])
def test_a_text_that_gives_no_sign_is_in_the_likely_language(text):
    assert language_of(text) == UNKNOWN
    assert language_of(text, "pt") == "pt"


@pytest.mark.parametrize("likely", ["pt", "es", "it"])
def test_a_word_of_several_languages_leaves_it_at_the_likely_one(likely):
    assert language_of("a", likely) == likely


def test_a_name_in_the_middle_does_not_turn_a_long_text():
    assert language_of(TEXTS["en"] * 20 + " Os Lusíadas de Camões") == "en"


def test_a_language_that_is_not_known_has_no_small_words():
    assert small_words("xx") == small_words(UNKNOWN) == frozenset()
    assert {"the", "of"} <= small_words("en")


@given(st.text(max_size=400), st.sampled_from([*TEXTS, UNKNOWN]))
def test_any_text_has_an_answer(text, likely):
    assert language_of(text, likely) in {*TEXTS, UNKNOWN}


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Am I insured?", "en"),
        ("Do ants die?", "en"),
        ("Was war declared?", "en"),
        ("Price per night?", "en"),
        ("Do the swallows come back?", "en"),
        ("Hat sizes?", "en"),
        ("Um ou dois?", "pt"),
        ("Come pagare?", "it"),
        ("O que diz a lei sobre multas?", "pt"),
        ("A lei permite?", "pt"),
        ("O gato come peixe?", "pt"),
        ("Liste todas as regras", "pt"),
        ("Wie war der Winter?", "de"),
        ("Come si chiama il porto?", "it"),
        ("Comment va le port ?", "fr"),
    ],
)
def test_a_word_that_is_a_small_one_elsewhere_gives_no_language_away(question, language):
    assert language_of(question, language) == language


@pytest.mark.parametrize(
    "text",
    [
        "E204",
        "error E204",
        "Fehler E204",
        "e-mail",
        "E-Mail-Adresse",
        "E-mail address",
        "Bus 5E",
        "O2",
        "O-Ring",
        "C++ compiler",
        "A/C",
        "O'Neill",
        "E. coli",
    ],
)
def test_a_letter_of_a_code_or_a_compound_tells_no_language(text):
    assert language_of(text) == UNKNOWN
    assert language_of(text, "de") == "de"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Peut-on payer ?", "fr"),
        ("Y a-t-il un port ?", "fr"),
        ("Fale-me da ponte", "pt"),
        ("Dov'\u00e8 il porto?", "it"),
        ("E o porto?", "pt"),
        ("Was zahlen Kinder?", "de"),
        ("Was bedeutet Ebbe?", "de"),
        ("Was Robert married?", "en"),
        ("Was wheat grown here?", "en"),
        ("Was salt sold in Kent?", "en"),
    ],
)
def test_a_small_word_that_stands_alone_tells_the_language(question, language):
    assert language_of(question) == language


def test_where_nothing_is_likely_a_word_is_of_the_language_of_which_it_is_a_small_one():
    assert language_of("Come pagare?") == "it"
    assert language_of("Comment payer ?") == "fr"
    assert language_of("Die Preise?") == "de"
