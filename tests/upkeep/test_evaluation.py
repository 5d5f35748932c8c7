"""An avatar is tested with questions: the file is read, the answers are held against the corpus."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from vivavoce.errors import InvalidInput, NotFound, UpstreamFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.operations.avatar_results import AvatarResponse, Citation
from vivavoce.operations.avatars import GenerateResponse
from vivavoce.operations.uploads import AddFile
from vivavoce.testing import ingested
from vivavoce.upkeep.evaluating_figures import Bound, summary_of, written
from vivavoce.upkeep.evaluating_questions import read_trials, unknown_keys
from vivavoce.upkeep.evaluation import Evaluation

CANAL = "The canal is dug by all who drink from it."
WATCH = "Each family keeps the watch for one night of the year."
DEBT = "Whoever fails to come owes the village a day of work."
FIRST = f"On water\n\n{CANAL} Nobody remembers who began.\f{WATCH} {DEBT} {CANAL}"
"""Two pages; the sentence about the canal stands on both."""
FOREST = "Of the forest we take what falls. A bro-\nken branch is nobody's."
CONFIG = {
    "id": "mirela",
    "name": "Mirela",
    "description": "Kept the books of a village.",
    "corpus": {"description": "Letters.", "sources": [], "dateRange": {"end": "1911-12-31"}},
    "systemPrompt": {
        "identity": "A student.",
        "tone": "Plain.",
        "constraints": [],
        "citationStyle": "Numbered notes with page numbers.",
    },
}
BEGAN = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
SOURCES = [{"id": "water", "title": "On Water", "year": 1911}, {"id": "forest", "title": "On the Forest"}]


@pytest.fixture
async def corpus(engine, tmp_path):
    """The avatar's corpus: for each source the id of its document, and what it says."""
    made = await engine.run(
        CATALOGUE["create_avatar"].parse({"config": CONFIG, "sources": SOURCES}), OPERATOR
    )
    found = {}
    for id, text in {"water": FIRST, "forest": FOREST}.items():
        (tmp_path / f"{id}.txt").write_text(text, encoding="utf-8")
        source = await engine.run(
            AddFile(
                datastore_id=made.datastore_id,
                name=f"{id}.txt",
                file=tmp_path / f"{id}.txt",
                config={"custom_id": id},
            ),
            OPERATOR,
        )
        found[id] = source.id
    await ingested(engine)

    def documents(tables: Any) -> dict[str, tuple[str, str]]:
        current = {id: tables.documents.of(source, "current") for id, source in found.items()}
        return {id: (each.id, tables.documents.text(each.id)) for id, each in current.items()}

    return await engine.ports.store.read(documents)


class Speaker:
    """A backend whose avatar says what a test tells it to; all else the engine does."""

    def __init__(self, engine: Any, said: dict[str, AvatarResponse | Exception]) -> None:
        self.engine, self.said = engine, said
        self.asked: list[GenerateResponse] = []
        self.under_way = self.most_under_way = 0

    async def run(self, op: Any, caller: Any, hear: Any = None) -> Any:
        if not isinstance(op, GenerateResponse):
            return await self.engine.run(op, caller, hear)
        self.asked.append(op)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        for _ in range(3):
            await asyncio.sleep(0)
        self.under_way -= 1
        said = self.said[op.question]
        if isinstance(said, Exception):
            raise said
        return said

    def supports(self, kind: Any) -> bool:
        return True


def cite(corpus: dict[str, tuple[str, str]], quote: str, source: str = "water", /, **more: Any) -> Citation:
    """A citation of the place where the quote stands last in the source, on page 2 unless told otherwise."""
    document, text = corpus[source]
    start = text.rindex(quote)
    given = {
        "source": {"water": "On Water", "forest": "On the Forest"}[source],
        "source_id": source,
        "page": 2,
        "quote": quote,
        "claim": f"Mirela writes: \u201c{quote}\u201d",
        "document_id": document,
        "start": start,
        "end": start + len(quote),
    }
    return Citation(**given | more)


