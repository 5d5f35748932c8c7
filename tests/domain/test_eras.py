"""Whether a question is about a time after the corpus."""

from datetime import date

import pytest

from vivavoce.domain.questions.eras import later_than

ENDS = date(2012, 6, 12)
NOW = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What did she think of the elections of 2016?", "2016"),
        ("How were forests governed in the 2020s?", "2020s"),
        ("What will the 22nd century bring?", "22nd century"),
        ("What does she say about fisheries today?", "today"),
        ("Who currently leads the workshop?", "currently"),
        ("What are the latest findings on commons?", "the latest"),
        ("What would she say to the current president?", "the current president"),
        ("What is the latest AI good for?", "the latest"),
        ("How do people fish nowadays?", "nowadays"),
        ("What happened in 2020 farmers remember?", "2020"),
        ("What did she say about ChatGPT?", "ChatGPT"),
        ("How did COVID-19 change the commons?", "COVID-19"),
        ("O que ela pensa da pol\u00edtica atualmente?", "atualmente"),
        ("O que aconteceu em 2019?", "2019"),
        ("O que ela diz hoje em dia?", "hoje em dia"),
        ("\u00bfQu\u00e9 pasa hoy en d\u00eda con los bosques?", "hoy en d\u00eda"),
        ("\u00bfQu\u00e9 ocurri\u00f3 en 2020?", "2020"),
        ("\u00bfC\u00f3mo est\u00e1n los comunes en la actualidad?", "en la actualidad"),
        ("Que disent les pêcheurs aujourd'hui ?", "aujourd'hui"),
        ("Comment pêche-t-on au XXIIe siècle ?", "XXIIe siècle"),
        ("Was kostet ein Netz derzeit?", "derzeit"),
        ("Wie fischte man in den 2020er Jahren?", "2020er"),
        ("Che cosa pensa dei pescatori di oggi?", "oggi"),
        ("Che cosa è successo negli anni 2020?", "2020"),
    ],
)
def test_later_times_are_found(question, word):
    found = later_than(question, ENDS, NOW)

    assert found is not None
    assert found.word == word


@pytest.mark.parametrize(
    "question",
    [
        "What happened in 1990?",
        "What did she find in 2012?",
        "How were the huertas governed in the 15th century?",
        "What does she say about the 1960s?",
        "How many of the 2050 pages deal with fish?",
        "What is the tragedy of the commons?",
        "What happened in the twentieth century?",
        "O que ela escreveu em 1990?",
        "O que dizem as regras do s\u00e9culo XX?",
        "What did she write about computers?",
        "How strong is the current in the river?",
        "What did she do the next year after the flood?",
        "What does she say about the latest date to return seed?",
        "Must seed be returned in March at the latest?",
        "Do the kinds lent in 2050 grams weigh more?",
        "What does rule 2050 say?",
        "",
    ],
)
def test_times_of_the_corpus_are_no_limit(question):
    assert later_than(question, ENDS, NOW) is None


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("What did Voltaire think of the twentieth century?", "twentieth century"),
        ("O que Voltaire disse do s\u00e9culo XX?", "s\u00e9culo XX"),
        ("\u00bfQu\u00e9 dijo Voltaire del siglo XIX?", "siglo XIX"),
        ("What did Voltaire say about television?", "television"),
        ("What is said of the Second World War?", "Second World War"),
    ],
)
def test_centuries_and_things_after_an_old_corpus_are_found(question, word):
    found = later_than(question, date(1778, 5, 30), NOW)

    assert found is not None
    assert found.word == word


def test_a_corpus_without_an_end_has_no_limit():
    assert later_than("What happened in 2025?", None, NOW) is None


def test_the_present_is_no_limit_for_a_corpus_that_goes_on():
    assert later_than("What is the rule today?", date(2030, 1, 1), NOW) is None
    assert later_than("What is the rule in 2031?", date(2030, 1, 1), NOW) is not None


@pytest.mark.parametrize(
    "thing",
    [
        "Napoleon",
        "the French Revolution",
        "the guillotine",
        "Darwin",
        "Marx",
        "railways",
        "photography",
        "the American Civil War",
        "artificial intelligence",
        "a Revolu\u00e7\u00e3o Francesa",
        "as estradas de ferro",
        "Napole\u00e3o",
        "intelig\u00eancia artificial",
    ],
)
def test_things_of_every_century_after_the_corpus_are_known(thing):
    found = later_than(f"What is said about {thing}?", date(1778, 12, 31), NOW)

    assert found is not None
    assert found.word in thing


@pytest.mark.parametrize("thing", ["the earthquake of Lisbon", "the telescope", "inoculation", "the Jesuits"])
def test_things_of_its_own_time_are_no_limit(thing):
    assert later_than(f"What is said about {thing}?", date(1778, 12, 31), NOW) is None


@pytest.mark.parametrize("war", ["World War II", "Second World War", "Segunda Guerra Mundial"])
def test_a_corpus_that_ends_in_1938_ended_before_the_second_world_war_and_not_before_hitler(war):
    found = later_than(f"What is said of the {war}?", date(1938, 12, 31), NOW)

    assert found is not None
    assert found.word == war
    assert later_than(f"What is said of the {war}?", date(1939, 12, 31), NOW) is None
    assert later_than("What is said of Hitler?", date(1938, 12, 31), NOW) is None


@pytest.mark.parametrize(
    ("question", "language", "named"),
    [
        ("What did she think of the First World War?", "en", "of the First World War"),
        ("What happened in 1925?", "en", "of 1925"),
        ("O que ela disse da Primeira Guerra Mundial?", "pt", "da Primeira Guerra Mundial"),
        ("O que houve em 1925?", "pt", "de 1925"),
        ("\u00bfQu\u00e9 dijo sobre la Primera Guerra Mundial?", "es", "de la Primera Guerra Mundial"),
        ("Que dit-elle de la Première Guerre mondiale ?", "fr", "de la Première Guerre mondiale"),
        ("Qu'a-t-elle dit de l'Union européenne ?", "fr", "de l'Union européenne"),
        ("Was sagt sie über den Ersten Weltkrieg?", "de", "über den Ersten Weltkrieg"),
        ("Was geschah 1925?", "de", "über 1925"),
        ("Che cosa accadde nel 1925?", "it", "del 1925"),
        ("Che cosa accadde negli anni 1930?", "it", "del 1930"),
        ("Che cosa dice sugli aerei e su internet?", "it", "di internet"),
        ("Que dit-elle sur Internet ?", "fr", "d'Internet"),
        ("Que s'est-il passé en 1925 ?", "fr", "de 1925"),
        ("Was geschah im Zweiten Weltkrieg?", "de", "über den Zweiten Weltkrieg"),
        ("Was steht im Internet?", "de", "über das Internet"),
        ("Was geschah im 21. Jahrhundert?", "de", "über das 21. Jahrhundert"),
        ("Was geschah im Jahr 1925?", "de", "über 1925"),
        ("Was geschah in den 1930er Jahren?", "de", "über die 1930er"),
    ],
)
def test_what_came_later_is_named_with_its_article(question, language, named):
    later = later_than(question, date(1912, 12, 31), date(2026, 1, 1))

    assert later is not None
    assert later.after_of(language) == named
