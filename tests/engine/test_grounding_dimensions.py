"""How tall, how heavy, how old: an avatar does not answer with another dimension of the same thing."""

from collections.abc import Iterator

import pytest

from tests.domain.measured import TOLD, TOLD_ANOTHER
from vivavoce.adapters.embedders.chosen import ChosenEmbedders

from .thinkers import open_thinker

TEXTS = {
    "en": "The bridge of Varn is 40 metres wide. The tower stands by the market.",
    "pt": "A ponte de Varna tem 40 metros de largura. A torre fica no mercado.",
    "es": "El puente de Varna tiene 40 metros de ancho. La torre está en el mercado.",
    "fr": "Le pont de Varna est large de 40 mètres. La tour se trouve au marché.",
    "de": "Die Brücke von Varn ist 40 Meter breit. Der Turm steht am Markt.",
    "it": "Il ponte di Varna è largo 40 metri. La torre si trova al mercato.",
}
TALL = {
    "en": "How tall is the bridge of Varn?",
    "pt": "Qual é a altura da ponte de Varna?",
    "es": "¿Qué altura tiene el puente de Varna?",
    "fr": "Quelle est la hauteur du pont de Varna ?",
    "de": "Wie hoch ist die Brücke von Varn?",
    "it": "Quanto è alto il ponte di Varna?",
}
WIDE = {
    "en": "How wide is the bridge of Varn?",
    "pt": "Qual é a largura da ponte de Varna?",
    "es": "¿Qué anchura tiene el puente de Varna?",
    "fr": "Quelle est la largeur du pont de Varna ?",
    "de": "Wie breit ist die Brücke von Varn?",
    "it": "Quanto è largo il ponte di Varna?",
}


@pytest.fixture(scope="module")
def built_in() -> Iterator[ChosenEmbedders]:
    """The models that come with the program."""
    embedders = ChosenEmbedders()
    yield embedders
    embedders.close()


@pytest.mark.parametrize("language", sorted(TEXTS))
async def test_how_wide_it_is_does_not_answer_how_tall_it_is(tmp_path, language):
    with open_thinker(tmp_path) as thinker:
        await thinker.opened()
        await thinker.reads(TEXTS[language])

        tall, wide = [await thinker.answers(asked[language]) for asked in (TALL, WIDE)]

    assert tall["abstained"]
    assert "40" in wide["citations"][0]["quote"]


async def test_the_sentence_that_tells_it_is_quoted(tmp_path):
    with open_thinker(tmp_path) as thinker:
        await thinker.opened()
        await thinker.reads("Die Brücke von Varn ist 40 Meter breit. Die Brücke von Varn ist 12 Meter hoch.")

        answer = await thinker.answers(TALL["de"])

    assert [each["quote"] for each in answer["citations"]] == ["Die Brücke von Varn ist 12 Meter hoch."]


@pytest.mark.parametrize(("language", "question", "text"), TOLD)
async def test_what_plainly_answers_is_quoted(tmp_path, built_in, language, question, text):
    with open_thinker(tmp_path, embedders=built_in) as thinker:
        await thinker.opened()
        await thinker.reads(text)

        answer = await thinker.answers(question)

    assert [each["quote"] for each in answer["citations"]] == [text]


@pytest.mark.parametrize(("language", "question", "text"), TOLD_ANOTHER)
async def test_what_certainly_measures_something_else_is_not(tmp_path, built_in, language, question, text):
    with open_thinker(tmp_path, embedders=built_in) as thinker:
        await thinker.opened()
        await thinker.reads(text)

        answer = await thinker.answers(question)

    assert answer["abstained"]


async def test_a_number_of_another_kind_is_said_beside_a_sentence_that_is_not(tmp_path, built_in):
    rent = "Die Miete für den Saal beträgt 300 Euro."
    with open_thinker(tmp_path, embedders=built_in) as thinker:
        await thinker.opened()
        await thinker.reads(f"Der Saal, für den die Miete gilt, ist 12 Meter breit. {rent}")

        answer = await thinker.answers("Wie hoch ist die Miete für den Saal?")

    assert [each["quote"] for each in answer["citations"]] == [rent]
