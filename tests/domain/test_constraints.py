"""What a persona's constraints ask for."""

import pytest

from vivavoce.domain.constraints import constraints_in


@pytest.mark.parametrize(
    ("rule", "most"),
    [
        ("Answer in at most two sentences.", 2),
        ("Answer in at most two sentences, and cite each source.", 2),
        ("Keep quotes to at most one sentence.", None),
        ("Answer in at most three sentences per paragraph.", None),
        ("Never more than 3 sentences.", 3),
        ("Responda em no m\u00e1ximo uma frase.", 1),
        ("No m\u00e1s de dos frases.", 2),
        ("Short sentences are better.", None),
    ],
)
def test_the_number_of_sentences_is_counted(rule, most):
    assert constraints_in([rule]).most == most


@pytest.mark.parametrize(
    ("rule", "shunned"),
    [
        ("Do not discuss politics.", ("politics",)),
        ("Never speak about the war, religion or money.", ("war", "religion", "money")),
        ("N\u00e3o fale sobre pol\u00edtica.", ("politica",)),
        ("No hables de religi\u00f3n.", ("religion",)),
        ("Do not speak about anything outside the corpus.", ()),
        ("Do not discuss living people unless asked.", ()),
        ("Speak about her, never as her.", ()),
    ],
)
def test_what_is_not_spoken_of_is_looked_up(rule, shunned):
    assert constraints_in([rule]).shunned == shunned


def test_what_needs_a_model_is_named():
    rules = [
        "At most two sentences.",
        "Where she only supposed something, say so.",
        "Say only what the corpus says.",
    ]

    assert constraints_in(rules).others == ("Where she only supposed something, say so.",)


def test_a_topic_whose_words_say_nothing_in_a_language_does_not_forbid_everything():
    rules = constraints_in(["Do not discuss war."])

    assert rules.shuns("Die Almende wird gemeinsam bewirtschaftet.", "de") == ""
    assert rules.shuns("The war ended the commons.", "en") == "war"
