"""How the engine carries out operations on datastores and datasources."""

from __future__ import annotations

import hashlib

from vivavoce.domain.knowledge import Counted, Datasource, Datastore, covered_settings
from vivavoce.operations.knowledge import (
    CreateDatasource,
    CreateDatastore,
    DatasourceContents,
    DatasourcePage,
    DatasourceShown,
    DatastoreContents,
    DatastoreDeleted,
    DatastoreList,
    DatastorePage,
    DatastoreShown,
    DeleteDatasource,
    DeleteDatastore,
    GetDatasource,
    GetDatastore,
    ListDatasources,
    ListDatastores,
    PageDatastores,
    Pagination,
    UpdateDatastore,
)

from .handlers import Work, handles
from .references import datasource_named, datastore_named


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
    sources = work.tables.datasources.count(datastore_id=datastore.id)
    gone = {"datasources": sources, "tools": work.tables.tools.count(datastore_id=datastore.id)}
    work.tables.datastores.drop(datastore.id)
    return DatastoreDeleted.of(datastore, count=Counted(datasources=sources), also_removed=gone)


@handles(GetDatastore)
def get_datastore(op: GetDatastore, work: Work) -> DatastoreContents:
    datastore = datastore_named(op.id, work)
    wanted = {"status": op.status, "type": op.type, "group_id": op.group_id}
    found = work.tables.datasources.search(
        datastore.id,
        op.search,
        limit=op.limit,
        offset=op.offset * op.limit,  # on the wire, the offset of this list counts pages
        **{name: value for name, value in wanted.items() if value is not None},
    )
    return DatastoreContents.of(
        datastore,
        count=Counted(datasources=work.tables.datasources.count(datastore_id=datastore.id)),
        datasources=[DatasourceShown.of(source) for source in found],
    )


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


@handles(CreateDatasource)
def create_datasource(op: CreateDatasource, work: Work) -> DatasourceShown:
    datastore = datastore_named(op.datastore_id, work)
    config, secrets = covered_settings(op.settings())
    source = Datasource(
        **work.identity(),
        datastore_id=datastore.id,
        name=op.name,
        type=op.type,
        config=config,
        secrets=secrets,
        text_size=len(op.text),
        hash=hashlib.sha256(op.text.encode()).hexdigest(),
    )
    work.tables.datasources.add(source)
    work.tables.texts.put(source.id, op.text)
    return DatasourceShown.of(source)


@handles(ListDatasources)
def list_datasources(op: ListDatasources, work: Work) -> DatasourcePage:
    datastore = datastore_named(op.datastore_id, work)
    rows = work.tables.datasources.where(
        datastore_id=datastore.id, newest_first=True, limit=op.limit, offset=op.offset
    )
    total = work.tables.datasources.count(datastore_id=datastore.id)
    return DatasourcePage(
        data=[DatasourceShown.of(source) for source in rows],
        pagination=Pagination(total=total, offset=op.offset, limit=op.limit, count=len(rows)),
    )


@handles(GetDatasource)
def get_datasource(op: GetDatasource, work: Work) -> DatasourceContents:
    source = datasource_named(op.id, work)
    return DatasourceContents.of(source, text=work.tables.texts.find(source.id) or "")


@handles(DeleteDatasource)
def delete_datasource(op: DeleteDatasource, work: Work) -> DatasourceShown:
    source = datasource_named(op.id, work)
    work.tables.datasources.drop(source.id)
    return DatasourceShown.of(source)


def _counted(datastores: list[Datastore], work: Work) -> list[DatastoreShown]:
    counts = work.tables.datasources.counts("datastore_id", [datastore.id for datastore in datastores])
    return [_shown(datastore, counts.get(datastore.id, 0)) for datastore in datastores]


def _shown(datastore: Datastore, sources: int) -> DatastoreShown:
    return DatastoreShown.of(datastore, count=Counted(datasources=sources))
