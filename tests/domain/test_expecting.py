"""Expecting: a question says which kind of thing answers it, and a sentence has one or not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.language.languages import language_of
from vivavoce.domain.questions.expecting import expected_by


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Quantos livros o aluno pode levar?", "count"),
        ("Quanto custa a entrada do museu?", "money"),
        ("Quanto Maria ganhava por mês?", "money"),
        ("Qual é o prazo para recorrer?", "duration"),
        ("De quanto em quanto tempo passa o trem?", "duration"),
        ("Em quanto tempo sai a carteirinha?", "duration"),
        ("Qual era a extensão da linha?", "length"),
        ("A que temperatura o forno trabalha?", "temperature"),
        ("Em que ano foi aberta a ponte?", "date"),
        ("Até quando vale a oferta?", "date"),
        ("Quem construiu a ponte?", "person"),
        ("Por que a fábrica fechou?", "reason"),
        ("How many locks does the canal have?", "count"),
        ("how much did the bridge cost", "money"),
        ("How long did the war last?", "duration"),
        ("how long is the canal", "length"),
        ("in which year was the canal opened", "date"),
        ("Who opened the canal?", "person"),
        ("Why was the canal dug?", "reason"),
        ("¿Cuántas esclusas tiene el canal?", "count"),
        ("¿A qué hora sale el barco?", "date"),
        ("¿Quién excavó el canal?", "person"),
        ("¿Cuánto tardan las barcas?", "duration"),
        ("Combien d'écluses y a-t-il ?", "count"),
        ("Combien de temps dure le trajet ?", "duration"),
        ("Combien coûte le passage ?", "money"),
        ("En quelle année le canal fut-il ouvert ?", "date"),
        ("Comment s'appelle l'éclusier ?", "person"),
        ("Pourquoi le canal fut-il creusé ?", "reason"),
        ("Wie viele Schleusen hat der Kanal?", "count"),
        ("Wie lange dauert die Fahrt?", "duration"),
        ("Was kostet eine Fahrt?", "money"),
        ("Seit wann gibt es den Kanal?", "date"),
        ("Wer hat den Kanal gebaut?", "person"),
        ("Weshalb wurde der Kanal gebaut?", "reason"),
        ("Quante chiuse ha il canale?", "count"),
        ("Quanto dura il viaggio?", "duration"),
        ("In che anno fu aperto il canale?", "date"),
        ("Chi ha scavato il canale?", "person"),
        ("Perché fu scavato il canale?", "reason"),
        ("Quanto dinheiro rendeu a barca?", "money"),
        ("¿Cuánto dinero cobran los barqueros?", "money"),
        ("Combien d'argent rapporte le canal ?", "money"),
        ("Quanti soldi ci vogliono per il viaggio?", "money"),
    ],
)
def test_a_question_says_which_kind_of_thing_it_wants(question, kind):
    expected = expected_by(question, language_of(question, "en"))

    assert expected is not None
    assert expected.kind == kind


@pytest.mark.parametrize(
    "question",
    [
        "O que come o lobo-guará?",
        "Quem paga o frete?",
        "Quantos são?",
        "O que acontece quando chove?",
        "",
    ],
)
def test_any_sentence_may_answer_a_question_that_names_no_kind(question):
    assert expected_by(question, "pt") is None


def test_a_language_without_a_table_expects_nothing():
    assert expected_by("Hoeveel boeken mag ik lenen?", "nl") is None


@pytest.mark.parametrize(
    ("question", "having", "lacking"),
    [
        (
            "Quantos livros posso levar?",
            "Cada aluno leva até cinco bons livros.",
            "Os livros ficam com cinco alunos.",
        ),
        ("Quantas doses são necessárias?", "Uma dose protege por toda a vida.", "A vacina protege a vida."),
        ("Quanto custa a entrada?", "A entrada sai por R$ 12.", "A entrada fica na rua Direita, 12."),
        ("Quanto tempo dura o voo?", "O voo dura duas horas e meia.", "O voo parte do aeroporto 2."),
        ("Quando abriu a ponte?", "A ponte abriu em maio de 1922.", "A ponte abriu com uma festa."),
        (
            "Quem abriu a ponte de Ilhéus?",
            "A ponte foi aberta por Ana Prado.",
            "A ponte de Ilhéus foi aberta.",
        ),
        ("Por que a loja fechou?", "A loja fechou por falta de clientes.", "A loja fechou em 2009."),
        ("How many locks are there?", "The canal has 83 stone locks.", "The 83 boats wait at the locks."),
        ("how tall is the tower", "The tower stands 26 metres high.", "The tower has 26 windows."),
        ("¿Cuánto pagan los socios?", "Los socios pagan doce euros.", "Los socios pagan en la puerta 12."),
        ("Combien de barques y a-t-il ?", "On compte trente barques.", "Les barques ont trente ans."),
        ("Quand ouvre l'écluse ?", "L'écluse ouvre en mars.", "L'écluse ouvre avec une clé."),
        ("Wie viele Boote gibt es?", "Es gibt vierundzwanzig Boote.", "Die Boote haben 24 Ruder."),
        ("Wer hat die Schleuse gebaut?", "Die Baumeisterin Ute Hart tat es.", "Die Schleuse hat ein Tor."),
        ("Wie alt ist die Schleuse?", "Sie ist achtzig Jahre alt.", "Die Schleuse hat achtzig Stufen."),
        ("Quante barche ci sono?", "Ci sono ventisei barche.", "Le barche hanno 26 remi."),
        ("Perché fermarsi?", "Si ferma perché piove.", "Si ferma con la corda."),
        ("Perché la chiusa è chiusa?", "È chiusa affinché il fiume cali.", "È chiusa da maggio."),
    ],
)
def test_a_sentence_has_the_thing_that_is_asked_for_or_lacks_it(question, having, lacking):
    expected = expected_by(question, language_of(question, "en"))

    assert expected.is_in(having)
    assert not expected.is_in(lacking)


@pytest.mark.parametrize(
    ("language", "question", "free", "other"),
    [
        (
            "en",
            "How much is a ticket for children?",
            "Children under 12 | free",
            "Children under 12 come along.",
        ),
        (
            "en",
            "How much do children pay?",
            "There is no charge for children.",
            "The children are in charge.",
        ),
        ("de", "Was kostet der Eintritt?", "Kinder unter 12 | frei", "Der Weg ist für Kinder frei."),
        (
            "de",
            "Was kostet die Karte?",
            "Der Eintritt ist für Kinder frei.",
            "Am Eintritt steht ein freier Mann.",
        ),
        ("de", "Was zahlen Kinder? Was kostet es?", "Kinder zahlen nichts.", "Kinder sagen nichts."),
        ("de", "Was kostet die Führung?", "Die Führung ist kostenlos.", "Die Führung ist lang."),
        ("fr", "Combien coûte l'entrée ?", "Enfants | gratuit", "Enfants | accompagnés"),
        ("fr", "Combien coûte l'entrée ?", "Les enfants ne paient pas.", "Les enfants ne courent pas."),
        ("pt", "Quanto custa a entrada?", "Crianças são isentas.", "Crianças são pequenas."),
        ("pt", "Quanto custa a entrada?", "Criança não paga.", "Criança não corre."),
        ("es", "¿Cuánto cuesta la entrada?", "Los niños no pagan nada.", "Los niños no corren nada."),
        ("es", "¿Cuánto cuesta la entrada?", "Niños: gratuita", "Niños: acompañados"),
        ("it", "Quanto costa l'ingresso?", "Bambini | gratis", "Bambini | accompagnati"),
        ("it", "Quanto costa il biglietto?", "I bambini non pagano.", "I bambini non corrono."),
    ],
)
def test_what_is_free_has_a_price(language, question, free, other):
    expected = expected_by(question, language)

    assert expected.is_in(free)
    assert not expected.is_in(other)


def test_what_the_question_says_itself_is_no_news():
    when = expected_by("Em que ano depois de 1822 abriu a ponte?", "pt")
    who = expected_by("Quem derrotou Ana Prado?", "pt")

    assert not when.is_in("Isso foi em 1822.")
    assert when.is_in("Isso foi em 1831.")
    assert not who.is_in("Todos conheciam Ana Prado.")
    assert who.is_in("Todos conheciam Rui Sá.")


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(["pt", "en", "fr"]))
def test_any_text_can_be_asked_and_looked_through(question, text, language):
    expected = expected_by(f"Quantos {question}", language)

    assert expected is None or expected.is_in(text) in (True, False)
