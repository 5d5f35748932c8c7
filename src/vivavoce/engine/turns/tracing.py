"""Tracing: what a turn came to, and the record of it for who wants to know why it was answered so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from vivavoce.operations.answers import AnswerSource, Usage
from vivavoce.ports import Prompt, Said, Spent

from .answering import Drafted
from .assembling import Scene
from .sources import NOTHING, Checked
from .spending import Meter
from .toolbox import Toolbox

_LONGEST = 2_000
"""Characters of a message or a passage that a trace keeps."""
_MOST_TEXT = 40_000
"""And of all of them together."""
_MOST_REJECTED = 60
"""Citations that did not hold of which it tells."""


@dataclass(frozen=True)
class Done:
    """What a turn came to, before it is stored."""

    scene: Scene
    prompt: Prompt
    toolbox: Toolbox
    drafted: Drafted
    meter: Meter
    milliseconds: dict[str, int] = field(default_factory=dict)
    checked: Checked = NOTHING


def trace_of(done: Done, sources: Sequence[AnswerSource], usage: Usage) -> dict[str, Any]:
    """What happened in a turn. Long texts are cut, and say so; secrets are markers."""
    prompt, room = done.prompt, _Room()
    asked = Said("person", prompt.question)
    numbers = range(1, len(done.toolbox.numbered) + 1)
    return {
        "model": model_in(done.drafted.spent),
        "instructions": prompt.instructions,
        "history": len(prompt.history),
        "messages": [{"by": said.by, **room.kept(said.text)} for said in (*prompt.history, asked)],
        **({"files": [each.traced() for each in done.scene.enclosures]} if done.scene.enclosures else {}),
        "passages": [_passage(number, done, sources, room) for number in numbers],
        "rejected": _rejected(done),
        "tools": [tool.name for tool in done.toolbox.offered()],
        "calls": [*done.drafted.calls, *done.toolbox.under_way],
        "usage": usage.model_dump(mode="json"),
        "milliseconds": done.milliseconds,
    }


def model_in(spent: Sequence[Spent]) -> str | None:
    """The model that answered last."""
    return spent[-1].model if spent else None


class _Room:
    """What is left for texts in a trace."""

    def __init__(self) -> None:
        self._left = _MOST_TEXT

    def kept(self, text: str) -> dict[str, Any]:
        """The text as far as there is room, and whether it was cut."""
        kept = text[: min(_LONGEST, self._left)]
        self._left -= len(kept)
        return {"text": kept, **({"isCut": True} if len(kept) < len(text) else {})}


def _passage(number: int, done: Done, sources: Sequence[AnswerSource], room: _Room) -> dict[str, Any]:
    """A passage that the model was given in the prompt, or found in a search."""
    found = done.toolbox.numbered.found[number - 1]
    return {
        "number": number,
        "source": found.datasource.name,
        "score": found.score,
        "datasourceId": found.datasource.id,
        "chunkId": str(found.cited.id),
        "cited": any(source.number == number for source in sources),
        **({"isSearched": True} if number > done.toolbox.numbered.given else {}),
        **room.kept(found.cited.text),
    }


def _rejected(done: Done) -> list[dict[str, Any]]:
    """The citations that did not hold, each with the reason and whether its sentence was left out."""
    return [
        {
            "number": each.number,
            "statement": each.statement,
            "reason": each.reason,
            "isLeftOut": each.is_left_out,
        }
        for each in (*done.drafted.rejected, *done.checked.rejected)[:_MOST_REJECTED]
    ]
