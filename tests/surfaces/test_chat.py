"""`vivavoce chat`: answers as they come, citations as footnotes, and Ctrl-C that stops an answer alone."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from unittest import mock

import pytest
from asked import AGENT, run, turns_of
from doors import Terminal, run_command
from rich.console import Console

from vivavoce.app import open_app
from vivavoce.engine import Engine
from vivavoce.errors import NotFound, UpstreamFailed
from vivavoce.ports import Called, Cut, Delta
from vivavoce.surfaces.cli.chat import Chat, converse
from vivavoce.testing import ScriptedModel, TestModels, ingested, open_test_engine


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """The loop in which everything is asked, as the command has it."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def talk(tmp_path, runner):
    """Opens a chat with an agent that speaks through a model: engine, chat and what it shows."""
    held = []

    def opened(model, **more):
        opening = open_test_engine(tmp_path, models=TestModels(model))
        engine = opening.__enter__()
        held.append(opening)
        runner.run(run(engine, "create_agent", **AGENT, handle="ana"))
        shown = io.StringIO()
        console = Console(file=shown, highlight=False, markup=False, emoji=False, soft_wrap=True)
        return engine, Chat(engine, runner, console, "@ana", **more), shown

    yield opened
    for each in held:
        each.__exit__(None, None, None)


def typing(*lines):
    """What a person types, line by line; Ctrl-D at the end."""
    left = iter(lines)

    def read() -> str:
        try:
            line = next(left)
        except StopIteration:
            raise EOFError from None
        if isinstance(line, BaseException):
            raise line
        return line

    return read


def test_pieces_are_shown_as_they_come(talk):
    seen = []

    class Watched(ScriptedModel):
        async def answer(self, prompt):
            async for piece in super().answer(prompt):
                yield piece
                seen.append(shown.getvalue())

    _, chat, shown = talk(Watched([[Delta("We open "), Delta("at nine.")]]))

    chat.say("When?")

    assert seen[:2] == ["We open ", "We open at nine."]
    assert shown.getvalue() == "We open at nine.\n"


def test_who_waits_for_more_to_come_is_not_told_of_an_earlier_message(talk, runner):
    engine, _, _ = talk(ScriptedModel([]))
    runner.run(run(engine, "addDelayedResponsesTool", agentId=_agent(engine, runner), delay=6))
    shown = io.StringIO()
    hurried = Engine(engine.ports, call_budget=0.0, attends=False)

    Chat(hurried, runner, Console(file=shown), "@ana").say("When do you open?")

    assert shown.getvalue().startswith("  waits before it answers\nNo answer. ")


def test_citations_are_marks_in_the_text_and_footnotes_behind_it(talk, runner):
    model = ScriptedModel([[Delta("Shoes may be returned within thirty days [1"), Delta("].")]])
    engine, chat, shown = talk(model)
    store = runner.run(run(engine, "create_datastore", type="qdrant", name="Shop"))
    text = "Shoes may be returned within thirty days. Bring the receipt."
    runner.run(run(engine, "create_datasource", datastoreId=store["id"], name="returns.txt", text=text))
    runner.run(run(engine, "addDatastoreTool", agentId=_agent(engine, runner), datastoreId=store["id"]))
    runner.run(ingested(engine))

    chat.say("Within how many days may shoes be returned?")

    answer, footnote = shown.getvalue().split("\n\n")
    assert answer == "Shoes may be returned within thirty days [1]."
    assert footnote.startswith("[1] returns.txt (")
    assert footnote.endswith('%): "Shoes may be returned within thirty days."\n')


def test_a_mark_that_did_not_hold_is_told(talk, runner):
    said = "Shoes may be returned within thirty days [1]. The moon is made of cheese [1]."
    engine, chat, shown = talk(ScriptedModel([said]))
    runner.run(run(engine, "update_agent", id=_agent(engine, runner), restrictKnowledge=False))
    store = runner.run(run(engine, "create_datastore", type="qdrant", name="Shop"))
    text = "Shoes may be returned within thirty days. Bring the receipt."
    runner.run(run(engine, "create_datasource", datastoreId=store["id"], name="returns.txt", text=text))
    runner.run(run(engine, "addDatastoreTool", agentId=_agent(engine, runner), datastoreId=store["id"]))
    runner.run(ingested(engine))

    chat.say("Within how many days may shoes be returned?")

    *_, last = shown.getvalue().splitlines()
    assert last == "[1] does not bear out: “The moon is made of cheese”"
    assert shown.getvalue().count("does not bear out") == 1


def test_an_answer_that_was_cut_says_so(talk):
    _, chat, shown = talk(ScriptedModel([[Delta("We open at"), Cut()]]))

    chat.say("When?")

    assert shown.getvalue() == "We open at\nThe answer was cut off here: it grew too long.\n"


