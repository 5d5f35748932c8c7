"""Answers that go on from what an avatar said before, without a model."""

import pytest

from .thinkers import open_thinker

GARDEN = (
    "A garden of the guild grew lavender, thyme and rosemary. Lavender was sold at the harbour. Thyme was "
    "kept for the kitchen. Rosemary was burnt in winter.",
    "What grew in the garden?",
)
ROOM = (
    "The reading room opened in 1820. Its founders were three printers, Hale, Brandt and Osei. Hale later "
    "sold his share to the town. Brandt printed a catalogue. Osei taught children on Sundays. The founders "
    "were proud of the reading room.",
    "Who were the three printers?",
)
WORKSHOPS = (
    "A cooperativa tem tr\u00eas oficinas: a carpintaria, a forja e a tecelagem. A carpintaria abre cedo. A "
    "forja foi constru\u00edda em 1890. A tecelagem emprega doze mulheres.",
    "Quais oficinas tem a cooperativa?",
)
CLOTH = (
    "El gremio compraba lino, lana y seda. El lino llegaba del norte. La lana se lavaba en el r\u00edo. La "
    "seda era muy cara.",
    "\u00bfQu\u00e9 compraba el gremio?",
)


@pytest.mark.parametrize(
    ("told", "question", "quote"),
    [
        (GARDEN, "and what about the second one?", "Thyme was kept for the kitchen."),
        (GARDEN, "And the first?", "Lavender was sold at the harbour."),
        (GARDEN, "the last one?", "Rosemary was burnt in winter."),
        (GARDEN, "What happened to the second one?", "Thyme was kept for the kitchen."),
        (GARDEN, "and what about thyme?", "Thyme was kept for the kitchen."),
        (ROOM, "And the second one?", "Brandt printed a catalogue."),
        (ROOM, "And Osei?", "Osei taught children on Sundays."),
        (WORKSHOPS, "E a segunda?", "A forja foi constru\u00edda em 1890."),
        (WORKSHOPS, "E quanto \u00e0 tecelagem?", "A tecelagem emprega doze mulheres."),
        (WORKSHOPS, "O que aconteceu com a primeira?", "A carpintaria abre cedo."),
        (CLOTH, "\u00bfy el segundo?", "La lana se lavaba en el r\u00edo."),
        (CLOTH, "\u00bfqu\u00e9 pas\u00f3 con el primero?", "El lino llegaba del norte."),
    ],
)
async def test_one_of_the_things_just_named_is_spoken_of_without_naming_them_all_again(
    tmp_path, told, question, quote
):
    text, first = told
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(text)
        before = await thinker.answers(first)
        context = [{"role": "alice", "content": first}, {"role": "avatar", "content": before["response"]}]
        answer = await thinker.answers(question, context=context)

    assert [each["quote"] for each in answer["citations"]] == [quote]


async def test_another_thing_is_asked_about_in_the_words_of_the_question_before(tmp_path):
    text = (
        "Reed wrote that water belongs to all who live by it. Reed wrote that land belongs to those who till "
        "it. Hale measured the land of the mill."
    )
    context = [
        {"role": "alice", "content": "What did Reed write about water?"},
        {"role": "avatar", "content": "Reed wrote that water belongs to all who live by it."},
    ]
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(text)
        answer = await thinker.answers("And about land?", context=context)
        why = await thinker.why(answer)

    assert [each["quote"] for each in answer["citations"]] == [
        "Reed wrote that land belongs to those who till it."
    ]
    assert why["lookedUp"] == "What did Reed write about land?"


@pytest.mark.parametrize(
    "question", ["And thyme?", "And when was it planted?", "And what about the year of planting?"]
)
async def test_what_alone_speaks_of_a_thing_is_said_again(tmp_path, question):
    said = "The garden was planted with thyme in the year 1712."
    context = [{"role": "alice", "content": "Who made the garden?"}, {"role": "avatar", "content": said}]
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(f"{said} The orchard was planted by a miller.")
        answer = await thinker.answers(question, context=context)

    assert said in [each["quote"] for each in answer["citations"]]


CLINIC = (
    "O exame de sangue custa 45 euros. O ultrassom abdominal custa 80 euros. O resultado sai em dois ou "
    "tr\u00eas dias. A primeira consulta dura uma hora."
)
PRAXIS = "Der Bluttest kostet 45 Euro. Der Ultraschall kostet 80 Euro. Die Sprechstunde beginnt um acht."
SHIPS = (
    "The Morning Star and the Kittiwake lie in the harbour. The first keeper of the light was Anne Hale. The "
    "Kittiwake was built in 1880. The Morning Star was built in 1891."
)


