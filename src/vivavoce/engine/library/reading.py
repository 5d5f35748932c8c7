"""Reading: what a datasource names becomes a version of its text."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

from vivavoce.domain.corpus.documents import Part, headings_in
from vivavoce.domain.corpus.kinds import kind_of
from vivavoce.domain.corpus.library import Document
from vivavoce.domain.corpus.outlines import Outline, OutlineBuilder, Title
from vivavoce.domain.knowledge import Datasource, address_in, as_site, covered_settings, tags_in
from vivavoce.domain.language.languages import language_of
from vivavoce.errors import InvalidInput, Unreadable, disk_faults
from vivavoce.ports import Page, Ports, Tables

_AT_ONCE = 64
"""Parts that are stored in one transaction."""
SAMPLE = 20_000
"""By so many characters the language of a document is told."""
on_disk = partial(disk_faults, "The file cannot be put aside to be read", hint="Make room for it.")

Ours = Callable[[Tables], Datasource]
"""Gives the datasource that is worked on, and raises when the work is another's by now."""


async def read(source: Datasource, ports: Ports, ours: Ours) -> bool:
    """Read a datasource's file or address; whether there is a text to split."""
    page = None
    if source.type == "web_page":
        page = await ports.web.page(address_in(source, "source_url") or "")
        # A page of a site stays one: a sitemap that lists itself would never come to an end.
        if source.group_id is None and ports.web.is_sitemap(page.body):
            source = await ports.store.write(lambda tables: _as_site(ours(tables), ports, tables))
    if source.type == "web_site":
        await _spread(source, ports, ours)
        return False
    with put_aside() as path:
        kind = await _filled(path, source, page, ports)
        async with aclosing(ports.reader.read(path, kind)) as parts:
            await _stored(parts, ports, ours)
    return True


@contextmanager
def put_aside() -> Iterator[Path]:
    """A place for a file while it is read."""
    with on_disk():
        handle, name = tempfile.mkstemp(prefix="vivavoce-")
        os.close(handle)
    path = Path(name)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def begun(source: Datasource, ports: Ports, tables: Tables) -> Document:
    """The next version of a datasource, without a text yet. A first one counts at once, part by part."""
    unfinished = tables.documents.of(source.id, "next")
    if unfinished is not None:
        tables.passages.retire(unfinished.id)
        tables.documents.drop(unfinished.id)
    current = tables.documents.of(source.id, "current")
    old = tables.documents.of(source.id, "old")
    last = max((each.version for each in (current, old) if each is not None), default=0)
    document = Document(
        id=ports.new_id(),
        datasource_id=source.id,
        datastore_id=source.datastore_id,
        created_at=ports.now(),
        version=last + 1,
        state="next",
    )
    tables.documents.add(document)
    return document


def written_down(source: Datasource, text: str, outline: Outline, ports: Ports, tables: Tables) -> Document:
    """A version made of a text that is at hand."""
    document = begun(source, ports, tables)
    tables.documents.append(document.id, 0, text)
    return _finished(document, hashlib.sha256(text.encode()).hexdigest(), len(text), text, outline, tables)


def examined(document: Document, text: str, tables: Tables) -> Document:
    """A version whose text is there and of which nothing more is known, as an older program left it."""
    outline = Outline((), [Title(*heading) for heading in headings_in(text)])
    return _finished(document, hashlib.sha256(text.encode()).hexdigest(), len(text), text, outline, tables)


