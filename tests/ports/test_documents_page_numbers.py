"""Numbers at the head or foot of the pages of a PDF file: those of pages may go, all others stay."""

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .pdfs_made import typeset
from .test_documents_running_lines import LINES, Placed, body, texts_of
from .test_documents_text import read

Numbered = Callable[[int], str]

CONTENT: dict[str, Numbered] = {
    **{
        word: f"{word} {{}}".format for word in ("Day", "Week", "Table", "Form", "Sheet", "Article", "Sonnet")
    },
    "year": lambda number: str(1892 + number),
    "name and year": lambda number: f"Year {1892 + number}",
    "date": lambda number: f"{number} January 1890",
    "day of a month": lambda number: f"{number} January",
    "step": lambda number: f"Step {number}: turn the valve to the left",
    "step of many": lambda number: f"Step {number} of 120",
    "head and day": lambda number: f"Rainfall at Varn, day {number}",
    "volume": lambda number: f"Annals of the Smiths of Corven, volume {number}",
    "year apart from words": lambda number: f"Rainfall at Varn{' ' * 30}{1892 + number}",
    "Roman capitals": lambda number: ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"][
        number - 1
    ],
    "number with a point": lambda number: f"{number}.",
    "number in brackets": lambda number: f"({number})",
    "number in square brackets": lambda number: f"[{number}]",
    "number of a section": lambda number: f"S. {number}",
    "number of a problem": lambda number: f"p{number}",
    "fraction": lambda number: f"{number}/12",
    "share of many": lambda number: f"{number} of 12",
    "step of as many as there are pages": lambda number: f"Step {number} of 10",
}
AT_THE_FOOT = (
    "number in brackets",
    "number in square brackets",
    "number of a section",
    "number of a problem",
)
"""What may be the number of a page where it is the last thing on it."""
ROWS = [f"{hour:02}:00  11.2  1011.2" for hour in range(1, 9)]
WORDS_FIRST = [f"wind  11.2  1011.{hour}" for hour in range(1, 9)]
VERSE = ["the bell rang over the roofs of Varn", "and no one came to the door to hear", "what the smith said"]

each_content = pytest.mark.parametrize("said", CONTENT.values(), ids=CONTENT)


def pages_of(head: Numbered, lines: Sequence[str]) -> list[list[Placed]]:
    return [[(11, 760, head(number)), *body(lines)] for number in range(1, 11)]


def at(height: float, said: str) -> list[Placed]:
    """A page of prose with a line over or under it."""
    line = (9, height, said)
    return [line, *body()] if height > 700 else [*body(), line]


def heads_of(pages: Sequence[Sequence[Placed]], labels: str = "") -> list[str]:
    """The first line of the text of each page."""
    return [part.text.split("\n")[0] for part in read("pdf", typeset(*pages, labels=labels))]


def printed(said: Numbered) -> list[str]:
    return [" ".join(said(number).split()) for number in range(1, 11)]


@each_content
@pytest.mark.parametrize("rows", [ROWS, WORDS_FIRST], ids=["numbers first", "words first"])
def test_each_page_of_a_table_says_what_its_rows_are_of(said: Numbered, rows: list[str]):
    assert heads_of(pages_of(said, rows)) == printed(said)


@each_content
def test_unpunctuated_verse_keeps_what_stands_over_it(said: Numbered):
    assert heads_of(pages_of(said, VERSE * 4)) == printed(said)


@each_content
def test_a_number_of_something_else_stays_also_where_a_sentence_goes_on_over_it(said: Numbered):
    assert heads_of(pages_of(said, LINES)) == printed(said)


@pytest.mark.parametrize("said", [CONTENT[name] for name in CONTENT if name not in AT_THE_FOOT])
def test_a_number_of_something_else_stays_at_the_foot(said: Numbered):
    pages = [[*body(), (11, 40, said(number))] for number in range(1, 11)]

    assert [text.rstrip().split("\n")[-1] for text in texts_of(pages)] == printed(said)


