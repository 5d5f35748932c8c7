"""Retrieval: the right passage first, with a score that means something, in any language, from any damage."""

import asyncio
import shutil
from pathlib import Path

import pytest

from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.adapters.index.embedded import EmbeddedIndex
from vivavoce.domain.answers.relevance import Calibration, Fit, Reread
from vivavoce.engine.library import indexing
from vivavoce.errors import NotAvailable, StorageFailed
from vivavoce.ports import Hit
from vivavoce.testing import TestEmbedders, WordEmbedder, ingested, open_test_engine

from .libraries import PLAIN, Counting, Library, Several, book

SHOP = {
    "Return policy.md": "You may return shoes within 30 days. The refund takes five working days.",
    "Shipping.md": "We ship to Brazil and Portugal. Shipping costs ten euros.",
    "Opening hours.md": "The shop is open from nine to six, and closed on Sunday.",
}


@pytest.fixture
def embedders() -> TestEmbedders:
    return TestEmbedders(Counting())


@pytest.fixture
def index(tmp_path) -> EmbeddedIndex:
    return EmbeddedIndex(tmp_path / "vivavoce.index")


@pytest.fixture
def engine(tmp_path, clock, embedders, index):
    with open_test_engine(tmp_path, clock, embedders=embedders, index=index) as engine:
        yield engine


@pytest.fixture
async def library(engine) -> Library:
    return await Library(engine).opened()


async def filled(library: Library, texts: dict[str, str], **more) -> dict[str, str]:
    ids = {name: await library.add(name, text, **more) for name, text in texts.items()}
    await ingested(library.engine)
    return ids


# What is found


async def test_the_passage_that_answers_comes_first_with_all_that_a_citation_needs(library):
    ids = await filled(library, SHOP)

    best, second, *_ = await library.found("How long do I have to return shoes?")

    assert best["datasource_id"] == ids["Return policy.md"]
    assert best["datasource_name"] == "Return policy.md"
    assert best["text"] == SHOP["Return policy.md"]
    assert (best["start"], best["end"]) == (0, len(best["text"]))
    assert 0 < second["score"] < best["score"] < 1


async def test_scores_lie_between_0_and_1_and_fall(library):
    await filled(library, SHOP)

    for question in ("return shoes refund days", "xyzzy", "a", "9", "?" * 50, "shipping " * 100):
        scores = [chunk["score"] for chunk in await library.found(question, topK=50)]
        assert all(0 <= score <= 1 for score in scores)
        assert scores == sorted(scores, reverse=True)


async def test_a_short_passage_comes_first_but_is_no_likelier_for_being_short(library):
    said = "You may return shoes within thirty days."
    other = " ".join(f"The matter numbered {number} differs." for number in range(100, 111))
    await library.calibrated("words-64", Calibration({"en": Fit(8.0, 0.0, -4.0)}))
    await filled(library, {"long.md": f"{said} {other}", "short.md": said})

    short, long = await library.found("return shoes within days")

    assert (short["datasource_name"], long["datasource_name"]) == ("short.md", "long.md")
    assert 0 <= short["score"] - long["score"] < 0.02


async def test_what_nothing_answers_has_low_scores(library):
    await filled(library, SHOP)

    right = (await library.found("return shoes refund"))[0]["score"]
    wrong = (await library.found("configure a network router"))[0]["score"]

    assert wrong < 0.5 * right


async def test_an_empty_datastore_finds_nothing(library, engine):
    assert await library.found("whales") == []
    await filled(library, SHOP)
    for source in (await library.run("get_datastore", id=library.id))["datasources"]:
        await library.run("delete_datasource", id=source["id"])
    await ingested(engine)
    assert await library.found("shoes") == []


async def test_a_question_and_its_answer_are_found_by_the_words_of_either(library):
    config = {"question": "Do you ship abroad?", "answer": "Only to Brazil, with an express carrier."}
    id = await library.add("Shipping", type="qa", config=config)
    await filled(library, SHOP)

    for asked in ("ship abroad", "express carrier"):
        best = (await library.found(asked))[0]
        assert best["datasource_id"] == id
        assert best["text"] == "Do you ship abroad?\n\nOnly to Brazil, with an express carrier."


