"""Faults in the log: their type and place, and never their words, which may repeat what a person wrote."""

from __future__ import annotations

import logging
import traceback


def log_fault(log: logging.Logger, what: str, error: BaseException, level: int = logging.ERROR) -> None:
    """Write what failed."""
    place = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    log.log(level, "%s failed: %s\n%s", what, type(error).__qualname__, place)
