"""How answers are scored against what was expected of them."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.answers.scoring import (
    Refusals,
    Share,
    covers,
    f1,
    mean,
    overlap,
    percentile,
    token_f1,
    tokens_of,
)
from vivavoce.domain.language.sentences import Span

counts = st.integers(0, 50)
words = st.lists(st.sampled_from(["water", "forest", "canal", "the", "of"]), max_size=12)


def spans(most=40):
    return st.tuples(st.integers(0, most), st.integers(1, most)).map(
        lambda given: Span(given[0], given[0] + given[1])
    )


# Shares


def test_a_share_of_nothing_has_no_value():
    assert Share.of([]).value is None
    assert Share.of([True, False, False, True]) == (2, 4)
    assert Share.of([False]).value == 0.0


# Refusals


def test_refusals_are_counted_from_what_should_have_been_refused():
    asked = [(False, True)] * 6 + [(False, False)] * 2 + [(True, True)] * 3 + [(True, False)] * 9

    refusals = Refusals.of(asked)

    assert refusals == (6, 3, 9, 2)
    assert refusals.precision.value == pytest.approx(6 / 9)
    assert refusals.recall.value == pytest.approx(6 / 8)
    assert refusals.f1 == pytest.approx(2 * (6 / 9) * (6 / 8) / (6 / 9 + 6 / 8))
    assert refusals.false_refusals.value == pytest.approx(3 / 12)


def test_who_refuses_everything_finds_all_and_is_told_the_price():
    refusals = Refusals.of([(False, True)] * 2 + [(True, True)] * 8)

    assert refusals.recall.value == 1.0
    assert refusals.precision.value == pytest.approx(0.2)
    assert refusals.false_refusals.value == 1.0


def test_who_answers_everything_scores_nothing_on_what_has_no_answer():
    refusals = Refusals.of([(False, False)] * 2 + [(True, False)] * 8)

    assert (refusals.precision.value, refusals.recall.value, refusals.f1) == (None, 0.0, 0.0)
    assert refusals.false_refusals.value == 0.0


def test_where_every_question_has_an_answer_and_gets_one_there_is_no_f1():
    assert Refusals.of([(True, False)] * 3).f1 is None


@given(counts, counts, counts)
def test_f1_is_the_harmonic_mean_and_lies_between_its_parts(found, wrong, missed):
    score = f1(found, wrong, missed)

    if found == wrong == missed == 0:
        assert score is None
    elif found == 0:
        assert score == 0.0
    else:
        precision, recall = found / (found + wrong), found / (found + missed)
        assert score == pytest.approx(2 * precision * recall / (precision + recall))
        assert min(precision, recall) - 1e-9 <= score <= max(precision, recall) + 1e-9


# Places


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((0, 10), (0, 10), True),
        ((0, 10), (5, 100), True),  # half of the shorter one
        ((0, 10), (6, 100), False),
        ((0, 100), (40, 44), True),  # within
        ((0, 10), (10, 20), False),  # side by side
        ((0, 10), (50, 60), False),
        ((0, 3), (2, 5), False),
        ((0, 0), (0, 10), False),  # nothing meets nothing
    ],
)
def test_two_stretches_overlap_when_they_share_half_of_the_shorter(one, other, expected):
    assert overlap(Span(*one), Span(*other)) is expected
    assert overlap(Span(*other), Span(*one)) is expected


@given(spans(), spans(), st.integers(0, 20))
def test_overlapping_does_not_depend_on_where_the_text_begins(one, other, shift):
    moved = (Span(one.start + shift, one.end + shift), Span(other.start + shift, other.end + shift))

    assert overlap(*moved) == overlap(one, other)
    assert overlap(one, one)


# Words


def test_words_are_folded_in_case_alone():
    assert tokens_of("The CAFÉ, d'été: 2 naïve_x\n\ufb01sh") == [
        *("the", "café", "d", "été", "2", "naïve", "x", "fish")
    ]
    assert tokens_of("共有地は ok") == ["共", "有", "地", "は", "ok"]
    assert tokens_of(" … - ") == []


@pytest.mark.parametrize(
    ("said", "wanted", "score"),
    [
        ("the forest", "The forest!", 1.0),
        ("the forest is old", "the forest", 2 * 2 / 6),
        ("water water", "water", 2 / 3),
        ("water", "forest", 0.0),
        ("", "forest", 0.0),
        ("", "", 0.0),
    ],
)
def test_token_f1_counts_each_word_as_often_as_both_have_it(said, wanted, score):
    assert token_f1(said, wanted) == pytest.approx(score)


@given(words, words)
def test_token_f1_is_the_same_both_ways_and_one_for_the_same_words(one, other):
    said, wanted = " ".join(one), " ".join(other)

    assert token_f1(said, wanted) == token_f1(wanted, said)
    assert 0 <= token_f1(said, wanted) <= 1
    assert (token_f1(said, wanted) == 1.0) == (Counter(one) == Counter(other) and bool(one))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('She writes: "The canal is dug by all who drink from it."', True),
        ("The canal, dug by all, is old.", True),  # half of the words, in order
        ("It is a canal.", False),
        ("it from drink who all by dug is canal the", False),  # all of the words, in no order
        ("", False),
    ],
)
def test_an_answer_covers_a_quote_when_it_says_half_of_it_in_order(said, expected):
    assert covers(said, "The canal is dug by all who drink from it.") is expected


def test_nothing_covers_a_quote_without_words():
    assert not covers("… and so on", "…")


@given(words, words)
def test_covering_agrees_with_the_longest_sequence_that_stands_in_both(one, other):
    rows = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, word in enumerate(one):
        for j, beside in enumerate(other):
            rows[i + 1][j + 1] = rows[i][j] + 1 if word == beside else max(rows[i][j + 1], rows[i + 1][j])

    assert covers(" ".join(one), " ".join(other)) == (bool(other) and 2 * rows[-1][-1] >= len(other))


# Numbers


def test_percentiles_are_values_that_occurred():
    values = [5.0, 1.0, 4.0, 2.0, 3.0]

    assert percentile(values, 0.5) == 3.0
    assert percentile(values, 0.95) == 5.0
    assert percentile(values, 0.2) == 1.0
    assert percentile([7.0], 0.95) == 7.0
    assert percentile([], 0.5) is None


@given(st.lists(st.floats(0, 100), min_size=1, max_size=40), st.floats(0.01, 1))
def test_a_percentile_is_the_least_value_that_enough_do_not_exceed(values, share):
    found = percentile(values, share)

    assert sum(value <= found for value in values) >= share * len(values) - 1e-9
    below = [value for value in values if value < found]
    assert not below or sum(value <= max(below) for value in values) < share * len(values)


def test_the_mean_of_nothing_is_nothing():
    assert mean([]) is None
    assert mean([1.0, 2.0, 6.0]) == 3.0
