"""Names on access lists: what is compared of a phone number, and of everything else."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from vivavoce.domain.access import Phone, compared


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("+55 (11) 99999-0000", "5511999990000"),
        ("12.345", "12345"),
        (" Eve@Example.com ", "eve@example.com"),
        ("-----", "-----"),
        ("(...)", "(...)"),
        ("1-2-3-4", "1-2-3-4"),
        ("192.168.1.10", "192.168.1.10"),
    ],
)
def test_of_a_phone_number_the_digits_are_compared_and_all_else_as_it_is(written, meant):
    assert compared(written) == meant


def test_an_address_on_the_network_is_not_another_with_the_same_digits():
    assert compared("192.168.1.10") != compared("192.168.11.0")


@pytest.mark.parametrize("written", ["192.168.1.10", "-----", "1-2-3-4"])
def test_what_is_no_phone_number_is_refused_as_one(written):
    with pytest.raises(ValidationError, match="must be a phone number"):
        TypeAdapter(Phone).validate_python(written)
