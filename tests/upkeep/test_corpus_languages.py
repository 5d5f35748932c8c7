"""Which embedder a corpus gets: all its documents decide, also those that are indexed later."""

from __future__ import annotations

import pytest

from tests.engine.libraries import Counting
from tests.ports.pdfs_made import scan
from vivavoce.testing import TestEmbedders, open_test_engine
from vivavoce.upkeep.corpus import process_corpus
from vivavoce.upkeep.corpus_trying import try_corpus

from .corpora import COMMONS, TAXES, WATER, Listener, avatar_folder, listed, write

PORTUGUESE = "Os pescadores partilham o lago e vigiam as redes durante a noite."
NUMBERS = "SKU 4711, 9.99 EUR"


@pytest.fixture
def engine(tmp_path, clock):
    embedders = TestEmbedders(Counting("english"), others={"pt": Counting("multilingual")})
    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        yield engine


async def embedder_of(run):
    store = (await run("get_avatar", id="ostrom"))["datastoreId"]
    return (await run("get_datastore", id=store))["embedder"]


async def processed(app, folder, **options):
    result = await process_corpus(app, folder, Listener(), **options)
    return {outcome.id: outcome.state for outcome in result.outcomes}


def corpus(place, *texts, **more):
    sources = [listed(f"text{number}", **more) for number in range(len(texts))]
    return avatar_folder(
        place, *sources, documents={f"text{number}.txt": text for number, text in enumerate(texts)}
    )


@pytest.mark.parametrize(
    ("texts", "embedder"),
    [
        ([COMMONS, PORTUGUESE], "multilingual"),
        ([COMMONS, WATER, TAXES, PORTUGUESE], "multilingual"),
        ([PORTUGUESE, COMMONS], "multilingual"),
        ([COMMONS, WATER, TAXES], "english"),
        ([NUMBERS, COMMONS], "english"),
        ([NUMBERS, PORTUGUESE], "multilingual"),
    ],
)
async def test_one_document_in_another_language_gives_the_corpus_the_multilingual_embedder(
    app, run, tmp_path, texts, embedder
):
    assert set((await processed(app, corpus(tmp_path, *texts))).values()) == {"processed"}

    assert await embedder_of(run) == embedder
    found = await run("query_corpus", avatarId="ostrom", query="lago", threshold=0)
    assert len(found["passages"]) == len(texts)


async def test_a_corpus_that_has_an_embedder_keeps_it(app, run, tmp_path):
    folder = corpus(tmp_path, COMMONS, "")
    await processed(app, folder)

    write(folder, "text1.txt", PORTUGUESE)

    assert (await processed(app, folder))["text1"] == "processed"
    assert await embedder_of(run) == "english"


async def test_where_one_source_is_named_the_others_decide_too(app, run, tmp_path):
    await processed(app, corpus(tmp_path, COMMONS, PORTUGUESE), source_id="text0")

    assert await embedder_of(run) == "multilingual"


@pytest.mark.parametrize(("source_id", "embedder"), [(None, "english"), ("review", "multilingual")])
async def test_a_secondary_source_decides_where_it_is_named(app, run, tmp_path, source_id, embedder):
    sources = [listed("lakes"), listed("review", priority="secondary")]
    folder = avatar_folder(tmp_path, *sources, documents={"lakes.txt": COMMONS, "review.txt": PORTUGUESE})

    await processed(app, folder, source_id=source_id)

    assert await embedder_of(run) == embedder


async def test_a_document_that_cannot_be_read_decides_nothing_and_stops_no_other(app, run, tmp_path):
    sources = [listed("scan"), listed("gone"), listed("lakes"), listed("redes")]
    documents = {"scan.pdf": scan(), "lakes.txt": COMMONS, "redes.txt": PORTUGUESE}
    folder = avatar_folder(tmp_path, *sources, documents=documents)

    states = await processed(app, folder)

    assert states == {"scan": "failed", "gone": "missing", "lakes": "processed", "redes": "processed"}
    assert await embedder_of(run) == "multilingual"


async def test_a_dry_run_counts_with_the_embedder_that_processing_takes(app, tmp_path, monkeypatch):
    folder = corpus(tmp_path, COMMONS, PORTUGUESE)
    asked = []
    for embedder in (app.ports.embedders.chosen(language) for language in ("en", "pt")):
        count = embedder.lengths
        monkeypatch.setattr(
            embedder,
            "lengths",
            lambda texts, by=embedder.identity, count=count: asked.append(by) or count(texts),
        )

    await try_corpus(app, folder, Listener())

    assert set(asked) == {"multilingual"}
