"""CRM: scenarios, the order of their steps, and what steps refer to."""

import pytest

from vivavoce.domain.secrets import MARKER
from vivavoce.errors import InvalidInput, NotFound

from .workspaces import an_agent


@pytest.fixture
async def scenario(run) -> str:
    return (await run("create_crm_scenario", name="Sale", description="From contact to sale."))["id"]


@pytest.fixture
async def agent(run) -> str:
    return (await run("create_agent", **an_agent(iconUrl="https://a.example/icon.png")))["id"]


async def steps_of(run, scenario: str) -> list[dict]:
    return (await run("list_crm_steps", scenarioId=scenario))["steps"]


async def made(run, scenario: str, *names: str) -> list[str]:
    return [(await run("create_crm_step", scenarioId=scenario, name=name))["id"] for name in names]


# Scenarios


async def test_a_scenario_is_renamed_and_keeps_a_description_that_is_not_given(run, scenario):
    after = await run("update_crm_scenario", id=scenario, name="Sales")

    assert after["message"] == "Scenario updated"
    assert (after["scenario"]["name"], after["scenario"]["description"]) == ("Sales", "From contact to sale.")
    assert (await run("list_crm_scenarios"))["scenarios"] == [after["scenario"]]


async def test_a_scenario_description_is_cleared_by_null(run, scenario):
    after = await run("update_crm_scenario", id=scenario, name="Sale", description=None)

    assert after["scenario"]["description"] is None


async def test_scenarios_are_listed_newest_first(run, clock):
    for name in ("one", "two", "three"):
        await run("create_crm_scenario", name=name)
        clock.advance(seconds=1)

    listed = (await run("list_crm_scenarios"))["scenarios"]

    assert [scenario["name"] for scenario in listed] == ["three", "two", "one"]


async def test_scenarios_of_an_agent_are_those_in_which_it_has_a_step(run, scenario, agent):
    other = (await run("create_crm_scenario", name="Support"))["id"]
    await made(run, other, "New")
    await run("create_crm_step", scenarioId=scenario, name="New", agentId=agent)
    await run("create_crm_step", scenarioId=scenario, name="Won", agentId=agent)

    listed = (await run("list_crm_scenarios", agentId=agent))["scenarios"]

    assert [found["id"] for found in listed] == [scenario]


async def test_deleting_a_scenario_takes_its_steps_along_and_no_others(run, scenario):
    other = (await run("create_crm_scenario", name="Support"))["id"]
    await made(run, scenario, "New", "Won")
    (kept,) = await made(run, other, "Open")

    gone = await run("delete_crm_scenario", id=scenario)

    assert (gone["message"], gone["scenario"]["id"]) == ("Scenario deleted", scenario)
    assert gone["alsoRemoved"] == {"steps": 2, "logs": 0, "conversationsReleased": 0}
    with pytest.raises(NotFound):
        await steps_of(run, scenario)
    assert [step["id"] for step in await steps_of(run, other)] == [kept]


# Steps


async def test_steps_stand_in_the_order_in_which_they_were_made(run, scenario):
    ids = await made(run, scenario, "New", "Qualified", "Won")

    assert [(step["id"], step["index"]) for step in await steps_of(run, scenario)] == [
        (id, place) for place, id in enumerate(ids)
    ]


@pytest.mark.parametrize("place", [0, 1, 2, 3])
async def test_after_a_step_is_deleted_the_others_move_up(run, scenario, place):
    ids = await made(run, scenario, "a", "b", "c", "d")

    await run("delete_crm_step", id=ids[place])

    rest = [id for id in ids if id != ids[place]]
    assert [(step["id"], step["index"]) for step in await steps_of(run, scenario)] == [
        (id, index) for index, id in enumerate(rest)
    ]
    (last,) = await made(run, scenario, "e")
    assert [step["id"] for step in await steps_of(run, scenario)] == [*rest, last]


