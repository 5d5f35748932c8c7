"""Operations on messages: read them, write as the team, and see how an answer came about."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from vivavoce.domain.conversations import Author, Channel, Eval
from vivavoce.domain.values import Id, Line, Text, unlisted

from .agents import AgentRef
from .answers import Attachment, Many
from .base import Effect, Operation
from .conversation_results import MessagePage, MessageShown, MessageStored, TurnTrace
from .conversations import ConversationId, VisitorId

MessageId = Annotated[Id, Field(description="The message's id, as list_messages shows it.")]


class ListMessages(
    Operation[MessagePage],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /conversation/{conversationId}/messages/{count}",
    also=("GET /conversation/{conversationId}/messages",),
    offer="extra",
    rest_defaults={"count": 2},
):
    """Show the last messages of a conversation, oldest first.

    `from` is human for the person and for the team alike; where someone of the team wrote, userId is set.
    """

    conversation_id: ConversationId
    count: Annotated[int, Field(ge=1, le=10_000, description="How many.")]


class GetMessage(
    Operation[MessageShown],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /messages/{messageId}",
    offer="extra",
):
    """Show one message, with the sources of an answer."""

    message_id: MessageId
    include_sources: Annotated[bool, Field(description="Whether its sources are shown.")] = True


class GetTurnTrace(
    Operation[TurnTrace],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /messages/{messageId}/trace",
    offer="extra",
):
    """Show how an answer came about, or why there is none: for a message of the person or of the agent.

    The model, the system prompt, the messages and passages that it was given with their scores, citations
    that did not hold, the calls of tools with secrets as markers, tokens, cost and times.
    """

    message_id: MessageId


class SendMessage(
    Operation[MessageStored],
    effect=Effect.SEND,
    toolset="conversations",
    route="POST /conversation/message/{type}/{value}",
    offer="extra",
):
    """Write to a person as someone of the team.

    Name the conversation by its id, or by the person's phone or email together with agentId and channel.
    On a website the person sees it; on api, dashboard and form it is only kept. The AI stays as it is
    switched, but an answer that it is still writing is not given.
    """

    type: Annotated[
        Literal["conversationId", "phone", "email"], Field(description="What the conversation is named by.")
    ]
    value: Annotated[
        Annotated[Line, Field(min_length=1, max_length=320)],
        Field(description="The conversation's id, the phone number or the e-mail address."),
    ]
    message: Annotated[Text, Field(min_length=1, description="What to write.")]
    agent_id: Annotated[
        AgentRef | None, Field(description="For phone and email: whose conversation, by id or @handle.")
    ] = None
    channel: Annotated[
        Channel | None,
        Field(description="For phone and email: on which channel. Else the conversation's own is used."),
    ] = None
    attachments: Annotated[
        Annotated[list[Attachment], Field(max_length=20)], unlisted("Files that go with it.")
    ] = []
    visitor_id: Annotated[
        Annotated[Line, Field(max_length=200)] | None, unlisted("Kept with the message.")
    ] = None
    contact_id: Annotated[Id | None, unlisted("Kept with the message.")] = None

    @model_validator(mode="after")
    def _one_conversation(self) -> Self:
        if self.type != "conversationId" and (self.agent_id is None or self.channel is None):
            raise ValueError("agentId and channel are required with phone and email")
        return self


class RegisterMessage(
    Operation[MessageStored],
    effect=Effect.CREATE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/message-register",
    offer="extra",
):
    """Store a message that was said elsewhere. It is sent to nobody, and the AI does not answer it."""

    conversation_id: ConversationId
    message: Annotated[Text, Field(min_length=1, description="What was said.")]
    author: Annotated[Author, Field(alias="from", description="Who said it: the person, or the agent.")] = (
        "human"
    )


class ReceiveMessage(
    Operation[MessageShown],
    effect=Effect.CREATE,
    toolset="conversations",
    route="POST /conversations/{conversationId}/message",
    offer="never",
    anonymous=True,
    echoes="channel from",
):
    """Store a message of the person, as a chat window does while the AI is off. The AI does not answer it.

    Without a key it needs the visitorId of a conversation with a public agent.
    """

    conversation_id: ConversationId
    message: Annotated[Text, Field(min_length=1, description="What the person says.")]
    attachments: Annotated[
        Annotated[Many[Attachment], Field(max_length=20)], Field(description="Files that go with it.")
    ] = []
    visitor_id: VisitorId = None
    contact_id: Annotated[Id | None, unlisted("Who says it, where a key is sent.")] = None


class RateAnswer(
    Operation[MessageShown],
    effect=Effect.CHANGE,
    toolset="conversations",
    route="POST /conversations/eval-answer",
    offer="extra",
    anonymous=True,
):
    """Say whether an answer of an agent was good or bad."""

    message_id: MessageId
    eval: Annotated[Eval | None, Field(description="good or bad; null takes it back.")]
    visitor_id: VisitorId = None
