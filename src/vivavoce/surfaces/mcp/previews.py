"""What a deletion would take away or an approval send, read before a person is asked to confirm it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pydantic_core

from vivavoce.domain.access import compared
from vivavoce.errors import NotFound
from vivavoce.operations import Backend, Caller, Operation, Scope
from vivavoce.operations.access import (
    ListAgentBlacklist,
    ListAgentWhitelist,
    RemoveFromBlacklist,
    RemoveFromWhitelist,
)
from vivavoce.operations.agents import DeleteAgent, GetAgent, ListAgents
from vivavoce.operations.approvals import AnswerApproval, ListApprovals
from vivavoce.operations.avatars import DeleteAvatar, GetAvatar, ListAvatarAnswers
from vivavoce.operations.base import R
from vivavoce.operations.channels import DeleteChannel, GetChannel
from vivavoce.operations.contacts import (
    DeleteContact,
    DeleteContactVariables,
    GetContact,
    ListContactVariables,
)
from vivavoce.operations.conversations import DeleteConversation, GetConversation
from vivavoce.operations.crm import (
    DeleteCrmScenario,
    DeleteCrmStep,
    ListCrmScenarios,
    ListCrmSteps,
    ScenarioShown,
    StepShown,
)
from vivavoce.operations.crm_logs import DeleteConversationLog, GetConversationLog
from vivavoce.operations.crm_moves import RemoveConversationFromScenario
from vivavoce.operations.follow_ups import ListFollowUps, RemoveFollowUp
from vivavoce.operations.knowledge import DeleteDatasource, DeleteDatastore, GetDatasource, GetDatastore
from vivavoce.operations.notes import DeleteNote, ListNotes
from vivavoce.operations.tags import DeleteTag, ListConversationTags, ListTags, UntagConversation
from vivavoce.operations.tools import GetAgentTool, RemoveAgentTool
from vivavoce.operations.variables import DeleteVariable, GetVariable


class Preview(NamedTuple):
    """The name of the thing, and how much goes with it."""

    name: str
    counts: dict[str, int]


_SHOWN = 2_000
"""Characters of a call that a person is shown."""
_FIRST = 100
_OFF_LIST = (RemoveFromBlacklist, RemoveFromWhitelist)


class Reader:
    """Reads for a caller who may delete a thing, and so will be shown it, even without the scope to read."""

    def __init__(self, backend: Backend, caller: Caller) -> None:
        self._backend = backend
        self._caller = caller.model_copy(update={"scopes": caller.scopes | {Scope.READ}})

    async def preview(self, op: Operation[Any]) -> Preview:
        """What `op` would delete; NotFound where there is nothing to delete."""
        match op:
            case DeleteAgent():
                agent = await self._run(GetAgent(id=op.id))
                placed = await self._run(ListCrmScenarios(agent_id=agent.id))
                counts = {"tools": len(agent.tools), "CRM scenarios": len(placed.scenarios)}
                return Preview(agent.name, counts)
            case RemoveAgentTool():
                tool = await self._run(GetAgentTool(agent_id=op.agent_id, tool_id=op.tool_id))
                return Preview(tool.name, {})
            case DeleteCrmScenario():
                scenario, steps = await self._scenario(op.id)
                return Preview(scenario.name, {"steps": len(steps)})
            case DeleteCrmStep():
                step, others = await self._step(op.id)
                leading = sum(other.auto_next_step_id == step.id for other in others)
                return Preview(step.name, {"timed moves": leading})
            case DeleteConversationLog():
                return Preview((await self._run(GetConversationLog(log_id=op.log_id))).id, {})
            case DeleteChannel():
                return Preview((await self._run(GetChannel(channel_id=op.channel_id))).name, {})
            case DeleteDatastore():
                datastore = await self._run(GetDatastore(id=op.id, limit=1))
                agents = (await self._run(ListAgents())).agents
                consulting = sum(tool.datastore_id == op.id for agent in agents for tool in agent.tools)
                counts = {"datasources": datastore.count.datasources, "tools": consulting}
                return Preview(datastore.name, counts)
            case DeleteDatasource():
                return Preview((await self._run(GetDatasource(id=op.id))).name, {})
            case DeleteAvatar():
                avatar = await self._run(GetAvatar(id=op.id))
                log = await self._run(ListAvatarAnswers(avatar_id=op.id, limit=1))
                return Preview(avatar.name, {"answers": log.total})
        return await (self._of_a_list(op) if isinstance(op, _OFF_LIST) else self._of_a_conversation(op))

    async def held_call(self, op: AnswerApproval) -> str | None:
        """What would be sent; None where no such call waits, the id alone where it is not among the first."""
        waiting = (await self._run(ListApprovals(limit=_FIRST))).approvals
        for held in waiting:
            if held.id == op.id:
                payload = pydantic_core.to_json(held.payload).decode()
                cut = payload if len(payload) <= _SHOWN else f"{payload[:_SHOWN]}…"
                return f"of the tool {held.tool!r}, {cut}"
        return None if len(waiting) < _FIRST else f"of approval {op.id}"

    async def _of_a_list(self, op: RemoveFromBlacklist | RemoveFromWhitelist) -> Preview:
        if isinstance(op, RemoveFromBlacklist):
            kept_out = (await self._run(ListAgentBlacklist(agent_id=op.agent_id))).entries
            people = [each.user_identify for each in kept_out if each.id == op.id]
            return Preview(_one(people, op.id, "list_agent_blacklist"), {})
        let_in = (await self._run(ListAgentWhitelist(agent_id=op.agent_id))).entries
        numbers = {compared(each.whatsapp_number): each.whatsapp_number for each in let_in}
        found = [number for who, number in numbers.items() if who == compared(op.whatsapp_number)]
        return Preview(_one(found, op.whatsapp_number, "list_agent_whitelist"), {})

    async def _of_a_conversation(self, op: Operation[Any]) -> Preview:
        match op:
            case DeleteConversation():
                talk = await self._run(GetConversation(conversation_id=op.conversation_id))
                return Preview(talk.title or talk.id, {})
            case RemoveConversationFromScenario():
                talk = await self._run(GetConversation(conversation_id=op.conversation_id))
                return Preview(talk.title or talk.id, {})
            case RemoveFollowUp():
                planned = ListFollowUps(conversation_id=op.conversation_id, state="planned")
                tags = [each.tag for each in (await self._run(planned)).follow_ups if each.tag == op.tag]
                return Preview(_one(tags, op.tag), {})
            case DeleteNote():
                notes = (await self._run(ListNotes(conversation_id=op.conversation_id))).notes
                return Preview(_one([each.note for each in notes if each.id == op.note_id], op.note_id), {})
            case DeleteVariable():
                one = GetVariable(conversation_id=op.conversation_id, var_name=op.var_name)
                return Preview((await self._run(one)).var_name, {})
            case DeleteTag():
                kinds = (await self._run(ListTags())).tags
                return Preview(_one([each.name for each in kinds if each.name == op.name], op.name), {})
            case UntagConversation():
                tags = (await self._run(ListConversationTags(conversation_id=op.conversation_id))).tags
                return Preview(_one([tag for tag in tags if tag == op.tag_name], op.tag_name), {})
            case DeleteContact():
                person = await self._run(GetContact(contact_id=op.contact_id))
                return Preview(person.email or person.phone_number or person.id, {})
            case DeleteContactVariables():
                facts = (await self._run(ListContactVariables(id=op.id))).variable_list
                named = [each.var_name for each in facts if op.key in (None, each.var_name)]
                return Preview(_one(named, op.key) if op.key is not None else ", ".join(named), {})
        raise TypeError(f"no preview of {op.spec.name}")

    async def _run(self, op: Operation[R]) -> R:
        return await self._backend.run(op, self._caller)

    async def _scenario(self, id: str) -> tuple[ScenarioShown, list[StepShown]]:
        steps = (await self._run(ListCrmSteps(scenario_id=id))).steps
        for scenario in (await self._run(ListCrmScenarios())).scenarios:
            if scenario.id == id:
                return scenario, steps
        raise NotFound(f"No scenario {id!r}.", hint="List them with list_crm_scenarios.")

    async def _step(self, id: str) -> tuple[StepShown, list[StepShown]]:
        """A step and those of its scenario. No operation reads a step by its id alone."""
        for scenario in (await self._run(ListCrmScenarios())).scenarios:
            steps = (await self._run(ListCrmSteps(scenario_id=scenario.id))).steps
            for step in steps:
                if step.id == id:
                    return step, [other for other in steps if other.id != id]
        raise NotFound(f"No step {id!r}.", hint="List the steps of a scenario with list_crm_steps.")


def _one(found: list[str], wanted: str, where: str = "get_conversation") -> str:
    """The one that was looked for."""
    if not found:
        raise NotFound(f"No {wanted!r} here.", hint=f"Look at what there is, with {where}.")
    return found[0]
