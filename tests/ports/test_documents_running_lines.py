"""Running heads, feet and page numbers of PDF files, and the sentences that go on over them."""

from collections.abc import Callable, Sequence

import pytest

from .pdfs_made import typeset
from .test_documents_text import read

BODY = [
    "The smith of Corven forged four hundred nails a day and the boys",
    "of the town rang the great bell of the old church in front of his",
]
SHUT = [BODY[0], "of the town rang the bell of his yard with a stone all day long."]
LINES = [*BODY, *BODY, *BODY]

Placed = tuple[float, float, str]


def body(lines: Sequence[str] = LINES, top: float = 700) -> list[Placed]:
    return [(11, top - 13 * place, line) for place, line in enumerate(lines)]


def texts_of(pages: Sequence[Sequence[Placed]]) -> list[str]:
    return [part.text for part in read("pdf", typeset(*pages))]


def roman(number: int) -> str:
    return ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"][number - 1]


def by_turns(number: int) -> str:
    return f"{number} THE SALT ROAD" if number % 2 else f"OF SMITHS {number}"


@pytest.mark.parametrize(
    "head",
    [
        by_turns,
        lambda number: "The Salt Road",
        lambda number: str(number),
        roman,
        lambda number: f"Page {number + 6} of 120",
        lambda number: f"The Salt Road | {number} | 2nd edition",
    ],
    ids=["by turns", "the same words", "a number", "a Roman number", "one of two numbers", "between words"],
)
@pytest.mark.parametrize("height", [760, 40], ids=["at the head", "at the foot"])
def test_a_sentence_goes_on_over_what_stands_on_all_pages(head: Callable[[int], str], height: int):
    heads = [(9, height, head(number)) for number in range(1, 13)]
    pages = [[line, *body()] if height == 760 else [*body(), line] for line in heads]

    assert "".join(texts_of(pages)[2:-2]) == "".join(f"{line}\n" for line in LINES * 8)


def test_a_head_of_two_lines_and_a_foot_are_left_out_together():
    pages = [
        [(9, 770, "Annals of Corven"), (9, 758, "Of Smiths"), *body(), (9, 40, str(n + 20))]
        for n in range(10)
    ]

    assert "".join(texts_of(pages)[1:-1]) == "".join(f"{line}\n" for line in LINES * 8)


def test_a_foot_that_the_file_gives_before_the_text_is_left_out():
    pages = [[(9, 760, "The Salt Road"), (9, 40, f"- {n} -"), *body()] for n in range(10)]

    assert "".join(texts_of(pages)[1:]) == "".join(f"{line}\n" for line in LINES * 9)


def test_where_no_sentence_goes_on_nothing_is_left_out():
    pages = [[(9, 760, by_turns(n)), *body(SHUT)] for n in range(1, 11)]

    assert texts_of(pages) == [f"{by_turns(n)}\n\n{SHUT[0]}\n{SHUT[1]}\n" for n in range(1, 11)]


def test_pages_keep_their_numbers():
    pages = [[*body(), (9, 40, str(n))] for n in range(1, 11)]

    assert [part.page for part in read("pdf", typeset(*pages))] == list(range(1, 11))


def test_what_a_head_says_stays_once_where_each_page_goes_on():
    pages = [body(), *([(9, 760, "Third edition"), *body()] for _ in range(20))]

    assert "".join(texts_of(pages)).count("Third edition") == 1


def test_a_head_stays_once_where_it_divides_no_sentence():
    lines = [SHUT if n == 7 else LINES for n in range(20)]
    pages = [body(), *([(9, 760, "Third edition"), *body(each)] for each in lines)]

    assert [place for place, text in enumerate(texts_of(pages)) if "Third edition" in text] == [9]


@pytest.mark.parametrize(
    "lines",
    [
        [(9, 760, "The Salt Road")] * 3,
        [(9, 760, f"Annex {n}") for n in (1, 2, 3)],
        [(9, 713, "Name Born Died")] * 10,
        [(9, 770 - 15 * n, "Ring, bell of Corven") for n in range(4)],
        [(18, 760, "What We Sell")] * 10,
        [(9, 760, str(n * n)) for n in range(10)],
        [(9, 760, f"{1850 + 3 * n} was a good year") for n in range(10)],
        [(9, 760, name) for name in ("Osric", "Bede", "Orla", "Ine", "Offa", "Edda", "Wulf", "Hild")],
    ],
    ids=[
        "on three pages",
        "three annexes",
        "at the top of a table",
        "a refrain at other heights",
        "a title in larger letters",
        "other numbers",
        "years",
        "other words",
    ],
)
def test_what_is_no_running_line_stays(lines: Sequence[Placed]):
    for place, text in enumerate(texts_of([[line, *body()] for line in lines])):
        assert lines[place][2] in text


def test_numbers_that_step_with_the_pages_stay_where_each_page_ends_its_sentence():
    pages = [[(11, 760, str(n)), *body(SHUT)] for n in range(1, 11)]

    assert [text.split("\n")[0] for text in texts_of(pages)] == [str(n) for n in range(1, 11)]