async def test_a_step_keeps_every_field_it_is_told(run, scenario, agent):
    (after,) = await made(run, scenario, "Won")
    fields = {
        "agentId": agent,
        "trigger": "Asks for a price.",
        "prompt": "Offer a visit.",
        "initialMessage": "Welcome!",
        "autoNextStepId": after,
        "autoNextTime": 0,
        "autoNextTimeUnit": "h",
        "inactivityConditionType": "any",
        "defaultStatus": "HUMAN_REQUESTED",
        "defaultPriority": "HIGH",
        "defaultAiControl": False,
        "defaultTags": ["lead", "hot"],
        "defaultTagsToRemove": ["cold"],
        "defaultAssigneeId": "random",
        "assigneeLogicType": "random_selected",
        "selectedMembershipIdsForAssignee": ["m1", "m2"],
        "fallbackMembershipIds": ["m3"],
        "isRequired": True,
        "isConversationRemovalStep": True,
        "webhookUrl": "https://hooks.example/x",
    }
    groups = {
        "requestContact": {"name": True, "email": False, "phone": True},
        "zapi": {"agentId": agent, "phoneNumber": "+55 11 99999", "message": "New lead"},
        "whatsapp": {
            "templateAgentId": agent,
            "templateName": "hello",
            "templateLanguageCode": "pt_BR",
            "templateText": "Olá",
        },
    }

    step = await run("create_crm_step", scenarioId=scenario, name="Qualified", **fields, **groups)

    assert {name: step[name] for name in fields} == fields
    assert {name: {key: step[name][key] for key in of} for name, of in groups.items()} == groups
    assert step["agent"] == {"id": agent, "name": "Ana", "iconUrl": "https://a.example/icon.png"}
    assert (await steps_of(run, scenario))[1] == step


async def test_a_step_is_told_in_the_flat_words_of_the_wire_too(run, scenario, agent):
    step = await run(
        "create_crm_step",
        scenarioId=scenario,
        name="New",
        zapiAgentId=agent,
        zapiMessage="New lead",
        whatsappTemplateName="hello",
        whatsappTemplateLanguageCode=None,
    )

    assert step["zapi"] == {"agentId": agent, "phoneNumber": None, "message": "New lead"}
    assert step["whatsapp"]["templateName"] == "hello"


async def test_an_update_of_a_step_keeps_what_is_not_given_and_null_clears(run, scenario, agent):
    step = await run(
        "create_crm_step",
        scenarioId=scenario,
        name="New",
        agentId=agent,
        prompt="Ask.",
        trigger="Writes.",
        defaultTags=["lead"],
        isRequired=True,
    )

    after = await run("update_crm_step", id=step["id"], name="First", trigger=None, defaultTags=None)

    assert (after["name"], after["prompt"], after["agentId"], after["isRequired"]) == (
        "First",
        "Ask.",
        agent,
        True,
    )
    assert (after["trigger"], after["defaultTags"]) == (None, [])
    assert await steps_of(run, scenario) == [after]


async def test_a_webhook_header_is_never_shown_and_its_marker_keeps_it(run, scenario, engine):
    step = await run(
        "create_crm_step", scenarioId=scenario, name="New", webhookHeader={"Authorization": "Bearer k"}
    )
    assert step["webhookHeader"] == {"Authorization": MARKER}

    await run("update_crm_step", id=step["id"], name="New", webhookHeader=step["webhookHeader"])
    assert await secrets_of(engine, step["id"]) == ["Bearer k"]

    await run("update_crm_step", id=step["id"], name="First")
    assert await secrets_of(engine, step["id"]) == ["Bearer k"]

    await run("update_crm_step", id=step["id"], name="First", webhookHeader=None)
    assert await secrets_of(engine, step["id"]) == []


@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://ana:pw@hooks.example", "hooks.example"])
async def test_a_webhook_address_that_cannot_be_called_is_refused_at_its_field(run, scenario, url):
    with pytest.raises(InvalidInput) as refusal:
        await run("create_crm_step", scenarioId=scenario, name="New", webhookUrl=url)

    assert refusal.value.details.keys() == {"webhookUrl"}
    assert await steps_of(run, scenario) == []


