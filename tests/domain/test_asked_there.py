"""Which headings ask the very question that somebody asks."""

import pytest

from vivavoce.domain.corpus.excerpts import excerpts_of
from vivavoce.domain.questions.asked_there import is_asked_in


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Can I use Gemini?", "Which models are there? Can I use ChatGPT, Claude or Gemini?"),
        ("can i use claude", "Can I use ChatGPT, Claude or Gemini?"),
        ("Posso trocar um produto?", "Posso trocar um produto?"),
        ("Aceitam cartao?", "Aceitam cart\u00e3o, boleto ou Pix?"),
        ("Quando abrem", "3. Quando abrem?"),
        ("Is C# taught?", "Q: Is C# taught?"),
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
        ("Quanto custa?", "Quanto custa o frete?"),
        ("Como funciona?", "Como funciona o reembolso?"),
        ("Onde mora o av\u00f4?", "Onde mora a av\u00f3?"),
        ("Can type O receive type A?", "Can type A receive type O?"),
        ("Is C++ taught?", "Is C# taught?"),
        ("Using Gemini", "Using Gemini"),
        ("?", "?"),
        ("", ""),
    ],
)
def test_one_with_other_words_is_another_question(question, heading):
    assert not is_asked_in(question, heading)


def answers_in(text: str) -> dict[str, str]:
    return {each.text: each.question for each in excerpts_of(text, "en")}


def test_a_sentence_knows_the_question_that_it_answers():
    text = "When do you open?\nAt nine, except on Sundays.\n\n## Prices\n\nAll of them are on the list."

    assert answers_in(text) == {
        "At nine, except on Sundays.": "When do you open?",
        "All of them are on the list.": "",
    }


def test_the_second_question_of_a_heading_is_asked_as_well():
    text = "## Which cards are there? May I pay with Visa?\n\nAll the usual ones are taken here."

    assert answers_in(text) == {"All the usual ones are taken here.": "May I pay with Visa?"}


@pytest.mark.parametrize(
    "text",
    [
        "What is justice?\nWhat is law?\n\nThe next chapter is about ships and their masters.",
        "## May I have my money back?\n\nNo. Within 30 days refunds are paid in full.",
        "## What does it cost?\n\n| adults | ten euros |\n|---|---|\n\nParking is free for all guests.",
        "What is justice? I leave that to the schools and their masters.",
        '"What is justice?" asked the old man. The waiter brought more wine for everybody.',
        "- How do I pay?\n- Shipping and delivery of goods\n- Returns of all the goods",
    ],
)
def test_where_it_is_not_certain_that_a_sentence_answers_it_does_not(text):
    assert set(answers_in(text).values()) == {""}
