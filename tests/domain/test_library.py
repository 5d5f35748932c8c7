"""The library: what an embedder is given for a passage, and what is kept of a document."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.domain.corpus.library import (
    Document,
    collection_named,
    embedded_text,
    hash_of,
    outline_read,
    outline_written,
    title_of,
)
from vivavoce.domain.corpus.outlines import Mark, Outline, Title


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Return policy.md", "Return policy"),
        ("return_policy.pdf", "return_policy"),
        ("Frequently asked questions", "Frequently asked questions"),
        ("candide.txt", ""),
        ("IMG_20231105.pdf", ""),
        ("https://example.com/a-page", ""),
        ("ckx81l2", ""),
    ],
)
def test_a_name_gives_a_title_only_where_it_is_made_of_words(name, title):
    assert title_of(name) == title


def test_an_embedder_reads_the_titles_above_a_passage():
    given_text = embedded_text("Return policy", ("Shop", "Refunds"), "They take five days.")

    assert given_text == "Return policy\nRefunds\nThey take five days."


def test_a_title_that_the_passage_begins_with_is_not_said_twice():
    assert embedded_text("", ("Refunds",), "# Refunds\nFive days.") == "# Refunds\nFive days."
    assert embedded_text("refunds", ("Refunds",), "REFUNDS take five days.") == "REFUNDS take five days."
    assert embedded_text("Shoes", ("Shoes",), "Five days.") == "Shoes\nFive days."


@given(st.text(max_size=50), st.lists(st.text(max_size=20), max_size=3), st.text(max_size=100))
def test_the_text_of_a_passage_always_stands_at_the_end(title, headings, text):
    assert embedded_text(title, headings, text).endswith(text)


@given(st.text(max_size=50), st.text(max_size=50))
def test_texts_have_the_same_hash_only_when_they_are_the_same(one, other):
    assert (hash_of(one) == hash_of(other)) == (one == other)


def test_half_a_surrogate_pair_has_a_hash_too():
    assert len(hash_of("\ud800")) == 64


def test_a_collection_belongs_to_one_datastore_and_one_embedder():
    names = {collection_named(store, model) for store in ("a", "b") for model in ("m/1", "m:2", "ç")}

    assert len(names) == 6
    assert all(name.replace(".", "").isalnum() for name in names)


offsets = st.integers(0, 10**9)
marks = st.builds(Mark, offsets, st.none() | st.integers(1, 999), st.none() | st.text(max_size=4))
titles = st.builds(Title, offsets, st.integers(1, 6), st.text(max_size=20))


@given(st.lists(marks, max_size=5), st.lists(titles, max_size=5), offsets)
def test_an_outline_survives_being_written_and_read(pages, headings, offset):
    outline = Outline(pages, headings)

    again = outline_read(json.loads(json.dumps(outline_written(outline))))

    assert (again.pages, again.titles) == (outline.pages, outline.titles)
    assert again.page_at(offset) == outline.page_at(offset)
    assert again.headings_at(offset) == outline.headings_at(offset)


def test_an_outline_that_says_nothing_is_empty():
    assert outline_read({}).pages == outline_read({}).titles == []


def test_a_document_changes_by_becoming_another():
    begun = Document("v1", "s", "d", datetime(2026, 1, 1, tzinfo=UTC), 1, "next")

    whole = begun.read("abc", 7, "pt", Outline()).in_state("current")

    assert (begun.state, begun.hash, begun.characters) == ("next", "", 0)
    assert (whole.id, whole.state, whole.hash, whole.characters, whole.language) == (
        "v1",
        "current",
        "abc",
        7,
        "pt",
    )
