"""Faults: where something is wrong, and what, in words of the caller."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, Field, ValidationError

from vivavoce.domain.avatars import Config
from vivavoce.domain.faults import faults_of
from vivavoce.domain.tools import ToolDraft
from vivavoce.operations.avatars import GenerateResponse, QueryCorpus
from vivavoce.operations.contacts import SaveContact
from vivavoce.operations.keys import CreateKey


def faults(kind, **given) -> dict[str, str]:
    with pytest.raises(ValidationError) as refused:
        kind.model_validate(given)
    return faults_of(refused.value)


def test_the_length_of_a_text_is_counted_in_characters():
    (said,) = faults(SaveContact, phoneNumber="5" * 41).values()

    assert said == "string should have at most 40 characters"


def test_a_text_that_is_empty_is_told_so_in_one_form():
    of_question = faults(GenerateResponse, avatarId="ada", question="")
    of_query = faults(QueryCorpus, avatarId="ada", query="")

    assert of_question == {"question": "string should have at least 1 character"}
    assert of_query == {"query": "string should have at least 1 character"}


def test_a_fault_in_the_settings_of_a_tool_is_told_where_it_is():
    found = faults(ToolDraft, type="delayed_responses", config={"delay": 1})

    assert found.keys() == {"config.delay"}


@pytest.mark.parametrize("given", ["notes", ["notes"], 3, None])
def test_where_an_object_was_expected_one_is_shown(given):
    found = faults(Config, id="ada", name="Ada", description="Notes.", corpus=given, systemPrompt=given)

    said = 'input should be an object, such as {"key": "value"}'
    assert found == {"corpus": said, "systemPrompt": said}


def test_the_same_is_said_of_free_objects_and_of_written_json():
    said = 'input should be an object, such as {"key": "value"}'

    assert faults(ToolDraft, type="http", config="x")["config"] == said
    with pytest.raises(ValidationError) as refused:
        Config.model_validate_json("[]")
    assert faults_of(refused.value) == {"": said}


def test_the_length_of_a_list_is_told_in_what_it_must_have():
    class Lists(BaseModel):
        names: Annotated[list[str], Field(min_length=1, max_length=2)] = ["a"]
        pairs: Annotated[dict[str, int], Field(min_length=2)] = {"a": 1, "b": 2}

    assert faults(Lists, names=[]) == {"names": "must have at least one item"}
    assert faults(Lists, names=["a", "b", "c"]) == {"names": "must have at most 2 items"}
    assert faults(Lists, pairs={}) == {"pairs": "must have at least 2 items"}


def test_a_key_without_scopes_is_told_that_it_must_have_one():
    assert faults(CreateKey, name="k", scopes=[]) == {"scopes": "must have at least one item"}
