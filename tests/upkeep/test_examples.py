"""The example avatars: valid files, a current PDF, and questions whose answers stand in the corpus."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from vivavoce.app import App
from vivavoce.domain.corpus.quotes import located
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatars import GenerateResponse, ListAvatarSources
from vivavoce.operations.knowledge import GetDatasource, ReadDocument
from vivavoce.upkeep.corpus import process_corpus
from vivavoce.upkeep.corpus_files import AvatarFolder, avatars_in
from vivavoce.upkeep.evaluating_questions import Trial, read_trials

from .corpora import Listener

FOLDER = Path(__file__).parents[2] / "examples" / "avatars"
MARTA = AvatarFolder(FOLDER, "marta-quintela")


def trials() -> list[Trial]:
    return read_trials((MARTA.path / "questions.jsonl").read_bytes())


def typesetting() -> ModuleType:
    """The script that makes the PDF."""
    spec = importlib.util.spec_from_file_location("typeset", MARTA.path / "corpus" / "typeset.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("id", avatars_in(FOLDER))
def test_every_source_of_an_example_has_its_document(id):
    folder = AvatarFolder(FOLDER, id)
    listed, documents = folder.listed(), folder.documents()

    assert {source.id for source in listed.sources} == {path.stem for path in documents}
    assert folder.unlisted(listed.sources, documents) == []


def test_the_example_says_that_it_was_invented():
    assert "She never lived" in MARTA.listed().about.description


def test_the_handbook_is_what_the_script_makes_of_its_text():
    text = (MARTA.path / "corpus" / "handbook.txt").read_text(encoding="utf-8")

    made = typesetting().pdf(text)

    assert made == (MARTA.documents_folder / "handbook.pdf").read_bytes(), "Run typeset.py."


def test_the_questions_are_of_every_kind():
    asked = trials()

    assert 25 <= len(asked) <= 40
    assert sum(not trial.answerable for trial in asked) >= 10
    assert sum(bool(trial.context) for trial in asked) >= 2
    assert all(trial.quotes for trial in asked if trial.answerable)


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("Tell me about the flood.", True),
        ("What is said about squash?", True),
        ("What does she think of selling seed?", True),
        ("Fale sobre o livro.", True),
        ("Tell me about tractors.", False),
        ("What is said about the price of squash?", False),
        ("Fale sobre os tratores.", False),
    ],
)
async def test_an_open_question_is_answered_where_the_corpus_speaks_of_it(app, question, is_answered):
    await process_corpus(app, MARTA, Listener())

    answer = await app.backend.run(GenerateResponse(avatar_id=MARTA.id, question=question), OPERATOR)

    assert answer.abstained is not is_answered


async def test_the_words_that_answer_stand_in_the_sources_and_on_the_pages_that_are_named(app):
    await process_corpus(app, MARTA, Listener())

    sources = (await app.backend.run(ListAvatarSources(avatar_id=MARTA.id), OPERATOR)).sources
    assert [source.id for source in sources if source.passages == 0] == ["notebook"]
    ids = {source.title: source.datasource_id for source in sources}
    for quote in (quote for trial in trials() for quote in trial.quotes):
        text = (await app.backend.run(GetDatasource(id=ids[quote.source]), OPERATOR)).text
        span = located(quote.text, text)
        assert span is not None, quote.text
        assert quote.page == await page_at(app, ids[quote.source], span.start), quote.text


async def page_at(app: App, datasource_id: str, start: int) -> int | None:
    """The page that is printed where a datasource's text has an offset."""
    document = await app.ports.store.read(lambda tables: tables.documents.of(datasource_id, "current"))
    assert document is not None
    page = (await app.backend.run(ReadDocument(document_id=document.id, start=start), OPERATOR)).page
    return None if page is None else int(page)


def test_a_key_that_nobody_knows_stands_in_the_configuration():
    assert (MARTA.listed().about.model_extra or {})["principles"]