async def test_a_passage_is_found_by_the_heading_above_it(library):
    text = "# Garden\n\n" + book(2, "rose") + "\n\n# Plumbing\n\n" + book(2, "pipe").replace("pipe", "thing")
    await filled(library, {"manual.md": text})

    assert (await library.found("plumbing"))[0]["headings"] == ["Plumbing"]


# Languages


async def test_portuguese_is_found_without_accents_and_in_another_form(library):
    await filled(
        library,
        {
            "a.txt": "As devoluções são aceitas em até trinta dias após a compra.",
            "b.txt": "O pagamento pode ser feito por cartão ou transferência bancária.",
        },
    )

    for asked in ("devolucao", "qual o prazo de devolução?", "DEVOLUÇÕES", "aceitam devolucoes"):
        assert "devoluções" in (await library.texts(asked))[0], asked
    for asked in ("transferencias", "pagamentos", "cartao"):
        assert "pagamento" in (await library.texts(asked))[0], asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("退货必须在三十天内提出。退款需要五天。", "退货"),
        ("返品は三十日以内に受け付けます。", "返品"),
        ("반품은 삼십 일 이내에 가능합니다.", "반품은"),
        ("يمكن إرجاع الأحذية خلال ثلاثين يوماً من الشراء.", "إرجاع الأحذية"),
        ("ניתן להחזיר נעליים תוך שלושים יום.", "להחזיר נעליים"),
        ("Возврат обуви возможен в течение тридцати дней.", "возврат обуви"),
        ("कृपया जूते तीस दिनों में लौटाएं।", "जूते"),
    ],
)
async def test_any_script_is_found(library, text, asked):
    await filled(library, {**SHOP, "x": text})

    found = await library.found(asked)

    assert found[0]["text"] == text
    assert found[0]["score"] > found[1]["score"]


async def test_the_language_of_each_document_is_known(library):
    await filled(library, {"en": SHOP["Return policy.md"], "pt": "O prazo para devolver é de trinta dias."})

    languages = await library.rows("select language from documents order by language")

    assert languages == [("en",), ("pt",)]


async def test_the_weights_of_words_and_meaning_follow_the_language_of_the_question(library, engine):
    await library.calibrated("words-64", Calibration({"en": Fit(0.1, 9.0, -1.0), "pt": Fit(9.0, 0.0, -1.0)}))
    await filled(library, {"pt": "O prazo de entrega é de três dias úteis."})

    (by_words,) = await library.found("qual é o prazo de entrega?")
    (nothing,) = await library.found("qual é a cor do gato?")

    assert by_words["score"] > 0.7
    assert nothing["score"] == pytest.approx(1 / (1 + 2.71828), abs=1e-3), "Meaning counts nothing here."


# No passage twice


async def test_the_same_passage_in_two_datasources_appears_once(library):
    same = "The warranty covers two years for all electric bicycles sold in our shops."
    await filled(library, {"one": same, "two": same, "three": same.replace(" for", "\n for"), **SHOP})

    found = await library.found("warranty for bicycles", topK=10)

    assert [("warranty" in chunk["text"]) for chunk in found].count(True) == 1


async def test_two_datasources_that_differ_in_a_number_are_both_found(library):
    same = "The warranty covers two years for all electric bicycles sold in our shops."
    await filled(library, {"old": same, "new": same.replace("two", "three"), **SHOP})

    found = await library.found("warranty for bicycles", topK=10)

    assert [("warranty" in chunk["text"]) for chunk in found].count(True) == 2


async def test_many_copies_of_one_passage_do_not_hide_the_others(library):
    copy, other = (
        "The warranty covers two years for bicycles.",
        "The warranty of frames is longer: five years.",
    )
    await filled(library, {**{f"copy{number}": copy for number in range(120)}, "other": other})

    assert await library.texts("warranty for bicycles", topK=5) == [copy, other]


