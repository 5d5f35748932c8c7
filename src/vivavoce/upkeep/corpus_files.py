"""The folder of an avatar: its configuration, its sources and its documents, as they lie on the disk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from vivavoce.domain.avatar_files import MIME_TYPES, json_in, new_config, new_sources, sources_in, spelt_out
from vivavoce.domain.avatars import Config, Source, read_config, read_sources
from vivavoce.domain.corpus.source_ids import fitting_id, is_source_id
from vivavoce.domain.corpus.splittings import Splitting, splitting_of
from vivavoce.errors import Conflict, InvalidInput, NotFound, StorageFailed, Unreadable, disk_faults

_SLUG = re.compile(r"[a-z0-9-]{1,64}")
_MOST_BYTES = 20 * 1024 * 1024
"""A configuration or a list of sources that has more is none."""


class Listed(NamedTuple):
    """What the files of an avatar say."""

    config: dict[str, Any]
    """As it was written, with all its keys."""
    entries: list[dict[str, Any]]
    """The entries of `sources.json`, as they were written."""
    about: Config
    sources: list[Source]
    splitting: Splitting


class AvatarFolder:
    """Where the files of one avatar lie: `<folder>/<id>`."""

    def __init__(self, folder: Path, id: str) -> None:
        if _SLUG.fullmatch(id) is None:
            raise InvalidInput(
                f"{id!r} cannot be the id of an avatar.", hint="Use small letters a-z, digits and hyphens."
            )
        self.id = id
        self.path = folder / id
        self.config_file = self.path / "config.json"
        self.sources_file = self.path / "corpus" / "sources.json"
        self.documents_folder = self.path / "corpus" / "open-access"

    @property
    def exists(self) -> bool:
        """Whether there is a configuration in it."""
        return self.config_file.is_file()

    def listed(self) -> Listed:
        """What config.json and sources.json say; InvalidInput names file, key and what was expected."""
        if not self.exists:
            raise NotFound(
                f"There is no {self.config_file}.",
                hint=f"Make it with vivavoce avatar create {self.id}, or name the folder with --folder.",
            )
        config = json_in(_content(self.config_file), str(self.config_file))
        with _told_with(self.config_file):
            about, splitting = read_config(config), splitting_of(config)
        if about.id != self.id:
            raise InvalidInput(
                f"{self.config_file}: id: is {about.id!r}, but its folder is called {self.id!r}.",
                hint="Give both the same name.",
            )
        if not self.sources_file.is_file():
            raise InvalidInput(
                f"There is no {self.sources_file}.",
                hint='Write {"sources": []} there to begin with; each source has an id and a title.',
            )
        found = json_in(_content(self.sources_file), str(self.sources_file))
        entries = sources_in(found, str(self.sources_file))
        with _told_with(self.sources_file):
            return Listed(config, entries, about, read_sources(entries), splitting)

    def documents(self) -> list[Path]:
        """What lies in the folder of documents, without what is hidden; sorted."""
        if not self.documents_folder.is_dir():
            return []
        with disk_faults(f"{self.documents_folder} cannot be read", hint="Let yourself read it."):
            return sorted(path for path in self.documents_folder.iterdir() if not path.name.startswith("."))

    def document_of(self, source: Source, documents: list[Path]) -> Path | None:
        """The document of a source, if there is one; refused where it is not clear or leads elsewhere."""
        found = [path for path in documents if path.stem == source.id and ending_of(path) in MIME_TYPES]
        if len(found) > 1 and source.format is not None:
            wanted = source.format.strip().lower().lstrip(".")
            found = [path for path in found if ending_of(path) == wanted] or found
        if len(found) > 1:
            names = " and ".join(path.name for path in found)
            raise InvalidInput(
                f"There are {names}.",
                hint=f'Keep one of them, or name it in sources.json: "format": "{ending_of(found[0])}".',
            )
        if not found:
            return None
        (path,) = found
        if not path.resolve().is_relative_to(self.path.resolve()):
            raise InvalidInput(f"{path.name} is a link that leads out of the folder.")
        if not path.is_file():
            raise Unreadable(f"{path.name} is not a file.")
        return path

    def unlisted(self, sources: list[Source], documents: list[Path]) -> list[str]:
        """The names of what lies in the folder of documents and belongs to no source."""
        ids = {source.id for source in sources}
        return [path.name for path in documents if path.stem not in ids or ending_of(path) not in MIME_TYPES]

    def renames(self, documents: list[Path]) -> dict[str, str]:
        """Names that no source can be listed by, as its id, each with one that would do."""
        taken = {path.stem for path in documents}
        found: dict[str, str] = {}
        for path in documents:
            if ending_of(path) in MIME_TYPES and not is_source_id(path.stem):
                id = fitting_id(path.stem, taken)
                taken.add(id)
                found[path.name] = f"{id}{path.suffix}"
        return found

    def written(self, name: str | None, description: str | None) -> list[Path]:
        """Write files to begin with, none over another; those that were written."""
        name = spelt_out(self.id) if name is None else name
        told = (
            f"Answers from the writings of {name}, in their own words."
            if description is None
            else description
        )
        config = new_config(self.id, name, told)
        read_config(config)
        ids = [path.stem for path in self.documents() if ending_of(path) in MIME_TYPES]
        sources = new_sources(self.id, dict.fromkeys(id for id in ids if is_source_id(id)))
        with disk_faults(f"{self.path} cannot be written", hint="Name a folder that you may write to."):
            self.documents_folder.mkdir(parents=True, exist_ok=True)
            made = [] if self.sources_file.exists() else [_written(self.sources_file, sources)]
            # The configuration comes last: where it stands, the folder is complete.
            return [_written(self.config_file, config), *made]


def avatars_in(folder: Path) -> list[str]:
    """The ids of the avatars whose files lie in a folder."""
    if not folder.is_dir():
        return []
    with disk_faults(f"{folder} cannot be read", hint="Let yourself read it."):
        names = sorted(path.name for path in folder.iterdir() if _SLUG.fullmatch(path.name))
    return [name for name in names if AvatarFolder(folder, name).exists]


def ending_of(path: Path) -> str:
    """How a file's name ends, in small letters and without the dot."""
    return path.suffix[1:].lower()


def _content(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise StorageFailed(f"{file} cannot be read: {error.strerror}.") from error
    if len(content) > _MOST_BYTES:
        raise InvalidInput(f"{file}: it has more than {_MOST_BYTES // 2**20} MB.")
    return content


@contextmanager
def _told_with(file: Path) -> Iterator[None]:
    """Lets a refusal, which begins with the name of the file, say where the file lies."""
    try:
        yield
    except InvalidInput as error:
        said = error.message.removeprefix(f"{file.name}: ")
        raise InvalidInput(f"{file}: {said}", hint=error.hint, details=error.details) from None


def _written(file: Path, content: dict[str, Any]) -> Path:
    try:
        with file.open("x", encoding="utf-8") as opened:
            opened.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    except FileExistsError:
        raise Conflict(f"{file} is there already.", hint="Nothing was written over it.") from None
    return file
