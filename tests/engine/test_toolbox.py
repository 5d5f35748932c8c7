"""Tools at run time: what a model is offered, what is sent for it, and what it is told."""

import asyncio
import json

import pytest

from tests.ports.loopback import (
    FORBIDDEN_HOSTS,
    FORBIDDEN_URLS,
    PUBLIC,
    Names,
    Switchboard,
    answer,
    closing,
    lying_names,
    redirect,
    serving,
)
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.outside import EgressOutside
from vivavoce.errors import InvalidInput, Unreached, UpstreamFailed
from vivavoce.operations import STRANGER
from vivavoce.ports import Called, Reply
from vivavoce.testing import ScriptedModel, TestModels, open_test_engine

from .desks import SECRET, TICKETS, Desk, Servers

LOOK = "https://look.example/"


@pytest.fixture
async def desk(tmp_path, clock):
    model, outside = ScriptedModel(["Hello."]), Servers()
    with open_test_engine(tmp_path, clock, models=TestModels(model), outside=outside) as engine:
        yield await Desk(engine, model, outside).opened()


async def told(desk: Desk, name: str, arguments: str = "{}", **more) -> str:
    """What the model is told when it calls."""
    desk.model.rounds[:] = [Called("1", name, arguments), "Done."]
    desk.model.prompts.clear()
    await desk.ask("Please do it.", **more)
    return desk.returned[0]


def a_reply(body: bytes, kind: str = "text/plain", status: int = 200) -> Reply:
    return Reply(status, {"content-type": kind} if kind else {}, body, False)


# What is offered


async def test_a_model_is_offered_what_the_agent_has(desk):
    await desk.tickets()
    await desk.run("addRequestHumanTool", agentId=desk.agent)
    await desk.run("addMarkAsResolvedTool", agentId=desk.agent)
    await desk.documents("Turn it on with the green button.")

    await desk.ask("Hello?")

    tools = {tool.name: tool for tool in desk.model.prompts[0].tools}
    assert list(tools) == ["Open_ticket", "request_human", "mark_as_resolved", "search_knowledge"]
    assert tools["Open_ticket"].parameters["required"] == ["subject"]
    assert tools["search_knowledge"].parameters["required"] == ["query"]


async def test_an_agent_without_tools_is_offered_none(desk):
    await desk.ask("Hello?")

    assert desk.model.prompts[0].tools == ()


async def test_names_are_such_that_every_provider_takes_them_and_no_two_are_the_same(desk):
    for name in (
        "Preço à vista!",
        "preco a vista",
        "Preco a vista?",
        "價格",
        "x" * 150,
        "request_human",
        "...",
    ):
        await desk.http(name, LOOK)

    await desk.ask("Hello?")
    names = [tool.name for tool in desk.model.prompts[0].tools]
    await desk.ask("Hello?")

    assert names[0] == "Preco_a_vista"
    assert len({name.lower() for name in names}) == 7
    assert all(name.isascii() and 1 <= len(name) <= 64 and " " not in name for name in names)
    assert [tool.name for tool in desk.model.prompts[1].tools] == names


async def test_descriptions_say_the_values_of_prompt_variables(desk):
    body = [{"key": "mail", "isUserProvided": True, "description": "Use {user-email}."}]
    await desk.http("Write", LOOK, "POST", body=body)

    await desk.ask("Hello?", contact={"email": "ana@example.com"})

    (tool,) = desk.model.prompts[0].tools
    assert tool.parameters["properties"]["mail"]["description"] == "Use ana@example.com."


# What is sent


async def test_a_call_is_sent_with_the_secret_and_the_conversation(desk):
    await desk.tickets()

    text = await told(desk, "Open_ticket", '{"subject": "It broke"}')

    ((method, url, headers, content),) = desk.outside.sent
    assert (method, url) == ("POST", TICKETS)
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert headers["conversationid"] == desk.conversation
    assert json.loads(content) == {"subject": "It broke", "level": "low"}
    assert text == "Status 201.\nTicket 77 is open."