def says(*citations: Citation, more: str = "", confidence: str = "high") -> AvatarResponse:
    """An answer made of what it cites."""
    return AvatarResponse(
        response=" ".join([*(each.claim for each in citations), more]).strip(),
        citations=list(citations),
        confidence=confidence,
        abstained=False,
        disclosure="An AI.",
        answer_id="a1",
    )


REFUSES = AvatarResponse(
    response="The corpus holds nothing on this.",
    citations=[],
    confidence="low",
    abstained=True,
    disclosure="An AI.",
    answer_id="a2",
)


def lines(*questions: dict[str, Any]) -> bytes:
    return "\n".join(json.dumps(each) for each in questions).encode()


async def evaluated(backend: Any, *questions: dict[str, Any]) -> Evaluation:
    evaluation = Evaluation("mirela", read_trials(lines(*questions)), BEGAN)
    await evaluation.run(backend, lambda done, total: None)
    return evaluation


async def outcome_of(engine: Any, answer: AvatarResponse | Exception, **question: Any) -> Any:
    evaluation = await evaluated(Speaker(engine, {"Q?": answer}), {"question": "Q?", **question})
    (outcome,) = evaluation.outcomes
    return outcome


def value(evaluation: Evaluation, name: str) -> float | None:
    return evaluation.summary.figures[name].value


# The file


def test_a_question_alone_is_enough_and_unknown_keys_are_ignored():
    first, second = read_trials(
        b'\xef\xbb\xbf{"question": "Who digs?", "comment": [1], "quotes": null}\r\n\n'
        b'{"question": "Who keeps the watch?", "id": 7, "answerable": false, "context": [{"role": "ana", '
        b'"content": "Hello", "at": 1}]}\n'
    )

    assert (first.id, first.answerable, first.quotes, first.context) == ("line 1", True, [], [])
    assert (second.id, second.answerable) == ("7", False)
    assert (second.context[0].role, second.context[0].content) == ("ana", "Hello")


def test_other_names_for_quotes_and_context_are_understood_and_unknown_keys_are_told_once():
    trials = read_trials(
        lines(
            {"question": "Q?", "gold_quotes": [CANAL], "conversation": [{"role": "a", "content": "b"}]},
            {"question": "R?", "qoutes": [CANAL], "by": "Ana"},
            {"question": "S?", "by": "Bia"},
        )
    )

    assert [quote.text for quote in trials[0].quotes] == [CANAL]
    assert trials[0].context[0].content == "b"
    assert unknown_keys(trials) == ["qoutes", "by"]


def test_a_gold_quote_is_a_text_or_says_where_it_stands():
    (trial,) = read_trials(
        lines(
            {"question": "Q?", "quotes": [CANAL, {"quote": WATCH, "source": "water", "page": "ii", "x": 1}]}
        )
    )

    assert [(gold.text, gold.source, gold.page) for gold in trial.quotes] == [
        (CANAL, None, None),
        (WATCH, "water", "ii"),
    ]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b'{"answerable": true}', "question: is required"),
        (b'{"question": "  "}', "question: must not be blank"),
        (b'{"question": 3}', "question: input should be a valid string"),
        (b'{"question": "Q?", "answerable": "false"}', "answerable: input should be a valid boolean"),
        (b'{"question": "Q?", "quotes": "a text"}', "quotes: input should be a valid list"),
        (b'{"question": "Q?", "quotes": [""]}', "quotes.0.text: must not be blank"),
        (b'{"question": "Q?", "quotes": [{"page": 2}]}', "quotes.0.text: is required"),
        (b'{"question": "Q?", "answerable": false, "quotes": ["x"]}', "a question that is not answerable"),
        (b'{"question": "Q?", "context": [{"role": 1}]}', "context.0.role: input should be a valid string"),
        (b'["Q?"]', "input should be an object"),
        (b'{"question": "Q?"', "invalid JSON"),
        (b"Q?", "invalid JSON"),
        (b'{"question": "\xff"}', "invalid"),
        (b"[" * 100_000, "nested too deep"),
    ],
)
def test_a_line_that_cannot_be_used_is_told_by_its_number_and_why(line, fault):
    with pytest.raises(InvalidInput) as refused:
        read_trials(b'{"question": "Fine?"}\n\n' + line)

    assert (
        "1 line cannot be used, so nothing was asked. Each must be a JSON object with a question:\n  line 3: "
        in refused.value.message
    )
    assert fault in refused.value.message


