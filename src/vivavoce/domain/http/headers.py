"""Headers: what those of a call must keep to before they are stored or sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from vivavoce.errors import InvalidInput

_OURS = frozenset(
    (
        *("accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te"),
        *("trailer", "transfer-encoding", "upgrade"),
    )
)
"""The headers that say how a call travels: they are written where it is sent, or not at all."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def check_headers(setting: str, headers: Mapping[str, str]) -> None:
    """Refuse headers that would end before their value does; `setting` is where they were written."""
    if any(_BREAKS.search(value) for value in headers.values()):
        raise InvalidInput(
            f"{setting}: a header must be one line.",
            hint="Take the line breaks and control characters out of it.",
            details={setting: "must not contain line breaks or control characters"},
        )


def check_header_names(setting: str, names: Iterable[str]) -> None:
    """Refuse headers that no call could carry; `setting` is where they were written."""
    for name in names:
        if is_written_here(name):
            raise InvalidInput(
                f"{setting}: the header {name} cannot be set.",
                hint="Leave it out: it is written for you.",
                details={setting: f"must not have {name}, which is written for you"},
            )
        if _TOKEN.fullmatch(name) is None:
            raise InvalidInput(
                f"{setting}: {name!r} is no name of a header.",
                hint="Use letters, digits and dashes.",
                details={setting: "has a name with characters that no header may have"},
            )


def is_written_here(name: str) -> bool:
    """Whether a header is one that says how a call travels."""
    return name.lower() in _OURS or name.lower().startswith("proxy-")
