"""`vivavoce eval`: questions in, figures out, as tables, JSON and a page; a gate for CI."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

import pytest
from doors import run_command
from serving import settings_in

from vivavoce.app import open_app
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.avatar_results import AvatarResponse, Citation
from vivavoce.surfaces.reports.evaluation import GROUPS, page
from vivavoce.surfaces.reports.marks import plain
from vivavoce.upkeep.evaluating_figures import FIGURES, NAMES, Bound
from vivavoce.upkeep.evaluating_outcomes import VERDICTS, Cited, Outcome
from vivavoce.upkeep.evaluating_questions import Trial
from vivavoce.upkeep.evaluation import Evaluation

CANAL = "The irrigation canal of the village is dug each spring by all the families who drink from it."
WATCH = "Each family keeps the night watch over the sluice for one night of the year."
TEXT = f"""On water

{CANAL} Nobody remembers who began with it.

{WATCH} Whoever fails to come owes the village a day of work on the terraces.
"""
CONFIG = {
    "id": "mirela",
    "name": "Mirela Danke",
    "description": "Kept the books of a village.",
    "expertise": ["irrigation"],
    "corpus": {"description": "Letters.", "sources": []},
    "systemPrompt": {"identity": "A student.", "tone": "Plain.", "constraints": [], "citationStyle": "Page."},
}
QUESTIONS = [
    {
        "id": "canal",
        "question": "Who digs the irrigation canal of the village each spring?",
        "quotes": [CANAL],
    },
    {"id": "watch", "question": "Who keeps the night watch over the sluice?", "quotes": [WATCH]},
    {"id": "moon", "question": "Which rocket engine burns liquid methane?", "answerable": False},
]


@pytest.fixture(scope="module")
def avatar(tmp_path_factory):
    """A workspace with an avatar that has read one text."""
    settings = settings_in(tmp_path_factory.mktemp("avatar"))

    async def made():
        async with open_app(settings) as app:
            about = {"config": CONFIG, "sources": [{"id": "water", "title": "On Water"}]}
            mirela = await app.backend.run(CATALOGUE["create_avatar"].parse(about), OPERATOR)
            text = {
                "datastoreId": mirela.datastore_id,
                "name": "On Water",
                "text": TEXT,
                "custom_id": "water",
            }
            await app.backend.run(CATALOGUE["create_datasource"].parse(text), OPERATOR)
            await app.ingester.finish()

    asyncio.run(made())
    return settings.database


@pytest.fixture
def evaluate(avatar, tmp_path, monkeypatch):
    """Runs the command on some questions: exit code, stdout, stderr."""
    monkeypatch.setenv("VIVAVOCE_DATABASE", str(avatar))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(*words, questions=QUESTIONS, avatar="mirela"):
        lines = "\n".join(json.dumps(each) for each in questions)
        (tmp_path / "questions.jsonl").write_text(lines, encoding="utf-8")
        return run_command(["eval", avatar, "questions.jsonl", *words])

    return run


# The command


def test_questions_become_figures_rows_and_a_page(evaluate, tmp_path):
    code, output, errors = evaluate("--json", "report.json", "--html", "report.html")

    assert code == 0, errors
    for name in NAMES:
        assert re.search(rf"\b{name}\b", output), name
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert set(report["figures"]) == set(NAMES)
    assert report["figures"]["quote-exactness"]["value"] == 1
    assert report["figures"]["claims-without-citation"]["value"] == 0
    assert report["figures"]["refusal-recall"] == {"value": 1.0, "count": 1, "of": 1}
    assert (report["avatar"], report["asked"], report["is_partial"]) == ("mirela", 3, False)
    rows = {row["id"]: row for row in report["outcomes"]}
    assert {id: row["verdict"] for id, row in rows.items()} == dict.fromkeys(rows, "right")
    assert [each["quote"] in TEXT for each in rows["canal"]["citations"]].count(False) == 0
    assert rows["canal"]["quotes"][0]["is_cited"]
    assert rows["moon"]["abstained"]
    assert "Mirela Danke" in (tmp_path / "report.html").read_text(encoding="utf-8")
    code, output, errors = run_command(["explain-answer", "mirela", rows["canal"]["answer_id"], "--json"])
    assert json.loads(output)["question"] == QUESTIONS[0]["question"]


def test_thresholds_that_hold_let_it_pass_and_those_that_do_not_are_named(evaluate):
    held = ("--least", "quote-exactness=1", "--most", "false-refusals=10%", "--most", "latency-p95=600")

    code, output, errors = evaluate(*held)
    assert (code, "missed" in output) == (0, False), errors

    wrong = [*QUESTIONS, {"question": QUESTIONS[0]["question"], "answerable": False}]
    code, output, errors = evaluate(*held, "--least", "refusal-recall=.9", questions=wrong)
    assert code == 1
    assert "Missed: refusal-recall is 50.0 %; asked for at least 90.0 %." in errors
    assert errors.count("Missed: ") == 1
    assert "at least 90.0 %: missed" in re.sub(r"\s+", " ", output) or "least 90.0 %: missed" in output


def test_a_figure_that_cannot_be_measured_is_missed(evaluate):
    code, _, errors = evaluate("--least", "page-accuracy=0", questions=QUESTIONS[2:])

    assert code == 1
    assert "page-accuracy: there was nothing to measure it by" in errors


def test_what_went_wrong_is_listed_with_the_way_to_see_why(evaluate):
    wrong = {"question": QUESTIONS[1]["question"], "answerable": False}

    code, output, _ = evaluate(questions=[QUESTIONS[0], wrong])

    assert code == 0
    assert "wrong answer" in output
    assert "1 of 2 questions did not go as expected" in re.sub(r"\s+", " ", output)
    assert re.search(r"c[a-z0-9]{8,}", output)


def test_a_gold_quote_that_is_not_in_the_corpus_is_told(evaluate):
    code, _, errors = evaluate(questions=[{**QUESTIONS[0], "quotes": [CANAL, "The moon is wool."]}])

    assert code == 0
    assert "Not in the corpus: the gold quote 'The moon is wool.' (canal)." in errors


def test_json_can_go_to_stdout_instead_of_the_tables(evaluate):
    code, output, _ = evaluate("--json", "-", questions=QUESTIONS[:1])

    assert code == 0
    assert json.loads(output)["asked"] == 1


def test_questions_can_come_from_stdin(evaluate, monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(json.dumps(QUESTIONS[2]).encode()), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", given)

    code, output, errors = run_command(["eval", "mirela", "-", "--json", "-"])

    assert code == 0, errors
    assert [row["id"] for row in json.loads(output)["outcomes"]] == ["moon"]


def test_a_file_that_is_not_there_is_told(evaluate):
    code, _, errors = run_command(["eval", "mirela", "missing.jsonl"])

    assert code == 2
    assert "missing.jsonl" in errors


def test_bad_lines_are_told_and_nothing_is_asked(evaluate, avatar, tmp_path):
    before = answers(avatar)

    code, output, errors = evaluate(
        "--json", "report.json", questions=[QUESTIONS[0], {"answerable": True}, 7]
    )

    assert (code, output) == (2, "")
    assert "invalid_input: 2 lines cannot be used, so nothing was asked." in errors
    assert "line 2: question: is required" in errors
    assert "line 3: " in errors
    assert answers(avatar) == before
    assert not (tmp_path / "report.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--least", "accuracy=1"], "'accuracy' is no figure; there are quote-exactness"),
        (["--least", "right"], "must be a figure, = and a number"),
        (["--least", "right=high"], "must be a figure, = and a number"),
        (["--least", "right=80"], "lies between 0 and 1"),
        (["--most", "latency-p95=-1"], "is not less than 0"),
        (["--most", "latency-p95=inf"], "is not less than 0"),
        (["--least", "right=nan"], "lies between 0 and 1"),
        (["--at-once", "0"], "0 is not in the range"),
        (["--html", "no/such/folder.html"], "cannot be written"),
        (["--json", "."], "cannot be written"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(evaluate, avatar, words, said):
    before = answers(avatar)

    code, output, errors = evaluate(*words)

    assert (code, output) == (2, "")
    assert said in re.sub(r"\s+", " ", errors)
    assert answers(avatar) == before


def test_an_avatar_that_is_not_there_is_told(evaluate):
    code, _, errors = evaluate(avatar="nobody")

    assert code == 4
    assert "not_found" in errors
    assert "vivavoce avatar list" in errors


def test_the_help_names_every_figure():
    code, output, _ = run_command(["eval", "--help"])

    assert code == 0
    for figure in FIGURES:
        assert f"- {figure.name}: {figure.meaning}" in output


def test_ctrl_c_leaves_a_report_that_says_so(evaluate, avatar, tmp_path):
    many = [{"question": f"Who digs canal number {number}?"} for number in range(5_000)]
    before, is_over = answers(avatar), threading.Event()

    def interrupt():
        while answers(avatar) < before + 3 and not is_over.wait(0.02):
            pass
        if not is_over.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    waiting = threading.Thread(target=interrupt)
    waiting.start()
    try:
        code, _, errors = evaluate("--json", "report.json", "--html", "report.html", questions=many)
    finally:
        is_over.set()
        waiting.join()

    assert code == 130
    assert re.search(r"Stopped after \d+ of 5000 questions", errors)
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["is_partial"]
    assert 0 < report["asked"] == len(report["outcomes"]) < 5_000
    assert "Partial." in (tmp_path / "report.html").read_text(encoding="utf-8")


def answers(database) -> int:
    """How many answers stand in the log."""
    with closing(sqlite3.connect(database)) as opened:
        return opened.execute("select count(*) from answered").fetchone()[0]


# The page


class Read(HTMLParser):
    """A page as a browser reads it: its tags with what they hold, and whether they close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in ("meta", "rect", "line"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


def citation(**more) -> Citation:
    given = {"source": "On Water", "page": 3, "quote": WATCH, "claim": f"She says: {WATCH}"}
    return Citation(**given | {"document_id": "d1", "start": 5, "end": 5 + len(WATCH)} | more)


def outcome(question="Q?", *, refused=False, seconds=0.5, cited=(), error="", **trial) -> Outcome:
    asked = Trial.model_validate({"id": question, "question": question, **trial})
    if error:
        return Outcome(asked, seconds, error=error)
    answer = AvatarResponse(
        response="Nothing on this." if refused else " ".join(each.citation.claim for each in cited),
        citations=[each.citation for each in cited],
        confidence="low" if refused else "high",
        abstained=refused,
        disclosure="An AI.",
        answer_id="a1",
    )
    return Outcome(asked, seconds, answer, cited=tuple(cited))


def evaluation_of(*outcomes: Outcome, left: int = 0) -> Evaluation:
    trials = [each.trial for each in outcomes]
    trials += [Trial.model_validate({"id": f"left {number}", "question": "Q?"}) for number in range(left)]
    made = Evaluation("mirela", trials, datetime(2026, 1, 31, 9, 30, tzinfo=UTC), name="Mirela Danke")
    made._outcomes.update({each.trial.id: each for each in outcomes})
    return made


GOOD = outcome("Who?", cited=[Cited(citation(), True, (0,))], quotes=[{"text": WATCH, "page": 3}])
REFUSED = outcome("What of the moon?", refused=True, answerable=False)
REFUSED_WRONGLY = outcome("When?", refused=True, quotes=[WATCH])


def test_the_page_shows_each_figure_once_and_four_plots_that_say_what_they_show():
    read = Read(page(evaluation_of(GOOD, REFUSED, REFUSED_WRONGLY), [Bound("right", "least", 0.5)]))

    assert read.open == []
    assert sorted(name for _, names in GROUPS for name in names.split()) == sorted(NAMES)
    for name in NAMES:
        assert name in read.text
    drawings = read.all("svg")
    assert [each["role"] for each in drawings] == ["img"] * 4
    ids = {attributes["id"] for _, attributes in read.tags if "id" in attributes}
    for drawing in drawings:
        assert {drawing["aria-labelledby"], drawing["aria-describedby"]} <= ids
    assert "1 answered, 1 false refusals, 0 wrong answers, 1 rightly refused" in read.text
    assert "The threshold holds." in read.text


def test_the_page_needs_no_script_and_no_network():
    text = page(evaluation_of(GOOD, REFUSED), [])
    read = Read(text)

    assert {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in read.tags} == set()
    assert [name for _, attributes in read.tags for name in attributes if name.startswith("on")] == []
    assert not re.search(r"url\(|@import|src=", text)
    (policy,) = [each["content"] for each in read.all("meta") if "http-equiv" in each]
    assert policy.startswith("default-src 'none'")
    assert "prefers-color-scheme: dark" in text


def test_nothing_that_was_asked_or_answered_becomes_markup():
    evil = "<script>alert(1)</script>\"'&<img src=x onerror=y>\x01\x1b[31m"
    cited = Cited(
        citation(source=evil, quote=evil, claim=evil, page_label=evil, url="javascript:alert(1)"), True
    )
    made = evaluation_of(
        outcome(
            evil,
            cited=[cited],
            quotes=[{"text": evil, "source": evil, "page": evil}],
            context=[{"role": evil, "content": evil}],
        ),
        outcome("R?", error=evil),
    )
    made.name = made.corpus_version = evil
    made.absent = [(made.trials[0], made.trials[0].quotes[0])]

    read = Read(page(made, []))

    tags = {tag for tag, _ in read.tags}
    assert tags & {"script", "img", "a"} == set()
    assert "<script>alert(1)</script>" in read.text
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", read.text)


def test_a_source_with_an_address_is_linked():
    made = evaluation_of(outcome(cited=[Cited(citation(url="https://example.com/a?b=1&c=2"), True)]))

    (link,) = Read(page(made, [])).all("a")

    assert link["href"] == "https://example.com/a?b=1&c=2"
    assert link["rel"] == "noopener noreferrer"


def test_failures_come_first_and_each_question_says_how_to_see_why():
    broken = outcome("Why?", error="upstream_failed: The model does not answer.")
    inexact = outcome("How?", cited=[Cited(citation(), False)], quotes=[WATCH])

    text = page(evaluation_of(GOOD, REFUSED, REFUSED_WRONGLY, inexact, broken), [])

    rows = text.partition("<tbody>")[2]
    verdicts = re.findall(r'class="verdict \w+"><span aria-hidden="true">.</span> ([\w ]+)<', rows)
    assert verdicts == ["failed", "not exact", "false refusal", "right", "right"]
    assert "3 of 5 did not go as expected" in text
    assert "vivavoce explain-answer mirela a1" in text
    assert "The model does not answer." in text


def test_a_partial_page_and_missed_thresholds_say_so():
    bounds = [Bound("right", "least", 0.9), Bound("false-refusals", "most", 0.1), Bound("failed", "most", 0)]

    text = Read(page(evaluation_of(GOOD, REFUSED_WRONGLY, left=7), bounds)).text

    assert "Stopped after 2 of 9 questions." in text
    assert "2 of 3 thresholds missed." in text
    assert "false-refusals is 50.0 %; asked for at most 10.0 %" in text


def test_a_page_can_be_made_of_nothing():
    read = Read(page(evaluation_of(left=3), [Bound("right", "least", 0.9)]))

    assert read.open == []
    assert "there was nothing to measure it by" in read.text


def test_half_of_a_character_does_not_stop_a_page():
    assert plain("a\ud800b\uffff") == "a\ufffdb\ufffd"


# The manual


def test_every_figure_and_verdict_is_explained():
    manual = (Path(__file__).parents[2] / "docs" / "how-to" / "test-an-avatar.md").read_text(encoding="utf-8")

    explained = re.findall(r"`([a-z0-9-]+)`", " ".join(re.findall(r"^\| (`[^|]+) \|", manual, re.MULTILINE)))

    assert [name for name in explained if name in NAMES] == list(NAMES)
    for verdict, meaning in VERDICTS.items():
        assert f"| {verdict} | {meaning} |" in manual
