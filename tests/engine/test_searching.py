"""Searching in a turn: what the model finds can be cited like what it was given."""

import pytest

from vivavoce.ports import Called
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

from .desks import Desk, Servers

RETURNS = "Shoes may come back within 30 days."
BATTERY = "The battery lasts nine hours."
SEARCH = Called("1", "search_knowledge", '{"query": "battery hours"}')


@pytest.fixture
async def desk(tmp_path, clock):
    model, outside = ScriptedModel(["Hello."]), Servers()
    with open_test_engine(tmp_path, clock, models=TestModels(model), outside=outside) as engine:
        desk = await Desk(engine, model, outside).opened()
        await desk.documents(RETURNS, BATTERY)
        yield desk


async def test_what_a_search_finds_is_numbered_on_and_cited_with_its_quote(desk):
    desk.model.rounds[:] = [SEARCH, "They come back within 30 days [1]. The battery lasts nine hours [2]."]

    answer = await desk.ask("When may shoes come back?")

    assert [given.number for given in desk.model.prompts[-1].passages] == [1]
    assert desk.returned == [f"[2] From 1.md:\n{BATTERY}"]
    assert answer["answer"] == "They come back within 30 days. The battery lasts nine hours."
    found = {source["number"]: source for source in answer["sources"]}
    assert (found[2]["quote"], found[2]["start"], found[2]["end"]) == (BATTERY, 0, len(BATTERY))
    assert found[2]["datasource_name"] == "1.md"
    assert [number for number, _ in answer["metadata"]["citations"]] == [1, 2]


async def test_the_trace_tells_what_was_found_in_a_search(desk):
    desk.model.rounds[:] = [SEARCH, "The battery lasts nine hours [2]."]
    await desk.ask("When may shoes come back?")

    (turn,) = await desk.turns()
    told = [
        (each["number"], each["source"], each["cited"], "isSearched" in each)
        for each in turn.trace["passages"]
    ]
    assert told == [(1, "0.md", False, False), (2, "1.md", True, True)]


async def test_a_passage_that_is_there_already_keeps_its_number(desk):
    again = Called("2", "search_knowledge", '{"query": "shoes back days"}')
    desk.model.rounds[:] = [SEARCH, again, SEARCH, "Within 30 days [1]."]

    await desk.ask("When may shoes come back?")

    assert desk.returned == [
        f"[2] From 1.md:\n{BATTERY}",
        f"[1] From 0.md:\n{RETURNS}",
        f"[2] From 1.md:\n{BATTERY}",
    ]


async def test_where_the_prompt_has_no_passage_a_search_begins_with_one(desk):
    desk.model.rounds[:] = [SEARCH, "The battery lasts nine hours [1]."]

    answer = await desk.ask("Zebra?")

    assert desk.model.prompts[-1].passages == ()
    assert (answer["answer"], answer["sources"][0]["quote"]) == ("The battery lasts nine hours.", BATTERY)


async def test_a_draft_cites_what_it_finds_too(desk):
    desk.model.rounds[:] = [SEARCH, "The battery lasts nine hours [1]."]

    answer = await desk.ask("Zebra?", isDraft=True)

    assert answer["sources"][0]["quote"] == BATTERY


async def test_what_was_found_before_an_approval_is_cited_after_it(desk):
    await desk.tickets(withApproval=True)
    ticket = Called("2", "Open_ticket", '{"subject": "Battery"}')
    desk.model.rounds[:] = [SEARCH, ticket, "The battery lasts nine hours [1]. Your ticket is 77."]
    await desk.ask("Zebra?")
    (approval,) = await desk.pending()

    answered = await desk.run("answer_approval", id=approval["id"], approved=True)

    assert [source["quote"] for source in answered["answer"]["sources"]] == [BATTERY]
    assert answered["answer"]["metadata"]["citations"] == [[1, 28]]
