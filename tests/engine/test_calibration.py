"""Calibration: learnt on labelled questions, so that a score means the same for every embedder."""

import zlib

import numpy
import pytest

from vivavoce.domain.answers.relevance import KNOWN, Calibration, score_of
from vivavoce.engine.library.calibration import (
    LANGUAGES,
    calibrate,
    calibrated,
    candidates_in,
    ensure_calibrated,
    evidence_of,
    labelled_in,
)
from vivavoce.testing import TestEmbedders, WordEmbedder, ingested, open_test_engine

from .libraries import Library


class Shifted(WordEmbedder):
    """The same, seen through another lens: all cosines lie in a narrow band near 1."""

    identity = "shifted-65"
    dimension = 65
    shift = 2.0

    def _vector(self, text):
        vector = numpy.append(WordEmbedder()._vector(text), numpy.float32(self.shift))
        return (vector / numpy.linalg.norm(vector)).astype("f4")


class Blind(WordEmbedder):
    """All texts look the same to it."""

    identity = "blind"

    def _vector(self, text):
        return numpy.full(self.dimension, self.dimension**-0.5, "f4")


class Random(WordEmbedder):
    """What it says has nothing to do with the text."""

    identity = "random"

    def _vector(self, text):
        vector = numpy.random.default_rng(zlib.crc32(text.encode())).normal(size=self.dimension)
        return (vector / numpy.linalg.norm(vector)).astype("f4")


class Narrow(Shifted):
    """The same, with cosines that differ by hundredths, as those of some well-known embedders do."""

    identity = "narrow-65"
    shift = 6.0


async def scores(embedder: WordEmbedder, calibration: Calibration, language: str):
    """The score of every question with every passage, which of them answer, and which are candidates."""
    labelled = labelled_in(language)
    words, meaning = await evidence_of(labelled, language, embedder)
    fit = calibration.fit(language)
    evidence = fit.words * words + fit.meaning * meaning + fit.base
    places = numpy.array([[asked.place] for asked in labelled.questions])
    return numpy.vectorize(score_of)(evidence), places == numpy.arange(len(labelled.passages)), best(words)


def best(words):
    """The ten passages of each question that share most words with it."""
    return words >= -numpy.partition(-words, 9, axis=1)[:, 9:10]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_labelled_question_has_one_answer_or_none(language):
    labelled = labelled_in(language)

    assert len(labelled.passages) >= 50
    assert len(labelled.questions) >= 3 * len(labelled.passages)
    assert {asked.place for asked in labelled.questions} == {-1, *range(len(labelled.passages))}
    assert len(set(labelled.passages)) == len(labelled.passages)
    assert len({asked.text for asked in labelled.questions}) == len(labelled.questions)
    assert sum(asked.is_paraphrase for asked in labelled.questions) == len(labelled.passages)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_answers_score_high_and_others_low(language):
    found = await calibrated(WordEmbedder(), None)

    score, answers, judged = await scores(WordEmbedder(), found, language)

    assert score[answers].mean() > 0.65
    assert score[judged & ~answers].mean() < 0.35
    best = score.argmax(axis=1)
    asked = answers.any(axis=1)
    assert answers[asked, best[asked]].mean() > 0.75, "The best passage is the one that answers."


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_score_means_the_same_for_an_embedder_whose_cosines_lie_elsewhere(language):
    plain, shifted = WordEmbedder(), Shifted()
    one, _, judged = await scores(plain, await calibrated(plain, None), language)
    other, _, _ = await scores(shifted, await calibrated(shifted, None), language)

    raw = [(await evidence_of(labelled_in(language), language, each))[1] for each in (plain, shifted)]
    assert abs(raw[0] - raw[1])[judged].mean() > 0.3, "Without calibration they differ."
    assert abs(one - other)[judged].max() < 0.15
    assert abs(one - other)[judged].mean() < 0.03


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_an_embedder_tells_counts_as_much_where_its_cosines_hardly_differ(language):
    plain, narrow = await calibrated(WordEmbedder(), None), await calibrated(Narrow(), None)

    spreads = []
    for embedder, found in ((WordEmbedder(), plain), (Narrow(), narrow)):
        judged = candidates_in(
            labelled_in(language), *await evidence_of(labelled_in(language), language, embedder)
        )
        spreads.append(found.fit(language).meaning * judged.meaning.std())
    assert spreads[1] == pytest.approx(spreads[0], rel=0.25)


