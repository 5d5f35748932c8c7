"""An avatar's own MCP server: what it lists, what it accepts, and how it reads."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys

import jsonschema
import pytest
from avatar import ID, TEXT, config, made, made_and_read
from doors import text_of
from mcp import Client, MCPError

from vivavoce.domain.avatars import read_config
from vivavoce.engine import Engine
from vivavoce.errors import NotFound
from vivavoce.operations import CATALOGUE, OPERATOR, STRANGER, Caller, Scope
from vivavoce.operations.avatar_results import AvatarResponse, Citation
from vivavoce.operations.avatars import DeleteAvatar
from vivavoce.surfaces.mcp.avatar_tools import KINDS, readable
from vivavoce.surfaces.mcp.avatars import avatar_server, refusing
from vivavoce.surfaces.mcp.selection import Selection
from vivavoce.surfaces.mcp.server import server as whole_server
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

SPECIFIED = {
    "query_corpus": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The search query to find relevant passages"},
            "limit": {
                "type": "integer",
                "default": 5,
                "description": "Maximum number of passages to return",
            },
            "threshold": {
                "type": "number",
                "default": 0.7,
                "description": "Minimum similarity score (0-1)",
            },
        },
        "required": ["query"],
    },
    "generate_response": {
        "type": "object",
        "properties": {
            "context": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"role": {"type": "string"}, "content": {"type": "string"}},
                },
                "description": "Conversation history for context",
            },
            "question": {"type": "string", "description": "The current question or topic to respond to"},
            "passages": {"type": "array", "description": "Retrieved passages to ground the response"},
        },
        "required": ["question"],
    },
    "get_avatar_info": {"type": "object", "properties": {}},
}
"""The input schemas of the Avatar MCP specification."""
NAMES = list(SPECIFIED)
BOUNDARIES = {"query": "clearly defined boundaries of a commons", "threshold": 0}


@pytest.fixture
def engine(tmp_path):
    with open_test_engine(tmp_path) as engine:
        yield engine


@pytest.fixture
def connected(engine):
    """Connects a client to the server of an avatar, which is made first."""

    async def connect(mode="auto", *, caller=OPERATOR, has_read=False, is_public=False, **changes):
        await (made_and_read if has_read else made)(engine, is_public=is_public, **changes)
        return Client(avatar_server(engine, read_config(config(**changes)), lambda _: caller), mode=mode)

    return connect


# What it is


async def test_it_has_the_name_and_version_of_its_configuration_and_says_what_it_is(connected, era):
    async with await connected(era) as client:
        who, told = client.server_info, client.instructions

    assert (who.name, who.version, who.title) == ("avatar-elinor-ostrom", "1.4.2", "Elinor Ostrom")
    assert "an AI that has studied Elinor Ostrom. It is not Elinor Ostrom" in told
    assert "Each claim cites source, page and the words themselves" in told
    assert "Lectures on shared resources." in told
    assert "ends on 2012-06-12" in told


async def test_without_an_mcp_section_it_has_a_name_all_the_same(connected, era):
    async with await connected(era, mcp=None) as client:
        assert (client.server_info.name, client.server_info.version) == (f"avatar-{ID}", "1.0.0")


async def test_the_input_schemas_are_those_of_the_specification(connected, era):
    async with await connected(era) as client:
        listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}

    assert listed == SPECIFIED
    assert list(listed) == NAMES


def test_the_defaults_that_are_listed_are_those_of_the_operation():
    for name, field in (("limit", "limit"), ("threshold", "threshold")):
        default = KINDS["query_corpus"].model_fields[field].default
        assert SPECIFIED["query_corpus"]["properties"][name]["default"] == default


@pytest.mark.parametrize(
    ("sections", "names"),
    [
        ({"mcp": {"tools": ["generate_response", "query_corpus"]}}, ["query_corpus", "generate_response"]),
        ({"mcp": None, "mcpServer": {"url": "x", "tools": ["get_avatar_info"]}}, ["get_avatar_info"]),
        ({"mcp": {"name": "n"}, "mcpServer": {"tools": ["query_corpus"]}}, ["query_corpus"]),
        ({"mcp": {"tools": []}}, []),
        ({"mcp": None}, NAMES),
    ],
)
async def test_it_offers_exactly_the_tools_that_its_configuration_names(connected, era, sections, names):
    async with await connected(era, **sections) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        for name in set(NAMES) - set(names) | {"delete_avatar", "list_agents"}:
            with pytest.raises(MCPError, match="There is no tool"):
                await client.call_tool(name, {"query": "x", "question": "x", "id": ID})
        told = client.instructions

    assert listed == names
    assert [name for name in NAMES if name in told] == names


async def test_results_fit_the_schemas_that_are_listed(connected, era):
    async with await connected(era, has_read=True) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        found = await client.call_tool("query_corpus", BOUNDARIES)
        about = await client.call_tool("get_avatar_info", {})

    jsonschema.validate(found.structured_content, tools["query_corpus"].output_schema)
    jsonschema.validate(about.structured_content, tools["get_avatar_info"].output_schema)
    passage = tools["query_corpus"].output_schema["properties"]["passages"]["items"]["properties"]
    assert passage["page"] == {"type": ["integer", "null"]}
    citation = tools["generate_response"].output_schema["properties"]["citations"]["items"]["properties"]
    assert {"source", "page", "quote"} <= citation.keys()


# What it answers


async def test_passages_have_source_page_and_score(connected, era):
    async with await connected(era, has_read=True) as client:
        answer = await client.call_tool("query_corpus", BOUNDARIES)

    (passage,) = answer.structured_content["passages"]
    assert (passage["content"], passage["source"], passage["page"]) == (
        TEXT,
        "Beyond Markets and States",
        None,
    )
    assert 0 < passage["score"] <= 1
    assert (passage["year"], passage["start"], passage["end"]) == (2009, 0, len(TEXT))
    assert json.loads(text_of(answer)) == answer.structured_content


async def test_information_has_what_the_specification_asks_for(connected, era):
    async with await connected(era, has_read=True) as client:
        told = (await client.call_tool("get_avatar_info", {})).structured_content

    specified = {
        "id": ID,
        "name": "Elinor Ostrom",
        "description": "Nobel laureate who studied commons governance",
        "expertise": ["commons", "governance"],
        "corpus_size": len(TEXT),
        "document_count": 1,
    }
    assert specified.items() <= told.items()
    assert "An AI" in told["disclosure"]


async def test_a_response_cites_words_of_the_corpus_and_reads_well(connected, era):
    question = "What keeps a commons from being used up by everyone?"
    async with await connected(era, has_read=True) as client:
        answer = await client.call_tool("generate_response", {"question": question, "passages": [TEXT]})

    said = answer.structured_content
    (citation, *_) = said["citations"]
    assert citation["quote"] == TEXT[citation["start"] : citation["end"]]
    assert "boundaries" in citation["quote"]
    assert (citation["source"], citation["page"]) == ("Beyond Markets and States", None)
    lines = text_of(answer).split("\n\n")
    assert lines[0] == said["response"]
    assert lines[-1].endswith(said["disclosure"])
    assert f'[1] Beyond Markets and States (2009): "{citation["quote"]}"' in text_of(answer)


async def test_a_question_that_the_corpus_does_not_answer_gets_no_citation(connected, era):
    async with await connected(era, has_read=True) as client:
        answer = await client.call_tool("generate_response", {"question": "Who won the 1998 World Cup?"})

    said = answer.structured_content
    assert (said["citations"], said["confidence"], said["abstained"]) == ([], "low", True)
    assert "Citations" not in text_of(answer)


class StalledModel(ScriptedModel):
    """A model that is asked and never says anything."""

    async def answer(self, prompt):
        async for piece in super().answer(prompt):
            await asyncio.Event().wait()
            yield piece


@pytest.mark.parametrize("of_avatar", [True, False])
async def test_a_model_that_stalls_does_not_outlast_the_patience_of_a_client(tmp_path, of_avatar):
    model = StalledModel(["never"])
    with open_test_engine(tmp_path, models=TestModels(model)) as engine:
        await made_and_read(engine)
        hurried = Engine(engine.ports, call_budget=2.0)
        server = (
            avatar_server(hurried, read_config(config()), lambda _: OPERATOR)
            if of_avatar
            else whole_server(
                hurried, lambda _: OPERATOR, state_key=b"k" * 32, selection=Selection(toolsets=("all",))
            )
        )
        question = {"question": "What keeps a commons from being used up by everyone?", "avatarId": ID}
        async with Client(server) as client, asyncio.timeout(30):
            answer = await client.call_tool("generate_response", question)
        explained = CATALOGUE["explain_answer"].parse(
            {"avatarId": ID, "answerId": answer.structured_content["answer_id"]}
        )
        why = (await engine.run(explained, OPERATOR)).why

    assert len(model.prompts) == 1
    assert why["model"]["fellBack"]
    assert re.fullmatch(r"the model took longer than [12]\S* seconds", *why["model"]["faults"])
    assert answer.structured_content["citations"]


@pytest.mark.parametrize(
    "given",
    [
        {"max_results": 1},
        {"maxResults": 1},
        {"max_results": "1"},
        {"limit": 1.0},
        {"limit": "1", "threshold": "0.0"},
        {"limit": None, "threshold": None},
        {"limit": 10_000},
        {"context": "We spoke of farmers."},
        {"context": {"topic": "farmers", "turn": 3}},
        {"conversation_context": [{"role": "alice", "content": "Hello"}]},
        {"avatar": ID, "avatarId": "someone-else", "random_string": ""},
    ],
    ids=lambda given: " ".join(given),
)
async def test_other_spellings_of_a_search_are_understood(connected, era, given):
    async with await connected(era, has_read=True) as client:
        answer = await client.call_tool("query_corpus", {**BOUNDARIES, "threshold": 0, **given})

    assert [passage["content"] for passage in answer.structured_content["passages"]] == [TEXT]


@pytest.mark.parametrize(
    "given", [{"max_results": 0, "limit": 1}, {"limit": None, "max_results": 1}], ids=str
)
async def test_of_two_names_for_an_argument_that_of_the_specification_counts(connected, era, given):
    async with await connected(era, has_read=True) as client:
        answer = await client.call_tool("query_corpus", {**BOUNDARIES, "threshold": 0, **given})

    assert [passage["content"] for passage in answer.structured_content["passages"]] == [TEXT]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "query: is required"),
        ({"query": ""}, "query: "),
        ({"query": "x", "limit": 0}, "limit: "),
        ({"query": "x", "limit": "many"}, "limit: "),
        ({"query": "x", "limit": "2.5"}, "limit: "),
        ({"query": "x", "limit": "0"}, "limit: "),
        ({"query": "x", "threshold": "nan"}, "threshold: "),
        ({"query": "x", "threshold": 7}, "threshold: "),
    ],
)
async def test_what_makes_no_sense_is_refused_in_words(connected, era, given, complaint):
    async with await connected(era) as client:
        answer = await client.call_tool("query_corpus", given)

    assert answer.is_error
    assert text_of(answer).startswith(f"invalid_input: {complaint}")
    assert answer.structured_content is None


SAID = [
    ({}, [], []),
    ({"context": None, "passages": None}, [], []),
    (
        {"context": [{"role": "alice", "content": "Hi", "at": 3}, {"role": "moderator", "content": "Go on"}]},
        [("alice", "Hi"), ("moderator", "Go on")],
        [],
    ),
    ({"conversation_context": ["Hi", {"role": None, "content": None}]}, [("", "Hi"), ("", "")], []),
    ({"context": "Hi"}, [("", "Hi")], []),
    ({"context": {"messages": [{"role": "bob", "text": "Hi"}]}}, [("bob", "Hi")], []),
    (
        {"context": [{"role": "bob", "content": [{"type": "text", "text": "Hi"}, {"type": "image"}]}]},
        [("bob", "Hi")],
        [],
    ),
    (
        {"passages": ["one", {"content": "two", "page": 3}]},
        [],
        [{"content": "one"}, {"content": "two", "page": 3}],
    ),
    ({"passages": {"passages": [{"content": "one"}]}}, [], [{"content": "one"}]),
]


@pytest.mark.parametrize(("given", "context", "passages"), SAID)
def test_other_shapes_of_a_conversation_and_of_passages_are_understood(given, context, passages):
    op = CATALOGUE["generate_response"].parse({"avatarId": ID, "question": "Why?", **given})

    assert [(each.role, each.content) for each in op.context] == context
    assert op.passages == passages


@pytest.mark.parametrize("given", [{"context": 7}, {"context": [7]}, {"passages": 7}, {"passages": [7]}])
async def test_a_conversation_or_passages_that_are_neither_are_refused(connected, given):
    async with await connected() as client:
        answer = await client.call_tool("generate_response", {"question": "Why?", **given})

    assert text_of(answer).startswith("invalid_input: ")


def test_a_response_reads_as_words_then_citations_then_who_speaks():
    place = {"document_id": "d", "start": 0, "end": 9}
    said = AvatarResponse(
        response="Boundaries come first.",
        citations=[
            Citation(
                source="Governing the Commons",
                page=42,
                year=1990,
                quote="Clearly\ndefined",
                claim="c",
                **place,
            ),
            Citation(source="A letter", page=None, quote="they last", claim="c", **place),
        ],
        confidence="high",
        abstained=False,
        disclosure="An AI that has studied her.",
        answer_id="a",
    )

    assert readable(said).splitlines() == [
        "Boundaries come first.",
        "",
        "Citations:",
        '[1] Governing the Commons (1990), p. 42: "Clearly defined"',
        '[2] A letter: "they last"',
        "",
        "Confidence: high. An AI that has studied her.",
    ]


def spoken(response: str, *claims: tuple[str, str]) -> AvatarResponse:
    """A response, with each of its claims and the words that it rests on."""
    place = {"source": "A letter", "page": None, "document_id": "d", "start": 0, "end": 9}
    return AvatarResponse(
        response=response,
        citations=[Citation(quote=quote, claim=claim, **place) for claim, quote in claims],
        confidence="high",
        abstained=False,
        disclosure="An AI.",
        answer_id="a",
    )


def test_a_number_at_the_end_of_a_claim_is_no_note_where_the_response_has_none():
    said = spoken(
        "The first list is A[7]. The second list is B[7].",
        ("The first list is A[7].", "list is A"),
        ("The second list is B[7].", "list is B"),
    )

    assert readable(said).splitlines()[3:5] == ['[1] A letter: "list is A"', '[2] A letter: "list is B"']


def test_citations_have_the_numbers_that_the_response_gives_them():
    said = spoken(
        'Ann writes: "Ducks swim." [1]. She goes on: "They dive." [1].\n\n[1] Ann, "A letter".',
        ('Ann writes: "Ducks swim." [1].', "Ducks swim."),
        ('She goes on: "They dive." [1].', "They dive."),
    )

    assert readable(said).splitlines()[4:7] == [
        "Citations:",
        '[1] A letter: "Ducks swim."',
        '[1] A letter: "They dive."',
    ]


# Who may ask, and what is not there


@pytest.mark.parametrize(
    ("caller", "names"),
    [
        (Caller(id="k", name="k", scopes=frozenset({Scope.READ})), ["query_corpus", "get_avatar_info"]),
        (Caller(id="k", name="k", scopes=frozenset({Scope.SEND})), ["generate_response"]),
        (Caller(id="k", name="k", scopes=frozenset({Scope.READ, Scope.SEND}), avatar_id=ID), NAMES),
        (STRANGER, NAMES),
    ],
    ids=["reads", "sends", "of this avatar", "stranger"],
)
async def test_a_caller_sees_what_it_may_use(connected, era, caller, names):
    async with await connected(era, caller=caller, is_public=True) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]

    assert listed == names


async def test_a_key_for_another_avatar_gets_nothing_here(connected, era):
    other = Caller(id="k", name="theirs", scopes=frozenset(Scope), avatar_id="ada")
    async with await connected(era, caller=other) as client:
        answer = await client.call_tool("query_corpus", BOUNDARIES)

    assert text_of(answer).startswith("not_allowed: The key 'theirs' is for the avatar 'ada' alone.")


async def test_an_avatar_that_was_deleted_meanwhile_is_told(engine, connected, era):
    async with await connected(era) as client:
        await engine.run(DeleteAvatar(id=ID), OPERATOR)
        answer = await client.call_tool("get_avatar_info", {})

    assert text_of(answer).startswith(f"not_found: No avatar '{ID}'.")


async def test_a_server_that_cannot_be_says_why_to_every_request(era):
    server = refusing(NotFound("No avatar 'x'.", hint="List them."))
    with pytest.RaisesGroup(
        pytest.RaisesExc(MCPError, match="No avatar 'x'. List them."), flatten_subgroups=True
    ):
        async with Client(server, mode=era):
            raise AssertionError("It was served.")


def test_looking_for_what_was_kept_imports_nothing_dear():
    script = "import sys, vivavoce.surfaces.mcp.keeping; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()

    assert not {"asyncio", "pydantic", "anyio", "mcp", "logging"} & set(loaded)