async def test_passages_that_only_resemble_each_other_all_appear(library):
    texts = {
        "one": "The warranty covers two years for bicycles.",
        "two": "The warranty covers five years for frames and forks, but nothing else at all.",
        "three": "No warranty for tyres, chains, brakes and other parts that wear out in use.",
    }
    await filled(library, texts)

    assert set(await library.texts("warranty")) == set(texts.values())


# Filters


async def test_only_datasources_that_pass_the_filters_are_searched(library):
    red = await library.add("red", "Whales sing in red.", config={"tags": ["sea", "red"]}, custom_id="r1")
    blue = await library.add("blue", "Whales sing in blue.", config={"tags": ["sea"]}, custom_id="b1")
    green = await library.add("green", "Whales sing in green.")
    await ingested(library.engine)

    async def ids(**filters) -> set[str]:
        return {chunk["datasource_id"] for chunk in await library.found("whales sing", **filters)}

    assert await ids() == {red, blue, green}
    assert await ids(tags=["sea"]) == {red, blue}
    assert await ids(tags=["sea", "red"]) == {red}
    assert await ids(tags=["none"]) == set()
    assert await ids(filters={"custom_ids": ["b1", "r1"]}) == {red, blue}
    assert await ids(filters={"datasource_ids": [green, "none"]}) == {green}
    assert await ids(filters={"datasource_ids": [green, red]}, tags=["sea"]) == {red}
    assert await ids(filters={"datasource_ids": [green]}, tags=["sea"]) == set()


async def test_no_datastore_sees_the_passages_of_another(library, engine):
    other = await Library(engine).opened()
    mine = (await filled(library, SHOP))["Shipping.md"]
    await filled(other, {"secret": "Shipping is secret."})

    assert await other.texts("shipping", topK=50) == ["Shipping is secret."]
    assert await other.found("shipping", filters={"datasource_ids": [mine]}) == []


# The reranker


class Backwards:
    """A reranker that likes what is short."""

    identity, languages = "short", frozenset({"en"})

    def __init__(self) -> None:
        self.asked: list[int] = []

    async def relevance(self, question, passages):
        self.asked.append(len(passages))
        return [100.0 / len(passage) for passage in passages]


async def test_a_reranker_reads_the_best_passages_again_where_it_knows_the_language(tmp_path, clock):
    reranker = Backwards()
    embedders = TestEmbedders(Counting(), reranker)
    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        library = await Library(engine).opened()
        await library.calibrated("words-64", Calibration(PLAIN.fits, {"en": Reread(0.0, 1.0, -2.0)}))
        texts = {f"t{number}": f"The whale is singing{' la' * number}." for number in range(30)}
        await filled(library, texts)

        found = await library.found("what is the whale doing?", topK=30)

        assert max(reranker.asked) == 20
        lengths = [len(chunk["text"]) for chunk in found]
        assert lengths[:5] == sorted(lengths)[:5]
        scores = [chunk["score"] for chunk in found]
        assert scores == sorted(scores, reverse=True)
        asked = len(reranker.asked)
        await library.found("onde está a baleia?")
        assert len(reranker.asked) == asked, "It does not know Portuguese."


async def test_where_a_reranker_finds_nothing_to_read_again_the_scores_stay_as_they_were(tmp_path, clock):
    class Ahead(EmbeddedIndex):
        """An index that knows of better passages, which the store does not have any more."""

        async def search(self, name, question, limit):
            better = [Hit(10_000 + number, 1.0, 1.0) for number in range(45)]
            return better + await super().search(name, question, limit)

    reranker = Backwards()
    embedders = TestEmbedders(Counting(), reranker)
    index = Ahead(tmp_path / "vivavoce.index")
    with open_test_engine(tmp_path, clock, embedders=embedders, index=index) as engine:
        library = await Library(engine).opened()
        await library.calibrated("words-64", Calibration(PLAIN.fits, {"en": Reread(0.0, 1.0, -2.0)}))
        await filled(library, {"t": "The whale is singing."})
        reread = await library.found("what is the whale doing?")

        await library.calibrated("words-64", PLAIN)
        (found,) = await library.found("what is the whale doing?")

    assert reranker.asked == [0]
    assert [each["score"] for each in reread] == [found["score"]]


