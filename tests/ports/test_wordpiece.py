"""Texts become the numbers that the library of the models gives; its answers are recorded."""

import json
from pathlib import Path

import pytest

from vivavoce.adapters.embedders.weights import BGE_SMALL
from vivavoce.adapters.embedders.wordpiece import WordPiece

RECORDED = json.loads(Path(__file__).with_name("wordpiece_recorded.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def wordpiece():
    return WordPiece(BGE_SMALL.path() / "tokenizer.json")


@pytest.mark.parametrize("recorded", RECORDED["texts"], ids=lambda recorded: recorded["text"][:20])
def test_a_text_becomes_the_numbers_that_were_recorded(wordpiece, recorded):
    encoded = wordpiece.encoded(recorded["text"], longest=512)

    assert encoded.ids == recorded["ids"]
    assert wordpiece.length(recorded["text"]) == len(recorded["ids"]) - 2


def test_a_question_stands_after_its_mark_and_is_filled_up(wordpiece):
    plain = wordpiece.encoded("Who wrote it?", longest=512)

    short = wordpiece.marked("Who wrote it?", "[unused0]", 512, at_least=32)
    long = wordpiece.marked("word " * 600, "[unused1]", 512, at_least=32)

    assert short.ids[: short.read] == [plain.ids[0], 1, *plain.ids[1:]]
    assert (len(short.ids), set(short.ids[short.read :])) == (32, {103})
    assert (len(long.ids), long.read, long.ids[1]) == (512, 512, 2)


def test_a_long_text_is_cut_between_its_marks(wordpiece):
    whole = wordpiece.encoded("word " * 600, longest=512)

    assert len(whole.ids) == 512
    assert whole.ids[0] != whole.ids[1] == whole.ids[-2] != whole.ids[-1]
