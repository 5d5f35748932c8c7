"""What every store promises to who walks through all of it, or brings things that may be there already."""

from collections.abc import Iterator

import pytest

from vivavoce.domain.contacts import Contact
from vivavoce.domain.corpus.library import Document
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.ports import Spending

from .entities import NOON, an_agent
from .workspaces import Workspace

KNOWN = {"organization_id": "o1", "created_at": NOON, "updated_at": NOON}


@pytest.fixture(params=["sqlite", "postgres"])
def store(request, tmp_path) -> Iterator:
    """An empty store on each database."""
    place = tmp_path / "store.db" if request.param == "sqlite" else request.getfixturevalue("postgres_schema")
    with Workspace(place).opened() as opened:
        yield opened


def a_contact(id, email=None):
    return Contact(id=id, **KNOWN, email=email)


async def test_a_walk_meets_each_thing_once_in_the_order_of_ids(store):
    ids = ["b", "a10", "Z", "a", "0", "c-1", "c_1"]
    await store.write(lambda tables: [tables.contacts.add(a_contact(id)) for id in ids])

    def walked(tables):
        met, last = [], ""
        while some := tables.contacts.after(last, 2):
            met += [each.id for each in some]
            last = met[-1]
        return met

    met = await store.read(walked)
    assert sorted(met) == sorted(ids)
    assert len(met) == len(ids)


async def test_a_thing_is_taken_where_its_id_and_its_names_are_free(store):
    await store.write(lambda tables: tables.contacts.add(a_contact("a", "a@x.example")))

    def take(*things):
        return store.write(lambda tables: [tables.contacts.take(each) for each in things])

    taken = await take(a_contact("a"), a_contact("b", "a@x.example"), a_contact("c", "c@x.example"))

    found = await store.read(lambda tables: {each.id: each.email for each in tables.contacts.where()})
    assert taken == [False, False, True]
    assert found == {"a": "a@x.example", "c": "c@x.example"}


async def test_the_versions_of_a_datasource_come_oldest_first(store):
    def begin(tables):
        tables.datastores.add(Datastore(id="d", **KNOWN, name="D"))
        for id in ("s", "other"):
            tables.datasources.add(Datasource(id=id, **KNOWN, datastore_id="d", name=id))
        for version, state in ((2, "current"), (1, "old"), (3, "next")):
            tables.documents.add(Document(f"s-{version}", "s", "d", NOON, version, state))

    await store.write(begin)

    versions = await store.read(lambda tables: tables.documents.versions("s"))
    assert [(each.id, each.state) for each in versions] == [
        ("s-1", "old"),
        ("s-2", "current"),
        ("s-3", "next"),
    ]
    assert await store.read(lambda tables: tables.documents.versions("other")) == []


async def test_what_an_agent_spent_is_told_by_month(store):
    def spend(tables):
        tables.agents.add(an_agent("a1"))
        tables.usage.add("a1", "2026-02", Spending(1, 2, 3, 0.5))
        tables.usage.add("a1", "2026-01", Spending(1, 0, 0, 0.0))
        tables.usage.add("a1", "2026-01", Spending(1, 4, 0, 0.25))

    await store.write(spend)

    months = await store.read(lambda tables: tables.usage.months("a1"))
    assert list(months.items()) == [
        ("2026-01", Spending(2, 4, 0, 0.25)),
        ("2026-02", Spending(1, 2, 3, 0.5)),
    ]
