"""Bytes as text: UTF-8, UTF-16 that says so, or the old Western encoding where it makes sense."""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO, NamedTuple

from vivavoce.errors import Unreadable

_CHUNK = 1 << 18
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b"))
_HIGH = bytes(range(128, 256))
_UNDEFINED = b"\x81\x8d\x8f\x90\x9d"
"""Bytes that the Western encoding does not use."""

# Found now, because the process that reads may open no file later.
for _name in (
    "utf-8",
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-32-le",
    "utf-32-be",
    "cp1252",
):
    codecs.lookup(_name)


class Encoding(NamedTuple):
    """How the bytes of a file become text, and whether it is divided into pages by form feeds."""

    name: str
    has_pages: bool


def text_of(source: BinaryIO) -> io.TextIOBase:
    """The whole file as a stream of text with plain line ends; Unreadable where it is not text."""
    return opened(source, encoding_of(source))


def opened(source: BinaryIO, encoding: Encoding) -> io.TextIOBase:
    """The whole file as a stream of text in this encoding, with plain line ends."""
    source.seek(0)
    return io.TextIOWrapper(source, encoding.name, errors="replace", newline=None)


def encoding_of(source: BinaryIO) -> Encoding:
    """The encoding of a file, seen by reading it to the end; Unreadable where it is not text."""
    source.seek(0)
    head = source.read(4)
    source.seek(0)
    for mark, name in _MARKS:
        if head.startswith(mark):
            return Encoding(name, has_pages=_has_form_feed(source, name))
    return _counted(source).encoding()


class _Count:
    """What was seen of a file that does not name its encoding."""

    def __init__(self) -> None:
        self.is_utf8 = True
        self.has_pages = self.has_undefined = self.has_nul = False
        self.length = self.controls = self.high = 0

    def encoding(self) -> Encoding:
        if self.has_nul or self.controls > self.length // 10:
            raise Unreadable("The file is not text.", hint="Give it the name ending that fits its content.")
        if self.is_utf8:
            return Encoding("utf-8", self.has_pages)
        # More foreign letters than plain ones: this is another alphabet, and would come out as nonsense.
        if self.has_undefined or self.controls > 0 or self.high > self.length * 0.3:
            raise Unreadable(
                "The file is not text in an encoding that can be told.", hint="Save it as UTF-8."
            )
        return Encoding("cp1252", self.has_pages)


def _counted(source: BinaryIO) -> _Count:
    count = _Count()
    decoder = codecs.getincrementaldecoder("utf-8")()
    while chunk := source.read(_CHUNK):
        count.length += len(chunk)
        count.has_nul = count.has_nul or b"\0" in chunk
        count.has_pages = count.has_pages or b"\f" in chunk
        count.controls += len(chunk) - len(chunk.translate(None, _CONTROLS))
        if count.is_utf8:
            count.is_utf8 = _decodes(decoder, chunk)
        count.high += len(chunk) - len(chunk.translate(None, _HIGH))
        count.has_undefined = count.has_undefined or len(chunk.translate(None, _UNDEFINED)) < len(chunk)
        if count.has_nul:
            break
    count.is_utf8 = count.is_utf8 and _decodes(decoder, b"", final=True)
    return count


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _has_form_feed(source: BinaryIO, encoding: str) -> bool:
    """Whether the text has pages, refused where it holds NUL or is not in the encoding that it names."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="strict")
    found, done = False, False
    while not done:
        chunk = source.read(_CHUNK)
        done = not chunk
        try:
            text = decoder.decode(chunk, done)
        except UnicodeDecodeError:
            raise Unreadable(
                "The file is not text in the encoding that it names.", hint="Save it as UTF-8."
            ) from None
        if "\0" in text:
            raise Unreadable("The file is not text.", hint="Give it the name ending that fits its content.")
        found = found or "\f" in text
    return found


_CHARSET = re.compile(
    rb"""(?:charset|encoding)\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_-]{2,40})""", re.IGNORECASE
)
_SPELT = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "utf8": "utf-8",
    "x-sjis": "shift_jis",
}
_KNOWN = re.compile(
    r"utf-8|cp1252|windows-(?:874|125\d)|iso-8859-\d{1,2}|koi8-[ru]|macintosh"
    r"|shift_jis|euc-jp|iso-2022-jp|gb2312|gbk|gb18030|big5|euc-kr"
)


def decoded(raw: bytes) -> str:
    """The text of a page: in the encoding of its mark, in UTF-8, or in the one that its head names."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return raw.decode(name, "replace")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(_named_in(raw[:4096]), "replace")


def _named_in(head: bytes) -> str:
    found = _CHARSET.search(head)
    name = found.group(1).decode("ascii").lower() if found else ""
    name = _SPELT.get(name, name)
    return name if _KNOWN.fullmatch(name) and _exists(name) else "cp1252"


def _exists(name: str) -> bool:
    try:
        codecs.lookup(name)
    except LookupError:
        return False
    return True
