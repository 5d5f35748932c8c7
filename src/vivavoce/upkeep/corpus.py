"""A corpus: the documents of an avatar's sources become datasources, each once and in its newest version."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from vivavoce.app import App
from vivavoce.domain.avatar_files import MIME_TYPES, SETTINGS_HASH, datasource_id_for, settings_for
from vivavoce.domain.avatars import Source
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.domain.corpus.splittings import OVERLAP, SIZE, Splitting, splitting_in
from vivavoce.domain.knowledge import Datasource, custom_id_in
from vivavoce.domain.values import NAME
from vivavoce.errors import InvalidInput, NotFound, TooLarge, Unreadable
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import DeleteDatasource
from vivavoce.operations.uploads import AddFile
from vivavoce.ports import Ports, Tables

from .corpus_files import AvatarFolder, Listed, ending_of
from .corpus_languages import settle_embedder
from .corpus_outcomes import Outcome, Processed, State
from .corpus_registering import registered
from .files import HASH, digest_of
from .working import OPEN, UNFINISHED, Told, worked_through

_HEAD = 4096


class Document(NamedTuple):
    """The document of a source, and what its datasource is made of."""

    path: Path
    name: str
    config: dict[str, object]


Work = Callable[[Source, Document, Datasource | None, Outcome], Awaitable[None]]
"""What is done with a document that is new or has changed."""


async def process_corpus(
    app: App,
    folder: AvatarFolder,
    told: Told,
    *,
    source_id: str | None = None,
    force: bool = False,
    prune: bool = False,
) -> Processed:
    """Register the avatar as its files say, then read and index what is new or has changed.

    Only primary sources count, unless one is named. `force` splits and indexes also what is the same.
    `prune` deletes the datasources of sources that are no longer listed.
    """
    began = time.perf_counter()
    listed = folder.listed()
    documents = folder.documents()
    wanted = wanted_of(listed, source_id)
    result = result_for(folder, listed, documents, source_id)
    avatar = await registered(app, listed)
    known = await known_sources(app, avatar.datastore_id)
    left = left_of(listed, known)
    for datasource in left.values() if prune else ():
        with suppress(NotFound):  # another process was quicker
            await app.backend.run(DeleteDatasource(id=datasource.id), OPERATOR)
    note_left(result, left)
    result.is_pruned = prune
    watched: dict[str, Outcome] = {}

    async def store(source: Source, document: Document, before: Datasource | None, outcome: Outcome) -> None:
        id = await _stored(app, avatar.datastore_id, document, source, before, force)
        outcome.state, outcome.reason = "failed", "It was deleted meanwhile."  # unless it is found
        watched[id] = outcome

    def is_done(document: Document, before: Datasource) -> bool:
        return not force and _is_done(document, before)

    await settle_embedder(app, avatar.datastore_id, folder, concerned_in(listed, wanted))
    looking = Looking(folder, documents, known, listed.splitting, is_named=source_id is not None)
    result.outcomes = await looking.through(wanted, told, is_done, store)
    for datasource in await worked_through(app, avatar.datastore_id, list(watched), told):
        _note(watched[datasource.id], datasource, "processed")
    result.seconds = time.perf_counter() - began
    return result


@dataclass(frozen=True)
class Looking:
    """A look at the documents of sources, one after the other."""

    folder: AvatarFolder
    documents: list[Path]
    known: Mapping[str, Datasource]
    splitting: Splitting
    is_named: bool
    """Whether someone named the source."""

    async def through(
        self,
        wanted: Sequence[Source],
        told: Told,
        is_done: Callable[[Document, Datasource], bool],
        work: Work,
    ) -> list[Outcome]:
        """What becomes of each source: `work` is done on its document, unless there is nothing to do."""
        outcomes: list[Outcome] = []
        for done, source in enumerate(wanted):
            told.stored(done, len(wanted))
            outcome, known = Outcome(source.id, source.title), self.known.get(source.id)
            outcomes.append(outcome)
            with _failing(outcome):
                document = await self._document_for(source, known, outcome)
                if document is None:
                    _note_missing(outcome, is_named=self.is_named)
                elif known is not None and is_done(document, known):
                    _note(outcome, known, "skipped")
                else:
                    await work(source, document, known, outcome)
        told.stored(len(wanted), len(wanted))
        return outcomes

    async def _document_for(
        self, source: Source, known: Datasource | None, outcome: Outcome
    ) -> Document | None:
        """The document of a source, looked at; None where there is none."""
        path = self.folder.document_of(source, self.documents)
        if path is None:
            return None
        outcome.file = path.name
        digest = await asyncio.to_thread(digest_of, path, path.name)
        before = {} if known is None else known.config
        config = settings_for(source, ending_of(path), self.splitting, before)
        return Document(path, _name_for(source, path), {**config, HASH: digest})


def left_of(listed: Listed, known: Mapping[str, Datasource]) -> dict[str, Datasource]:
    """What was made of sources that are no longer listed; what others put into the datastore is theirs."""
    ids = {source.id for source in listed.sources}
    return {id: each for id, each in known.items() if id not in ids and SETTINGS_HASH in each.config}


def note_left(result: Processed, left: Mapping[str, Datasource]) -> None:
    """Note what was made of sources that are no longer listed."""
    result.left = list(left)
    result.mute = [id for id, each in left.items() if each.nb_chunks == 0]


def wanted_of(listed: Listed, source_id: str | None) -> list[Source]:
    """The sources to process: the primary ones, or the one that is named; NotFound where it is not listed."""
    if source_id is None:
        return [source for source in listed.sources if source.is_primary]
    named = [source for source in listed.sources if source.id == source_id]
    if not named:
        raise NotFound(
            f"sources.json lists no source {source_id!r}.",
            hint=f"vivavoce avatar verify --avatar {listed.about.id} shows them.",
        )
    return named


def concerned_in(listed: Listed, wanted: Sequence[Source]) -> list[Source]:
    """The sources that the corpus is made of, of which some are to be processed now."""
    return [source for source in listed.sources if source.is_primary or source in wanted]


def result_for(
    folder: AvatarFolder, listed: Listed, documents: list[Path], source_id: str | None
) -> Processed:
    """A result in which nothing was done yet."""
    secondary = sum(not source.is_primary for source in listed.sources)
    return Processed(
        folder.id,
        secondary=secondary if source_id is None else 0,
        unlisted=folder.unlisted(listed.sources, documents),
    )


async def known_sources(app: App, datastore_id: str) -> Mapping[str, Datasource]:
    """The datasources of a corpus, by the id of their source."""
    found = await app.ports.store.read(lambda tables: tables.datasources.where(datastore_id=datastore_id))
    by_source: dict[str, Datasource] = {}
    for each in found:
        id = custom_id_in(each.config)
        if id is not None and (id not in by_source or each.id == datasource_id_for(datastore_id, id)):
            by_source[id] = each
    return by_source


def is_unchanged(document: Document, known: Datasource | None) -> bool:
    """Whether the datasource was made of this very document, with these settings."""
    return known is not None and all(
        known.config.get(name) == document.config[name] for name in (HASH, SETTINGS_HASH)
    )


def _note_missing(outcome: Outcome, *, is_named: bool) -> None:
    """Note that a source has no document; where someone named it, it has failed."""
    outcome.state = "failed" if is_named else "missing"
    outcome.reason = f"There is no {outcome.id}.pdf in open-access, nor .{', .'.join([*MIME_TYPES][1:])}."


def _note(outcome: Outcome, datasource: Datasource, state: State) -> None:
    """Note what a source has given, and why it has not where its datasource says so."""
    outcome.state, outcome.reason = state, None
    outcome.passages, outcome.tokens = datasource.nb_chunks, datasource.nb_tokens
    if datasource.status == "error":
        outcome.state, outcome.reason = "failed", datasource.error or "It could not be read."
    elif datasource.status in OPEN:
        outcome.state, outcome.reason = "waiting", datasource.error or "Another process works on it."


@contextmanager
def _failing(outcome: Outcome) -> Iterator[None]:
    """Lets what is wrong with one document be its outcome, so that the others go on."""
    try:
        yield
    except (Unreadable, InvalidInput, TooLarge) as error:
        outcome.state, outcome.reason = "failed", str(error)
    except OSError as error:
        outcome.state, outcome.reason = "failed", f"It cannot be read: {error.strerror}."


def _is_done(document: Document, known: Datasource) -> bool:
    return is_unchanged(document, known) and known.status not in (*OPEN, *UNFINISHED)


async def _stored(
    app: App, datastore_id: str, document: Document, source: Source, known: Datasource | None, force: bool
) -> str:
    """The id of the datasource that must be worked on; one that is being worked on is not stored again."""
    if known is not None and not force and is_unchanged(document, known) and known.status in OPEN:
        return known.id
    splitting = splitting_in(document.config)
    # Passages are embedded with the title.
    if known is not None and (
        force or known.name != document.name or splitting_in(known.config) != splitting
    ):
        await app.ports.store.write(partial(_begin_again, known.id, splitting, app.ports))
    given = {
        "datastoreId": datastore_id,
        "name": document.name,
        "file": document.path,
        "config": document.config,
        "id": datasource_id_for(datastore_id, source.id) if known is None else known.id,
    }
    return (await app.backend.run(AddFile.parse(given, strict=False), OPERATOR)).id


def _begin_again(datasource_id: str, splitting: Splitting, ports: Ports, tables: Tables) -> None:
    """Drop the passages of a datasource and ask for new ones; its versions stay, and so do citations.

    The text is split again, as it is to be now, also by who takes up the work of a process that dies right
    after this.
    """
    source = tables.datasources.find(datasource_id)
    unfinished, current = (tables.documents.of(datasource_id, state) for state in ("next", "current"))
    if unfinished is not None:
        tables.passages.retire(unfinished.id)
        tables.documents.drop(unfinished.id)
    if source is not None and current is not None:
        tables.passages.retire(current.id)
        kept = {name: value for name, value in source.config.items() if name not in (SIZE, OVERLAP)}
        begun = {"status": "pending", "nb_chunks": 0, "nb_tokens": 0, "config": kept | splitting.settings}
        tables.datasources.replace(source.changed(ports.now(), **begun))
        tables.ingestions.put(source.id, "split", ports.now())


def head_of(path: Path) -> bytes:
    """How a document begins; Unreadable where it is of a kind that is not read, or not what its name says."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    kind_of(path.name, head)
    return head


def _name_for(source: Source, path: Path) -> str:
    """The title, unless it ends like the name of another kind of file than this one."""
    head = head_of(path)
    kind = kind_of(path.name, head)
    try:
        is_clear = kind_of(source.title, head, MIME_TYPES[ending_of(path)]) == kind
    except Unreadable:
        is_clear = False
    return source.title if is_clear else f"{source.title[: NAME - len(path.suffix)]}{path.suffix}"
