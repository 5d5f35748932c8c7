"""`vivavoce chat`: talk to an agent in the terminal."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import sys
import uuid
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import click

from vivavoce.app import App, open_app
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.operations import OPERATOR, Backend, Told
from vivavoce.operations.agents import GetAgent
from vivavoce.operations.answers import AgentAnswer, AgentQuery, AnswerSource
from vivavoce.settings import Settings

from .operations import stdin_text
from .output import check_field, show
from .terminal import harmless

if TYPE_CHECKING:
    from rich.console import Console

_PROMPT = "You: "
_NOT_YET = (
    "Documents of this workspace that wait to be indexed: {number}. What is new in them is found once"
    " vivavoce serve, mcp or ingest has run."
)
_SHOWN = 300
"""Characters of a quote or of a call's arguments that are shown."""


@click.command("chat")
@click.argument("agent")
@click.option("--message", "-m", metavar="TEXT", help="Say this, print the answer and end.")
@click.option("--conversation", metavar="ID", help="Go on with this conversation.")
@click.option("--test", "is_test", is_flag=True, help="A new conversation can never reach a person.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON; needs a message.")
@click.option("--field", metavar="NAME", help="Print only this field of the answer, e.g. conversationId.")
def command(
    agent: str,
    message: str | None,
    conversation: str | None,
    is_test: bool,
    as_json: bool,
    field: str | None,
) -> None:
    """Talk to an agent.

    AGENT is the id of an agent, or its handle with @ before it. The answer is shown as it comes. Numbers
    such as [1] stand behind what rests on a source; the sources follow with the words themselves, and which
    numbers did not hold when they were checked.

    Ctrl-C stops an answer, Ctrl-D ends the conversation. With --message, or with a text on stdin, one
    message is answered.

    For example: vivavoce chat @ana --message 'When do you open?'
    """
    if message is None and (sys.stdin is None or not sys.stdin.isatty()):
        message = _piped()
    is_plain = as_json or field is not None
    if is_plain and message is None:
        raise click.UsageError("--json and --field need a message: give --message, or a text on stdin.")
    check_field(field, AgentAnswer)
    console = _console()
    with asyncio.Runner() as runner:
        held = AsyncExitStack()
        app = runner.run(held.enter_async_context(open_app(Settings.read())))
        try:
            if not app.is_hosted and (waiting := runner.run(_waiting(app))):
                click.echo(_NOT_YET.format(number=waiting), err=True)
            chat = Chat(app.backend, runner, console, agent, conversation, is_test=is_test)
            if is_plain:
                assert message is not None
                show(chat.asked(message), as_json=as_json, field=field)
            elif message is not None:
                chat.say(message)
            else:
                with suppress(ImportError):  # lets the person edit a line, where the system can
                    importlib.import_module("readline")
                converse(chat, partial(input, _PROMPT))
        finally:
            runner.run(held.aclose())


async def _waiting(app: App) -> int:
    return await app.ports.store.read(lambda tables: tables.ingestions.number())


