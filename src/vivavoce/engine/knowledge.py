"""How the engine carries out operations on datastores and datasources."""

from __future__ import annotations

from vivavoce.domain.knowledge import Counted, Datastore, custom_id_in, tags_in
from vivavoce.errors import Conflict, NotAllowed
from vivavoce.operations.knowledge import (
    CreateDatastore,
    DeleteDatastore,
    GetDatastore,
    ListDatastores,
    PageDatastores,
    QueryDatastore,
    UpdateDatastore,
)
from vivavoce.operations.knowledge_results import (
    Chunk,
    ChunkList,
    DatasourceShown,
    DatastoreContents,
    DatastoreDeleted,
    DatastoreList,
    DatastorePage,
    DatastoreShown,
    Pagination,
)

from .handlers import Errand, Work, handles, runs
from .library.retrieval import Found, Wanted, passages_for
from .references import datastore_named

_SHOWN = 10
"""How many passages a search through get_datastore shows."""


@handles(CreateDatastore)
def create_datastore(op: CreateDatastore, work: Work) -> DatastoreShown:
    datastore = Datastore(
        **work.identity(),
        type=op.type,
        name=op.name or "New datastore",
        description=op.description,
        visibility="public" if op.is_public else "private",
        plugin_name=op.plugin_name,
        plugin_description_for_humans=op.plugin_description_for_humans,
    )
    work.tables.datastores.add(datastore)
    return _shown(datastore, 0)


@handles(UpdateDatastore)
def update_datastore(op: UpdateDatastore, work: Work) -> DatastoreShown:
    changes = {name: value for name, value in op.given().items() if name not in ("id", "is_public")}
    if op.is_public is not None:
        changes["visibility"] = "public" if op.is_public else "private"
    datastore = datastore_named(op.id, work).changed(work.now, **changes)
    work.tables.datastores.replace(datastore)
    return _shown(datastore, work.tables.datasources.count(datastore_id=datastore.id))


@handles(DeleteDatastore)
def delete_datastore(op: DeleteDatastore, work: Work) -> DatastoreDeleted:
    datastore = datastore_named(op.id, work)
    _refuse_where_spoken_from(datastore, work)
    sources = work.tables.datasources.count(datastore_id=datastore.id)
    gone = {"datasources": sources, "tools": work.tables.tools.count(datastore_id=datastore.id)}
    work.tables.passages.retire_all(datastore.id)
    work.tables.datastores.drop(datastore.id)
    return DatastoreDeleted.of(datastore, count=Counted(datasources=sources), also_removed=gone)


@runs(GetDatastore)
async def get_datastore(op: GetDatastore, errand: Errand) -> DatastoreContents:
    await errand.read(lambda work: datastore_named(op.id, work))  # before the index is troubled
    found = [] if op.search is None else await passages_for(Wanted(op.id, op.search, _SHOWN), errand.ports)
    return await errand.read(lambda work: _contents(op, found, work))


@runs(QueryDatastore)
async def query_datastore(op: QueryDatastore, errand: Errand) -> ChunkList:
    if op.filters.datastore_ids:
        raise NotAllowed("filters.datastore_ids: the address names the datastore.", hint="Leave it out.")
    await errand.read(lambda work: datastore_named(op.id, work))
    wanted = Wanted(
        op.id,
        op.query,
        op.top_k,
        tuple(op.filters.datasource_ids),
        tuple(op.filters.custom_ids),
        tuple(tag for tag in op.tags if tag.strip()),
    )
    return ChunkList(chunks=[_chunk(each) for each in await passages_for(wanted, errand.ports)])


@handles(ListDatastores)
def list_datastores(op: ListDatastores, work: Work) -> DatastoreList:
    return DatastoreList.model_construct(
        datastores=_counted(work.tables.datastores.where(newest_first=True), work)
    )


@handles(PageDatastores)
def page_datastores(op: PageDatastores, work: Work) -> DatastorePage:
    rows = work.tables.datastores.where(newest_first=True, limit=op.limit, offset=op.offset)
    total = work.tables.datastores.count()
    return DatastorePage(
        data=_counted(rows, work),
        pagination=Pagination(total=total, offset=op.offset, limit=op.limit, count=len(rows)),
    )


def _refuse_where_spoken_from(datastore: Datastore, work: Work) -> None:
    """An avatar would lose its corpus, and what it answered could no longer be looked up."""
    for avatar in work.tables.avatars.where(datastore_id=datastore.id, limit=1):
        raise Conflict(
            f"The datastore {datastore.id!r} is the corpus of the avatar {avatar.id!r}.",
            hint="Delete the avatar with delete_avatar first, which takes the log of its answers along.",
        )


def _counted(datastores: list[Datastore], work: Work) -> list[DatastoreShown]:
    counts = work.tables.datasources.counts("datastore_id", [datastore.id for datastore in datastores])
    return [_shown(datastore, counts.get(datastore.id, 0)) for datastore in datastores]


def _shown(datastore: Datastore, sources: int) -> DatastoreShown:
    return DatastoreShown.of(datastore, count=Counted(datasources=sources))


def _contents(op: GetDatastore, found: list[Found], work: Work) -> DatastoreContents:
    datastore = datastore_named(op.id, work)
    wanted = {"status": op.status, "type": op.type, "group_id": op.group_id}
    sources = work.tables.datasources.search(
        datastore.id,
        op.search,
        also=list(dict.fromkeys(each.datasource.id for each in found)),
        limit=op.limit,
        offset=op.offset * op.limit,  # on the wire, the offset of this list counts pages
        **{name: value for name, value in wanted.items() if value is not None},
    )
    return DatastoreContents.of(
        datastore,
        count=Counted(datasources=work.tables.datasources.count(datastore_id=datastore.id)),
        datasources=[DatasourceShown.of(source) for source in sources],
        chunks=[_chunk(each) for each in found],
    )


def _chunk(found: Found) -> Chunk:
    cited, config = found.cited, found.datasource.config
    passage = cited.passage
    return Chunk(
        text=cited.text,
        score=found.score,
        source=config.get("source_url"),
        datasource_id=found.datasource.id,
        datasource_name=found.datasource.name,
        custom_id=custom_id_in(config),
        tags=tags_in(config),
        page=found.page,
        end_page=found.end_page,
        headings=list(passage.headings),
        document_id=cited.document_id,
        start=passage.start,
        end=passage.end,
    )