async def test_the_trace_tells_of_a_call_without_its_secrets(desk):
    tool = await desk.tickets()
    await told(desk, "Open_ticket", '{"subject": "It broke"}')

    (call,) = await desk.calls()

    assert call.pop("milliseconds") >= 0
    assert call.pop("request")["headers"]["Authorization"] == "********"
    assert call == {
        "name": "Open_ticket",
        "tool": tool,
        "arguments": {"subject": "It broke"},
        "status": 201,
        "isError": False,
        "result": "Status 201.\nTicket 77 is open.",
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("{", "no JSON"),
        ('{"subject": 5}', "subject: must be of type string"),
        ("{}", "subject: is missing"),
        ('{"subject": "x", "cc": "y"}', "cc: is not an argument"),
        ('{"subject": "x", "level": "urgent"}', "level: must be one of"),
    ],
)
async def test_wrong_arguments_are_told_and_nothing_is_sent(desk, arguments, words):
    await desk.tickets()

    text = await told(desk, "Open_ticket", arguments)

    assert text.startswith("Not called.")
    assert words in text
    assert desk.sent == []
    assert (await desk.calls())[0]["isError"] is True


async def test_a_tool_that_is_not_there_is_told_with_those_that_are(desk):
    await desk.tickets()

    assert "there are: Open_ticket" in await told(desk, "Close_ticket")


# What comes back


async def test_a_failure_is_told_truthfully(desk):
    await desk.http("Look up", LOOK)
    assert "The call failed: https://look.example/ does not answer." in await told(desk, "Look_up")

    desk.outside.answers[f"GET {LOOK}"] = (404, "No such order.")
    assert await told(desk, "Look_up") == "The call failed: status 404.\nNo such order."

    desk.outside.replies[f"GET {LOOK}"] = InvalidInput("The address leads inside.", hint="Ask the operator.")
    assert await told(desk, "Look_up") == "The call failed: The address leads inside."

    desk.outside.replies[f"GET {LOOK}"] = a_reply(b"", status=302)
    assert "sends on to another address" in await told(desk, "Look_up")


async def test_a_change_that_did_not_answer_may_have_taken_effect_and_the_model_knows(desk):
    await desk.tickets()
    desk.outside.replies[f"POST {TICKETS}"] = UpstreamFailed("It takes too long.")

    assert "not known" in await told(desk, "Open_ticket", '{"subject": "x"}')


async def test_a_change_that_was_never_connected_has_taken_no_effect(desk):
    await desk.tickets()
    desk.outside.replies[f"POST {TICKETS}"] = Unreached("It does not accept connections.")

    text = await told(desk, "Open_ticket", '{"subject": "x"}')

    assert text == "The call failed: It does not accept connections."


async def test_an_answer_is_cut_and_says_so(desk):
    await desk.http("Look up", LOOK)
    desk.outside.replies[f"GET {LOOK}"] = a_reply("é".encode() * 1_000_000)

    text = await told(desk, "Look_up")

    assert text.count("é") == 20_000
    assert "only its first 20000 characters" in text


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"\x89PNG\x00", "image/png"), (b"a\x00b", "text/plain"), (b"\xff\xfe\xfd" * 9, ""), (b"PK", "a/zip")],
)
async def test_what_is_no_text_is_refused_in_words(desk, body, kind):
    await desk.http("Look up", LOOK)
    desk.outside.replies[f"GET {LOOK}"] = a_reply(body, kind)

    assert "cannot be read here" in await told(desk, "Look_up")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("é".encode("latin-1"), "text/plain; charset=ISO-8859-1"),
        ("é".encode(), "application/problem+json"),
        ("é".encode(), ""),
        ("é".encode(), "text/html; charset=none-such"),
        ("é".encode(), "text/html; charset=base64"),
        ("é".encode(), "text/html; charset=punycode"),
        ("é".encode("gb18030"), "text/html; charset=GB18030"),
        ("é".encode("utf-16"), 'text/html; charset="UTF_16"'),
    ],
)
async def test_text_is_read_in_its_charset(desk, body, kind):
    await desk.http("Look up", LOOK)
    desk.outside.replies[f"GET {LOOK}"] = a_reply(body, kind)

    assert await told(desk, "Look_up") == "Status 200.\né"


async def test_a_secret_in_an_answer_is_masked_even_where_the_answer_is_cut(desk):
    await desk.http("Look up", LOOK, headers=[{"key": "X-Key", "value": SECRET}])
    for size in range(95_000, 95_030, 7):
        desk.outside.replies[f"GET {LOOK}"] = a_reply(b"x" * (size % 50) + SECRET.encode() * 10_000)
        text = await told(desk, "Look_up")
        assert "********" in text
        assert "canary" not in text


