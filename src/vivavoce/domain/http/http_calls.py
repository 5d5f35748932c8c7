"""HTTP calls: the request that an HTTP tool makes with the values that a model supplied."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote, unquote_plus

from vivavoce.domain.prompting import PROMPT_VARIABLES
from vivavoce.domain.secrets import MARKER, PLACEHOLDER, Cover
from vivavoce.errors import InvalidInput

from .addresses import checked_address
from .http_arguments import arguments_of, completed, field_of, shown_arguments, typed
from .http_tools import HttpConfig, Parameter

CONVERSATION = "conversationid"
"""The header that says in which conversation the call is made."""

_PARTS = re.compile(r"(https?://[^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?", re.IGNORECASE | re.DOTALL)
_IN_PATH = re.compile(r"\{([A-Za-z_][\w.-]*)\}|(?<=/):([A-Za-z_][\w-]*)")
_IN_HOST = re.compile(r"[A-Za-z0-9._:-]+")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_encoded = partial(quote, safe="*")


@dataclass(frozen=True)
class HttpCall:
    """A request, ready to be sent or, with markers for its secrets, to be shown."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: Any = None
    """JSON; None for no body."""

    @property
    def content(self) -> bytes | None:
        """The body as it is sent."""
        return None if self.body is None else json.dumps(self.body, ensure_ascii=False).encode()

    def shown(self) -> dict[str, Any]:
        """The call as JSON, for people and for the record."""
        called = {"method": self.method, "url": self.url, "headers": dict(self.headers)}
        return called if self.body is None else {**called, "body": self.body}


def call_of(
    config: HttpConfig,
    arguments: Mapping[str, Any],
    variables: Mapping[str, str],
    secrets: Mapping[str, Any] | None = None,
) -> HttpCall:
    """The request of a tool; with `secrets` it is the real one, without them markers stand in their place.

    InvalidInput where a value would lead elsewhere than to its own place in the request. What a model
    supplied is never read as a template.
    """
    opened = config if secrets is None else config.covered(_Uncover(secrets))
    return _Making(config, opened, arguments, variables).made()


def shown_call(
    config: HttpConfig, arguments: Mapping[str, Any], variables: Mapping[str, str]
) -> dict[str, Any]:
    """The request as people see it: the secrets of the tool and those that a model supplied are covered.

    InvalidInput where the values cannot be sent.
    """
    call_of(config, arguments, variables)  # a marker would fit where a value does not
    return call_of(config, shown_arguments(config, arguments), variables).shown()


class _Uncover(Cover):
    """Puts secrets back where their markers stand."""

    def over(self, location: str, value: Any) -> Any:
        """The secret of a location."""
        if value != MARKER:
            return value
        if location not in self.stored:
            raise InvalidInput("A secret of this tool is missing.", hint="An operator must write it again.")
        return self.stored[location]

    def beside(self, location: str, value: Any) -> Any:
        """The value, which is no secret."""
        return value

    def _over_query(self, location: str, name: str, value: str) -> str:
        return str(self.over(location, value)) if location in self.stored else value


