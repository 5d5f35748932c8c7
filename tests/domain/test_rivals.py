"""Rivals: which sentences may answer in the place of the one that a reader points to."""

import pytest

from vivavoce.domain.answers.extracting import Passage, Weighed
from vivavoce.domain.answers.rivals import Asked, are_beside, rivals_of
from vivavoce.domain.corpus.excerpts import excerpts_of
from vivavoce.domain.questions.expecting import expected_by


def weighed(text, language):
    passage = Passage(0, text, language, 0.9)
    return [Weighed(0.0, 1.0, False, passage, each) for each in excerpts_of(text, language)]


def rivals(text, language, question, pointed, title=""):
    every = weighed(text, language)
    (one,) = [each for each in every if pointed in each.excerpt.text]
    asked = Asked.by(question, (), language, expected_by(question, language))
    found = rivals_of(one, every, asked, lambda each: f"{title}\n{each.excerpt.text}")
    return {each.sentence.excerpt.text: each.behind for each in found}


PIX = "Aceitamos cartão de débito e Pix. Não aceitamos cheques."


def test_a_sentence_with_a_word_more_and_none_less_is_a_rival():
    assert list(rivals(PIX, "pt", "Vocês aceitam Pix?", "cheques")) == ["Aceitamos cartão de débito e Pix."]
    assert rivals(PIX, "pt", "Vocês aceitam cheques?", "cheques") == {}


def test_what_is_asked_for_is_also_in_the_titles():
    text = "Consultas podem ser marcadas. Quem precisa desmarcar deve avisar."
    question = "Posso desmarcar a consulta?"

    assert rivals(text, "pt", question, "marcadas") == {}
    assert list(rivals(text, "pt", question, "marcadas", title="Consultas")) == [
        "Quem precisa desmarcar deve avisar."
    ]


def test_a_sentence_without_the_kind_of_thing_that_is_asked_for_is_no_rival_of_one_that_has_it():
    text = "O farol de Santa Rita guia os barcos. Foi aceso em 1902."

    assert rivals(text, "pt", "Quando o farol de Santa Rita foi aceso?", "1902") == {}


def test_what_points_back_has_the_words_of_the_sentence_before_it():
    text = "The lighthouse of Pell guides the ships. It was lit by Ann. The lighthouse of Pell is red."

    assert rivals(text, "en", "Who lit the lighthouse of Pell?", "Ann") == {}


def test_what_was_named_before_is_no_reason_for_a_later_sentence():
    text = "O estádio velho é de concreto. Nele cabem quarenta mil. O estádio novo é de aço."
    found = rivals(text, "pt", "Qual é a capacidade do estádio?", "cabem")

    assert "O estádio novo é de aço." not in found


def test_the_thing_that_is_counted_is_more_than_other_words():
    text = "Si possono prendere in prestito cinque libri. I film sono al massimo due."

    assert rivals(text, "it", "Quanti film posso prendere in prestito?", "libri") == {
        "I film sono al massimo due.": 8.0
    }


def test_a_title_does_not_make_any_number_one_of_what_is_counted():
    text = "It breeds on every continent. In its dive it exceeds 300 kilometres an hour."

    assert rivals(text, "en", "How many falcons are there?", "breeds", title="Falcons") == {}


def test_of_a_list_the_item_that_is_named_is_said_though_a_reader_is_less_sure_of_it():
    text = "Bring:\n\n- a swimming cap\n- a coin for the locker\n"
    cap, coin = weighed(text, "en")[-2:]

    assert are_beside(cap, coin)
    assert rivals(text, "en", "What about the swimming cap?", "coin") == {"a swimming cap": 8.0}


@pytest.mark.parametrize(
    ("question", "behind"), [("Are dogs allowed?", 8.0), ("Where are dogs allowed?", 0.0)]
)
def test_what_has_all_words_of_a_yes_or_no_question_answers_it(question, behind):
    text = "Dogs are welcome in the garden. Cats are not allowed."

    assert rivals(text, "en", question, "Cats") == {"Dogs are welcome in the garden.": behind}


def test_the_price_of_what_is_named_is_said_though_it_is_free():
    text = "Kinder unter zwölf Jahren haben freien Eintritt. Erwachsene zahlen neun Euro."

    assert rivals(text, "de", "Was kostet der Eintritt für Kinder?", "Erwachsene") == {
        "Kinder unter zwölf Jahren haben freien Eintritt.": 4.0
    }


def test_what_a_reader_is_as_sure_of_stays():
    (rival,) = rivals_of(
        weighed(PIX, "pt")[1],
        weighed(PIX, "pt"),
        Asked(frozenset({"aceit", "pix"})),
        lambda each: each.excerpt.text,
    )

    assert (rival.wins(3.1, 3.0), rival.wins(3.0, 3.0)) == (True, False)
