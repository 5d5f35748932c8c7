"""What a request to any HTTP surface may carry."""

from __future__ import annotations

BODY = 8 * 1024 * 1024
"""The most bytes that a request may carry."""
