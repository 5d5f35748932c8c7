"""A glance at the database, for a start that must not wait until the store is loaded."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE = 0.2


def avatar_digest(database: Path, avatar_id: str) -> str | None:
    """A name for how an avatar is stored now; None where there is none, or it cannot be seen at once."""
    try:
        with closing(
            sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)
        ) as connection:
            row = connection.execute("select document from avatars where id = ?", (avatar_id,)).fetchone()
    except (sqlite3.Error, ValueError):
        return None
    return None if row is None else hashlib.sha256(str(row[0]).encode()).hexdigest()
