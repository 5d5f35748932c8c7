"""Short questions that go on with the one before them."""

import pytest

from vivavoce.domain.questions.ellipses import Resumed, resumed, told_in_full


def in_full(question, before):
    found = resumed(question, Resumed(before))
    return None if found is None else found.question


@pytest.mark.parametrize(
    ("question", "before", "meant"),
    [
        ("And by whom?", "When was the mill built?", "By whom was the mill built?"),
        ("when?", "What was the highest tide?", "When was the highest tide?"),
        ("Since when?", "Does the guild keep a book?", "Since when does the guild keep a book?"),
        ("Why?", "How high is the tower?", "Why is the tower high?"),
        ("And when was that?", "Who built the mill?", "When did someone built the mill?"),
        ("And why exactly?", "Where is the bell rung?", "Why is the bell rung?"),
        ("Where?", "Tell me about the old mill.", "Where is the old mill?"),
        ("How often?", "Hello. Who mends the nets?", "How often did someone mends the nets?"),
        ("With what tool?", "How is the tide measured?", "With what tool is the tide measured?"),
        ("Which herbs?", "What grew in the garden?", "Which herbs did someone grew in the garden?"),
        ("E por quem?", "Quando foi fundado o banco?", "Por quem foi fundado o banco?"),
        ("Desde quando?", "Onde acontece a feira?", "Desde quando acontece a feira?"),
        ("Por qu\u00ea?", "A feira foi proibida?", "Por qu\u00ea a feira foi proibida?"),
        ("E quanto?", "Quem paga a entrada?", "Quanto paga a entrada?"),
        ("Quando foi isso?", "Quem abriu a escola?", "Quando abriu a escola?"),
        ("Et par qui ?", "Quand le moulin fut-il bâti ?", "Par qui le moulin fut-il bâti?"),
        ("Pourquoi ?", "Où sonne-t-on la cloche ?", "Pourquoi sonne-t-on la cloche?"),
        ("Und seit wann?", "Wo findet der Markt statt?", "Seit wann findet der Markt statt?"),
        ("Warum nicht?", "Darf man im Fluss baden?", "Warum nicht darf man im Fluss baden?"),
        ("Warum das?", "Wann wurde die Mühle verkauft?", "Warum wurde die Mühle verkauft?"),
        ("E perché?", "Quando fu chiuso il mulino?", "Perché fu chiuso il mulino?"),
        ("Et pour les enfants ?", "Combien coûte le pain ?", "Combien coûte le pain pour les enfants?"),
        ("Und im Winter?", "Wann öffnet der Markt im Sommer?", "Wann öffnet der Markt im Winter?"),
        ("E per i ragazzi?", "Quanto costa il pane?", "Quanto costa il pane per i ragazzi?"),
        (
            "\u00bfY cu\u00e1ndo?",
            "\u00bfQui\u00e9n fund\u00f3 el gremio?",
            "Cu\u00e1ndo fund\u00f3 el gremio?",
        ),
    ],
)
def test_a_question_word_alone_asks_the_last_question_for_another_thing(question, before, meant):
    assert in_full(question, before) == meant


@pytest.mark.parametrize(
    ("question", "before", "meant"),
    [
        ("And for students?", "How much is the entry?", "How much is the entry for students?"),
        ("And to the assistants?", "What is paid to a keeper?", "What is paid to the assistants?"),
        ("in Portugal?", "When does the fair open?", "When does the fair open in Portugal?"),
        ("And in Porto?", "When does it open in Lisbon?", "When does it open in Porto?"),
        ("And about land?", "What did Reed write about water?", "What did Reed write about land?"),
        (
            "E de milho?",
            "Quantas variedades de feij\u00e3o s\u00e3o guardadas?",
            "Quantas variedades de milho s\u00e3o guardadas?",
        ),
        ("E para estudantes?", "Quanto custa a entrada?", "Quanto custa a entrada para estudantes?"),
        ("E em dinheiro?", "Quanto custa entrar na escola?", "Quanto custa entrar na escola em dinheiro?"),
        ("Em Portugal?", "Quando abre a feira?", "Quando abre a feira em Portugal?"),
        ("For students?", "How much is the entry?", "How much is the entry for students?"),
        (
            "And for the children of the keepers?",
            "How much is the entry?",
            "How much is the entry for the children of the keepers?",
        ),
        ("E no Porto?", "Quando abre em Lisboa?", "Quando abre no Porto?"),
    ],
)
def test_another_thing_is_asked_about_in_the_place_of_the_first(question, before, meant):
    assert in_full(question, before) == meant


