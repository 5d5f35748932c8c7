"""The toolbox: what a model may call in a turn, under rules that no text can change."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from vivavoce.domain.conversations import Conversation
from vivavoce.domain.http.http_arguments import LONGEST_NAME, read_arguments, schema_of, shown_arguments
from vivavoce.domain.http.http_calls import call_of
from vivavoce.domain.http.masking import covered_text, masked
from vivavoce.domain.policy import Trust, Verdict, is_reversible, verdict_on, vouched
from vivavoce.domain.tools import Tool
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.ports import Called, Offered, Ports, Tables

from .assembling import Scene, knowledge_for
from .confirming import Confirming
from .journal import Journal
from .lanes import Stopped
from .numbering import Numbered
from .offering import QUESTION, RESOLVED, SEARCH, WORDS, Offers, avatar_of, checked_config, config_of
from .outcomes import Asked, Outcome
from .records import is_change, last_change, record_of
from .replies import MOST_BYTES, MOST_TEXT, is_failure, told

USED_UP = "This tool was called as often as it may be in one conversation."
_EXCERPT = 500
"""Characters of a result that the trace keeps."""


@dataclass
class Toolbox:
    """The tools of an agent in one turn."""

    scene: Scene
    ports: Ports
    trust: Trust = Trust.MIXED
    """Whose words the model has before it; what a tool returns makes them mixed."""
    confirming: Confirming | None = None
    """Asks the model again without text from outside; without it, an operator is asked."""
    numbered: Numbered = field(default_factory=Numbered)
    """What the answer may cite."""
    journal: Journal | None = None
    """Where a job answers: what earlier attempts of the turn have called."""
    wants_human: bool = False
    is_resolved: bool = False
    counted: dict[str, int] = field(default_factory=dict)
    """Calls made in this turn that count, by the id of the tool."""
    under_way: list[dict[str, Any]] = field(default_factory=list)
    """Records of calls that were begun and that the draft does not have yet: they belong in the trace too."""

    def __post_init__(self) -> None:
        self._made: list[tuple[str, dict[str, Any]]] = []
        self._offers = Offers(self.scene.tools)
        if not self._offers.is_the_same(self.scene.variables, vouched(self.scene.variables)):
            self.taint()

    def offered(self) -> tuple[Offered, ...]:
        """The tools that the model may call now."""
        http = [name for name, tool in self._offers.http.items() if self._may_be_called(tool)]
        return (
            *(self._offers.offered(name, self.scene.variables) for name in http),
            *self._offers.built_in.values(),
            *self._offers.to_ask(),
        )

    def shown(self, call: Called) -> str:
        """A call as JSON for who listens: type, name, arguments."""
        arguments = covered_text(call.arguments)
        return json.dumps({"type": "function", "name": call.name, "arguments": arguments})

    async def call(self, call: Called) -> Outcome:
        """Make a call, or refuse it with the reason; never raises for what the model got wrong."""
        started = time.monotonic()
        try:
            outcome = await self._called(call)
        except InvalidInput as error:
            outcome = Outcome.refused(f"Not called. {error}")
        took = round((time.monotonic() - started) * 1000)
        arguments = covered_text(call.arguments)[:MOST_TEXT]
        basics = {"name": call.name, "arguments": arguments, "milliseconds": took}
        record = {**basics, "isError": False, **outcome.record, "result": outcome.text[:_EXCERPT]}
        return replace(outcome, record=record)

    async def carry_out(
        self, tool: Tool, arguments: Mapping[str, Any], variables: Mapping[str, str]
    ) -> Outcome:
        """Send the request of a tool, secrets put in now; failure is an outcome too."""
        config, secrets = checked_config(tool), list(tool.secrets.values())
        record = record_of(tool, config, arguments, variables)
        sent = call_of(config, arguments, variables, tool.secrets)
        self._made.append((tool.id, dict(arguments)))
        self.taint()
        if config.is_error_countable:  # also if the caller goes away before there is an answer
            self._count(tool)
        try:
            with self._begun(tool, record, is_uncertain=not is_reversible(config)):
                reply = await self.ports.outside.send(
                    sent.method, sent.url, headers=sent.headers, content=sent.content, most=MOST_BYTES
                )
        except VivavoceError as error:
            return Outcome.failed(error, sent.url, record, secrets, is_reversible=is_reversible(config))
        if not (config.is_error_countable or is_failure(reply)):
            self._count(tool)
        record |= {"status": reply.status, "isError": is_failure(reply)}
        return Outcome(told(reply, lambda text: masked(text, secrets)), record)

    def taint(self) -> None:
        """Text from outside is before the model from here on."""
        if self.trust is Trust.OWN:
            self.trust = Trust.MIXED

    def recall(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Take up what was called in a turn before it had to wait."""
        self.taint()
        self._made += [(each["tool"], each["arguments"]) for each in records if is_change(each)]
        self.wants_human = any(each.get("wantsHuman") is True for each in records)
        self.is_resolved = any(each.get("isResolved") is True for each in records)

    async def _called(self, call: Called) -> Outcome:
        if call.name in self._offers.built_in:
            return await self._call_built_in(call)
        if call.name in self._offers.avatars:
            return await self._consult(self._offers.avatars[call.name], call)
        tool = self._offers.tool(call.name)
        if tool is None:
            names = ", ".join(offered.name for offered in self.offered()) or "none"
            return Outcome.refused(
                f"Not called. There is no tool {call.name[:LONGEST_NAME]!r}; there are: {names}."
            )
        if not self._may_be_called(tool):
            return Outcome.refused(f"Not called. {USED_UP}")
        return await self._call_http(tool, call)

    async def _call_http(self, tool: Tool, call: Called) -> Outcome:
        config = self._offers.configs[tool.id]
        arguments = read_arguments(call.arguments, schema_of(config))
        record = record_of(tool, config, arguments, self.scene.variables)
        if self.scene.conversation.is_test and not is_reversible(config):
            text = "This is a test conversation: the call was not made, because it would change something."
            return Outcome(text, {**record, "isTest": True})
        if self.trust is Trust.OWN and not is_reversible(config) and await self._changed_until() > 0:
            self.taint()  # a wish that was fulfilled, and not answered, stands before the model
        verdict, reason = verdict_on(config, self.trust)
        note, is_confirmed = "", verdict is Verdict.CONFIRM
        if verdict is Verdict.CONFIRM:
            confirmed = await self._confirmed(tool, arguments)
            if confirmed is not None and self._has_made(tool, confirmed):
                return Outcome("Not called again: what the person asked for is done.", record)
            verdict = Verdict.ASK if confirmed is None else Verdict.CALL
            if confirmed is not None and confirmed != arguments:
                arguments = confirmed
                shown = shown_arguments(config, arguments)
                note = f"Called with {json.dumps(shown, ensure_ascii=False)}.\n"
        if verdict is Verdict.ASK:
            asked = Asked(tool, arguments, record["request"], reason, dict(self.scene.variables))
            return Outcome("", {**record, "isAsked": True, "reason": reason}, asked)
        if not is_reversible(config):
            await self.ports.store.read(self._check_nobody_took_over)
        outcome = await self._made_once(tool, arguments, record, is_kept=not is_reversible(config))
        how = {"isConfirmed": True} if is_confirmed else {}
        return replace(outcome, text=note + outcome.text, record=outcome.record | how)

    async def _made_once(
        self, tool: Tool, arguments: dict[str, Any], record: dict[str, Any], *, is_kept: bool
    ) -> Outcome:
        """Make a call; one that an earlier attempt of the turn made and that cannot be undone, not again."""
        if self.journal is None or not is_kept:
            return await self.carry_out(tool, arguments, self.scene.variables)
        name, known = await self.journal.begin(tool.id, arguments)
        if known is not None:
            self.taint()
            return Outcome(known, {**record, "status": None, "isEarlier": True})
        outcome = await self.carry_out(tool, arguments, self.scene.variables)
        await self.journal.end(name, outcome.text)
        return outcome

    async def _confirmed(self, tool: Tool, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The arguments that the model gives on trusted words alone; None where it does not call."""
        if self.confirming is None:
            return None
        self.confirming.done_until = await self._changed_until()
        offered = self._offers.offered(self._offers.name_of(tool), vouched(self.scene.variables))
        return await self.confirming.confirmed(offered, arguments)

    def _check_nobody_took_over(self, tables: Tables) -> None:
        """Human wins here too: what the AI began before a person took over changes nothing any more."""
        known = tables.conversations.find(self.scene.conversation.id)
        if known is None or not known.is_ai_enabled or known.held_after != self.scene.conversation.held_after:
            raise Stopped("A person took over.")
        if known.blocked or known.status == "HUMAN_REQUESTED":
            raise Stopped("A person was asked for, or the person is blocked.")

    async def _changed_until(self) -> int:
        """The place of the last message in whose turn something was changed; 0 where nothing was."""
        return await self.ports.store.read(partial(last_change, self.scene.conversation.id))

    def _has_made(self, tool: Tool, arguments: dict[str, Any]) -> bool:
        """Whether the same call was made in this turn; what was made before it waited is known as shown."""
        shown = shown_arguments(self._offers.configs[tool.id], arguments)
        return (tool.id, arguments) in self._made or (tool.id, shown) in self._made

    @contextmanager
    def _begun(self, tool: Tool, record: Mapping[str, Any], *, is_uncertain: bool) -> Iterator[None]:
        """Keep the record of a call that has no answer yet; it stays where nobody waits for one any more."""
        begun = {"name": tool.name, **record, "status": None, "isError": True, "isUncertain": is_uncertain}
        self.under_way.append(begun)
        try:
            yield
        except VivavoceError:
            self.under_way.remove(begun)
            raise
        self.under_way.remove(begun)

    async def _call_built_in(self, call: Called) -> Outcome:
        if call.name == SEARCH:
            return await self._search(read_arguments(call.arguments, WORDS)["query"])
        if call.name == RESOLVED:
            self.is_resolved = True
            return Outcome("The conversation will be closed after your answer.", {"isResolved": True})
        if self.scene.conversation.is_test:
            return Outcome(
                "This is a test conversation: no person was called. Go on as if.", {"isTest": True}
            )
        self.wants_human = True
        text = "A person of the team will take over. Tell the person so in a few words."
        return Outcome(text, {"wantsHuman": True})

    async def _search(self, words: str) -> Outcome:
        query = self.scene.query.model_copy(update={"query": words})
        try:
            found = await knowledge_for(replace(self.scene, query=query), self.ports)
        except VivavoceError as error:
            return Outcome.refused(f"The search failed: {error.message}")
        if not found:
            return Outcome("Nothing was found.", {})
        self.taint()
        told = self.numbered.told(found, MOST_TEXT)
        return Outcome(told, {"passages": [str(each.cited.id) for each in found]})

    async def _consult(self, tool: Tool, call: Called) -> Outcome:
        from vivavoce.engine.voices.consulting import (
            consulted,  # avatars know of agents, not the other way round
        )

        question = read_arguments(call.arguments, QUESTION)["question"]
        try:
            told = await consulted(avatar_of(tool), question, self.scene.agent, self.ports)
        except VivavoceError as error:
            return Outcome.refused(f"The avatar did not answer: {error.message}")
        self.taint()
        return Outcome(told[:MOST_TEXT], {"avatar": avatar_of(tool)})

    def _may_be_called(self, tool: Tool) -> bool:
        return may_be_called(tool, self.scene.conversation, self.counted.get(tool.id, 0))

    def _count(self, tool: Tool) -> None:
        self.counted[tool.id] = self.counted.get(tool.id, 0) + 1


def may_be_called(tool: Tool, conversation: Conversation, more: int = 0) -> bool:
    """Whether a tool was called less often in a conversation than its settings allow."""
    config = config_of(tool)
    if config is None or not config.has_maximum_tool_calls:
        return True
    made = conversation.tool_calls.get(tool.id, 0) + more
    return made < (1 if config.maximum_tool_calls is None else config.maximum_tool_calls)
