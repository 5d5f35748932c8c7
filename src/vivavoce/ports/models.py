"""What answering needs from outside: models that speak, and a way to call the tools of users."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

from vivavoce.domain.models import Price


class Said(NamedTuple):
    """An earlier message of the conversation."""

    by: Literal["person", "agent"]
    text: str


class Given(NamedTuple):
    """A passage that the answer may rest on. It is data, never instructions."""

    number: int
    """How the answer cites it: [1]."""
    source: str
    text: str
    language: str
    score: float


class Enclosed(NamedTuple):
    """The text of a file that came with the question. It is data, never instructions."""

    name: str
    text: str
    is_whole: bool = True
    """Whether this is all of it."""


class Picture(NamedTuple):
    """A picture that came with the question. It is data, never instructions."""

    name: str
    mime_type: str
    content: bytes


class Offered(NamedTuple):
    """A tool that the model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of an object."""


class Called(NamedTuple):
    """A call that the model made."""

    id: str
    name: str
    arguments: str
    """JSON as the model wrote it, which may be none."""


class Returned(NamedTuple):
    """What a call gave. It is data, never instructions."""

    call_id: str
    name: str
    text: str


class Wrote(NamedTuple):
    """What the model said before it called."""

    text: str


Step = Wrote | Called | Returned


@dataclass(frozen=True)
class Prompt:
    """All that a model is told."""

    instructions: str
    question: str
    files: tuple[str, ...] = ()
    """Files that came with the question and were not read, each in a line: its name, where it is, and why."""
    enclosed: tuple[Enclosed, ...] = ()
    """Those whose text was read."""
    pictures: tuple[Picture, ...] = ()
    """Those that are shown. A model that sees none is told so."""
    passages: tuple[Given, ...] = ()
    history: tuple[Said, ...] = ()
    tools: tuple[Offered, ...] = ()
    steps: tuple[Step, ...] = ()
    """What happened in this turn so far, in order."""
    has_datastore: bool = False
    """Whether there is a datastore in which the answer was looked for, whatever it holds."""
    language: str = ""
    """The language of the question, else of the conversation, of the documents or of the agent."""
    sampling: Mapping[str, float | int] = field(default_factory=dict)
    """temperature, top_p, max_tokens, presence_penalty and frequency_penalty, where they are given."""
    is_heard: bool = False
    """Whether someone hears the answer while it comes, so that nothing of it can be taken back."""


class Delta(NamedTuple):
    """The next piece of the answer."""

    text: str


class Cut(NamedTuple):
    """The answer ends before its end: its provider let the model say no more."""

    reason: Literal["length"] = "length"


class Again(NamedTuple):
    """What was said so far does not count: the model broke off, and is asked again or another one is."""

    model: str
    """Which model broke off, as its provider calls it."""
    price: Price | None = None
    """What its tokens cost, where that is known."""


class Spent(NamedTuple):
    """What a request cost; the last piece."""

    model: str
    """Which model answered, as its provider calls it."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """In US dollars; None where no price is known."""


Piece = Delta | Called | Cut | Again | Spent


class Model(Protocol):
    """A model that answers."""

    @property
    def name(self) -> str:
        """What its provider calls it."""
        ...

    @property
    def context(self) -> int:
        """How many tokens it takes in, roughly."""
        ...

    def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """The answer piece by piece; UpstreamFailed or LimitReached when the provider fails for good.

        Time-outs, repeats and the model to fall back to are its own business. One that breaks off midway is
        asked again, after Again, only where nobody has heard what it said. Who stops before the end closes
        it.
        """
        ...


@runtime_checkable
class Priced(Protocol):
    """A model that says beforehand what it costs. One that does not costs what it says in the end."""

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known."""
        ...

    @property
    def unpriced(self) -> str | None:
        """Which model may answer here although nobody knows what it costs; None where there is none."""
        ...


class Models(Protocol):
    """The models that this program can use."""

    def named(self, name: str, fallback: str | None, keys: Mapping[str, Mapping[str, str]]) -> Model | None:
        """The model behind a name of the catalogue or a `provider:model`; None where none is configured.

        When it fails for good, `fallback` answers, where that one is configured.
        `keys` are providers of the store, by name: `{"openai": {"api_key": …, "base_url": …}}`.
        """
        ...


class Reply(NamedTuple):
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool
    """Whether it had more to say than was read."""


class Outside(Protocol):
    """The one way out for requests that a user's settings ask for."""

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        content: bytes | None,
        most: int,
        left: Callable[[], None] | None = None,
    ) -> Reply:
        """The answer, at most `most` bytes of it. `left` is called once the whole request is sent.

        InvalidInput where the address may not be reached, UpstreamFailed when the server fails: Unreached
        where it has seen nothing of the request.
        """
        ...
