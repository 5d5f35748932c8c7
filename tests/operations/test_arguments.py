"""How arguments are read: strictly, with words for every fault and never a value."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InvalidInput
from vivavoce.operations import CATALOGUE
from vivavoce.operations.agents import CreateAgent, GetAgent, ListAgents, UpdateAgent

CANARY = "canary-7f3a9c"
AGENT = {"name": "Ana", "description": "Answers.", "modelName": "gpt_4_o", "systemPrompt": "Be kind."}
ALL = pytest.mark.parametrize("kind", CATALOGUE.values(), ids=list(CATALOGUE))


def nested(levels: int) -> object:
    value: object = "x"
    for _ in range(levels):
        value = {"a": value}
    return value


def refusal_of(kind, given, **options) -> InvalidInput:
    with pytest.raises(InvalidInput) as refusal:
        kind.parse(given, **options)
    return refusal.value


@ALL
def test_an_unknown_argument_is_refused_with_the_known_ones(kind):
    error = refusal_of(kind, {"colour": CANARY})

    assert error.details["colour"] == "is not a known argument"
    assert CANARY not in str(error)
    for field in kind.model_fields.values():
        assert field.alias in error.hint


@pytest.mark.parametrize(
    ("given", "meant"),
    [("model_name", "modelName"), ("systemprompt", "systemPrompt"), ("temprature", "temperature")],
)
def test_an_argument_that_is_almost_right_is_recognised(given, meant):
    assert f"Did you mean {meant}?" in refusal_of(CreateAgent, {**AGENT, given: "x"}).hint


def test_each_fault_is_told_at_its_place():
    error = refusal_of(
        CreateAgent, {"name": " ", "modelName": 5, "temperature": 1.5, "tools": [{"type": "http"}]}
    )

    assert error.details.keys() == {
        "name",
        "description",
        "modelName",
        "systemPrompt",
        "temperature",
        "tools.0",
    }
    assert error.details["description"] == "is required"
    assert "config.name: is required" in error.details["tools.0"]


@pytest.mark.parametrize("value", ["0.5", True, None, [0.5], {"value": 0.5}])
def test_json_is_held_to_its_types(value):
    assert refusal_of(CreateAgent, {**AGENT, "temperature": value}).details.keys() == {"temperature"}


def test_texts_of_a_command_line_are_read_leniently():
    assert ListAgents.parse({"limit": "5"}, strict=False).limit == 5
    assert CreateAgent.parse({**AGENT, "temperature": "0"}, strict=False).temperature == 0


@given(
    st.sampled_from([*CATALOGUE.values()]),
    st.dictionaries(
        st.text(max_size=12)
        | st.sampled_from(["id", "name", "agentId", "toolId", "config", "text", "scenarioId", "tools"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
            lambda parts: st.lists(parts, max_size=3) | st.dictionaries(st.text(), parts, max_size=3),
            max_leaves=8,
        ),
        max_size=6,
    ),
    st.booleans(),
)
def test_whatever_arrives_is_an_operation_or_a_clear_refusal(kind, arguments, strict):
    outcome: object
    try:
        outcome = kind.parse(arguments, strict=strict)
    except InvalidInput as error:
        outcome = error

    assert isinstance(outcome, kind) or str(outcome)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("levels", [21, 150, 250, 300, 2_000, 100_000])
def test_deep_nesting_is_refused_for_its_depth(levels, strict):
    error = refusal_of(CreateAgent, {**AGENT, "interfaceConfig": nested(levels)}, strict=strict)

    assert "nested" in error.message


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("\ud800", "surrogate"),
        ("a\0b", "NUL"),
        (10**5_000, "number"),
        (2**60, "number"),
        (float("nan"), "number"),
        (float("inf"), "number"),
    ],
    ids=["surrogate", "nul", "huge", "large", "nan", "inf"],
)
def test_what_cannot_be_stored_is_refused_for_what_it_is(value, fault, strict):
    error = refusal_of(CreateAgent, {**AGENT, "interfaceConfig": {"a": value}}, strict=strict)

    assert fault in error.message


def test_ten_megabytes_are_refused_in_a_few_words():
    for arguments in (
        {**AGENT, "name": "x" * 10**7},
        {**AGENT, "x" * 10**7: 1},
        {**AGENT, "tools": ["x" * 10**7]},
    ):
        error = refusal_of(CreateAgent, arguments)
        assert len(str(error)) + len(json.dumps(error.details)) < 3_000


def test_a_thousand_faults_are_told_in_a_few_words():
    error = refusal_of(CreateAgent, {f"unknown{place}": place for place in range(1_000)})

    assert len(str(error)) < 3_000
    assert error.details["…"] == "more faults were found"


@pytest.mark.parametrize(
    "fragment", ["../x", "a'; drop table agents;--", "a/b", "@", "", "x" * 66, "a\n", "@ana b", "%00"]
)
def test_a_reference_to_an_agent_is_never_a_piece_of_a_path_or_of_sql(fragment):
    error = refusal_of(GetAgent, {"id": fragment})

    assert error.details.keys() == {"id"}


def test_what_was_given_is_told_apart_from_what_was_not():
    assert UpdateAgent.parse({"id": "a1"}).given() == {"id": "a1"}
    assert UpdateAgent.parse({"id": "a1", "handle": None, "temperature": 0}).given() == {
        "id": "a1",
        "handle": None,
        "temperature": 0,
    }