class Chat:
    """A conversation with an agent, shown on a console."""

    def __init__(
        self,
        backend: Backend,
        runner: asyncio.Runner,
        console: Console,
        agent: str,
        conversation_id: str | None = None,
        *,
        is_test: bool = False,
    ) -> None:
        self._backend, self._runner, self._console = backend, runner, console
        self.agent, self.conversation_id, self._is_test = agent, conversation_id, is_test
        self._is_midline = self._has_waited = False

    def name(self) -> str:
        """What the agent is called; NotFound where there is none."""
        found = self._runner.run(self._backend.run(GetAgent.parse({"id": self.agent}), OPERATOR))
        return found.name

    def say(self, text: str) -> None:
        """Send a message and show the answer as it comes, with its sources behind it."""
        self._is_midline = self._has_waited = False
        heard = _Heard()
        try:
            answer = self.asked(text, partial(self._hear, heard))
        finally:
            self._end_line()
        self._show_outcome(answer)
        self._show_sources(answer, heard)

    def asked(self, text: str, hear: Callable[[Told], None] | None = None) -> AgentAnswer:
        """The answer to a message; the next message goes to the same conversation."""
        given = {"id": self.agent, "query": text, "isTest": self._is_test}
        if self.conversation_id is not None:
            given["conversationId"] = self.conversation_id
        answer = self._runner.run(self._backend.run(AgentQuery.parse(given), OPERATOR, hear))
        self.conversation_id = answer.conversation_id
        return answer

    @property
    def is_unheard(self) -> bool:
        """Whether whoever read what is shown has gone."""
        return self._console.quiet

    def tell(self, text: str) -> None:
        """Say something beside the conversation."""
        self._end_line()
        self._console.print(harmless(text), style="dim")

    def _hear(self, heard: _Heard, told: Told) -> None:
        if told.kind == "answer":
            heard.text += told.text
            self._write(told.text)
        elif told.kind == "cite":
            heard.marks.append((int(told.text), len(heard.text)))
            self._write(f" [{told.text}]", "dim")
        elif told.kind == "tool_call":
            self.tell(f"  calls {_call(told.text)}")
        elif not self._has_waited:
            self._has_waited = True
            self.tell("  waits before it answers")  # for earlier messages, or for more of them

    def _write(self, text: str, style: str | None = None) -> None:
        shown = harmless(text.replace("\r", ""))
        if shown:
            self._console.print(shown, style=style, end="")
            self._is_midline = not shown.endswith("\n")

    def _end_line(self) -> None:
        if self._is_midline:
            self._console.print()
            self._is_midline = False

    def _show_outcome(self, answer: AgentAnswer) -> None:
        if answer.answer is None:
            self.tell(f"No answer. {answer.metadata.get('reason', '')}".rstrip())
        if answer.metadata.get("isCut"):
            self.tell("The answer was cut off here: it grew too long.")
        for approval in answer.approvals:
            self.tell(f"The call of {approval.tool!r} waits for approval {approval.id}.")

    def _show_sources(self, answer: AgentAnswer, heard: _Heard) -> None:
        sources = sorted(answer.sources, key=lambda source: source.number)
        if sources:
            self._console.print()
        for source in sources:
            self.tell(_footnote(source))
        refuted = heard.refuted(answer)
        shown = {source.number for source in sources} | {number for number, _ in refuted}
        for number in sorted({number for number, _ in heard.marks} - shown):
            self.tell(f"[{number}] cannot be shown.")
        for number, behind in refuted:
            self.tell(f"[{number}] does not bear out: “{behind}”")


@dataclass
class _Heard:
    """What was shown of an answer before its citations were checked."""

    text: str = ""
    marks: list[tuple[int, int]] = field(default_factory=list)
    """The number of each citation, and where it stands."""

    def refuted(self, answer: AgentAnswer) -> list[tuple[int, str]]:
        """The marks that did not hold, each with the words before it."""
        held = {tuple(mark) for mark in answer.metadata.get("citations", ())}
        return [
            (number, _words_before(self.text, at)) for number, at in self.marks if (number, at) not in held
        ]


def converse(chat: Chat, read: Callable[[], str]) -> None:
    """Talk until the person ends it; a message that fails or is stopped does not end it."""
    chat.tell(f"{chat.name()} listens. Ctrl-C stops an answer, Ctrl-D ends.")
    if chat.conversation_id is None:
        chat.conversation_id = uuid.uuid4().hex  # known also when the first answer is stopped
    has_spoken = False
    while not chat.is_unheard:
        try:
            text = read().strip()
            if text:
                has_spoken = True
                chat.say(text)
        except EOFError:
            break
        except KeyboardInterrupt:
            chat.tell("Stopped.")
        except UnicodeDecodeError:
            chat.tell("That is not in the encoding of this terminal. Nothing was sent.")
        except VivavoceError as error:
            chat.tell(f"{error.code}: {error}")
    if has_spoken:
        chat.tell(f"\nTo go on: vivavoce chat {chat.agent} --conversation {chat.conversation_id}")


def _console() -> Console:
    from rich.console import Console

    class Enduring(Console):
        def on_broken_pipe(self) -> None:
            """Show no more, and let the answer come to its end: it is stored."""
            self.quiet = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)

    return Enduring(highlight=False, markup=False, emoji=False, soft_wrap=True)


def _piped() -> str:
    text = stdin_text("message").strip()
    if not text:
        raise InvalidInput("There is no message on stdin.", hint="Give it with --message.")
    return text


def _call(shown: str) -> str:
    """A call in few words; what is no JSON is shown as it is."""
    try:
        call = json.loads(shown)
        shown = f"{call['name']} {call['arguments']}"
    except (ValueError, KeyError, TypeError):
        pass
    return _cut(shown)


def _footnote(source: AnswerSource) -> str:
    page = f", page {source.page}" if source.page else ""
    quote = _cut(source.quote or source.text)
    return f'[{source.number}] {source.datasource_name}{page} ({source.score:.0%}): "{quote}"'


def _words_before(text: str, at: int) -> str:
    """The end of what stands before a place: its sentence, or as much as can be shown."""
    before = " ".join(text[:at].split())
    sentence = re.split(r"(?<=[.!?])\s+", before)[-1]
    return sentence if len(sentence) <= _SHOWN else f"…{sentence[-_SHOWN:]}"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