async def test_a_secret_in_a_failure_is_masked(desk):
    await desk.http("Look up", f"{LOOK}?token={SECRET}")

    assert (
        await told(desk, "Look_up")
        == "The call failed: https://look.example/?token=******** does not answer."
    )


# Caps


async def test_a_tool_is_called_as_often_as_it_may_be_in_a_conversation(desk):
    tool = await desk.http("Look up", LOOK, hasMaximumToolCalls=True, maximumToolCalls=2)
    desk.outside.answers[f"GET {LOOK}"] = (200, "Here.")
    call = Called("1", "Look_up", "{}")
    desk.model.rounds[:] = [call, call, call, "Done.", "Done."]

    await desk.ask("Look.")
    await desk.again("Look again.")

    assert len(desk.sent) == 2
    assert "as often as it may be" in desk.model.prompts[3].steps[-1].text
    assert desk.model.prompts[4].tools == ()
    assert (await desk.stored()).tool_calls == {tool: 2}


@pytest.mark.parametrize(("counts", "sent"), [(True, 1), (False, 2)])
async def test_a_failed_call_counts_where_the_tool_says_so(desk, counts, sent):
    await desk.http("Look up", LOOK, hasMaximumToolCalls=True, isErrorCountable=counts)
    desk.outside.answers[f"GET {LOOK}"] = (500, "No.")
    call = Called("1", "Look_up", "{}")
    desk.model.rounds[:] = [call, call, "Done."]

    await desk.ask("Look.")

    assert len(desk.sent) == sent


async def test_a_call_counts_also_when_its_turn_comes_to_nothing(desk):
    await desk.http("Look up", LOOK, hasMaximumToolCalls=True)
    desk.model.rounds[:] = [Called("1", "Look_up", "{}"), UpstreamFailed("Down.")]

    for _ in range(2):
        with pytest.raises(UpstreamFailed):
            await desk.ask("Look.", conversationId="talk-1")
        desk.model.prompts.clear()

    assert len(desk.sent) == 1


async def test_a_call_counts_also_when_the_caller_goes_away_before_the_answer(desk):
    tool = await desk.http("Look up", LOOK, hasMaximumToolCalls=True)
    desk.model.rounds[:] = [Called("1", "Look_up", "{}"), "Done."]

    def gone() -> None:
        raise asyncio.CancelledError

    desk.outside.before = gone
    with pytest.raises(asyncio.CancelledError):
        await desk.ask("Look.", conversationId="talk-1")

    desk.conversation = "talk-1"
    assert (await desk.stored()).tool_calls == {tool: 1}


async def test_a_change_that_the_caller_did_not_wait_for_is_in_the_trace_and_not_made_again(desk):
    tool = await desk.tickets()
    call = Called("1", "Open_ticket", '{"subject": "My parcel is late"}')
    desk.model.rounds[:] = [call, call, "It is open.", "Hello."]

    def gone() -> None:
        raise asyncio.CancelledError

    desk.outside.before = gone
    with pytest.raises(asyncio.CancelledError):
        await desk.ask("Open a ticket: my parcel is late.", conversationId="talk-1")
    desk.conversation, desk.outside.before = "talk-1", None

    (begun,) = await desk.calls()
    assert (begun["tool"], begun["isUncertain"], begun["status"]) == (tool, True, None)
    await desk.again("Hello?")
    assert desk.sent == []
    plain = desk.model.prompts[2]
    assert (plain.history, [each.name for each in plain.tools]) == ((), ["Open_ticket"])
    assert len(await desk.pending()) == 1


async def test_what_a_turn_whose_process_ended_may_have_changed_vouches_no_more(desk):
    await desk.tickets()
    await desk.ask("Open a ticket: my parcel is late.")

    def died(tables) -> None:
        (turn,) = tables.turns.where(conversation_id=desk.conversation)
        tables.turns.replace(turn.changed(desk.engine.ports.now(), state="interrupted", trace={}))
        said = next(each for each in tables.messages.where() if each.from_ == "agent")
        tables.messages.drop(said.id)

    await desk.engine.ports.store.write(died)
    desk.model.rounds[:] = [Called("1", "Open_ticket", '{"subject": "x"}'), "No.", "Hello."]
    desk.model.prompts.clear()
    await desk.again("Hello?")

    assert (desk.sent, desk.model.prompts[1].history) == ([], ())
    assert len(await desk.pending()) == 1


