"""Tables: what the index keeps in Postgres, and how a row is written for it."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from vivavoce.domain.language.words import weight
from vivavoce.ports import Entry

if TYPE_CHECKING:
    from vivavoce.ports import Vectors

LOCK = 7_083_251_906
"""The advisory lock under which tables are made; a number that nobody else uses."""
BUILD_LOCK = LOCK + 1
"""The advisory lock under which graphs are built, one at a time."""

SHARED = """
create extension if not exists vector;
create schema if not exists vivavoce_index;
create table vivavoce_index.collections (
    key int generated always as identity primary key,
    name text collate "C" unique,  -- null once it is forgotten and waits to be swept out
    dimension int not null,
    passages bigint not null default 0,
    has_graph boolean not null default false
);
create table vivavoce_index.words (
    collection int not null,
    word bigint not null,
    id bigint not null,
    weight real not null,
    primary key (collection, word, id) include (weight)
);
create index words_by_id on vivavoce_index.words (collection, id);
"""


def entries_table(dimension: int) -> str:
    """The name of the table of vectors of a dimension."""
    return f"vivavoce_index.entries_{dimension:d}"


def graph_name(dimension: int, key: int) -> str:
    """The name of the graph of a collection."""
    return f"entries_{dimension:d}_graph_{key:d}"


def entries_sql(dimension: int) -> bytes:
    """The statements that make the table of vectors of a dimension."""
    return f"""
    create table {entries_table(dimension)} (
        collection int not null,
        id bigint not null,
        datasource bigint not null,
        vector halfvec({dimension:d}) not null,
        primary key (collection, id)
    );
    create index entries_{dimension:d}_by_datasource
        on {entries_table(dimension)} (collection, datasource, id);
    """.encode()


def number_of(text: str) -> int:
    """What a word or a datasource is known by, in 64 bits."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def vector_text(vector: Vectors) -> str:
    """A vector as pgvector reads it, in half precision."""
    return "[" + ",".join(map(repr, vector.astype("float16").tolist())) + "]"


def entry_lines(key: int, entries: Sequence[Entry]) -> bytes:
    """The rows of these passages, as `copy` reads them."""
    return "".join(
        f"{key}\t{entry.id}\t{number_of(entry.datasource_id)}\t{vector_text(entry.vector)}\n"
        for entry in entries
    ).encode()


def word_lines(key: int, entries: Sequence[Entry]) -> bytes:
    """The rows of the words of these passages, as `copy` reads them."""
    lines: list[str] = []
    for entry in entries:
        length = sum(entry.words.values())
        lines += (
            f"{key}\t{number_of(word)}\t{entry.id}\t{weight(count, length):.7g}\n"
            for word, count in entry.words.items()
        )
    return "".join(lines).encode()
