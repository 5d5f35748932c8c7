"""Which words of a passage a statement rests on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from vivavoce.domain.claims.supporting import support

ENGLISH = """\
# Opening hours

The shop opens at 9:00 and closes at 18:00 on weekdays. On Saturdays it opens at ten. It is closed on Sundays.
Refunds are not possible after 30 days. The Premium plan costs $1,200 a year. Founded by Maria Silva in 1998,
the company has three offices."""
PORTUGUESE = """\
A loja abre às 9h e fecha às 18h. Não abrimos aos domingos. O plano Premium custa R$ 1.200 por ano.
Reembolsos são aceitos em até 30 dias após a compra."""


def quoted(statement, text, language):
    span = support(statement, text, language)
    return None if span is None else text[span[0] : span[1]]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("The shop opens at 9 on weekdays.", "The shop opens at 9:00 and closes at 18:00 on weekdays."),
        ("You cannot get a refund after 30 days.", "Refunds are not possible after 30 days."),
        ("The premium plan is 1200 dollars per year.", "The Premium plan costs $1,200 a year."),
        ("It is closed on Sundays.", "It is closed on Sundays."),
    ],
)
def test_a_statement_is_found_in_other_words(statement, expected):
    assert quoted(statement, ENGLISH, "en") == expected


def test_a_number_may_be_written_as_a_word():
    assert "three offices" in quoted("It has 3 offices.", ENGLISH, "en")


def test_a_statement_may_rest_on_neighbours():
    assert quoted("On Saturdays the shop opens at 10.", ENGLISH, "en").endswith(
        "On Saturdays it opens at ten."
    )


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("A loja abre às 9h.", "A loja abre às 9h e fecha às 18h."),
        (
            "Aceitamos reembolso até 30 dias após comprar.",
            "Reembolsos são aceitos em até 30 dias após a compra.",
        ),
        ("O Premium custa 1200 reais por ano.", "O plano Premium custa R$ 1.200 por ano."),
    ],
)
def test_a_statement_in_portuguese_is_found(statement, expected):
    assert quoted(statement, PORTUGUESE, "pt") == expected


@pytest.mark.parametrize(
    "statement",
    [
        "Refunds are not possible after 60 days.",
        "The Premium plan costs $1,300 a year.",
        "The company was founded by John Doe.",
        "Refunds are possible after 30 days.",
        "The shop does not open at 9 on weekdays.",
        "The moon is made of cheese.",
        "Yes.",
        "",
        "[1]",
    ],
)
def test_a_statement_that_the_passage_does_not_make_has_no_support(statement):
    assert support(statement, ENGLISH, "en") is None


def test_what_a_passage_denies_is_no_support():
    assert support("A loja abre aos domingos.", PORTUGUESE, "pt") is None
    assert quoted("A loja não abre aos domingos.", PORTUGUESE, "pt").endswith("Não abrimos aos domingos.")


def test_the_portuguese_word_for_in_the_denies_nothing():
    text = "O prazo de entrega no contrato \u00e9 de trinta dias. O pagamento \u00e9 mensal."

    assert (
        quoted("O prazo de entrega do contrato \u00e9 de trinta dias.", text, "pt")
        == text.split(". ")[0] + "."
    )


def test_across_languages_numbers_and_names_tell():
    assert quoted("The Premium plan costs R$ 1,200 a year.", PORTUGUESE, "pt") == (
        "O plano Premium custa R$ 1.200 por ano."
    )
    assert "Maria Silva" in quoted("A empresa foi fundada em 1998 por Maria Silva.", ENGLISH, "en")
    assert support("You may send everything back.", PORTUGUESE, "pt") is None
    assert support("The Premium plan costs R$ 1,300 a year.", PORTUGUESE, "pt") is None


texts = st.lists(
    st.sampled_from(
        ["The shop opens. ", "Not at 9. ", "No\n\n", "Ana ", "9:00 ", "1.200,50 ", "# A\n", "- b\n", "?"]
    )
    | st.text(max_size=10),
    max_size=12,
).map("".join)


@given(texts, texts, st.sampled_from(["en", "pt", "de", ""]))
def test_a_span_stands_inside_the_passage_and_has_no_blanks_around_it(statement, text, language):
    span = support(statement, text, language)

    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)
        assert text[span[0] : span[1]] == text[span[0] : span[1]].strip()


@pytest.mark.parametrize("language", ["en", "pt"])
def test_a_sentence_of_the_passage_supports_itself(language):
    for sentence in ("O plano Premium custa R$ 1.200 por ano.", "Não abrimos aos domingos."):
        assert quoted(sentence, PORTUGUESE, language) == sentence


def test_the_time_that_a_text_takes_grows_with_its_length_alone():
    claim = "The office closes at ten in the village of Olinda " * 20

    assert_linear(lambda size: support(claim, _SHOP * (size // len(_SHOP)), "en"), 200_000)


_SHOP = "The shop opens at nine in the town of Recife. "
