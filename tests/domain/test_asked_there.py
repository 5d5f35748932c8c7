"""Which headings ask the very question that somebody asks."""

import pytest

from vivavoce.domain.asked_there import is_asked_in
from vivavoce.domain.excerpts import excerpts_of


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Can I use Gemini?", "Which models are there? Can I use ChatGPT, Claude or Gemini?"),
        ("can i use the claude", "Can I use ChatGPT, Claude or Gemini?"),
        ("Posso trocar o produto?", "Posso trocar um produto?"),
        ("Aceitam Pix?", "Aceitam cart\u00e3o, boleto ou Pix?"),
        ("Quando abrem", "3. Quando abrem?"[3:]),
    ],
)
def test_a_question_is_known_in_a_heading_that_asks_it(question, heading):
    assert is_asked_in(question, heading)


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("May I return it?", "May I return it after 30 days?"),
        ("May I return it after 30 days?", "May I return it?"),
        ("Can I not use Gemini?", "Can I use Gemini?"),
        ("When can I use Gemini?", "Can I use Gemini?"),
        ("Posso trocar o produto?", "Como posso trocar o produto?"),
        ("Using Gemini", "Using Gemini"),
        ("?", "?"),
        ("", ""),
    ],
)
def test_one_with_other_words_is_another_question(question, heading):
    assert not is_asked_in(question, heading)


def test_a_sentence_knows_the_question_that_it_follows():
    text = "When do you open?\nAt nine, except on Sundays.\n\n## Prices\n\nAll of them are on the list."

    assert [(each.text, each.question) for each in excerpts_of(text, "en")] == [
        ("At nine, except on Sundays.", "When do you open?"),
        ("All of them are on the list.", ""),
    ]


def test_a_list_of_questions_is_answered_by_nothing_that_follows_it():
    text = "What is justice?\nWhat is law?\n\nThe next chapter is about ships and their masters."

    assert [each.question for each in excerpts_of(text, "en")] == [""]
