"""How a student speaks, and how it names what it quotes."""

import re

import pytest

from vivavoce.domain.claims.citation_styles import Cited, Style, style_in, surname_of
from vivavoce.domain.corpus.other_voices import is_another_voice, is_note, may_be_own
from vivavoce.domain.framing import (
    SPOKEN,
    Quotation,
    quotations,
    quoted,
    said,
    spoken_language,
    stated,
)
from vivavoce.domain.phrasebook import PHRASES

BOOK = Cited("Governing the Commons", ("Elinor Ostrom",), 1990, "42")
PAPER = Cited("A Behavioral Approach", ("Elinor Ostrom", "Jo Burger", "Ann Field"), 1998, None)


def test_a_quote_is_given_with_who_says_it_and_where():
    assert quotations([Quotation(BOOK, "Rules change.")], Style(), "en", [1]) == [
        'In "Governing the Commons" (1990), Elinor Ostrom writes: "Rules change." (p. 42).'
    ]


def test_further_quotes_are_led_to_in_other_words():
    given = [Quotation(BOOK, f"Rule {place}.") for place in range(4)]

    leading = [sentence.split(":")[0] for sentence in quotations(given, Style(), "en", [1] * 4)]

    assert len(set(leading)) == 4
    assert leading[1] == "Ostrom goes on"


@pytest.mark.parametrize(
    ("language", "speaker", "leading"),
    [
        ("en", "the old pilot", 'In "Governing the Commons" (1990), the old pilot says'),
        ("en", "", 'In "Governing the Commons" (1990), someone says'),
        ("pt", "Marta", 'Em "Governing the Commons" (1990), Marta diz'),
        ("es", "", 'En "Governing the Commons" (1990), alguien dice'),
    ],
)
def test_what_somebody_says_in_a_work_is_not_given_to_its_author(language, speaker, leading):
    (sentence,) = quotations([Quotation(BOOK, "I slept.", speaker=speaker)], Style(), language, [1])

    assert sentence.split(":")[0] == leading


def test_somebody_who_speaks_after_the_author_is_named_and_the_work_is_not_named_again():
    given = [Quotation(BOOK, "Rules change."), Quotation(BOOK, "I slept.", start=9, speaker="Orla")]

    assert quotations(given, Style(), "en", [1, 1])[1].startswith("In the same work, Orla says:")


def test_somebody_who_speaks_in_a_work_goes_on_by_name():
    given = [Quotation(BOOK, f"Rule {each}.", start=each, speaker="Orla") for each in range(2)]

    assert quotations(given, Style(), "en", [1, 1])[1].startswith("Orla goes on:")


def test_nobody_knows_whether_an_unknown_speaker_goes_on():
    given = [Quotation(BOOK, f"Rule {each}.", start=each, speaker="") for each in range(2)]

    assert quotations(given, Style(), "en", [1, 1])[1].startswith("It goes on:")


@pytest.mark.parametrize("place", [1, 2, 3])
def test_what_stands_earlier_does_not_go_on(place):
    given = [Quotation(BOOK, f"Rule {each}.", start=each) for each in range(place)]

    sentences = quotations([*given, Quotation(BOOK, "Rules.", start=-1)], Style(), "en", [1] * (place + 1))

    assert sentences[-1].startswith("In the same work:")


@pytest.mark.parametrize(
    ("language", "begins"),
    [
        ("en", "In "),
        ("pt", 'Em "Governing the Commons" (1990), Elinor Ostrom escreve:'),
        ("es", "En "),
        ("fr", 'Dans "Governing the Commons" (1990), Elinor Ostrom écrit :'),
        ("de", 'In "Governing the Commons" (1990) schreibt Elinor Ostrom:'),
        ("it", 'In "Governing the Commons" (1990), Elinor Ostrom scrive:'),
    ],
)
def test_the_frame_is_in_the_language_of_the_question_and_the_quote_in_its_own(language, begins):
    (sentence,) = quotations([Quotation(BOOK, "Rules change.")], Style(), language, [1])

    assert sentence.startswith(begins)
    assert '"Rules change."' in sentence


def test_a_work_without_authors_speaks_for_itself():
    work = BOOK._replace(authors=(), page=None, year=None)

    assert quotations([Quotation(work, "Rules change.")], Style(), "en", [1]) == [
        '"Governing the Commons" says: "Rules change."'
    ]


