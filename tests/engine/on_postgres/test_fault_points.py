"""A process that ends after any statement, on Postgres."""

from collections.abc import Iterator

import pytest

from tests.engine.test_fault_points import (  # noqa: F401
    pytestmark,
    test_a_process_may_end_after_any_statement_between_the_event_and_its_answer,
)
from tests.ports.servers import postgres_server


@pytest.fixture
def server() -> Iterator[str]:
    """A server of its own. Only processes end here and no machine does, so it need not wait for its disk."""
    with postgres_server("fsync=off", "full_page_writes=off") as server:
        yield server.url
