"""The families that the reader is taught and weighed with: a mistake in them would be taught as well."""

import json
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench"
LANGUAGES = ["en", "pt", "es", "fr", "de", "it"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_answer_stands_in_its_passage_and_no_question_is_both_answered_and_not(language):
    families = [json.loads(line) for line in _lines(f"families-{language}.jsonl")]

    assert len({family["subject"] for family in families}) == len(families) > 0
    for family in families:
        answered = [one for passage in family["passages"] for one in passage["answered"]]
        assert not {one["question"] for one in answered} & set(family["unanswered"]), family["subject"]
        assert min(len(passage["answered"]) for passage in family["passages"]) >= 2, family["subject"]
        for passage in family["passages"]:
            assert all(one["answer"] in passage["text"] for one in passage["answered"]), passage["title"]


def test_every_question_of_who_speaks_another_language_is_one_about_a_family():
    rows = [json.loads(line) for line in _lines("families-abroad.jsonl")]
    texts = {language: "\n".join(_lines(f"families-{language}.jsonl")) for language in LANGUAGES}

    assert {row["language"] for row in rows} == {*LANGUAGES}
    assert len({(row["language"], row["question"]) for row in rows}) == len(rows)
    for row in rows:
        assert json.dumps(row["question"], ensure_ascii=False) in texts[row["language"]], row["question"]
        assert row["asked_in"] in {*LANGUAGES} - {row["language"]}, row["question"]
        assert row["asked"] != row["question"]


def _lines(name):
    return (BENCH / name).read_text(encoding="utf-8").splitlines()
