"""Borders: titles, short pages and questions divide; sentences that go on, dialogues and verses do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.corpus.borders import borders_of
from vivavoce.domain.corpus.documents import Part
from vivavoce.domain.corpus.outlines import Outline, Title
from vivavoce.domain.corpus.passages import document_of

LONG = ("It is a page of a book, which goes on and on about the matter. " * 20).strip()


def beginnings(text: str, outline: Outline | None = None) -> list[str]:
    """The first line behind each border."""
    return [text[border.start :].lstrip().split("\n")[0] for border in borders_of(text, outline or Outline())]


def pages(*texts: str) -> tuple[str, Outline]:
    return document_of([Part(f"{text}\n", page) for page, text in enumerate(texts, start=1)])


def test_titles_of_the_outline_divide():
    text = "One\nis first.\nTwo\nis second."

    assert beginnings(text, Outline(titles=[Title(0, 1, "One"), Title(14, 1, "Two")])) == ["One", "Two"]


def test_a_short_page_stands_by_itself():
    assert beginnings(*pages("We open at nine.", "We close at six.", LONG)) == [
        "We close at six.",
        LONG,
    ]


def test_pages_of_a_book_do_not_divide():
    assert beginnings(*pages(LONG, LONG, LONG)) == []


@pytest.mark.parametrize(
    ("above", "below"),
    [("We open the house", "at nine."), ("We open at nine,", "Monday too."), ("We are wel-", "Come in.")],
)
def test_a_sentence_that_goes_on_over_the_page_is_not_divided(above, below):
    assert beginnings(*pages(above, below)) == []


def test_a_page_that_ends_without_a_stop_is_divided_from_a_new_beginning():
    assert beginnings(*pages("Prices 2025", "Opening hours")) == ["Opening hours"]


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_each_question_begins_something_new(gap):
    text = (
        f"Do you ship abroad?{gap}Only to Brazil.{gap}\u00bfY a Espa\u00f1a?{gap}No.{gap}3. When?{gap}Soon."
    )

    assert beginnings(text) == ["Do you ship abroad?", "\u00bfY a Espa\u00f1a?", "3. When?"]


def test_questions_in_a_row_are_one():
    assert beginnings("Who?\n\nWhy?\n\nWhen?\n\nNobody knows.") == ["Who?"]


@pytest.mark.parametrize(
    "text",
    [
        '"Where is he?"\n\n"In London."',
        "\u2014 Onde est\u00e1 ele?\n\n\u2014 Em Lisboa.",
        "He asked whether it was so and\nWhy it was so?\nNobody knew.",
        "what is it?\n\nNothing.",
    ],
)
def test_a_dialogue_and_a_running_sentence_are_not_divided(text):
    assert beginnings(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Opening hours\nWe are open from nine to six on all days but Sunday.",
        "Opening hours\n\nFrom nine.",
        "Opening hours\n\n- from nine\n- to six",
        "Who we are\n\nA club.",
    ],
)
def test_a_short_line_above_others_is_their_title(text):
    assert beginnings(f"{text}\n") == [text.split("\n")[0]]


@pytest.mark.parametrize(
    "text",
    [
        "Shall I compare thee to a summer's day,\nThou art more lovely and more temperate",
        "Rough winds do shake\nthe darling buds of May",
        "He came.\n\nHe saw.",
        "a small thing\n\nFollows.",
        "Name\tPrice\n\nRope\t5",
    ],
)
def test_verses_sentences_and_rows_are_no_titles(text):
    assert beginnings(text) == []


def test_a_border_is_told_once():
    text = "Do you ship?\nYes."

    assert beginnings(text, Outline(titles=[Title(0, 1, "Do you ship?")])) == ["Do you ship?"]


@given(st.text(alphabet=st.sampled_from('aA?.,\n \u00bf"1)-'), max_size=80))
def test_borders_come_in_order_at_the_beginning_of_lines(text):
    starts = [border.start for border in borders_of(text, Outline())]

    assert starts == sorted(set(starts))
    assert all(not text[:start].rpartition("\n")[2].strip() for start in starts)
