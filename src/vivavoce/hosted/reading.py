"""Reading what the hosted service answers: into our results, leniently, or a failure that names the field."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

import pydantic_core
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic.fields import FieldInfo

from vivavoce.domain.faults import faults_of, in_words
from vivavoce.errors import UpstreamFailed
from vivavoce.operations import Listing

from .gaps import blanks_of, mends_of

M = TypeVar("M", bound=BaseModel)

_SHOWN = 5
_WRAPPERS = ("data", "items", "results")
"""Under these names some answers wrap the list that is asked for."""


def read(kind: type[M], body: bytes) -> M:
    """The result that a body holds: unknown keys are passed over, missing nullable ones are null.

    Limits of our own, such as the length of a name, are not held against what others have stored.
    """
    try:
        return _listing(kind, body) if issubclass(kind, Listing) else lenient(kind).model_validate_json(body)
    except ValidationError as error:
        inner = _enveloped(body)
        if inner is None:
            raise unreadable(error) from None
    return read_value(kind, inner)


def read_value(kind: type[M], value: Any) -> M:
    """The same from JSON that is parsed already."""
    try:
        return lenient(kind).model_validate(value)
    except ValidationError as error:
        raise unreadable(error) from None


def blank(kind: type[M], known: Mapping[str, Any]) -> M:
    """A result of which no more is known than this: what else it must have is empty."""
    values: dict[str, Any] = {}
    for name, field in kind.model_fields.items():
        annotation = get_origin(field.annotation) or field.annotation
        if name in known:
            values[name] = known[name]
        elif not field.is_required() or _allows_null(field.annotation) or annotation is datetime:
            continue
        elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
            values[name] = blank(annotation, known)
        else:
            values[name] = "" if annotation is Literal else annotation()  # type: ignore[misc]  # str, int, list or dict
    return lenient(kind).model_construct(None, **values)


def parsed(body: bytes) -> Any:
    """The JSON of a body; UpstreamFailed where it is none."""
    try:
        return pydantic_core.from_json(body)
    except ValueError:
        raise UpstreamFailed("What the hosted service answers is no JSON, or is cut short.") from None


def unreadable(error: ValidationError) -> UpstreamFailed:
    """What cannot be read, by the names of the fields and without their values."""
    faults = faults_of(error)
    if any(fault["type"] == "json_invalid" for fault in error.errors(include_url=False, include_input=False)):
        return UpstreamFailed("What the hosted service answers is no JSON, or is cut short.")
    shown = dict(list(faults.items())[:_SHOWN])
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return UpstreamFailed(f"What the hosted service answers cannot be read: {in_words(shown)}{more}.")


def lenient(kind: type[M]) -> type[M]:
    """A subclass of `kind` that takes what the hosted service sends for what `kind` shows."""
    return cast(type[M], _made(kind))


@cache
def _made(kind: type[BaseModel]) -> type[BaseModel]:
    blanks = blanks_of(kind)
    fields: dict[str, Any] = {
        name: (_annotation(name, field, blanks), _field(name, field, blanks))
        for name, field in kind.model_fields.items()
    }
    # Rules for callers are no rules for what others have stored: each is replaced by none.
    rules: dict[str, Any] = dict.fromkeys(kind.__pydantic_decorators__.model_validators, _kept)
    base = type(kind.__name__, (kind,), {**rules, "__module__": __name__, "model_config": _LENIENT})
    mends = {
        f"mended_{number}": model_validator(mode="before")(_mending(mend))
        for number, mend in enumerate(mends_of(kind))
    }
    made: Any = create_model  # whose signature knows no fields that are made
    twin: type[BaseModel] = made(
        kind.__name__, __base__=base, __module__=__name__, __validators__=mends, **fields
    )
    return twin


_LENIENT = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


def _kept(self: M) -> M:
    return self


def _mending(mend: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    return lambda given: mend(given) if isinstance(given, dict) else given


def _listing(kind: type[M], body: bytes) -> M:
    ((name, field),) = kind.model_fields.items()
    if body.lstrip()[:1] == b"[":
        found = _rows(kind).validate_json(body)
    else:
        answer = parsed(body)
        for wrapper in (field.alias or name, *_WRAPPERS):
            if isinstance(answer, dict) and isinstance(answer.get(wrapper), list):
                answer = answer[wrapper]
                break
        found = _rows(kind).validate_python(answer)
    return lenient(kind).model_construct({name}, **{name: found})


@cache
def _rows(kind: type[BaseModel]) -> TypeAdapter[list[Any]]:
    (field,) = kind.model_fields.values()
    return TypeAdapter(_relaxed(field.annotation))


def _enveloped(body: bytes) -> Mapping[str, Any] | None:
    """The object inside an envelope, if there is one."""
    answer = parsed(body)
    inner = answer.get("data") if isinstance(answer, dict) else None
    return inner if isinstance(inner, dict) else None


def _annotation(name: str, field: FieldInfo, blanks: Mapping[str, Any]) -> Any:
    """The relaxed type; null is taken for what stands where nothing is said."""
    annotation = field.annotation
    if annotation is datetime and field.metadata:
        annotation = Annotated[datetime, *field.metadata] | None
    relaxed = _relaxed(annotation)
    if _allows_null(field.annotation):
        return relaxed
    if not field.is_required():
        return Annotated[relaxed, BeforeValidator(_filled(field.get_default(call_default_factory=True)))]
    if name in blanks or annotation is str:
        return Annotated[relaxed, BeforeValidator(_filled(blanks.get(name, "")))]
    return relaxed


def _field(name: str, field: FieldInfo, blanks: Mapping[str, Any]) -> Any:
    known: dict[str, Any] = {
        "alias": field.alias,
        "exclude": field.exclude,
        "exclude_if": field.exclude_if,
        "repr": field.repr,
    }
    if not field.is_required():
        return Field(default=field.get_default(call_default_factory=True), **known)
    if _allows_null(field.annotation):
        return Field(default=None, **known)
    if name in blanks:
        return Field(default=blanks[name], validate_default=True, **known)
    return Field(**known)


def _filled(blank: Any) -> Callable[[Any], Any]:
    return lambda given: blank if given is None else given


def _allows_null(annotation: Any) -> bool:
    return annotation is Any or type(None) in get_args(annotation)


def _relaxed(annotation: Any) -> Any:
    """The same type without limits: any word where we know a few, any length, any extra key."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return annotation if arguments[0] is datetime else _relaxed(arguments[0])
    if origin is Literal:
        return str
    if origin in (Union, types.UnionType):
        return Union[tuple(_relaxed(each) for each in arguments)]  # noqa: UP007  # of a list that is made
    if origin in (list, dict) and arguments:
        return types.GenericAlias(origin, tuple(_relaxed(each) for each in arguments))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return lenient(annotation)
    return annotation
