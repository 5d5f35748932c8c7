"""Conversations: what was said between a person and an agent, and who may speak next."""

from __future__ import annotations

import hmac
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from vivavoce.errors import Conflict, NotFound

from .crm import ConversationStatus, Priority, Tag
from .entities import Entity, Moment
from .values import JsonObject, Line, Name, Text, Unlisted, Value, without_nul

Channel = Literal[
    "api",
    "website",
    "dashboard",
    "form",
    "mail",
    "whatsapp",
    "telegram",
    "zapi",
    "zapperapi",
    "twilio",
    "instagram",
    "instagramDm",
    "mercadolivre",
    "mercadolivreDm",
    "chatbox",
    "internal_chats",
    "slack",
    "crisp",
    "zapier",
]
"""Where a conversation takes place."""

Author = Literal["human", "agent"]
Eval = Literal["good", "bad"]
Address = Annotated[Line, Field(max_length=320, pattern=r"^[^@\s]+@[^@\s]+$")]
"""An e-mail address."""

KEPT: tuple[Channel, ...] = ("api", "dashboard", "form")
"""Where nobody can be written to: what the team says there is kept as a note."""
FETCHED: tuple[Channel, ...] = ("website",)
"""Where people fetch what was said to them."""

MOST_VARIABLES = 200
"""How many facts a conversation keeps."""
MOST_TAGS = 100
"""How many tags a conversation has."""


def _without_slash(name: str) -> str:
    if "/" in name:
        raise ValueError("must not contain a slash")
    return name


VariableName = Annotated[Name, Field(max_length=20), AfterValidator(_without_slash)]
VariableValue = Annotated[str, Field(max_length=100), AfterValidator(without_nul)]


class Variable(Value):
    """A fact that was kept about a conversation."""

    value: VariableValue
    created_at: Moment
    updated_at: Moment


class Rating(Value):
    """How likely a person is to recommend what they met."""

    rating: Annotated[int, Field(ge=0, le=10)]
    comment: Text | None = None
    completed_at: Moment


