"""Models that say what they were given."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence

from vivavoce.ports import Called, Delta, Model, Piece, Prompt, Spent


class ScriptedModel:
    """A model that says what it was given, round by round: texts, calls, or an error to raise.

    `ScriptedModel(["Hello."])` answers at once; `[Called("1", "Get order", "{}"), "It is on its way."]`
    calls first. After the last round it repeats it. What it was asked stands in `prompts`.
    """

    name = "scripted"
    context = 128_000

    def __init__(self, rounds: Sequence[str | Called | Exception | Sequence[Piece]]) -> None:
        self.rounds, self.prompts = list(rounds), list[Prompt]()

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The next round."""
        said = self.rounds[min(len(self.prompts), len(self.rounds) - 1)]
        self.prompts.append(prompt)
        if isinstance(said, Exception):
            raise said
        pieces: Sequence[Piece] = (
            [Delta(said)] if isinstance(said, str) else [said] if isinstance(said, Called) else said
        )
        for piece in pieces:
            yield piece
        yield Spent(self.name, prompt_tokens=10, completion_tokens=5, cost=0.001)


class TestModels:
    """One model for every name; none where none is given."""

    __test__ = False

    def __init__(self, model: Model | None = None) -> None:
        self.model = model
        self.asked: list[str] = []

    def named(self, name: str, fallback: str | None, keys: Mapping[str, Mapping[str, str]]) -> Model | None:
        """The model."""
        self.asked.append(name)
        return self.model
