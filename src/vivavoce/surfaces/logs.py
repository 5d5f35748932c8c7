"""Logs: to stderr, never with the values that callers sent."""

from __future__ import annotations

import logging

from vivavoce.settings import Settings


def write_logs(settings: Settings) -> None:
    """Write what the settings ask for to stderr."""
    logging.basicConfig(level=settings.log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