@pytest.mark.parametrize("embedder", [Blind(), Random()], ids=["blind", "random"])
@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_embedder_that_tells_nothing_leaves_the_words_to_decide(embedder, language):
    found = await calibrated(embedder, None)

    score, answers, judged = await scores(embedder, found, language)

    assert numpy.isfinite(score).all()
    assert score[answers & judged].mean() > score[judged & ~answers].mean() + 0.3


class Knowing:
    """A reranker that knows the answers of one language."""

    identity, languages = "knowing", frozenset({"en"})

    async def relevance(self, question, passages):
        labelled = labelled_in("en")
        place = {asked.text: asked.place for asked in labelled.questions}[question]
        return [3.0 if place >= 0 and labelled.passages[place] == passage else -3.0 for passage in passages]


async def test_a_reranker_is_weighed_in_its_own_languages_alone():
    found = await calibrated(WordEmbedder(), Knowing())

    assert found.rereads.keys() == {"en"}
    assert found.rereads["en"].relevance > 0
    assert found.fits.keys() == set(LANGUAGES)
    reread = found.reread("en")
    assert score_of(reread.judged(0.0, 3.0)) > 0.9 > 0.1 > score_of(reread.judged(0.0, -3.0))


async def test_a_new_embedder_is_calibrated_once_and_the_result_is_kept(tmp_path, clock):
    class Counted(Shifted):
        asked = 0

        async def question(self, text):
            Counted.asked += 1
            return await super().question(text)

    embedder = Counted()
    with open_test_engine(tmp_path, clock, embedders=TestEmbedders(embedder)) as engine:
        await ensure_calibrated(embedder, engine.ports)
        asked = embedder.asked
        await ensure_calibrated(embedder, engine.ports)
        kept = await engine.ports.store.read(lambda tables: tables.collections.calibration("shifted-65"))

        assert asked > 500
        assert embedder.asked == asked
        assert kept == (await calibrated(Shifted(), None)).written()
        again = await calibrate(embedder, None, engine.ports)
        assert again.written() == kept


async def test_languages_that_are_not_measured_keep_what_is_known_of_them(tmp_path, clock):
    class Named(WordEmbedder):
        identity = "multilingual-e5-small-int8"

    known = KNOWN[Named.identity]
    with open_test_engine(tmp_path, clock, embedders=TestEmbedders(Named())) as engine:
        found = await calibrate(Named(), None, engine.ports)
        kept = await engine.ports.store.read(lambda tables: tables.collections.calibration(Named.identity))

    measured = await calibrated(Named(), None)
    assert Calibration.read(kept).written() == found.written()
    assert found.fits == {**known.fits, **measured.fits}
    assert found.fits["de"] == known.fits["de"] != found.fits["en"]


async def test_scores_of_a_search_agree_under_two_embedders(tmp_path, clock):
    texts = labelled_in("en").passages[:30]
    asked = [(each.text, texts[each.place]) for each in labelled_in("en").questions if 0 <= each.place < 30]
    found = []
    for embedder in (WordEmbedder(), Shifted()):
        folder = tmp_path / embedder.identity
        folder.mkdir()
        with open_test_engine(folder, clock, embedders=TestEmbedders(embedder)) as engine:
            library = Library(engine)
            library.id = (await library.run("create_datastore", type="qdrant"))["id"]
            for number, text in enumerate(texts):
                await library.add(f"t{number}", text)
            await ingested(engine)
            found.append([await score(library, question, answer) for question, answer in asked])

    assert len(asked) == 90
    assert max(abs(one - other) for one, other in zip(*found, strict=True)) < 0.15


async def score(library: Library, question: str, answer: str) -> float:
    """The score of the passage that answers."""
    found = {chunk["text"]: chunk["score"] for chunk in await library.found(question, topK=30)}
    return found[answer]
