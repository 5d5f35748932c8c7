"""Consulting: an agent asks an avatar, and is told what the corpus says with where it stands."""

from __future__ import annotations

from vivavoce.domain.agents import Agent
from vivavoce.domain.framing import noted
from vivavoce.engine.handlers import Errand
from vivavoce.operations import Caller, Scope
from vivavoce.operations.avatar_results import AvatarResponse
from vivavoce.operations.avatars import GenerateResponse
from vivavoce.ports import Ports

from .responding import generate_response


async def consulted(avatar_id: str, question: str, agent: Agent, ports: Ports) -> str:
    """What an avatar answers, as a model is told of it; its log keeps the question as one of the agent.

    NotFound where the avatar is gone.
    """
    scopes = frozenset({Scope.READ, Scope.SEND})
    asks = Caller(id=f"agent:{agent.id}", name=agent.name, scopes=scopes, avatar_id=avatar_id, is_agent=True)
    op = GenerateResponse(avatar_id=avatar_id, question=question)
    return _told(await generate_response(op, Errand(asks, ports)))


def _told(answer: AvatarResponse) -> str:
    cited = [f"{number}. {noted(each)}" for number, each in enumerate(answer.citations, start=1)]
    return "\n".join([answer.response, *(("", "Sources:", *cited) if cited else ())])
