"""Running operations: who asks, who is told meanwhile, and what carries them out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

from vivavoce.domain.keys import Scope
from vivavoce.domain.values import Value
from vivavoce.errors import NotAllowed, NotAuthenticated, VivavoceError

from .base import Operation, R, Spec


class Caller(Value):
    """Who asks, and what they may do."""

    id: str = ""
    """Tells callers apart: the id of their key. Two keys may have the same name."""
    name: str
    scopes: frozenset[Scope]
    is_anonymous: bool = False
    avatar_id: str | None = None
    """The one avatar that the key is for; None where it is for everything."""
    is_agent: bool = False
    """Whether it is an agent, which asks with the tools that it was given."""
    is_hurried: bool = False
    """Whether it gives up when an answer takes longer than a call should, as MCP clients do."""

    def hurried(self) -> Caller:
        """The same, who does not wait for long."""
        return self.model_copy(update={"is_hurried": True})

    def check(self, spec: Spec) -> None:
        """Refuse an operation that this caller may not ask for, whatever its arguments are."""
        refusal = self._refusal(spec)
        if refusal is not None:
            raise refusal

    def may(self, spec: Spec) -> bool:
        """Whether this caller may ask for an operation at all."""
        return self._refusal(spec) is None

    def check_avatar(self, avatar_id: str | None) -> None:
        """Refuse what is asked of anything but the avatar that the key is for."""
        if self.avatar_id not in (None, avatar_id):
            raise NotAllowed(
                f"The key {self.name!r} is for the avatar {self.avatar_id!r} alone.",
                hint="Use a key that is for everything; vivavoce keys create makes one.",
            )

    def _refusal(self, spec: Spec) -> VivavoceError | None:
        if self.avatar_id is not None and not spec.is_of_avatar:
            return NotAllowed(
                f"The key {self.name!r} is for the avatar {self.avatar_id!r} alone, and {spec.name} is not "
                "asked of it.",
                hint="Use a key that is for everything; vivavoce keys create makes one.",
            )
        if spec.scope in self.scopes or (self.is_anonymous and spec.anonymous):
            return None
        if self.is_anonymous:
            return NotAuthenticated(f"{spec.name} needs a valid API key.", hint="Send it as a bearer token.")
        return NotAllowed(
            f"The key {self.name!r} lacks the scope {spec.scope} that {spec.name} needs.",
            hint="Use a key that has it; vivavoce keys create makes one.",
        )


OPERATOR = Caller(id="operator", name="operator", scopes=frozenset(Scope))
"""The person at the machine: the command line and the stdio server."""

STRANGER = Caller(id="anonymous", name="anonymous", scopes=frozenset(), is_anonymous=True)
"""A caller without a key."""


class Told(NamedTuple):
    """What is told of an operation while it runs."""

    kind: Literal["answer", "cite", "tool_call", "queued"]
    """`answer`: the next piece of the answer; `cite`: the number of the source that the last words rest on;
    `tool_call`: a call as JSON; `queued`: the message is stored and waits, for earlier ones or for more."""
    text: str


Hear = Callable[[Told], None]
"""Who wants to be told while an operation runs. It must return at once."""


class Backend(Protocol):
    """Something that carries out operations: the engine, or the hosted service."""

    async def run(self, op: Operation[R], caller: Caller, hear: Hear | None = None) -> R:
        """Carry out `op` for `caller`; `hear` is told what happens meanwhile."""
        ...

    def supports(self, kind: type[Operation[Any]]) -> bool:
        """Whether this backend can carry out operations of this kind."""
        ...
