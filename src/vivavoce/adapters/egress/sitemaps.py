"""Sitemaps: the addresses that a site lists of its pages."""

from __future__ import annotations

import zlib
from typing import NamedTuple
from xml.parsers import expat

from vivavoce.errors import Unreadable

from .decoding import unpacked

MAX_BYTES = 20_000_000
"""How much of a sitemap is read, unpacked."""

_ENTRIES = 50_000
_LONGEST = 2048
_HEAD = 8192
_DEEPEST = 16
_ROOTS = {"urlset": "url", "sitemapindex": "sitemap"}


class Sitemap(NamedTuple):
    """What a sitemap lists."""

    pages: tuple[str, ...] = ()
    sitemaps: tuple[str, ...] = ()


def is_sitemap(body: bytes) -> bool:
    """Whether the content of an address is a sitemap in XML, packed or not."""
    try:
        return _Reading().read(unpacked(body, _HEAD)[:_HEAD]).root in _ROOTS
    except (Unreadable, zlib.error):
        return False


def sitemap_of(body: bytes) -> Sitemap:
    """What a sitemap lists: XML, packed XML, or a text with an address in each line; Unreadable if neither.

    A sitemap that was cut off counts up to there.
    """
    try:
        content = unpacked(body, MAX_BYTES)
    except zlib.error:
        raise Unreadable("The sitemap is packed and cannot be unpacked.") from None
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"http://", b"https://")):
        reading = _Reading().read(content)
        if reading.root not in _ROOTS:
            raise Unreadable("What is found there is no sitemap.")
        found = tuple(reading.found)
        return Sitemap(pages=found) if reading.root == "urlset" else Sitemap(sitemaps=found)
    lines = (line.strip() for line in content.decode("utf-8-sig", "replace").splitlines()[:_ENTRIES])
    return Sitemap(pages=tuple(line for line in lines if line.startswith(("http://", "https://"))))


class _Reading:
    """One pass over the XML, without a tree and without anything that XML can define for itself."""

    def __init__(self) -> None:
        self.root: str | None = None
        self.found: list[str] = []
        self._path: list[str] = []
        self._prefix = ""
        self._text: list[str] | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.CharacterDataHandler = self._add
        self._parser.EndElementHandler = self._end

    def read(self, content: bytes) -> _Reading:
        """Itself, with what was found before the end or the first fault."""
        try:
            for start in range(0, len(content), 65536):
                if len(self.found) >= _ENTRIES or self.root not in (None, *_ROOTS):
                    break
                self._parser.Parse(content[start : start + 65536], False)
        except (expat.ExpatError, LookupError, ValueError):
            pass  # what is damaged further down was still found up to there
        return self

    def _refuse(self, *_: object) -> None:
        raise Unreadable("The sitemap defines a document type, which could be a trap, and is not read.")

    def _start(self, name: str, _: object) -> None:
        if self.root is None:
            prefix, colon, self.root = name.rpartition(":")
            self._prefix = prefix + colon
        self._path.append(name.removeprefix(self._prefix))
        if len(self._path) > _DEEPEST:
            raise Unreadable("The sitemap is nested too deep.")
        is_address = self.root in _ROOTS and self._path == [self.root, _ROOTS[self.root], "loc"]
        self._text = [] if is_address else None

    def _add(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, _: str) -> None:
        self._path.pop()
        if self._text is not None:
            address = "".join(self._text).strip()
            if 0 < len(address) <= _LONGEST:
                self.found.append(address)
        self._text = None