def test_calls_of_tools_are_shown_between_the_words(talk, runner):
    calling = [Delta("One moment."), Called("1", "request_human", "{}")]
    engine, chat, shown = talk(ScriptedModel([calling, "Someone will write."]))
    runner.run(run(engine, "addRequestHumanTool", agentId=_agent(engine, runner)))

    chat.say("A person, please!")

    lines = [line for line in shown.getvalue().splitlines() if line]
    assert lines[0] == "One moment."
    assert lines[1].startswith("  calls request_human")
    assert lines[2] == "Someone will write."


def test_silence_is_explained(talk, runner):
    engine, chat, shown = talk(ScriptedModel([Called("1", "request_human", "{}"), "Wait."]))
    runner.run(run(engine, "addRequestHumanTool", agentId=_agent(engine, runner)))
    chat.say("A person, please!")
    shown.truncate(0)

    chat.say("Hello?")

    assert "No answer. " in shown.getvalue()


def test_a_conversation_goes_on_until_ctrl_d(talk, runner):
    model = ScriptedModel(["Nine.", "Five."])
    engine, chat, shown = talk(model)

    converse(chat, typing("When do you open?", "  ", "And close?"))

    assert len(model.prompts) == 2
    assert [said.text for said in model.prompts[1].history] == ["When do you open?", "Nine."]
    lines = shown.getvalue().splitlines()
    assert lines[0] == "Ana listens. Ctrl-C stops an answer, Ctrl-D ends."
    assert {"Nine.", "Five."} <= set(lines)
    assert lines[-1] == f"To go on: vivavoce chat @ana --conversation {chat.conversation_id}"
    assert {turn.conversation_id for turn in runner.run(turns_of(engine))} == {chat.conversation_id}


def test_ctrl_c_stops_the_answer_and_not_the_program(talk, runner):
    class Interrupted(ScriptedModel):
        async def answer(self, prompt):
            if not self.prompts:
                self.prompts.append(prompt)
                yield Delta("We open ")
                signal.raise_signal(signal.SIGINT)
                await asyncio.Event().wait()
            async for piece in super().answer(prompt):
                yield piece

    engine, chat, shown = talk(Interrupted(["unused", "Five."]))

    converse(chat, typing("When do you open?", "And close?"))

    lines = shown.getvalue().splitlines()
    assert lines[1:4] == ["We open ", "Stopped.", "Five."]
    assert [turn.state for turn in runner.run(turns_of(engine))] == ["interrupted", "answered"]
    assert len({turn.conversation_id for turn in runner.run(turns_of(engine))}) == 1


def test_ctrl_c_at_the_prompt_and_a_failure_do_not_end_it_either(talk):
    _, chat, shown = talk(ScriptedModel([UpstreamFailed("The provider is down."), "Nine."]))

    converse(chat, typing(KeyboardInterrupt(), "When?", "When?"))

    lines = shown.getvalue().splitlines()
    assert lines[1] == "Stopped."
    assert lines[2].startswith("upstream_failed: The provider is down.")
    assert lines[3] == "Nine."


def test_an_agent_that_is_not_there_ends_it_at_once(talk):
    _, chat, _ = talk(ScriptedModel(["Nine."]))
    chat.agent = "@nobody"

    with pytest.raises(NotFound):
        converse(chat, typing("When?"))


def test_what_a_model_writes_cannot_steer_the_terminal(talk):
    _, chat, shown = talk(ScriptedModel(["\x1b[2Jgone\x07 [bold]not bold[/bold]\r\n"]))

    chat.say("When?")

    assert (
        shown.getvalue()
        == "\N{REPLACEMENT CHARACTER}[2Jgone\N{REPLACEMENT CHARACTER} [bold]not bold[/bold]\n"
    )


def test_one_message_is_answered_by_the_command(workspace, stocked):
    code, output, errors = run_command(["chat", "@ana", "--message", "How many days may shoes be returned?"])

    assert (code, errors) == (0, "")
    assert "thirty days" in output
    assert "[1] returns.txt" in output


def test_documents_that_are_not_indexed_yet_are_told_of(workspace, stocked):
    made = run_command(["create-datastore", "--name", "New", "--type", "qdrant", "--field", "id"])[1].strip()
    run_command(
        ["create-datasource", made, "--name", "hours", "--type", "file", "--text", "We open at nine."]
    )

    code, _, errors = run_command(["chat", "@ana", "--message", "How many days may shoes be returned?"])

    assert code == 0
    assert errors.startswith("Documents of this workspace that wait to be indexed: 1.")


def test_a_message_on_stdin_is_answered_and_printed_as_json(workspace, stocked):
    with mock.patch.object(sys, "stdin", io.StringIO("How many days may shoes be returned?\n")):
        code, output, _ = run_command(["chat", "@ana", "--json"])
    asked = ["chat", "@ana", "-m", "Thanks.", "--conversation", json.loads(output)["conversationId"]]
    again = run_command([*asked, "--field", "conversationId"])

    assert code == 0
    assert "thirty days" in json.loads(output)["answer"]
    assert json.loads(output)["sources"][0]["datasource_name"] == "returns.txt"
    assert again[1].strip() == json.loads(output)["conversationId"]


