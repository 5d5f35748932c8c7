"""What the files of office programs have in common: parts in a zip archive that point at each other."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import NamedTuple

from .archives import Archive, damaged
from .xml import Event, Start, events


class Relation(NamedTuple):
    """One part of a document points at another."""

    id: str
    kind: str
    """The last word of its type, such as slide or styles."""
    target: str


def relations(archive: Archive, part: str = "") -> list[Relation]:
    """What a part points at, in the file's order; the empty name stands for the document itself."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    if path not in archive:
        return []
    found = []
    for event in events(archive.chunks(path)):
        if isinstance(event, Start) and event.name == "Relationship":
            given = event.attributes
            if given.get("TargetMode", "") != "External":
                kind = given.get("Type", "").rpartition("/")[2]
                found.append(Relation(given.get("Id", ""), kind, within(folder, given.get("Target", ""))))
    return found


def within(folder: str, target: str) -> str:
    """The name of an entry, seen from a folder of the archive; it is looked up there and nowhere else."""
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def main_part(archive: Archive, usual: str) -> str:
    """The part that everything begins with."""
    pointed = (relation.target for relation in relations(archive) if relation.kind == "officeDocument")
    for name in (*pointed, usual):
        if name in archive:
            return name
    raise damaged()


def part_events(archive: Archive, name: str) -> Iterator[Event]:
    """The events of a part; none where the archive lacks it."""
    return events(archive.chunks(name)) if name in archive else iter(())


def is_on(value: str | None) -> bool:
    """Whether a switch is on; one without a value is."""
    return value is None or value.lower() not in ("0", "false", "off", "none")