def test_every_bad_line_is_told_but_not_a_thousand_of_them():
    with pytest.raises(InvalidInput) as refused:
        read_trials(b"{}\n" * 1_000)

    assert refused.value.message.startswith("1000 lines cannot be used")
    assert "line 20: " in refused.value.message
    assert "line 21: " not in refused.value.message
    assert "and 980 more" in refused.value.message


def test_two_questions_do_not_share_an_id():
    with pytest.raises(InvalidInput, match=r"line 3: id: 'a' is the one of line 1 too"):
        read_trials(b'{"question": "Q?", "id": "a"}\n\n{"question": "R?", "id": "a"}')


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_a_file_without_a_question_is_refused(content):
    with pytest.raises(InvalidInput, match="no question"):
        read_trials(content)


# Quotes and citations


async def test_a_quote_that_stands_where_the_citation_says_is_exact(engine, corpus):
    outcome = await outcome_of(engine, says(cite(corpus, WATCH)), quotes=[WATCH])

    assert [cited.is_exact for cited in outcome.cited] == [True]
    assert outcome.uncited == ()
    assert outcome.verdict == "right"


@pytest.mark.parametrize(
    "wrong",
    [
        {"quote": WATCH.replace("one night", "two nights")},
        {"quote": WATCH.upper()},
        {"quote": WATCH + " "},
        {"start": 0, "end": 20},
        {"start": 30, "end": 20},
        {"start": -5},
        {"document_id": "c999"},
        {"quote": "", "start": 3, "end": 3},
    ],
    ids=lambda wrong: next(iter(wrong.items())),
)
async def test_a_quote_that_the_document_does_not_say_there_is_a_defect(engine, corpus, wrong):
    outcome = await outcome_of(engine, says(cite(corpus, WATCH, **wrong)), quotes=[WATCH])

    assert [cited.is_exact for cited in outcome.cited] == [False]
    assert outcome.verdict == "not exact"
    assert summary_of([outcome]).figures["quote-exactness"].value == 0.0


async def test_a_sentence_without_a_citation_is_found(engine, corpus):
    answer = says(cite(corpus, WATCH), cite(corpus, DEBT), more="She also kept bees.")

    outcome = await outcome_of(engine, answer, quotes=[WATCH, DEBT])

    assert outcome.uncited == ("She also kept bees.",)
    assert outcome.verdict == "not cited"
    assert summary_of([outcome]).figures["claims-without-citation"].value == 1


async def test_an_answer_without_any_citation_has_none_for_all_that_it_says(engine, corpus):
    outcome = await outcome_of(
        engine, says(more="My corpus knows it. The canal is dug by all."), quotes=[CANAL]
    )

    assert outcome.uncited == ("My corpus knows it.", "The canal is dug by all.")


async def test_a_sentence_that_is_cited_twice_over_is_cited(engine, corpus):
    outcome = await outcome_of(engine, says(cite(corpus, WATCH), cite(corpus, WATCH)), quotes=[WATCH])

    assert outcome.uncited == ()


async def test_notes_and_the_limits_of_the_corpus_are_no_claims(engine, corpus):
    cited = cite(corpus, WATCH)
    answer = says(cited, more="[1]\n\n[1] Mirela, On Water (1911), p. 2.\n[2] Bees are fish.")
    limited = answer.model_copy(
        update={"response": f"My corpus ends in 1911. What it says: {answer.response} The corpus is a fish."}
    )

    outcome = await outcome_of(engine, limited, quotes=[WATCH])

    assert outcome.uncited == ("[2] Bees are fish.", "The corpus is a fish.")


