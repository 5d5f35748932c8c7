"""Folders of avatars to test with, and those who are told of the work."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.ports.documents_made import docx, epub, paragraph
from tests.ports.pdfs_made import pdf
from vivavoce.domain.avatar_files import new_config
from vivavoce.upkeep.corpus_files import AvatarFolder

COMMONS = "Fishers who share a lake agree on rules for nets. They watch each other at the shore."
WATER = "Farmers in the valley clean the canal together before the rains come."
TAXES = "Nobody who lives far away should set the tax on salt."

KINDS: dict[str, bytes] = {
    "txt": COMMONS.encode(),
    "md": f"# Lakes\n\n{COMMONS}".encode(),
    "html": f"<html><body><p>{COMMONS}</p></body></html>".encode(),
    "htm": f"<html><body><p>{COMMONS}</p></body></html>".encode(),
    "pdf": pdf([COMMONS]),
    "docx": docx(paragraph(COMMONS)),
    "epub": epub({"a.xhtml": f"<p>{COMMONS}</p>"}),
}
"""The same words in a file of each kind."""


class Listener:
    """Remembers how far the work had come."""

    def __init__(self) -> None:
        self.said: list[tuple[int, int]] = []
        self.indexings: list[tuple[float, int]] = []
        self.is_under_way = asyncio.Event()
        """Set once a part of a datasource is indexed, and not all of it."""

    def stored(self, done: int, total: int) -> None:
        self.said.append((done, total))

    def indexed(self, done: float, total: int, passages: int) -> None:
        self.indexings.append((done, total))
        if passages > 0 and 0 < done < 1:
            self.is_under_way.set()


def listed(id: str, **more: Any) -> dict[str, Any]:
    """An entry of sources.json."""
    return {"id": id, "title": f"The book of {id}", "year": 1990, "url": "https://example.com/", **more}


def avatar_folder(
    place: Path,
    *sources: dict[str, Any],
    documents: Mapping[str, bytes | str] | None = None,
    config: Mapping[str, Any] | None = None,
    id: str = "ostrom",
) -> AvatarFolder:
    """A folder with these sources and these documents."""
    folder = AvatarFolder(place / "avatars", id)
    folder.documents_folder.mkdir(parents=True, exist_ok=True)
    given = new_config(id, "Elinor Ostrom", "Studied the commons.") | dict(config or {})
    folder.config_file.write_text(json.dumps(given), encoding="utf-8")
    list_sources(folder, *sources)
    for name, content in (documents or {}).items():
        write(folder, name, content)
    return folder


def list_sources(folder: AvatarFolder, *sources: dict[str, Any]) -> None:
    """Let sources.json list these."""
    contents = {"avatar": folder.id, "corpus_description": "Essays.", "sources": list(sources)}
    folder.sources_file.write_text(json.dumps(contents), encoding="utf-8")


def write(folder: AvatarFolder, name: str, content: bytes | str) -> None:
    """Put a document into the folder."""
    held = content.encode() if isinstance(content, str) else content
    (folder.documents_folder / name).write_bytes(held)