@pytest.mark.parametrize(
    "lines", [ROWS, WORDS_FIRST, VERSE * 4, LINES], ids=["table", "words first", "verse", "prose"]
)
def test_a_head_over_a_number_of_something_else_stays(lines: list[str]):
    pages = [[(11, 775, "Rainfall at Varn"), (11, 760, f"Day {n}"), *body(lines)] for n in range(1, 11)]

    assert heads_of(pages) == ["Rainfall at Varn"] * 10
    assert all(f"\nDay {n}\n" in text for n, text in enumerate(texts_of(pages), 1))


@pytest.mark.parametrize("rows", [ROWS, WORDS_FIRST], ids=["numbers first", "words first"])
@pytest.mark.parametrize("head", [str, lambda number: "Rainfall at Varn"], ids=["a number", "the same words"])
def test_nothing_is_left_out_between_the_rows_of_a_table(head: Numbered, rows: list[str]):
    assert heads_of(pages_of(head, rows)) == printed(head)


def test_nothing_is_left_out_between_the_short_lines_of_forms():
    names = ["Applicant", "Witness"]
    lines = ["full name and place of birth, as in the papers of the town", "house", "trade", "signature"]

    assert heads_of(pages_of(lambda number: names[number % 2], lines)) == ["Witness", "Applicant"] * 5


@pytest.mark.parametrize(
    "head",
    [
        lambda number: f"The Salt Road{' ' * 30}{number}",
        lambda number: f"{number}{' ' * 30}{'Of Smiths' if number < 6 else 'Of Nails'}",
        lambda number: f"The Salt Road, page {number}",
        lambda number: f"página {number + 340} de 900",
        lambda number: f"The Salt Road, p. {number + 340}",
        lambda number: str(number + 20),
    ],
    ids=["after room", "before room", "after its name", "far on", "far on, shortened", "after front matter"],
)
def test_a_number_of_a_page_is_left_out_of_a_sentence(head: Numbered):
    text = "".join(texts_of(pages_of(head, LINES))[2:-5])

    assert text == "".join(f"{line}\n" for line in LINES * 3)


@pytest.mark.parametrize(
    "form", ["{} / 10", "{}/10", *(f"{{}} {of} 10" for of in ("of", "von", "sur", "de", "di"))]
)
@pytest.mark.parametrize("height", [760, 40], ids=["at the head", "at the foot"])
def test_a_number_of_as_many_pages_as_there_are_is_left_out_of_a_sentence(form: str, height: int):
    pages = [at(height, form.format(number)) for number in range(1, 11)]

    assert "".join(texts_of(pages)[1:-1]) == "".join(f"{line}\n" for line in LINES * 8)


@pytest.mark.parametrize(
    "said",
    [
        lambda number: f"{number} / 12",
        lambda number: f"{number + 1} / 11",
        lambda number: f"{11 - number} / 10",
        lambda number: f"{number} / 10 of the salt",
        lambda number: f"1 / {number}",
    ],
    ids=["of another number", "from another one", "counting down", "with words", "a share"],
)
@pytest.mark.parametrize("height", [760, 40], ids=["at the head", "at the foot"])
def test_two_numbers_that_are_not_those_of_the_pages_stay(said: Numbered, height: int):
    texts = texts_of([at(height, said(number)) for number in range(1, 11)])

    assert all(said(number) in text.split("\n") for number, text in enumerate(texts, 1))


@pytest.mark.parametrize("name", AT_THE_FOOT)
def test_a_number_in_brackets_is_left_out_as_the_last_thing_on_its_page(name: str):
    texts = texts_of([at(40, CONTENT[name](number)) for number in range(1, 11)])

    assert "".join(texts[1:-1]) == "".join(f"{line}\n" for line in LINES * 8)


