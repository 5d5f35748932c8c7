"""Progress on stderr where it is no terminal: lines that come at a pace one can read."""

import pytest

from vivavoce.surfaces.cli import progress
from vivavoce.surfaces.cli.progress import Bars


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch):
    watch = Watch()
    monkeypatch.setattr(progress, "time", watch)
    return watch


def test_one_large_document_is_told_of_by_its_passages(watch, capsys):
    with progress.progress() as begin:
        bars = Bars(begin)
        for second in range(61):
            watch.now = float(second)
            bars.indexed(second / 60, 1, 20 * second)
        bars.indexed(1, 1, 1_200)

    assert capsys.readouterr().err.splitlines() == [
        "Indexing: 0 of 1 datasources (8%), 100 passages, 20.0 a second",
        "Indexing: 0 of 1 datasources (33%), 400 passages, 20.0 a second",
        "Indexing: 0 of 1 datasources (58%), 700 passages, 20.0 a second",
        "Indexing: 0 of 1 datasources (83%), 1,000 passages, 20.0 a second",
        "Indexing: 1 of 1 datasources, 1,200 passages, 20.0 a second",
    ]


def test_nothing_is_said_again_that_was_said(watch, capsys):
    with progress.progress() as begin:
        step = begin("Indexing", "datasources")
        for second in range(100):
            watch.now = float(second)
            step(1, 3, "")
        for second in range(100, 200):
            watch.now = float(second)
            step(3, 3, f"{second} passages")

    assert capsys.readouterr().err.splitlines() == [
        "Indexing: 1 of 3 datasources",
        "Indexing: 3 of 3 datasources, 100 passages",
    ]
