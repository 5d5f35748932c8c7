"""XML as events, without entities and without a tree: its size is never its danger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from xml.parsers import expat

from vivavoce.errors import Unreadable

from .archives import damaged

_LONGEST_TEXT = 64 * 1024


class Start(NamedTuple):
    """An element begins; names come without their namespaces, but references to other parts begin with r:."""

    name: str
    attributes: Mapping[str, str]


class End(NamedTuple):
    """An element ends."""

    name: str


class Text(NamedTuple):
    """Text between tags."""

    text: str


Event = Start | End | Text


def events(chunks: Iterable[bytes], *, may_have_doctype: bool = False) -> Iterator[Event]:
    """Elements and texts of a document in order; Unreadable where it declares entities or is not sound."""
    found: list[Event] = []
    parser = _parser(found, may_have_doctype)
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
            yield from found
            found.clear()
        parser.Parse(b"", True)
    except (expat.ExpatError, LookupError, UnicodeError, ValueError):
        raise damaged() from None
    yield from found


def _parser(found: list[Event], may_have_doctype: bool) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.buffer_size = _LONGEST_TEXT

    def start(name: str, attributes: dict[str, str]) -> None:
        bare = {_bare(key): value for key, value in attributes.items()} if attributes else attributes
        found.append(Start(name.rpartition(" ")[2], bare))

    def end(name: str) -> None:
        found.append(End(name.rpartition(" ")[2]))

    def text(data: str) -> None:
        found.append(Text(data))

    def doctype(_name: str, _system: str | None, _public: str | None, has_own: int) -> None:
        if has_own or not may_have_doctype:
            raise _declares()

    def entity(*_: Any) -> None:
        raise _declares()

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = doctype, entity
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    return parser


def _bare(key: str) -> str:
    """An attribute's name; only references to other parts keep a mark, for an element may have both ids."""
    space, _, name = key.rpartition(" ")
    return f"r:{name}" if space.endswith("/relationships") else name


def _declares() -> Unreadable:
    return Unreadable(
        "The file declares entities of its own, which sound documents never do.",
        hint="Open it in the program that made it and save it again.",
    )
