"""Responding: what an avatar answers goes out once it stands in its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vivavoce.domain.avatars import Answered, Avatar
from vivavoce.engine.avatars import has_read, version_of
from vivavoce.engine.handlers import Errand, Work, runs
from vivavoce.engine.references import avatar_offering
from vivavoce.operations.avatar_results import AvatarResponse
from vivavoce.operations.avatars import GenerateResponse

if TYPE_CHECKING:
    from .grounding import Grounded


@runs(GenerateResponse)
async def generate_response(op: GenerateResponse, errand: Errand) -> AvatarResponse:
    from .grounding import answer_from  # a start does not wait for what few processes are asked

    avatar, version, is_read = await errand.read(lambda work: _known(op, work))
    grounded = await answer_from(avatar, op, errand)
    logged = await errand.write(lambda work: _logged(avatar, op, grounded, version, work))
    return AvatarResponse(
        response=grounded.response,
        citations=list(grounded.citations),
        confidence=grounded.confidence,
        abstained=grounded.abstained,
        disclosure=avatar.about.disclosure(grounded.language, has_read=is_read),
        answer_id=logged.id,
    )


def _known(op: GenerateResponse, work: Work) -> tuple[Avatar, str, bool]:
    avatar = avatar_offering("generate_response", op.avatar_id, work)
    return avatar, version_of(avatar, work), has_read(avatar, work)


def _logged(avatar: Avatar, op: GenerateResponse, grounded: Grounded, version: str, work: Work) -> Answered:
    """The answer in the log."""
    answered = Answered(
        **work.identity(),
        avatar_id=avatar.id,
        question=op.question,
        response=grounded.response,
        confidence=grounded.confidence,
        abstained=grounded.abstained,
        corpus_version=version,
        asked_by=work.caller.id,
        citations=[each.model_dump(mode="json") for each in grounded.citations],
        why=grounded.why,
    )
    work.tables.answered.add(answered)
    return answered
