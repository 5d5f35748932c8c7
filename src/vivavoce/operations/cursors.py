"""Cursors: where a list of conversations goes on."""

from __future__ import annotations

import json
from datetime import datetime

from .moments import moment


def place_of(cursor: str) -> tuple[datetime, str]:
    """Where a cursor stands: the creation and the id of the last conversation that was seen."""
    try:
        read = json.loads(cursor)
        return moment(read["lastCreatedAt"]), str(read["lastId"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError('must be JSON such as {"lastCreatedAt": "…", "lastId": "…"}') from error


def a_place(cursor: str) -> str:
    """The cursor itself, refused where it stands nowhere."""
    place_of(cursor)
    return cursor
