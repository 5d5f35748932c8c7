"""How the engine carries out operations on the tools of an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.domain.agents import Agent
from vivavoce.domain.tools import Tool, ToolDraft, check_same_type, check_together
from vivavoce.errors import InvalidInput, NotFound
from vivavoce.operations.tools import (
    AddAgentTool,
    AddDatastoreTool,
    AddDelayedResponsesTool,
    AddFollowUpMessagesTool,
    AddHttpTool,
    AddMarkAsResolvedTool,
    AddRequestHumanTool,
    AddsTool,
    GetAgentTool,
    ListAgentTools,
    RemoveAgentTool,
    ToolList,
    ToolRemoved,
    ToolShown,
    UpdateAgentTool,
)

from .handlers import Work, handles
from .references import agent_named, avatar_named, datastore_named, tool_named


@handles(
    AddHttpTool,
    AddDatastoreTool,
    AddDelayedResponsesTool,
    AddRequestHumanTool,
    AddMarkAsResolvedTool,
    AddFollowUpMessagesTool,
)
def add_tool(op: AddsTool[ToolShown], work: Work) -> ToolShown:
    return _added(op.agent_id, op.draft(), work)


@handles(AddAgentTool)
def add_agent_tool(op: AddAgentTool, work: Work) -> ToolShown:
    return _added(op.agent_id, ToolDraft.model_validate(_draft_fields(op.given())), work)


@handles(ListAgentTools)
def list_agent_tools(op: ListAgentTools, work: Work) -> ToolList:
    agent = agent_named(op.agent_id, work)
    return ToolList(tools=[ToolShown.of(tool) for tool in work.tables.tools.where(agent_id=agent.id)])


@handles(GetAgentTool)
def get_agent_tool(op: GetAgentTool, work: Work) -> ToolShown:
    return ToolShown.of(tool_named(op.agent_id, op.tool_id, work))


@handles(UpdateAgentTool)
def update_agent_tool(op: UpdateAgentTool, work: Work) -> ToolShown:
    tool = tool_named(op.agent_id, op.tool_id, work)
    known = {"type": tool.type, "config": tool.config, "datastore_id": tool.datastore_id}
    draft = ToolDraft.model_validate(known | _draft_fields(op.given()))
    changed = _changed(tool, draft, work)
    others = [other for other in work.tables.tools.where(agent_id=tool.agent_id) if other.id != tool.id]
    check_together([*others, changed])
    work.tables.tools.replace(changed)
    return ToolShown.of(changed)


@handles(RemoveAgentTool)
def remove_agent_tool(op: RemoveAgentTool, work: Work) -> ToolRemoved:
    tool = tool_named(op.agent_id, op.tool_id, work)
    work.tables.tools.drop(tool.id)
    return ToolRemoved(tool=ToolShown.of(tool))


def tools_made(agent: Agent, drafts: Sequence[ToolDraft], work: Work) -> list[Tool]:
    """New tools for a new agent, stored."""
    tools = [_made(agent, draft, place, work) for place, draft in enumerate(drafts)]
    check_together(tools)
    for tool in tools:
        work.tables.tools.add(tool)
    return tools


def tools_set(agent: Agent, drafts: Sequence[ToolDraft], work: Work) -> list[Tool]:
    """Make `drafts` the final state: known ids are changed, the others made, missing ones removed."""
    before = {tool.id: tool for tool in work.tables.tools.where(agent_id=agent.id)}
    after = [_final(agent, draft, place, before, work) for place, draft in enumerate(drafts)]
    kept = {tool.id for tool in after}
    if len(kept) < len(after):
        raise InvalidInput("tools: the same id stands there twice.", hint="Name each tool once.")
    check_together(after)
    for tool_id in before.keys() - kept:
        work.tables.tools.drop(tool_id)
    for tool in after:
        (work.tables.tools.replace if tool.id in before else work.tables.tools.add)(tool)
    return after


def _added(agent_ref: str, draft: ToolDraft, work: Work) -> ToolShown:
    agent = agent_named(agent_ref, work)
    before = work.tables.tools.where(agent_id=agent.id)
    place = max((tool.position for tool in before), default=-1) + 1
    tool = _made(agent, draft, place, work)
    check_together([*before, tool])
    work.tables.tools.add(tool)
    return ToolShown.of(tool)


def _made(agent: Agent, draft: ToolDraft, place: int, work: Work) -> Tool:
    draft = draft.as_new()
    config, secrets = draft.covered()
    _check_named(draft, work)
    return Tool.model_validate(
        {
            **work.identity(),
            **draft.model_dump(exclude={"id", "config"}, by_alias=False),
            "agent_id": agent.id,
            "config": config,
            "secrets": secrets,
            "position": place,
        }
    )


def _changed(tool: Tool, draft: ToolDraft, work: Work) -> Tool:
    check_same_type(tool, draft)
    _check_named(draft, work)
    config, secrets = (tool.config, tool.secrets) if draft.config is None else draft.covered(tool)
    others = draft.model_dump(include=draft.model_fields_set - {"id", "type", "config"}, by_alias=False)
    return tool.changed(work.now, config=config, secrets=secrets, **others)


def _final(agent: Agent, draft: ToolDraft, place: int, before: Mapping[str, Tool], work: Work) -> Tool:
    if draft.id is None:
        return _made(agent, draft, place, work)
    if draft.id not in before:
        raise NotFound(
            f"The agent has no tool {draft.id!r}.",
            hint="Leave out the id to add a tool, or list them with list_agent_tools.",
        )
    return _changed(before[draft.id], draft, work).model_copy(update={"position": place})


def _check_named(draft: ToolDraft, work: Work) -> None:
    """Refuse a tool that names what is not there."""
    if draft.datastore_id is not None:
        datastore_named(draft.datastore_id, work)
    if draft.type == "avatar" and draft.config is not None:
        avatar_named(draft.config["avatarId"], work)


def _draft_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value for name, value in given.items() if name in ToolDraft.model_fields and value is not None
    }
