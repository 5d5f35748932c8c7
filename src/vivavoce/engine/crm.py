"""How the engine carries out operations on CRM scenarios and steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vivavoce.domain.crm import Scenario, Step, with_covered_webhook
from vivavoce.domain.endpoints import webhook_of_step
from vivavoce.domain.http.headers import check_headers
from vivavoce.domain.moving import check_wait
from vivavoce.errors import InvalidInput
from vivavoce.operations.crm import (
    AgentNamed,
    CreateCrmScenario,
    CreateCrmStep,
    DeleteCrmScenario,
    DeleteCrmStep,
    ListCrmScenarios,
    ListCrmSteps,
    ScenarioDeleted,
    ScenarioList,
    ScenarioShown,
    ScenarioUpdated,
    StepDeleted,
    StepList,
    StepShown,
    UpdateCrmScenario,
    UpdateCrmStep,
)
from vivavoce.operations.crm_results import ScenarioNamed
from vivavoce.operations.step_arguments import StepArguments

from .handlers import Work, handles
from .moving import clear
from .references import agent_named, scenario_named, step_named
from .time.endpoints import resume


@handles(CreateCrmScenario)
def create_crm_scenario(op: CreateCrmScenario, work: Work) -> ScenarioShown:
    scenario = Scenario(**work.identity(), name=op.name, description=op.description)
    work.tables.scenarios.add(scenario)
    return ScenarioShown.of(scenario)


@handles(UpdateCrmScenario)
def update_crm_scenario(op: UpdateCrmScenario, work: Work) -> ScenarioUpdated:
    changes = {name: value for name, value in op.given().items() if name != "id"}
    scenario = scenario_named(op.id, work).changed(work.now, **changes)
    work.tables.scenarios.replace(scenario)
    return ScenarioUpdated(scenario=ScenarioShown.of(scenario))


@handles(DeleteCrmScenario)
def delete_crm_scenario(op: DeleteCrmScenario, work: Work) -> ScenarioDeleted:
    scenario = scenario_named(op.id, work)
    stays = work.tables.crm_logs.where(scenario_id=scenario.id, status="active")
    gone = {
        "steps": work.tables.steps.count(scenario_id=scenario.id),
        "logs": work.tables.crm_logs.count(scenario_id=scenario.id),
        "conversationsReleased": len(stays),
    }
    clear(stays, work)
    _forget_default(work, crm_scenario_id=scenario.id)
    work.tables.scenarios.drop(scenario.id)
    return ScenarioDeleted(scenario=ScenarioShown.of(scenario), also_removed=gone)


@handles(ListCrmScenarios)
def list_crm_scenarios(op: ListCrmScenarios, work: Work) -> ScenarioList:
    scenarios = work.tables.scenarios.where(newest_first=True)
    if op.agent_id is not None:
        agent = agent_named(op.agent_id, work)
        theirs = {step.scenario_id for step in work.tables.steps.where(agent_id=agent.id)}
        scenarios = [scenario for scenario in scenarios if scenario.id in theirs]
    return ScenarioList(scenarios=[ScenarioShown.of(scenario) for scenario in scenarios])


@handles(CreateCrmStep)
def create_crm_step(op: CreateCrmStep, work: Work) -> StepShown:
    scenario = scenario_named(op.scenario_id, work)
    fields = with_covered_webhook(_step_fields(op, work))
    place = work.tables.steps.count(scenario_id=scenario.id)
    step = Step.model_validate(
        {**work.identity(), **fields, "scenario_id": scenario.id, "name": op.name, "index": place}
    )
    _check(step, work)
    work.tables.steps.add(step)
    return _step_shown(step, work)


@handles(UpdateCrmStep)
def update_crm_step(op: UpdateCrmStep, work: Work) -> StepShown:
    step = step_named(op.id, work)
    fields = with_covered_webhook(_step_fields(op, work, stored=step), step)
    step = step.changed(work.now, name=op.name, **fields)
    _check(step, work)
    work.tables.steps.replace(step)
    if "webhook_url" in fields:
        resume(step.id, work)
    return _step_shown(step, work)


@handles(DeleteCrmStep)
def delete_crm_step(op: DeleteCrmStep, work: Work) -> StepDeleted:
    step = step_named(op.id, work)
    others = [other for other in work.tables.steps.where(scenario_id=step.scenario_id) if other.id != step.id]
    released = 0
    for place, other in enumerate(others):
        leads_here = other.auto_next_step_id == step.id
        released += leads_here
        if leads_here or other.index != place:
            after = None if leads_here else other.auto_next_step_id
            work.tables.steps.replace(other.changed(work.now, index=place, auto_next_step_id=after))
    shown = _step_shown(step, work)
    stays = work.tables.crm_logs.where(step_id=step.id, status="active")
    gone = {
        "timedMovesSwitchedOff": released,
        "logs": work.tables.crm_logs.count(step_id=step.id),
        "conversationsReleased": len(stays),
    }
    clear(stays, work)
    _forget_default(work, crm_step_id=step.id)
    work.tables.steps.drop(step.id)
    return StepDeleted.of(step, agent=shown.agent, scenario=shown.scenario, also_removed=gone)


@handles(ListCrmSteps)
def list_crm_steps(op: ListCrmSteps, work: Work) -> StepList:
    scenario = scenario_named(op.scenario_id, work)
    steps = work.tables.steps.where(scenario_id=scenario.id)
    if op.agent_id is not None:
        agent = agent_named(op.agent_id, work)
        steps = [step for step in steps if step.agent_id == agent.id]
    agents, named = _agents_of(steps, work), ScenarioNamed(id=scenario.id, name=scenario.name)
    return StepList.model_construct(
        steps=[StepShown.of(step, agent=agents.get(step.agent_id or ""), scenario=named) for step in steps]
    )


def _forget_default(work: Work, **gone: str) -> None:
    """Let no agent name a scenario or a step that goes; where its step goes, its scenario stays."""
    for agent in work.tables.agents.where():
        if any(getattr(agent, name) == id for name, id in gone.items()):
            forgotten = {"crm_step_id": None, **dict.fromkeys(gone)}
            work.tables.agents.replace(agent.changed(work.now, **forgotten))


def _step_fields(op: StepArguments[StepShown], work: Work, *, stored: Step | None = None) -> dict[str, Any]:
    """The given fields; an agent that was named by its handle by its id."""
    fields = op.step_fields(stored)
    if op.agent_id is not None:
        fields["agent_id"] = agent_named(op.agent_id, work).id
    return fields


def _check(step: Step, work: Work) -> None:
    """Refuse a step that cannot work: in what it waits for, sends, or refers to."""
    check_wait(step)
    webhook = webhook_of_step(step)
    if webhook is not None:
        check_headers("webhookHeader", webhook.headers)
    for agent_id in step.agents_named():
        agent_named(agent_id, work)
    if step.auto_next_step_id is None:
        return
    if step.auto_next_step_id == step.id:
        raise InvalidInput("A step cannot move on to itself.", hint="Name another step of the scenario.")
    if step_named(step.auto_next_step_id, work).scenario_id != step.scenario_id:
        raise InvalidInput(
            f"Step {step.auto_next_step_id!r} belongs to another scenario.",
            hint="Name a step of the same scenario, as list_crm_steps shows it.",
        )


def _step_shown(step: Step, work: Work) -> StepShown:
    scenario = scenario_named(step.scenario_id, work)
    return StepShown.of(
        step,
        agent=_agents_of([step], work).get(step.agent_id or ""),
        scenario=ScenarioNamed(id=scenario.id, name=scenario.name),
    )


def _agents_of(steps: Sequence[Step], work: Work) -> dict[str, AgentNamed]:
    named = sorted({step.agent_id for step in steps if step.agent_id is not None})
    found = work.tables.agents.within("id", named)
    return {agent.id: AgentNamed(id=agent.id, name=agent.name, icon_url=agent.icon_url) for agent in found}
