"""Faults: where something is wrong, and what, in words of the caller."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from vivavoce.domain.faults import faults_of
from vivavoce.domain.tools import ToolDraft
from vivavoce.operations.avatars import GenerateResponse, QueryCorpus
from vivavoce.operations.contacts import SaveContact


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
