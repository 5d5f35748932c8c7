"""Questions about what a thinker says."""

import pytest

from vivavoce.domain.questions.addressing import unaddressed

NAMES = ("Elinor Ostrom", "Ostrom")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What does Ostrom say about graduated sanctions?", "What is said about graduated sanctions?"),
        ("What did she think of privatisation?", "What is said about privatisation?"),
        ("what is Elinor Ostrom's view on the state?", "What is said about the state?"),
        ("What are her thoughts on forests?", "What is said about forests?"),
        ("Does she say anything about water?", "What is said about water?"),
        ("Why does Ostrom say that monitors matter?", "Why is it that monitors matter?"),
        ("According to Ostrom, who monitors the canals?", "Who monitors the canals?"),
        ("Who monitors the canals, according to Elinor Ostrom?", "Who monitors the canals?"),
        ("O que Ostrom diz sobre \u00e1gua?", "O que se diz sobre \u00e1gua?"),
        ("Segundo Ostrom, quem monitora os canais?", "Quem monitora os canais?"),
        ("\u00bfQu\u00e9 dice ella sobre el agua?", "\u00bfqu\u00e9 se dice sobre el agua?"),
        ("Que dit Ostrom de l'eau ?", "Que dit-on de l'eau?"),
        ("Selon Ostrom, qui surveille les canaux ?", "Qui surveille les canaux?"),
        ("Was sagt Ostrom über Wasser?", "Was wird gesagt über Wasser?"),
        ("Laut Ostrom, wer bewacht die Kanäle?", "Wer bewacht die Kanäle?"),
        ("Che cosa dice Ostrom dell'acqua?", "Che cosa si dice dell'acqua?"),
        ("Secondo Ostrom, chi sorveglia i canali?", "Chi sorveglia i canali?"),
    ],
)
def test_the_thinker_is_left_out(question, asked):
    assert " ".join(unaddressed(question, NAMES).replace(" ?", "?").split()) == asked


@pytest.mark.parametrize(
    "question",
    [
        "Where was Ostrom born?",
        "Who monitors the canals?",
        "What does Hardin say about herders?",
        "Why did Ostrom go to Nepal?",
        "",
    ],
)
def test_a_question_about_the_thinker_or_others_stays(question):
    assert unaddressed(question, NAMES) == question


@pytest.mark.parametrize(
    "question",
    [
        "Que fit l'État pour elle ?",
        "Was tat der Staat für sie?",
        "Was geschah nach Ostrom?",
        "Che cosa fece lo Stato per lei?",
    ],
)
def test_what_is_done_for_somebody_is_not_their_view(question):
    assert unaddressed(question, ("Elinor Ostrom", "Ostrom")) == question
