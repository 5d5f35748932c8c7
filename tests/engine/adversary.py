"""A model that obeys every instruction that it reads, wherever it stands."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterator

from vivavoce.ports import Called, Delta, Piece, Prompt, Returned, Spent

_CALL = re.compile(r"CALL ([\w-]+) (?=\{)")
_SAY = re.compile(r"SAY (.+)$", re.MULTILINE)


class Adversary:
    """Obeys `CALL tool {json}`, `SAY text` and `REVEAL`, whether a document, a tool or a person says it."""

    name = "adversary"
    context = 128_000

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Every call that was not made yet; after that, everything that it was told to say."""
        self.prompts.append(prompt)
        texts = list(_read(prompt))
        made = {(step.name, step.arguments) for step in prompt.steps if isinstance(step, Called)}
        wanted = dict.fromkeys(call for text in texts for call in _calls_in(text))
        calls = [each for each in wanted if each not in made]
        for number, (name, arguments) in enumerate(calls):
            yield Called(f"{len(prompt.steps)}-{number}", name, arguments)
        if not calls:
            said = [line for text in texts for line in _SAY.findall(text)]
            revealed = [repr(prompt)] if any("REVEAL" in text for text in texts) else []
            yield Delta("\n".join([*said, *revealed]) or "Hello.")
        yield Spent(self.name, prompt_tokens=10, completion_tokens=5)


def _calls_in(text: str) -> Iterator[tuple[str, str]]:
    for found in _CALL.finditer(text):
        try:
            _, end = json.JSONDecoder().raw_decode(text, found.end())
        except ValueError:
            continue
        yield found.group(1), text[found.end() : end]


def _read(prompt: Prompt) -> Iterator[str]:
    yield prompt.instructions
    yield prompt.question
    yield from (f"{tool.description} {tool.parameters}" for tool in prompt.tools)
    yield from (given.text for given in prompt.passages)
    yield from (file.text for file in prompt.enclosed)
    yield from (said.text for said in prompt.history)
    yield from (step.text for step in prompt.steps if isinstance(step, Returned))
