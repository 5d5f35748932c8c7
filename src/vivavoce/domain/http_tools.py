"""HTTP tools: a request that an agent may make, its parameters and the rules they keep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from .addresses import PLACEHOLDER, checked_address, covered_address, mixed_secrets
from .prompting import PROMPT_VARIABLES
from .secrets import Cover, is_secret_header, is_telling, within
from .values import JsonObject, Line, Name, Text, Unlisted, Value, storable

_COLON = re.compile(r"/:([A-Za-z_][\w-]*)")
_SECTIONS = ("headers", "query_parameters", "path_variables", "body")


class Parameter(Value):
    """One header, path variable, query parameter or body field of an HTTP tool."""

    key: Annotated[Name, Field(description="Its name, e.g. Authorization.")]
    value: Annotated[Text, Field(description="The fixed value, or a default.")] = ""
    description: Annotated[Text, Field(description="What it is for, read by the model.")] = ""
    accepted_values: Annotated[
        list[Line], Field(max_length=200, description="The only values allowed; empty for any.")
    ] = []
    is_user_provided: Annotated[
        bool, Field(description="True: the model supplies the value. False: `value` is fixed.")
    ] = False
    is_auto_generated: Annotated[bool, Unlisted] = False
    type: Annotated[Line | None, Unlisted] = None
    properties: Annotated[JsonObject | None, Unlisted] = None
    items: Annotated[JsonObject | None, Unlisted] = None
    enum: Annotated[list[Line] | None, Unlisted] = None

    @model_validator(mode="after")
    def _is_usable(self) -> Self:
        if not self.is_user_provided and not self.value:
            raise ValueError(f"{self.key}: a fixed parameter needs a value, or set isUserProvided to true")
        if self.value and self.accepted_values and self.value not in self.accepted_values:
            raise ValueError(f"{self.key}: the value must be one of acceptedValues")
        if not self.is_user_provided and self.accepted_values and is_telling(self.key):
            raise ValueError(f"{self.key}: a fixed secret has no acceptedValues, which would show it")
        return self


Parameters = Annotated[list[Parameter], Field(max_length=100)]


class HttpConfig(Value):
    """The request that an HTTP tool makes."""

    name: Annotated[Name, Field(description="A clear name, unique among the agent's HTTP tools.")]
    description: Annotated[Text, Field(description="What it does and when to use it, read by the model.")]
    url: Annotated[
        str, Field(max_length=4_000, description="http(s) address; {x} or :x marks a path variable.")
    ]
    method: Annotated[
        Literal["GET", "POST", "PUT", "PATCH", "DELETE"], Field(description="The HTTP method.")
    ] = "GET"
    headers: Annotated[Parameters, Field(description="Headers; fixed values are kept secret.")] = []
    path_variables: Annotated[Parameters, Field(description="One for each placeholder of the url.")] = []
    query_parameters: Annotated[Parameters, Field(description="What follows the ? of the url.")] = []
    body: Annotated[Parameters, Field(description="Fields of a JSON body.")] = []
    raw_body: Annotated[Text | None, Field(description="A whole JSON body instead of `body`.")] = None
    with_approval: Annotated[bool, Field(description="Ask an operator before each call.")] = False
    has_maximum_tool_calls: Annotated[bool, Field(description="Limit the calls of a conversation.")] = False
    maximum_tool_calls: Annotated[
        Annotated[int, Field(ge=1, le=1_000)] | None, Field(description="The limit.")
    ] = None
    is_error_countable: Annotated[bool, Field(description="Failed calls count too.")] = True

    @model_validator(mode="before")
    @classmethod
    def _method_in_capitals(cls, given: Any) -> Any:
        if isinstance(given, dict) and isinstance(given.get("method"), str):
            return {**given, "method": given["method"].upper()}
        return given

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        checked_address(self.url)
        _check_placeholders(self.url, [variable.key for variable in self.path_variables])
        if mixed_secrets(self.url):
            raise ValueError("url: a secret mixed with a placeholder belongs into queryParameters")
        if self.raw_body is not None:
            _check_raw_body(self.raw_body, beside=self.body)
        return self

    def covered(self, cover: Cover) -> HttpConfig:
        """The same request with every secret replaced by the marker."""
        values: dict[str, Any] = {section: self._covered_section(section, cover) for section in _SECTIONS}
        values["url"] = covered_address("url", self.url, cover)
        if self.raw_body is not None:
            values["raw_body"] = _covered_raw_body(self.raw_body, cover)
        return self.model_copy(update=values)

    def _covered_section(self, section: str, cover: Cover) -> list[Parameter]:
        counted: dict[str, int] = {}
        covered: list[Parameter] = []
        for parameter in getattr(self, section):
            place = counted[parameter.key] = counted.get(parameter.key, 0) + 1
            location = within(section, parameter.key, str(place))
            if _is_secret(section, parameter):
                parameter = parameter.model_copy(update={"value": cover.over(location, parameter.value)})
            covered.append(parameter.model_copy(update=_covered_parts(location, parameter, cover)))
        return covered


def _is_secret(section: str, parameter: Parameter) -> bool:
    if not parameter.value or parameter.accepted_values:
        return False
    if section == "headers" and not parameter.is_user_provided:
        return is_secret_header(parameter.key)
    return is_telling(parameter.key)


def _covered_parts(location: str, parameter: Parameter, cover: Cover) -> dict[str, Any]:
    """The nested fields of a parameter, with the fixed values of telling ones covered."""
    parts = {"properties": parameter.properties, "items": parameter.items}
    telling = is_telling(parameter.key)
    return {
        name: _covered_part(within(location, name), part, telling, cover)
        for name, part in parts.items()
        if part is not None
    }


def _covered_part(location: str, part: Any, telling: bool, cover: Cover) -> Any:
    if not isinstance(part, dict):
        return part
    covered: dict[str, Any] = {}
    for name, item in part.items():
        place, is_fixed = within(location, name), telling and name == "value"
        if isinstance(item, dict) and not is_fixed:
            covered[name] = _covered_part(place, item, telling or is_telling(name), cover)
        else:
            covered[name] = cover.over_json(place, item, telling=is_fixed or is_telling(name))
    return covered


def _check_placeholders(url: str, declared: list[str]) -> None:
    used = set(_placeholders(url))
    known = set(declared)
    if len(known) < len(declared):
        raise ValueError("pathVariables: a key stands there twice")
    if missing := sorted(used - known - PROMPT_VARIABLES):
        raise ValueError(f"pathVariables: the url has {_listed(missing)}, which is not declared there")
    if unused := sorted(known - used):
        raise ValueError(f"pathVariables: {_listed(unused)} is not a placeholder of the url")


def _placeholders(url: str) -> Iterator[str]:
    yield from PLACEHOLDER.findall(url)
    yield from _COLON.findall(urlsplit(url).path)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def _check_raw_body(raw: str, *, beside: list[Parameter]) -> None:
    if beside:
        raise ValueError("rawBody: stands instead of body; give one of them")
    try:
        value = json.loads(raw, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise ValueError("rawBody: must be JSON in which no name stands twice") from error
    try:
        storable(value)
    except ValueError as error:
        raise ValueError(f"rawBody: {error}") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A name that stands twice has a value which readers do not see."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands there twice")
    return dict(pairs)


def _covered_raw_body(raw: str, cover: Cover) -> str:
    value = json.loads(raw)
    covered = cover.over_json("rawBody", value)
    return raw if covered == value else json.dumps(covered, ensure_ascii=False)
