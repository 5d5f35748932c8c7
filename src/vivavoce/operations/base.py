"""What an operation is: a name, a sentence, typed arguments, a result, an effect and a route."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import GenericAlias
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeVar,
    get_args,
    get_origin,
)

import pydantic_core
from pydantic import GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from vivavoce.domain.entities import Entity
from vivavoce.domain.keys import Scope
from vivavoce.domain.values import Value
from vivavoce.errors import InvalidInput

from .explaining import explained


class Effect(StrEnum):
    """What an operation does to the world. Scopes and MCP hints follow from it."""

    READ = "read"
    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    SEND = "send"
    """Reaches a model or a person outside."""
    ADMIN = "admin"
    """Changes who may do what."""

    @property
    def scope(self) -> Scope:
        """The scope that a caller needs, unless an operation says otherwise."""
        return _SCOPES.get(self, Scope.WRITE)


_SCOPES = {Effect.READ: Scope.READ, Effect.SEND: Scope.SEND, Effect.ADMIN: Scope.ADMIN}

Offer = Literal["default", "extra", "never"]
"""Whether an operation is an MCP tool: in the default list, when asked for, or not at all."""


class Route(NamedTuple):
    """Where an operation lives in the REST API."""

    method: str
    path: str
    status: int = 200
    arguments: Literal["body", "query"] = "body"

    @property
    def path_names(self) -> tuple[str, ...]:
        """The arguments that stand in the path."""
        return tuple(re.findall(r"{(\w+)}", self.path))


SchemaOf = Callable[[type[Value]], dict[str, Any]]
"""Refers to the schema of a class."""


class Result(Value):
    """What an operation gives back, the same on every surface."""

    @classmethod
    def of(cls, entity: Entity, **more: Any) -> Self:
        """An entity with what is shown beside it. All of it was checked when it was read or made."""
        return cls.model_construct(None, **entity.fields(), **more)

    def wire(self) -> Any:
        """The body that REST answers with."""
        return self.model_dump(mode="json")

    @classmethod
    def wire_schema(cls, named: SchemaOf) -> dict[str, Any]:
        """The schema of that body; `named` refers to the schema of a class."""
        return named(cls)


class Listing(Result):
    """A result with one field, a list; REST answers with the bare list."""

    def wire(self) -> Any:
        """The bare list."""
        (field,) = type(self).model_fields
        return [row.wire() for row in getattr(self, field)]

    @classmethod
    def wire_schema(cls, named: SchemaOf) -> dict[str, Any]:
        """A list of what the one field holds."""
        (field,) = cls.model_fields.values()
        (row,) = get_args(field.annotation)
        return {"type": "array", "items": named(row)}


R = TypeVar("R", bound=Result, covariant=True)

LEFT_OUT: Any = None
"""The default of an argument that may be left out, but not be null."""


@dataclass(frozen=True)
class Spec:
    """All that a surface needs to know to offer an operation."""

    name: str
    title: str
    command: str
    toolset: str
    description: str
    effect: Effect
    scope: Scope
    route: Route | None
    also: tuple[Route, ...]
    offer: Offer
    aliases: tuple[str, ...]
    result: type[Result]
    takes_along: str
    echoes: frozenset[str]
    rest_names: Mapping[str, str]
    rest_defaults: Mapping[str, Any]
    rest_headers: Mapping[str, str]
    is_open: bool
    anonymous: bool

    @property
    def is_of_avatar(self) -> bool:
        """Whether it is asked of one avatar, whose id is an argument."""
        return self.route is not None and "avatarId" in self.route.path_names


class Operation(Value, Generic[R]):
    """One thing that a caller can ask for. The fields are the arguments, `R` is the result.

    A class that names an effect declares an operation:

    - `name`: the tool's name where the spec's differs from the class name in snake case
    - `toolset`: the group it belongs to, where that is not its module
    - `scope`: what a caller needs, where that is not what the effect needs
    - `route`: method, path and, where it is not 200, the status of success
    - `also`: further routes that lead here; accepted, not documented
    - `arguments`: "query" where the wire has the arguments of a change in the address
    - `offer`: whether it is an MCP tool by default
    - `aliases`: names under which other clients know the tool; accepted, not listed
    - `takes_along`: what else a deletion removes
    - `echoes`: keys that clients send back as they read them; passed over by REST
    - `rest_names`: keys that the REST wire calls differently, with our name for each
    - `rest_defaults`: values that the REST wire does not require
    - `rest_headers`: headers that say an argument which is left out, with our name for each
    - `is_open`: keys of a body that nobody knows are passed over by REST, which names them in a header
    - `anonymous`: may be asked for without a key; the handler decides what is shown
    """

    spec: ClassVar[Spec]

    if not TYPE_CHECKING:

        def __class_getitem__(cls, result: Any) -> GenericAlias:
            """Name the result. It is no field, so there need not be a model of its own for each of them."""
            return GenericAlias(cls, (result,))

    def __init_subclass__(
        cls,
        *,
        effect: Effect | None = None,
        name: str = "",
        toolset: str = "",
        scope: Scope | None = None,
        route: str | None = None,
        also: tuple[str, ...] = (),
        arguments: Literal["body", "query"] = "body",
        offer: Offer = "default",
        aliases: tuple[str, ...] = (),
        takes_along: str = "",
        echoes: str = "",
        rest_names: Mapping[str, str] | None = None,
        rest_defaults: Mapping[str, Any] | None = None,
        rest_headers: Mapping[str, str] | None = None,
        is_open: bool = False,
        anonymous: bool = False,
        **kwargs: Any,
    ) -> None:
        """Read the declaration off the class."""
        super().__init_subclass__(**kwargs)
        if effect is None:
            return
        words = re.sub(r"(?<!^)(?=[A-Z])", " ", cls.__name__).lower()
        cls.spec = Spec(
            name=name or words.replace(" ", "_"),
            title=_titled(words),
            command=words.replace(" ", "-"),
            toolset=toolset or cls.__module__.rpartition(".")[2],
            description=inspect.cleandoc(cls.__doc__ or ""),
            effect=effect,
            scope=effect.scope if scope is None else scope,
            route=_route(route, arguments),
            also=tuple(filter(None, (_route(other, arguments) for other in also))),
            offer=offer,
            aliases=aliases,
            result=_result_of(cls),
            takes_along=takes_along,
            echoes=frozenset(echoes.split()),
            rest_names=rest_names or {},
            rest_defaults=rest_defaults or {},
            rest_headers=rest_headers or {},
            is_open=is_open,
            anonymous=anonymous,
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """An argument that may be left out but not be null has no default to show."""
        schema = handler.resolve_ref_schema(handler(core))
        for of in schema.get("properties", {}).values():
            if of.get("default", 0) is None and {"type": "null"} not in of.get("anyOf", ()):
                del of["default"]
        return schema

    @classmethod
    def parse(cls, given: Mapping[str, Any], *, strict: bool = True) -> Self:
        """The operation that these wire arguments ask for, or InvalidInput that names each fault.

        `strict` holds JSON to its types; texts from a command line or an address are read leniently.
        """
        try:
            if strict:
                return cls.model_validate_json(
                    pydantic_core.to_json(given), strict=True, by_alias=True, by_name=False
                )
            return cls.model_validate(given, by_alias=True, by_name=False)
        except ValidationError as error:
            raise explained(error, cls) from error
        except pydantic_core.PydanticSerializationError as error:
            if "depth" in str(error):
                raise InvalidInput("The arguments are nested too deep.", hint="Send flatter JSON.") from error
            raise InvalidInput(
                "A text holds half of a surrogate pair.", hint="Send valid Unicode."
            ) from error

    def given(self) -> dict[str, Any]:
        """The arguments that the caller gave, by Python name."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def _titled(words: str) -> str:
    title = words.capitalize()
    for plain, written in (("crm", "CRM"), ("http", "HTTP")):
        title = re.sub(rf"\b{plain}\b", written, title, flags=re.IGNORECASE)
    return title


def _route(declared: str | None, arguments: Literal["body", "query"]) -> Route | None:
    if declared is None:
        return None
    method, path, *status = declared.split(" ")
    return Route(method, path, int(status[0]) if status else 200, arguments)


def _result_of(cls: type[Operation[Any]]) -> type[Result]:
    for base in cls.__mro__:
        for named in base.__dict__.get("__orig_bases__", ()):
            origin, (result, *_) = get_origin(named), (*get_args(named), None)
            if origin is not None and issubclass(origin, Operation) and isinstance(result, type):
                return result
    raise TypeError(f"{cls.__name__} must extend Operation[SomeResult]")
