"""The guide: made on first use from what comes with the program, and its citations stand in its pages."""

import asyncio
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.app import App, open_app
from vivavoce.errors import NotAvailable
from vivavoce.operations import OPERATOR
from vivavoce.operations.avatar_results import AvatarResponse
from vivavoce.operations.avatars import (
    CreateAvatar,
    GenerateResponse,
    GetAvatar,
    ListAvatarSources,
    UpdateAvatar,
)
from vivavoce.operations.knowledge import ReadDocument
from vivavoce.settings import Settings
from vivavoce.upkeep import guide_recording
from vivavoce.upkeep.guide import FOLDER, GUIDE, as_read, ensure_guide, guide_files, recorded_vectors

ASKED = {
    "What happens if I lose the key file?": "How to back up and restore",
    "What does a score of 0.5 mean?": "Retrieval",
    "How do I choose another embedder?": "How to choose an embedder",
    "How are secrets stored?": "Security model",
    "Which clients can I connect?": "How to connect a client",
    "How do I begin?": "Questions that newcomers ask",
    "Can I use Ollama?": "Questions that newcomers ask",
    "How is confidence computed?": "Questions that newcomers ask",
    "Where is my data stored?": "Questions that newcomers ask",
    "How do I connect Cursor?": "Questions that newcomers ask",
    "What port does it use?": "Questions that newcomers ask",
    "Como começo?": "Perguntas de quem começa",
    "Como crio um agente?": "Perguntas de quem começa",
    "Preciso de uma chave?": "Perguntas de quem começa",
}
"""Plain questions, and the page that answers each best."""
UNANSWERED = ("What is the capital of Mongolia?", "How long must I boil an egg?")
MOST_MISSING = 0.1
"""The share of passages that may lack a recorded vector: they are embedded on first use, which takes time."""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Settings:
    """A workspace with the guide in it."""
    settings = Settings.read({"VIVAVOCE_DATABASE": str(tmp_path_factory.mktemp("guide") / "workspace.db")})

    async def make() -> None:
        async with open_app(settings) as app:
            await ensure_guide(app)

    asyncio.run(make())
    return settings


@pytest.fixture(scope="module")
def answers(made: Settings) -> dict[str, AvatarResponse]:
    """What the guide answers to each question."""

    async def ask() -> dict[str, AvatarResponse]:
        async with open_app(made) as app:
            return {
                question: await app.backend.run(
                    GenerateResponse(avatar_id=GUIDE, question=question), OPERATOR
                )
                for question in (*ASKED, *UNANSWERED)
            }

    return asyncio.run(ask())


@pytest.fixture
async def workspace(made: Settings) -> AsyncIterator[App]:
    async with open_app(made) as app:
        yield app


def test_the_guide_reads_every_page_of_the_documentation():
    folder = FOLDER / "corpus" / "open-access"

    assert {path.name: path.resolve() for path in folder.iterdir()} == {
        f"{id}.md": path for id, path in guide_recording.pages().items()
    }, "Run bin/guide."


def test_the_sources_of_the_guide_are_current():
    listed = json.loads((FOLDER / "corpus" / "sources.json").read_text(encoding="utf-8"))

    assert listed == guide_recording.sources(), "Run bin/guide."


def test_what_a_newcomer_reads_comes_first_and_decisions_come_last():
    ids = list(guide_recording.pages())

    assert ids[0] == "readme"
    assert ids.index("tutorial") < ids.index("how-to-connect-a-client") < ids.index("reference-settings")
    assert all(id.startswith("adr-") for id in ids[ids.index("security") + 1 :])


def test_who_installs_a_wheel_gets_every_page(tmp_path):
    root = guide_recording.ROOT
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # the build backend's own binary
    build = "import sys, uv_build; uv_build.build_wheel(sys.argv[1])"
    command = [sys.executable, "-c", build, str(tmp_path)]
    subprocess.run(command, cwd=root, env=os.environ | {"PATH": path}, check=True, capture_output=True)

    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        folder = "vivavoce/avatars/guide"
        assert {f"{folder}/config.json", f"{folder}/vectors.npz"} <= set(opened.namelist())
        for id, page in guide_recording.pages().items():
            assert opened.read(f"{folder}/corpus/open-access/{id}.md") == page.read_bytes()


