"""Whose words they are that stand in quotation marks."""

import pytest

from vivavoce.domain.corpus.speeches import speaker_of

TALK = """\
The keeper walked along the quay, and "soon" was all that he had to say of it.

"The lamp was out," said Orla, "for the whole night. Nobody had filled it. We lost two boats!"

"You should have called me. I live near," answered the old pilot softly.

"I did call," said she. "You slept."

The harbour master, who had listened, said to both of them: "The lamp is mine. I shall fill it."

"In my youth the rock had no lamp. My father lit fires.

"When they burnt low he sang."
"""


def speaker(words: str, text: str = TALK) -> str | None:
    start = text.index(words)
    return speaker_of(text, start, start + len(words))


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("Nobody had filled it.", "Orla"),
        ('We lost two boats!"', "Orla"),
        ('"You should have called me.', "the old pilot"),
        ('"The lamp is mine.', ""),
        ('"You slept."', ""),
        ("My father lit fires.", ""),
        ('"When they burnt low he sang."', ""),
    ],
)
def test_words_in_quotation_marks_are_those_of_who_says_them(words, who):
    assert speaker(words) == who


@pytest.mark.parametrize(
    "words",
    [
        'The keeper walked along the quay, and "soon" was all that he had to say of it.',
        '"The lamp was out," said Orla, "for the whole night.',
        "The harbour master, who had listened, said to both of them:",
    ],
)
def test_words_that_are_not_all_in_quotation_marks_are_the_writers(words):
    assert speaker(words) is None


@pytest.mark.parametrize(
    ("text", "words", "who"),
    [
        (
            "\u201cIt rains. It pours,\u201d replied Dr. Ida Holm of Visby.",
            "It rains.",
            "Dr. Ida Holm of Visby",
        ),
        ('Brother Anselm said: "It rains. It pours."', '"It rains.', "Brother Anselm"),
        ('The cook cried aloud, "It rains. It pours."', "It pours.", "the cook"),
        ("\u00abChove. Choveu sempre\u00bb, disse Marta ao vizinho.", "Choveu sempre\u00bb", "Marta"),
        ('"It rains. It pours," cried Orla. He slept.', "It rains.", "Orla"),
        ('He dropped his hat when he said: "It rains. It pours."', "It pours.", ""),
        ('"It rains. It pours," said the mild pilot once.', "It rains.", "the mild pilot"),
        ('The stone says "VISBY" and "1712". It is old.', "It is old.", None),
        ('"It rains.', '"It rains.', ""),
        ("", "", None),
    ],
)
def test_marks_and_ways_to_say_who_speaks_differ(text, words, who):
    assert speaker(words, text) == who


GERMAN = (
    "\u201eEs regnet. Es stürmt\u201c, sagte Orla. Der Hafen schlief. \u201eKomm\u201c, rief sie. "
    "Das Licht war aus."
)
TURNED = GERMAN.replace("\u201e", "\u00bb").replace("\u201c", "\u00ab")
FRENCH = (
    "\u00ab\u00a0Il pleut. Il vente\u00a0\u00bb, dit Marie. Le port dormait. Puis : \u00ab Viens ! \u00bb "
    "Elle partit."
)


@pytest.mark.parametrize("text", [GERMAN, TURNED])
def test_marks_that_close_in_german_open_nothing(text):
    assert speaker("Es regnet.", text) == "Orla"
    assert speaker("Der Hafen schlief.", text) is None
    assert speaker("Das Licht war aus.", text) is None


def test_marks_with_blanks_inside_are_told_apart():
    assert speaker("Il pleut.", FRENCH) == "Marie"
    assert speaker("Le port dormait.", FRENCH) is None
    assert speaker("Elle partit.", FRENCH) is None


@pytest.mark.parametrize(
    "text",
    [
        "The sign reads \u201cClosed. The ferry rests in May. It costs a crown.\n\nThe crew has six men.",
        'He wrote "calm sea and left. The ferry rests in May. It costs a crown.',
    ],
)
def test_a_mark_that_is_never_closed_takes_nothing_from_the_writer(text):
    assert speaker("The ferry rests in May.", text) is None


def test_what_is_told_of_somebody_else_ends_a_speech():
    text = '"It rains," said Orla. The pilot looked up. "It pours. It snows."'

    assert speaker("It snows.", text) == ""
