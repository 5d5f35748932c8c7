"""Agents: made, changed, found, deleted, and switched on for a channel."""

import pytest

from vivavoce.errors import Conflict, InvalidInput

from .workspaces import an_agent, populated


async def test_a_new_agent_is_private_and_exact_and_is_found_again(run):
    made = await run("create_agent", **an_agent())

    assert (made["visibility"], made["temperature"], made["tools"]) == ("private", 0, [])
    assert await run("get_agent", id=made["id"]) == made


async def test_an_agent_keeps_every_field_it_is_made_with(run):
    fields = an_agent(
        temperature=1,
        visibility="public",
        handle="ana",
        interfaceConfig={"theme": {"colour": "#fff"}, "messages": ["Hi", "Olá"]},
        configUrlExternal={"url": "https://crm.example"},
        configUrlInfosSystemExternal={"url_webhook_external": "https://hooks.example"},
        enableInactiveHours=False,
        inactiveHours={"whatsapp": {"monday": [{"from": "09:00", "to": "18:00"}]}},
        userPrompt="{query}",
        iconUrl="https://a.example/icon.png",
        includeSources=False,
        restrictKnowledge=False,
        useMarkdown=False,
        useLanguageDetection=False,
        hidden=True,
    )

    made = await run("create_agent", **fields)

    assert {name: made[name] for name in fields} == fields
    assert await run("get_agent", id=made["id"]) == made


async def test_an_update_changes_what_is_given_and_nothing_else(run, clock):
    before = await run("create_agent", **an_agent(temperature=0.7, interfaceConfig={"theme": "dark"}))
    clock.advance(minutes=1)

    after = await run("update_agent", id=before["id"], name="Bia")

    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"name", "updatedAt"}
    assert (after["name"], after["updatedAt"]) == ("Bia", "2026-01-31T09:31:00.000Z")
    assert await run("get_agent", id=before["id"]) == after


@pytest.mark.parametrize("zero", [0, 0.0])
async def test_a_temperature_of_zero_is_a_temperature(run, zero):
    agent = await run("create_agent", **an_agent(temperature=0.7))

    assert (await run("update_agent", id=agent["id"], temperature=zero))["temperature"] == 0
    assert (await run("get_agent", id=agent["id"]))["temperature"] == 0


@pytest.mark.parametrize("field", ["includeSources", "useMarkdown", "restrictKnowledge"])
async def test_false_is_a_value(run, field):
    agent = await run("create_agent", **an_agent())

    assert (await run("update_agent", id=agent["id"], **{field: False}))[field] is False


async def test_an_empty_text_is_a_value(run):
    agent = await run("create_agent", **an_agent())

    assert (await run("update_agent", id=agent["id"], systemPrompt=""))["systemPrompt"] == ""


@pytest.mark.parametrize(
    ("field", "value", "cleared"),
    [
        ("handle", "ana", None),
        ("userPrompt", "{query}", None),
        ("description", "Answers.", None),
        ("systemPrompt", "Be kind.", None),
        ("interfaceConfig", {"theme": "dark"}, {}),
        ("configUrlExternal", {"url": "https://crm.example", "header": "k"}, None),
        ("configUrlInfosSystemExternal", {"headerKey": "k"}, None),
        ("inactiveHours", {"whatsapp": {}}, None),
    ],
)
async def test_null_clears_a_field_that_may_be_empty(run, field, value, cleared):
    agent = await run("create_agent", **an_agent(**{field: value}))

    assert (await run("update_agent", id=agent["id"], **{field: None}))[field] == cleared
    assert (await run("get_agent", id=agent["id"]))[field] == cleared


@pytest.mark.parametrize("field", ["name", "modelName", "temperature", "visibility", "hidden"])
async def test_null_for_a_field_that_is_never_empty_is_refused(run, field):
    agent = await run("create_agent", **an_agent())

    with pytest.raises(InvalidInput) as refusal:
        await run("update_agent", id=agent["id"], **{field: None})

    assert refusal.value.details.keys() == {field}
    assert await run("get_agent", id=agent["id"]) == agent


