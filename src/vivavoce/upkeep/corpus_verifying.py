"""A corpus verified: every source with what it gave, and what is not as it should be."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from vivavoce.app import App
from vivavoce.domain.avatars import Source
from vivavoce.domain.knowledge import Datasource
from vivavoce.errors import InvalidInput, TooLarge, Unreadable
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatar_results import SourceShown
from vivavoce.operations.avatars import ListAvatarSources

from .corpus import head_of, known_sources
from .corpus_files import AvatarFolder
from .corpus_registering import known_avatar
from .files import HASH, digest_of

Flag = Literal[
    "no_passages",
    "failed",
    "missing_document",
    "not_processed",
    "changed_on_disk",
    "unreadable_document",
    "no_url",
    "unverified",
    "not_listed",
]
MEANINGS: dict[Flag, str] = {
    "no_passages": "gave no passage",
    "failed": "could not be read",
    "missing_document": "no document in the folder",
    "not_processed": "not processed yet",
    "changed_on_disk": "changed since it was processed",
    "unreadable_document": "document not usable",
    "no_url": "no URL",
    "unverified": "not verified",
    "not_listed": "not in sources.json",
}
"""What each flag says to a person."""


@dataclass(frozen=True)
class Finding:
    """A source, and what is not as it should be with it."""

    source: SourceShown
    flags: list[Flag]
    is_listed: bool
    reason: str | None = None
    """Why its document cannot be used, in words."""

    @property
    def is_lacking(self) -> bool:
        """Whether the avatar should speak from it and cannot."""
        return self.is_listed and self.source.priority != "secondary" and self.source.passages == 0


@dataclass(frozen=True)
class Verified:
    """What is known of a corpus."""

    avatar: str
    is_registered: bool
    has_folder: bool
    findings: list[Finding]
    unlisted: list[str] = field(default_factory=list)
    """Files in the folder of documents that no source lists."""

    @property
    def is_sound(self) -> bool:
        """Whether every primary source that is listed gave a passage."""
        return not any(finding.is_lacking for finding in self.findings)


async def verify_corpus(app: App, folder: AvatarFolder) -> Verified:
    """Every source of an avatar, those that its folder lists first; NotFound where there is no avatar."""
    stored = await _stored(app, folder.id)
    if stored is not None and not folder.exists:
        findings = [
            Finding(each, _said(each, is_listed=each.id in stored.listed), each.id in stored.listed)
            for each in stored.shown.values()
        ]
        return Verified(folder.id, True, False, findings)
    listed, documents = folder.listed(), folder.documents()
    shown = {} if stored is None else stored.shown
    findings = []
    for source in listed.sources:
        datasource = None if stored is None else stored.datasources.get(source.id)
        findings.append(await _looked_at(source, shown.pop(source.id, None), datasource, folder, documents))
    # What the folder no longer lists, but is still spoken from.
    left = [each for each in shown.values() if each.datasource_id is not None]
    findings += [Finding(each, _said(each, is_listed=False), False) for each in left]
    unlisted = folder.unlisted(listed.sources, documents)
    return Verified(folder.id, stored is not None, True, findings, unlisted)


class _Stored(NamedTuple):
    """What the workspace has of an avatar's sources, by id."""

    listed: set[str]
    shown: dict[str, SourceShown]
    datasources: Mapping[str, Datasource]


async def _stored(app: App, id: str) -> _Stored | None:
    avatar = await known_avatar(app, id)
    if avatar is None:
        return None
    shown = await app.backend.run(ListAvatarSources.parse({"avatarId": id}), OPERATOR)
    return _Stored(
        {str(source["id"]) for source in avatar.sources},
        {source.id: source for source in shown.sources},
        await known_sources(app, avatar.datastore_id),
    )


async def _looked_at(
    source: Source,
    shown: SourceShown | None,
    datasource: Datasource | None,
    folder: AvatarFolder,
    documents: list[Path],
) -> Finding:
    """A source as the folder lists it, with what the workspace has of it."""
    said: dict[str, Any] = {name: getattr(source, name) for name in _WRITTEN}
    said |= {"status": "missing", "passages": 0}
    if shown is not None:
        said |= {name: getattr(shown, name) for name in _GIVEN}
    current = SourceShown(**said)
    flags, reason = _said(current, is_listed=True), None
    try:
        path = folder.document_of(source, documents)
        if path is None:
            flags.append("missing_document")
        elif datasource is None:
            await asyncio.to_thread(head_of, path)  # what processing refuses leaves nothing but the file
            flags.append("not_processed")
        elif await asyncio.to_thread(digest_of, path, path.name) != datasource.config.get(HASH):
            flags.append("changed_on_disk")
    except (Unreadable, InvalidInput, TooLarge) as error:
        flags.append("unreadable_document")
        reason = str(error)
    except OSError as error:
        flags.append("unreadable_document")
        reason = f"It cannot be read: {error.strerror}."
    return Finding(current, _in_order(flags), True, reason or current.error)


def _said(source: SourceShown, *, is_listed: bool) -> list[Flag]:
    """What is not as it should be, as far as the workspace knows."""
    flags: dict[Flag, bool] = {
        "no_passages": source.passages == 0,
        "failed": source.status == "error",
        "no_url": not (source.url or source.archive_url),
        "unverified": not source.verified,
        "not_listed": not is_listed,
    }
    return [flag for flag, is_so in flags.items() if is_so]


def _in_order(flags: list[Flag]) -> list[Flag]:
    return [flag for flag in MEANINGS if flag in flags]


_WRITTEN = ("id", "title", "authors", "year", "type", "url", "archive_url", "verified", "priority")
"""What is said of a source as sources.json has it now."""
_GIVEN = ("status", "error", "passages", "datasource_id", "version", "hash")
"""What is said of a source as the workspace has it."""
