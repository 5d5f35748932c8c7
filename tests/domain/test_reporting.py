"""Who is said to say something, and whether a text speaks of its own authors."""

import pytest

from tests.growth import assert_linear
from vivavoce.domain.claims.reporting import has_rules, is_told_of, reporters_in, speaks_as_first_person

AUTHORS = ["Elinor Ostrom", "", " , "]


@pytest.mark.parametrize(
    "text",
    [
        "44  Elinor Ostrom, Governing the Commons\n\nRules change.",
        "Elinor Ostrom\n\nRules change.",
        "Rules change.\n\nSincerely,\nElinor Ostrom",
        "Users who\nElinor Ostrom 45\nobey the rules watch each other.",
    ],
)
def test_headers_and_signatures_do_not_speak_of_the_author(text):
    assert not is_told_of(AUTHORS, text)


@pytest.mark.parametrize(
    "text", ["Here Ostrom shows that rules change.", "It was Elinor Ostrom\nwho went to Nepal."]
)
def test_a_sentence_about_the_author_is_by_somebody_else(text):
    assert is_told_of(AUTHORS, text)
    assert is_told_of(["Ostrom, Elinor"], text)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("My father, Silas Ostrom, kept the light until he died.", False),
        ("Silas Ostrom kept the light.", True),
        ("Silas Ostrom, her uncle, kept the light.", False),
        ("The keeper was Silas Ostrom. When old Silas Ostrom died, it went out.", False),
        ("Meu tio, Silas Ostrom, guardava o farol.", False),
        ("However Ostrom argues that rules change.", True),
        ("However Ostrom argues that her father was right.", True),
        ("Economist Ostrom argues that rules change.", True),
        ("Por\u00e9m Ostrom diz que as regras mudam.", True),
        ("Conforme Ostrom diz, as regras mudam.", True),
        ("Elinor Claire Ostrom was here with her brother.", True),
        ("They say that Elinor Claire Ostrom was here, and that Elinor Claire Ostrom left.", True),
        ("He was the son of the old keeper, Silas\nOstrom, who died young.", False),
        ("In those years Professor Ostrom taught there.", True),
        ("In Nepal Elinor Ostrom saw canals.", True),
        ("Yet Ostrom saw canals.", True),
        ("In Nepal Ostrom saw canals.", True),
        ("Her husband, Vincent Ostrom, and Ostrom herself went there.", True),
    ],
)
def test_a_relative_of_the_author_is_somebody_else(text, is_told):
    assert is_told_of(AUTHORS, text) == is_told


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("We studied 127 systems.", "en"),
        ("In our view, rules change.", "en"),
        ("Rules matter to us.", "en"),
        ("N\u00f3s estudamos as regras.", "pt"),
        ("O nosso estudo mostra regras.", "pt"),
        ("Nuestro estudio muestra reglas.", "es"),
    ],
)
def test_the_first_person_is_heard_in_the_plural_too(text, language):
    assert speaks_as_first_person(text, language)


@pytest.mark.parametrize(
    "text", ["She tells us that rules change.", 'She writes: "We studied rules."', "The US has rules."]
)
def test_words_to_the_reader_and_quotes_are_not_the_first_person(text):
    assert not speaks_as_first_person(text, "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Anna concludes that we must mend our nets.", "en"),
        ("Anna conclui: Anna diz que devemos remendar as nossas redes.", "pt"),
    ],
)
def test_we_in_what_somebody_says_is_theirs_where_the_quote_has_it(text, language):
    assert not speaks_as_first_person(text, language, "We must mend our nets.")
    assert speaks_as_first_person(text, language, "Nets must be mended.")


@pytest.mark.parametrize(
    "text", ["Our study finds that Anna mends nets.", "Anna says so. We agree.", "Anna says that I mend."]
)
def test_we_outside_of_it_is_the_writer_s(text):
    assert speaks_as_first_person(text, "en", "We must mend our nets.")


def test_many_namesakes_take_no_longer_than_their_number():
    told = "My father, Silas Ostrom, kept the light until he died. "

    assert not is_told_of(AUTHORS, told * 20)
    assert_linear(lambda size: is_told_of(AUTHORS, told * size), 1_000)


def test_languages_without_rules_are_known():
    assert has_rules("The team studied 127 systems in Nepal.")
    assert not has_rules("Ich habe 127 Systeme in Nepal untersucht.")
    assert not has_rules("\u042f \u0438\u0437\u0443\u0447\u0438\u043b 127")


def test_the_second_in_spanish_says_nothing():
    assert reporters_in("El segundo libro trata de reglas.", "es") == []
    assert [each.name for each in reporters_in("Segundo Ostrom, as regras mudam.", "pt")] == ["Ostrom"]
