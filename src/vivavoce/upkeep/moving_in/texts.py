"""Texts of datasources that move in: kept as documents, and indexed as any other."""

from __future__ import annotations

import hashlib

from vivavoce.domain.corpus.documents import headings_in
from vivavoce.domain.corpus.outlines import Outline, Title
from vivavoce.domain.knowledge import Datasource
from vivavoce.domain.language.cleaning import cleaned
from vivavoce.engine.library.reading import written_down
from vivavoce.ports import Ports, Tables

NO_TEXT = "the account does not give its text"
_FETCH = f"It was copied, but {NO_TEXT}. Have the address read again with synch_datasource."
_SEND = f"It was copied, but {NO_TEXT}. Add the file again with create_datasource, or with vivavoce ingest."
_OF_INDEX = ("status", "text_size", "nb_chunks", "nb_tokens", "last_synch", "nb_synch", "progress", "error")


def with_text(source: Datasource, text: str) -> tuple[Datasource, str]:
    """The datasource before it is indexed, and its text; without one it says what is to be done."""
    text = cleaned(text)
    blank = {"nb_chunks": 0, "nb_tokens": 0, "last_synch": None, "nb_synch": 0, "progress": 0.0}
    if text.strip():
        digest = hashlib.sha256(text.encode()).hexdigest()
        now = {"status": "pending", "hash": digest, "text_size": len(text), "error": None}
        return source.model_copy(update=blank | now), text
    if source.type == "web_site":  # its pages have the texts
        return source.model_copy(update=blank | {"status": "synched", "hash": None, "error": None}), ""
    error = _FETCH if source.type == "web_page" else _SEND
    lacking = {"status": "error", "hash": None, "text_size": 0, "error": error}
    return source.model_copy(update=blank | lacking), ""


def store_datasource(
    source: Datasource, known: Datasource | None, text: str, ports: Ports, tables: Tables
) -> Datasource:
    """The datasource as it is stored, with a new version of its text where that differs from what is here."""
    if known is not None and (not text or known.hash == source.hash):
        source = source.model_copy(
            update={"hash": known.hash} | {name: getattr(known, name) for name in _OF_INDEX}
        )
        tables.datasources.replace(source)
        return source
    (tables.datasources.add if known is None else tables.datasources.replace)(source)
    if text:
        headings = [Title(*heading) for heading in headings_in(text)]
        written_down(source, text, Outline((), headings), ports, tables)
        tables.ingestions.put(source.id, "split", ports.now())
    return source