async def test_every_page_is_indexed_on_first_use(workspace):
    sources = (await workspace.backend.run(ListAvatarSources(avatar_id=GUIDE), OPERATOR)).sources

    assert {source.id: source.status for source in sources if source.priority == "primary"} == {
        page.source.id: "synched" for page in guide_files()[2]
    }
    assert all(source.passages > 0 for source in sources if source.priority == "primary")


async def test_most_vectors_come_with_the_pages(workspace):
    embedder, vectors = await guide_recording.vectors_of_guide(workspace)
    missing = vectors.keys() - recorded_vectors(embedder).keys()

    assert len(missing) <= MOST_MISSING * len(vectors), "Run bin/guide."


async def test_a_guide_that_is_there_is_not_made_again(workspace):
    before = await workspace.backend.run(ListAvatarSources(avatar_id=GUIDE), OPERATOR)

    await ensure_guide(workspace)

    assert await workspace.backend.run(ListAvatarSources(avatar_id=GUIDE), OPERATOR) == before


@pytest.mark.parametrize("question", ASKED)
def test_a_plain_question_is_answered_from_the_page_that_knows(answers, question):
    answer = answers[question]

    assert not answer.abstained
    assert ASKED[question] in {citation.source for citation in answer.citations}


async def test_every_quote_stands_in_the_page_where_its_citation_says(workspace, answers):
    pages = {page.source.id: page.text for page in guide_files()[2]}
    cited = [citation for answer in answers.values() for citation in answer.citations]

    for citation in cited:
        place = {"documentId": citation.document_id, "start": citation.start, "end": citation.end}
        assert (await workspace.backend.run(ReadDocument.parse(place), OPERATOR)).text == citation.quote
        assert pages[citation.source_id][citation.start : citation.end] == citation.quote
    assert len(cited) >= len(ASKED)


@pytest.mark.parametrize("question", UNANSWERED)
def test_what_the_documentation_does_not_say_is_not_answered(answers, question):
    answer = answers[question]

    assert answer.abstained
    assert answer.citations == []


def test_a_page_is_read_as_a_reader_sees_it():
    page = as_read(
        "# A page\n<!-- rows: written by bin/docs -->\n| row |\n<!-- end of rows -->\n"
        "See **the** [other\npage](b.md#c).\n```sh\nbin/vivavoce ask guide 'Why?'\nls\n```\n"
    )

    assert page == "# A page\nSee the other\npage.\n```sh\nls\n```\n"


def test_prose_that_names_the_command_is_read_whole():
    prose = "Ask with `vivavoce ask guide`, and\nlook with `vivavoce ask --why` at what was found.\n"

    assert as_read(prose) == prose


async def test_the_guide_has_the_same_embedder_whichever_page_is_read_first(app, monkeypatch):
    config, entries, pages = guide_files()
    portuguese = [page for page in pages if page.source.id == "perguntas"]
    monkeypatch.setattr("vivavoce.upkeep.guide.guide_files", lambda: (config, entries, portuguese))

    await ensure_guide(app)

    assert [
        each.embedder for each in await app.ports.store.read(lambda tables: tables.collections.all())
    ] == [app.ports.embedders.chosen("en").identity]


async def test_two_who_ask_first_make_one_guide(settings):
    async with open_app(settings) as one, open_app(settings) as other:
        await asyncio.gather(ensure_guide(one), ensure_guide(other))
        sources = (await one.backend.run(ListAvatarSources(avatar_id=GUIDE), OPERATOR)).sources

    ids = [source.id for source in sources]
    assert sorted(ids) == sorted(set(ids))
    assert {source.status for source in sources if source.priority == "primary"} == {"synched"}


