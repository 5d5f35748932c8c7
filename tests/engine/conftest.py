"""What tests of the engine share: lines between people and agents."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from .lines import Line


@pytest.fixture
def line_url() -> str:
    """The database that lines are on; nothing for a file."""
    return ""


@pytest.fixture
def lines(tmp_path, clock, line_url) -> Iterator[Callable[..., Line]]:
    """Makes a line on which the agent says these things."""
    with ExitStack() as stack:

        def made(*said: object) -> Line:
            line = Line(tmp_path, clock, said or ("Nine.",), url=line_url)
            stack.callback(line.close)
            return line

        yield made