class Conversation(Entity):
    """A conversation and the state it is in."""

    agent_id: str | None = None
    channel: Channel = "api"
    status: ConversationStatus = "UNRESOLVED"
    priority: Priority = "MEDIUM"
    is_ai_enabled: bool = True
    title: Name | None = None
    visitor_id: Line | None = None
    contact_id: str | None = None
    user_id: str | None = None
    assignee: Line | None = None
    """The address or the id of the person who looks after it."""
    tags: list[Tag] = []
    variables: dict[str, Variable] = {}
    metadata: JsonObject = {}
    summary: Text | None = None
    frustration: Annotated[float, Field(ge=0, le=1)] | None = None
    rating: Rating | None = None
    """What the person said of it in the end."""
    blocked: bool = False
    is_group: bool = False
    scenario_id: str | None = None
    step_id: str | None = None
    """The CRM step that it is in."""
    is_test: bool = False
    """Can never reach a person."""
    unread_messages_count: int = 0
    channel_external_id: Line | None = None
    channel_credentials_id: str | None = None
    form_id: str | None = None
    ctwa_attributions: list[JsonObject] = []
    """The ads through which the person came, newest last."""
    last_human_interaction_at: Moment | None = None
    tool_calls: dict[str, int] = {}
    """How often each tool was called, by its id."""
    opened_by_stranger: bool = False
    """Someone without a key chose its id and its visitor."""
    last_asked: int = 0
    """The place of the last message that an agent was asked to answer."""
    held_after: int = 0
    """Up to which place messages are a person's to answer: the AI does not answer them any more."""
    taken_over: int = 0
    """How often a person took over: what the AI said before and was not sent yet is not sent any more."""

    @property
    def is_for_ai(self) -> bool:
        """Whether the AI may still answer what it was asked last: nobody took over since, or is wanted."""
        is_silenced = self.blocked or not self.is_ai_enabled or self.status == "HUMAN_REQUESTED"
        return not is_silenced and self.last_asked > self.held_after

    def is_with(self, visitor_id: str | None) -> bool:
        """Whether this is the visitor whom it is with."""
        known = self.visitor_id or ""
        return bool(known) and hmac.compare_digest(known.encode(), (visitor_id or "").encode())

    def heard(self, at: datetime) -> Conversation:
        """The same after a message of the person: a resolved one is open again."""
        status = "UNRESOLVED" if self.status == "RESOLVED" else self.status
        return self.changed(
            at,
            status=status,
            unread_messages_count=self.unread_messages_count + 1,
            last_human_interaction_at=at,
        )

    def with_ai(self, at: datetime, *, enabled: bool) -> Conversation:
        """The same with the AI switched on or off; whatever it is saying now is not said."""
        return self.changed(at, is_ai_enabled=enabled, **({} if enabled else self._held()))

    def answered_by_team(self, at: datetime) -> Conversation:
        """The same after a person of the team spoke: what the AI began before is not said any more."""
        return self.changed(at, unread_messages_count=0, **self._held())

    def with_block(self, at: datetime, *, blocked: bool) -> Conversation:
        """The same with the person blocked or not; a blocked one is not answered, not even belatedly."""
        return self.changed(at, blocked=blocked, **(self._held() if blocked else {}))

    def asked(self, position: int, at: datetime) -> Conversation:
        """The same after a message at this place that an agent is to answer."""
        return self.changed(at, last_asked=position)

    def in_status(self, status: ConversationStatus, at: datetime) -> Conversation:
        """The same in another status; nothing is unread in a resolved one."""
        unread = 0 if status == "RESOLVED" else self.unread_messages_count
        held = self._held() if status == "HUMAN_REQUESTED" else {}
        return self.changed(at, status=status, unread_messages_count=unread, **held)

    def assigned(self, to: str, at: datetime, *, is_forced: bool) -> Conversation:
        """The same in the hands of someone; Conflict when someone else has it, unless it is forced."""
        if self.assignee not in (None, to) and not is_forced:
            raise Conflict(
                f"Conversation {self.id!r} is assigned to {self.assignee!r}.",
                hint="Call assign_conversation with force true to take it over.",
            )
        return self.changed(at, assignee=to)

    def tagged(self, tag: str, at: datetime) -> Conversation:
        """The same with one more tag."""
        if tag in self.tags:
            return self
        if len(self.tags) >= MOST_TAGS:
            raise Conflict(
                f"Conversation {self.id!r} has {MOST_TAGS} tags.",
                hint="Take one off with untag_conversation.",
            )
        return self.changed(at, tags=[*self.tags, tag])

    def untagged(self, tag: str, at: datetime) -> Conversation:
        """The same without a tag."""
        return self.changed(at, tags=[other for other in self.tags if other != tag])

    def variable(self, name: str) -> Variable:
        """The fact that is kept under a name."""
        if name not in self.variables:
            raise NotFound(
                f"Conversation {self.id!r} has no variable {name!r}.", hint="List them with list_variables."
            )
        return self.variables[name]

    def with_variable(self, name: str, value: str, at: datetime) -> Conversation:
        """The same with a fact kept, in place of an older one of that name."""
        known = self.variables.get(name)
        if known is None and len(self.variables) >= MOST_VARIABLES:
            raise Conflict(
                f"Conversation {self.id!r} keeps {MOST_VARIABLES} variables.",
                hint="Remove one with delete_variable.",
            )
        kept = Variable(value=value, created_at=at if known is None else known.created_at, updated_at=at)
        return self.changed(at, variables={**self.variables, name: kept})

    def without_variable(self, name: str, at: datetime) -> Conversation:
        """The same without a fact."""
        kept = {other: variable for other, variable in self.variables.items() if other != name}
        return self.changed(at, variables=kept)

    def _held(self) -> dict[str, Any]:
        """What changes when a person takes over: what was asked until now is theirs to answer."""
        return {"held_after": self.last_asked, "taken_over": self.taken_over + 1}


class Message(Entity):
    """One message of a conversation."""

    conversation_id: str
    position: Annotated[int, Unlisted] = 0
    """Its place in the conversation."""
    from_: Annotated[Author, Field(alias="from")]
    """Whether a person wrote it, the customer or someone of the team, or the agent."""
    text: str
    html: str | None = None
    sources: list[dict[str, Any]] | None = None
    usage: dict[str, Any] | None = None
    external_id: str | None = None
    user_id: str | None = None
    """Set where someone of the team wrote it."""
    contact_id: str | None = None
    visitor_id: str | None = None
    agent_id: str | None = None
    metadata: dict[str, Any] | None = None
    input_id: str | None = None
    """The message that this one answers."""
    eval: Eval | None = None
    read: bool = False
    agent_model: str | None = None
    usage_credits: float | None = None
    attachments: list[dict[str, Any]] = []
    by_stranger: bool = False
    """Whether who wrote it had no key."""


class Note(Entity):
    """What someone of the team wrote down about a conversation."""

    conversation_id: str
    note: Annotated[Text, Field(min_length=1, max_length=500)]
    is_private: bool = False
    is_justification: bool = False
    user_id: str | None = None
    user_email: str | None = None
    notification_date_time: Moment | None = None
    send_desktop_notification: bool = False


class TagKind(Entity):
    """A tag that conversations can have, with the colour that it is shown in."""

    name: Tag
    color: Annotated[Line, Field(max_length=40)] | None = None
