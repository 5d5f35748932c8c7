"""Open questions: what they are about, and how much of the passages must be about it."""

import pytest

from vivavoce.domain.answers.coverage import Coverage, coverage_of
from vivavoce.domain.answers.reading import Candidate
from vivavoce.domain.questions.open_questions import keywords_of, subject_of, teller_of

FERRY = Candidate(
    "## The ferry\n\nThe ferry crosses twice a day. In winter the ferry rests.\n\n"
    "## Prices\n\nBread costs a penny.\n",
    "en",
    0.5,
    "Notes on the river",
)


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("What is said about the ferry?", "the ferry"),
        ("Tell me about commerce.", "commerce"),
        ("Can you tell us more about bees", "bees"),
        ("What are her views on marriage?", "marriage"),
        ("What do these pages say about backups?", "backups"),
        ("And what about the harbour?", "the harbour"),
        ("Describe the harbour.", "the harbour"),
        ("O que se diz sobre a cheia?", "a cheia"),
        ("Fale-me da escola.", "escola"),
        ("O que a carta diz sobre o livro?", "o livro"),
        ("Qual é a opinião dela sobre o banco?", "o banco"),
        ("Háblame de la cosecha", "la cosecha"),
        ("Parle-moi du bac.", "bac"),
        ("Que dit-on de l'école ?", "l'école"),
        ("Racontez-nous quelque chose sur la crue", "la crue"),
        ("Erzähl mir etwas über die Fähre.", "die Fähre"),
        ("Was sagt der Brief über das Hochwasser?", "das Hochwasser"),
        ("Parlami della piena", "piena"),
        ("Che cosa si dice dell'acqua?", "acqua"),
    ],
)
def test_an_open_question_names_its_subject(question, subject):
    assert subject_of(question) == subject


@pytest.mark.parametrize(
    "question",
    [
        "Who told you about the ferry?",
        "When did the ferry sink?",
        "Tell me about how many jars there are.",
        "What is written on the jar?",
        "What about them?",
        "Conta de luz atrasada paga multa?",
        "O que conta a lei?",
        "Que idade tinha Franklin quando escreveu sobre vacinas?",
        "Que rei da Fran\u00e7a disse algo sobre vacinas?",
        "O que aconteceu quando ele escreveu sobre vacinas?",
        "What does it cost to write about squash?",
        "Diga de que cor \u00e9 o cavalo.",
        "Dis-moi combien de barques il y a.",
        "Was kostet die Fahrt über den Fluss?",
        "Wer schreibt über die Fähre?",
        "Chi ha scritto della piena?",
        "Erzähl mir, wann die Fähre sank.",
        "",
    ],
)
def test_a_question_that_asks_for_one_thing_is_not_open(question):
    assert subject_of(question) is None


def test_headings_and_sentences_that_speak_of_the_subject_cover_it():
    coverage = coverage_of("What is said about the ferry?", [FERRY])

    assert (coverage.headed, coverage.spoken) == (1.0, 1.0)
    assert coverage.likelihood > 0.9


def test_a_detail_that_no_sentence_has_is_not_covered_by_its_subject():
    for subject in ("the price of the ferry", "the ferry to Norway", "railways"):
        assert coverage_of(f"Tell me about {subject}.", [FERRY]).likelihood < 0.5


def test_many_sentences_are_stronger_evidence_than_one():
    once, often = (Candidate("The ferry rests. " * count, "en", 0.5) for count in (1, 5))

    asked = "What is said about ferries?"
    assert coverage_of(asked, [once]).likelihood < coverage_of(asked, [often]).likelihood


def test_a_subject_that_is_a_small_word_elsewhere_is_a_subject():
    wars = Candidate("Every war is a crime. The war has no end.", "en", 0.5)

    assert coverage_of("What is said about war?", [wars]).likelihood > 0.9


def test_words_are_there_by_chance_where_the_judge_is_sure_of_it():
    assert Coverage(1.0, 1.0, 2.0, relevance=-9.0).likelihood == 0.0
    assert Coverage(1.0, 1.0, 2.0, relevance=1.0).likelihood > 0.9


@pytest.mark.parametrize(
    ("question", "teller"),
    [
        ("What did Ada Marsh write about the ferry?", "Marsh"),
        ("What was Marsh's opinion of the ferry?", "Marsh"),
        ("And what does Marsh think of ferries?", "Marsh"),
        ("What do the notes say about the ferry?", ""),
        ("What is said about Marsh?", ""),
        ("Tell me about Marsh.", ""),
    ],
)
def test_an_open_question_may_name_whose_words_it_asks_for(question, teller):
    assert teller_of(question) == teller


def test_what_somebody_says_is_not_covered_by_passages_that_do_not_know_them():
    heard = FERRY._replace(text=f"Ada Marsh kept the ferry. {FERRY.text}")
    asked = "What did Ada Marsh write about the ferry?"

    assert coverage_of(asked, [FERRY])._replace(relevance=9.0).likelihood == 0.0
    assert coverage_of(asked, [FERRY, heard]).likelihood > 0.9


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("ferry winter", "ferry winter"),
        ("price of bread in Norway", "price of bread in Norway"),
        ("balsa no inverno", "balsa no inverno"),
        ("ferries?", None),
        ("when does the ferry rest", None),
        ("the ferry is late", None),
        ("bread ferry winter penny river day", None),
        ("the", None),
    ],
)
def test_a_search_by_words_alone_is_told_from_a_sentence(question, searched):
    assert keywords_of(question) == searched


@pytest.mark.parametrize(
    "question",
    [
        "What does Chapter 3 say about fishing?",
        "What does Part II tell us about the mill?",
        "What does the Contract say about delays?",
        "What does your FAQ say about returns?",
        "WHAT DOES THE MILLER SAY ABOUT FLOUR?",
    ],
)
def test_a_text_is_nobody_whose_words_must_be_found(question):
    assert teller_of(question) == ""


def test_a_text_is_somebodys_where_it_is_said_whose():
    assert teller_of("What does Hardin's Essay say about fishing?") == "Hardin"


def test_what_a_chapter_or_a_contract_says_is_answered_where_no_passage_calls_itself_so():
    passages = [Candidate("Delays of more than a week are fined. A delay is told at once.", "en", 0.9)]

    covered = coverage_of("What does Clause 4 say about delays?", passages)

    assert covered is not None
    assert covered.likelihood > 0.5