async def test_a_refused_call_does_not_count(desk):
    await desk.tickets(hasMaximumToolCalls=True)
    bad, good = Called("1", "Open_ticket", "{}"), Called("2", "Open_ticket", '{"subject": "x"}')
    desk.model.rounds[:] = [bad, good, "Done."]

    await desk.ask("A ticket, please.")

    assert desk.sent == [f"POST {TICKETS}"]


# What is built in


async def test_a_search_gives_passages_with_their_sources(desk):
    await desk.documents("Turn it on with the green button.", "Ships are whales.")

    text = await told(desk, "search_knowledge", '{"query": "green button"}')

    assert "From 0.md:\nTurn it on with the green button." in text
    assert await told(desk, "search_knowledge", '{"query": "zzz"}') == "Nothing was found."


async def test_request_human_hands_over_after_the_answer(desk):
    await desk.run("addRequestHumanTool", agentId=desk.agent)

    await told(desk, "request_human", '{"why": "angry"}')

    conversation = await desk.stored()
    assert (conversation.status, conversation.is_ai_enabled) == ("HUMAN_REQUESTED", False)
    assert await desk.said() == ["Done."]


async def test_mark_as_resolved_closes_the_conversation(desk):
    await desk.run("addMarkAsResolvedTool", agentId=desk.agent)

    await told(desk, "mark_as_resolved")

    assert (await desk.stored()).status == "RESOLVED"


async def test_built_in_tools_are_only_for_agents_that_have_them(desk):
    assert "There is no tool" in await told(desk, "request_human")
    assert (await desk.stored()).status == "UNRESOLVED"


# Tests and people


async def test_a_test_conversation_changes_nothing_and_reaches_nobody(desk):
    await desk.tickets(withApproval=True)
    await desk.run("addRequestHumanTool", agentId=desk.agent)
    await desk.http("Look up", LOOK)
    desk.outside.answers[f"GET {LOOK}"] = (200, "Here.")

    assert "test conversation" in await told(desk, "Open_ticket", '{"subject": "x"}', isTest=True)
    assert "test conversation" in await told(desk, "request_human", isTest=True)
    assert (await desk.stored()).status == "UNRESOLVED"
    assert await told(desk, "Look_up", isTest=True) == "Status 200.\nHere."

    assert desk.sent == [f"GET {LOOK}"]
    assert await desk.pending() == []


async def test_nothing_is_changed_any_more_once_a_person_has_taken_over(desk):
    await desk.tickets()
    await desk.ask("Hello?")
    calls = [Called("1", "Look_up", "{}"), Called("2", "Open_ticket", '{"subject": "x"}')]
    await desk.http("Look up", LOOK)
    desk.outside.before = desk.taken_over
    desk.model.rounds.extend([calls, calls[1], "Done."])

    answered = await desk.again("A ticket, please.")

    assert answered["answer"] is None
    assert desk.sent == [f"GET {LOOK}"]


async def test_a_call_is_confirmed_on_the_persons_words_alone_and_counted_in_the_cost(desk):
    await desk.tickets()
    await desk.documents("How do I return shoes? Send them back.")
    first = Called("1", "Open_ticket", '{"subject": "shoes, says the passage"}')
    second = Called("1", "Open_ticket", '{"subject": "the shoes are too small"}')
    desk.model.rounds[:] = [first, second, "Done."]

    answered = await desk.ask("How do I return shoes? They are too small: open a ticket.")

    plain = desk.model.prompts[1]
    assert (plain.passages, plain.steps, [tool.name for tool in plain.tools]) == ((), (), ["Open_ticket"])
    assert json.loads(desk.outside.sent[0][3])["subject"] == "the shoes are too small"
    assert "too small" in desk.returned[0]
    assert answered["usage"]["promptTokens"] == 30


async def test_a_provider_that_fails_to_confirm_leaves_it_to_an_operator(desk):
    await desk.tickets()
    await desk.documents("How do I return shoes? Send them back.")
    desk.model.rounds[:] = [Called("1", "Open_ticket", '{"subject": "x"}'), UpstreamFailed("Down.")]

    await desk.ask("How do I return shoes?")

    assert (desk.sent, len(await desk.pending())) == ([], 1)


# The one way out


@pytest.fixture
async def canary():
    async with serving() as server:
        yield server


@pytest.fixture
async def front():
    async with serving() as server:
        yield server


