"""Claims in which things change places."""

import pytest

from vivavoce.domain.claims.turning import exchanged


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("You borrow two handfuls and return one.", "You borrow one handful and you return two."),
        (
            "Of forty kinds, seven are back and thirty-three are gone.",
            "Of the forty kinds, thirty-three are back. Seven are gone.",
        ),
        (
            "The boy chased the baron out of the castle.",
            "The baron came by and chased the boy out of the castle.",
        ),
        ("The maid slapped the lady.", "The maid fainted; she was slapped on both ears by the lady."),
        ("Talent and virtue win the respect due to gold.", "Gold wins the respect due to talent and virtue."),
        (
            "Bread is for nobody at noon, for everyone at night.",
            "Bread is for everyone at noon, for nobody at night.",
        ),
    ],
)
def test_two_things_that_change_places_are_seen(claim, text):
    assert exchanged(claim, text, "en")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The market and the state failed.", "The state failed, and the market failed."),
        ("Rules work if the users agree.", "If the users agree, the rules work."),
        ("The officials are supported by the farmers.", "The farmers support the officials."),
        ("The farmers support the officials.", "The officials are supported by the farmers."),
        ("In spring the mill grinds corn.", "The mill grinds corn in spring."),
        ("Vaz says that the mill grinds corn.", "The mill, says Vaz, grinds corn."),
    ],
)
def test_another_order_that_says_the_same_is_none(claim, text):
    assert exchanged(claim, text, "en") == ""
