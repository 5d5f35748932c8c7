"""Operations on avatars: who they are, what they have read, what they say and why."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from vivavoce.domain.avatars import Slug
from vivavoce.domain.values import TEXT, Id, JsonObject, Text, without_nul

from .avatar_arguments import PASSAGES, THRESHOLD, Context, Conversation, Limit, Passages, Threshold
from .avatar_arguments import Spoken as Spoken
from .avatar_results import (
    AnswerExplained,
    AnswerPage,
    AvatarContents,
    AvatarDescribed,
    AvatarList,
    AvatarResponse,
    AvatarShown,
    PassageList,
    SourceList,
)
from .base import LEFT_OUT, Effect, Operation

AvatarId = Annotated[Slug, Field(description="The avatar's id, as list_avatars shows it.")]


class CreateAvatar(Operation[AvatarContents], effect=Effect.CREATE, route="POST /avatars 201", offer="extra"):
    """Create an avatar from the contents of its config.json, with an empty corpus.

    Documents are added to its datastore, or with `vivavoce avatar process` from a folder.
    """

    config: Annotated[JsonObject, Field(description="id, name, description, corpus, systemPrompt, mcp…")]
    sources: Annotated[
        list[JsonObject], Field(max_length=10_000, description="The entries of sources.json.")
    ] = []
    is_public: Annotated[bool, Field(description="Whether it may be questioned without a key.")] = False


class UpdateAvatar(
    Operation[AvatarContents], effect=Effect.CHANGE, route="PATCH /avatars/{id}", offer="extra"
):
    """Change the configuration, the sources or the visibility of an avatar; what is left out stays."""

    id: AvatarId
    config: Annotated[JsonObject, Field(description="The whole configuration.")] = LEFT_OUT
    sources: Annotated[
        list[JsonObject], Field(max_length=10_000, description="All entries of sources.json.")
    ] = LEFT_OUT
    is_public: Annotated[bool, Field(description="Whether it may be questioned without a key.")] = LEFT_OUT


class ListAvatars(
    Operation[AvatarList], effect=Effect.READ, route="GET /avatars", offer="extra", anonymous=True
):
    """List the avatars; without a key, the public ones."""


class GetAvatar(Operation[AvatarContents], effect=Effect.READ, route="GET /avatars/{id}", offer="extra"):
    """Get an avatar with its configuration and its sources."""

    id: AvatarId


class DeleteAvatar(
    Operation[AvatarShown],
    effect=Effect.DELETE,
    route="DELETE /avatars/{id}",
    offer="extra",
    takes_along="the log of its answers and the keys for it alone; its datastore stays",
):
    """Delete an avatar. Keys for it alone end. Its datastore and the documents in it stay."""

    id: AvatarId


class QueryCorpus(
    Operation[PassageList],
    effect=Effect.READ,
    route="POST /avatars/{avatarId}/query_corpus",
    offer="extra",
    anonymous=True,
):
    """Retrieve relevant passages from an avatar's corpus, best first, each with source and page."""

    avatar_id: AvatarId
    query: Annotated[Text, Field(min_length=1, description="The search query to find relevant passages")]
    limit: Limit = PASSAGES
    threshold: Threshold = THRESHOLD
    context: Context = None


class GenerateResponse(
    Operation[AvatarResponse],
    effect=Effect.SEND,
    route="POST /avatars/{avatarId}/generate_response",
    offer="extra",
    anonymous=True,
):
    """Let an avatar answer from its corpus: claims with source, page and verbatim quote, or a plain miss."""

    avatar_id: AvatarId
    question: Annotated[
        str,
        Field(min_length=1, max_length=TEXT, description="The current question or topic to respond to"),
        AfterValidator(without_nul),
    ]
    context: Conversation = []
    passages: Passages = []


class GetAvatarInfo(
    Operation[AvatarDescribed],
    effect=Effect.READ,
    route="GET /avatars/{avatarId}/info",
    offer="extra",
    anonymous=True,
):
    """Return metadata about an avatar."""

    avatar_id: AvatarId


class ListAvatarSources(
    Operation[SourceList],
    effect=Effect.READ,
    route="GET /avatars/{avatarId}/sources",
    offer="extra",
    anonymous=True,
):
    """List every source of an avatar, with address, verification and the passages that it gave."""

    avatar_id: AvatarId


class ListAvatarAnswers(
    Operation[AnswerPage], effect=Effect.READ, route="GET /avatars/{avatarId}/answers", offer="extra"
):
    """List what an avatar was asked and what it answered, newest first."""

    avatar_id: AvatarId
    limit: Annotated[int, Field(ge=1, le=100, description="How many, at most 100.")] = 20
    offset: Annotated[int, Field(ge=0, description="How many newer ones to pass over.")] = 0


class ExplainAnswer(
    Operation[AnswerExplained],
    effect=Effect.READ,
    route="GET /avatars/{avatarId}/answers/{answerId}",
    offer="extra",
):
    """Show why an avatar gave an answer: passages with scores, claims kept and dropped with the reasons."""

    avatar_id: AvatarId
    answer_id: Annotated[Id, Field(description="The answer_id of a response.")]
