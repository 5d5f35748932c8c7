"""An agent that asks an avatar: what it is told, and what the avatar's log keeps."""

import pytest

from vivavoce.errors import Conflict, NotFound
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.ports import Called, Returned
from vivavoce.testing import ScriptedModel, TestModels, ingested, open_test_engine

from .thinkers import BOOK, COMMONS, CONFIG


class _Office:
    def __init__(self, engine, model) -> None:
        self.engine, self.model = engine, model

    async def run(self, name, /, **arguments):
        done = await self.engine.run(CATALOGUE[name].parse(arguments), OPERATOR)
        return done.model_dump(mode="json")

    async def opened(self, config=CONFIG):
        avatar = await self.run("create_avatar", config=config, sources=[BOOK])
        await self.run(
            "create_datasource",
            datastoreId=avatar["datastoreId"],
            name="commons.md",
            text=COMMONS,
            custom_id="commons",
        )
        await ingested(self.engine)
        agent = await self.run(
            "create_agent",
            name="Ana",
            description="",
            modelName="scripted",
            systemPrompt="You help.",
            tools=[{"type": "avatar", "config": {"avatarId": CONFIG["id"]}}],
        )
        self.agent = agent["id"]
        return self

    async def told(self, name, arguments) -> str:
        self.model.rounds[:] = [Called("1", name, arguments), "Done."]
        await self.run("agent_query", id=self.agent, query="What did they study?")
        (returned,) = [step for step in self.model.prompts[-1].steps if isinstance(step, Returned)]
        return returned.text


@pytest.fixture
async def office(tmp_path, clock):
    model = ScriptedModel(["Done."])
    with open_test_engine(tmp_path, clock, models=TestModels(model)) as engine:
        yield await _Office(engine, model).opened()


async def test_an_agent_is_offered_its_avatars_and_told_what_they_say_with_the_quote(office):
    told = await office.told(
        "ask_elinor-ostrom", '{"question": "How many irrigation systems in Nepal did the team study?"}'
    )

    assert "ask_elinor-ostrom" in [tool.name for tool in office.model.prompts[0].tools]
    assert "127 irrigation systems in Nepal" in told
    assert "Governing the Commons" in told


async def test_an_agent_asks_an_avatar_that_offers_strangers_no_answers(tmp_path, clock):
    model = ScriptedModel(["Done."])
    config = {**CONFIG, "mcp": {**CONFIG.get("mcp", {}), "tools": ["get_avatar_info"]}}
    with open_test_engine(tmp_path, clock, models=TestModels(model)) as engine:
        office = await _Office(engine, model).opened(config)
        told = await office.told(
            "ask_elinor-ostrom", '{"question": "How many irrigation systems in Nepal did the team study?"}'
        )

    assert "127 irrigation systems in Nepal" in told


async def test_what_an_agent_asks_stands_in_the_log_of_the_avatar(office):
    await office.told("ask_elinor-ostrom", '{"question": "What are monitors accountable to?"}')

    log = await office.run("list_avatar_answers", avatarId=CONFIG["id"])

    assert [(each["question"], each["askedBy"]) for each in log["answers"]] == [
        ("What are monitors accountable to?", f"agent:{office.agent}")
    ]


async def test_a_question_without_words_is_refused_and_the_turn_goes_on(office):
    assert "question" in await office.told("ask_elinor-ostrom", "{}")


async def test_an_avatar_that_is_gone_is_told_as_a_failure(office):
    await office.run("delete_avatar", id=CONFIG["id"])

    assert "did not answer" in await office.told("ask_elinor-ostrom", '{"question": "Who monitors?"}')


async def test_a_tool_names_an_avatar_that_is_there_and_each_once(office):
    same = {"agentId": office.agent, "type": "avatar"}

    with pytest.raises(NotFound, match="nobody"):
        await office.run("add_agent_tool", **same, config={"avatarId": "nobody"})
    with pytest.raises(Conflict):
        await office.run("add_agent_tool", **same, config={"avatarId": CONFIG["id"]})


async def test_an_agent_without_a_model_passes_on_what_its_avatar_says(tmp_path, clock):
    with open_test_engine(tmp_path, clock) as engine:
        office = await _Office(engine, None).opened()

        question = "How many irrigation systems in Nepal did the team study?"
        answer = (await office.run("agent_query", id=office.agent, query=question))["answer"]
        greeting = (await office.run("agent_query", id=office.agent, query="Hello!"))["answer"]
        await office.run("delete_avatar", id=CONFIG["id"])
        gone = (await office.run("agent_query", id=office.agent, query=question))["answer"]

    assert "127 irrigation systems in Nepal" in answer
    assert "Governing the Commons" in answer.partition("Sources:")[2]
    assert greeting == "Hello! How can I help you?"
    assert "found nothing" in gone