# Other embedders


async def test_a_datastore_whose_embedder_is_not_configured_any_more_says_so(library, engine, embedders):
    await filled(library, SHOP)
    embedders.embedder = Counting("another")

    with pytest.raises(NotAvailable, match="words-64"):
        await library.found("shoes")


async def test_a_model_that_became_another_under_the_same_name_is_refused(library, engine, embedders):
    await filled(library, SHOP)
    embedders.embedder = Counting()
    embedders.embedder.dimension = 32

    with pytest.raises(NotAvailable, match="another length"):
        await library.found("shoes")
    id = await library.add("more", "Whales sing.")
    await ingested(engine)
    source = await library.source(id)
    assert source["status"] == "pending"
    assert "another length" in source["error"]
    embedders.embedder.dimension = 64
    assert (await library.texts("shoes"))[0] == SHOP["Return policy.md"]


async def test_the_built_in_model_finds_by_meaning_what_shares_no_word(tmp_path, clock):
    embedders = ChosenEmbedders()
    try:
        with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
            library = await Library(engine).opened()
            await filled(library, SHOP)

            best, *others = await library.found("When can customers bring back footwear for their money?")
            nothing = await library.found("Who painted the ceiling of the Sistine Chapel?")

            assert best["datasource_name"] == "Return policy.md"
            assert best["score"] > max(chunk["score"] for chunk in [*others, *nothing])
            assert await library.run("get_datastore", id=library.id) | {
                "embedder": "bge-small-en-int8",
                "dimension": 384,
            } == await library.run("get_datastore", id=library.id)
    finally:
        embedders.close()


# Damage


def folder_of(tmp_path: Path) -> Path:
    (folder,) = (tmp_path / "vivavoce.index").iterdir()
    return folder


def cut(file: Path, size: int) -> None:
    with file.open("r+b") as opened:
        opened.truncate(size)


