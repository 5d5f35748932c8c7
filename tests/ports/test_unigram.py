"""Texts become the numbers that the engine which the models' base comes with gives; they are recorded."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.adapters.embedders.words import Words

RECORDED = json.loads(Path(__file__).with_name("unigram_recorded.json").read_text(encoding="utf-8"))
UNIGRAM = Words().tokenizer


@pytest.mark.parametrize("recorded", RECORDED["texts"], ids=lambda recorded: recorded["text"][:20])
def test_a_text_becomes_the_numbers_that_were_recorded(recorded):
    assert UNIGRAM.encoded(recorded["text"], 5_000) == recorded["ids"]


def test_each_piece_stands_for_characters_of_the_text():
    text = "A Padaria  Sol abre às\nsete horas."

    pieces = UNIGRAM.pieces(text)

    shown = [text[piece.start : piece.end] for piece in pieces]
    assert "".join(shown) == "".join(text.split())
    assert {"sete", "horas"} <= set(shown)


@given(st.text(max_size=60))
def test_pieces_stand_in_order_and_within_the_text(text):
    pieces = UNIGRAM.pieces(text)

    assert all(0 <= piece.start <= piece.end <= len(text) for piece in pieces)
    assert [piece.start for piece in pieces] == sorted(piece.start for piece in pieces)


def test_a_mark_that_is_written_in_a_text_is_no_mark():
    first, *numbers, last = UNIGRAM.encoded("</s><s><pad>", 100)

    assert not {first, last, 1} & set(numbers)


def test_a_long_question_and_a_long_text_share_the_room():
    pair = UNIGRAM.paired("palavra " * 300, "texto " * 300, 256)

    assert len(pair.ids) == 256
    assert pair.second == 126 + 3
    assert len(pair.pieces) == 126


def test_a_span_leads_back_to_the_characters_of_the_text():
    text = "O pão de queijo custa quatro reais."

    pair = UNIGRAM.paired("Quanto custa o pão de queijo?", text, 256)

    places = [
        at for at, piece in enumerate(pair.pieces) if text[piece.start : piece.end] in ("quatro", "reais")
    ]
    start, end = pair.characters(pair.second + places[0], pair.second + places[-1])
    assert text[start:end] == "quatro reais"
