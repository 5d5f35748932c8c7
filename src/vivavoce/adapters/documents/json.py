"""JSON and JSON lines: each value of the list is a block of lines `key: value`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from vivavoce.domain.corpus.documents import Part
from vivavoce.errors import Unreadable

from .composing import Composer
from .decoding import text_of

_DEEPEST = 60
_BLANK = " \t\n\r"


def parts(source: BinaryIO) -> Iterator[Part]:
    """The parts of a JSON file; a list is read value by value, so that only its text stands in memory."""
    composer = Composer()
    for value in _values(text_of(source).read()):
        is_first = True
        for line in _lines("", value, 0):
            yield from composer.add(line, close=not is_first or not isinstance(value, dict))
            is_first = False
    yield from composer.rest()


def _values(text: str) -> Iterator[Any]:
    """The values of a list, or of several documents after another."""
    # Numbers stay as they are written: nothing is counted here.
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
    at = _after_blank(text, 0)
    is_list = text[at : at + 1] == "["
    at = _after_blank(text, at + 1) if is_list else at
    while at < len(text) and not (is_list and text[at] == "]"):
        try:
            value, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            raise _broken(text, error.pos) from None
        except RecursionError:
            raise _too_deep() from None
        yield value
        at = _after_blank(text, at)
        if is_list and text[at : at + 1] == ",":
            at = _after_blank(text, at + 1)
            if text[at : at + 1] == "]":
                raise _broken(text, at)
        elif is_list and text[at : at + 1] != "]":
            raise _broken(text, at)
    if is_list and (at >= len(text) or _after_blank(text, at + 1) < len(text)):
        raise _broken(text, at + 1)


def _after_blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANK:
        at += 1
    return at


def _broken(text: str, at: int) -> Unreadable:
    line = text.count("\n", 0, at) + 1
    return Unreadable(f"The file is not valid JSON: see line {line}.", hint="Correct it, then try again.")


def _too_deep() -> Unreadable:
    return Unreadable("The file is nested too deeply to be read.", hint="Save it in a flatter form.")


def _lines(path: str, value: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise _too_deep()
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _lines(f"{path}.{key}" if path else key, item, depth + 1)
    elif isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            for number, item in enumerate(value, 1):
                yield from _lines(f"{path}.{number}" if path else str(number), item, depth + 1)
        else:
            yield from _line(path, ", ".join(_word(item) for item in value if item is not None))
    elif value is not None:
        yield from _line(path, _word(value))


def _line(path: str, said: str) -> Iterator[str]:
    if said.strip():
        yield f"{path}: {said}" if path else said


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
