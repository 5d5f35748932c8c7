"""The file of an archive as it comes: nothing in it is believed before it was looked at."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import IO, Annotated, Any, Literal, NoReturn, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.domain.faults import faults_of, in_words
from vivavoce.errors import InvalidInput, NotAvailable, Unreadable

from .files import FORMAT, MANIFEST, Line, Told, file_of

T = TypeVar("T")

CHECKING = "checking"
"""What is told of while the archive is checked, before its parts are read."""

_LARGEST_MANIFEST = 2**20
_LONGEST_LINE = 64 * 2**20
_MUCH = 2**30
_DENSEST = 200
"""An archive that unpacks to more than a gigabyte, and to so many times its size, is a bomb."""
_STRETCH = 2**20
_HOW = "Make it again with vivavoce export."
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError, OverflowError)


class PartSaid(BaseModel):
    """What the manifest says of a part."""

    model_config = ConfigDict(frozen=True, strict=True)

    lines: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """What an archive consists of, as it says itself."""

    model_config = ConfigDict(frozen=True, strict=True)

    format: Annotated[int, Field(ge=1)]
    program: Literal["vivavoce"]
    version: str
    parts: dict[str, PartSaid]


class Archive:
    """An archive that is open."""

    def __init__(self, path: Path, file: zipfile.ZipFile, known: Collection[str]) -> None:
        self.path, self._file = path, file
        self.manifest = self._manifest()
        self._check_names(known)
        self._check_sizes(path.stat().st_size)

    def check(self, told: Told) -> None:
        """Read all of it once, and see that every part is what the manifest says."""
        total, done = sum(said.bytes for said in self.manifest.parts.values()), 0
        for name, said in self.manifest.parts.items():
            digest, lines = hashlib.sha256(), 0
            with self._broken(name), self._file.open(file_of(name)) as part:
                while stretch := part.read(_STRETCH):
                    digest.update(stretch)
                    lines += stretch.count(b"\n")
                    done += len(stretch)
                    told(CHECKING, done, total)
            if (digest.hexdigest(), lines) != (said.sha256, said.lines):
                self._refuse(f"{file_of(name)} is not what the manifest says")

    def number(self, name: str) -> int:
        """How many lines a part has."""
        return self.manifest.parts[name].lines if name in self.manifest.parts else 0

    def read(self, name: str, read: Callable[[Line], T]) -> Generator[tuple[T, int], None, None]:
        """What `read` makes of the lines of a part, one at a time, each with its size.

        None where the archive has no such part; Unreadable where a line is not as it should be.
        """
        if name not in self.manifest.parts:
            return
        with self._broken(name), self._file.open(file_of(name)) as part:
            for number, line in enumerate(_lines(part), start=1):
                try:
                    made = read(_json(line))
                except ValidationError as error:
                    self._refuse(f"{file_of(name)}, line {number}: {in_words(faults_of(error))}")
                except (ValueError, TypeError, RecursionError, InvalidInput) as error:
                    self._refuse(f"{file_of(name)}, line {number}: {error}")
                yield made, len(line)

    def _manifest(self) -> Manifest:
        with self._broken(MANIFEST):
            try:
                entry = self._file.getinfo(MANIFEST)
            except KeyError:
                self._refuse("it holds no manifest")
            if entry.file_size > _LARGEST_MANIFEST:
                self._refuse("its manifest is too large")
            said = json.loads(self._file.read(entry))
        number = said.get("format") if isinstance(said, dict) else None
        if isinstance(number, int) and number > FORMAT:
            raise NotAvailable(
                f"{self.path} is an archive of format {number}, and this program reads up to {FORMAT}.",
                hint=f"Update vivavoce; the archive was made by version {said.get('version')}.",
            )
        try:
            return Manifest.model_validate(said)
        except ValidationError as error:
            self._refuse(f"{MANIFEST}: {in_words(faults_of(error))}")

    def _check_names(self, known: Collection[str]) -> None:
        names = self._file.namelist()
        expected = {MANIFEST, *map(file_of, self.manifest.parts)}
        if len(names) != len(set(names)) or set(names) != expected:
            self._refuse("it does not hold the files that its manifest names, and no others")
        if unknown := sorted(set(self.manifest.parts) - set(known)):
            raise NotAvailable(
                f"{self.path} holds {unknown[0]!r}, which this program does not know.",
                hint=f"Update vivavoce; the archive was made by version {self.manifest.version}.",
            )

    def _check_sizes(self, size: int) -> None:
        """Refuse what unpacks to far more than it is, or whose parts lie upon each other."""
        entries = self._file.infolist()
        for entry in entries:
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
                self._refuse(f"{entry.filename} is packed in a way that archives are not")
        for name, said in self.manifest.parts.items():
            if self._file.getinfo(file_of(name)).file_size != said.bytes:
                self._refuse(f"{file_of(name)} is not as long as the manifest says")
        unpacked = sum(entry.file_size for entry in entries)
        is_bomb = unpacked > _MUCH and unpacked > _DENSEST * size
        if is_bomb or sum(entry.compress_size for entry in entries) > size:
            self._refuse("it would unpack to far more than such a file holds")

    def _refuse(self, why: str) -> NoReturn:
        raise Unreadable(f"{self.path} cannot be read: {why}.", hint=_HOW)

    @contextmanager
    def _broken(self, name: str) -> Iterator[None]:
        """Faults of the file in our own words."""
        try:
            yield
        except _BROKEN as error:
            raise Unreadable(f"{self.path} is damaged at {name}: {error}.", hint=_HOW) from error


@contextmanager
def opened(path: Path, known: Collection[str]) -> Iterator[Archive]:
    """An archive whose parts are among those known; Unreadable where it is none."""
    try:
        file = zipfile.ZipFile(path)
    except FileNotFoundError:
        raise InvalidInput(f"There is no file {path}.") from None
    except PermissionError:
        raise InvalidInput(
            f"You may not read {path}.", hint="Ask its owner for it, or read it as that user."
        ) from None
    except _BROKEN as error:
        raise Unreadable(f"{path} is no archive, or it is cut off: {error}.", hint=_HOW) from error
    with file:
        yield Archive(path, file, known)


def _lines(part: IO[bytes]) -> Iterator[bytes]:
    part = io.BufferedReader(cast(io.RawIOBase, part))
    while line := part.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise ValueError("a line is longer than any that is written")
        yield line


def _json(line: bytes) -> Line:
    read = json.loads(line, parse_constant=_no_number, parse_float=_finite)
    if not isinstance(read, dict):
        raise ValueError("is no JSON object")
    # What a JSON escape can say and a database cannot keep is rare, so that few lines are looked through.
    return _kept(read) if b"\\u" in line else read


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("holds a number that cannot be kept")
    return number


def _kept(value: Any) -> Any:
    """The same JSON without NUL and halves of surrogate pairs."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, Mapping):
        return {_kept(name): _kept(item) for name, item in value.items()}
    return [_kept(item) for item in value] if isinstance(value, list) else value
