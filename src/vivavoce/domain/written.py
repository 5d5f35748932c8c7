"""Written files: how the values are read that people write into the files of an avatar."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator

from .agents import Budget
from .values import Line, Value

STORED = "is_stored"
"""Says in the context of a validation that the file was taken in before."""


class Written(Value):
    """A part of a file that people write: keys that we do not know are kept, never refused."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _given(cls, written: Any) -> Any:
        """Without the keys that are null and need not be there."""
        if not isinstance(written, dict) or all(value is not None for value in written.values()):
            return written
        free = {name for name, about in cls.model_fields.items() if not about.is_required()}
        free |= {about.alias for name, about in cls.model_fields.items() if name in free and about.alias}
        return {name: value for name, value in written.items() if value is not None or name not in free}


def is_stored(about: ValidationInfo) -> bool:
    """Whether it was stored before, maybe when less was checked: it must stay readable."""
    return about.context is not None and bool(about.context.get(STORED, False))


def _exactly(expected: str, *kinds: type) -> BeforeValidator:
    """Refuses what can be taken for a value and is not written as one, such as a number in quotes."""

    def as_written(given: Any, about: ValidationInfo) -> Any:
        if given is None or type(given) in kinds or is_stored(about):
            return given
        raise ValueError(f"input should be a valid {expected}")

    return BeforeValidator(as_written)


def _importance(given: Any, about: ValidationInfo) -> Any:
    """One of two words; what was stored as another one was taken for the first, and is still."""
    if is_stored(about) or given in ("primary", "secondary"):
        return given
    raise ValueError("input should be 'primary' or 'secondary'")


def _wish(given: Any, about: ValidationInfo) -> Any:
    """Nothing is wished by what was stored as no name of a model: nobody heeded it then."""
    is_name = isinstance(given, str) and len(given.strip()) <= _LONGEST_WISH
    return "" if is_stored(about) and not is_name else given


_LONGEST_WISH = 120
"""As long as the name of an agent's model may be."""


_Year = Annotated[int, Field(ge=-5_000, le=9_999)]
LifeYear = Annotated[_Year, _exactly("integer, such as 1815, without quotation marks", int)]
WorkYear = Annotated[_Year, _exactly("integer, such as 1815", int, str)]
"""Lists of works come from many hands, and years are texts in some of them."""
Flag = Annotated[bool, _exactly("boolean, true or false, without quotation marks", bool)]
Dollars = Annotated[Budget, _exactly("number, such as 5, without quotation marks", int, float)]
Importance = Annotated[Line, BeforeValidator(_importance)]
"""Whether a source is read without being named: `primary` or `secondary`."""
Wish = Annotated[
    str,
    Field(max_length=_LONGEST_WISH),
    _exactly('string, such as "gpt_5", in quotation marks', str),
    BeforeValidator(_wish),
]
