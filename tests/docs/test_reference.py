"""The reference is written from the code, whole and current."""

import json
import re
import tomllib

import click
import jsonschema
import pytest

from vivavoce.operations import CATALOGUE
from vivavoce.settings import settable, variable

from .documents import ROOT, generator

GENERATE = generator()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REFERENCE = ROOT / "docs" / "reference"
SERVER = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))

SERVER_SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["$schema", "name", "description", "version", "packages"],
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
        "packages": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"const": "pypi"},
                    "identifier": {"type": "string"},
                    "version": {"type": "string"},
                    "runtimeHint": {"const": "uvx"},
                    "runtimeArguments": {
                        "type": "array",
                        "items": {
                            "required": ["type", "name", "value"],
                            "properties": {"type": {"const": "named"}, "value": {"type": "string"}},
                        },
                    },
                    "transport": {"const": {"type": "stdio"}},
                    "packageArguments": {
                        "type": "array",
                        "items": {
                            "required": ["type", "value"],
                            "properties": {"type": {"const": "positional"}, "value": {"type": "string"}},
                        },
                    },
                    "environmentVariables": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["name", "description", "isSecret"],
                            "properties": {
                                "name": {"type": "string"},
                                "description": {"type": "string"},
                                "format": {"enum": ["string", "number", "boolean", "filepath"]},
                                "isRequired": {"type": "boolean"},
                                "isSecret": {"type": "boolean"},
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What the registry's schema of 2025-12-11 asks of the fields that we use."""


OFFERED = sorted(name for name, kind in CATALOGUE.items() if kind.spec.offer != "never")


def text_of(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GENERATE.pages(), ids=lambda path: path.name)
def test_what_is_generated_is_current(path):
    assert path.read_text(encoding="utf-8") == GENERATE.pages()[path], "Run bin/docs."


def test_generating_twice_changes_nothing():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert GENERATE.with_table(GENERATE.with_table(readme)) == GENERATE.with_table(readme)


def test_every_tool_is_described():
    described = re.findall(r"^### (\w+)$", text_of("tools.md"), re.MULTILINE)

    assert sorted(described) == OFFERED


def test_every_tool_stands_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition(GENERATE.BEGIN)[2].partition(GENERATE.END)[0]

    listed = re.findall(r"^\| \[`(\w+)`\]", table, re.MULTILINE)

    assert sorted(listed) == OFFERED


def test_each_group_of_tools_has_one_heading():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    areas = re.findall(r"^\| \*\*(.+)\*\* \|", readme, re.MULTILINE)
    headings = re.findall(r"^## (.+)$", text_of("tools.md"), re.MULTILINE)

    assert len(areas) == len(set(areas)) > 5
    assert len(headings) == len(set(headings)) > 5


def test_every_route_is_described():
    described = set(re.findall(r"^### ([A-Z]+ /\S+)$", text_of("rest.md"), re.MULTILINE))

    routes = {
        f"{kind.spec.route.method} {kind.spec.route.path}" for kind in CATALOGUE.values() if kind.spec.route
    }
    assert described == routes | {"POST /channels/{accountId}/events"}  # of providers: no operation


def test_every_command_is_described():
    described = re.findall(r"^### vivavoce (.+)$", text_of("command-line.md"), re.MULTILINE)

    assert described == [name for name, _ in GENERATE.commands.commands()]
    assert {"demo", "connect", "mcp", "serve", "keys create", "doctor", "backup"} <= set(described)


def test_every_option_is_described_with_its_command():
    sections = re.split(r"^### vivavoce ", "\n".join(GENERATE.commands.lines()), flags=re.MULTILINE)
    written = {section.partition("\n")[0]: section for section in sections[1:]}

    for name, command in GENERATE.commands.commands():
        options = [each for each in command.params if isinstance(each, click.Option)]
        assert [each.opts[0] for each in options if f"`{each.opts[0]}" not in written[name]] == [], name


def test_every_setting_is_described():
    described = re.findall(r"^\| `([A-Z_]+)`", text_of("settings.md"), re.MULTILINE)

    assert described == [variable(field.name) for field in settable()]


def test_every_error_is_described_with_its_next_step():
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|", text_of("errors.md"), re.MULTILINE)

    assert [code for code, _, _ in rows] == [kind.code for kind in GENERATE.errors.error_classes()]
    assert all(meaning and step for _, meaning, step in rows)


def test_no_argument_is_left_without_a_meaning():
    rows = re.findall(
        r"^\| `([\w.\[\]]+)` \| .* \| (?:yes)? ?\| (.*) ?\|$", text_of("tools.md"), re.MULTILINE
    )

    assert [name for name, meaning in rows if not meaning.strip() and "." not in name] == []


def test_the_registry_entry_has_the_shape_that_the_registry_asks_for():
    jsonschema.validate(SERVER, SERVER_SCHEMA)


def test_the_registry_entry_speaks_of_this_version_and_this_package():
    (package,) = SERVER["packages"]

    assert package["identifier"] == PROJECT["name"]
    assert SERVER["version"] == package["version"] == PROJECT["version"]
    assert f"mcp-name: {SERVER['name']} " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_registry_entry_names_settings_that_exist_and_hides_the_secret_one():
    (package,) = SERVER["packages"]
    secret = {asked["name"]: asked["isSecret"] for asked in package["environmentVariables"]}

    assert secret == {"VIVAVOCE_DATABASE": False, "VIVAVOCE_MASTER_KEY": True}
    assert set(secret) <= {variable(field.name) for field in settable()}


def test_what_is_public_under_avatars_is_an_avatar():
    page = (REFERENCE / "tools.md").read_text(encoding="utf-8")
    told = {line for line in page.splitlines() if "needs no key" in line}

    for line in told:
        assert ("a public avatar" in line) == ("`GET /avatars" in line or "`POST /avatars" in line)
    assert any("a public avatar" in line for line in told)
