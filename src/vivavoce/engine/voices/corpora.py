"""How an avatar's corpus is searched: passages with their work, page and year."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from vivavoce.domain.avatars import Avatar, Source
from vivavoce.domain.corpus.outlines import Outline
from vivavoce.domain.knowledge import custom_id_in
from vivavoce.domain.language.languages import small_words
from vivavoce.domain.questions.open_questions import subject_of
from vivavoce.domain.questions.standalone import Spoken, Standalone, conversation, standalone
from vivavoce.domain.questions.subjects import has_words
from vivavoce.engine.handlers import Errand, Work, runs
from vivavoce.engine.library.retrieval import Found, Wanted, passages_for
from vivavoce.engine.references import avatar_offering
from vivavoce.errors import InvalidInput
from vivavoce.operations.avatar_results import CorpusPassage, PassageList
from vivavoce.operations.avatars import GenerateResponse, QueryCorpus

from .close_reading import READ, read_closely

_LONGEST_QUESTION = 4_000
"""A longer question is looked up by its beginning."""


class Standing(NamedTuple):
    """Where words stand, as a citation says it."""

    source: str
    page: int | None
    page_label: str | None
    year: int | None
    source_id: str | None
    url: str | None


class Read(NamedTuple):
    """What an avatar has read."""

    sources: list[Source]
    """Those of its list that gave passages."""
    is_nothing: bool
    """Whether its corpus has no document at all, listed or not."""


@runs(QueryCorpus)
async def query_corpus(op: QueryCorpus, errand: Errand) -> PassageList:
    if not op.query.strip():
        raise InvalidInput("query: must not be blank.", details={"query": "must not be blank"})
    avatar = await errand.read(lambda work: avatar_offering("query_corpus", op.avatar_id, work))
    _, asked = asked_of(avatar, op.query, _said_before(op))
    wanted = (subject_of(asked.text) or asked.text)[:_LONGEST_QUESTION]
    first = await corpus_passages(avatar, wanted, max(op.limit, READ), errand)
    found = await read_closely(wanted, first, errand.ports)
    sources = await sources_of(avatar)
    return PassageList(
        passages=[_shown(each, sources) for each in found if each.score >= op.threshold][: op.limit]
    )


def asked_of(
    avatar: Avatar, question: str, messages: Iterable[tuple[str, str]]
) -> tuple[list[Spoken], Standalone]:
    """What was said before, by role and text, and what is asked once that is taken into account."""
    about = avatar.about
    before = conversation(messages, question, (avatar.id, about.name, about.server_name))
    names = [word for word in about.name.split() if word.lower() not in small_words("en")]
    return before, standalone(question, before, (about.name, *names[:1], *names[-1:]))


async def sources_of(avatar: Avatar) -> list[Source]:
    """The sources, to be read once for a request: of thousands it takes a while."""
    return await asyncio.to_thread(lambda: avatar.read)


def read_by(avatar: Avatar, sources: Sequence[Source], work: Work) -> Read:
    """What an avatar has read, of these sources."""
    kept = work.tables.datasources.where(datastore_id=avatar.datastore_id)
    ids = {custom_id_in(each.config) for each in kept if each.nb_chunks > 0}
    is_nothing = not work.tables.documents.languages(avatar.datastore_id)
    return Read([each for each in sources if each.id in ids], is_nothing)


def language_read_by(avatar: Avatar, work: Work) -> str:
    """The language of most of its documents; empty where there is none."""
    languages = work.tables.documents.languages(avatar.datastore_id)
    return max(languages, key=lambda language: languages[language], default="")


async def corpus_passages(avatar: Avatar, question: str, limit: int, errand: Errand) -> list[Found]:
    """The passages of the corpus that are about a question, best first; none for one without a word."""
    if not has_words(question):
        return []
    wanted = Wanted(avatar.datastore_id, question[:_LONGEST_QUESTION], limit=limit)
    return await passages_for(wanted, errand.ports)


def standing(found: Found, offset: int, sources: Sequence[Source]) -> Standing:
    """Where the words at an offset of the document stand."""
    custom_id = custom_id_in(found.datasource.config)
    known = next((each for each in sources if each.id == custom_id), None)
    url = found.datasource.config.get("source_url") if known is None else known.url or known.archive_url
    return Standing(
        found.datasource.name if known is None else known.title,
        *_page(found.outline, offset),
        None if known is None else known.year,
        None if known is None else known.id,
        url,
    )


def _said_before(op: QueryCorpus) -> list[tuple[str, str]]:
    """The context by role and text; one that cannot be read says nothing, for a search goes without."""
    given = {"avatarId": op.avatar_id, "question": op.query, "context": op.context}
    try:
        return [(each.role, each.content) for each in GenerateResponse.parse(given).context]
    except InvalidInput:
        return []


def _page(outline: Outline, offset: int) -> tuple[int | None, str | None]:
    """The page as a number, and as it is printed; a page that is printed xii has its place in the file."""
    mark = outline.page_at(offset)
    if mark is None or mark.page is None:
        return None, None
    if mark.label is None:
        return mark.page, str(mark.page)
    return (int(mark.label) if mark.label.isdecimal() else mark.page), mark.label


def _shown(found: Found, sources: Sequence[Source]) -> CorpusPassage:
    passage = found.cited.passage
    where: dict[str, Any] = standing(found, passage.start, sources)._asdict()
    return CorpusPassage(
        content=found.cited.text,
        score=found.score,
        document_id=found.cited.document_id,
        start=passage.start,
        end=passage.end,
        **where,
    )
