"""What every index promises, shown on each adapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.ports import Entry, Index, Question

from .index_suite import (
    OPENED,
    Open,
    Passages,
    an_entry,
    asking,
    clustered,
    embedded,
    ids_found,
    new_collection,
    unit,
)

HOSTILE = [
    "'; drop table vivavoce_index.words; --",
    '"',
    "' or '1'='1",
    "%s %(key)s {0}",
    "\\",
    "a\tb\nc\r\\.",
    '{"must":[]}',
    "$ne",
    "ção",
    "日本",
    "🙂",
    "x" * 5_000,
]


@pytest.fixture(params=["embedded", "qdrant", "pgvector"])
def open_index(request, tmp_path) -> Open:
    """Opens the same index each time."""
    if request.param == "embedded":
        return lambda: embedded(tmp_path / "index")
    server = request.getfixturevalue("qdrant" if request.param == "qdrant" else "postgres")
    return lambda: OPENED[request.param](server.url)


@pytest.fixture
async def index(open_index) -> AsyncIterator[Index]:
    async with open_index() as index:
        yield index


# Keeping and finding


async def test_a_passage_is_found_by_its_meaning_and_by_its_words_and_has_both_scores(index, collection):
    passages = Passages(
        [
            an_entry(1, vector=(1, 0, 0, 0), words={"tax": 2, "law": 1}),
            an_entry(2, vector=(0, 1, 0, 0), words={"tax": 1}),
            an_entry(3, vector=(0.6, 0.8, 0, 0), words={"sea": 5}),
            an_entry(4, vector=(-1, 0, 0, 0), words={"sea": 1}),
        ]
    )
    await index.add(collection, list(passages.entries.values()))

    question = asking("tax", "unknown", vector=(1, 0, 0, 0))
    hits = await index.search(collection, question, 2)

    assert {hit.id for hit in hits} == {1, 2, 3}
    passages.check(hits, question, 2)


async def test_the_scores_of_a_thousand_passages_are_the_exact_ones(index, collection):
    entries, questions = clustered(1_000, 32)
    passages = Passages(entries)
    await index.add(collection, entries)

    for question in questions:
        passages.check(await index.search(collection, question, 10), question, 10)


async def test_the_nearest_of_five_thousand_are_found(index, collection):
    entries, questions = clustered(5_000, 96, seed=2)
    passages = Passages(entries)
    await index.add(collection, entries)

    found = 0
    for question in questions:
        right = sorted(passages.scored(question).values(), key=lambda hit: -hit.meaning)[:10]
        found += len({hit.id for hit in right} & await ids_found(index, collection, question, 10))

    assert found >= 0.97 * 10 * len(questions)


async def test_a_word_that_all_passages_have_still_finds_and_a_rare_one_counts_more(index, collection):
    entries = [an_entry(id, words={"all": 1, f"only{id}": 1}) for id in range(1, 9)]
    await index.add(collection, entries)

    hits = {hit.id: hit.words for hit in await index.search(collection, asking("all", "only3"), 10)}

    assert hits.keys() == set(range(1, 9))
    assert max(hits, key=hits.__getitem__) == 3
    assert 0 < hits[1] < hits[3] < 1


async def test_a_question_without_words_finds_by_meaning_alone(index, collection):
    await index.add(collection, [an_entry(1, words={"a": 1}), an_entry(2, vector=(0, 1, 0, 0))])

    hits = await index.search(collection, asking(), 1)

    assert [(hit.id, hit.words) for hit in hits] == [(1, 0.0)]


async def test_a_collection_exists_as_soon_as_it_is_named(index, collection):
    assert await index.search(collection, asking("tax"), 10) == []
    assert await index.count(collection) == 0
    await index.remove(collection, [1, 2])
    await index.drop(collection)
    await index.add(collection, [])
    assert await index.count(collection) == 0


async def test_what_was_added_is_there_when_the_index_is_opened_again(open_index, collection):
    async with open_index() as index:
        await index.add(collection, [an_entry(1, words={"tax": 1})])

    async with open_index() as index:
        assert await index.count(collection) == 1
        assert await ids_found(index, collection, asking("tax")) == {1}


async def test_collections_do_not_see_each_other_even_with_the_same_ids(index):
    one, other = new_collection(), new_collection()
    await index.add(one, [an_entry(1, words={"tax": 1}), an_entry(2, words={"tax": 1})])
    await index.add(other, [an_entry(1, vector=(0, 1, 0, 0), words={"sea": 1})])

    only = Passages([an_entry(1, vector=(0, 1, 0, 0), words={"sea": 1})])
    question = asking("sea", "tax")
    only.check(await index.search(other, question, 10), question, 10)
    await index.drop(one)

    assert await index.count(one) == 0
    assert await index.count(other) == 1
    only.check(await index.search(other, question, 10), question, 10)


async def test_collections_may_differ_in_dimension(index):
    short, long = new_collection(), new_collection()
    await index.add(short, [Entry(1, "d1", unit(1, 0), {"a": 1})])
    await index.add(
        long, [Entry(1, "d1", unit(0, 0, 1, 0, 0), {"a": 1}), an_entry(2, vector=(0, 0, 0, 1, 0))]
    )

    assert await ids_found(index, short, Question(unit(1, 0), {"a": 1})) == {1}
    hits = await index.search(long, asking("a", vector=(0, 0, 1, 0, 0)), 1)
    assert [(hit.id, round(hit.meaning, 2)) for hit in hits] == [(1, 1.0)]


# Replacing and forgetting


async def test_adding_twice_is_adding_once(index, collection):
    entries, questions = clustered(60, 8)
    await index.add(collection, entries)
    await index.add(collection, entries[20:50])

    assert await index.count(collection) == 60
    Passages(entries).check(await index.search(collection, questions[0], 5), questions[0], 5)


async def test_removed_passages_are_gone(index, collection):
    entries, questions = clustered(300, 8)
    await index.add(collection, entries)
    await index.remove(collection, [entry.id for entry in entries[100:]])
    await index.remove(collection, [150, 10_000])

    assert await index.count(collection) == 100
    for question in questions[:5]:
        hits = await index.search(collection, question, 10)
        Passages(entries[:100]).check(hits, question, 10, is_tidy=False)


async def test_a_removed_passage_can_be_added_again(index, collection):
    entries, questions = clustered(50, 8)
    await index.add(collection, entries)
    await index.remove(collection, [3, 4, 5])
    await index.add(collection, entries[3:5])

    left = Passages(entry for entry in entries if entry.id != 5)
    left.check(await index.search(collection, questions[0], 60), questions[0], 60, is_tidy=False)
    assert await index.count(collection) == 49


async def test_a_dropped_collection_is_empty_and_can_be_filled_again(index, collection):
    entries, questions = clustered(200, 8)
    await index.add(collection, entries)
    await index.drop(collection)

    assert await index.count(collection) == 0
    assert await index.search(collection, questions[0], 10) == []
    await index.add(collection, entries[:50])
    Passages(entries[:50]).check(await index.search(collection, questions[0], 10), questions[0], 10)


# Filters and odd texts


async def test_only_passages_of_the_wanted_datasources_are_found(index, collection):
    entries, questions = clustered(400, 16)
    passages = Passages(entries)
    await index.add(collection, entries)

    for among in (["d1"], ["d2", "d5"], ["d6", "none such"], ["none such"], []):
        for asked in questions[:3]:
            question = asked._replace(datasource_ids=frozenset(among))
            hits = await index.search(collection, question, 10)
            passages.check(hits, question, 10)
            assert bool(hits) == any(id in {"d1", "d2", "d5", "d6"} for id in among)


async def test_a_thousand_datasources_can_be_asked_for_at_once(index, collection):
    await index.add(collection, [an_entry(id, datasource_id=f"s{id}") for id in range(20)])

    assert await ids_found(index, collection, asking(among=[f"s{n}" for n in range(5, 1_005)])) == set(
        range(5, 20)
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_a_datasource_and_a_word_are_only_what_they_are(index, collection, text):
    entries = [an_entry(1, datasource_id=text, words={text: 1, "b": 2}), an_entry(2, words={"b": 1})]
    await index.add(collection, entries)

    for question in (asking(text), asking("b", among=[text]), asking(text, "b", among=["d1"])):
        Passages(entries).check(await index.search(collection, question, 10), question, 10)
    assert await index.count(collection) == 2


async def test_a_passage_may_have_thousands_of_words_and_a_question_a_hundred(index, collection):
    entries = [
        an_entry(1, words={f"palavra{number}": 1 + number % 3 for number in range(5_000)}),
        an_entry(2, words={"palavra7": 1}),
    ]
    await index.add(collection, entries)

    question = asking(*(f"palavra{number}" for number in range(100)))
    Passages(entries).check(await index.search(collection, question, 10), question, 10)


# Many at once


async def test_adds_and_searches_at_once_lose_nothing(index, collection):
    entries, questions = clustered(600, 16)
    parts = [entries[start : start + 60] for start in range(0, 600, 50)]  # each overlaps with the next

    await asyncio.gather(
        *(index.add(collection, part) for part in parts),
        *(index.search(collection, question, 10) for question in questions),
    )

    assert await index.count(collection) == 600
    for question in questions[:5]:
        Passages(entries).check(await index.search(collection, question, 10), question, 10)


# Any collection


words = st.dictionaries(st.sampled_from(["a", "b", "c", "é", "日本"]), st.integers(1, 50), max_size=4)
vectors = st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any).map(lambda places: unit(*places))
entries = st.builds(Entry, st.integers(0, 2**62), st.sampled_from(["d1", "d2"]), vectors, words)
questions = st.builds(
    Question, vectors, words, st.none() | st.frozensets(st.sampled_from(["d1", "d2", "d3"]), max_size=2)
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kept=st.lists(entries, max_size=12, unique_by=lambda entry: entry.id),
    removed=st.sets(st.integers(0, 11), max_size=4),
    question=questions,
    limit=st.integers(1, 15),
)
def test_any_small_collection_is_searched_as_if_each_passage_were_looked_at(
    open_index, kept, removed, question, limit
):
    async def checked() -> None:
        collection = new_collection()
        gone = [entry.id for place, entry in enumerate(kept) if place in removed]
        left = Passages(entry for entry in kept if entry.id not in gone)
        async with open_index() as index:
            await index.add(collection, kept)
            await index.remove(collection, gone)
            hits = await index.search(collection, question, limit)
            left.check(hits, question, limit, is_tidy=not gone)
            assert await index.count(collection) == len(left.entries)

    asyncio.run(checked())