@pytest.mark.parametrize(
    "question",
    [
        "And do they baptise their children?",
        "And how thick are its walls?",
        "When was the mill built?",
        "And thyme?",
        "For them?",
        "With pleasure.",
        "Of course, thank you",
        "",
    ],
)
def test_other_questions_are_left_as_they_are(question):
    assert resumed(question, Resumed("Who built the tower?")) is None


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("Aos domingos a loja abre?", "Onde fica a loja?"),
        ("No inverno chove muito?", "Onde fica a loja?"),
        ("Para estudantes h\u00e1 desconto?", "Onde fica a loja?"),
        ("Em 1920 havia escola?", "Onde fica a loja?"),
        ("Com quantos anos ela morreu?", "Onde fica a loja?"),
        ("Pra que serve?", "Onde fica a loja?"),
        ("E aos domingos a loja abre?", "Onde fica a loja?"),
        ("In winter are the gates closed?", "Who built the tower?"),
        ("On Sundays is it open?", "Who built the tower?"),
        ("At night do owls hunt?", "Who built the tower?"),
        ("In Porto who sells bread?", "Who built the tower?"),
        ("For example?", "Who built the tower?"),
        ("In general?", "Who built the tower?"),
        ("Of course?", "Who built the tower?"),
        ("By the way?", "Who built the tower?"),
        ("Por exemplo?", "Onde fica a loja?"),
    ],
)
def test_a_complete_question_that_begins_with_a_preposition_is_left_as_it_is(question, before):
    assert in_full(question, before) is None


def test_there_is_nothing_to_go_on_with_after_an_empty_or_a_very_long_message():
    assert in_full("Why?", "...") is None
    assert in_full("Why?", "word " * 200) is None


def test_small_talk_in_between_is_left_out():
    told = told_in_full(["Hello!", "When was the mill built?", "ok", "thanks!", "And by whom?"])

    assert [each.question for each in told] == ["When was the mill built?", "By whom was the mill built?"]


def test_each_short_question_goes_on_with_the_one_before_it():
    told = told_in_full(["When was the mill built?", "And by whom?", "In Marlby?", "And in Harrow?", "Why?"])

    assert [each.question for each in told] == [
        "When was the mill built?",
        "By whom was the mill built?",
        "By whom was the mill built in Marlby?",
        "By whom was the mill built in Harrow?",
        "Why was the mill built in Harrow?",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "Tell me more.",
        "more",
        "What else?",
        "And?",
        "and then?",
        "And later?",
        "Go on",
        "Tell me more about it, please",
        "Conte mais.",
        "Fale mais sobre isso",
        "O que mais?",
        "Mais alguma coisa?",
        "E...",
        "\u00bfY?",
        "\u00bfM\u00e1s?",
        "E depois?",
        "\u00bfY qu\u00e9 m\u00e1s?",
    ],
)
def test_more_is_asked_for_of_the_last_question(question):
    asked = Resumed("Who built the mill?")

    assert resumed(question, asked) == asked._replace(is_more=True)


@pytest.mark.parametrize(
    "question",
    ["More mills?", "What else did he build?", "E depois da seca, quem veio?", "Mas", "e", "y", "And"],
)
def test_more_of_something_else_is_another_question(question):
    found = resumed(question, Resumed("Who built the mill?"))

    assert found is None or not found.is_more


def test_more_has_no_accent_where_spanish_is_spoken_without_any():
    assert resumed("mas?", Resumed("\u00bfQui\u00e9n fund\u00f3 el gremio de los tejedores?")).is_more
    assert resumed("Mas?", Resumed("Quem abriu a escola da vila?")) is None


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("What happened?", "When was the mill built?"),
        ("What is that?", "When was the mill built?"),
        ("Who was that?", "When was the mill built?"),
        ("O que \u00e9 isso?", "Quanto custa o p\u00e3o?"),
    ],
)
def test_what_asks_for_a_thing_itself_is_another_question(question, before):
    assert in_full(question, before) is None


def test_what_comes_after_something_is_asked_of_the_same():
    before = "Quantas fam\u00edlias tinha o banco?"

    assert in_full("E depois da seca?", before) == "Quantas fam\u00edlias tinha o banco depois da seca?"


def test_a_portuguese_article_is_no_italian_link():
    assert in_full("e a segunda?", "Quais são as três demoras?") is None