async def test_a_server_that_works_meanwhile_makes_the_guide_too(settings, caplog):
    async with open_app(settings, works=True) as app:
        await ensure_guide(app)
        sources = (await app.backend.run(ListAvatarSources(avatar_id=GUIDE), OPERATOR)).sources

    assert {source.status for source in sources if source.priority == "primary"} == {"synched"}
    assert caplog.messages == []


async def test_a_page_that_changed_and_one_that_is_gone_are_noticed(app, monkeypatch, tmp_path):
    pages = {"a": "# A page\n\nDucks swim.", "b": "# Another page\n\nGeese fly."}
    monkeypatch.setattr("vivavoce.upkeep.guide.FOLDER", written(tmp_path, pages))
    await ensure_guide(app)
    written(tmp_path, {"a": "# A page\n\nDucks dive."})

    await ensure_guide(app)

    sources = (await app.backend.run(ListAvatarSources(avatar_id=GUIDE), OPERATOR)).sources
    assert [(source.id, source.version, source.status) for source in sources] == [("a", 2, "synched")]


async def test_the_guide_is_not_written_into_a_hosted_account(settings):
    hosted = replace(settings, chatvolt_api_key="theirs", chatvolt_url="http://127.0.0.1:9")
    async with open_app(hosted) as app:
        with pytest.raises(NotAvailable, match="the tools work on a hosted account"):
            await ensure_guide(app)

        assert await app.ports.store.read(lambda tables: tables.avatars.count()) == 0


async def test_an_avatar_of_yours_with_the_same_id_is_left_alone(app):
    config = guide_files()[0]
    yours = {name: value for name, value in config.items() if name != "comesWith"} | {"name": "Ours"}
    await app.backend.run(CreateAvatar(config=yours), OPERATOR)

    await ensure_guide(app)

    found = await app.backend.run(GetAvatar(id=GUIDE), OPERATOR)
    assert (found.name, found.sources) == ("Ours", [])


async def test_a_guide_that_was_made_public_stays_so(app, monkeypatch, tmp_path):
    monkeypatch.setattr("vivavoce.upkeep.guide.FOLDER", written(tmp_path, {"a": "# A page\n\nDucks swim."}))
    await ensure_guide(app)
    await app.backend.run(UpdateAvatar(id=GUIDE, is_public=True), OPERATOR)
    written(tmp_path, {"b": "# Another page\n\nGeese fly."})

    await ensure_guide(app)

    assert (await app.backend.run(GetAvatar(id=GUIDE), OPERATOR)).is_public


def test_vectors_that_are_recorded_again_stay_as_they_were(tmp_path):
    numpy = pytest.importorskip("numpy")
    vectors = {
        f"{number:064x}": row.tobytes() for number, row in enumerate(numpy.eye(3, 8, dtype="<f2") + 0.1)
    }
    guide_recording.record("some", vectors, tmp_path / "one.npz")
    kept = recorded_vectors("some", tmp_path / "one.npz")

    guide_recording.record("some", kept, tmp_path / "one.npz")

    assert recorded_vectors("some", tmp_path / "one.npz") == kept
    assert recorded_vectors("another", tmp_path / "one.npz") == {}
    for hash, vector in vectors.items():
        near = numpy.frombuffer(kept[hash], "<f2") - numpy.frombuffer(vector, "<f2")
        assert abs(near).max() < 0.01


def written(place: Path, pages: dict[str, str]) -> Path:
    """A folder of a guide with these pages."""
    documents = place / "guide" / "corpus" / "open-access"
    documents.mkdir(parents=True, exist_ok=True)
    for id, text in pages.items():
        (documents / f"{id}.md").write_text(text, encoding="utf-8")
    (place / "guide" / "config.json").write_text(json.dumps(guide_files_config()), encoding="utf-8")
    sources = {"sources": [{"id": id, "title": f"The page {id}"} for id in pages]}
    (place / "guide" / "corpus" / "sources.json").write_text(json.dumps(sources), encoding="utf-8")
    return place / "guide"


def guide_files_config() -> dict[str, object]:
    return json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))
