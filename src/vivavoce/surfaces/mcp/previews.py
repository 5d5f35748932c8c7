"""What a deletion would take away, read before a person is asked to confirm it."""

from __future__ import annotations

from typing import Any, NamedTuple

from vivavoce.errors import NotFound
from vivavoce.operations import Backend, Caller, Operation, Scope
from vivavoce.operations.agents import DeleteAgent, GetAgent, ListAgents
from vivavoce.operations.base import R
from vivavoce.operations.crm import (
    DeleteCrmScenario,
    DeleteCrmStep,
    ListCrmScenarios,
    ListCrmSteps,
    ScenarioShown,
    StepShown,
)
from vivavoce.operations.knowledge import DeleteDatasource, DeleteDatastore, GetDatasource, GetDatastore
from vivavoce.operations.tools import GetAgentTool, RemoveAgentTool


class Preview(NamedTuple):
    """The name of the thing, and how much goes with it."""

    name: str
    counts: dict[str, int]


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
            case DeleteDatastore():
                datastore = await self._run(GetDatastore(id=op.id, limit=1))
                agents = (await self._run(ListAgents())).agents
                consulting = sum(tool.datastore_id == op.id for agent in agents for tool in agent.tools)
                counts = {"datasources": datastore.count.datasources, "tools": consulting}
                return Preview(datastore.name, counts)
            case DeleteDatasource():
                return Preview((await self._run(GetDatasource(id=op.id))).name, {})
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
