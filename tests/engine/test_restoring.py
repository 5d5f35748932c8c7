"""A backup that is put back does not trust an index that has gone on without it."""

from vivavoce.adapters.index.embedded import EmbeddedIndex
from vivavoce.adapters.sql.sqlite import back_up
from vivavoce.operations import OPERATOR
from vivavoce.operations.knowledge import CreateDatasource, CreateDatastore, QueryDatastore
from vivavoce.testing import CountedIds, ingested, open_test_engine


async def test_a_restored_database_is_searched_by_what_it_says_itself(tmp_path):
    index = EmbeddedIndex(tmp_path / "shared.index")
    (tmp_path / "now").mkdir()
    (tmp_path / "then").mkdir()
    with open_test_engine(tmp_path / "now", ids=CountedIds(), index=index) as engine:
        datastore = await engine.run(CreateDatastore(type="qdrant", name="Garden"), OPERATOR)
        await add(engine, datastore.id, "Roses bloom in June.")
        back_up(tmp_path / "now" / "vivavoce.db", tmp_path / "then" / "vivavoce.db")
        await add(engine, datastore.id, "Tulips bloom in April.")

    with open_test_engine(tmp_path / "then", ids=AfterAWhile(), index=index) as engine:
        await add(engine, datastore.id, "Cats sleep all day.")
        cats = await asked(engine, datastore.id, "cats sleep all day")
        tulips = await asked(engine, datastore.id, "tulips bloom in April")
        roses = await asked(engine, datastore.id, "roses bloom in June")

    assert (cats.text, roses.text) == ("Cats sleep all day.", "Roses bloom in June.")
    assert cats.score > 0.9
    assert tulips.text == "Roses bloom in June."
    assert tulips.score < roses.score


class AfterAWhile(CountedIds):
    """Ids that come after those of the other engine."""

    def __call__(self):
        return super().__call__().replace("c0", "c1", 1)


async def add(engine, datastore_id, text):
    await engine.run(CreateDatasource(datastore_id=datastore_id, name="note", text=text), OPERATOR)
    await ingested(engine)


async def asked(engine, datastore_id, question):
    found = await engine.run(QueryDatastore(id=datastore_id, query=question, top_k=1), OPERATOR)
    return found.chunks[0]