def test_a_speech_is_said():
    (sentence,) = quotations([Quotation(BOOK, "Rules change.", "says")], Style(), "en", [1])

    assert "Elinor Ostrom says:" in sentence


def test_an_introduction_is_not_the_words_of_the_author():
    (sentence,) = quotations([Quotation(BOOK, "She was kind.", part="Foreword")], Style(), "en", [1])

    assert "Ostrom" not in sentence
    assert "Foreword" in sentence


@pytest.mark.parametrize(
    "heading",
    [
        "INTRODUCTION",
        "Foreword",
        "Translator's Note",
        "Introduction by Jo Burger",
        "FOOTNOTES:",
        "Notes",
        "Endnotes",
        "Notes to the text",
        "Notas",
        "Notas de rodap\u00e9",
        "Notas do tradutor",
    ],
)
def test_parts_that_others_write_are_known(heading):
    assert is_another_voice(heading)


@pytest.mark.parametrize("heading", ["A BRIEF SKETCH OF THE LIFE OF INGA MOREL.", "Memoir of the author"])
def test_a_life_of_the_author_is_told_by_others(heading):
    assert is_another_voice(heading)


def test_an_introduction_that_names_nobody_may_be_the_author_s():
    assert may_be_own("INTRODUCTION.")
    assert not may_be_own("Introduction by Ada Marsh")
    assert not may_be_own("Foreword")


@pytest.mark.parametrize("heading", ["Chapter 1", "Introduction to the theory of rules", "Notes on method"])
def test_other_parts_are_the_author_s(heading):
    assert not is_another_voice(heading)


@pytest.mark.parametrize(
    ("paragraph", "before"),
    [
        ("[4] P. 19. The great earthquake happened in November.", ""),
        ("[Footnote 3: The mill burned down in 1702.]", ""),
        ("The mill burned down in 1702.--ED.", ""),
        ("[2] The mill burned down in 1702.", "the end.\n\nFOOTNOTES:\n\n[1] A coin of\nsmall worth."),
    ],
)
def test_a_note_is_known_by_its_form_or_its_heading(paragraph, before):
    assert is_note(paragraph, before)


@pytest.mark.parametrize(
    ("paragraph", "before"),
    [
        ("[12] The court holds that the mill is common.", "[11] The miller appeals."),
        ("1. Take the seed.", "How to sow:\n\n"),
        ("The mill burned down in 1702.", "NOTES\n\n[1] A coin.\n\nCHAPTER II\n\n"),
    ],
)
def test_a_number_alone_makes_no_note(paragraph, before):
    assert not is_note(paragraph, before)


@pytest.mark.parametrize(
    ("wish", "ends"),
    [
        ("APA", "rules change (Ostrom, 1990, p. 42)."),
        ("Author-year with page numbers", "rules change (Ostrom, 1990, p. 42)."),
        ("ABNT, autor-data", "rules change (Ostrom, 1990, p. 42)."),
        ("MLA style", "rules change (Ostrom 42)."),
        ("Chicago author-date", "rules change (Ostrom 1990, 42)."),
        ("Chicago, with footnotes", "rules change [1]."),
        ("Numbered references like [1]", "rules change [1]."),
        ("IEEE", "rules change [1]."),
        ("Title in italics, year, page", "rules change (*Governing the Commons*, 1990, p. 42)."),
        ("However you like", 'rules change ("Governing the Commons", 1990, p. 42).'),
        ("APA without page numbers", "rules change (Ostrom, 1990)."),
    ],
)
def test_a_wish_for_a_style_is_honoured(wish, ends):
    assert stated("Ostrom says that rules change.", BOOK, style_in(wish), "en", 1).endswith(ends)


def test_several_authors_are_shortened():
    assert style_in("APA").mark(PAPER, 1, is_introduced=False) == "(Ostrom et al., 1998)"
    assert (
        style_in("MLA").mark(PAPER._replace(authors=("A Bee", "C Dee")), 1, is_introduced=False)
        == "(Bee and Dee)"
    )


def test_a_note_names_the_whole_work():
    assert style_in("footnotes").note(BOOK, 2) == '[2] Elinor Ostrom, "Governing the Commons" (1990), p. 42.'


