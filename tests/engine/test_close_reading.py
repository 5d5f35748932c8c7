"""Close reading: the best passages of a corpus are read before a search tells how likely each is."""

from collections.abc import Sequence

import pytest

from vivavoce.domain.answers.reading import Candidate
from vivavoce.domain.answers.relevance import close_reading
from vivavoce.engine.voices.close_reading import readings_of
from vivavoce.errors import NotAvailable
from vivavoce.ports import Reading
from vivavoce.testing import TestEmbedders, TestModels, open_test_engine

from .thinkers import CONFIG, Thinker

WELL = "The well of the village is forty metres deep and was dug by hand."
ROPE = "The rope of the well hangs in the house of its keeper."
POÇO = "O poço da aldeia tem quarenta metros e não foi cavado por uma máquina."
QUERY = "How deep is the well?"
SURE, UNSURE = Reading(9.0, 9.0), Reading(-11.0, -15.0)


class Reader:
    """One who is known by name, and finds in a text what it is told."""

    languages = frozenset({"en"})
    tells_subjects = False

    def __init__(self, identity: str = "minilm-reader-en-int8", **found: Reading) -> None:
        self.identity, self._found = identity, found
        self.read_texts: list[str] = []

    async def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        self.read_texts += texts
        return [next((told for word, told in self._found.items() if word in text), UNSURE) for text in texts]

    async def likeness(self, question: str, passage: str) -> list[tuple[str, float]]:
        return []


class Broken(Reader):
    async def read(self, question: str, texts: Sequence[str]) -> list[Reading]:
        raise NotAvailable("The file of the reader is not the one we know.")


@pytest.fixture
def searched(tmp_path):
    """What a search gives, by text, in its order, where somebody reads the passages, or nobody."""

    async def search(
        *texts: str, reader: Reader | None = None, query: str = QUERY, **more
    ) -> dict[str, float]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        embedders = TestEmbedders(judges=() if reader is None else (reader,))
        with open_test_engine(folder, embedders=embedders) as engine:
            thinker = await Thinker(engine, TestModels(None)).opened()
            for at, text in enumerate(texts):
                await thinker.reads(text, {"id": f"text-{at}", "title": f"Text {at}"})
            asked = {"avatarId": CONFIG["id"], "query": query, "threshold": 0, **more}
            found = (await thinker.run("query_corpus", **asked))["passages"]
            return {each["content"]: each["score"] for each in found}

    return search


async def test_who_reads_decides_which_passage_is_likelier(searched):
    before = await searched(WELL, ROPE)

    assert await searched(WELL, ROPE, reader=Reader(deep=SURE)) != before
    after = await searched(WELL, ROPE, reader=Reader(rope=SURE, keeper=SURE))

    assert list(after) == [ROPE, WELL]
    assert after[ROPE] > before[ROPE]
    assert after[WELL] < before[WELL]


async def test_reading_raises_a_score_by_no_more_than_was_measured(searched):
    before = await searched(WELL, ROPE)
    after = await searched(WELL, ROPE, reader=Reader(well=Reading(90.0, 90.0)))

    weighs = close_reading("minilm-reader-en-int8", "en")
    for text, score in after.items():
        odds, old = score / (1 - score), before[text] / (1 - before[text])
        assert odds / old == pytest.approx(2.718281828**weighs.most, rel=0.02)


async def test_a_passage_in_a_language_that_nobody_reads_keeps_its_score(searched):
    query = "Quantos metros tem o poço da aldeia?"
    before = await searched(POÇO, query=query)
    reader = Reader(**{"poço": SURE})

    assert await searched(POÇO, query=query, reader=reader) == before
    assert reader.read_texts == []


async def test_a_reader_that_cannot_be_loaded_changes_nothing(searched):
    assert await searched(WELL, ROPE, reader=Broken(deep=SURE)) == await searched(WELL, ROPE)


async def test_a_reader_whose_judgement_was_never_measured_is_not_asked(searched):
    reader = Reader("another-reader", deep=SURE)

    assert await searched(WELL, ROPE, reader=reader) == await searched(WELL, ROPE)
    assert reader.read_texts == []


async def test_what_was_not_read_is_never_likelier_than_what_was(searched):
    texts = [f"The well number {number} is deep, said the keeper of well {number}." for number in range(12)]
    reader = Reader()

    found = await searched(*texts, reader=reader, limit=12)

    read = {text for text in texts if any(text in each for each in reader.read_texts)}
    assert len(read) == 8
    assert len(found) == 12
    assert max(found[text] for text in texts if text not in read) <= min(found[text] for text in read)
    assert list(found.values()) == sorted(found.values(), reverse=True)


async def test_a_passage_without_a_word_is_not_read():
    reader = Reader()

    read = await readings_of(QUERY, [Candidate("", "en", 0.5), Candidate(WELL, "en", 0.5)], [reader])

    assert list(read) == [1]
    assert reader.read_texts == [WELL]
