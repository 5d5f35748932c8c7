"""How the engine carries out operations on agents."""

from __future__ import annotations

from collections import defaultdict

from vivavoce.domain.agents import Agent, with_covered_configs
from vivavoce.domain.crm import Step
from vivavoce.domain.endpoints import webhook_of
from vivavoce.domain.http.headers import check_headers
from vivavoce.domain.integrations import Integration
from vivavoce.domain.tools import Tool
from vivavoce.errors import Conflict
from vivavoce.operations.agents import (
    AgentDeleted,
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

from .handlers import Work, handles
from .references import agent_named
from .time.endpoints import resume
from .time.hearing import channel_of
from .time.outgoing import go_on
from .tools import tools_made, tools_set

_PRIVATE = (
    *("system_prompt", "user_prompt", "config_url_external", "config_url_infos_system_external"),
    *("crm_scenario_id", "crm_step_id"),
)
"""What a stranger does not see of a public agent."""


@handles(CreateAgent)
def create_agent(op: CreateAgent, work: Work) -> AgentShown:
    fields = {name: getattr(op, name) for name in Agent.model_fields if name in CreateAgent.model_fields}
    agent = Agent.model_validate({**work.identity(), **with_covered_configs(fields)})
    _check(agent, work)
    work.tables.agents.add(agent)
    return AgentShown.of(agent, tools=tools_made(agent, op.tools, work))


@handles(UpdateAgent)
def update_agent(op: UpdateAgent, work: Work) -> AgentShown:
    agent = agent_named(op.id, work)
    changes = {name: value for name, value in op.given().items() if name not in ("id", "tools")}
    agent = agent.changed(work.now, **with_covered_configs(_whole(changes), agent))
    _check(agent, work)
    work.tables.agents.replace(agent)
    if "config_url_infos_system_external" in changes:
        resume(agent.id, work)
    if op.tools is not None:
        return AgentShown.of(agent, tools=tools_set(agent, op.tools, work))
    return AgentShown.of(agent, tools=work.tables.tools.where(agent_id=agent.id))


@handles(DeleteAgent)
def delete_agent(op: DeleteAgent, work: Work) -> AgentDeleted:
    agent = agent_named(op.id, work)
    tools = work.tables.tools.where(agent_id=agent.id)
    gone = {
        "tools": len(tools),
        "integrations": work.tables.integrations.count(agent_id=agent.id),
        "channels": work.tables.accounts.count(agent_id=agent.id),
        "accessEntries": work.tables.access.count(agent_id=agent.id),
        "conversations": work.tables.conversations.count(agent_id=agent.id),
        "stepsReleased": _release_steps(agent, work),
    }
    work.tables.agents.drop(agent.id)
    return AgentDeleted.of(agent, tools=tools, also_removed=gone)


@handles(ListAgents)
def list_agents(op: ListAgents, work: Work) -> AgentList:
    agents = work.tables.agents.where(hidden=False, newest_first=True, limit=op.limit, offset=op.offset)
    tools: dict[str, list[Tool]] = defaultdict(list)
    for tool in work.tables.tools.within("agent_id", [agent.id for agent in agents]):
        tools[tool.agent_id].append(tool.model_copy(update={"config": None}))
    return AgentList.model_construct(agents=[AgentShown.of(agent, tools=tools[agent.id]) for agent in agents])


@handles(GetAgent)
def get_agent(op: GetAgent, work: Work) -> AgentShown:
    agent = agent_named(op.id, work)
    tools = work.tables.tools.where(agent_id=agent.id)
    if not work.caller.is_anonymous:
        return AgentShown.of(agent, tools=tools)
    public = agent.model_copy(update=dict.fromkeys(_PRIVATE))
    return AgentShown.of(public, tools=[tool.hidden() for tool in tools])


@handles(EnableDisableAgentIntegration)
def enable_disable_agent_integration(op: EnableDisableAgentIntegration, work: Work) -> IntegrationSwitched:
    agent = agent_named(op.id, work)
    known = work.tables.integrations.where(agent_id=agent.id, type=op.type)
    if known:
        work.tables.integrations.replace(known[0].changed(work.now, enabled=op.enabled))
    else:
        work.tables.integrations.add(
            Integration(**work.identity(), agent_id=agent.id, type=op.type, enabled=op.enabled)
        )
    _switch_accounts(agent, op, work)
    status = f"{op.type} webhook {'enabled' if op.enabled else 'disabled'}"
    return IntegrationSwitched(agent_id=agent.id, type=op.type, enabled=op.enabled, status=status)


def _switch_accounts(agent: Agent, op: EnableDisableAgentIntegration, work: Work) -> None:
    """Switch what is connected to the channel, so that nothing is heard there while it is off."""
    channels = ("instagram", "instagramDm") if op.type == "instagram" else (op.type,)
    for account in work.tables.accounts.where(agent_id=agent.id):
        if channel_of(account) in channels and account.enabled != op.enabled:
            switched = account.changed(work.now, enabled=op.enabled)
            work.tables.accounts.replace(switched)
            if op.enabled:
                go_on(switched, work)


def _check(agent: Agent, work: Work) -> None:
    webhook = webhook_of(agent)
    if webhook is not None:
        check_headers("configUrlInfosSystemExternal.headerKey", webhook.headers)
    if agent.handle is None:
        return
    holders = work.tables.agents.where(handle=agent.handle)
    if any(holder.id != agent.id for holder in holders):
        raise Conflict(f"The handle {agent.handle!r} is taken.", hint="Choose another handle.")


def _whole(changes: dict[str, object]) -> dict[str, object]:
    """The chat window's settings are an object; null empties it."""
    if "interface_config" in changes and changes["interface_config"] is None:
        return {**changes, "interface_config": {}}
    return changes


def _release_steps(agent: Agent, work: Work) -> int:
    """Let every step that named the agent name nobody; the number of such steps."""
    released = [step for step in work.tables.steps.where() if agent.id in step.agents_named()]
    for step in released:
        work.tables.steps.replace(_without(agent.id, step, work))
    return len(released)


def _without(agent_id: str, step: Step, work: Work) -> Step:
    changes: dict[str, object] = {}
    if step.agent_id == agent_id:
        changes["agent_id"] = None
    if step.zapi is not None and step.zapi.agent_id == agent_id:
        changes["zapi"] = step.zapi.model_copy(update={"agent_id": None})
    if step.whatsapp is not None and step.whatsapp.template_agent_id == agent_id:
        changes["whatsapp"] = step.whatsapp.model_copy(update={"template_agent_id": None})
    return step.changed(work.now, **changes)
