"""The second reading: what words leave in doubt, a model that reads well may settle."""

import pytest

from vivavoce.testing import ScriptedModel

from .thinkers import claims, open_thinker, verdicts

TEXT = """\
Rosa Penedo kept the mill of the valley. In 1902 she built the weir at Lagoa with her own hands.

No member may hold the key of the mill for longer than a year. The ferry was no longer of service once the \
bridge was built.

"The organ is a cage of wind," said the abbot. "Music is the art of hard things."
"""
QUESTION = "Who may hold the key of the mill?"
KEY = "No member may hold the key of the mill for longer than a year."
OTHERWISE = ("Whoever keeps the mill's key must hand it on within twelvemonth.", 1, KEY)
WEIR = (
    "The weir at Lagoa was built by Penedo herself in 1902.",
    1,
    "In 1902 she built the weir at Lagoa with her own hands.",
)
NO, YES = (False,) * 3, (True,) * 3
"""What is said of the trials."""


@pytest.fixture
def asked(tmp_path):
    """Asks a thinker whose model drafts a claim and says this when it reads it again."""

    async def ask(claim, *follows):
        model = ScriptedModel([claims(claim), verdicts(*follows)])
        with open_thinker(tmp_path, model) as thinker:
            await thinker.opened()
            await thinker.reads(TEXT)
            answer = await thinker.answers(QUESTION)
            return answer, (await thinker.why(answer))["claims"][0], model.prompts[1:]

    return ask


@pytest.mark.parametrize("claim", [OTHERWISE, WEIR])
async def test_a_reader_who_sees_through_the_trials_settles_a_doubt(asked, claim):
    answer, told, _ = await asked(claim, True, *NO)

    assert told["kept"] is True
    assert answer["response"].startswith(claim[0].rstrip("."))
    assert [each["quote"] for each in answer["citations"]] == [claim[2]]


@pytest.mark.parametrize("trials", [YES, (False, False, True), (), (False, False)])
async def test_a_reader_who_nods_at_a_trial_settles_none(asked, trials):
    answer, told, _ = await asked(OTHERWISE, True, *trials)

    assert told["kept"] is False
    assert "more than the quote" in told["reason"]
    assert OTHERWISE[0] not in answer["response"]


async def test_a_doubted_claim_that_is_found_not_to_follow_is_dropped(asked):
    _, told, _ = await asked(OTHERWISE, False, *NO)

    assert "second reading" in told["reason"]


async def test_what_words_tell_no_reader_settles(asked):
    _, told, prompts = await asked(
        ("Members may hold the key of the mill for longer than a year.", 1, KEY), True
    )

    assert told["kept"] is False
    assert prompts == []


async def test_a_reader_is_told_the_doubt_and_what_stands_around_the_quote(asked):
    _, _, (prompt,) = await asked(WEIR, True, *NO)

    assert (
        "context: Rosa Penedo kept the mill of the valley. In 1902 she built the weir at Lagoa"
        in prompt.question
    )
    assert "doubt: the name 'Penedo' is not in the quote" in prompt.question
    assert prompt.question.count("<pair") == 4


async def test_without_a_doubt_there_are_no_trials(asked):
    _, told, (prompt,) = await asked((KEY, 1, KEY), True)

    assert told["kept"] is True
    assert prompt.question.count("<pair") == 1


async def test_a_reader_is_told_that_the_words_are_those_of_somebody_in_the_text(asked):
    claim = ("Ostrom holds that music is the art of hard things.", 1, "Music is the art of hard things.")
    _, told, (prompt,) = await asked(claim, True, *YES)

    assert told["kept"] is False
    assert "doubt: the quote is what somebody says there" in prompt.question


async def test_of_two_quotes_for_one_claim_the_one_without_a_doubt_counts(tmp_path):
    text = WEIR[0]
    both = "Rosa Penedo kept the mill of the valley. In 1902 she built the weir at Lagoa with her own hands."
    model = ScriptedModel([claims((text, 1, WEIR[2]), (text, 1, both)), verdicts(True, *YES)])
    with open_thinker(tmp_path, model) as thinker:
        await thinker.opened()
        await thinker.reads(TEXT)
        answer = await thinker.answers(QUESTION)
        told = (await thinker.why(answer))["claims"]

    assert [each["kept"] for each in told] == [False, True]
    assert [each["quote"] for each in answer["citations"]] == [both]
