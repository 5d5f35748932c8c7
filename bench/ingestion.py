"""How much ingestion costs beside the model that does most of it, and reading beside the bare reader.

The embedder alone gets the very texts that the engine embeds, so the ratio shows what splitting, storing and
indexing take. A book of 1,000 pages is read through the confined process and by the bare reader in one of
its own; one of 5,000 pages shows how much memory the parent of the confined process takes.
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reporting import report, words

from vivavoce.adapters.documents.reading import ChildReader
from vivavoce.adapters.embedders.builtin import EnglishEmbedder
from vivavoce.app import open_app
from vivavoce.domain.corpus.library import embedded_text
from vivavoce.domain.corpus.passages import document_of, passages_of
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatastore, QueryDatastore
from vivavoce.operations.uploads import AddFile
from vivavoce.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.ports.pdfs_made import book

_BARE = """
import sys, pypdfium2
document = pypdfium2.PdfDocument(sys.argv[1])
print(sum(len(page.get_textpage().get_text_range()) for page in document))
"""


async def main() -> None:
    """Measure one after another."""
    given = words(text="", rounds=3, passages=150)
    with tempfile.TemporaryDirectory() as folder:
        if given.text:
            report(
                "Ingestion of one long text",
                [await _throughput(Path(given.text), Path(folder), given.passages)],
                None,
            )
        else:
            print("Name a long text with --text FILE to measure ingestion.")
        rows = [await _reading(Path(folder), pages, given.rounds) for pages in (1_000, 5_000)]
    report("Reading a book", rows, given.json)


async def _throughput(file: Path, folder: Path, number: int) -> dict[str, Any]:
    text = file.read_text(encoding="utf-8")[: number * 1_400]
    short = folder / "text.txt"
    short.write_text(text, encoding="utf-8")
    embedder = EnglishEmbedder()
    await embedder.question("warm")
    parts = [part async for part in ChildReader().read(short, "txt")]
    whole, outline = document_of(parts)
    texts = [
        embedded_text("", each.headings, whole[each.start : each.end])
        for each in passages_of(whole, outline, embedder.lengths)
    ]
    start = time.perf_counter()
    for place in range(0, len(texts), 32):
        await embedder.passages(texts[place : place + 32])
    alone = time.perf_counter() - start
    embedder.close()
    settings = Settings.read({"VIVAVOCE_DATABASE": str(folder / "workspace.db")})
    async with open_app(settings) as app:
        await app.ports.embedders.chosen("en").question("warm")
        datastore = await app.backend.run(CreateDatastore(type="qdrant", name="bench"), OPERATOR)
        start = time.perf_counter()
        await app.backend.run(AddFile(datastore_id=datastore.id, name="text.txt", file=short), OPERATOR)
        await app.ingester.finish()
        spent = time.perf_counter() - start
        found = await app.backend.run(QueryDatastore(id=datastore.id, query="garden"), OPERATOR)
    return {
        "passages": len(texts),
        "found": len(found.chunks),
        "embedder alone, passages a second": round(len(texts) / alone, 2),
        "ingestion, passages a second": round(len(texts) / spent, 2),
        "ratio": round(alone / spent, 3),
    }


async def _reading(folder: Path, pages: int, rounds: int) -> dict[str, Any]:
    file = folder / "book.pdf"
    file.write_bytes(book(pages))
    ours, bare = [], []
    before = _resident()
    for _ in range(rounds):
        start = time.perf_counter()
        characters = 0
        async for part in ChildReader().read(file, "pdf"):
            characters += len(part.text)
        ours.append(time.perf_counter() - start)
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", _BARE, str(file)], check=True, capture_output=True)
        bare.append(time.perf_counter() - start)
    return {
        "pages": pages,
        "characters": characters,
        "confined s": round(statistics.median(ours), 2),
        "bare reader s": round(statistics.median(bare), 2),
        "ratio": round(statistics.median(ours) / statistics.median(bare), 2),
        "more memory here MB": round((_resident() - before) / 2**20, 1),
    }


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    asyncio.run(main())
