"""Variables in prompts, and what fits into a prompt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import assert_linear
from vivavoce.domain.prompting import PROMPT_VARIABLES, filled, fitting, tokens_of


def test_variables_are_filled_in():
    values = {"user-name": "Ana", "city": "Recife"}

    assert filled("{user-name} from {city}, {user-name}", values) == "Ana from Recife, Ana"


@pytest.mark.parametrize("name", sorted(PROMPT_VARIABLES))
def test_a_variable_without_a_value_is_left_out(name):
    assert filled(f"<{{{name}}}>", {}) == "<>"


@pytest.mark.parametrize(
    "text",
    ['{"a": {"b": 1}}', "{query} {context}", "{}", "{ }", "}{", "{unknown}", "{{", "{a\nb}", "{User-Name}"],
)
def test_other_braces_stay_as_they_are(text):
    assert filled(text, {"user-name": "Ana"}) == text


def test_a_variable_inside_json_is_filled_in():
    assert filled('{"name": "{user-name}"}', {"user-name": "Ana"}) == '{"name": "Ana"}'


def test_what_is_filled_in_is_not_filled_in_again():
    values = {"user-name": "{user-email}", "user-email": "secret", "a": "{", "b": "user-email}"}

    assert filled("{user-name} {a}{b}", values) == "{user-email} {user-email}"


@given(st.text(), st.dictionaries(st.text(max_size=5), st.text(max_size=5)))
def test_a_text_without_braces_stays_as_it_is(text, values):
    bare = text.replace("{", "").replace("}", "")

    assert filled(bare, values) == bare


@pytest.mark.parametrize("unit", ["{", "}", "{a", "{user-name}", "{ "])
def test_the_time_that_braces_take_grows_with_their_number_alone(unit):
    assert_linear(lambda size: filled(unit * (size // len(unit)), {}), 1_000_000)


def test_the_first_texts_that_fit_are_given():
    texts = ["a" * 40, "b" * 40, "c" * 4_000, "d"]

    assert fitting(texts, 20) == texts[:2]
    assert fitting(texts, 2_000) == texts
    assert fitting([], 10) == []


def test_a_first_text_that_is_too_long_is_cut_after_a_sentence():
    assert fitting(["One two three. Four five six. Seven eight nine.", "x"], 8) == [
        "One two three. Four five six."
    ]


def test_a_sentence_that_is_too_long_is_cut_after_a_word():
    assert fitting(["one two three four five"], 3) == ["one two"]
    assert fitting(["a" * 100], 3) == ["a" * 12]


def test_where_nothing_fits_nothing_is_given():
    assert fitting(["text"], 0) == []


def test_chinese_takes_more_room_than_english():
    assert tokens_of("\u6f22\u5b57" * 10) == 20
    assert tokens_of("word" * 10) == 10
    assert fitting(["\u6f22\u5b57" * 10], 10) == ["\u6f22\u5b57" * 5]


@given(st.lists(st.text(st.characters(), max_size=80), max_size=6), st.floats(0, 60))
def test_what_is_given_fits_and_is_the_beginning_of_what_was_there(texts, tokens):
    fit = fitting(texts, tokens)

    assert sum(tokens_of(text) for text in fit) <= tokens
    assert all(text.startswith(given) for given, text in zip(fit, texts, strict=False))
    assert fit == texts[: len(fit)] or len(fit) == 1


def test_a_huge_first_text_is_cut_and_the_time_grows_with_its_length_alone():
    assert len(fitting(["word. " * 1_000_000], 3_000)) == 1
    assert_linear(lambda words: fitting(["word. " * words], 3_000), 1_000_000)
