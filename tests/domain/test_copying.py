"""Claims that repeat a text almost word for word."""

import pytest

from vivavoce.domain.claims.copying import changes, is_copy
from vivavoce.domain.claims.following import Judged, judged
from vivavoce.domain.claims.grounds import Ground

TEXT = (
    "In most villages the rules may be changed by the users, but some of the officials were not asked before "
    "the canals were dug, and 127 farmers must pay more than 86 others."
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("most ", "all "),
        ("most ", ""),
        ("may be", "must be"),
        ("may be", "will be"),
        ("some of", "all of"),
        ("were not asked", "were asked"),
        ("were dug", "were not dug"),
        ("before", "after"),
        ("127", "86"),
        ("must pay", "may pay"),
        ("must pay", "pay"),
        ("more than", "less than"),
        ("the users", "only the users"),
    ],
)
def test_a_copy_with_a_changed_small_word_does_not_follow(old, new):
    assert judged(TEXT.replace(old, new), Ground(TEXT, "en")).gravity == 2


def test_a_lost_beginning_is_a_change():
    quote = "Not all the villages keep the old rules."

    assert judged("All the villages keep the old rules.", Ground(quote, "en")).objection


def test_a_whole_copy_follows():
    assert is_copy(TEXT.replace(" ", "\n").upper(), TEXT)
    assert judged(TEXT, Ground(TEXT, "en")) == Judged()


def test_what_is_left_out_at_the_ends_is_no_change():
    assert list(changes("The rules may be changed by the users", TEXT, "en")) == []


def test_a_remark_that_is_left_out_may_be_read_again():
    text = "It is costly (but not impossible) to exclude the users of a forest."
    found = judged("It is costly to exclude the users of a forest.", Ground(text, "en"))

    assert found.objection == ""
    assert not found.is_plain
