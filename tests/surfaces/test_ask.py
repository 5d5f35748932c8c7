"""`vivavoce ask`: an answer with footnotes in the terminal, as JSON, and why it is what it is."""

from __future__ import annotations

import io
import json
import sys
from unittest import mock

import avatar
import pytest
from doors import run_command

from vivavoce.operations.avatar_results import AvatarResponse, Citation
from vivavoce.surfaces.cli.footnotes import answer_lines, reason_lines

QUESTION = "What do clearly defined boundaries keep a commons from?"


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Runs `vivavoce ask` in a workspace with an avatar: what it prints."""
    from serving import settings_in

    settings = settings_in(tmp_path_factory.mktemp("asked"))
    avatar.kept_in(settings)

    def ask(*words, input=None):
        with (
            pytest.MonkeyPatch.context() as patch,
            mock.patch.object(sys, "stdin", sys.stdin if input is None else io.StringIO(input)),
        ):
            patch.setenv("VIVAVOCE_DATABASE", str(settings.database))
            return run_command(["ask", *words])

    return ask


def test_an_answer_stands_above_its_footnotes(asked):
    code, printed, _ = asked(avatar.ID, QUESTION)

    said, _, below = printed.partition("\n\n")
    assert code == 0
    assert "being used up by everyone" in " ".join(said.split())
    assert "[1]" in said
    assert below.startswith("[1] Beyond Markets and States (2009)\n    characters ")
    assert "An AI that has studied Elinor Ostrom, not Elinor Ostrom." in " ".join(below.split())


def test_what_the_corpus_does_not_say_has_no_footnote(asked):
    code, printed, _ = asked(avatar.ID, "How long must I boil an egg?")

    assert code == 0
    assert "[1]" not in printed
    assert "Confidence: low." in printed


def test_json_has_the_quote_and_where_it_stands(asked):
    _, printed, _ = asked(avatar.ID, QUESTION, "--json")

    answer = json.loads(printed)
    assert answer["abstained"] is False
    for citation in answer["citations"]:
        assert avatar.TEXT[citation["start"] : citation["end"]] == citation["quote"]
    assert "why" not in answer


def test_why_shows_passages_and_claims(asked):
    _, printed, _ = asked(avatar.ID, QUESTION, "--why")

    _, _, below = printed.partition("Why this answer\n")
    assert f"Looked up: {QUESTION}" in " ".join(below.split())
    assert "  Beyond Markets and States\n" in below
    assert "kept: Clearly defined boundaries" in below


def test_why_is_part_of_the_json_where_it_is_asked_for(asked):
    _, printed, _ = asked(avatar.ID, QUESTION, "--why", "--json")

    why = json.loads(printed)["why"]
    assert [claim["kept"] for claim in why["claims"]].count(True) >= 1


def test_a_question_is_understood_from_what_was_said_before(asked):
    _, printed, _ = asked(
        avatar.ID,
        "And what does a repeated one cost?",
        "--earlier",
        "What does a first offence cost?",
        "--json",
    )

    quotes = [citation["quote"] for citation in json.loads(printed)["citations"]]
    assert any("a repeated offence costs more" in quote for quote in quotes)


def test_a_question_may_come_on_stdin(asked):
    _, printed, _ = asked(avatar.ID, "--json", input=f"{QUESTION}\n")

    assert json.loads(printed)["abstained"] is False


def test_no_question_is_refused(asked):
    code, printed, errors = asked(avatar.ID, input=" \n")

    assert code == 2
    assert printed == ""
    assert errors.startswith("invalid_input: There is no question.")


def test_an_avatar_that_is_not_there_is_named(asked):
    code, _, errors = asked("nobody", QUESTION)

    assert code != 0
    assert errors.startswith("not_found: ")
    assert "'nobody'" in errors
    assert "vivavoce avatar list" in errors
    assert "list_avatars" not in errors


def citation(quote: str, claim: str, start: int = 0, **more) -> Citation:
    known = {"source": "A book", "page": None, "document_id": "d", "start": start, "end": start + len(quote)}
    return Citation(**{**known, "quote": quote, "claim": claim, **more})


def response(text: str, *citations: Citation) -> AvatarResponse:
    return AvatarResponse(
        response=text,
        citations=list(citations),
        confidence="high",
        abstained=False,
        disclosure="An AI.",
        answer_id="a",
    )


def test_words_that_the_answer_does_not_have_stand_in_the_footnote():
    shown = list(
        answer_lines(
            response("Ducks swim.", citation("All ducks\nare able to swim.", "Ducks swim.", page=12, url="u"))
        )
    )

    assert shown[0] == "Ducks swim. [1]"
    assert shown[2:5] == [
        "[1] A book, p. 12",
        '    "All ducks are able to swim."',
        "    u, characters 0 to 27",
    ]


def test_the_same_place_has_one_footnote():
    first, second = citation("Ducks swim.", "They swim."), citation("Ducks swim.", "They float.")

    shown = list(answer_lines(response("They swim. They float.", first, second)))

    assert shown[0] == "They swim. [1] They float. [1]"
    assert sum(line.startswith("[") for line in shown) == 1


def test_an_answer_with_notes_of_its_own_keeps_their_numbers():
    first = citation("Ducks swim.", 'Ann writes: "Ducks swim." [1].')
    second = citation("Ducks dive.", 'She goes on: "Ducks dive." [1].', start=20)
    third = citation("Geese fly.", 'She adds: "Geese fly." [2].', start=40)
    said = " ".join(each.claim for each in (first, second, third))
    notes = '[1] Ann, "A book", p. 3.\n[2] Ann, "A book", p. 4.'

    shown = list(answer_lines(response(f"{said}\n\n{notes}", first, second, third)))

    assert shown[:-2] == [
        said,
        "",
        '[1] Ann, "A book", p. 3.',
        "    characters 0 to 11",
        "    characters 20 to 31",
        '[2] Ann, "A book", p. 4.',
        "    characters 40 to 50",
    ]


def test_a_printed_page_is_shown_as_it_is_printed():
    shown = list(answer_lines(response("Ducks swim.", citation("Ducks swim.", "", page=4, page_label="iv"))))

    assert "[1] A book, p. iv" in shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ('She writes: "Ducks swim" (p. 4).', 'She writes: "Ducks swim" [1].'),
        ('Sie schreibt: "Ducks swim" (S. iv).', 'Sie schreibt: "Ducks swim" [1].'),
        ("Do ducks swim? (p. 4).", "Do ducks swim? [1]."),
        ('"Ducks swim" (Doe, 1990, p. 4).', '"Ducks swim" (Doe, 1990, p. 4). [1]'),
        ("Ducks swim (in ponds).", "Ducks swim (in ponds). [1]"),
    ],
)
def test_a_page_that_stands_alone_gives_way_to_the_footnote_that_names_it(said, shown):
    lines = list(answer_lines(response(said, citation("Ducks swim", said, page=4))))

    assert lines[0] == shown
    assert "[1] A book, p. 4" in lines


def test_a_passage_is_shown_by_the_page_that_its_citation_names():
    passage = {"source": "A book", "page": 4, "pageLabel": "iv", "score": 0.5}
    before = {"source": "A book", "page": 4, "score": 0.5}

    assert "    0.50  A book, p. iv" in list(reason_lines({"passages": [passage]}))
    assert "    0.50  A book, p. 4" in list(reason_lines({"passages": [before]}))


def test_what_was_dropped_is_shown_with_its_reason():
    claims = [
        {"text": "Ducks fly.", "kept": False, "reason": "its quote is not in the corpus"},
        {"text": "Ducks swim.", "kept": True, "reason": ""},
    ]

    shown = list(
        reason_lines({"claims": claims, "model": {"name": "m", "fellBack": True, "faults": ["slow"]}})
    )

    assert "  Written by: sentences of the corpus, in place of m (slow)" in shown
    assert shown[-3:] == [
        "    dropped: Ducks fly.",
        "      its quote is not in the corpus",
        "    kept: Ducks swim.",
    ]


@pytest.mark.parametrize("words", [["--help"], ["demo", "--help"], ["ask", "--help"]])
def test_help_tells_of_the_guide_or_the_demo(words):
    code, printed, _ = run_command(words)

    assert code == 0
    assert "guide" in printed or "demo" in printed
