"""The tools of an agent on the hosted service: added in one step, or by a change that is checked."""

from __future__ import annotations

from typing import Any

from vivavoce.errors import UpstreamFailed
from vivavoce.operations import Hear, Operation
from vivavoce.operations.agents import GetAgent
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

from .asking import asked, asked_by, given
from .exchanges import Asked
from .failing import LOOK_FIRST, UNSURE
from .lines import Line, NoRoute, check_success, result_of, value_of
from .reading import lenient, parsed
from .veiling import holds_marker, kept_config, no_secret, veiled_tool

Json = dict[str, Any]


async def _add(op: AddsTool[ToolShown] | AddAgentTool, line: Line, hear: Hear | None) -> ToolShown:
    """Through the route for tools, which adds one whatever else happens; else by changing the agent."""
    draft = _draft(op)
    if holds_marker(draft):
        raise no_secret()
    route = AddAgentTool.spec.route
    assert route is not None
    request = asked_by(route, op, {"agentId": op.agent_id, **draft})
    try:
        reply = await line.send_about_tools(request)
    except NoRoute:
        return await _added_by_change(op, draft, line)
    return _shown(result_of(op, reply), op.agent_id)


async def _added_by_change(op: Operation[ToolShown], draft: Json, line: Line) -> ToolShown:
    """Read the agent, write all its tools and the new one, and see whether that is what it has then.

    Two such changes at once can undo each other: what is missing afterwards is told.
    """
    agent_id: str = op.agent_id  # type: ignore[attr-defined]  # every operation that adds a tool has it
    reading = asked(GetAgent(id=agent_id))
    before = _tools_in(parsed((await line.send_raw(reading)).body))
    change = Asked("PATCH", reading.path, body={"tools": [*before, draft]})
    await line.send(change)
    reply = await line.send(reading)
    after = _tools_in(parsed(reply.body))
    known = {tool.get("id") for tool in before}
    new = [tool for tool in after if tool.get("id") not in known and _is_like(tool, draft)]
    if not new or not known <= {tool.get("id") for tool in after}:
        raise UpstreamFailed(
            f"The tools of agent {agent_id!r} are not what they should be after the change. {UNSURE}",
            hint=f"List them with list_agent_tools. {LOOK_FIRST}",
        )
    return _shown(value_of(op, reply, ToolShown, new[-1]), agent_id)


async def _list(op: ListAgentTools, line: Line, hear: Hear | None) -> ToolList:
    reply = await line.send_about_tools(asked(op))
    tools: ToolList = result_of(op, reply)
    return tools.model_copy(update={"tools": [_shown(tool, op.agent_id) for tool in tools.tools]})


async def _get(op: GetAgentTool, line: Line, hear: Hear | None) -> ToolShown:
    return _shown(result_of(op, await line.send_about_tools(asked(op))), op.agent_id)


async def _update(op: UpdateAgentTool, line: Line, hear: Hear | None) -> ToolShown:
    """Where a marker is written back, what is stored is read first and takes its place."""
    request = asked(op)
    if holds_marker(request.body):
        reading = asked(GetAgentTool(agent_id=op.agent_id, tool_id=op.tool_id))
        stored = parsed((await line.send_about_tools(reading, is_raw=True)).body)
        config = stored.get("config") if isinstance(stored, dict) else None
        request = asked(op, config=kept_config(given(op).get("config") or {}, config))
    return _shown(result_of(op, await line.send_about_tools(request)), op.agent_id)


async def _remove(op: RemoveAgentTool, line: Line, hear: Hear | None) -> ToolRemoved:
    """Read before it is gone: the answer to the removal does not say what it was."""
    tool = await _get(GetAgentTool(agent_id=op.agent_id, tool_id=op.tool_id), line, None)
    reply = await line.send_about_tools(asked(op))
    check_success(op, reply)
    answer = parsed(reply.body) if reply.body.strip() else {}
    if isinstance(answer, dict) and answer.get("success") is False:
        raise UpstreamFailed(f"The hosted service did not remove tool {op.tool_id!r}.", hint=LOOK_FIRST)
    return lenient(ToolRemoved).model_construct(None, success=True, tool=tool)


def _draft(op: AddsTool[ToolShown] | AddAgentTool) -> Json:
    if isinstance(op, AddAgentTool):
        return {name: value for name, value in given(op).items() if name != "agentId"}
    draft: Json = op.draft().model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {name: value for name, value in draft.items() if value not in (None, {})}


def _shown(tool: ToolShown, agent_id: str) -> ToolShown:
    """A tool with whose it is, and without its secrets."""
    return veiled_tool(tool if tool.agent_id else tool.model_copy(update={"agent_id": agent_id}))


def _tools_in(agent: Any) -> list[Json]:
    tools = agent.get("tools") if isinstance(agent, dict) else None
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise UpstreamFailed("What the hosted service answers cannot be read: tools: must be a list.")
    return tools


def _is_like(tool: Json, draft: Json) -> bool:
    name = (draft.get("config") or {}).get("name")
    same_name = name is None or (tool.get("config") or {}).get("name", name) == name
    return (
        tool.get("type") == draft["type"]
        and same_name
        and (draft.get("datastoreId") in (None, tool.get("datastoreId")))
    )


TOOL_SHAPES: dict[type[Operation[Any]], Any] = {
    **dict.fromkeys(
        (
            *(AddHttpTool, AddDatastoreTool, AddDelayedResponsesTool, AddRequestHumanTool),
            *(AddMarkAsResolvedTool, AddFollowUpMessagesTool, AddAgentTool),
        ),
        _add,
    ),
    ListAgentTools: _list,
    GetAgentTool: _get,
    UpdateAgentTool: _update,
    RemoveAgentTool: _remove,
}
"""How each of them is carried out."""
