"""How fast and how exact a search is among 100,000 and 1,000,000 passages, beside other embedded engines.

Vectors are embeddings of real texts, as many as --vectors holds, and mixtures of neighbours with some noise
beyond that: vectors drawn at random defeat every index and look like no text. The question's embedding is not
counted. Every engine holds the datastore that is searched and a tenth as much of another one.
"""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from reporting import report, words

from vivavoce.settings import calm_numerics

calm_numerics()  # before numpy is imported, as the program itself does

import numpy  # noqa: E402

from vivavoce.adapters.index.embedded import EmbeddedIndex  # noqa: E402
from vivavoce.domain.language.words import terms_of  # noqa: E402
from vivavoce.ports import Entry, Question  # noqa: E402

_K = 10
_QUESTIONS = 200
_WARM = 50
"""Other questions that every engine is asked first, not counted."""
_BATCH = 2_000
_FEW = 10
_OPENINGS = 20
Search = Callable[[Any, dict[str, int]], list[int]]


def main() -> None:
    """Build each engine on the same vectors and ask each the same questions."""
    given = words(data="", vectors="", passages=100_000, peers="qdrant,sqlite-vec,lancedb,chroma")
    if not given.data or not given.vectors:
        print("Name the data sets with --data FOLDER and embeddings of real texts with --vectors FILE.npy.")
        return
    bench = _Bench(Path(given.data), Path(given.vectors), given.passages)
    rows = bench.measured("vivavoce", _vivavoce)
    for peer in filter(None, given.peers.split(",")):
        try:
            rows += bench.measured(peer, _PEERS[peer])
        except ImportError as error:
            print(f"{peer} is left out: {error}")
    report(f"Search among {given.passages:,} passages, k = {_K}", rows, given.json)


