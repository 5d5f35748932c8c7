"""Searching a corpus: the default threshold finds what is asked for, and only that, where it stands."""

from collections.abc import Iterator

import pytest

from tests.ports.pdfs_made import pdf
from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.testing import TestModels, open_test_engine

from .thinkers import BOOK, CONFIG, Thinker

LEAFLET = {**BOOK, "title": "Kayak club", "year": 2021}
PAGES = [
    "Opening hours\nThe boathouse is open from April to October, Tuesday to Sunday, from nine to seven. "
    "It is closed on Mondays for repairs.",
    "Fees\nA day pass costs twelve pounds for adults and seven pounds for children under fourteen. "
    "An annual membership is ninety pounds and includes the loan of a paddle.",
    "Safety on the river\nEveryone must wear a buoyancy aid on the water. Beginners stay above the weir. "
    "If your boat capsizes, hold on to it and swim to the left bank.",
    "Storing your own boat\nMembers may keep one boat on the racks behind the shed. Rack space is forty "
    "pounds a year. Boats without a name tag are removed in November.",
]
QUESTIONS = """\
Qual \u00e9 o prazo de entrega?
Entregamos em at\u00e9 sete dias \u00fateis na regi\u00e3o Sudeste e em at\u00e9 doze nas demais.

Como lavar a rede de algod\u00e3o?
Lave \u00e0 m\u00e3o com sab\u00e3o neutro e seque \u00e0 sombra. N\u00e3o use alvejante.

Voc\u00eas t\u00eam loja f\u00edsica?
Temos uma loja em Fortaleza, na Rua das Rendeiras, aberta de ter\u00e7a a domingo.

A cadeira suspensa vem com o suporte?
N\u00e3o. O suporte de a\u00e7o \u00e9 vendido separadamente por cento e noventa reais.
"""
TERMS = """\
# Terms of the car share

## Fuel
Fuel is included. Use the card in the glove box and park with at least a quarter of the tank full.

## Damage
Report scratches before you start. For damage that you cause you pay at most seven hundred dollars.

## Late return
Each half hour of delay costs fifteen dollars. Call us if you are stuck.

## Abroad
You may drive to Canada but not to Mexico.

## Smoking
Smoking is not allowed in any car. The fine is one hundred and fifty dollars.
"""
ESSAY = """\
When a drought came to the Karst, the order of drawing was fixed by an old woman who was called the \
keeper of the rope. She drew lots in spring, and nobody could buy a better place, neither with money nor \
with goats nor with a daughter. Travellers were given water first, whatever the lot had said, and whoever \
grumbled about it was reminded that he too would be thirsty on a strange road one day. So the keeper was \
feared and liked, and the rope hung in her house, where she could see from her bed that nobody touched \
it.

Quarrels were heard under the lime tree on the first Monday of the month. The fine for drawing out of \
turn was a day of cleaning the channel, which every child had seen somebody pay. Whoever refused the fine \
was not fined again; he was simply no longer greeted, and few held out until the harvest. The priest was \
not asked, for he drank from the well as well, and the mayor lived in the valley, where water came out of \
the wall and nobody had ever counted a bucket.

In 1903 the province built a pipeline of iron pipes. Within ten years the wells were full of stones, and \
the ropes had become clothes lines. When the pumps failed in the war, no one remembered how the turns had \
been kept, and two villages fought over a single cistern until soldiers came and drank it empty. I have \
come to believe that the well was less a source of water than a school of agreement. The pipeline gave \
water and closed the school.
"""


@pytest.fixture(scope="module")
def built_in() -> Iterator[ChosenEmbedders]:
    embedders = ChosenEmbedders()
    yield embedders
    embedders.close()


@pytest.fixture
async def thinker(tmp_path, built_in):
    """An avatar that has read nothing yet, with the embedder that comes with the program."""
    with open_test_engine(tmp_path, embedders=built_in) as engine:
        yield await Thinker(engine, TestModels(None)).opened(sources=[LEAFLET])


