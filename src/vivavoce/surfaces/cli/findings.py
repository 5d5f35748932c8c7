"""Findings: what a look at the workspace shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    about: str
    state: Literal["ok", "note", "fault"]
    says: str
    advice: str = ""