@pytest.mark.parametrize("field", ["interfaceConfig", "configUrlExternal", "configUrlInfosSystemExternal"])
async def test_a_config_object_is_replaced_whole(run, field):
    agent = await run("create_agent", **an_agent(**{field: {"one": 1, "nested": {"two": 2}}}))

    after = await run("update_agent", id=agent["id"], **{field: {"nested": {"three": 3}}})

    assert after[field] == {"nested": {"three": 3}}


@pytest.mark.parametrize("taken", ["ana", "@ana", "ANA", "@Ana"])
async def test_a_handle_is_taken_in_every_spelling(run, taken):
    await run("create_agent", **an_agent(handle="Ana"))
    other = await run("create_agent", **an_agent())

    with pytest.raises(Conflict, match="'ana' is taken") as refusal:
        await run("create_agent", **an_agent(handle=taken))
    with pytest.raises(Conflict):
        await run("update_agent", id=other["id"], handle=taken)

    assert refusal.value.hint == "Choose another handle."
    assert len((await run("list_agents"))["agents"]) == 2


async def test_an_agent_may_keep_its_own_handle_and_a_free_one_may_be_taken(run):
    ana = await run("create_agent", **an_agent(handle="ana"))

    assert (await run("update_agent", id=ana["id"], handle="@ANA"))["handle"] == "ana"
    await run("delete_agent", id=ana["id"])
    assert (await run("create_agent", **an_agent(handle="ana")))["handle"] == "ana"


@pytest.mark.parametrize("reference", ["@ana", "@ANA", "@Ana"])
async def test_an_agent_is_found_by_its_handle_in_any_case(run, reference):
    made = await run("create_agent", **an_agent(handle="ana"))

    assert await run("get_agent", id=reference) == made
    assert (await run("update_agent", id=reference, name="Bia"))["id"] == made["id"]
    assert (await run("addRequestHumanTool", agentId=reference))["agentId"] == made["id"]
    assert (await run("delete_agent", id=reference))["id"] == made["id"]


async def test_agents_are_listed_newest_first_without_the_hidden_ones(run, clock):
    for name in ("one", "two", "three", "four"):
        await run("create_agent", **an_agent(name=name, hidden=name == "two"))
        clock.advance(seconds=1)

    assert [agent["name"] for agent in (await run("list_agents"))["agents"]] == ["four", "three", "one"]


async def test_agents_made_in_the_same_moment_are_listed_newest_first_too(run):
    for name in ("one", "two", "three"):
        await run("create_agent", **an_agent(name=name))

    assert [agent["name"] for agent in (await run("list_agents"))["agents"]] == ["three", "two", "one"]


async def test_a_list_of_agents_is_read_in_parts(run):
    for name in "abcde":
        await run("create_agent", **an_agent(name=name))

    part = (await run("list_agents", limit=2, offset=1))["agents"]

    assert [agent["name"] for agent in part] == ["d", "c"]
    assert (await run("list_agents", offset=5))["agents"] == []


async def test_a_list_shows_which_tools_each_agent_has_without_their_settings(run):
    ids = await populated(run)
    other = await run("create_agent", **an_agent())

    listed = {agent["id"]: agent["tools"] for agent in (await run("list_agents"))["agents"]}

    assert listed[other["id"]] == []
    assert [tool["type"] for tool in listed[ids["agent"]]] == ["http", "datastore"]
    assert {tool["config"] and "set" for tool in listed[ids["agent"]]} == {None}


async def test_deleting_an_agent_says_what_went_with_it_and_takes_it_along(run):
    ids = await populated(run)
    await run("enable_disable_agent_integration", id=ids["agent"], type="whatsapp", enabled=False)
    notice = await run(
        "create_crm_step",
        scenarioId=ids["scenario"],
        name="Told",
        zapi={"agentId": ids["agent"], "message": "Hi"},
        whatsapp={"templateAgentId": ids["agent"], "templateName": "hello"},
    )

    gone = await run("delete_agent", id=ids["agent"])

    assert gone["id"] == ids["agent"]
    assert gone["alsoRemoved"] == {
        "tools": 2,
        "integrations": 2,
        "channels": 1,
        "accessEntries": 2,
        "conversations": 2,
        "stepsReleased": 2,
    }
    assert (await run("list_agents"))["agents"] == []
    steps = {step["id"]: step for step in (await run("list_crm_steps", scenarioId=ids["scenario"]))["steps"]}
    assert (steps[ids["step"]]["agentId"], steps[ids["step"]]["agent"]) == (None, None)
    assert steps[notice["id"]]["zapi"] == {"agentId": None, "phoneNumber": None, "message": "Hi"}
    assert steps[notice["id"]]["whatsapp"]["templateAgentId"] is None
    assert steps[notice["id"]]["whatsapp"]["templateName"] == "hello"
    assert (await run("get_datastore", id=ids["datastore"]))["id"] == ids["datastore"]


