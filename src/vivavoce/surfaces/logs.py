"""Logs: to stderr, never with the values that callers sent."""

from __future__ import annotations

import logging
import sys
import traceback

from vivavoce.settings import Settings


def write_logs(settings: Settings) -> None:
    """Write our own messages of the level that the settings ask for to stderr, and warnings of others.

    Other packages write whole messages and addresses at their lower levels, and those hold callers' values.
    """
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    logging.basicConfig(stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger().setLevel(max(level, logging.WARNING))
    logging.getLogger("vivavoce").setLevel(level)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):  # uvicorn sets these up to its own liking
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.setLevel(logging.NOTSET)
        logger.propagate = name != "uvicorn.access"


def log_failure(log: logging.Logger, what: str, error: BaseException) -> None:
    """Write what failed, with the type and the place; not the error's words, which may repeat a value."""
    place = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    log.error("%s failed: %s\n%s", what, type(error).__qualname__, place)
