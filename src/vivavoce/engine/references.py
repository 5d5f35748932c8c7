"""What callers name by id: looked up here, and refused with the next step when it is not there."""

from __future__ import annotations

from vivavoce.domain.agents import Agent
from vivavoce.domain.avatars import Avatar, ToolName
from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.crm import Scenario, Step
from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.domain.tools import Tool
from vivavoce.errors import NotAllowed, NotAuthenticated, NotFound

from .handlers import Work


def agent_named(ref: str, work: Work) -> Agent:
    """The agent with this id or @handle; strangers only ever meet public ones."""
    if ref.startswith("@"):
        found = next(iter(work.tables.agents.where(handle=ref[1:].lower())), None)
    else:
        found = work.tables.agents.find(ref)
    if work.caller.is_anonymous and (found is None or found.visibility != "public"):
        raise NotAuthenticated("This agent is not public.", hint="Send an API key as a bearer token.")
    if found is None:
        raise NotFound(f"No agent {ref!r}.", hint="List them with list_agents.")
    return found


def tool_named(agent_ref: str, tool_id: str, work: Work) -> Tool:
    """The tool of this agent with this id."""
    agent = agent_named(agent_ref, work)
    tool = work.tables.tools.find(tool_id)
    if tool is None or tool.agent_id != agent.id:
        raise NotFound(
            f"Agent {agent.id!r} has no tool {tool_id!r}.", hint="List them with list_agent_tools."
        )
    return tool


def scenario_named(scenario_id: str, work: Work) -> Scenario:
    """The scenario with this id."""
    scenario = work.tables.scenarios.find(scenario_id)
    if scenario is None:
        raise NotFound(f"No scenario {scenario_id!r}.", hint="List them with list_crm_scenarios.")
    return scenario


def step_named(step_id: str, work: Work) -> Step:
    """The step with this id."""
    step = work.tables.steps.find(step_id)
    if step is None:
        raise NotFound(f"No step {step_id!r}.", hint="List the steps of a scenario with list_crm_steps.")
    return step


def datastore_named(datastore_id: str, work: Work) -> Datastore:
    """The datastore with this id; strangers only ever meet public ones."""
    datastore = work.tables.datastores.find(datastore_id)
    if work.caller.is_anonymous and (datastore is None or datastore.visibility != "public"):
        raise NotAuthenticated("This datastore is not public.", hint="Send an API key as a bearer token.")
    if datastore is None:
        raise NotFound(f"No datastore {datastore_id!r}.", hint="List them with list_datastores.")
    return datastore


def datasource_named(datasource_id: str, work: Work) -> Datasource:
    """The datasource with this id."""
    source = work.tables.datasources.find(datasource_id)
    if source is None:
        raise NotFound(
            f"No datasource {datasource_id!r}.", hint="get_datastore shows the datasources of a datastore."
        )
    return source


def conversation_named(conversation_id: str, work: Work) -> Conversation:
    """The conversation with this id."""
    conversation = work.tables.conversations.find(conversation_id)
    if conversation is None:
        raise NotFound(f"No conversation {conversation_id!r}.", hint="List them with list_conversations.")
    return conversation


def message_named(message_id: str, work: Work) -> Message:
    """The message with this id."""
    message = work.tables.messages.find(message_id)
    if message is None:
        raise NotFound(
            f"No message {message_id!r}.", hint="list_messages shows the messages of a conversation."
        )
    return message


def contact_named(contact_id: str, work: Work) -> Contact:
    """The contact with this id."""
    contact = work.tables.contacts.find(contact_id)
    if contact is None:
        raise NotFound(f"No contact {contact_id!r}.", hint="List them with list_contacts.")
    return contact


def avatar_named(avatar_id: str, work: Work) -> Avatar:
    """The avatar with this id; strangers only ever meet public ones."""
    avatar = work.tables.avatars.find(avatar_id)
    if work.caller.is_anonymous and (avatar is None or not avatar.is_public):
        raise NotAuthenticated("This avatar is not public.", hint="Send an API key as a bearer token.")
    if avatar is None:
        raise NotFound(f"No avatar {avatar_id!r}.", hint="List them with list_avatars.")
    return avatar


def avatar_offering(tool: ToolName, avatar_id: str, work: Work) -> Avatar:
    """The avatar with this id, to be asked by a tool.

    Strangers, and keys for this avatar alone, have the tools that its configuration names, through any door.
    Agents ask where somebody who may change the workspace gave them the tool for it.
    """
    avatar = avatar_named(avatar_id, work)
    caller = work.caller
    is_guest = caller.is_anonymous or (caller.avatar_id is not None and not caller.is_agent)
    if is_guest and tool not in avatar.about.tools:
        offered = ", ".join(avatar.about.tools) or "no tool"
        raise NotAllowed(f"The avatar {avatar_id!r} does not offer {tool}.", hint=f"It offers {offered}.")
    return avatar