async def tried(desk: Desk, url: str) -> str:
    """What becomes of a tool with this address: refused when it is made, or told to the model."""
    try:
        tool = await desk.http("Go", url)
    except InvalidInput as error:
        return f"refused: {error.message}"
    text = await told(desk, "Go")
    await desk.run("remove_agent_tool", agentId=desk.agent, toolId=tool)
    return text


def real_desk(tmp_path, clock, egress: Egress):
    return open_test_engine(
        tmp_path, clock, models=TestModels(ScriptedModel(["Hello."])), outside=EgressOutside(egress)
    )


async def test_no_address_of_a_tool_leads_inside(tmp_path, clock, canary):
    switchboard = Switchboard(canary, {})
    async with closing(Egress(resolve=lying_names(), dial=switchboard)) as egress:
        with real_desk(tmp_path, clock, egress) as engine:
            desk = await Desk(engine, engine.ports.models.model, None).opened()
            for url in FORBIDDEN_URLS:
                text = await tried(desk, url)
                assert text.startswith(("refused: ", "The call failed: ")), url

    assert (switchboard.dialed, canary.connections) == ([], 0)


async def test_what_an_operator_can_do_is_in_the_trace_and_not_told_to_the_model(tmp_path, clock, canary):
    async with closing(Egress()) as egress:
        with real_desk(tmp_path, clock, egress) as engine:
            desk = await Desk(engine, engine.ports.models.model, None).opened()
            await desk.http("Go", f"http://127.0.0.1:{canary.port}/")
            text, (call,) = await told(desk, "Go"), await desk.calls()

    address = f"http://127.0.0.1:{canary.port}"
    assert text == f"The call failed: The address {address} has a port that is not open to requests."
    assert call["hint"].endswith(f" 127.0.0.1:{canary.port} in VIVAVOCE_ALLOWED_ADDRESSES.")
    assert canary.connections == 0


async def test_no_value_of_a_model_leads_inside(tmp_path, clock, canary):
    switchboard = Switchboard(canary, {})
    async with closing(Egress(resolve=lying_names(), dial=switchboard)) as egress:
        with real_desk(tmp_path, clock, egress) as engine:
            desk = await Desk(engine, engine.ports.models.model, None).opened()
            choice = [{"key": "host", "isUserProvided": True, "acceptedValues": ["public.example"]}]
            await desk.http("Chosen", "http://{host}/", pathVariables=choice)
            await desk.http("Free", "http://{host}/", pathVariables=[{"key": "host", "isUserProvided": True}])
            for host in FORBIDDEN_HOSTS:
                for name in ("Chosen", "Free"):
                    text = await told(desk, name, json.dumps({"host": host}))
                    assert text.startswith("Not called."), host

    assert (switchboard.dialed, canary.connections) == ([], 0)


async def test_no_server_sends_a_tool_inside(tmp_path, clock, canary, front):
    switchboard = Switchboard(canary, {PUBLIC: front})
    async with closing(Egress(resolve=lying_names(), dial=switchboard)) as egress:
        with real_desk(tmp_path, clock, egress) as engine:
            desk = await Desk(engine, engine.ports.models.model, None).opened()
            await desk.http("Go", "http://public.example/")
            for url in (*FORBIDDEN_URLS, "//127.0.0.1/", "/elsewhere"):
                front.answers["/"] = redirect(url)
                assert (await told(desk, "Go")).startswith("The call failed: "), url

    assert canary.connections == 0
    assert set(front.paths) == {"/"}


async def test_a_name_that_turns_inside_is_refused_then(tmp_path, clock, canary, front):
    front.answers["/"] = answer(b"hello", Connection="close", Content_Type="text/plain")
    names = Names({"flip.example": [[PUBLIC], ["127.0.0.1"]]})
    async with closing(Egress(resolve=names, dial=Switchboard(canary, {PUBLIC: front}))) as egress:
        with real_desk(tmp_path, clock, egress) as engine:
            desk = await Desk(engine, engine.ports.models.model, None).opened()
            await desk.http("Go", "http://flip.example/")
            assert await told(desk, "Go") == "Status 200.\nhello"
            assert (await told(desk, "Go")).startswith("The call failed: ")

    assert canary.connections == 0


async def test_a_strangers_lookup_is_sent_like_any_other(desk):
    await desk.http("Look up", LOOK)
    desk.outside.answers[f"GET {LOOK}"] = (200, "Here.")

    assert await told(desk, "Look_up", caller=STRANGER) == "Status 200.\nHere."
