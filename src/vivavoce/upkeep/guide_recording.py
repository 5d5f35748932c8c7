"""Records the guide: which pages it reads, and their vectors. `bin/guide` runs it after a change to docs/."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from vivavoce.app import App, open_app
from vivavoce.domain.corpus.library import hash_of
from vivavoce.ports import Tables
from vivavoce.settings import Settings

from .guide import FOLDER, GUIDE, VECTORS, ensure_guide

ROOT = FOLDER.parents[3]
_TYPES = {"reference": "reference", "adr": "decision", "explanation": "article"}
_ASIDE = ("reference-rest",)
"""What other pages say too, in other words: it is listed, and read only when it is named."""
_ORDER = ("docs", "docs/how-to", "docs/explanation", "docs/reference", ".", "docs/adr")
"""Folders in which a newcomer reads, first to last; the README comes before all of them."""
_ALL = 1_000_000


def pages() -> dict[str, Path]:
    """Every page of the documentation by the id of its source, as a newcomer would read them."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return {_id_of(path): path for path in sorted(found, key=_place_of)}


def sources() -> dict[str, Any]:
    """What `sources.json` says of the pages."""
    return {
        "avatar": GUIDE,
        "corpus_description": "The documentation of vivavoce, as it comes with this version.",
        "sources": [_source(id, path) for id, path in pages().items()],
    }


def linked() -> None:
    """Let the folder of the guide lead to every page, and to nothing else."""
    folder = FOLDER / "corpus" / "open-access"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for id, path in pages().items():
        (folder / f"{id}.md").symlink_to(os.path.relpath(path, folder))
    written = json.dumps(sources(), ensure_ascii=False, indent=2) + "\n"
    (FOLDER / "corpus" / "sources.json").write_text(written, encoding="utf-8")


async def vectors_of_guide(app: App) -> tuple[str, dict[str, bytes]]:
    """The vector of each passage of the guide, by the hash of what is embedded, and whose they are."""
    await ensure_guide(app)
    return await app.ports.store.read(_vectors)


def record(embedder: str, vectors: dict[str, bytes], file: Path = VECTORS) -> None:
    """Write vectors with eight bits for each number, and a scale for each vector.

    What stands there for the same text stays as it is, so that the file changes as little as the pages did.
    """
    import numpy

    kept = _rows(embedder, file)
    for hash, vector in vectors.items():
        if hash not in kept:
            row = numpy.frombuffer(vector, "<f2").astype("f4")
            scale = numpy.float32(abs(row).max() / 127)
            kept[hash] = (numpy.round(row / scale).astype("i1"), scale)
    hashes = sorted(vectors)
    numpy.savez(
        file,
        embedder=numpy.array(embedder),
        hashes=numpy.array([list(bytes.fromhex(hash)) for hash in hashes], "u1"),
        rows=numpy.stack([kept[hash][0] for hash in hashes]),
        scales=numpy.array([kept[hash][1] for hash in hashes], "f4"),
    )


def main() -> None:
    """Write the part of the package that is the guide."""
    linked()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.read({"VIVAVOCE_DATABASE": str(Path(folder) / "workspace.db")})
        record(*asyncio.run(_recorded(settings)))


async def _recorded(settings: Settings) -> tuple[str, dict[str, bytes]]:
    async with open_app(settings) as app:
        return await vectors_of_guide(app)


def _place_of(path: Path) -> tuple[bool, int, str]:
    return path.stem != "README", _ORDER.index(path.parent.relative_to(ROOT).as_posix()), _id_of(path)


def _id_of(path: Path) -> str:
    """Such as `how-to-connect-a-client`, or `readme`."""
    name = path.relative_to(ROOT / "docs" if path.is_relative_to(ROOT / "docs") else ROOT).with_suffix("")
    return re.sub(r"[^a-z0-9]+", "-", str(name).lower())


def _source(id: str, path: Path) -> dict[str, Any]:
    name = str(path.relative_to(ROOT))
    heading = re.search(r"^# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    title = "The README of vivavoce" if id == "readme" else heading[1].strip() if heading else path.stem
    return {
        "id": id,
        "title": title.replace("`", ""),
        "type": _TYPES.get(path.parent.name, "guide"),
        "url": name,
        "license": "Apache-2.0",
        "format": "md",
        "verified": True,
        "priority": "secondary" if id in _ASIDE else "primary",
    }


def _vectors(tables: Tables) -> tuple[str, dict[str, bytes]]:
    avatar = tables.avatars.find(GUIDE)
    assert avatar is not None
    (collection, *_) = tables.collections.of(avatar.datastore_id)
    every = tables.passages.unindexed(collection.changed(filled_to=0), _ALL)
    return collection.embedder, {hash_of(each.text): each.vector for each in every if each.vector is not None}


def _rows(embedder: str, file: Path) -> dict[str, Any]:
    """What was recorded before, as it stands in the file."""
    import numpy

    if not file.exists():
        return {}
    with numpy.load(file, allow_pickle=False) as kept:
        if str(kept["embedder"]) != embedder:
            return {}
        rows = zip(kept["hashes"], kept["rows"], kept["scales"], strict=True)
        return {bytes(hash).hex(): (row, scale) for hash, row, scale in rows}


if __name__ == "__main__":
    main()