async def found(thinker: Thinker, query: str) -> list[dict]:
    """What is found without saying how likely it must be; offsets lead to the very words."""
    passages = (await thinker.run("query_corpus", avatarId=CONFIG["id"], query=query))["passages"]
    for each in passages:
        text = await thinker.document(each["document_id"])
        assert each["content"] == text[each["start"] : each["end"]]
    return passages


async def test_what_stands_on_a_short_page_is_found_there(thinker, tmp_path):
    await thinker.reads_file(tmp_path / "leaflet.pdf", pdf(PAGES))

    for page, query in enumerate(
        (
            "On which day is the boathouse closed for repairs?",
            "What is the price of an annual membership?",
            "What should I do if my boat capsizes?",
            "How much is rack space for a boat?",
        ),
        start=1,
    ):
        best, *_ = await found(thinker, query)
        assert (best["source"], best["year"], best["page"]) == ("Kayak club", 2021, page)
        assert " ".join(best["content"].split()) == " ".join(PAGES[page - 1].split())
    for query in ("How do I bake sourdough bread?", "Does the club rent wetsuits?"):
        assert await found(thinker, query) == []


async def test_an_entry_among_frequent_questions_is_found_with_its_answer_alone(thinker):
    await thinker.reads(QUESTIONS, {"id": "faq", "title": "Perguntas"})

    for entry in QUESTIONS.strip().split("\n\n"):
        best, *_ = await found(thinker, entry.split("\n")[0])
        assert best["content"] == entry
    assert await found(thinker, "Quem escreveu Dom Casmurro?") == []


async def test_a_short_section_is_found_alone(thinker):
    await thinker.reads(TERMS, {"id": "terms", "title": "Terms"})

    for query, section in {
        "Is fuel included?": "## Fuel",
        "What do I pay at most for damage that I cause?": "## Damage",
        "What does each half hour of delay cost?": "## Late return",
        "Is smoking allowed in the car?": "## Smoking",
    }.items():
        best, *_ = await found(thinker, query)
        assert section in best["content"]
        assert best["content"].count("##") == 1
    for query in ("Where was Napoleon born?", "Do you offer child seats?"):
        assert await found(thinker, query) == []


async def test_a_paragraph_of_an_essay_is_found_alone(thinker):
    await thinker.reads(ESSAY, {"id": "essay", "title": "Wells"})

    paragraphs = ESSAY.strip().split("\n\n")
    for query, paragraph in zip(
        (
            "Who fixed the order of drawing when a drought came?",
            "What was the fine for drawing out of turn?",
            "When did the province build a pipeline?",
        ),
        paragraphs,
        strict=True,
    ):
        best, *_ = await found(thinker, query)
        assert best["content"] == paragraph
    assert await found(thinker, "How do I install a video driver?") == []


async def test_what_is_asked_in_quite_other_words_is_found(thinker, tmp_path):
    await thinker.reads_file(tmp_path / "leaflet.pdf", pdf(PAGES))
    await thinker.reads(TERMS, {"id": "terms", "title": "Terms"})
    await thinker.reads(ESSAY, {"id": "essay", "title": "Wells"})

    for query, words in {
        "Which weekday can't I go paddling?": "closed on Mondays",
        "Where can I leave my own canoe?": "keep one boat on the racks",
        "What do I owe if I bring the vehicle back after the agreed time?": "Each half hour of delay",
        "Am I allowed to cross the border?": "drive to Canada",
        "Who decided which household could fetch water first?": "the keeper of the rope",
        "kayak membership price": "annual membership is ninety pounds",
    }.items():
        best, *_ = await found(thinker, query)
        assert words in " ".join(best["content"].split()), query
    for query in (
        "Is there parking at the boathouse?",
        "Who founded the club?",
        "How long is the insurance valid?",
    ):
        assert await found(thinker, query) == [], query


@pytest.mark.parametrize("query", ["Tell me about smoking.", "What is said about smoking?", "smoking"])
async def test_a_subject_is_searched_for_however_it_is_put(thinker, query):
    await thinker.reads(TERMS, {"id": "terms", "title": "Terms"})

    best, *_ = await found(thinker, query)

    assert "## Smoking" in best["content"]
    assert best == (await found(thinker, "smoking"))[0]
