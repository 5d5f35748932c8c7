"""Contents: what kind of file a server sent, and its text in an encoding that the file itself tells."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping

from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.errors import Unreadable

from .places import Place
from .sitemaps import is_sitemap

_HEAD = 4096
_VAGUE = frozenset({"", "text/plain", "application/octet-stream", "binary/octet-stream", "application/zip"})
"""Types that servers send for want of a better one: the name in the address tells more."""
_ALIASES = {
    "application/csv": "text/csv",
    "application/x-pdf": "application/pdf",
    "text/json": "application/json",
    "text/x-markdown": "text/markdown",
}
_FOREIGN = ("audio/", "font/", "image/", "video/")
_TEXTS = frozenset({"txt", "md", "html", "csv", "json"})
_CHARSET = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9_:.-]+)", re.ASCII)
_TABLES = re.compile(
    r"cp\d+|iso8859-\d+|koi8-[ru]|gb\w+|big5\w*|shift_jis\w*|euc_\w+|iso2022_\w+|utf-(16|32)\S*"
)


def kind_of_content(place: Place, headers: Mapping[str, str], body: bytes) -> str:
    """The kind of file that was sent, as in domain.documents.KINDS, or Unreadable."""
    given = headers.get("content-type", "").partition(";")[0].strip().lower()
    content_type = _ALIASES.get(given, "application/json" if given.endswith("+json") else given)
    if content_type.startswith(_FOREIGN):
        raise Unreadable(
            f"{place.page} is of the kind {content_type.partition('/')[0]}, which cannot be read.",
            hint="Send what it shows or says as a text.",
        )
    if is_sitemap(body) or content_type.endswith(("/xml", "+xml")):
        return "html"
    name = place.target.partition("?")[0].rpartition("/")[2] if content_type in _VAGUE else ""
    return kind_of(name, body[:_HEAD], content_type)


def in_utf8(headers: Mapping[str, str], kind: str, body: bytes) -> bytes:
    """The text of a page in UTF-8 with its mark, where only the server says that it is in another one."""
    match = _CHARSET.search(headers.get("content-type", ""))
    if kind not in _TEXTS or match is None or body.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE)):
        return body
    try:
        name = codecs.lookup(match.group(1)).name
    except LookupError:
        return body
    if _TABLES.fullmatch(name) is None:
        return body
    name = "cp1252" if name == "iso8859-1" else name  # as browsers do
    return codecs.BOM_UTF8 + body.decode(name, errors="replace").encode()
