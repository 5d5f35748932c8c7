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


SHIPS = Spoken(False, "Tell me about the Morning Star and the Kittiwake.")
SYSTEMS = Spoken(False, "L\u00e4uft Archivo unter Windows und Linux?")
EXAMS = Spoken(True, "A cl\u00ednica faz exames de sangue e ultrassons.")
CELLARS = Spoken(True, "La casa ha una cantina e un granaio.")


@pytest.mark.parametrize(
    ("question", "before"),
    [
        ("Who was the first keeper?", SHIPS),
        ("Is there a lift to the first floor?", SHIPS),
        ("Is there a second lift?", SHIPS),
        ("When was the second visit paid?", SHIPS),
        ("What does the second visit cost?", SHIPS),
        ("Who was the last known keeper of the light?", SHIPS),
        ("Which is the second most visited hall?", SHIPS),
        ("Who was the first to cross the river?", SHIPS),
        ("Who was the first of the keepers?", SHIPS),
        ("Who slept on the first and second floors?", SHIPS),
        ("Is there a lift in the second-hand shop?", SHIPS),
        ("Who was Charles the Second?", SHIPS),
        ("When was the former keeper born?", SHIPS),
        ("Wann erschien die erste Fassung?", SYSTEMS),
        ("Wann erschien die erste \u00f6ffentliche Fassung?", SYSTEMS),
        ("wann erschien die zweite fassung?", SYSTEMS),
        ("Seit wann gibt es das zweite Geb\u00e4ude?", SYSTEMS),
        ("Wer kam beim zweiten Mal?", SYSTEMS),
        ("Quanto dura a primeira consulta?", EXAMS),
        ("Quando fu costruita la prima chiusa?", CELLARS),
        ("Quem foi o primeiro a chegar?", EXAMS),
        ("Qual \u00e9 o segundo mais caro?", EXAMS),
        ("Cosa c'\u00e8 al secondo piano?", CELLARS),
        ("\u00bfQui\u00e9n fue el \u00faltimo farero?", CELLARS),
        ("Qui fut le premier gardien ?", CELLARS),
    ],
)
def test_an_ordinal_before_a_noun_is_that_nouns(question, before):
    assert standalone(question, [before]).question == question


@pytest.mark.parametrize(
    ("question", "before", "meant"),
    [
        ("Does the second cost more?", SHIPS, "Does Kittiwake cost more?"),
        ("How much does the first cost?", SHIPS, "How much does Morning Star cost?"),
        ("And the second one costs?", SHIPS, "And Kittiwake costs?"),
        ("Does the second sail on Sundays?", SHIPS, "Does Kittiwake sail on Sundays?"),
        ("When was the second built?", SHIPS, "When was Kittiwake built?"),
        ("Is the second open on Sundays?", SHIPS, "Is Kittiwake open on Sundays?"),
        ("Is the second cheaper?", SHIPS, "Is Kittiwake cheaper?"),
        ("Who owns the first of them now?", SHIPS, "Who owns Morning Star now?"),
        ("Was kostet der zweite?", SYSTEMS, "Was kostet Linux?"),
        ("Which is older, the first or the second?", SHIPS, "Which is older, Morning Star or Kittiwake?"),
        ("Und der Zweite?", SYSTEMS, "Und Linux?"),
        ("Was kostet die zweite pro Person?", SYSTEMS, "Was kostet Linux pro Person?"),
        ("Wann wurde der zweite gebaut?", SYSTEMS, "Wann wurde Linux gebaut?"),
        ("Quanto custa o segundo por pessoa?", EXAMS, "Quanto custa ultrassons por pessoa?"),
        ("O segundo custa mais?", EXAMS, "ultrassons custa mais?"),
        ("Quanto costa la prima?", CELLARS, "Quanto costa una cantina?"),
    ],
)
def test_an_ordinal_without_a_noun_is_one_of_the_things_that_were_named(question, before, meant):
    assert standalone(question, [before]).question == meant


def test_what_asks_another_thing_is_no_thing_that_was_named():
    context = [Spoken(False, "Who bought the Morning Star and for how much?")]

    assert standalone("And what about the last?", context).question == "And what about the last?"


def test_a_name_that_begins_like_a_question_is_a_thing_that_was_named():
    context = [Spoken(True, "She met Fidel Castro and Che Guevara.")]

    assert standalone("And the second?", context).question == "And Che Guevara?"


@pytest.mark.parametrize(
    ("question", "before", "meant"),
    [
        (
            "E o segundo?",
            "Quanto custam o exame de sangue e o ultrassom abdominal?",
            "Quanto custam o ultrassom abdominal?",
        ),
        (
            "E o primeiro?",
            "Quanto custam o exame de sangue e o ultrassom abdominal?",
            "Quanto custam o exame de sangue?",
        ),
        (
            "Und der zweite?",
            "Was kosten der Bluttest und der Ultraschall?",
            "Was kosten der Ultraschall?",
        ),
        (
            "\u00bfY la segunda?",
            "\u00bfCu\u00e1nto cuestan el an\u00e1lisis de sangre y la ecograf\u00eda?",
            "\u00bfCu\u00e1nto cuestan la ecograf\u00eda?",
        ),
        (
            "Et le second ?",
            "Combien co\u00fbtent la prise de sang et l'\u00e9chographie ?",
            "Combien co\u00fbtent l'\u00e9chographie?",
        ),
        (
            "E il secondo?",
            "Quanto costano l'esame del sangue e il controllo?",
            "Quanto costano il controllo?",
        ),
        (
            "And the second?",
            "How much do the blood test and the ultrasound cost?",
            "How much do the ultrasound cost?",
        ),
        (
            "And the first?",
            "How much do the blood test and the ultrasound cost?",
            "How much do the blood test cost?",
        ),
        ("And the second?", "Can I bring the dog and a bike?", "Can I bring a bike?"),
        ("And the second one?", "When were the mill and the bridge built?", "When were the bridge built?"),
        ("And the first one?", "When were the mill and the bridge built?", "When were the mill built?"),
    ],
)
def test_of_several_things_in_a_question_the_one_that_is_meant_is_asked_about(question, before, meant):
    answer = "One costs 45 euros, and it takes two days or three. The other costs 80."
    found = standalone(question, [Spoken(False, before), Spoken(True, answer)])

    assert (found.question, found.text, found.earlier) == (meant, meant, ())


@pytest.mark.parametrize(
    ("before", "meant"),
    [
        ("What does the guide charge for the tour and the boat?", "And boat?"),
        ("Qual a diferen\u00e7a entre o plano b\u00e1sico e o premium?", "And premium?"),
    ],
)
def test_a_question_that_cannot_be_parted_is_left_whole(before, meant):
    found = standalone("And the second?", [Spoken(False, before)])

    assert found.question == meant
    assert found.earlier == (before,)


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