async def test_a_citation_meets_the_gold_quote_that_it_overlaps(engine, corpus):
    outcome = await outcome_of(
        engine,
        says(cite(corpus, f"{WATCH} {DEBT}"), cite(corpus, "Nobody remembers who began.")),
        quotes=[DEBT],
    )

    assert [cited.meets for cited in outcome.cited] == [(0,), ()]
    figures = summary_of([outcome]).figures
    assert figures["citation-precision"].share == (1, 2)
    assert figures["citation-recall"].share == (1, 1)


async def test_a_gold_quote_is_met_wherever_it_stands_in_the_document(engine, corpus):
    _, text = corpus["water"]
    first = text.index(CANAL)
    twice = [cite(corpus, CANAL), cite(corpus, CANAL, start=first, end=first + len(CANAL))]

    outcome = await outcome_of(engine, says(*twice), quotes=[CANAL])

    assert text.count(CANAL) == 2
    assert [cited.meets for cited in outcome.cited] == [(0,), (0,)]


async def test_the_same_words_of_another_source_do_not_count_where_the_source_is_named(engine, corpus):
    answer = says(cite(corpus, CANAL))

    elsewhere = await outcome_of(engine, answer, quotes=[{"text": CANAL, "source": "forest"}])
    by_title = await outcome_of(engine, answer, quotes=[{"text": CANAL, "source": "on water"}])

    assert elsewhere.verdict == "wrong citation"
    assert by_title.verdict == "right"


async def test_a_gold_quote_may_be_written_without_the_line_ends_and_hyphens_of_the_document(engine, corpus):
    outcome = await outcome_of(
        engine,
        says(cite(corpus, "A bro-\nken branch is nobody's.", "forest")),
        quotes=["A broken branch is nobody\u2019s."],
    )

    assert outcome.verdict == "right"


async def test_pages_are_compared_where_the_gold_quote_has_one(engine, corpus):
    golds = [{"text": WATCH, "page": 2}, {"text": DEBT, "page": "2"}, CANAL]
    answer = says(cite(corpus, WATCH), cite(corpus, DEBT, page=1, page_label="i"), cite(corpus, CANAL))

    outcome = await outcome_of(engine, answer, quotes=golds)

    assert list(outcome.pages) == [True, False]
    assert summary_of([outcome]).figures["page-accuracy"].share == (1, 2)


async def test_gold_quotes_that_no_document_holds_are_named(engine, corpus):
    evaluation = await evaluated(
        Speaker(engine, {"Q?": REFUSES, "R?": REFUSES}),
        {"question": "Q?", "quotes": [CANAL, "The moon is made of wool."]},
        {"question": "R?", "quotes": [{"text": CANAL, "source": "forest"}, "A broken branch is nobody's."]},
    )

    assert [(trial.question, quote.text) for trial, quote in evaluation.absent] == [
        ("Q?", "The moon is made of wool."),
        ("R?", CANAL),
    ]


# Verdicts and figures


