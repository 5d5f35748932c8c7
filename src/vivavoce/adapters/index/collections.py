"""A collection: its segments and its tail as they stand on disk, and how they are searched and grow."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Any, NamedTuple

import numpy

from vivavoce.domain.language.words import K1
from vivavoce.errors import Damaged, InvalidInput
from vivavoce.ports import Entry, Hit, Question

from .drafts import write_segment
from .files import Files, Manifest
from .journal import Gone, Kept, kept, records
from .searching import in_segment, in_tail, rarity, union
from .sections import damaged
from .segments import Reach, Segment
from .tail import Tail

_TAIL = 4_096
"""How many passages the tail may hold before it becomes a segment."""
_ALIKE = 4
"""How many segments of like size there may be before they become one."""
_SCANNED = 15_000
"""How many lean vectors a search reads in all segments together, at least."""
_SHARE = 0.04
"""And which share of all of them."""
_CHECKED = 150
"""How many exact vectors a search reads in all segments together, beside some for each one wanted."""
_BRIEF = 256
"""How many passages may stay in the tail when a collection is settled: it is read whole when it is opened."""
_ASIDE = 0.02
"""What may lie beside the largest segment, as a share of it, when a collection is settled."""
_WORN = 0.3
"""The share of removed rows from which a segment is written anew."""


class _State(NamedTuple):
    """What the manifest names."""

    written: bytes
    manifest: Manifest
    segments: tuple[Segment, ...]
    tail: Tail


class Collection:
    """The passages of one datastore under one embedder."""

    def __init__(self, folder: Path) -> None:
        self._files = Files(folder)
        self._lock = RLock()
        self._state: _State | None = None

    def search(self, question: Question, limit: int) -> list[Hit]:
        """The nearest by meaning and the best by words."""
        state = self._fresh()
        if state is None:
            return []
        if _lengths(state) - {len(question.vector)}:
            raise InvalidInput("The vector of a question must be as long as those of the collection.")
        with self._lock:
            tail_words = state.tail.postings(question.words)
            allowed = state.tail.allowed(question.datasource_ids)
            near, tail_ids = state.tail.cosines(question.vector), state.tail.ids()
            gone = set(state.tail.gone)
        vector = numpy.asarray(question.vector, "f4")
        places = [{word: segment.postings.of(word) for word in question.words} for segment in state.segments]
        total = len(state.tail.kept) + sum(segment.number for segment in state.segments)
        rare = rarity(question.words, total, places, tail_words)
        most = sum(count * rare[word] * (K1 + 1) for word, count in question.words.items())
        scale = 1 / most if most > 0 else 0.0
        weighed = {word: count * rare[word] * scale for word, count in question.words.items()}
        rows = max(1, sum(segment.number for segment in state.segments))
        reach = Reach(max(_SHARE, _SCANNED / rows), _CHECKED / rows)
        hits = in_tail(near, allowed, tail_ids, tail_words, weighed, limit)
        for segment, found in zip(state.segments, places, strict=True):
            hits += in_segment(segment, found, weighed, vector, question.datasource_ids, gone, limit, reach)
        return union(hits, limit)

    def count(self) -> int:
        """How many passages it holds."""
        state = self._fresh()
        if state is None:
            return 0
        with self._lock:
            gone = _gone_rows(state)
            return state.tail.number + sum(
                segment.number - (0 if rows is None else int(rows.sum()))
                for segment, rows in zip(state.segments, gone, strict=True)
            )

    def add(self, entries: Sequence[Entry]) -> None:
        """Append entries to the tail, durably; the tail becomes a segment when it is long."""
        with self._writing() as state:
            known = _known(state, [entry.id for entry in entries])
            new = {entry.id: kept(entry) for entry in entries if entry.id not in known}
            if len(_lengths(state) | {len(entry.vector) for entry in new.values()}) > 1:
                raise InvalidInput("The vectors of a collection must have one length.")
            self._append(state, list(new.values()))
            if state.tail.number >= _TAIL:
                self._grow(state)

    def remove(self, ids: Sequence[int]) -> None:
        """Note that passages are gone; what holds many of them is written anew without them."""
        with self._writing() as state:
            known = sorted(_known(state, ids))
            if not known:
                return
            self._append(state, [Gone(known)])
            worn = [
                rows is not None and int(rows.sum()) > _WORN * segment.number
                for segment, rows in zip(state.segments, _gone_rows(state), strict=True)
            ]
            if any(worn) or state.tail.dead > _WORN * len(state.tail.kept):
                self._grow(state)

    def settle(self) -> None:
        """Make one segment of all, where what lies beside the largest is worth the rewriting.

        Else make one of the tail, where it is long.
        """
        state = self._fresh()
        if state is None or not (_is_unsettled(state) or state.tail.number > _BRIEF):
            return
        with self._writing() as state:
            self._grow(state, whole=_is_unsettled(state))

    def drop(self) -> None:
        """Remove its files, once nobody writes."""
        self._files.drop()

    @contextmanager
    def _writing(self) -> Iterator[_State]:
        """The collection as it stands, while no other thread or process changes it; readers need not wait."""
        with self._files.locked():
            state = self._fresh()
            if state is None:
                self._files.publish(Manifest(token_hex(8), (), self._files.journal(1, b"")))
                state = self._fresh()
                assert state is not None
            yield state

    def _append(self, state: _State, entries: Sequence[Kept | Gone]) -> None:
        if not entries:
            return
        with state.tail.path.open("r+b") as file:
            file.truncate(state.tail.read_to)  # what a killed process left half written
            file.seek(state.tail.read_to)
            file.write(records(entries))
            file.flush()
            os.fsync(file.fileno())
        with self._lock:
            state.tail.refresh()

    def _grow(self, state: _State, *, whole: bool = False) -> None:
        """Turn the tail into a segment, join segments of like size, or the `whole`, and publish."""
        gone = _gone_rows(state)
        names = state.manifest.segments
        segments = list(zip(names, state.segments, gone, strict=True))
        number = 1 + max(int(name.partition(".")[0]) for name in (*names, state.manifest.journal))
        living = state.tail.living()
        # Removed from a segment and added again: the new journal cannot say which of the two is gone.
        back = [entry.id for entry in living if entry.id in state.tail.gone]
        if living:
            name = f"{number:08d}.segment"
            write_segment(self._files.folder / name, living)
            segments.append((name, Segment(self._files.folder / name), None))
        while joined := (segments if whole and len(segments) > 1 else _to_join(segments, back)):
            number += 1
            name = f"{number:08d}.segment"
            rest = [each for each in segments if each not in joined]
            if any(_alive(segment, rows) for _, segment, rows in joined):
                write_segment(self._files.folder / name, (), [(segment, rows) for _, segment, rows in joined])
                rest.append((name, Segment(self._files.folder / name), None))
            segments = rest
        still = [int(id) for _, segment, rows in segments if rows is not None for id in segment.ids[rows]]
        journal = self._files.journal(number + 1, records([Gone(still)]) if still else b"")
        manifest = Manifest(state.manifest.made, tuple(name for name, _, _ in segments), journal)
        self._files.publish(manifest)
        self._files.sweep(manifest)

    def _fresh(self) -> _State | None:
        """The collection as the files have it now; None when there is none."""
        with self._lock:
            while True:
                written = self._files.written()
                try:
                    self._state = self._as_in(written)
                except Damaged:
                    self._state = None
                    if self._files.written() == written:
                        raise
                    continue  # files are missing because another process has put new ones in their place
                return self._state

    def _as_in(self, written: bytes | None) -> _State | None:
        """The collection that a manifest names."""
        state, folder = self._state, self._files.folder
        if written is None:
            if state is not None:
                raise damaged(folder / "manifest.json")
            return None
        if state is None or state.written != written:
            state = self._opened(written)
        for name in state.manifest.segments:
            if not (folder / name).exists():
                raise damaged(folder / name)
        state.tail.refresh()
        return state

    def _opened(self, written: bytes) -> _State:
        folder, manifest, known = self._files.folder, self._files.read(written), {}
        if self._state is not None and self._state.manifest.made == manifest.made:
            known = dict(zip(self._state.manifest.segments, self._state.segments, strict=True))
        segments = tuple(known.get(name) or Segment(folder / name) for name in manifest.segments)
        return _State(written, manifest, segments, Tail(folder / manifest.journal))


def _lengths(state: _State) -> set[int]:
    """How long the vectors are; nothing while there are none."""
    return {len(entry.vector) for entry in state.tail.kept[:1]} | {
        segment.dimension for segment in state.segments[:1]
    }


def _known(state: _State, ids: Sequence[int]) -> set[int]:
    """Those of the passages that are here and not removed."""
    known = {id for id in ids if state.tail.has(id)}
    for segment in state.segments:
        known |= {int(id) for id in segment.ids[rows]} if len(rows := segment.rows_of(ids)) else set()
    return {id for id in known if state.tail.has(id) or id not in state.tail.gone}


def _gone_rows(state: _State) -> list[Any]:
    """For each segment a mask of the rows that were removed; None where none was."""
    masks: list[Any] = []
    ids = list(state.tail.gone)
    for segment in state.segments:
        rows = segment.rows_of(ids)
        mask = None
        if len(rows):
            mask = numpy.zeros(segment.number, bool)
            mask[rows] = True
        masks.append(mask)
    return masks


def _is_unsettled(state: _State) -> bool:
    sizes = sorted([*(segment.number for segment in state.segments), state.tail.number])
    return sum(sizes) > _TAIL and sum(sizes[:-1]) > _ASIDE * sizes[-1]


def _alive(segment: Segment, gone: Any) -> int:
    return segment.number - (0 if gone is None else int(gone.sum()))


def _to_join(segments: list[tuple[str, Segment, Any]], back: Sequence[int]) -> list[tuple[str, Segment, Any]]:
    """Segments that should be one: many of like size, or one that is worn or has what is back elsewhere."""
    tiers: dict[int, list[tuple[str, Segment, Any]]] = {}
    for each in segments:
        _, segment, gone = each
        is_worn = gone is not None and int(gone.sum()) > _WORN * segment.number
        if is_worn or (gone is not None and gone[segment.rows_of(back)].any()):
            return [each]
        size, tier = _alive(segment, gone), 0
        while size > _TAIL * 2:
            size, tier = size // _ALIKE, tier + 1
        tiers.setdefault(tier, []).append(each)
    return next((alike for alike in tiers.values() if len(alike) >= _ALIKE), [])
