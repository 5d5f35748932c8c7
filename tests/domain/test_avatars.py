"""Avatars: how the files that people write are read."""

from datetime import date

import pytest

from vivavoce.domain.avatar_files import new_config
from vivavoce.domain.avatars import read_config, read_sources
from vivavoce.errors import InvalidInput


def a_config(**changes):
    return new_config("ada", "Ada Lovelace", "Wrote notes.") | changes


def dated(**dates):
    return a_config(corpus={"description": "Notes.", "sources": [], "dateRange": dates})


@pytest.mark.parametrize("year", ["1977", 1977])
def test_a_year_alone_is_the_whole_year(year):
    dates = read_config(dated(start=year, end=year)).corpus.date_range

    assert (dates.start, dates.end) == (date(1977, 1, 1), date(1977, 12, 31))


def test_a_date_is_itself():
    dates = read_config(dated(start="1977-05-02", end=None)).corpus.date_range

    assert (dates.start, dates.end) == (date(1977, 5, 2), None)


@pytest.mark.parametrize("given", ["May 1977", "77", 19771, True, ""])
def test_what_is_no_date_is_told_with_an_example(given):
    with pytest.raises(InvalidInput, match=r"start: must be a date such as 1977-05-02, or a year"):
        read_config(dated(start=given))


def test_null_is_as_good_as_missing_for_what_may_be_missing():
    nulls = dict.fromkeys(["authors", "topics", "type", "verified", "priority", "year"])

    (source,) = read_sources([{"id": "notes", "title": "Notes", **nulls}])

    assert (source.authors, source.topics, source.type, source.verified) == ([], [], "article", False)
    assert source.is_primary
    assert read_config(a_config(expertise=None, mcp=None, birthYear=None)).expertise == []
    with pytest.raises(InvalidInput, match="title"):
        read_sources([{"id": "notes", "title": None}])


def test_a_configuration_may_have_a_disclosure_of_its_own():
    own = "An AI that has read the notes."

    assert read_config(a_config(disclosure=own)).disclosure() == own
    assert read_config(a_config()).disclosure().startswith("An AI that has studied Ada Lovelace")
    assert read_config(a_config()).disclosure("de").startswith("Eine KI, die Ada Lovelace studiert hat")
    assert read_config(a_config(disclosure=" ")).disclosure() == read_config(a_config()).disclosure()


def test_a_corpus_that_ends_before_it_begins_is_refused_by_its_key():
    with pytest.raises(
        InvalidInput, match=r"corpus\.dateRange: its start, 1990-01-01, must not be after its end"
    ):
        read_config(dated(start=1990, end=1977))


def test_one_that_was_stored_so_is_still_read():
    assert read_config(dated(start=1990, end=1977), is_stored=True).ends == date(1977, 12, 31)


def test_an_id_that_cannot_be_one_is_told_what_may_stand_in_it():
    with pytest.raises(InvalidInput) as refused:
        read_sources([{"id": "Cartas da S\u00e9", "title": "Cartas"}])

    assert refused.value.message == (
        "sources.json: sources.0: id: may have only letters without accents, digits, dots, hyphens "
        "and underscores, such as Cartas-da-Se."
    )


@pytest.mark.parametrize(
    ("key", "given", "expected"),
    [
        ("birthYear", "1815", "integer, such as 1815, without quotation marks"),
        ("birthYear", 1815.0, "integer"),
        ("deathYear", True, "integer"),
        ("monthlyBudget", "5", "number, such as 5, without quotation marks"),
        ("monthlyBudget", True, "number"),
        ("model", 5, 'string, such as "gpt_5", in quotation marks'),
        ("model", True, "string"),
        ("model", ["gpt_5"], "string"),
        ("model", {"name": "gpt_5"}, "string"),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_key_with_what_was_expected(key, given, expected):
    with pytest.raises(InvalidInput, match=rf"^config\.json: {key}: input should be a valid {expected}"):
        read_config(a_config(**{key: given}))


def test_a_work_is_verified_by_true_alone_and_its_year_may_be_a_text():
    work = {"title": "Notes", "type": "book", "year": "1843"}

    def with_work(**more):
        return a_config(corpus={"description": "Notes.", "sources": [work | more]})

    assert read_config(with_work(verified=True)).corpus.sources[0].year == 1843
    with pytest.raises(InvalidInput, match=r"corpus\.sources\.0\.verified: input should be a valid boolean"):
        read_config(with_work(verified="false"))
    with pytest.raises(InvalidInput, match=r"sources\.0: verified: input should be a valid boolean"):
        read_sources([{"id": "notes", "title": "Notes", "verified": "yes"}])
    with pytest.raises(InvalidInput, match=r"sources\.0: year: input should be a valid integer"):
        read_sources([{"id": "notes", "title": "Notes", "year": True}])


def test_what_was_stored_with_another_type_is_still_read():
    assert read_config(a_config(birthYear="1815", monthlyBudget="5"), is_stored=True).birth_year == 1815
    assert read_sources([{"id": "n", "title": "N", "verified": "yes"}], is_stored=True)[0].verified


@pytest.mark.parametrize("given", ["urgent", "Secondary", "", 1, True, ["primary"], {"is": "primary"}])
def test_a_priority_is_primary_or_secondary(given):
    with pytest.raises(InvalidInput) as refused:
        read_sources([{"id": "n", "title": "N"}, {"id": "m", "title": "M", "priority": given}])

    said = "sources.json: sources.1: priority: input should be 'primary' or 'secondary'."
    assert refused.value.message == said


def test_a_priority_that_was_stored_as_something_else_is_still_read():
    (source,) = read_sources([{"id": "n", "title": "N", "priority": "urgent"}], is_stored=True)

    assert (source.priority, source.is_primary) == ("urgent", True)


@pytest.mark.parametrize("stored", [5, True, ["gpt_5"], {"name": "gpt_5"}, "x" * 121])
def test_a_model_that_was_stored_as_no_name_is_none(stored):
    assert not read_config(a_config(model=stored), is_stored=True).model


def test_a_model_has_a_name_of_at_most_120_characters():
    with pytest.raises(InvalidInput, match="model: string should have at most 120"):
        read_config(a_config(model="x" * 121))


@pytest.mark.parametrize("model", ["gpt_5", "openai:gpt-5", "x" * 120, "", None])
def test_a_model_is_named_by_a_text_or_left_open(model):
    assert read_config(a_config(model=model)).model == model