class _Bench:
    """Vectors, words and questions, the same for every engine."""

    def __init__(self, data: Path, vectors: Path, number: int) -> None:
        chance = numpy.random.default_rng(7)
        real = numpy.load(vectors).astype("f4")
        chance.shuffle(real)
        asked, real = real[: _QUESTIONS + _WARM], real[_QUESTIONS + _WARM :]
        self.vectors = _grown(real, number + number // 10, chance)
        self.number = number
        asked = _unit(asked + 0.2 * _noise(asked.shape, chance))
        self.questions, self.first = asked[:_QUESTIONS], asked[_QUESTIONS:]
        self.texts = [terms_of(text, "en") for text in _texts(data / "scifact" / "corpus.jsonl")]
        self.asked = [terms_of(text, "en") for text in _texts(data / "scifact" / "queries.jsonl")]
        exact = self.vectors[:number] @ self.questions.T
        self.nearest = [set(row.tolist()) for row in numpy.argpartition(-exact, _K, axis=0)[:_K].T]

    def measured(self, name: str, engine: Any) -> list[dict[str, Any]]:
        """The figures of an engine; ours with the question's words, as it is used, and without."""
        folder = Path(tempfile.mkdtemp(prefix="vivavoce-bench-"))
        before = _resident()
        try:
            start = time.perf_counter()
            search = engine(self, folder)
            built = time.perf_counter() - start
            rows = [self._asked(name, search, words_too=True)]
            if engine is _vivavoce:
                rows.append(self._asked(f"{name}, vectors alone", search, words_too=False))
                self._time_opening(folder)
            size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            for row in rows:
                row |= {
                    "build s": round(built, 1),
                    "disk MB": round(size / 2**20),
                    "memory MB": round((_resident() - before) / 2**20),
                }
                print(row, flush=True)
            return rows
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _asked(self, name: str, search: Search, *, words_too: bool) -> dict[str, Any]:
        for place, question in enumerate(self.first, start=_QUESTIONS):
            search(question, self.asked[place % len(self.asked)] if words_too else {})
        spent, right = [], 0
        for place, question in enumerate(self.questions):
            asked = self.asked[place % len(self.asked)] if words_too else {}
            start = time.perf_counter()
            found = search(question, asked)
            spent.append((time.perf_counter() - start) * 1000)
            right += len(self.nearest[place] & set(found[:_K]))
        return {
            "engine": name,
            "p50 ms": round(float(numpy.percentile(spent, 50)), 2),
            "p99 ms": round(float(numpy.percentile(spent, 99)), 2),
            "recall@10": round(right / (_K * len(self.questions)), 4),
        }

    def _time_opening(self, folder: Path) -> None:
        """Say how long it takes from a closed index to the first answer, among ten passages and among all."""
        question = Question(self.questions[0], self.asked[0])

        async def first(name: str) -> float:
            start = time.perf_counter()
            await EmbeddedIndex(folder).search(name, question, _K)
            return (time.perf_counter() - start) * 1000

        for name, number in (("few", _FEW), ("a", self.number)):
            spent = [asyncio.run(first(name)) for _ in range(_OPENINGS)]
            print(f"opened and searched among {number:,}: {numpy.median(spent):.1f} ms", flush=True)

    def datastore(self, place: int) -> str:
        return "a" if place < self.number else "b"


def _vivavoce(bench: _Bench, folder: Path) -> Search:
    index = EmbeddedIndex(folder)
    loop = asyncio.new_event_loop()

    def entry(place: int) -> Entry:
        words = bench.texts[place % len(bench.texts)]
        return Entry(place, f"s{place % 50}", bench.vectors[place], words)

    async def fill() -> None:
        await index.add("few", [entry(place) for place in range(_FEW)])
        for start in range(0, len(bench.vectors), _BATCH):
            for name in ("a", "b"):
                entries = [
                    entry(place)
                    for place in range(start, min(start + _BATCH, len(bench.vectors)))
                    if bench.datastore(place) == name
                ]
                if entries:
                    await index.add(name, entries)
        for name in ("a", "b"):  # as the ingester does when its queue is empty
            await index.settle(name)

    loop.run_until_complete(fill())

    def search(vector: Any, asked: dict[str, int]) -> list[int]:
        hits = loop.run_until_complete(index.search("a", Question(vector, asked), _K))
        return [hit.id for hit in sorted(hits, key=lambda hit: -hit.meaning)]

    return search


def _qdrant(bench: _Bench, folder: Path) -> Search:
    from qdrant_client import QdrantClient, models

    client = QdrantClient(path=str(folder))
    client.create_collection(
        "all",
        vectors_config=models.VectorParams(size=bench.vectors.shape[1], distance=models.Distance.COSINE),
    )
    for start in range(0, len(bench.vectors), _BATCH):
        places = range(start, min(start + _BATCH, len(bench.vectors)))
        client.upsert(
            "all",
            models.Batch(
                ids=list(places),
                vectors=bench.vectors[start : start + _BATCH].tolist(),
                payloads=[{"datastore": bench.datastore(place)} for place in places],
            ),
        )
    only = models.Filter(must=[models.FieldCondition(key="datastore", match=models.MatchValue(value="a"))])

    def search(vector: Any, asked: dict[str, int]) -> list[int]:
        found = client.query_points("all", query=vector.tolist(), query_filter=only, limit=_K)
        return [int(point.id) for point in found.points]

    return search


def _sqlite_vec(bench: _Bench, folder: Path) -> Search:
    import apsw  # the sqlite3 of many Pythons may load no extensions
    import sqlite_vec

    database = apsw.Connection(str(folder / "vectors.db"))
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    size = bench.vectors.shape[1]
    database.execute(
        "create virtual table v using vec0(datastore text partition key,"
        f" e float[{size}] distance_metric=cosine)"
    )
    for start in range(0, len(bench.vectors), _BATCH):
        places = range(start, min(start + _BATCH, len(bench.vectors)))
        with database:
            database.executemany(
                "insert into v(rowid, datastore, e) values (?, ?, ?)",
                [(place + 1, bench.datastore(place), bench.vectors[place].tobytes()) for place in places],
            )

    def search(vector: Any, asked: dict[str, int]) -> list[int]:
        sql = "select rowid from v where e match ? and datastore = 'a' and k = ?"
        return [row[0] - 1 for row in database.execute(sql, (vector.astype("f4").tobytes(), _K))]

    return search


def _lancedb(bench: _Bench, folder: Path) -> Search:
    import lancedb
    import pyarrow

    size = bench.vectors.shape[1]
    flat = pyarrow.array(bench.vectors.reshape(-1))
    table = lancedb.connect(str(folder)).create_table(
        "all",
        pyarrow.table(
            {
                "id": pyarrow.array(range(len(bench.vectors))),
                "datastore": [bench.datastore(place) for place in range(len(bench.vectors))],
                "vector": pyarrow.FixedSizeListArray.from_arrays(flat, size),
            }
        ),
    )
    table.create_index(metric="cosine", index_type="IVF_HNSW_SQ", vector_column_name="vector")
    table.create_scalar_index("datastore", index_type="BITMAP")

    def search(vector: Any, asked: dict[str, int]) -> list[int]:
        query = table.search(vector).distance_type("cosine").where("datastore = 'a'", prefilter=True)
        return [row["id"] for row in query.limit(_K).to_list()]

    return search


def _chroma(bench: _Bench, folder: Path) -> Search:
    import chromadb

    client = chromadb.PersistentClient(str(folder))
    collection = client.create_collection("all", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for start in range(0, len(bench.vectors), _BATCH):
        places = range(start, min(start + _BATCH, len(bench.vectors)))
        collection.add(
            ids=[str(place) for place in places],
            embeddings=bench.vectors[start : start + _BATCH].tolist(),
            metadatas=[{"datastore": bench.datastore(place)} for place in places],
        )

    def search(vector: Any, asked: dict[str, int]) -> list[int]:
        found = collection.query(
            query_embeddings=[vector.tolist()], n_results=_K, where={"datastore": "a"}, include=[]
        )
        return [int(id) for id in found["ids"][0]]

    return search


_PEERS = {"qdrant": _qdrant, "sqlite-vec": _sqlite_vec, "lancedb": _lancedb, "chroma": _chroma}


def _grown(real: Any, number: int, chance: numpy.random.Generator) -> Any:
    """The real vectors, and mixtures of one with its nearest of a few others until there are enough."""
    vectors = numpy.empty((number, real.shape[1]), "f4")
    vectors[: len(real)] = real[:number]
    for start in range(len(real), number, 20_000):
        size = min(20_000, number - start)
        one = real[chance.integers(len(real), size=size)]
        others = real[chance.integers(len(real), size=(size, 8))]
        nearest = numpy.einsum("nd,nkd->nk", one, others).argmax(axis=1)
        mixed = one + chance.uniform(0.2, 0.9, (size, 1)) * others[numpy.arange(size), nearest]
        vectors[start : start + size] = _unit(mixed + 0.25 * _noise(mixed.shape, chance))
    return vectors


def _noise(shape: tuple[int, int], chance: numpy.random.Generator) -> Any:
    return _unit(chance.standard_normal(shape).astype("f4"))


def _unit(rows: Any) -> Any:
    return (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype("f4")


def _texts(file: Path) -> Iterator[str]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    main()
