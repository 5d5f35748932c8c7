"""Journeys: everything here starts real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.journey)
    items.sort(key=lambda item: item.path != HERE / "test_crash.py")  # first, as it takes longest


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