async def test_an_agent_that_is_refused_leaves_nothing_behind(run):
    tools = [{"type": "request_human"}, {"type": "datastore", "datastoreId": "d404"}]

    with pytest.raises(Exception, match="No datastore 'd404'"):
        await run("create_agent", **an_agent(handle="ana", tools=tools))

    assert (await run("list_agents"))["agents"] == []
    assert (await run("create_agent", **an_agent(handle="ana")))["handle"] == "ana"


@pytest.mark.parametrize("channel", ["whatsapp", "telegram", "zapi", "instagram"])
async def test_a_channel_is_switched_on_and_off(run, channel):
    agent = await run("create_agent", **an_agent())

    for enabled, word in ((True, "enabled"), (True, "enabled"), (False, "disabled")):
        switched = await run(
            "enable_disable_agent_integration", id=agent["id"], type=channel, enabled=enabled
        )
        assert switched == {
            "agentId": agent["id"],
            "type": channel,
            "enabled": enabled,
            "status": f"{channel} webhook {word}",
        }

    assert (await run("delete_agent", id=agent["id"]))["alsoRemoved"]["integrations"] == 1


async def test_a_channel_is_switched_together_with_the_accounts_that_are_connected_to_it(run):
    agent, other = [(await run("create_agent", **an_agent()))["id"] for _ in range(2)]

    async def connected(agent: str, channel: str) -> str:
        config = {"url": "https://shop.example/in", "channel": channel}
        return (await run("create_channel", agentId=agent, name=channel, config=config))["id"]

    meant = [await connected(agent, "instagram"), await connected(agent, "instagramDm")]
    others = [await connected(agent, "whatsapp"), await connected(other, "instagram")]
    for enabled in (False, True):
        await run("enable_disable_agent_integration", id=agent, type="instagram", enabled=enabled)

        states = {each["id"]: each["enabled"] for each in (await run("list_channels"))["channels"]}
        assert states == {**dict.fromkeys(meant, enabled), **dict.fromkeys(others, True)}


@pytest.mark.parametrize("header", ["X-Key: a\r\nX-Other: b", "a\nb", {"X-Key": "a\nb"}])
async def test_a_header_of_the_webhook_with_a_line_break_is_refused(run, header):
    config = {"url_webhook_external": "https://shop.example/events", "headerKey": header}
    agent = (await run("create_agent", **an_agent()))["id"]

    for name, more in (("create_agent", an_agent()), ("update_agent", {"id": agent})):
        with pytest.raises(InvalidInput):
            await run(name, **more, configUrlInfosSystemExternal=config)

    assert (await run("get_agent", id=agent))["configUrlInfosSystemExternal"] is None


@pytest.mark.parametrize("enabled", ["false", "true", 1, None])
async def test_only_true_and_false_switch_a_channel(run, enabled):
    agent = await run("create_agent", **an_agent())

    with pytest.raises(InvalidInput):
        await run("enable_disable_agent_integration", id=agent["id"], type="telegram", enabled=enabled)


async def test_an_agent_with_no_model_and_no_knowledge_says_so(run):
    agent = await run("create_agent", **an_agent())

    answer = await run("agent_query", id=agent["id"], query="What does a return cost?")

    assert "no language model" in answer["answer"]


async def test_any_model_name_is_accepted(run):
    assert (await run("create_agent", **an_agent(modelName="my/llama:70b")))["modelName"] == "my/llama:70b"
