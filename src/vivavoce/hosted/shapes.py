"""The few operations whose calls differ from their route: several calls, a form, a stream, a sentence."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any

from vivavoce.errors import UpstreamFailed
from vivavoce.operations import Hear, Operation
from vivavoce.operations.agents import (
    AgentList,
    AgentShown,
    CreateAgent,
    DeleteAgent,
    EnableDisableAgentIntegration,
    GetAgent,
    IntegrationSwitched,
    ListAgents,
    UpdateAgent,
)
from vivavoce.operations.answers import AgentAnswer, AgentQuery
from vivavoce.operations.crm_moves import ListScenarioConversations
from vivavoce.operations.crm_results import Placement, PlacementPage
from vivavoce.operations.documentation import Documentation, GetDocumentation
from vivavoce.operations.knowledge import (
    CreateDatasource,
    GetDatastore,
    QueryDatastore,
    UpdateDatastore,
)
from vivavoce.operations.knowledge_results import (
    ChunkList,
    DatasourceShown,
    DatastoreContents,
    DatastoreShown,
)
from vivavoce.operations.pages import PAGES
from vivavoce.operations.uploads import AddFile

from .asking import asked, file_upload, given, opened, text_upload
from .exchanges import Reply
from .failing import LOOK_FIRST
from .lines import Line, check_success, result_of, value_of
from .offered import OFFERED
from .reading import lenient, parsed
from .streaming import heard
from .tools import TOOL_SHAPES
from .veiling import holds_marker, kept_config, no_secret, secret_part

Shape = Callable[[Any, Line, Hear | None], Awaitable[Any]]

_EVENTS = "text/event-stream"
_ACCEPTED = 202
_SILENT = "The AI is switched off in this conversation."


async def _list_agents(op: ListAgents, line: Line, hear: Hear | None) -> AgentList:
    """The hosted service knows no pages here: a part is cut out of the whole list."""
    listed: AgentList = result_of(op, await line.send(asked(op)))
    end = None if op.limit is None else op.offset + op.limit
    agents = [_with_tools(agent) for agent in listed.agents[op.offset : end]]
    return listed.model_copy(update={"agents": agents})


async def _agent(op: Operation[AgentShown], line: Line, hear: Hear | None) -> AgentShown:
    return _with_tools(result_of(op, await line.send(asked(op))))


async def _create_agent(op: CreateAgent, line: Line, hear: Hear | None) -> AgentShown:
    request = asked(op)
    if holds_marker(secret_part(request.body)):
        raise no_secret()
    return _with_tools(result_of(op, await line.send(request)))


async def _update_agent(op: UpdateAgent, line: Line, hear: Hear | None) -> AgentShown:
    """Where a marker is written back, what is stored is read first and takes its place."""
    request = asked(op)
    if holds_marker(secret_part(request.body)):
        stored = parsed((await line.send_raw(asked(GetAgent(id=op.id)))).body)
        request = asked(op, **_with_secrets(given(op), stored if isinstance(stored, dict) else {}))
    return _with_tools(result_of(op, await line.send(request)))


def _with_secrets(sent: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name in ("interfaceConfig", "configUrlExternal", "configUrlInfosSystemExternal"):
        if isinstance(sent.get(name), dict):
            kept[name] = kept_config(sent[name], stored.get(name))
    if sent.get("tools"):
        known = {tool.get("id"): tool for tool in stored.get("tools") or () if isinstance(tool, dict)}
        kept["tools"] = [
            {**tool, "config": kept_config(tool["config"], known.get(tool.get("id"), {}).get("config"))}
            if isinstance(tool.get("config"), dict)
            else tool
            for tool in sent["tools"]
        ]
    return kept


def _with_tools(agent: AgentShown) -> AgentShown:
    """The tools within an agent do not say whose they are."""
    tools = [
        tool
        if tool.agent_id
        else tool.model_copy(update={"agent_id": agent.id, "organization_id": agent.organization_id})
        for tool in agent.tools
    ]
    return agent.model_copy(update={"tools": tools})


async def _switch(op: EnableDisableAgentIntegration, line: Line, hear: Hear | None) -> IntegrationSwitched:
    reply = await line.send(asked(op))
    check_success(op, reply)
    answer = parsed(reply.body)
    if not isinstance(answer, str):
        said = f"{op.type} webhook {'enabled' if op.enabled else 'disabled'}"
        answer = str(answer.get("message", said)) if isinstance(answer, dict) else said
    return IntegrationSwitched(agent_id=op.id, type=op.type, enabled=op.enabled, status=answer)


async def _ask(op: AgentQuery, line: Line, hear: Hear | None) -> AgentAnswer:
    """As a stream where someone listens, else whole."""
    is_later = op.callback_url is not None
    if hear is None or is_later:
        reply = await line.send(asked(op, streaming=False))
        return (
            _taken(op, reply) if is_later and reply.status == _ACCEPTED else _explained(result_of(op, reply))
        )
    async with line.opened(asked(op, streaming=True)) as coming:
        if coming.kind != _EVENTS:
            return _explained(result_of(op, await coming.whole()))
        async with aclosing(coming.pieces()) as pieces:
            whole = await heard(pieces, hear, line.hidden)
    return _explained(result_of(op, Reply(200, "application/json", whole.encode())))


def _explained(answer: AgentAnswer) -> AgentAnswer:
    """The hosted service gives the ids alone where the AI keeps silent; our callers are told why."""
    if answer.answer is not None or answer.message_id is not None or answer.metadata:
        return answer
    return answer.model_copy(update={"metadata": {"reason": _SILENT}})


def _taken(op: AgentQuery, reply: Reply) -> AgentAnswer:
    """The query was taken; its answer goes to the callbackURL. What the body says of it is not published."""
    ids = {"conversationId": op.conversation_id or "", "visitorId": op.visitor_id or ""}
    answer = parsed(reply.body) if reply.body.strip()[:1] == b"{" else {}
    return value_of(op, reply, AgentAnswer, {**ids, **answer})


async def _get_datastore(op: GetDatastore, line: Line, hear: Hear | None) -> DatastoreContents:
    """With words to find, the passages as well: the hosted service has a call of its own for them."""
    reply = await line.send(asked(op))
    found: DatastoreContents = result_of(op, reply)
    if op.search is not None and "chunks" not in found.model_fields_set:
        query = QueryDatastore(id=op.id, query=op.search)
        chunks: ChunkList = result_of(query, await line.send(asked(query)))
        found = found.model_copy(update={"chunks": chunks.chunks})
    sources = [_of_datastore(source, op.id) for source in found.datasources]
    return found.model_copy(update={"datasources": sources})


async def _update_datastore(op: UpdateDatastore, line: Line, hear: Hear | None) -> DatastoreShown:
    """The hosted service makes a datastore private where isPublic is left out: so it is said again."""
    changed = {}
    if "is_public" not in op.model_fields_set:
        before = GetDatastore(id=op.id, limit=1)
        changed["isPublic"] = result_of(before, await line.send(asked(before))).is_public
    return result_of(op, await line.send(asked(op, **changed)))


async def _create_datasource(op: CreateDatasource, line: Line, hear: Hear | None) -> DatasourceShown:
    if holds_marker(op.config):
        raise no_secret()
    return _of_datastore(result_of(op, await line.send(text_upload(op))), op.datastore_id)


async def _add_file(op: AddFile, line: Line, hear: Hear | None) -> DatasourceShown:
    with opened(op) as file:
        return _of_datastore(result_of(op, await line.send(file_upload(op, file))), op.datastore_id)


def _of_datastore(source: DatasourceShown, datastore_id: str) -> DatasourceShown:
    return source if source.datastore_id else source.model_copy(update={"datastore_id": datastore_id})


async def _list_placements(op: ListScenarioConversations, line: Line, hear: Hear | None) -> PlacementPage:
    """A list; or a count, or a count for each step."""
    reply = await line.send(asked(op))
    answer = parsed(reply.body)
    if isinstance(answer, list):
        placements = [value_of(op, reply, Placement, each) for each in answer]
        return lenient(PlacementPage).model_construct(None, placements=placements)
    if isinstance(answer, dict) and all(isinstance(each, int) for each in answer.values()):
        is_one = op.step_id is not None and answer.keys() == {"count"}
        return PlacementPage(count=answer["count"]) if is_one else PlacementPage(counts=answer)
    raise UpstreamFailed("What the hosted service answers is neither a list nor a count.", hint=LOOK_FIRST)


async def _document(op: GetDocumentation, line: Line, hear: Hear | None) -> Documentation:
    """Written here. Of the tools, those that the hosted service has."""
    content = PAGES[op.doc_type]()
    if op.doc_type == "tools":
        head, *sections = content.split("\n## ")
        kept = [section for section in sections if section.partition("\n")[0] in OFFERED]
        content = "\n## ".join([head, *kept])
    return Documentation(doc_type=op.doc_type, content=content)


SHAPES: dict[type[Operation[Any]], Shape] = {
    ListAgents: _list_agents,
    GetAgent: _agent,
    DeleteAgent: _agent,
    CreateAgent: _create_agent,
    UpdateAgent: _update_agent,
    EnableDisableAgentIntegration: _switch,
    AgentQuery: _ask,
    GetDatastore: _get_datastore,
    UpdateDatastore: _update_datastore,
    CreateDatasource: _create_datasource,
    AddFile: _add_file,
    ListScenarioConversations: _list_placements,
    GetDocumentation: _document,
    **TOOL_SHAPES,
}
"""How each of them is carried out."""