@pytest.mark.parametrize("name", AT_THE_FOOT)
@pytest.mark.parametrize(
    ("first", "foot"),
    [(21, "The Salt Road"), (21, None), (1, "The Salt Road")],
    ids=["far", "far, last", "above"],
)
def test_a_number_in_brackets_stays_where_it_may_be_that_of_something_else(
    name: str, first: int, foot: str | None
):
    below: list[Placed] = [] if foot is None else [(9, 40, foot)]
    said = [CONTENT[name](number + first) for number in range(10)]
    texts = texts_of([[*body(), (9, 55, each), *below] for each in said])

    assert all(each in text.split("\n") for each, text in zip(said, texts, strict=True))


def test_a_number_in_brackets_is_that_of_a_page_where_the_file_says_so():
    pages = [at(40, f"({number + 340})") for number in range(1, 11)]
    texts = [part.text for part in read("pdf", typeset(*pages, labels="0 << /S /D /St 341 >>"))]

    assert "".join(texts[1:-1]) == "".join(f"{line}\n" for line in LINES * 8)


@pytest.mark.parametrize(
    ("labels", "is_kept"),
    [("", True), ("0 << /S /D /St 341 >>", False), ("0 << /S /D >>", True)],
    ids=["no labels", "its own label", "another label"],
)
def test_a_high_number_is_that_of_a_page_where_the_file_says_so(labels: str, is_kept: bool):
    pages = pages_of(lambda number: str(number + 340), LINES)

    assert heads_of(pages, labels)[2:] == [str(n + 340) if is_kept else LINES[0] for n in range(3, 11)]


def test_a_low_number_is_not_that_of_a_page_where_the_file_names_another():
    assert heads_of(pages_of(str, LINES), "0 << /S /D /St 341 >>") == [str(number) for number in range(1, 11)]


def test_where_two_lines_count_the_pages_both_stay():
    pages = [[(9, 760, str(number)), *body(), (9, 40, str(number + 6))] for number in range(1, 11)]

    assert texts_of(pages)[4].split() == ["5", *" ".join(LINES).split(), "11"]


def test_pages_that_are_alike_and_short_stay_whole():
    pages = [[*body(VERSE), (9, 60, "The Salt Road"), (9, 45, f"Day {n}")] for n in range(1, 11)]

    assert [text.split("\n")[:3] for text in texts_of(pages)] == [VERSE] * 10


WORDS: list[Numbered] = [lambda number: "The Salt Road", lambda number: "and nails"]
NUMBERS: list[Numbered] = [
    str,
    lambda number: f"The Salt Road{' ' * 30}{number}",
    lambda number: f"{number} / 6",
]
EDGE = st.lists(
    st.tuples(st.sampled_from([9, 11]), st.sampled_from([*CONTENT.values(), *WORDS, *NUMBERS])), max_size=2
)
BLOCK = st.sampled_from([LINES, ROWS, WORDS_FIRST, VERSE, [f"{line}," for line in LINES], LINES[:2]])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(EDGE, BLOCK, EDGE), min_size=1, max_size=3), st.integers(4, 10))
def test_nothing_but_numbers_of_pages_is_lost(kinds: list, number: int):
    pages: list[list[Placed]] = []
    for place in range(number):
        head, block, foot = kinds[place % len(kinds)]
        above = [(size, 770 - 15 * line, said(place + 1)) for line, (size, said) in enumerate(head)]
        below = [(size, 60 - 15 * line, said(place + 1)) for line, (size, said) in enumerate(foot)]
        pages.append([*above, *body(block), *below])

    texts = [text.split("\n") for text in texts_of(pages)]

    for place, (page, text) in enumerate(zip(pages, texts, strict=True), 1):
        left_out = Counter(" ".join(line.split()) for _, _, line in page) - Counter(text)
        of_all = {f"{place} / 6"} if number == 6 else set()
        last = {CONTENT[name](place) for name in AT_THE_FOOT} & {page[-1][2]}
        assert set(left_out) <= {
            "The Salt Road",
            "and nails",
            str(place),
            f"The Salt Road {place}",
            *of_all,
            *last,
        }
        for words in ("The Salt Road", "and nails"):
            assert words not in " ".join(left_out) or any(words in line for text in texts for line in text)
