"""HTTP tools: a request that an agent may make, its parameters and the rules they keep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, Self
from urllib.parse import parse_qsl, quote, urlsplit

from pydantic import Field, model_validator

from .prompting import PROMPT_VARIABLES
from .secrets import Cover, is_secret_header, is_telling
from .values import JsonObject, Line, Name, Text, Unlisted, Value

_BRACED = re.compile(r"\{([A-Za-z_][\w.-]*)\}")
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
        _check_address(self.url)
        _check_placeholders(self.url, [variable.key for variable in self.path_variables])
        if self.raw_body is not None:
            _check_raw_body(self.raw_body, beside=self.body)
        return self

    def covered(self, cover: Cover) -> HttpConfig:
        """The same request with every secret replaced by the marker."""
        values: dict[str, Any] = {section: self._covered_section(section, cover) for section in _SECTIONS}
        values["url"] = _covered_address(self.url, cover)
        if self.raw_body is not None:
            values["raw_body"] = json.dumps(cover.over_json("rawBody", json.loads(self.raw_body)))
        return self.model_copy(update=values)

    def _covered_section(self, section: str, cover: Cover) -> list[Parameter]:
        counted: dict[str, int] = {}
        covered: list[Parameter] = []
        for parameter in getattr(self, section):
            place = counted[parameter.key] = counted.get(parameter.key, 0) + 1
            if _is_secret(section, parameter):
                location = f"{section}.{parameter.key}" + (f"#{place}" if place > 1 else "")
                parameter = parameter.model_copy(update={"value": cover.over(location, parameter.value)})
            covered.append(parameter)
        return covered


def _is_secret(section: str, parameter: Parameter) -> bool:
    if not parameter.value or parameter.accepted_values:
        return False
    if section == "headers" and not parameter.is_user_provided:
        return is_secret_header(parameter.key)
    return is_telling(parameter.key)


def _check_address(url: str) -> None:
    if re.search(r"[\x00-\x20\x7f\\]", url) or not url.isprintable():
        raise ValueError("url: must not contain blanks, backslashes or control characters")
    parts = urlsplit(url)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise ValueError("url: must be a full http:// or https:// address")
    if parts.username is not None or parts.password is not None:
        raise ValueError("url: must not contain a user or a password; send them in a header")
    if not 0 < (parts.port or 80) < 65536:
        raise ValueError("url: the port must be between 1 and 65535")


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
    yield from _BRACED.findall(url)
    yield from _COLON.findall(urlsplit(url).path)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def _check_raw_body(raw: str, *, beside: list[Parameter]) -> None:
    if beside:
        raise ValueError("rawBody: stands instead of body; give one of them")
    try:
        json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise ValueError("rawBody: must be JSON") from error


def _covered_address(url: str, cover: Cover) -> str:
    """The address with the values of telling query parameters covered."""
    parts = urlsplit(url)
    if not parts.query:
        return url
    pieces = []
    for piece in parts.query.split("&"):
        pairs = parse_qsl(piece, keep_blank_values=True)
        if pairs and pairs[0][1] and is_telling(pairs[0][0]) and not _BRACED.fullmatch(pairs[0][1]):
            key, value = pairs[0]
            piece = f"{quote(key)}={cover.over(f'url.{key}', value)}"
        pieces.append(piece)
    return parts._replace(query="&".join(pieces)).geturl()