async def _stored(parts: AsyncGenerator[Part, None], ports: Ports, ours: Ours) -> None:
    document = await ports.store.write(lambda tables: begun(ours(tables), ports, tables))
    digest, sample = hashlib.sha256(), ""
    builder = OutlineBuilder()
    batch: list[tuple[int, str]] = []

    async def put() -> None:
        pieces = list(batch)
        await ports.store.write(lambda tables: _append(document.id, pieces, ours, tables))
        batch.clear()

    async for part in parts:
        digest.update(part.text.encode())
        batch.append((builder.length, part.text))
        builder.add(part)
        sample = sample if len(sample) > SAMPLE or not part.text.strip() else sample + part.text
        if len(batch) == _AT_ONCE:
            await put()
    await put()
    if not sample:
        raise Unreadable("There is no text in it.")
    outline = await asyncio.to_thread(builder.outline)
    hash, size = digest.hexdigest(), builder.length

    def compared(tables: Tables) -> None:
        """Where the text does not differ from the version that counts, the new one is dropped."""
        source = ours(tables)
        tables.datasources.replace(source.changed(ports.now(), hash=hash, text_size=size))
        current = tables.documents.of(source.id, "current")
        if current is not None and current.hash == hash:
            tables.documents.drop(document.id)
        else:
            _finished(document, hash, size, sample, outline, tables)

    await ports.store.write(compared)


def _finished(
    document: Document, hash: str, size: int, sample: str, outline: Outline, tables: Tables
) -> Document:
    whole = document.read(hash, size, language_of(sample[:SAMPLE]), outline)
    if tables.documents.of(document.datasource_id, "current") is None:
        whole = whole.in_state("current")
    tables.documents.replace(whole)
    return whole


def _append(document_id: str, pieces: list[tuple[int, str]], ours: Ours, tables: Tables) -> None:
    ours(tables)
    for start, text in pieces:
        tables.documents.append(document_id, start, text)


async def _filled(path: Path, source: Datasource, page: Page | None, ports: Ports) -> str:
    """Write what is to be read to its place; the kind of file that it is."""
    with on_disk(), path.open("wb") as file:
        if page is not None:
            file.write(page.body)
            return page.kind
        await ports.store.read(partial(_copied, file, source.id), is_long=True)
    with path.open("rb") as file_again:
        head = file_again.read(4096)
    return kind_of(source.name, head, str(source.config.get("mime_type", "")))


def _copied(file: BinaryIO, datasource_id: str, tables: Tables) -> None:
    file.seek(0)  # it may be run again
    file.truncate()
    file.writelines(tables.uploads.chunks(datasource_id))


def _as_site(source: Datasource, ports: Ports, tables: Tables) -> Datasource:
    """Let a page be the site that it lists; what it said before stays citable and is no longer found."""
    unfinished, current = (tables.documents.of(source.id, state) for state in ("next", "current"))
    if unfinished is not None:
        tables.passages.retire(unfinished.id)
        tables.documents.drop(unfinished.id)
    if current is not None:
        tables.passages.retire(current.id)
        tables.documents.replace(current.in_state("old"))
    site = as_site(source, ports.now())
    tables.datasources.replace(site)
    return site


async def _spread(source: Datasource, ports: Ports, ours: Ours) -> None:
    """Make a datasource for each page of a site; those that are there already are read again."""
    sitemap = address_in(source, "sitemap")
    urls = await ports.web.site(
        address_in(source, "source_url") or sitemap or "",
        sitemap=sitemap,
        without=[str(url) for url in source.config.get("black_listed_urls") or ()],
    )

    def spread(tables: Tables) -> None:
        ours(tables)
        known = {
            address_in(page, "source_url"): page for page in tables.datasources.where(group_id=source.id)
        }
        for url in urls:
            page = known.get(url) or _page(url, source, ports)
            if page is None:
                continue
            if url not in known:
                tables.datasources.add(page)
            tables.ingestions.put(page.id, "read", ports.now())

    await ports.store.write(spread)


def _page(url: str, site: Datasource, ports: Ports) -> Datasource | None:
    """A new datasource for a page of a site; None where its address breaks the rules."""
    try:
        config, secrets = covered_settings({"source_url": url})
    except InvalidInput:
        return None
    tags = tags_in(site.config)
    return Datasource(
        id=ports.new_id(),
        organization_id=site.organization_id,
        created_at=ports.now(),
        updated_at=ports.now(),
        datastore_id=site.datastore_id,
        name=config["source_url"][:200],
        type="web_page",
        config=config | ({"tags": tags} if tags else {}),
        secrets=secrets,
        group_id=site.id,
    )
