"""Results of operations on avatars: what each shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from vivavoce.domain.avatars import Confidence
from vivavoce.domain.entities import Moment
from vivavoce.domain.values import Unlisted

from .base import Listing, Result


class AvatarShown(Result):
    """An avatar."""

    id: str
    name: str
    description: str
    datastore_id: str
    is_public: bool
    created_at: Annotated[Moment, Unlisted]
    updated_at: Annotated[Moment, Unlisted]


class AvatarContents(AvatarShown):
    """An avatar with its configuration and its sources, as they were written."""

    config: dict[str, Any]
    sources: list[dict[str, Any]]


class AvatarList(Listing):
    """Avatars, newest first."""

    avatars: list[AvatarShown]


class CorpusPassage(Result):
    """A passage of the corpus, and where exactly it stands."""

    model_config = ConfigDict(alias_generator=None)

    content: str
    source: Annotated[str, Field(description="The title of the work.")]
    page: Annotated[int | None, Field(description="null where the source has no pages.")]
    score: Annotated[float, Field(description="How likely it is relevant, 0 to 1.")]
    page_label: Annotated[str | None, Field(description="The page as it is printed, such as xii.")] = None
    year: int | None = None
    source_id: str | None = None
    url: str | None = None
    document_id: str
    start: int
    end: int


class PassageList(Result):
    """Passages, best first."""

    passages: list[CorpusPassage]


class Citation(Result):
    """What a claim rests on: the words themselves, checked against the stored document."""

    model_config = ConfigDict(alias_generator=None)

    source: str
    page: Annotated[int | None, Field(description="null where the source has no pages.")]
    quote: Annotated[str, Field(description="Verbatim from the source.")]
    claim: Annotated[str, Field(description="The sentence of the response that rests on it.")]
    page_label: str | None = None
    year: int | None = None
    source_id: str | None = None
    url: str | None = None
    document_id: str
    start: Annotated[int, Field(description="Where the quote begins in the document.")]
    end: int


class AvatarResponse(Result):
    """What an avatar says, every sentence with its citation, or that the corpus is silent."""

    model_config = ConfigDict(alias_generator=None)

    response: str
    citations: list[Citation]
    confidence: Confidence
    abstained: Annotated[bool, Field(description="Whether the corpus does not answer.")]
    disclosure: Annotated[str, Field(description="Who speaks: an AI, not the thinker.")]
    answer_id: Annotated[str, Field(description="Names this answer in the avatar's log.")]


class AvatarDescribed(Result):
    """Who an avatar is and how much it has read."""

    model_config = ConfigDict(alias_generator=None)

    id: str
    name: str
    description: str
    expertise: list[str]
    corpus_size: Annotated[int, Field(description="Characters of text in the corpus.")]
    document_count: int
    disclosure: Annotated[str, Field(description="Who speaks: an AI, not the thinker.")]
    corpus_version: str
    date_range: dict[str, str | None] | None = None


class SourceShown(Result):
    """A source of an avatar, with what became of it."""

    model_config = ConfigDict(alias_generator=None)

    id: str
    title: str
    authors: list[str]
    year: int | None
    type: str
    url: str | None
    archive_url: str | None
    verified: bool
    priority: str
    status: Annotated[
        Literal["unsynched", "pending", "running", "synched", "error", "usage_limit_reached", "missing"],
        Field(description="missing: no document was given for it."),
    ]
    error: str | None = None
    passages: int
    datasource_id: str | None = None
    version: Annotated[int | None, Field(description="How often its text has changed, and one.")] = None
    hash: str | None = None


class SourceList(Listing):
    """The sources of an avatar."""

    sources: list[SourceShown]


class AnswerLogged(Result):
    """A question and what was answered."""

    id: str
    avatar_id: str
    created_at: Moment
    question: Annotated[str, Field(description="Its first 4,000 characters.")]
    question_size: Annotated[int | None, Field(description="Of the whole, where it is longer.")] = None
    question_hash: Annotated[str | None, Field(description="SHA-256 of the whole, likewise.")] = None
    response: str
    confidence: Confidence
    abstained: bool
    corpus_version: str
    asked_by: str


class AnswerPage(Result):
    """Answers, newest first."""

    answers: list[AnswerLogged]
    total: int


class AnswerExplained(AnswerLogged):
    """Why an avatar answered as it did."""

    citations: list[dict[str, Any]]
    why: Annotated[
        dict[str, Any],
        Field(description="The question as it was looked up, passages with scores, claims kept and dropped."),
    ]