async def test_each_question_gets_the_worst_that_can_be_said_of_it(engine, corpus):
    said = {
        "right?": says(cite(corpus, WATCH)),
        "missed?": says(cite(corpus, DEBT)),
        "no gold?": says(cite(corpus, DEBT)),
        "refused?": REFUSES,
        "nothing there?": REFUSES,
        "made up?": says(cite(corpus, DEBT)),
        "broken?": UpstreamFailed("The model does not answer.", hint="Try again."),
    }
    evaluation = await evaluated(
        Speaker(engine, said),
        {"question": "right?", "quotes": [WATCH, CANAL]},
        {"question": "missed?", "quotes": [WATCH]},
        {"question": "no gold?"},
        {"question": "refused?", "quotes": [WATCH]},
        {"question": "nothing there?", "answerable": False},
        {"question": "made up?", "answerable": False},
        {"question": "broken?"},
    )

    assert {each.trial.question: each.verdict for each in evaluation.outcomes} == {
        "right?": "right",
        "missed?": "wrong citation",
        "no gold?": "answered",
        "refused?": "false refusal",
        "nothing there?": "right",
        "made up?": "wrong answer",
        "broken?": "failed",
    }
    assert "The model does not answer." in evaluation.outcomes[-1].error
    shares = {name: measured.share for name, measured in evaluation.summary.figures.items()}
    assert shares["quote-exactness"] == (4, 4)
    assert shares["citation-precision"] == (1, 2)
    assert shares["citation-recall"] == (1, 4)  # a refusal cites nothing
    assert shares["refusal-precision"] == (1, 2)
    assert shares["refusal-recall"] == (1, 2)
    assert shares["false-refusals"] == (1, 4)  # who could not be asked was not refused
    assert shares["right"] == (2, 6)  # nobody can judge an answer without gold
    assert value(evaluation, "failed") == 1
    assert value(evaluation, "claims-without-citation") == 0


async def test_coverage_and_token_f1_speak_of_the_words_of_the_answer(engine, corpus):
    evaluation = await evaluated(
        Speaker(engine, {"one?": says(cite(corpus, WATCH)), "none?": REFUSES}),
        {"question": "one?", "quotes": [WATCH, CANAL]},
        {"question": "none?", "quotes": [WATCH]},
    )

    first, second = evaluation.outcomes
    assert (first.covered, second.covered) == ((True, False), (False,))
    assert evaluation.summary.figures["answer-coverage"].share == (1, 3)
    assert second.token_f1 == 0.0
    assert value(evaluation, "token-f1") == pytest.approx(first.token_f1 / 2)
    assert 0.5 < first.token_f1 < 1


async def test_confidence_is_judged_by_the_answers_given_not_by_refusals(engine, corpus):
    right, wrong = cite(corpus, WATCH), cite(corpus, DEBT)
    evaluation = await evaluated(
        Speaker(
            engine,
            {
                "a?": says(right),
                "b?": says(wrong),
                "c?": says(right, confidence="medium"),
                "d?": REFUSES,
                "e?": says(wrong, confidence="low"),
            },
        ),
        *({"question": f"{letter}?", "quotes": [WATCH]} for letter in "abc"),
        {"question": "d?", "answerable": False},
        {"question": "e?", "answerable": False},
    )

    assert evaluation.summary.confidence == {"high": (1, 2), "medium": (1, 1), "low": (0, 1)}
    assert value(evaluation, "right-at-high") == 0.5


async def test_latency_is_that_of_the_answers(engine, corpus):
    evaluation = await evaluated(Speaker(engine, {"Q?": REFUSES}), {"question": "Q?"})

    (outcome,) = evaluation.outcomes
    assert outcome.seconds > 0
    assert value(evaluation, "latency-p50") == value(evaluation, "latency-p95") == outcome.seconds


async def test_bounds_hold_or_are_missed_and_what_could_not_be_measured_is_missed(engine, corpus):
    evaluation = await evaluated(
        Speaker(engine, {"Q?": says(cite(corpus, WATCH))}), {"question": "Q?", "quotes": [WATCH, CANAL]}
    )
    bounds = [
        Bound("quote-exactness", "least", 1),
        Bound("citation-recall", "least", 0.5),
        Bound("citation-recall", "least", 0.51),
        Bound("false-refusals", "most", 0),
        Bound("refusal-f1", "least", 0),
    ]

    missed = evaluation.summary.missed(bounds)

    assert missed == [bounds[2], bounds[4]]


