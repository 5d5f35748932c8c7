"""Drafts: an answer that someone of the team may send. Nothing is stored, and only knowledge is used."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.turns import Turn
from vivavoce.engine.handlers import Errand, Work
from vivavoce.engine.references import agent_named
from vivavoce.errors import InvalidInput
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.ports import Model

from .answering import Drafted, answered
from .assembling import Scene, knowledge_of, looks_for, prompt_for, scene
from .choosing import model_for
from .enclosures import with_files
from .guarding import GuardedModel
from .numbering import Numbered
from .opening import Opened
from .sources import checked, own_numbers
from .spending import Meter, spend
from .toolbox import Toolbox


async def draft(op: AgentQuery, errand: Errand) -> AgentAnswer:
    """What the agent would say."""
    if errand.caller.is_anonymous:
        raise InvalidInput("isDraft: needs an API key.", details={"isDraft": "needs an API key"})
    known, model = await errand.read(partial(_known, op), is_long=True)
    if op.attachments or op.images:
        known = await with_files(known, model, errand)
    looks = await errand.ports.store.read(lambda tables: looks_for(known, tables))
    found = await knowledge_of(looks, errand.ports)
    prompt = replace(prompt_for(known, looks, found, model.context), is_heard=errand.is_heard)
    drafted = Drafted()
    meter = Meter(known.agent, errand.ports, drafted.spent)
    toolbox = Toolbox(known, errand.ports, numbered=Numbered(found[: len(prompt.passages)]))
    try:
        await answered(GuardedModel(model, meter), prompt, toolbox, errand.hear, drafted)
    finally:
        usage = await asyncio.shield(errand.write(lambda work: spend(meter, work)))
    borne_out = await asyncio.to_thread(
        checked, drafted.text, drafted.cites, toolbox.numbered.found, own_numbers(prompt)
    )
    return AgentAnswer(
        answer=drafted.text,
        conversation_id=op.conversation_id or "",
        visitor_id=known.conversation.visitor_id or "",
        sources=borne_out.sources,
        metadata={
            "citations": [list(cite) for cite in borne_out.cites],
            **({"isCut": True} if drafted.is_cut else {}),
        },
        usage=usage,
    )


def _known(op: AgentQuery, work: Work) -> tuple[Scene, Model]:
    agent = agent_named(op.id, work)
    conversation = None
    if op.conversation_id is not None:
        conversation = work.tables.conversations.find(op.conversation_id)
    if conversation is None:
        conversation = Conversation(**work.identity(), agent_id=agent.id, visitor_id=op.visitor_id)
    said = work.tables.messages.last(conversation.id, 1)
    message = Message(
        **work.identity(),
        conversation_id=conversation.id,
        from_="human",
        text=op.query,
        position=said[-1].position + 1 if said else 1,
    )
    turn = Turn(
        **work.identity(),
        conversation_id=conversation.id,
        message_id=message.id,
        position=message.position,
        agent_id=agent.id,
    )
    known = scene(Opened(agent, conversation, message, turn), op, work)
    tools = tuple(tool for tool in known.tools if tool.type == "datastore")
    return replace(known, tools=tools), model_for(known, work)
