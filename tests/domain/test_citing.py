"""Marks of sources, found in a text that comes in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from vivavoce.domain.claims.citing import Cite, Citing

fragments = st.sampled_from(
    [
        *("[1]", "[2]", "[1, 3]", "[1-3]", "\u30102\u3011", "[9]", "[0]", "[2024]", "[x]", "[^1]"),
        *("[", "]", "(", ")", ":", ",", "; ", "-", "\u2013", "`", "``", "```", "\n", " ", "   ", " " * 45),
        *("1", "2", "99", "Yes", "no.", "\u6b63\u3057\u3044"),
    ]
)
texts = st.lists(fragments | st.text(max_size=4), max_size=25).map("".join)


def read(*pieces: str, known: int = 3) -> tuple[str, list[Cite]]:
    citing = Citing(known=known)
    given_out = [each for piece in pieces for each in citing.feed(piece)] + list(citing.end())
    assert [each for each in given_out if isinstance(each, Cite)] == citing.cites
    return "".join(each for each in given_out if isinstance(each, str)), citing.cites


@pytest.mark.parametrize(
    ("text", "expected", "cites"),
    [
        ("Yes [1].", "Yes.", [(1, 3)]),
        ("Yes[1].", "Yes.", [(1, 3)]),
        ("Yes. [1] No. [2]", "Yes. No.", [(1, 4), (2, 8)]),
        ("Yes [1][2].", "Yes.", [(1, 3), (2, 3)]),
        ("Yes [1] [2].", "Yes.", [(1, 3), (2, 3)]),
        ("Yes [1], [2].", "Yes.", [(1, 3), (2, 3)]),
        ("Yes [1, 2].", "Yes.", [(1, 3), (2, 3)]),
        ("Yes [1,2] and no [3]", "Yes and no", [(1, 3), (2, 3), (3, 10)]),
        ("Yes [1-3].", "Yes.", [(1, 3), (2, 3), (3, 3)]),
        ("Yes [1\u20132].", "Yes.", [(1, 3), (2, 3)]),
        ("\u306f\u3044\u30101\u3011\u3002", "\u306f\u3044\u3002", [(1, 2)]),
        ("[1] Yes.\n[2] No.", "Yes.\nNo.", [(1, 0), (2, 5)]),
        ("Yes [1][1].", "Yes.", [(1, 3)]),
        ("Yes [1, 9].", "Yes.", [(1, 3)]),
        ("One [1], two [2].", "One, two.", [(1, 3), (2, 8)]),
    ],
)
def test_marks_are_taken_out_with_the_blanks_before_them(text, expected, cites):
    assert read(text) == (expected, [Cite(*each) for each in cites])


@pytest.mark.parametrize("text", ["Yes [9].", "Yes. [9]", "Yes.[42]", "Yes \u30109\u3011"])
def test_an_invented_source_is_taken_out_and_cites_nothing(text):
    assert read(text) == (text[: text.index("Y") + 3] + ("." if "." in text else ""), [])


@pytest.mark.parametrize(
    "text",
    [
        "See [the page](https://example.com) and [1](https://example.com).",
        "Tick [x], leave [ ], read [sic] and [].",
        "array[0] and array[12] and items[i]",
        "In [2024] it was [100] or [1, 2024] or [0, 1] or [007].",
        "Use `names[1]` here.",
        "```\nnames [1]\n```",
        "[1]: https://example.com",
        "[[1]] is a wiki mark",
        "[3-1] runs backwards, [1--2] nowhere",
        "an open [1 and a lone ] and [1\n]",
        "[9] begins a line",
    ],
)
def test_other_brackets_stay_as_they_are(text):
    assert read(text) == (text, [])


def test_code_that_is_never_closed_ends_with_its_line():
    assert read("a ` tick\nYes [1].") == ("a ` tick\nYes.", [Cite(1, 12)])


def test_without_sources_nothing_is_a_mark():
    assert read("Yes [1].", known=0) == ("Yes [1].", [])


def test_text_is_given_out_as_soon_as_it_is_certain():
    citing = Citing(known=3)

    assert citing.feed("Hello there ") == ["Hello there"]
    assert citing.feed("[1") == []
    assert citing.feed("]") == []
    assert citing.feed(".") == [Cite(1, 11), "."]


@given(texts, st.data())
def test_how_a_text_is_cut_changes_nothing(text, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert read(*pieces) == read(*text) == read(text)


@given(st.text(st.characters(exclude_characters="[]\u3010\u3011"), max_size=200), st.integers(0, 9))
def test_text_without_brackets_comes_out_unchanged(text, known):
    assert read(*text, known=known) == (text, [])


@given(texts)
def test_a_citation_stands_inside_the_text_and_names_a_known_source(text):
    given_out, cites = read(text)

    assert all(1 <= cite.number <= 3 and 0 <= cite.at <= len(given_out) for cite in cites)
    assert [cite.at for cite in cites] == sorted(cite.at for cite in cites)


@pytest.mark.parametrize(
    "unit", ["[", "]", "[1", "1]", "[[1]", " ", " [", "[1]", "`", "`a", "\u3010", "[1 ,", "a"]
)
def test_a_million_hostile_characters_take_linear_time_and_little_memory(unit):
    def reads(size: int) -> None:
        text = unit * (size // len(unit))
        citing = Citing(known=3)
        for start in range(0, len(text), 4_096):
            citing.feed(text[start : start + 4_096])
            assert len(citing._rest) < 200
        citing.end()

    assert_linear(reads, 1_000_000)
