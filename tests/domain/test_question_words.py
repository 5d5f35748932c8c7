"""What a question begins with, and what gives it."""

import pytest

from vivavoce.domain.questions.giving import gives, may_give
from vivavoce.domain.questions.question_words import question_word_in


@pytest.mark.parametrize(
    ("question", "kind", "written"),
    [
        ("And by whom was it built?", "agent", "by whom"),
        ("Since when?", "since", "Since when"),
        ("In what year did it open?", "time", "In what year"),
        ("\u00bfPor qu\u00e9?", "reason", "Por qu\u00e9"),
        ("E at\u00e9 quando?", "until", "at\u00e9 quando"),
        ("Quanto custa?", "price", "Quanto"),
        ("Quanto tempo dura?", "duration", "Quanto tempo"),
        ("How high is it?", "measure", "How high"),
    ],
)
def test_a_question_is_known_by_its_first_words(question, kind, written):
    word = question_word_in(question)

    assert word is not None
    assert (word.kind, word.written) == (kind, written)


@pytest.mark.parametrize("question", ["Tell me when", "E quanto ao segundo?", "Whenever it rains", "", "?"])
def test_other_words_ask_for_nothing_yet(question):
    assert question_word_in(question) is None


@pytest.mark.parametrize(
    ("kind", "text", "is_given"),
    [
        ("agent", "It was designed by the engineer.", True),
        ("agent", "In those years Josiah Pell built it.", True),
        ("agent", "The tower at Harrow Point was begun in April 1847.", False),
        ("agent", "Foi fundado por vinte e tr\u00eas fam\u00edlias.", True),
        ("agent", "Um pote conserva o milho por tr\u00eas anos.", False),
        ("time", "It was lit on the ninth of November.", True),
        ("time", "It was lit by the keepers.", False),
        ("place", "It was begun in April 1847.", False),
        ("place", "It was begun at the quarry.", True),
        ("place", "Acontece no primeiro s\u00e1bado de agosto.", False),
        ("place", "Acontece na pra\u00e7a.", True),
        ("since", "Foi proibida em 1970.", False),
        ("since", "Come\u00e7ou em 1961 com oito barracas.", True),
        ("reason", "He walked to the mill.", False),
        ("reason", "He walked, because the mule was ill.", True),
        ("manner", "Anything may tell how.", True),
    ],
)
def test_a_sentence_gives_what_is_asked_for_or_lacks_it(kind, text, is_given):
    assert gives(kind, text, "") == is_given


def test_what_the_question_names_itself_is_not_given():
    assert not gives("time", "The drought of 1958 was long.", "When did the drought of 1958 end?")


@pytest.mark.parametrize(
    ("kind", "text", "question"),
    [
        ("since", "O moinho funciona desde 1820.", "Desde quando funciona o moinho?"),
        ("until", "It ran until the flood.", "Until when did it run?"),
        ("frequency", "It is rung three times.", "How many times is it rung?"),
        ("reason", "The reason was the flood.", "For what reason was it closed?"),
        ("reason", "Cerró, ya que no había trigo.", "¿Por qué cerró el molino?"),
        ("reason", "Fechou, dado que faltava trigo.", "Por que fechou o moinho?"),
    ],
)
def test_the_words_that_ask_may_stand_in_the_answer(kind, text, question):
    assert gives(kind, text, question)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("time", "It opens at 8 am."),
        ("time", "It opens at 8:30."),
        ("time", "It is open from 8 to 12."),
        ("time", "Abre \u00e0s 8h30."),
        ("time", "Rome fell in 476."),
        ("place", "The road runs between Harrow and York."),
        ("place", "Fica entre os montes."),
        ("place", "O moinho fica \u00e0 beira do rio."),
        ("place", "Fica ao lado da ponte."),
        ("person", "Pell built the mill."),
        ("agent", "In those years Pell built it."),
        ("duration", "They sang all morning."),
        ("duration", "Cantaram toda a manh\u00e3."),
    ],
)
def test_what_is_asked_for_is_given_in_many_ways(kind, text):
    assert gives(kind, text, "")


@pytest.mark.parametrize(
    "text",
    ["The mill stood at Harrow.", "In April it was closed.", "It was sold on Monday.", "No Porto chove."],
)
def test_places_and_days_are_nobody(text):
    assert not gives("person", text, "")


@pytest.mark.parametrize(
    "text", ["It was closed after the flood.", "It closed when its owner died.", "Fechou com a cheia."]
)
def test_what_came_before_may_be_the_reason(text):
    assert may_give("reason", text, "Why was the mill closed?")
    assert not gives("reason", text, "Why was the mill closed?")


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Où sonne-t-on ?", "place"),
        ("Combien de cloches y a-t-il ?", "count"),
        ("Combien coûte la cloche ?", "price"),
        ("Qui sonne ?", "person"),
        ("Und wie lange?", "duration"),
        ("Wie viele Glocken?", "count"),
        ("Was ist das?", "thing"),
        ("Perché suona?", "reason"),
        ("Da chi?", "agent"),
        ("Quante campane?", "count"),
    ],
)
def test_questions_begin_with_them_in_french_german_and_italian_too(question, kind):
    word = question_word_in(question)

    assert word is not None
    assert word.kind == kind


@pytest.mark.parametrize("question", ["Was the bell rung?", "Ou sonne a campainha", "Dove sings"])
def test_words_that_only_look_like_them_ask_for_no_thing(question):
    word = question_word_in(question)

    assert word is None or word.kind != "thing"


@pytest.mark.parametrize(
    ("kind", "having", "lacking"),
    [
        ("time", "La cloche sonne depuis le mois de mai.", "La cloche est faite de cuivre."),
        ("reason", "Die Glocke schweigt, weil sie einen Riss hat.", "Die Glocke ist sehr alt."),
        ("price", "La campana è costata dodici euro.", "La campana è di bronzo."),
    ],
)
def test_what_they_ask_for_is_known_in_french_german_and_italian(kind, having, lacking):
    assert gives(kind, having, "")
    assert not gives(kind, lacking, "")
