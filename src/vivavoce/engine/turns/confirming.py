"""Confirming: would the model make the same call if it read only what the operator and the person wrote?"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Any

from vivavoce.domain.conversations import Message
from vivavoce.domain.http.http_arguments import read_arguments
from vivavoce.domain.policy import Trust, agreed, vouched
from vivavoce.errors import InvalidInput, VivavoceError
from vivavoce.ports import Again, Called, Model, Offered, Prompt, Spent

from .assembling import Scene, prompt_for

_ONLY_IF_ASKED = "Call the tool if the person asks for what it does. Otherwise answer in a few words."


@dataclass
class Confirming:
    """Asks the model again, with no text from outside before it."""

    scene: Scene
    model: Model
    spent: list[Spent] = field(default_factory=list)
    """What asking again has cost."""
    done_until: int = 0
    """Up to this place of the conversation, what the person asked for is done and vouches no more."""

    def trust_in(self, prompt: Prompt) -> Trust:
        """Whose words a prompt holds: only the operator's and the person's where it is the plain one."""
        if not self.scene.is_trusted:
            return Trust.STRANGER
        if prompt.passages or prompt.files or prompt.enclosed or prompt.pictures:
            return Trust.MIXED
        if all(tool.type != "http" for tool in self.scene.tools):
            return Trust.MIXED
        plain = self.prompt()
        parts = (prompt.instructions, prompt.question, prompt.history)
        return Trust.OWN if parts == (plain.instructions, plain.question, plain.history) else Trust.MIXED

    async def confirmed(self, tool: Offered, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """The arguments of the same call, made from trusted words alone; None where it is not made."""
        calls: list[Called] = []
        prompt = replace(self.prompt(), tools=(tool,))
        prompt = replace(prompt, instructions=f"{prompt.instructions}\n\n{_ONLY_IF_ASKED}")
        try:
            async with aclosing(self.model.answer(prompt)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Called):
                        calls.append(piece)
                    elif isinstance(piece, Spent):
                        self.spent.append(piece)
                    elif isinstance(piece, Again):
                        calls.clear()
        except VivavoceError:
            return None
        for call in calls:
            if call.name == tool.name:
                try:
                    again = read_arguments(call.arguments, tool.parameters)
                except InvalidInput:
                    continue
                if agreed(arguments, again):
                    return again
        return None

    def prompt(self) -> Prompt:
        """The plain prompt: the operator's instructions and the person's own messages, and nothing else."""
        scene = replace(
            self.scene,
            history=tuple(
                message.model_copy(update={"attachments": []})
                for message in self.scene.history
                if self._is_own(message)
            ),
            query=self.scene.query.model_copy(update={"context": None, "attachments": [], "images": []}),
            variables=vouched(self.scene.variables),
            enclosures=(),
        )
        return prompt_for(scene, (), (), self.model.context)

    def _is_own(self, message: Message) -> bool:
        is_known = message.from_ == "human" and not message.by_stranger
        return is_known and message.position > self.done_until
