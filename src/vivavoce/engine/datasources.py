"""How the engine carries out operations on datasources."""

from __future__ import annotations

from vivavoce.domain.corpus.documents import headings_in
from vivavoce.domain.corpus.library import Document
from vivavoce.domain.corpus.outlines import Outline, Title
from vivavoce.domain.knowledge import Datasource, covered_settings
from vivavoce.domain.language.cleaning import cleaned
from vivavoce.domain.values import DOCUMENT, TEXT
from vivavoce.errors import Conflict, InvalidInput, NotFound
from vivavoce.operations.knowledge import (
    CreateDatasource,
    DeleteDatasource,
    GetDatasource,
    ListDatasources,
    ReadDocument,
    SynchDatasource,
)
from vivavoce.operations.knowledge_results import (
    DatasourceContents,
    DatasourcePage,
    DatasourceShown,
    Pagination,
    Quoted,
)

from .handlers import Work, handles
from .library.reading import written_down
from .references import datasource_named, datastore_named


@handles(CreateDatasource)
def create_datasource(op: CreateDatasource, work: Work) -> DatasourceShown:
    datastore = datastore_named(op.datastore_id, work)
    known = None if op.id is None else work.tables.datasources.find(op.id)
    if known is not None and known.datastore_id != datastore.id:
        raise Conflict(f"Datasource {op.id!r} belongs to another datastore.")
    config, secrets = covered_settings(op.settings(), known)
    text = _text(op)
    fields = {
        "name": op.name,
        "type": op.type,
        "status": "pending",
        "config": config,
        "secrets": secrets,
        "text_size": len(text),
        "error": None,
        "progress": 0.0,
    }
    if known is None:
        identity = work.identity() | ({} if op.id is None else {"id": op.id})
        source = Datasource.model_validate(identity | {"datastore_id": datastore.id} | fields)
        work.tables.datasources.add(source)
    else:
        source = known.changed(work.now, **fields)
        work.tables.datasources.replace(source)
    if text:
        source = _said(source, text, work)
    work.tables.uploads.drop(source.id)  # a file that waited to be read is replaced by this
    work.tables.ingestions.put(source.id, "split" if text else "read", work.now)
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
    if op.datastore_id not in (None, source.datastore_id):
        raise NotFound(
            f"Datastore {op.datastore_id!r} has no datasource {op.id!r}.",
            hint="List those that it has with list_datasources.",
        )
    document = _read(source, work)
    text = "" if document is None else work.tables.documents.text(document.id, 0, DOCUMENT)
    return DatasourceContents.of(source, text=text)


@handles(SynchDatasource)
def synch_datasource(op: SynchDatasource, work: Work) -> DatasourceShown:
    source = datasource_named(op.id, work)
    if source.status == "unsynched":
        raise Conflict("The file has not arrived as a whole.", hint="Send the file again.")
    has_text = _read(source, work) is not None
    is_here = source.type in ("file", "qa") and next(work.tables.uploads.chunks(source.id), None) is None
    if is_here and not has_text:
        raise Conflict(
            "The file was never read, and it is not kept once that failed.",
            hint="Add the file again with create_datasource.",
        )
    source = source.changed(work.now, status="pending", error=None)
    work.tables.datasources.replace(source)
    work.tables.ingestions.put(source.id, "split" if is_here else "read", work.now)
    return DatasourceShown.of(source)


@handles(DeleteDatasource)
def delete_datasource(op: DeleteDatasource, work: Work) -> DatasourceShown:
    source = datasource_named(op.id, work)
    for page in (source, *work.tables.datasources.where(group_id=source.id)):
        forget_texts(page.id, work)
        work.tables.datasources.drop(page.id)
    return DatasourceShown.of(source)


@handles(ReadDocument)
def read_document(op: ReadDocument, work: Work) -> Quoted:
    document = work.tables.documents.find(op.document_id)
    if document is None:
        raise NotFound(f"No document {op.document_id!r}.", hint="query_datastore shows them with passages.")
    end = op.start + _STRETCH if op.end is None else op.end
    if not op.start <= end <= op.start + TEXT:
        fault = f"must not lie before start, nor more than {TEXT:,} characters after it"
        raise InvalidInput(f"end: {fault}.", details={"end": fault})
    return Quoted(
        document_id=document.id,
        datasource_id=document.datasource_id,
        version=document.version,
        is_current=document.state == "current",
        start=op.start,
        end=min(end, document.characters),
        page=document.outline.printed_at(op.start),
        text=work.tables.documents.text(document.id, op.start, end),
    )


def forget_texts(datasource_id: str, work: Work) -> None:
    """Let the index forget the passages of a datasource that is about to go."""
    for state in ("next", "current"):
        document = work.tables.documents.of(datasource_id, state)
        if document is not None:
            work.tables.passages.retire(document.id)


_STRETCH = 2_000
"""How many characters of a document are read where nobody says how many."""


def _text(op: CreateDatasource) -> str:
    """What is known at once, without what nobody can see; nothing where it must be fetched."""
    if op.type == "qa":
        return "\n\n".join(cleaned(op.config[name]).strip() for name in ("question", "answer"))
    return cleaned(op.text) if op.type == "file" else ""


def _said(source: Datasource, text: str, work: Work) -> Datasource:
    """The datasource with a new version of its text, unless it says the same as before."""
    current = work.tables.documents.of(source.id, "current")
    headings = [Title(*heading) for heading in headings_in(text)]
    document = written_down(source, text, Outline((), headings), work.ports, work.tables)
    if current is not None and current.hash == document.hash:
        work.tables.documents.drop(document.id)
    source = source.changed(work.now, hash=document.hash)
    work.tables.datasources.replace(source)
    return source


def _read(source: Datasource, work: Work) -> Document | None:
    documents = work.tables.documents
    return documents.of(source.id, "current") or documents.of(source.id, "next")
