"""How the engine keeps avatars: their configurations, their sources and the log of their answers."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.avatars import Answered, Avatar, corpus_version, read_config, read_sources
from vivavoce.domain.knowledge import Datasource, Datastore, custom_id_in
from vivavoce.errors import Conflict, NotAllowed, NotFound
from vivavoce.operations.avatar_results import (
    AnswerExplained,
    AnswerLogged,
    AnswerPage,
    AvatarContents,
    AvatarDescribed,
    AvatarList,
    AvatarShown,
    SourceList,
    SourceShown,
)
from vivavoce.operations.avatars import (
    CreateAvatar,
    DeleteAvatar,
    ExplainAnswer,
    GetAvatar,
    GetAvatarInfo,
    ListAvatarAnswers,
    ListAvatars,
    ListAvatarSources,
    UpdateAvatar,
)

from .handlers import Work, handles
from .keys import end_keys_of
from .references import avatar_named, avatar_offering


@handles(CreateAvatar)
def create_avatar(op: CreateAvatar, work: Work) -> AvatarContents:
    about = read_config(op.config)
    read_sources(op.sources)
    if work.tables.avatars.find(about.id) is not None:
        raise Conflict(f"There is an avatar {about.id!r} already.", hint="Change it with update_avatar.")
    datastore = Datastore(
        **work.identity(), name=about.name, description=f"The corpus of the avatar {about.id}."
    )
    work.tables.datastores.add(datastore)
    avatar = Avatar(
        **work.identity() | {"id": about.id},
        config=op.config,
        sources=op.sources,
        datastore_id=datastore.id,
        is_public=op.is_public,
    )
    work.tables.avatars.add(avatar)
    return _contents(avatar)


@handles(UpdateAvatar)
def update_avatar(op: UpdateAvatar, work: Work) -> AvatarContents:
    avatar = avatar_named(op.id, work)
    changes = {name: value for name, value in op.given().items() if name != "id"}
    if "config" in changes and read_config(op.config).id != avatar.id:
        raise Conflict(
            f"The configuration is one of {op.config['id']!r}, not of {avatar.id!r}.",
            hint="An avatar keeps its id; create another one.",
        )
    read_sources(changes.get("sources", ()))
    avatar = avatar.changed(work.now, **changes)
    work.tables.avatars.replace(avatar)
    return _contents(avatar)


@handles(ListAvatars)
def list_avatars(op: ListAvatars, work: Work) -> AvatarList:
    every = work.tables.avatars.where(newest_first=True)
    return AvatarList(
        avatars=[
            AvatarShown(**_shown(avatar))
            for avatar in every
            if avatar.is_public or not work.caller.is_anonymous
        ]
    )


@handles(GetAvatar)
def get_avatar(op: GetAvatar, work: Work) -> AvatarContents:
    return _contents(avatar_named(op.id, work))


@handles(DeleteAvatar)
def delete_avatar(op: DeleteAvatar, work: Work) -> AvatarShown:
    avatar = avatar_named(op.id, work)
    end_keys_of(avatar, work)
    work.tables.avatars.drop(avatar.id)
    return AvatarShown(**_shown(avatar))


@handles(GetAvatarInfo)
def get_avatar_info(op: GetAvatarInfo, work: Work) -> AvatarDescribed:
    avatar = avatar_offering("get_avatar_info", op.avatar_id, work)
    about = avatar.about
    sources = _datasources(avatar, work)
    dates = about.corpus.date_range
    return AvatarDescribed(
        id=avatar.id,
        name=about.name,
        description=about.description,
        expertise=about.expertise,
        corpus_size=sum(source.text_size for source in sources),
        document_count=sum(source.status == "synched" for source in sources),
        disclosure=about.disclosure(has_read=has_read(avatar, work)),
        corpus_version=version_of(avatar, work),
        date_range=None if dates is None else dates.model_dump(mode="json", include={"start", "end"}),
    )


@handles(ListAvatarSources, is_long=True)
def list_avatar_sources(op: ListAvatarSources, work: Work) -> SourceList:
    avatar = avatar_named(op.avatar_id, work)
    documents = {custom_id_in(source.config) or source.id: source for source in _datasources(avatar, work)}
    known = avatar.read
    shown = [_source(each.model_dump(), documents.pop(each.id, None), work) for each in known]
    for id, document in documents.items():  # what was added without being listed
        basics = {"id": id, "title": document.name, "url": document.config.get("source_url")}
        shown.append(_source(basics, document, work))
    return SourceList(sources=shown)


@handles(ListAvatarAnswers)
def list_avatar_answers(op: ListAvatarAnswers, work: Work) -> AnswerPage:
    avatar = avatar_named(op.avatar_id, work)
    if work.caller.avatar_id is not None:
        raise NotAllowed(
            f"The key {work.caller.name!r} is for asking the avatar, not for reading what others asked.",
            hint="Use a key that is for everything; vivavoce keys create makes one.",
        )
    found = work.tables.answered.where(
        avatar_id=avatar.id, newest_first=True, limit=op.limit, offset=op.offset
    )
    return AnswerPage(
        answers=[AnswerLogged(**_logged(each)) for each in found],
        total=work.tables.answered.count(avatar_id=avatar.id),
    )


@handles(ExplainAnswer)
def explain_answer(op: ExplainAnswer, work: Work) -> AnswerExplained:
    avatar = avatar_named(op.avatar_id, work)
    found = work.tables.answered.find(op.answer_id)
    is_others = found is not None and work.caller.avatar_id is not None and found.asked_by != work.caller.id
    if found is None or found.avatar_id != avatar.id or is_others:
        raise NotFound(
            f"Avatar {avatar.id!r} gave no answer {op.answer_id!r}.", hint="list_avatar_answers shows them."
        )
    return AnswerExplained(**_logged(found), citations=found.citations, why=found.why)


def version_of(avatar: Avatar, work: Work) -> str:
    """A name for what the corpus says now."""
    current = (
        (source.id, work.tables.documents.of(source.id, "current")) for source in _datasources(avatar, work)
    )
    return corpus_version((id, document.hash) for id, document in current if document is not None)


def has_read(avatar: Avatar, work: Work) -> bool:
    """Whether its corpus has a document, listed or not."""
    return bool(work.tables.documents.languages(avatar.datastore_id))


def _datasources(avatar: Avatar, work: Work) -> list[Datasource]:
    return work.tables.datasources.where(datastore_id=avatar.datastore_id)


def _contents(avatar: Avatar) -> AvatarContents:
    return AvatarContents(**_shown(avatar), config=avatar.config, sources=avatar.sources)


def _shown(avatar: Avatar) -> dict[str, Any]:
    about = avatar.about
    return {
        "id": avatar.id,
        "name": about.name,
        "description": about.description,
        "datastore_id": avatar.datastore_id,
        "is_public": avatar.is_public,
        "created_at": avatar.created_at,
        "updated_at": avatar.updated_at,
    }


def _source(basics: dict[str, Any], document: Datasource | None, work: Work) -> SourceShown:
    names = ("id", "title", "authors", "year", "type", "url", "archive_url", "verified", "priority")
    listed = {name: basics.get(name) for name in names}
    current = None if document is None else work.tables.documents.of(document.id, "current")
    return SourceShown(
        **{**_UNLISTED, **{name: value for name, value in listed.items() if value is not None}},
        status="missing" if document is None else document.status,
        error=None if document is None else document.error,
        passages=0 if document is None else document.nb_chunks,
        datasource_id=None if document is None else document.id,
        version=None if current is None else current.version,
        hash=None if current is None else current.hash,
    )


def _logged(found: Answered) -> dict[str, Any]:
    return {name: getattr(found, name) for name in AnswerLogged.model_fields}


_UNLISTED: dict[str, Any] = {
    "authors": [],
    "year": None,
    "type": "article",
    "url": None,
    "archive_url": None,
    "verified": False,
    "priority": "primary",
}
"""What is said of a document that the list of sources does not have."""
