"""Questions: which of their words say what they are about."""

import pytest

from vivavoce.domain.questions.subjects import points_back, telling_words, wanted_in


@pytest.mark.parametrize(
    ("question", "language", "telling"),
    [
        ("What does Pangloss teach about the best worlds?", "en", {"pangloss", "best", "worlds"}),
        ("Where did Pangloss teach?", "en", {"pangloss", "teach"}),
        ("Why do we praise the busy, according to the author?", "en", {"praise", "busy"}),
        ("O que o autor pensa das m\u00e1quinas?", "pt", {"maquinas"}),
        ("Quem ensina matem\u00e1tica?", "pt", {"ensina", "matematica"}),
    ],
)
def test_who_speaks_is_not_what_a_question_is_about(question, language, telling):
    assert telling_words(question, language) == telling


@pytest.mark.parametrize(
    ("question", "language", "telling"),
    [
        ("Como faço para alugar um barco?", "pt", {"alugar", "barco"}),
        ("Existem remos aí?", "pt", {"remos"}),
        ("¿Se pueden hacer reservas?", "es", {"reservas"}),
        ("Combien de rames faut-il ?", "fr", {"rames"}),
        ("Comment s'appelle le passeur ?", "fr", {"passeur"}),
        ("Y a-t-il des rames ?", "fr", {"rames"}),
        ("Wann darf ich ein Boot mieten?", "de", {"boot", "mieten"}),
        ("Wie viele Ruder gibt es?", "de", {"ruder"}),
        ("Quali barche posso noleggiare?", "it", {"barche", "noleggiare"}),
        ("Qual è il prezzo dello sconto sui remi?", "it", {"prezzo", "sconto", "remi"}),
        ("Darf ich meinen Kahn jemand anderem geben?", "de", {"kahn", "geben"}),
        ("Ab wann hat man hier seinen Kahn?", "de", {"kahn"}),
        ("¿De qué están hechos vuestros remos?", "es", {"remos"}),
        ("Avec quoi ces rames furent-elles faites ?", "fr", {"rames"}),
        ("De que são feitos nossos remos?", "pt", {"remos"}),
    ],
)
def test_the_words_that_a_question_is_made_of_are_not_what_it_is_about(question, language, telling):
    assert telling_words(question, language) == telling


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("Em que mês abre a feira?", "pt", {"mes"}),
        ("Quanto tempo dura a feira?", "pt", {"temp", "dur"}),
        ("Quanto custou a bomba?", "pt", {"cust"}),
        ("¿Cuánto costó la bomba?", "es", {"cost"}),
        ("¿Cuál es la altura de la torre?", "es", {"altur"}),
        ("Combien a coûté la pompe ?", "fr", {"cout"}),
        ("Quels sont les horaires du bac ?", "fr", {"horair"}),
        ("Quelle est la largeur du pont ?", "fr", {"largeur"}),
        ("Wie breit ist die Brücke?", "de", {"breit"}),
        ("Quanto è costata la pompa?", "it", {"cost"}),
    ],
)
def test_a_word_that_an_answer_gives_in_figures_weighs_less(question, language, words):
    wanted = wanted_in(question, (), language).words

    assert {word for word, weight in wanted.items() if weight < 1} == words


@pytest.mark.parametrize(
    ("question", "language", "known"),
    [
        ("Darf man Boote mieten?", "de", {"boot", "erlaubt"}),
        ("Peut-on louer une barque ?", "fr", {"barqu", "interd"}),
        ("Posso noleggiare una barca?", "it", {"barc", "viet"}),
    ],
)
def test_what_allows_and_forbids_is_what_a_question_for_leave_is_about(question, language, known):
    held = wanted_in(question, (), language).against(known).words.keys()

    assert known <= held
    assert not wanted_in(question, (), language).words.keys() >= known


def test_what_an_apostrophe_parts_tells_word_by_word_but_no_single_letter():
    assert telling_words("Why is O'Brien's coat red?", "en") == {"brien", "coat", "red"}


@pytest.mark.parametrize(("question", "is_back"), [("Who paid?", True), ("Why bees?", False), ("Why?", True)])
def test_a_verb_behind_a_question_word_points_back_but_a_thing_behind_why_does_not(question, is_back):
    assert points_back(question) == is_back


def test_a_word_that_only_frames_is_not_looked_for():
    assert wanted_in("What does she say about taxes?", (), "en").words.keys() == {"tax"}
