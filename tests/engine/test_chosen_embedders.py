"""Which embedder a datastore gets: the one for the language of what comes first, or of most documents."""

import pytest

from vivavoce.engine.library.reindexing import reindex
from vivavoce.testing import TestEmbedders, ingested, open_test_engine

from .libraries import Counting, Library

ENGLISH = "The library opens at nine in the morning and it is closed on Mondays."
PORTUGUESE = "A biblioteca abre às nove da manhã e não abre às segundas-feiras."
UNKNOWN = "SKU 4711, 9.99 EUR"


@pytest.fixture
def engine(tmp_path, clock):
    embedders = TestEmbedders(Counting("english"), others={"pt": Counting("portuguese")})
    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        yield engine


@pytest.fixture
async def library(engine) -> Library:
    return await Library(engine).opened("english", "portuguese")


async def embedder_of(library: Library) -> str:
    return (await library.run("get_datastore", id=library.id))["embedder"]


async def filled(library: Library, *texts: str) -> str:
    """The embedder of the datastore after it has read these texts, one after the other."""
    for number, text in enumerate(texts):
        await library.add(f"Text {number}", text)
        await ingested(library.engine)
    return await embedder_of(library)


@pytest.mark.parametrize(
    ("texts", "embedder"),
    [
        ([ENGLISH], "english"),
        ([PORTUGUESE], "portuguese"),
        ([UNKNOWN], "english"),
        ([ENGLISH, PORTUGUESE, PORTUGUESE + " Bom dia."], "english"),
        ([PORTUGUESE, ENGLISH], "portuguese"),
    ],
)
async def test_what_is_embedded_first_decides(library, texts, embedder):
    assert await filled(library, *texts) == embedder
    assert await library.number("passages") == await library.indexed() == len(texts)


async def test_two_languages_at_once_end_under_one_embedder(library, engine):
    for number, text in enumerate((ENGLISH, PORTUGUESE)):
        await library.add(f"Text {number}", text)
    await ingested(engine)

    assert await library.rows("select count(*) from collections") == [(1,)]
    assert await library.indexed() == 2


@pytest.mark.parametrize(
    ("texts", "embedder"),
    [
        ([ENGLISH, PORTUGUESE, PORTUGUESE + " Bom dia."], "portuguese"),
        ([PORTUGUESE, ENGLISH, ENGLISH + " It is free."], "english"),
        ([ENGLISH, UNKNOWN, UNKNOWN + "!"], "english"),
        ([PORTUGUESE, UNKNOWN, UNKNOWN + "!"], "portuguese"),
    ],
)
async def test_reindexing_goes_by_most_documents_whose_language_is_known(library, engine, texts, embedder):
    await filled(library, *texts)

    made = await reindex(library.id, engine.ports)

    assert made.embedder == await embedder_of(library) == embedder
    assert await library.indexed() == len(texts)
