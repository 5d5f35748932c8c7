"""The families that the reader is taught and weighed with: a mistake in them would be taught as well."""

import json
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.mark.parametrize("language", ["en", "pt", "es", "fr", "de", "it"])
def test_every_answer_stands_in_its_passage_and_no_question_is_both_answered_and_not(language):
    lines = (BENCH / f"families-{language}.jsonl").read_text(encoding="utf-8").splitlines()
    families = [json.loads(line) for line in lines]

    assert len({family["subject"] for family in families}) == len(families) > 0
    for family in families:
        answered = [one for passage in family["passages"] for one in passage["answered"]]
        assert not {one["question"] for one in answered} & set(family["unanswered"]), family["subject"]
        assert min(len(passage["answered"]) for passage in family["passages"]) >= 2, family["subject"]
        for passage in family["passages"]:
            assert all(one["answer"] in passage["text"] for one in passage["answered"]), passage["title"]
