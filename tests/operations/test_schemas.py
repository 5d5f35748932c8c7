"""The schemas that clients are shown."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests.engine.workspaces import arguments_for_all, populated
from vivavoce.operations import CATALOGUE
from vivavoce.operations.schemas import input_schema, output_schema

ALL = pytest.mark.parametrize("kind", CATALOGUE.values(), ids=list(CATALOGUE))
WORDS = {"$ref", "$defs", "title"}


@ALL
def test_an_input_schema_is_valid_closed_and_without_noise(kind):
    schema = input_schema(kind)

    Draft202012Validator.check_schema(schema)
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert not WORDS & set(keywords(schema))


@ALL
def test_an_output_schema_is_a_valid_object_without_noise(kind):
    schema = output_schema(kind.spec.result)

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert not WORDS & set(keywords(schema))


@ALL
def test_an_input_schema_shows_each_listed_argument_with_its_description(kind):
    schema = input_schema(kind)
    fields = kind.model_fields.values()
    listed = {field.alias for field in fields if not (field.json_schema_extra or {}).get("unlisted")}
    required = {field.alias for field in fields if field.is_required()}

    assert schema["properties"].keys() == listed
    assert set(schema.get("required", ())) == required <= listed
    assert all(of["description"] for of in schema["properties"].values())


@pytest.mark.parametrize("path", [("addHttpTool", "config"), ("addFollowUpMessagesTool", "config")])
def test_the_settings_of_a_tool_are_described_to_the_last_field(path):
    name, argument = path
    schema = input_schema(CATALOGUE[name])["properties"][argument]

    assert schema["properties"]
    assert list(undescribed(schema)) == []


def test_the_default_tools_fit_into_a_short_list():
    shown = [
        {
            "name": name,
            "description": kind.spec.description,
            "inputSchema": input_schema(kind),
            "outputSchema": output_schema(kind.spec.result),
        }
        for name, kind in CATALOGUE.items()
        if kind.spec.offer == "default"
    ]

    assert len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode()) < 36_500


async def test_every_operation_takes_what_its_schema_shows_and_gives_what_its_schema_says(run):
    calls = arguments_for_all(await populated(run))
    assert calls.keys() == CATALOGUE.keys()

    for name, given in calls.items():
        kind = CATALOGUE[name]
        Draft202012Validator(input_schema(kind)).validate(given)
        Draft202012Validator(output_schema(kind.spec.result)).validate(await run(name, **given))


def keywords(schema, *, is_map=False):
    """Every keyword of a schema; the names of properties are none."""
    if isinstance(schema, list):
        for part in schema:
            yield from keywords(part)
    elif isinstance(schema, dict):
        for key, part in schema.items():
            if not is_map:
                yield key
            yield from keywords(part, is_map=not is_map and key == "properties")


def undescribed(schema, place=""):
    for name, of in schema.get("properties", {}).items():
        if not of.get("description"):
            yield f"{place}{name}"
        yield from undescribed(of.get("items", of), f"{place}{name}.")