def test_the_command_says_what_it_lacks(workspace, stocked):
    with mock.patch.object(sys, "stdin", Terminal()):
        code, _, errors = run_command(["chat", "@ana", "--json"])
    assert (code, "need a message" in errors) == (2, True)

    with mock.patch.object(sys, "stdin", io.StringIO(" \n")):
        code, _, errors = run_command(["chat", "@ana"])
    assert (code, errors.strip()) == (
        2,
        "invalid_input: There is no message on stdin. Give it with --message.",
    )

    code, output, errors = run_command(["chat", "@nobody", "--message", "Hello?"])
    assert (code, output) == (4, "")
    assert errors.startswith("not_found: ")


def test_whoever_stops_reading_does_not_strand_the_answer(settings, workspace, stocked):
    reading, writing = os.pipe()
    os.close(reading)
    try:
        words = [
            sys.executable,
            "-m",
            "vivavoce",
            "chat",
            "@ana",
            "-m",
            "How many days may shoes be returned?",
        ]
        ended = subprocess.run(words, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    finally:
        os.close(writing)

    async def stored():
        async with open_app(settings) as app:
            return await app.ports.store.read(lambda tables: list(tables.turns.where()))

    assert (ended.returncode, ended.stderr) == (0, "")
    assert [turn.state for turn in asyncio.run(stored())] == ["answered"]


def test_a_closed_stdin_and_one_that_is_not_utf_8_are_told_in_a_sentence(workspace, stocked):
    with mock.patch.object(sys, "stdin", None):
        code, _, errors = run_command(["chat", "@ana"])
    assert (code, errors.startswith("invalid_input: message: there is nothing to read")) == (2, True)

    latin = io.TextIOWrapper(io.BytesIO("Até quando?".encode("latin-1")), encoding="latin-1")
    with mock.patch.object(sys, "stdin", latin):
        code, _, errors = run_command(["chat", "@ana"])
    assert (code, "is not UTF-8" in errors) == (2, True)


def test_a_message_on_stdin_is_utf_8_whatever_the_locale_says(workspace, stocked):
    piped = io.TextIOWrapper(
        io.BytesIO("How many days may shoes be returned — até quando?".encode()), "latin-1"
    )
    with mock.patch.object(sys, "stdin", piped):
        code, output, _ = run_command(["chat", "@ana", "--field", "conversationId"])
    shown = run_command(["list-messages", output.strip(), "2", "--json"])

    assert code == 0
    assert "— até quando?" in shown[1]


def test_a_line_that_cannot_be_read_does_not_end_the_conversation(talk):
    _, chat, shown = talk(ScriptedModel(["Nine."]))

    converse(chat, typing(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), "When?"))

    lines = shown.getvalue().splitlines()
    assert lines[1].endswith("Nothing was sent.")
    assert lines[2] == "Nine."


def test_a_command_ends_when_what_it_began_is_done(settings, workspace, stocked):
    asked = {"id": "@ana", "query": "How many days?", "callbackURL": "http://127.0.0.1:1/"}
    code, output, errors = run_command(["agent-query", "--input", json.dumps(asked), "--json"])

    async def stored():
        async with open_app(settings) as app:
            return await app.ports.store.read(lambda tables: list(tables.turns.where()))

    assert code == 0, errors
    assert json.loads(output)["answer"] is None
    (turn,) = asyncio.run(stored())
    assert turn.state == "answered"
    assert turn.trace["callback"]["tries"] == 1
    assert "127.0.0.1" in turn.trace["callback"]["error"]


def test_the_signing_secret_is_the_same_each_time(workspace):
    first, again = (run_command(["keys", "signing-secret"]) for _ in range(2))

    assert first == again
    assert first[0] == 0
    assert first[1].startswith("vvs_")
    assert len(first[1].strip()) == 68


@pytest.fixture
def stocked(workspace, tmp_path, monkeypatch):
    """An agent with a datastore, made as an operator makes it."""
    monkeypatch.setenv("VIVAVOCE_PORT", "1")
    (tmp_path / "returns.txt").write_text("Shoes may be returned within thirty days.", encoding="utf-8")
    assert run_command(["ingest", "--create", "Shop", str(tmp_path / "returns.txt")])[0] == 0
    agent = json.loads(run_command(["create-agent", "--input", json.dumps({**AGENT, "handle": "ana"})])[1])
    stores = json.loads(run_command(["list-datastores"])[1])["datastores"]
    words = ["add-datastore-tool", agent["id"], "--input", json.dumps({"datastoreId": stores[0]["id"]})]
    code, _, errors = run_command(words)
    assert code == 0, errors


def _agent(engine, runner) -> str:
    return runner.run(run(engine, "list_agents"))["agents"][0]["id"]