DAMAGES = {
    "folder deleted": lambda folder: shutil.rmtree(folder),
    "whole index deleted": lambda folder: shutil.rmtree(folder.parent),
    "manifest deleted": lambda folder: (folder / "manifest.json").unlink(),
    "manifest cut": lambda folder: cut(folder / "manifest.json", 10),
    "manifest of another program": lambda folder: (folder / "manifest.json").write_text('["x"]'),
    "segment deleted": lambda folder: next(folder.glob("*.segment")).unlink(),
    "segment cut to nothing": lambda folder: cut(next(folder.glob("*.segment")), 0),
    "segment cut in its table of contents": lambda folder: cut(next(folder.glob("*.segment")), 1_000),
    "segment cut in the middle": lambda folder: cut(next(folder.glob("*.segment")), 70_000),
    "segment of another program": lambda folder: next(folder.glob("*.segment")).write_bytes(b"x" * 90_000),
    "journal deleted": lambda folder: next(folder.glob("*.journal")).unlink(),
    "journal cut": lambda folder: cut(next(folder.glob("*.journal")), 3),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_index_is_made_again_when_it_is_asked(
    library, engine, embedders, tmp_path, damage, monkeypatch
):
    monkeypatch.setattr("vivavoce.adapters.index.collections._TAIL", 32)
    ids = await filled(library, {"whales": book(60), **SHOP})
    before = [(chunk["text"], chunk["score"]) for chunk in await library.found("return shoes", topK=10)]
    embedded, held = len(embedders.embedder.texts), await library.indexed()
    DAMAGES[damage](folder_of(tmp_path))

    after = [(chunk["text"], chunk["score"]) for chunk in await library.found("return shoes", topK=10)]
    await ingested(engine)

    assert after[0][0] == before[0][0] == SHOP["Return policy.md"]
    assert await library.indexed() == held
    assert len(embedders.embedder.texts) == embedded, "The vectors are in the database."
    assert (await library.found("nine to six"))[0]["datasource_id"] == ids["Opening hours.md"]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_index_is_made_again_when_something_is_added(
    library, engine, tmp_path, damage, monkeypatch
):
    monkeypatch.setattr("vivavoce.adapters.index.collections._TAIL", 32)
    await filled(library, {"whales": book(60), **SHOP})
    held = await library.indexed()
    DAMAGES[damage](folder_of(tmp_path))

    id = await library.add("new", "A new text about penguins.")
    await ingested(engine)

    assert (await library.source(id))["status"] == "synched"
    assert await library.texts("penguins", topK=1) == ["A new text about penguins."]
    assert await library.texts("return shoes", topK=1) == [SHOP["Return policy.md"]]
    assert await library.indexed() == held + 1


async def test_an_index_that_was_deleted_while_nothing_ran_is_made_again(tmp_path, clock, embedders):
    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        library = await Library(engine).opened()
        await filled(library, SHOP)
    shutil.rmtree(tmp_path / "vivavoce.index")

    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        again = Library(engine)
        again.id = library.id
        assert await again.texts("return shoes", topK=1) == [SHOP["Return policy.md"]]


async def test_many_searches_of_a_deleted_index_all_get_their_answer(library, engine, tmp_path):
    await filled(library, {"whales": book(60), **SHOP})
    shutil.rmtree(tmp_path / "vivavoce.index")

    answers = await asyncio.gather(*(library.texts("return shoes", topK=1) for _ in range(8)))
    again = await asyncio.gather(*(library.texts("return shoes", topK=1) for _ in range(4)))

    assert all(answer in ([], [SHOP["Return policy.md"]]) for answer in answers)
    assert again == [[SHOP["Return policy.md"]]] * 4


async def test_a_large_index_is_made_again_in_the_background(library, engine, tmp_path, monkeypatch):
    monkeypatch.setattr(indexing, "_SOON", 50)
    await filled(library, {"whales": book(100), **SHOP})
    held = await library.indexed()
    shutil.rmtree(tmp_path / "vivavoce.index")

    for _ in range(2):
        with pytest.raises(StorageFailed, match=r"made again.*few minutes"):
            await library.found("return shoes")
    await ingested(engine)

    assert await library.texts("return shoes", topK=1) == [SHOP["Return policy.md"]]
    assert await library.indexed() == held


async def test_what_a_killed_worker_stored_but_did_not_index_is_found(library, engine, embedders):
    await filled(library, SHOP)
    collection = await library.collection()
    await engine.ports.index.drop(collection.name)
    await engine.ports.store.write(lambda tables: tables.collections.put(collection.changed(filled_to=0)))

    assert await library.texts("return shoes", topK=1) == [SHOP["Return policy.md"]]


async def test_several_embedders_serve_several_datastores(tmp_path, clock):
    embedders = Several(Counting("one"), Counting("two"))
    with open_test_engine(tmp_path, clock, embedders=embedders) as engine:
        first = await Library(engine).opened("one", "two")
        await filled(first, SHOP)
        embedders.choose("two")
        second = await Library(engine).opened()
        await filled(second, SHOP)
        await filled(first, {"more": "Penguins waddle."})

        assert (await first.run("get_datastore", id=first.id))["embedder"] == "one"
        assert (await second.run("get_datastore", id=second.id))["embedder"] == "two"
        for library in (first, second):
            assert await library.texts("return shoes", topK=1) == [SHOP["Return policy.md"]]


def test_the_fake_embedder_is_never_surprising():
    vectors = [asyncio.run(WordEmbedder().question(text)) for text in ("whales sing", "singing whale")]

    assert vectors[0].tolist() == vectors[1].tolist()
