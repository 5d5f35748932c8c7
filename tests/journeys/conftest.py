"""Journeys: everything here starts real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.journey)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"