@pytest.mark.parametrize(
    ("given", "unit", "shown"),
    [
        (None, "share", "-"),
        (1.0, "share", "100.0 %"),
        (0.9999, "share", "> 99.9 %"),
        (0.0001, "share", "< 0.1 %"),
        (0.0, "share", "0.0 %"),
        (2.0, "count", "2"),
        (0.125, "seconds", "0.12 s"),
    ],
)
def test_nearly_all_is_not_shown_as_all(given, unit, shown):
    assert written(given, unit) == shown


# The run


async def test_an_avatar_that_answers_from_its_corpus_alone_has_no_defect(engine, corpus):
    evaluation = await evaluated(
        engine,
        {
            "question": "Who keeps the watch for one night of the year?",
            "quotes": [{"text": WATCH, "page": 2}],
        },
        {"question": "Who keeps the watch for one night of the year today?", "quotes": [WATCH]},
        {"question": "Which rocket engine burns methane?", "answerable": False},
    )

    assert {each.verdict for each in evaluation.outcomes} == {"right"}
    assert "[1]" in evaluation.outcomes[0].answer.response
    assert "ends in 1911" in evaluation.outcomes[1].answer.response
    assert value(evaluation, "quote-exactness") == 1
    assert value(evaluation, "claims-without-citation") == 0
    assert value(evaluation, "page-accuracy") == 1


async def test_questions_go_with_their_conversation_a_few_at_a_time_and_stay_in_order(engine, corpus):
    speaker = Speaker(engine, {f"{number}?": REFUSES for number in range(20)})
    context = [{"role": "alice", "content": "Tell me of water."}]
    steps: list[tuple[int, int]] = []
    trials = read_trials(lines(*({"question": f"{n}?", "context": context} for n in range(20))))
    evaluation = Evaluation("mirela", trials, BEGAN, at_once=3)

    await evaluation.run(speaker, lambda done, total: steps.append((done, total)))

    assert speaker.most_under_way == 3
    assert {said.content for op in speaker.asked for said in op.context} == {"Tell me of water."}
    assert [each.trial.question for each in evaluation.outcomes] == [f"{n}?" for n in range(20)]
    assert steps == [(done, 20) for done in range(21)]
    assert not evaluation.is_partial
    assert evaluation.name == "Mirela"
    assert evaluation.corpus_version


async def test_what_was_asked_before_a_stop_can_be_reported(engine, corpus):
    def told(done: int, total: int) -> None:
        if done == 2:
            running.cancel()

    trials = read_trials(lines(*({"question": f"{n}?"} for n in range(5))))
    evaluation = Evaluation("mirela", trials, BEGAN, at_once=1)
    speaker = Speaker(engine, {f"{n}?": REFUSES for n in range(5)})

    running = asyncio.create_task(evaluation.run(speaker, told))
    with pytest.raises(asyncio.CancelledError):
        await running

    assert evaluation.is_partial
    assert len(evaluation.outcomes) == 2
    assert evaluation.summary.figures["false-refusals"].share == (2, 2)


async def test_an_avatar_that_has_read_nothing_can_be_tested(engine):
    await engine.run(CATALOGUE["create_avatar"].parse({"config": CONFIG}), OPERATOR)

    evaluation = await evaluated(
        engine, {"question": "Who digs?", "quotes": [CANAL]}, {"question": "Who flies?", "answerable": False}
    )

    assert [each.verdict for each in evaluation.outcomes] == ["false refusal", "right"]
    assert len(evaluation.absent) == 1
    assert value(evaluation, "quote-exactness") is None


async def test_an_avatar_that_is_not_there_is_told_before_anything_is_asked(engine, corpus):
    speaker = Speaker(engine, {})
    evaluation = Evaluation("nobody", read_trials(lines({"question": "Q?"})), BEGAN)

    with pytest.raises(NotFound, match="nobody"):
        await evaluation.run(speaker, lambda done, total: None)
    with pytest.raises(InvalidInput):
        await Evaluation("No Body", evaluation.trials, evaluation.began).run(speaker, lambda *_: None)

    assert speaker.asked == []