class _Making:
    """A request in the making."""

    def __init__(
        self,
        config: HttpConfig,
        opened: HttpConfig,
        arguments: Mapping[str, Any],
        variables: Mapping[str, str],
    ) -> None:
        self.config, self.variables = opened, variables
        given = [each for each in arguments_of(config) if each.name in arguments]
        self.supplied = {(each.section, each.place): deepcopy(arguments[each.name]) for each in given}
        self.in_raw_body = {
            each.key: (each.section, each.place) for each in given if each.section == "raw_body"
        }
        self.variable_places = {each.key: place for place, each in enumerate(opened.path_variables)}

    def made(self) -> HttpCall:
        body = self._body()
        return HttpCall(self.config.method, self._url(), self._headers(has_body=body is not None), body)

    def _url(self) -> str:
        match = _PARTS.fullmatch(self.config.url)
        if match is None:
            raise InvalidInput("The address of this tool cannot be read.")
        origin, path, query = match.group(1), match.group(2), match.group(3) or ""
        url = PLACEHOLDER.sub(lambda found: self._in_host(found.group(1)), origin) + self._path(path)
        pieces = [*self._pieces_of_url(query), *self._pieces_of_parameters()]
        url += "?" + "&".join(pieces) if pieces else ""
        try:
            return checked_address(url)
        except ValueError:
            raise InvalidInput("With these values the address cannot be used.") from None

    def _in_host(self, name: str) -> str:
        """A part of the host: what the operator wrote, or one of the values that the operator listed."""
        variable = self._variable(name)
        is_free = variable is None or (variable.is_user_provided and not variable.has_choices)
        if variable is None or is_free or PLACEHOLDER.search(variable.value):
            raise InvalidInput(f"The host of this tool is not fixed: {{{name}}} must have acceptedValues.")
        value = self._of_path(name)
        listed = (variable.value, *variable.accepted_values, *(variable.enum or ()))
        if value not in listed or _IN_HOST.fullmatch(value) is None:
            raise InvalidInput(f"{name}: cannot be a part of a host.")
        return value

    def _path(self, template: str) -> str:
        def value_of(match: re.Match[str]) -> str:
            return self._in_path(match.group(1) or match.group(2))

        path = _IN_PATH.sub(value_of, template)
        if any(segment in (".", "..") for segment in path.split("/")):
            raise InvalidInput("A value of the path must not be . or ..")
        return path

    def _in_path(self, name: str) -> str:
        value = self._of_path(name)
        if value == "":
            raise InvalidInput(f"{name}: is empty, and the address needs it.")
        if ".." in re.split(r"[/\\]", value):
            raise InvalidInput(f"{name}: must not lead to another path.")
        variable = self._variable(name)
        is_written_so = variable is not None and not variable.is_user_provided and value == variable.value
        return quote(value, safe="/*" if is_written_so else "*")

    def _of_path(self, name: str) -> str:
        variable = self._variable(name)
        if variable is None:
            return self.variables.get(name, "")
        return _written(self._value("path_variables", self.variable_places[name], variable))

    def _pieces_of_url(self, query: str) -> list[str]:
        """The parameters in the address that no declared one stands for."""
        declared = {parameter.key for parameter in self.config.query_parameters}
        pieces = [piece for piece in query.split("&") if piece]
        kept = [piece for piece in pieces if unquote_plus(piece.partition("=")[0]) not in declared]
        return [
            PLACEHOLDER.sub(lambda found: _encoded(self._of_path(found.group(1))), piece) for piece in kept
        ]

    def _pieces_of_parameters(self) -> list[str]:
        pieces: list[str] = []
        for place, parameter in enumerate(self.config.query_parameters):
            value = self._value("query_parameters", place, parameter)
            for each in value if isinstance(value, list) else [value]:
                pieces.append(f"{_encoded(parameter.key)}={_encoded(_written(each))}")
        return pieces

    def _headers(self, *, has_body: bool) -> dict[str, str]:
        headers: dict[str, str] = {}
        for place, parameter in enumerate(self.config.headers):
            value = _written(self._value("headers", place, parameter)).strip()
            if _HEADER.fullmatch(parameter.key) is None or re.search(r"[\x00-\x1f\x7f]", value):
                raise InvalidInput(f"{parameter.key}: a header is one line without control characters.")
            headers[parameter.key] = value
        names = {name.lower() for name in headers}
        if has_body and "content-type" not in names:
            headers["Content-Type"] = "application/json"
        kept = {name: value for name, value in headers.items() if name.lower() != CONVERSATION}
        return {**kept, CONVERSATION: self.variables.get("conversation-id", "")}

    def _body(self) -> Any:
        if self.config.raw_body is not None:
            return self._filled_json(json.loads(self.config.raw_body))
        if not self.config.body:
            return None
        body: dict[str, Any] = {}
        by_origin = sorted(  # the constants come last: nothing supplied overrides them
            enumerate(self.config.body), key=lambda each: ("body", each[0]) not in self.supplied
        )
        for place, parameter in by_origin:
            value = self._value("body", place, parameter)
            for name in reversed(parameter.key.split(".")):
                value = {name: value}
            body = _merged(body, value, parameter.key)
        return body

    def _filled_json(self, value: Any) -> Any:
        """A raw body with its names in braces filled in; a text that is one name alone becomes its value."""
        if isinstance(value, dict):
            return {key: self._filled_json(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled_json(item) for item in value]
        if not isinstance(value, str):
            return value
        alone = PLACEHOLDER.fullmatch(value)
        if alone is not None and (found := self._named(alone.group(1))) is not None:
            return found
        return PLACEHOLDER.sub(self._or_itself(self._named), value)

    def _named(self, name: str) -> Any:
        """What a name of the raw body stands for; None where it is no name that is known."""
        if name in self.in_raw_body:
            return self.supplied[self.in_raw_body[name]]
        for section in ("path_variables", "query_parameters", "headers"):
            for place, parameter in enumerate(getattr(self.config, section)):
                if parameter.key == name and (section != "headers" or (section, place) in self.supplied):
                    return self._value(section, place, parameter)
        return self._known(name)

    def _value(self, section: str, place: int, parameter: Parameter) -> Any:
        """What a parameter is sent with."""
        if (section, place) in self.supplied:
            return completed(field_of(parameter), self.supplied[section, place])
        text = PLACEHOLDER.sub(self._or_itself(self._known), str(parameter.value))
        return typed(text, {"type": parameter.type})

    def _known(self, name: str) -> str | None:
        return self.variables.get(name, "" if name in PROMPT_VARIABLES else None)

    def _variable(self, name: str) -> Parameter | None:
        place = self.variable_places.get(name)
        return None if place is None else self.config.path_variables[place]

    @staticmethod
    def _or_itself(known: Callable[[str], Any]) -> Callable[[re.Match[str]], str]:
        """A replacement for names that are known; others stay as they are."""

        def replacement(match: re.Match[str]) -> str:
            value = known(match.group(1))
            return match.group(0) if value is None else _written(value)

        return replacement


def _merged(below: Any, above: Any, key: str) -> Any:
    """Fields of both; where both have one, the one above counts."""
    if isinstance(below, dict) and isinstance(above, dict):
        both = {name: _merged(below[name], above[name], key) for name in above if name in below}
        return below | above | both
    if isinstance(below, dict) or isinstance(above, dict):
        raise InvalidInput(f"{key}: this tool has a value where it needs fields.")
    return above


def _written(value: Any) -> str:
    """A value as a text; what is no text, as JSON has it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