async def test_deleting_a_step_switches_off_the_timed_moves_that_lead_to_it(run, scenario):
    (goal,) = await made(run, scenario, "Won")
    for name in ("a", "b"):
        await run("create_crm_step", scenarioId=scenario, name=name, autoNextStepId=goal, autoNextTime=5)

    gone = await run("delete_crm_step", id=goal)

    assert (gone["id"], gone["alsoRemoved"]["timedMovesSwitchedOff"]) == (goal, 2)
    assert [(step["autoNextStepId"], step["index"]) for step in await steps_of(run, scenario)] == [
        (None, 0),
        (None, 1),
    ]


async def test_a_timed_move_leads_to_another_step_of_the_same_scenario(run, scenario):
    other = (await run("create_crm_scenario", name="Support"))["id"]
    first, second = await made(run, scenario, "a", "b")
    (foreign,) = await made(run, other, "c")

    with pytest.raises(InvalidInput, match="to itself"):
        await run("update_crm_step", id=first, name="a", autoNextStepId=first)
    with pytest.raises(InvalidInput, match="another scenario") as refusal:
        await run("update_crm_step", id=first, name="a", autoNextStepId=foreign)
    assert "list_crm_steps" in refusal.value.hint

    after = await run("update_crm_step", id=first, name="a", autoNextStepId=second)
    assert after["autoNextStepId"] == second


async def test_steps_of_one_agent_are_listed_alone(run, scenario, agent):
    await made(run, scenario, "New")
    mine = await run("create_crm_step", scenarioId=scenario, name="Mine", agentId=agent)

    listed = (await run("list_crm_steps", scenarioId=scenario, agentId=agent))["steps"]

    assert listed == [mine]


async def test_a_step_that_assigns_nobody_it_could_choose_is_refused(run, scenario):
    with pytest.raises(InvalidInput, match="selectedMembershipIdsForAssignee"):
        await run("create_crm_step", scenarioId=scenario, name="New", assigneeLogicType="single_user")

    assert await steps_of(run, scenario) == []


async def secrets_of(engine, step_id: str) -> list[str]:
    return await engine.ports.store.read(lambda tables: list(tables.steps.find(step_id).secrets.values()))


@pytest.mark.parametrize(("number", "unit"), [(366, "d"), (31_536_000, "d"), (8_761, "h"), (525_601, "m")])
async def test_a_step_cannot_wait_for_more_than_a_year(run, scenario, number, unit):
    (one,) = await made(run, scenario, "New")
    with pytest.raises(InvalidInput) as refused:
        await run(
            "create_crm_step", scenarioId=scenario, name="Won", autoNextTime=number, autoNextTimeUnit=unit
        )
    await run("update_crm_step", id=one, name="New", autoNextTime=number)

    with pytest.raises(InvalidInput):
        await run("update_crm_step", id=one, name="New", autoNextTimeUnit=unit)

    assert refused.value.details.keys() == {"autoNextTime"}
    (kept,) = await steps_of(run, scenario)
    assert (kept["autoNextTime"], kept["autoNextTimeUnit"]) == (number, None)


@pytest.mark.parametrize("header", ["X-Key: a\r\nX-Other: b", "a\nb", {"X-Key": "a\nb"}])
async def test_a_header_of_a_steps_webhook_with_a_line_break_is_refused(run, scenario, header):
    (one,) = await made(run, scenario, "New")
    webhook = {"webhookUrl": "https://shop.example/in", "webhookHeader": header}

    for name, place in (("create_crm_step", {"scenarioId": scenario}), ("update_crm_step", {"id": one})):
        with pytest.raises(InvalidInput) as refused:
            await run(name, name="Won", **place, **webhook)
        assert refused.value.details.keys() == {"webhookHeader"}

    (kept,) = await steps_of(run, scenario)
    assert (kept["name"], kept["webhookHeader"]) == ("New", None)


async def test_headers_may_be_written_as_json_on_several_lines(run, scenario):
    webhook = {"webhookUrl": "https://shop.example/in", "webhookHeader": '{\n  "X-Key": "a"\n}'}

    step = await run("create_crm_step", scenarioId=scenario, name="New", **webhook)

    assert step["webhookHeader"] == MARKER
