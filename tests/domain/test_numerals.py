"""Numbers in figures and in words."""

import pytest

from vivavoce.domain.language.numerals import numbers_in


@pytest.mark.parametrize(
    ("text", "language", "values"),
    [
        ("127 systems, 1,200 people and 2.5 hectares", "en", ["127", "1200", "2.5"]),
        ("twenty-five of two hundred and five", "en", ["25", "205"]),
        ("three thousand, a million, nineteen ninety", "en", ["3000", "1000000", "1990"]),
        ("2.5 million people", "en", ["2500000"]),
        ("the third and the 19th", "en", ["3th", "19th"]),
        ("twice as many, half of a dozen", "en", ["x2", "1/2", "12"]),
        ("one of them", "en", []),
        ("duzentas e cinco pessoas, vinte e um anos", "pt", ["205", "21"]),
        ("tr\u00eas mil das casas", "pt", ["3000"]),
        ("doscientas cinco personas y treinta y un a\u00f1os", "es", ["205", "31"]),
        ("once men", "en", []),
        ("once hombres", "es", ["11"]),
        ("um dos dois", "pt", ["2"]),
        ("fourscore and five years, threescore and ten", "en", ["85", "70"]),
        ("Segundo Lima, o segundo moinho fechou", "pt", ["2th"]),
        ("quatre-vingt-dix-sept ans, deux cents pas, un chien", "fr", ["97", "200"]),
        ("mille neuf cent deux, la troisième", "fr", ["1902", "3th"]),
        ("dreihundertzwölf Bände, vierundzwanzig Uhr, ein Buch", "de", ["312", "24"]),
        ("2,4 Millionen und die Hälfte", "de", ["2400000", "1/2"]),
        ("ventotto o trentuno, duecentododici, trent'anni", "it", ["28", "31", "212", "30"]),
    ],
)
def test_numbers_are_read(text, language, values):
    assert [number.value for number in numbers_in(text, language)] == values


def test_hundreds_of_hundreds_are_read_in_good_time():
    assert len(numbers_in("hundred " * 20_000, "en")) == 1
    assert len(numbers_in("cent " * 20_000, "fr")) == 1


def test_a_number_knows_where_it_stands():
    text = "Of the twenty-five systems, 7 failed."

    assert [text[number.start : number.end] for number in numbers_in(text, "en")] == ["twenty-five", "7"]
