"""Which headers a tool may set: those that say what is asked, not how the call travels."""

from __future__ import annotations

import pytest

from vivavoce.domain.http.headers import check_header_names
from vivavoce.errors import InvalidInput


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding", "Proxy-Authorization", "TE"])
def test_a_header_that_says_how_a_call_travels_is_refused(name):
    with pytest.raises(InvalidInput, match="written for you"):
        check_header_names("config.headers", ["X-Key", name])


@pytest.mark.parametrize("name", ["X Key", "X-Schlüssel", "X:Key", ""])
def test_what_is_no_name_of_a_header_is_refused(name):
    with pytest.raises(InvalidInput, match="no name of a header"):
        check_header_names("config.headers", [name])


def test_other_headers_are_taken():
    check_header_names("config.headers", ["Authorization", "X-Key", "accept", "conversationid"])
