"""A question asks how tall something is, and a sentence that only tells how wide does not answer it."""

import pytest

from vivavoce.domain.questions.expecting import expected_by

from .measured import MAY_BE_TOLD, TOLD, TOLD_ANOTHER

TALL = {
    "en": "How tall is the tower?",
    "pt": "Qual é a altura da torre?",
    "es": "¿Qué altura tiene la torre?",
    "fr": "Quelle est la hauteur de la tour ?",
    "de": "Wie hoch ist der Turm?",
    "it": "Quanto è alta la torre?",
}
WIDE = {
    "en": "How wide is the tower?",
    "pt": "Que largura tem a torre?",
    "es": "¿Cuál es la anchura de la torre?",
    "fr": "Quelle largeur a la tour ?",
    "de": "Wie breit ist der Turm?",
    "it": "Qual è la larghezza della torre?",
}
LONG = {
    "en": "How long is the tower?",
    "pt": "Qual é o comprimento da torre?",
    "es": "¿Cuál es la longitud de la torre?",
    "fr": "Quelle est la longueur de la tour ?",
    "de": "Wie lang ist der Turm?",
    "it": "Quanto è lunga la torre?",
}
DEEP = {
    "en": "How deep is the well?",
    "pt": "Qual é a profundidade do poço?",
    "es": "¿Qué profundidad tiene el pozo?",
    "fr": "Quelle est la profondeur du puits ?",
    "de": "Wie tief ist der Brunnen?",
    "it": "Quanto è profondo il pozzo?",
}
HEAVY = {
    "en": "How heavy is the bell?",
    "pt": "Quanto pesa o sino?",
    "es": "¿Cuánto pesa la campana?",
    "fr": "Combien pèse la cloche ?",
    "de": "Wie schwer ist die Glocke?",
    "it": "Quanto pesa la campana?",
}
OLD = {
    "en": "How old is the bell?",
    "pt": "Quantos anos tem o sino?",
    "es": "¿Cuántos años tiene la campana?",
    "fr": "Quel âge a la cloche ?",
    "de": "Wie alt ist die Glocke?",
    "it": "Quanti anni ha la campana?",
}
TELLS_WIDE = {
    "en": "It is twelve metres wide and was built in 1890.",
    "pt": "Tem doze metros de largura e foi construída em 1890.",
    "es": "Tiene doce metros de ancho.",
    "fr": "Elle a une largeur de 12 mètres.",
    "de": "Er ist 12 Meter breit.",
    "it": "La sua larghezza è di 12 metri.",
}
TELLS_HEAVY = {
    "en": "It weighs 300 kilos.",
    "pt": "Pesa 300 quilos.",
    "es": "Pesa 300 kilos.",
    "fr": "Elle pèse 300 kilos.",
    "de": "Sie wiegt 300 Kilogramm.",
    "it": "Pesa 300 chili.",
}
LANGUAGES = sorted(TALL)


def tells_another(question: str, text: str, language: str) -> bool:
    expected = expected_by(question, language)
    assert expected is not None
    assert expected.dimension is not None
    return expected.tells_another(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_wide_something_is_does_not_tell_another_dimension(language):
    told = TELLS_WIDE[language]

    assert not tells_another(WIDE[language], told, language)
    for asked in (TALL, LONG, DEEP, HEAVY):
        assert tells_another(asked[language], told, language), asked[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_something_weighs_tells_neither_its_age_nor_its_size(language):
    told = TELLS_HEAVY[language]

    assert not tells_another(HEAVY[language], told, language)
    for asked in (LONG, DEEP, OLD):
        assert tells_another(asked[language], told, language), asked[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_height_may_be_that_of_a_weight(language):
    assert not tells_another(TALL[language], TELLS_HEAVY[language], language)


@pytest.mark.parametrize(("language", "question", "text"), [*TOLD, *MAY_BE_TOLD])
def test_a_number_that_may_be_the_answer_is_left(language, question, text):
    expected = expected_by(question, language)

    assert expected is not None
    assert not expected.tells_another(text)
    assert expected.is_in(text) == expected._replace(dimension=None).is_in(text)


@pytest.mark.parametrize(("language", "question", "text"), TOLD_ANOTHER)
def test_a_number_that_certainly_measures_something_else_is_no_answer(language, question, text):
    assert tells_another(question, text, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_tells_another_dimension_has_not_what_is_expected(language):
    expected = expected_by(TALL[language], language)

    assert expected is not None
    assert not expected.is_in(TELLS_WIDE[language])


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        (TALL["en"], "It is 12 metres wide and 60 metres high.", "en"),
        (TALL["en"], "It is 12 metres wide, and 60 metres lie between its foot and its top.", "en"),
        (TALL["en"], "The tower, 12 metres wide, rises above all roofs.", "en"),
        (TALL["en"], "It has 60 metres.", "en"),
        (TALL["en"], "Nobody knows how large it is.", "en"),
        (TALL["en"], "It was built in 1890.", "en"),
        (TALL["de"], "Er ist 12 Meter breit und ragt über alle Dächer.", "de"),
        (TALL["de"], "Die Höhe des 12 Meter breiten Turms ist unbekannt.", "de"),
        (TALL["fr"], "Large de 12 mètres, elle en compte 60 jusqu'au toit.", "fr"),
        (LONG["en"], "It takes two hours.", "en"),
        (LONG["es"], "Tiene doce metros de largo.", "es"),
        (OLD["en"], "The bell of 300 kilos was cast in 1650.", "en"),
        (OLD["de"], "Die 300 Kilogramm schwere Glocke hängt seit zwei Jahrhunderten.", "de"),
        (HEAVY["en"], "It is as heavy as three oxen, and two metres wide.", "en"),
    ],
)
def test_what_may_tell_it_is_left(question, text, language):
    assert not tells_another(question, text, language)


def test_a_dimension_may_be_told_without_a_unit():
    expected = expected_by("¿A partir de qué edad se entra gratis?", "es")

    assert expected is not None
    assert expected.is_in("Los mayores de ochenta no pagan.")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How long did he live?", "en"),
        ("How many boats are there, and how long are they?", "en"),
        ("How far is the tower?", "en"),
        ("Wie hoch ist die Gebühr?", "de"),
        ("Wie lange steht der Turm?", "de"),
        ("What was the old name of the tower?", "en"),
        ("What heavy loss did the town suffer?", "en"),
        ("Quem fez o sino que pesa tanto?", "pt"),
        ("Qual era o velho nome da torre?", "pt"),
        ("Qual é a torre mais alta?", "pt"),
        ("Quanto custa subir à torre alta?", "pt"),
    ],
)
def test_a_question_for_something_else_has_no_dimension(question, language):
    expected = expected_by(question, language)

    assert expected is None or expected.dimension is None
