"""Claims and verdicts in what a model says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.claims.drafts import MOST_CLAIMS, Claim, draft_in, verdicts_in

ONE = {"text": "Rules change.", "passage": 2, "quote": "The rules change."}
CLAIM = Claim("Rules change.", 2, "The rules change.")


@pytest.mark.parametrize(
    "said",
    [
        json.dumps({"claims": [ONE]}),
        json.dumps([ONE]),
        f"```json\n{json.dumps({'claims': [ONE]}, indent=2)}\n```",
        f"Sure! {{not json}} {json.dumps({'claims': [ONE]})} That is all.",
        json.dumps({"claims": [ONE, ONE]})[:-20],
        json.dumps(ONE),
        json.dumps({"claims": [{**ONE, "passage": "[2]"}, "nonsense", {"text": ""}, None, 7]}),
        json.dumps(
            {"claims": [{"claim": "Rules  change.", "source": "passage 2", "quotation": "The rules change."}]}
        ),
    ],
)
def test_claims_are_read_whatever_stands_around_them(said):
    draft = draft_in(said)

    assert draft is not None
    assert draft.claims[0] == CLAIM


@pytest.mark.parametrize(
    "said", ["", "Rules change.", "{", "[[[[", '{"claims": 5}', '{"a": {"b": 1}}', "[" * 100_000]
)
def test_what_holds_no_claims_is_none(said):
    assert draft_in(said) is None


def test_an_empty_list_says_that_nothing_can_be_claimed():
    assert draft_in('{"claims": []}') == ((), 0)


def test_more_claims_than_can_be_checked_are_counted():
    draft = draft_in(json.dumps({"claims": [ONE] * 500}))

    assert draft is not None
    assert (len(draft.claims), draft.passed_over) == (MOST_CLAIMS, 500 - MOST_CLAIMS)


@given(st.text(alphabet='{}[]",:claimstextquote \n\\', max_size=300))
def test_no_text_breaks_the_reading(said):
    draft = draft_in(said)

    assert draft is None or all(claim.text.strip() for claim in draft.claims)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ('{"verdicts": [{"claim": 1, "follows": true}, {"claim": 2, "follows": false}]}', [True, False]),
        ('{"verdicts": [{"claim": 2, "follows": "no"}]}', [None, False]),
        ('{"verdicts": [true, false]}', [True, False]),
        ('["yes", "no"]', [True, False]),
        ('{"verdicts": [{"claim": 9, "follows": true}]}', [None, None]),
        ('{"verdicts": ["maybe", null]}', [None, None]),
        ("Both follow.", [None, None]),
        ('{"verdicts": [{"claim": 1, "follows": false}, {"claim": 1, "follows": true}]}', [None, None]),
        ('{"verdicts": [true, true, {"claim": 2, "follows": false}]}', [True, None]),
        ('{"verdicts": [{"pair": 2, "follows": true}, {"pair": 1, "follows": false}]}', [False, True]),
        ('{"verdicts": [{"claim": 0, "follows": true}]}', [None, None]),
        ('{"claims": [{"text": "x", "passage": 1, "quote": "y"}]}', [None, None]),
    ],
)
def test_verdicts_are_yes_no_or_nothing(said, found):
    assert verdicts_in(said, 2) == found