@pytest.mark.parametrize(
    ("text", "asked", "quote"),
    [
        (
            CLINIC,
            ["Quanto custam o exame de sangue e o ultrassom abdominal?", "E o segundo?"],
            "O ultrassom abdominal custa 80 euros.",
        ),
        (
            CLINIC,
            [
                "Quanto custam o exame de sangue e o ultrassom abdominal?",
                "Quanto dura a primeira consulta?",
            ],
            "A primeira consulta dura uma hora.",
        ),
        (
            PRAXIS,
            ["Was kosten der Bluttest und der Ultraschall?", "Und der zweite?"],
            "Der Ultraschall kostet 80 Euro.",
        ),
        (
            SHIPS,
            ["Tell me about the Morning Star and the Kittiwake.", "When was the second built?"],
            "The Kittiwake was built in 1880.",
        ),
    ],
)
async def test_an_ordinal_is_a_thing_just_named_only_where_no_noun_is_behind_it(tmp_path, text, asked, quote):
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(text)
        answer = await in_conversation(thinker, asked)

    assert [each["quote"] for each in answer["citations"]] == [quote]


BUILT = "The mill was built in 1712 by the weaver Hale."
MILL = (
    f"{BUILT} It stands on the left bank of the river. The flood of 1740 carried "
    "away its wheel. The wheel was made again of oak. Grinding costs two pence; widows pay nothing."
)
FEIRA = (
    "A feira de trocas acontece em agosto, na pra\u00e7a da vila. Come\u00e7ou em 1961 com oito barracas. A "
    "feira foi proibida em 1970. O prefeito queria cobrar imposto. A entrada custa um prato de milho. "
    "Estudantes n\u00e3o pagam entrada."
)

FEIRA_ON = ["O prefeito queria cobrar imposto.", "A entrada custa um prato de milho."]


@pytest.mark.parametrize(
    ("text", "asked", "quote"),
    [
        (
            MILL,
            ["When was the mill built?", "And by whom?"],
            BUILT,
        ),
        (MILL, ["Who built the mill?", "When?"], BUILT),
        (
            MILL,
            ["What does grinding cost?", "And for widows?"],
            "Grinding costs two pence; widows pay nothing.",
        ),
        (
            FEIRA,
            ["Onde acontece a feira de trocas?", "Desde quando?"],
            "Come\u00e7ou em 1961 com oito barracas.",
        ),
        (
            FEIRA,
            ["Quanto custa a entrada?", "E para estudantes?"],
            "Estudantes n\u00e3o pagam entrada.",
        ),
    ],
)
async def test_a_short_question_asks_another_thing_of_the_same_subject(tmp_path, text, asked, quote):
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(text)
        answer = await in_conversation(thinker, asked)

    assert quote in [each["quote"] for each in answer["citations"]]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        (MILL, ["When was the mill built?", "Why?"]),
        (MILL, ["When was the mill built?", "And by whom?", "Until when?"]),
        (MILL, ["When was the mill built?", "And in Portugal?"]),
        (FEIRA, ["Quando foi proibida a feira?", "Por qu\u00ea?"]),
        (FEIRA, ["Quando foi proibida a feira?", "E por quem?"]),
        (FEIRA, ["Quando acontece a feira de trocas?", "E no Brasil?"]),
    ],
)
async def test_what_was_said_is_not_said_again_where_it_does_not_answer(tmp_path, text, asked):
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(text)
        answer = await in_conversation(thinker, asked)

    assert answer["citations"] == []
    assert answer["confidence"] == "low"


@pytest.mark.parametrize(
    ("text", "asked", "quotes"),
    [
        (
            MILL,
            ["When was the mill built?", "Tell me more."],
            [
                "It stands on the left bank of the river.",
                "The flood of 1740 carried away its wheel.",
            ],
        ),
        (
            MILL,
            ["When was the mill built?", "Tell me more.", "And then?"],
            ["The wheel was made again of oak.", "Grinding costs two pence; widows pay nothing."],
        ),
        (FEIRA, ["Quando foi proibida a feira?", "Conte mais."], FEIRA_ON),
        (f"# Um\n\n{FEIRA}\n\n# Dois\n\nA ponte caiu ontem.", ["Estudantes pagam entrada?", "E?"], []),
        (MILL, ["When was the mill built?", "ok", "What is the capital of France?", "What else?"], []),
    ],
)
async def test_who_asks_for_more_is_read_on_to_the_end_of_the_chapter(tmp_path, text, asked, quotes):
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(text)
        answer = await in_conversation(thinker, asked)

    assert [each["quote"] for each in answer["citations"]] == quotes


async def test_a_word_that_it_was_heard_is_no_question(tmp_path):
    with open_thinker(tmp_path) as thinker:
        await (await thinker.opened()).reads(MILL)
        answer = await in_conversation(thinker, ["When was the mill built?", "ok"])

    assert answer["response"].startswith('I have read "Governing the Commons". Ask me')


async def in_conversation(thinker, questions):
    """The last answer, each question asked after those before it."""
    context = []
    for question in questions:
        answer = await thinker.answers(question, context=context)
        context += [
            {"role": "alice", "content": question},
            {"role": "avatar", "content": answer["response"]},
        ]
    return answer
