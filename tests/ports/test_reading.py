"""The readers: whether a text answers a question, in many languages, with the weights that ship."""

import math
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.adapters.embedders.judging import CrossEncoder
from vivavoce.adapters.embedders.reading import BuiltInReader
from vivavoce.adapters.embedders.upper import EnglishReader
from vivavoce.errors import NotAvailable

SHOP = "Padaria Sol\nA Padaria Sol abre às sete horas da manhã. O pão de queijo custa quatro reais."
HOURS = {
    "es": "Panadería Sol\nLa panadería abre a las siete de la mañana. El pan de queso cuesta cuatro euros.",
    "fr": "Boulangerie Soleil\nLa boulangerie ouvre à sept heures. Le pain au fromage coûte quatre euros.",
    "de": "Bäckerei Sonne\nDie Bäckerei öffnet um sieben Uhr. Das Käsebrot kostet vier Euro.",
    "it": "Panificio Sole\nIl panificio apre alle sette. Il pane al formaggio costa quattro euro.",
}
CANAL = "Suez Canal\nThe Suez Canal joins two seas. It was opened on 17 November 1869 and has no locks."


@pytest.fixture(scope="module")
def reader():
    reader = BuiltInReader()
    yield reader
    reader.close()


@pytest.mark.parametrize(
    ("question", "text", "is_answered"),
    [
        ("Quanto custa o pão de queijo?", SHOP, True),
        ("Quando abre a padaria?", SHOP, True),
        ("Quem fundou a Padaria Sol?", SHOP, False),
        ("When was the Suez Canal opened?", CANAL, True),
        ("Who dug the Suez Canal?", CANAL, False),
        ("Quando foi aberto o canal de Suez?", CANAL, True),
        ("Quem construiu o canal de Suez?", CANAL, False),
        ("¿Cuánto cuesta el pan de queso?", HOURS["es"], True),
        ("¿Quién fundó la panadería?", HOURS["es"], False),
        ("Combien coûte le pain au fromage ?", HOURS["fr"], True),
        ("Qui a fondé la boulangerie ?", HOURS["fr"], False),
        ("Was kostet das Käsebrot?", HOURS["de"], True),
        ("Wer hat die Bäckerei gegründet?", HOURS["de"], False),
        ("Quanto costa il pane al formaggio?", HOURS["it"], True),
        ("Chi ha fondato il panificio?", HOURS["it"], False),
    ],
)
async def test_it_tells_whether_a_text_answers(reader, question, text, is_answered):
    (told,) = await reader.read(question, [text])

    assert (told.answers > 0) is is_answered
    assert told.relevance == told.answers


async def test_texts_are_read_alike_alone_and_beside_others(reader):
    question = "Quanto custa o pão de queijo?"
    texts = [SHOP, CANAL, "O café é cortesia da casa.", *[f"Linha {number}." for number in range(10)]]

    beside = await reader.read(question, texts)
    alone = [(await reader.read(question, [text]))[0] for text in texts]

    assert beside == alone
    assert max(range(len(texts)), key=lambda place: beside[place].answers) == 0


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\n", "x" * 20_000, "\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace")],
)
async def test_whatever_it_is_given_it_says_something(reader, text):
    told = await reader.read("Quanto custa?", [text])

    assert len(told) == 1
    assert told[0].answers == told[0].answers  # a number
    assert await reader.likeness("Quanto custa?", text) == []


@pytest.fixture(scope="module")
def english_reader():
    reader = EnglishReader(CrossEncoder())
    yield reader
    reader.close()


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("When was the Suez Canal opened?", True),
        ("In which year did ships first pass?", True),
        ("Who dug the Suez Canal?", False),
        ("How long is the Suez Canal?", False),
        ("When was the Panama Canal opened?", False),
    ],
)
async def test_the_english_reader_tells_whether_a_text_answers(english_reader, question, is_answered):
    (told,) = await english_reader.read(question, [CANAL])

    assert (told.answers > 0) is is_answered


async def test_the_english_reader_tells_what_a_text_is_about_apart_from_what_it_answers(english_reader):
    about, elsewhere = await english_reader.read(
        "How long is the Suez Canal?", [CANAL, "Bees dance to tell each other where flowers are."]
    )

    assert about.relevance > 0 > about.answers
    assert elsewhere.relevance < 0


@pytest.mark.parametrize("text", ["", " ", "x" * 20_000, "[SEP] [CLS] [PAD]", "ação é não"])
async def test_whatever_the_english_reader_is_given_it_says_a_number(english_reader, text):
    (told,) = await english_reader.read("How much is it?", [text])

    assert math.isfinite(told.answers)


def test_english_is_read_by_both_readers_the_english_one_first_and_all_else_by_the_other():
    embedders = ChosenEmbedders()
    readers = [judge for judge in embedders.judges() if not judge.tells_subjects]

    codes = ("en", "pt", "es", "fr", "de", "it")
    knowing = {code: [each.identity for each in readers if code in each.languages] for code in codes}

    others = {code: [BuiltInReader.identity] for code in codes[1:]}
    assert knowing == {"en": [EnglishReader.identity, BuiltInReader.identity], **others}
    embedders.close()


def test_it_is_there_where_the_package_with_the_models_is_not(monkeypatch):
    monkeypatch.setattr("vivavoce.adapters.embedders.weights.are_installed", lambda: False)
    embedders = ChosenEmbedders()

    assert [judge.identity for judge in embedders.judges()] == [BuiltInReader.identity]
    embedders.close()


@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
@pytest.mark.parametrize(
    "name", ["reader/model.onnx", "reader/english.onnx", "e5-small/words.onnx", "e5-small/pieces.tsv"]
)
async def test_a_file_that_is_not_the_one_we_know_is_not_used(tmp_path, monkeypatch, damage, name):
    for folder in ("reader", "e5-small"):
        shutil.copytree(Path(str(files("vivavoce.adapters.embedders"))) / folder, tmp_path / folder)
    file = tmp_path / name
    whole = file.read_bytes()
    file.unlink()
    if damage != "missing":
        file.write_bytes(whole[:1_000] if damage == "cut" else whole[:-1] + bytes([whole[-1] ^ 1]))
    monkeypatch.setattr("vivavoce.adapters.embedders.weights.files", lambda _: tmp_path)
    reader = EnglishReader(CrossEncoder()) if file.name == "english.onnx" else BuiltInReader()

    with pytest.raises(NotAvailable, match=file.name):
        await reader.read("Quanto custa?", ["Custa quatro reais."])
    reader.close()
