"""Logs: to stderr, never with the values that callers sent."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Any

from vivavoce.settings import Settings


def write_logs(settings: Settings) -> None:
    """Write our own messages of the level that the settings ask for to stderr, and warnings of others.

    Other packages write whole messages and addresses at their lower levels, and those hold callers' values.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    writing = logging.StreamHandler(sys.stderr)
    writing.setFormatter(_Wordless("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[writing])
    logging.getLogger().setLevel(max(level, logging.WARNING))
    logging.getLogger("vivavoce").setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):  # uvicorn sets these up to its own liking
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.NOTSET)
        logger.propagate = name != "uvicorn.access"


def log_failure(log: logging.Logger, what: str, error: BaseException) -> None:
    """Write what failed, with the type and the place; not the error's words, which may repeat a value."""
    log.error("%s failed: %s\n%s", what, type(error).__qualname__, _place(error))


class _Wordless(logging.Formatter):
    """Writes errors that others log as we do: with their type and place, and without their words."""

    def formatException(self, ei: Any) -> str:
        """The type and the place."""
        error = ei[1]
        return "" if error is None else f"{type(error).__qualname__}\n{_place(error)}"


def _place(error: BaseException) -> str:
    return "".join(traceback.format_tb(error.__traceback__)).rstrip()
