"""The titles of books in plain text: what is one, what only looks like one, and what stands under which."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.corpus.chapters import chapters_in
from vivavoce.domain.corpus.documents import Part
from vivavoce.domain.corpus.passages import document_of

BOOK = """\
THE SALT ROAD

BY INGA MOREL

CONTENTS

CHAPTER 1.  OF THE HILLS

CHAPTER 2.  OF THE SEA


INTRODUCTION

The author was born by the road.


I

HOW THE ROAD WAS FOUND

Two carters found it in a storm.

CHAPTER 2.

OF THE SEA, AND OF THOSE
WHO SAIL THERE.

SECTION 2.1.

Salt comes from the sea.

NOTES:

[1] P. 4. A cart holds nine sacks.
"""


def titles(text: str) -> list[tuple[int, str]]:
    return [(each.level, each.title) for each in chapters_in(text)]


def test_titles_are_told_by_their_words_their_numbers_and_their_capitals():
    assert titles(BOOK) == [
        (2, "INTRODUCTION"),
        (2, "I HOW THE ROAD WAS FOUND"),
        (2, "CHAPTER 2. OF THE SEA, AND OF THOSE WHO SAIL THERE."),
        (3, "SECTION 2.1."),
        (2, "NOTES:"),
    ]


def test_what_stands_under_a_section_stands_under_its_chapter():
    _, outline = document_of([Part(BOOK, headings=tuple(chapters_in(BOOK)))])

    assert outline.headings_at(BOOK.index("Salt comes"))[-1] == "SECTION 2.1."
    assert len(outline.headings_at(BOOK.index("Salt comes"))) == 2
    assert outline.headings_at(BOOK.index("[1]")) == ("NOTES:",)


@pytest.mark.parametrize(
    "title",
    [
        "Letter XI.--On Inns",
        "Chapter 3: The Sea",
        "PART II",
        "Preface",
        "CAP\u00cdTULO IV",
        "Introdu\u00e7\u00e3o",
        "THE INNS OF THE ROAD",
        "THAT WE ARE NOT TO JUDGE OF AN INN BEFORE DAWN.",
        "THE INN THAT COULD NOT SLEEP",
        "BOOK THE FIRST. OF THE NATURE OF INNS.",
        "IN WHICH A GUEST IS LOST.",
        "Kapitel 4: Die Herberge",
        "CHAPITRE IV",
        "Capitolo 2. La strada",
        "Vorwort",
    ],
)
def test_titles_have_many_forms(title):
    assert [each for _, each in titles(f"The road ends.\n\n{title}\n\nHere the inns begin.")] == [title]


@pytest.mark.parametrize(
    "line",
    [
        "The road ends here.",
        "Chapter 3 tells of the sea. It was written last and is long.",
        "H.M.",
        "TOTAL | 412",
        "* * * * *",
        "ORDER 4711 WAS PAID ON 3.4.",
        "DEAR SIR,",
        "Part of the road is closed.",
        "Introduction of new coins",
        "THE KEEPER SHALL NOT BE LIABLE FOR ANY LOSS.",
        "BEDS ARE PAID AT NOON. LATER GUESTS PAY TWICE AND WAIT.",
        "O HÓSPEDE DEVE PAGAR ATÉ O MEIO-DIA.",
        "DO NOT ENTER WITHOUT A HELMET",
        '"STOP THE CART!"',
    ],
)
def test_other_lines_are_no_titles(line):
    text = f"The road ends.\n\n{line}\n\nHere the inns begin."

    assert titles(text) == []


def test_where_all_is_in_capitals_they_are_no_titles():
    assert titles("THE CART IS LATE STOP\n\nSEND MONEY STOP\n\nI WAIT AT THE INN STOP") == []


def test_a_line_of_capitals_within_a_paragraph_is_no_title():
    assert titles("The sign says\nNO ENTRY BY ORDER\nand nothing else.") == []


@given(st.text(alphabet="IVX ABCdef.\n", max_size=200))
def test_every_title_stands_where_it_says(text):
    starts = [each.start for each in chapters_in(text)]

    assert starts == sorted(set(starts))
    assert all(text[each.start :].startswith(each.title.split()[0]) for each in chapters_in(text))
