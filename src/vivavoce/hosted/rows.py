"""Lists of the hosted service read row by row: one that cannot be read leaves the others readable."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from pydantic import BaseModel

from vivavoce.errors import UpstreamFailed
from vivavoce.operations import Operation, Result

from .exchanges import Reply
from .lines import check_success
from .reading import parsed, read_value
from .veiling import veiled

_WRAPPERS = ("data", "items", "results")


class Row(NamedTuple):
    """A row of a list: what it shows, or why it cannot be read."""

    id: str
    """Empty where it does not say so."""
    created_at: str
    """As it stands there; a cursor is made from it."""
    shown: Any = None
    """The result that it holds, its secrets covered; None where it cannot be read."""
    fault: str = ""


def rows_of(op: Operation[Any], reply: Reply) -> list[Row]:
    """The rows of the list that an answer holds; UpstreamFailed where it holds none."""
    check_success(op, reply)
    name, kind = _listed(op.spec.result)
    answer = parsed(reply.body)
    for wrapper in (name, *_WRAPPERS):
        if isinstance(answer, dict) and isinstance(answer.get(wrapper), list):
            answer = answer[wrapper]
    if not isinstance(answer, list):
        raise UpstreamFailed("What the hosted service answers holds no list.", hint="Try again later.")
    return [_row(each, kind) for each in answer]


def _listed(result: type[Result]) -> tuple[str, type[Result]]:
    """The field of a result that is a list of results, by its name on the wire, and what is in it."""
    for name, field in result.model_fields.items():
        for each in get_args(field.annotation):
            if isinstance(each, type) and issubclass(each, Result):
                return field.alias or name, each
    raise TypeError(f"{result.__name__} lists nothing")


def _row(given: Any, kind: type[BaseModel]) -> Row:
    known = given if isinstance(given, dict) else {}
    id, created_at = (str(known.get(name) or "") for name in ("id", "createdAt"))
    try:
        return Row(id, created_at, veiled(read_value(kind, given)))
    except UpstreamFailed as error:
        return Row(id, created_at, fault=error.message)
