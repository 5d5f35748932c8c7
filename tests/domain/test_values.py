"""What may be stored, and what is refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from vivavoce.domain.values import DOCUMENT, LINE, NAME, TEXT, Document, Id, JsonObject, Line, Name, Text

from .json_values import objects, texts

JSON = TypeAdapter(JsonObject)


@given(objects())
def test_storable_json_is_written_and_read_back_unchanged(value):
    accepted = JSON.validate_python(value)

    assert json.loads(json.dumps(accepted, ensure_ascii=False).encode()) == value


@given(objects(), st.sampled_from(["\0", "\ud800", "\udfff"]), texts)
def test_a_nul_or_half_a_surrogate_pair_is_refused_wherever_it_stands(value, unfit, text):
    for spoiled in ({**value, "a": [{"b": text + unfit}]}, {**value, text + unfit: 1}):
        with pytest.raises(ValidationError, match=r"NUL|surrogate"):
            JSON.validate_python(spoiled)


@given(st.sampled_from([float("nan"), float("inf"), float("-inf")]))
def test_a_number_that_json_cannot_say_is_refused(number):
    with pytest.raises(ValidationError, match="finite"):
        JSON.validate_python({"a": [number]})


@given(st.integers(min_value=2**53 + 1) | st.integers(max_value=-(2**53) - 1))
def test_a_whole_number_that_other_programs_would_round_is_refused(number):
    with pytest.raises(ValidationError, match=r"2\*\*53"):
        JSON.validate_python({"a": number})


@pytest.mark.parametrize("number", [2**53, -(2**53), 0, True])
def test_a_whole_number_that_every_program_keeps_is_accepted(number):
    assert JSON.validate_python({"a": number}) == {"a": number}


@pytest.mark.parametrize("wrap", [lambda part: {"a": part}, lambda part: [part]])
def test_json_may_be_twenty_levels_deep_and_no_deeper(wrap):
    part = "leaf"
    for _ in range(19):
        part = wrap(part)

    assert JSON.validate_python({"a": part}) == {"a": part}
    with pytest.raises(ValidationError, match="deeper than 20"):
        JSON.validate_python({"a": wrap(part)})


def test_json_may_hold_five_thousand_values_and_no_more():
    most = {"a": [1] * 4_997}  # the object, the name, the list

    assert JSON.validate_python(most) == most
    with pytest.raises(ValidationError, match="more than 5000"):
        JSON.validate_python({"a": [1] * 4_998})


def test_json_may_hold_texts_as_long_as_any_text_and_no_longer():
    assert JSON.validate_python({"a": "x" * TEXT}) == {"a": "x" * TEXT}
    with pytest.raises(ValidationError, match="longer than"):
        JSON.validate_python({"a": "x" * (TEXT + 1)})


@pytest.mark.parametrize(
    ("kind", "most"), [(Name, NAME), (Line, LINE), (Text, TEXT), (Document, DOCUMENT), (Id, 64)]
)
def test_each_kind_of_text_has_a_greatest_length(kind, most):
    assert TypeAdapter(kind).validate_python("x" * most) == "x" * most
    with pytest.raises(ValidationError, match=f"at most {most}"):
        TypeAdapter(kind).validate_python("x" * (most + 1))


@given(
    st.sampled_from([Name, Line, Text, Document]), texts, st.sampled_from(["\0", "\ud800", "\udfff"]), texts
)
def test_no_kind_of_text_holds_a_nul_or_half_a_surrogate_pair(kind, before, unfit, after):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(f"x{before}{unfit}{after}x")


@given(texts)
def test_a_text_is_kept_to_the_letter(text):
    assert TypeAdapter(Text).validate_python(text) == text


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0"])
def test_a_name_is_never_blank(blank):
    with pytest.raises(ValidationError, match="blank"):
        TypeAdapter(Name).validate_python(blank)


@pytest.mark.parametrize("control", ["\n", "\r", "\t", "\x1b", "\x7f", "\x85", "\u2028"])
def test_a_name_is_one_line_without_control_characters(control):
    with pytest.raises(ValidationError, match="one line"):
        TypeAdapter(Name).validate_python(f"a{control}b")


def test_blanks_around_a_name_are_dropped():
    assert TypeAdapter(Name).validate_python("  Ana Maria \n") == "Ana Maria"


@pytest.mark.parametrize("fragment", ["../x", "a/b", "a' or 1=1--", "a b", "a\n", "é", "%00", "a.b", ""])
def test_an_id_is_never_a_piece_of_a_path_or_of_sql(fragment):
    with pytest.raises(ValidationError):
        TypeAdapter(Id).validate_python(fragment)