def test_blank_authors_are_nobody():
    given = [
        Quotation(BOOK._replace(authors=("", " , ")), text) for text in ("Rules change.", "Users agree.")
    ]

    first, second = quotations(given, Style(), "en", [1, 1])

    assert first.startswith('"Governing the Commons" (1990) says:')
    assert second.startswith("It goes on:")


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("en", "Elinor Ostrom and James Walker write:", "Ostrom and Walker go on:"),
        ("pt", "Elinor Ostrom e James Walker escrevem:", "Ostrom e Walker continuam:"),
        ("es", "Elinor Ostrom y James Walker escriben:", "Ostrom y Walker contin\u00faan:"),
    ],
)
def test_several_authors_write_in_the_plural(language, first, second):
    work = BOOK._replace(authors=("Ostrom, Elinor", "James Walker"))

    told = quotations([Quotation(work, "A."), Quotation(work, "B.")], Style(), language, [1, 1])

    assert first in told[0]
    assert told[1].startswith(second)


@pytest.mark.parametrize(
    ("name", "surname"),
    [
        ("Elinor Ostrom", "Ostrom"),
        ("Ostrom, Elinor", "Ostrom"),
        ("Martin Luther King, Jr.", "King"),
        ("Ludwig van der Rohe", "van der Rohe"),
        (" , ", ""),
    ],
)
def test_a_family_name_is_the_same_everywhere(name, surname):
    assert surname_of(name) == surname


def test_words_divided_at_the_end_of_a_line_are_read_whole():
    assert quoted("Monitors are account-\nable to the \ufb01rst 10 m\u00b2.") == (
        '"Monitors are accountable to the first 10 m\u00b2."'
    )


def test_quotation_marks_are_ones_that_the_quote_does_not_have():
    assert quoted("a \u201cb\u201d") == '"a \u201cb\u201d"'
    assert quoted('a "b" \u201cc\u201d') == '\u00aba "b" \u201cc\u201d\u00bb'
    assert quoted('"b" \u201cc\u201d \u00abd\u00bb') == "\u201c'b' \u2018c\u2019 \u00abd\u00bb\u201d"


def test_a_quote_with_quotation_marks_stays_readable():
    (sentence,) = quotations([Quotation(BOOK, 'He said "no" to it.')], Style(), "en", [1])

    assert '\u201cHe said "no" to it.\u201d' in sentence


@pytest.mark.parametrize(
    ("question", "earlier", "language"),
    [
        ("What are the rules of the commons?", (), "en"),
        ("Quais s\u00e3o as regras dos comuns?", (), "pt"),
        ("\u00bfCu\u00e1les son las reglas de los comunes?", (), "es"),
        ("Quelles sont les r\u00e8gles des communs?", (), "fr"),
        ("Welche Regeln hat das gemeinsame Land?", (), "de"),
        ("Quali sono le regole della terra comune?", (), "it"),
        ("Nepal?", ("Quais s\u00e3o as regras no Nepal?",), "pt"),
        ("Nepal?", (), "en"),
    ],
)
def test_it_speaks_the_language_of_the_question(question, earlier, language):
    assert spoken_language(question, earlier) == language


@pytest.mark.parametrize(
    ("question", "earlier", "language"),
    [
        ("A feira existe hoje?", (), "pt"),
        ("Nepal?", (), "pt"),
        ("Nepal?", ("What are the rules of Nepal?",), "en"),
        ("What is a fair?", (), "en"),
    ],
)
def test_where_nothing_tells_it_speaks_the_language_of_its_corpus(question, earlier, language):
    assert spoken_language(question, earlier, "pt") == language


@pytest.mark.parametrize("language", SPOKEN)
def test_it_has_the_same_sentences_in_every_language(language):
    assert PHRASES[language].keys() == PHRASES["en"].keys()


@pytest.mark.parametrize("language", SPOKEN)
def test_it_says_its_limits_in_every_language(language):
    assert "2012" in said("ended", language, year="2012", what="2020")
    assert "orpus" in said("silent", language)
    assert "orpus" in said("stranger", language)


@pytest.mark.parametrize(("language", "words"), [("pt", "palavras do texto"), ("es", "palabras del texto")])
def test_what_it_says_of_itself_fits_a_woman_and_a_man(language, words):
    assert words in said("ask", language)
    assert not re.search(r"\b(d?el[ea]|suas?|sus?)\b", f"{said('ask', language)} {said('still', language)}")
