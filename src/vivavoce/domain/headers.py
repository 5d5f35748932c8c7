"""Headers: what those of a call must keep to before they are stored."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vivavoce.errors import InvalidInput

_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def check_headers(setting: str, headers: Mapping[str, str]) -> None:
    """Refuse headers that would end before their value does; `setting` is where they were written."""
    if any(_BREAKS.search(value) for value in headers.values()):
        raise InvalidInput(
            f"{setting}: a header must be one line.",
            hint="Take the line breaks and control characters out of it.",
            details={setting: "must not contain line breaks or control characters"},
        )
