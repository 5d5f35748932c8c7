"""Kinds of file: which one a file is, seen from its first bytes and its name."""

from __future__ import annotations

import re
from typing import NoReturn

from vivavoce.errors import Unreadable

from .documents import KINDS

_BY_ENDING = {
    **{kind: kind for kind in KINDS},
    **dict.fromkeys(("text", "log", "rst", "tex", "srt", "vtt", "yaml", "yml", "toml", "ini", "conf"), "txt"),
    **dict.fromkeys(("markdown", "mdx", "mkd"), "md"),
    **dict.fromkeys(("htm", "xhtml", "xht"), "html"),
    **dict.fromkeys(("tsv", "tab"), "csv"),
    **dict.fromkeys(("jsonl", "ndjson", "geojson"), "json"),
    **dict.fromkeys(("docm", "dotx"), "docx"),
    **dict.fromkeys(("pptm", "ppsx", "potx"), "pptx"),
    **dict.fromkeys(("xlsm", "xltx"), "xlsx"),
}
_BY_MIME = {
    "text/plain": "txt",
    "text/markdown": "md",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/json": "json",
    "application/jsonl": "json",
    "application/x-ndjson": "json",
    "application/epub+zip": "epub",
}
_ZIPPED = frozenset(("docx", "pptx", "xlsx", "epub"))
_INSIDE = ((b"word/", "docx"), (b"ppt/", "pptx"), (b"xl/", "xlsx"))
_SAVE_AS = {
    "doc": "docx", "dot": "docx", "odt": "docx", "rtf": "docx", "pages": "docx", "wpd": "docx",
    "ppt": "pptx", "pps": "pptx", "odp": "pptx", "key": "pptx",
    "xls": "xlsx", "xlsb": "xlsx", "ods": "xlsx", "numbers": "xlsx",
    "mobi": "epub", "azw": "epub", "azw3": "epub", "fb2": "epub",
    "ps": "pdf", "djvu": "pdf", "xps": "pdf",
    "xml": "json", "msg": "txt", "eml": "txt",
}  # fmt: skip

_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PICTURE = ("a picture", "Run text recognition (OCR) on it and take the text.")
_SOUND = ("a recording", "Write down what is said and take the text.")
_PROGRAM = ("a program", "Take a document.")
_ARCHIVE = ("an archive", "Unpack it and take the files one by one.")
_FOREIGN = (
    (rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|RIFF....WEBP|BM.{4}\0\0", *_PICTURE),
    (rb"....ftyp(?:heic|heix|avif|mif1)", *_PICTURE),
    (
        rb"ID3[\2-\4]\0|OggS\0|fLaC\0|RIFF....(?:WAVE|AVI )|....ftyp|\x1a\x45\xdf\xa3|\xff[\xfb\xf3\xf2]",
        *_SOUND,
    ),
    (rb"MZ.{0,64}\0|\x7fELF|\xca\xfe\xba\xbe|[\xce\xcf]\xfa\xed\xfe|\0asm", *_PROGRAM),
    (rb"\x1f\x8b|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|BZh[1-9]1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd", *_ARCHIVE),
    (rb"SQLite format 3\0|PAR1", "a database", "Save the table as .csv."),
    (rb"\{\\rtf", "rich text", "Save it as .docx."),
    (rb"%!PS", "PostScript", "Save it as .pdf."),
)
"""How files begin that are of no use here, what they are, and what to do."""
_HTML = re.compile(
    rb"(?:<\?xml[^>]{0,200}>|<!--.{0,2000}?-->|\s)*<(?:!doctype\s+html|html[\s>])", re.I | re.S
)
_XML = re.compile(rb"\s*<\?xml\s")
_WIDE = (b"\xff\xfe", b"\xfe\xff")


EMPTY = "The file is empty."


def holds_text(name: str) -> bool:
    """Whether a name says that a file holds text, be it in a form that must be saved as another first.

    XML says nothing of the sort: most of it is written by programs for programs.
    """
    ending = _ending(name)
    return ending in _BY_ENDING or (ending in _SAVE_AS and ending != "xml")


def kind_of(name: str, head: bytes, mime: str = "") -> str:
    """The kind of a file, seen from its first few thousand bytes, its name and its type, or Unreadable."""
    if not head:
        raise Unreadable(EMPTY, hint="Take a file that holds text.")
    ending = _ending(name)
    said = _BY_ENDING.get(ending) or _BY_MIME.get(mime.partition(";")[0].strip().lower())
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:5] == b"%PDF-" or (
        said == "pdf" and b"%PDF-" in head[:1024]
    ):
        return "pdf"
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return _zipped(said, ending, head)
    if head.startswith(_OLD_OFFICE):
        _refuse_old(said, ending)
    for pattern, what, hint in _FOREIGN:
        if re.match(pattern, head, re.DOTALL):
            raise Unreadable(f"The file is {what}, which cannot be read.", hint=hint)
    return _written(said, ending, head)


def _ending(name: str) -> str:
    return name.rpartition(".")[2].lower() if "." in name else ""


def _zipped(said: str | None, ending: str, head: bytes) -> str:
    """A zip tells what it is in its directory, at its end; its beginning often hints at it."""
    if head[30:58] == b"mimetypeapplication/epub+zip":
        return "epub"
    if said in _ZIPPED:
        return said
    if ending in _SAVE_AS:
        _refuse(ending)
    if ending == "":
        for folder, kind in _INSIDE:
            if folder in head:
                return kind
    raise Unreadable(
        "The file is an archive, which cannot be read.", hint="Unpack it and take the files one by one."
    )


def _written(said: str | None, ending: str, head: bytes) -> str:
    """The kind of a file that is text, or should be."""
    if _HTML.match(head.removeprefix(b"\xef\xbb\xbf")):
        return "html"
    if said == "pdf" or said in _ZIPPED:
        raise Unreadable(
            f"The file is no {said}, though its name or type says so.",
            hint="Save it in the form that its name says, or name it as what it is.",
        )
    if said is not None:
        return said
    if ending in _SAVE_AS or _XML.match(head):
        _refuse(ending if ending in _SAVE_AS else "xml")
    if b"\0" in head and not head.startswith(_WIDE):
        raise Unreadable("The file is of no kind that can be read.", hint=f"These can: {', '.join(KINDS)}.")
    return "txt"


def _refuse_old(said: str | None, ending: str) -> NoReturn:
    """Old office files, and new ones under a password, are wrapped in the same way."""
    if said in _ZIPPED:
        raise Unreadable("The file is protected by a password.", hint="Remove the password, then try again.")
    _refuse(ending if ending in _SAVE_AS else "doc")


def _refuse(ending: str) -> NoReturn:
    raise Unreadable(f"Files of the kind .{ending} cannot be read.", hint=f"Save it as .{_SAVE_AS[ending]}.")
