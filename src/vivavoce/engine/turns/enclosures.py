"""Enclosures: the files of a message are fetched and read before a model is asked about them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from vivavoce.domain.attachments import Enclosure, cut_to, named, picture_type
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.engine.handlers import Errand
from vivavoce.engine.library.reading import on_disk, put_aside
from vivavoce.engine.time.pacing import FilePace
from vivavoce.errors import Unreadable, VivavoceError
from vivavoce.ports import Fetched, Model, Ports

from .assembling import Scene
from .extractive import ExtractiveModel
from .opening import attachments_of

_MOST_FILES = 5
_MOST_PICTURES = 4
_MOST_BYTES = 10_000_000
_MOST_PICTURE = 5_000_000
_MOST_TEXT = 100_000
"""Characters of a file that are read: more than a prompt takes in."""
_TOKENS = 6_000
_SHARE = 0.2
"""And which share of what the model takes in, for all files together."""
_SECONDS = 30.0
"""For fetching and reading a file, once it is its turn."""
_PATIENCE = 60.0
"""For that and the wait for its turn."""
_HEAD = 4096
_BY_STRANGER = "files of people without a key are not fetched"
_NO_MODEL = "no language model is configured"
_TOO_MANY = "too many files came with the message"
_TOO_SLOW = "it took too long"


async def with_files(scene: Scene, model: Model, errand: Errand) -> Scene:
    """The scene with what is in the files of its message; what strangers send is only named.

    Else whoever may write to a public agent could have this program fetch what they like.
    """
    files = attachments_of(scene.query)
    if not scene.is_trusted or isinstance(model, ExtractiveModel):
        reason = _NO_MODEL if scene.is_trusted else _BY_STRANGER
        return replace(scene, enclosures=tuple(named(each, reason) for each in files))
    enclosures = await _read_all(files, errand)
    return replace(scene, enclosures=cut_to(min(_SHARE * model.context, _TOKENS), enclosures))


async def _read_all(files: Sequence[Mapping[str, Any]], errand: Errand) -> list[Enclosure]:
    """All of them in their order, read beside each other."""
    wanted = _wanted(files)
    enclosures = [named(each, _TOO_MANY) for each in files]
    read = await asyncio.gather(*(_read(files[place], errand.ports, errand.files) for place in wanted))
    for place, enclosure in zip(wanted, read, strict=True):
        enclosures[place] = enclosure
    shown = [place for place, each in enumerate(enclosures) if each.picture]
    for place in shown[_MOST_PICTURES:]:
        enclosures[place] = enclosures[place].unread(_TOO_MANY)
    return enclosures


def _wanted(files: Sequence[Mapping[str, Any]]) -> list[int]:
    """The places of those that are fetched: what they turn out to be is known only then."""
    pictures = [place for place, each in enumerate(files) if str(each.get("mimeType")).startswith("image/")]
    others = [place for place in range(len(files)) if place not in pictures]
    return sorted((*others[:_MOST_FILES], *pictures[:_MOST_PICTURES]))


async def _read(file: Mapping[str, Any], ports: Ports, pace: FilePace) -> Enclosure:
    """What is in a file, or why that is not known."""
    enclosure = named(file)
    try:
        async with asyncio.timeout(_PATIENCE), pace.held.work(), asyncio.timeout(_SECONDS):
            fetched = await ports.web.file(str(file.get("url")), _MOST_BYTES)
            if mime_type := picture_type(fetched.body):
                return _picture(enclosure, mime_type, fetched.body)
            return await _text(enclosure, file, fetched, ports, pace)
    except TimeoutError:
        return enclosure.unread(_TOO_SLOW)
    except VivavoceError as error:
        return enclosure.unread(error.message)


def _picture(enclosure: Enclosure, mime_type: str, content: bytes) -> Enclosure:
    if len(content) > _MOST_PICTURE:
        raise Unreadable(f"The picture is larger than {_MOST_PICTURE // 1_000_000} MB.")
    return enclosure._replace(picture=content, mime_type=mime_type)


async def _text(
    enclosure: Enclosure, file: Mapping[str, Any], fetched: Fetched, ports: Ports, pace: FilePace
) -> Enclosure:
    """The file with its text, from a process of its own."""
    said = file.get("mimeType") or fetched.mime_type
    kind = kind_of(enclosure.name, fetched.body[:_HEAD], str(said))
    text = ""
    with put_aside() as path:
        with on_disk():
            await asyncio.to_thread(path.write_bytes, fetched.body)
        async with pace.read.work(), aclosing(ports.reader.read(path, kind)) as parts:
            async for part in parts:
                text += part.text
                if len(text) > _MOST_TEXT:
                    break
    if not text.strip():
        raise Unreadable("There is no text in it.")
    return enclosure._replace(text=text[:_MOST_TEXT].strip(), is_whole=len(text) <= _MOST_TEXT)
