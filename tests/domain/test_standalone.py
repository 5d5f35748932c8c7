"""Questions that point back."""

import pytest

from vivavoce.domain.questions.standalone import Spoken, conversation, standalone

LISTED = Spoken(True, "She names three:\n1. clear boundaries\n2. graduated sanctions\n3. local monitors")
SERIES = Spoken(False, "Let us compare the state and the market.")


@pytest.mark.parametrize(
    ("question", "context", "meant"),
    [
        ("And what about the second one?", [LISTED], "And what about graduated sanctions?"),
        ("What does she say of the last?", [LISTED], "What is said about local monitors?"),
        ("And the latter?", [SERIES], "And market?"),
        ("What of the former?", [SERIES], "What of state?"),
        ("E quanto ao segundo?", [LISTED], "E quanto a graduated sanctions?"),
        ("E o segundo?", [LISTED], "E graduated sanctions?"),
        ("\u00bfY la segunda?", [LISTED], "\u00bfY graduated sanctions?"),
        ("What was the Second World War about?", [LISTED], "What was the Second World War about?"),
        ("And the ninth one?", [LISTED], "And the ninth one?"),
    ],
)
def test_the_second_one_is_what_was_named_second(question, context, meant):
    assert standalone(question, context).question == meant


@pytest.mark.parametrize(
    ("question", "answer", "meant"),
    [
        ("And the first?", "A garden of the guild grew lavender, thyme and rosemary.", "And lavender?"),
        ("And the first?", "Its founders were three printers, Hale, Brandt and Osei.", "And Hale?"),
        ("And the second?", "Its founders were three printers, Hale, Brandt and Osei.", "And Brandt?"),
        ("E do \u00faltimo?", "O jardim da guilda dava alfazema, tomilho e alecrim.", "E de alecrim?"),
        (
            "\u00bfY qu\u00e9 hay del primero?",
            "El gremio compraba lino, lana y seda.",
            "\u00bfY qu\u00e9 hay de lino?",
        ),
    ],
)
def test_one_of_several_things_is_told_from_the_sentence_that_lists_them(question, answer, meant):
    assert standalone(question, [Spoken(True, answer)]).question == meant


def test_what_was_asked_of_several_things_is_asked_of_the_one_that_is_meant():
    context = [Spoken(False, "What do monitors and sanctions cost?"), Spoken(True, "Monitors cost little.")]

    found = standalone("And the latter?", context)

    assert found.question == "And sanctions cost?"
    assert found.text == "What do monitors and sanctions cost?\nAnd sanctions cost?"


@pytest.mark.parametrize(
    ("question", "before", "meant"),
    [
        (
            "And what about the second one?",
            "What does she write about weavers and millers?",
            "What is said about millers?",
        ),
        ("And the first?", "What is said about weavers, millers and smiths?", "What is said about weavers?"),
        ("E o segundo?", "O que se diz sobre teceles e moleiros?", "O que se diz sobre moleiros?"),
    ],
)
def test_what_only_points_is_the_question_before_of_the_one_that_is_meant(question, before, meant):
    found = standalone(question, [Spoken(False, before), Spoken(True, "Much is said of weavers.")])

    assert (found.question, found.text, found.earlier) == (meant, meant, ())


@pytest.mark.parametrize(
    ("question", "before", "meant"),
    [
        (
            "And do they baptise their children?",
            "Tell me about the Millers.",
            "Do the Millers baptise their children?",
        ),
        ("Where does it stand?", "Tell me about the old mill.", "Where does the old mill stand?"),
        ("E onde eles moram?", "Fale sobre os moleiros.", "Onde os moleiros moram?"),
    ],
)
def test_they_are_those_who_were_to_be_spoken_of(question, before, meant):
    assert standalone(question, [Spoken(False, before)]).text == meant


def test_what_was_only_listed_is_not_asked_about():
    context = [Spoken(False, "Two things interest me: 1. monitors and 2. graduated sanctions.")]

    assert standalone("And what about the second one?", context).text == "And what about graduated sanctions?"


def test_a_pronoun_brings_the_question_before_with_it():
    context = [Spoken(False, "What are graduated sanctions?"), Spoken(True, "Small at first.")]

    found = standalone("Who imposes them?", context)

    assert found.text == "What are graduated sanctions?\nWho imposes them?"
    assert found.question == "Who imposes them?"
    assert found.earlier == ("What are graduated sanctions?",)


def test_a_question_that_stands_alone_stays_as_it_is():
    found = standalone("Which rules govern the forests of Nepal?", [Spoken(False, "What are sanctions?")])

    assert found.text == "Which rules govern the forests of Nepal?"


def test_of_a_long_message_its_questions_are_looked_up():
    long = "The weather was fine and nothing happened. " * 400 + "Who monitors the canals? Thank you."

    found = standalone(long, [])

    assert found.text == "Who monitors the canals?"
    assert found.is_cut


def test_a_long_message_without_a_question_is_looked_up_by_its_beginning():
    found = standalone("word " * 5_000, [])

    assert found.is_cut
    assert 0 < len(found.text) <= 2_000


@pytest.mark.parametrize(
    ("role", "ours"),
    [
        ("assistant", True),
        ("Elinor Ostrom", True),
        ("elinor-ostrom", True),
        ("Ostrom", True),
        ("EO", True),
        ("eo", False),
        ("alice", False),
        ("Elinor", False),
        ("user", False),
        ("", False),
    ],
)
def test_any_name_is_a_participant_unless_it_is_ours(role, ours):
    said = conversation([(role, "Monitors matter.")], "Why?", ("elinor-ostrom", "Elinor Ostrom"))

    assert said == [Spoken(ours, "Monitors matter.")]


def test_a_user_is_no_avatar_whatever_that_is_called():
    assert conversation([("user", "Why?")], "How?", ("The Average User",)) == [Spoken(False, "Why?")]


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("Three things count: common pool resources, monitors and rules.", "common pool resources"),
        ("They bought two horses, cows and goats.", "horses"),
        ("Its founders were three printers, Hale, Brandt and Osei.", "Hale"),
        ("A garden of the guild grew lavender, thyme and rosemary.", "lavender"),
    ],
)
def test_the_first_of_a_series_begins_where_the_series_does(said, first):
    context = [Spoken(False, "Go on"), Spoken(True, said)]

    assert standalone("And the first?", context).question == f"And {first}?"


def test_instructions_and_the_question_itself_were_not_said_before():
    messages = [("system", "Be brief."), ("alice", "Rules?"), ("alice", "Who imposes them? ")]

    assert conversation(messages, "Who imposes them?", ()) == [Spoken(False, "Rules?")]
