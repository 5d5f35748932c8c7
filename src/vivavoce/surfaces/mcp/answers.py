"""The answer of an agent as a text for a model to read: the words first, then what they rest on."""

from __future__ import annotations

from collections.abc import Iterator

import pydantic_core

from vivavoce.operations.answers import AgentAnswer, AnswerSource

_QUOTE = 600
"""Characters of a quote that are shown."""


def readable(answer: AgentAnswer) -> str:
    """All that matters of an answer, also for a client that reads no structured content."""
    return "\n".join(_lines(answer))


def _lines(answer: AgentAnswer) -> Iterator[str]:
    if answer.answer is None:
        reason = answer.metadata.get("reason", "")
        yield f"The message is stored. There is no answer. {reason}".rstrip()
    elif answer.answer:
        yield _marked(answer.answer, answer)
    for approval in answer.approvals:
        payload = pydantic_core.to_json(approval.payload).decode()
        yield f"The call of {approval.tool!r} waits for approval {approval.id}: {payload}"
    if answer.sources:
        yield ""
        yield "Sources:"
        yield from (_source(source) for source in sorted(answer.sources, key=lambda each: each.number))
    yield ""
    yield f"conversationId: {answer.conversation_id}"
    if answer.answer is None and answer.message_id is not None:
        yield f"messageId: {answer.message_id}"


def _marked(text: str, answer: AgentAnswer) -> str:
    """The words with the numbers of their sources behind them, as far as those are shown."""
    known = {source.number for source in answer.sources}
    for number, at in reversed(answer.metadata.get("citations", ())):
        if number in known:
            text = f"{text[:at]} [{number}]{text[at:]}"
    return text


def _source(source: AnswerSource) -> str:
    place = f", page {source.page}" if source.page else ""
    quote = " ".join((source.quote or source.text).split())
    cut = quote if len(quote) <= _QUOTE else f"{quote[:_QUOTE]}…"
    return f'[{source.number}] {source.datasource_name}{place}: "{cut}"'
