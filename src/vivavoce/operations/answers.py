"""Asking an agent: the query, its answer and what the answer rests on."""

from __future__ import annotations

from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from vivavoce.domain.agents import ModelName, Temperature
from vivavoce.domain.conversations import Channel
from vivavoce.domain.entities import Moment
from vivavoce.domain.http.addresses import checked_address
from vivavoce.domain.values import TEXT, Id, JsonObject, Line, Text, Value, unlisted, without_nul

from .agents import AgentRef
from .base import Effect, Listing, Operation, Result
from .cursors import a_place

T = TypeVar("T")
Question = Annotated[str, Field(min_length=1, max_length=TEXT), AfterValidator(without_nul)]
Penalty = Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False)]
Given = Annotated[T | None, BeforeValidator(lambda given: None if given == "" else given)]
"""A value that clients also send empty, which is as good as none."""
Many = Annotated[list[T], BeforeValidator(lambda given: [] if given is None else given)]
"""A list that clients also send as null."""


class QueryFilters(Value):
    """Which of the agent's knowledge a query may use."""

    model_config = ConfigDict(extra="ignore")

    custom_ids: Annotated[Many[Line], Field(alias="custom_ids", max_length=100)] = []
    datasource_ids: Annotated[Many[Id], Field(alias="datasource_ids", max_length=1_000)] = []
    datastore_ids: Annotated[Many[Id], Field(alias="datastore_ids", max_length=100)] = []
    tags: Annotated[Many[Line], Field(max_length=100)] = []


class QueryContact(Value):
    """Who is asking."""

    model_config = ConfigDict(extra="ignore")

    first_name: Annotated[Line, Field(max_length=200)] | None = None
    last_name: Annotated[Line, Field(max_length=200)] | None = None
    email: Annotated[Line, Field(max_length=320)] | None = None
    phone_number: Annotated[Line, Field(max_length=40)] | None = None
    user_id: Annotated[Line, Field(max_length=200)] | None = None


class Attachment(Value):
    """A file that came with a message."""

    model_config = ConfigDict(extra="ignore")

    name: Line
    url: Line
    size: Annotated[int, Field(ge=0, le=2**53)] | None = None
    mime_type: Line | None = None


class AnswerSource(Result):
    """A passage that the answer rests on, in both published shapes of the wire, and where it stands."""

    text: str
    score: float
    source: str | None = None
    datasource_id: Annotated[str, Field(alias="datasource_id")]
    datasource_name: Annotated[str, Field(alias="datasource_name")]
    datasource_type: Annotated[str, Field(alias="datasource_type")]
    source_url: Annotated[str | None, Field(alias="source_url")] = None
    mime_type: Annotated[str | None, Field(alias="mime_type")] = None
    page_number: Annotated[int | None, Field(alias="page_number")] = None
    total_pages: Annotated[int | None, Field(alias="total_pages")] = None
    custom_id: Annotated[str | None, Field(alias="custom_id")] = None
    tags: list[str] = []
    chunk_id: Annotated[str, Field(alias="chunk_id")]
    number: Annotated[int, Field(description="How the answer's citations name it.")]
    page: Annotated[str | None, Field(description="The page as it is printed.")] = None
    quote: Annotated[str | None, Field(description="The words that the answer rests on, verbatim.")] = None
    document_id: str
    start: Annotated[int, Field(description="Where the quote begins in the document.")]
    end: Annotated[int, Field(description="Where it ends.")]


class Usage(Result):
    """What an answer cost."""

    completion_tokens: int = 0
    prompt_tokens: int = 0
    total_tokens: int = 0
    cost: float | None = None


class ApprovalAsked(Result):
    """A call that waits for an operator."""

    id: str
    tool: str
    payload: dict[str, Any]


class AgentAnswer(Result):
    """What an agent said. Without `answer`, the message was stored and the AI keeps silent."""

    answer: str | None = None
    conversation_id: str
    visitor_id: str
    message_id: str | None = None
    sources: list[AnswerSource] = []
    metadata: dict[str, Any] = {}
    usage: Usage | None = None
    approvals: list[ApprovalAsked] = []

    def wire(self) -> Any:
        """What there is, each source and the usage with all of their keys.

        Without an answer, the ids alone, as the wire has it, and how to fetch it later.
        """
        if self.answer is None:
            ids = {"conversationId": self.conversation_id, "visitorId": self.visitor_id}
            later = {} if self.message_id is None else {"messageId": self.message_id}
            return {**ids, **later, **({"metadata": self.metadata} if later else {})}
        whole = self.model_dump(mode="json")
        return {name: value for name, value in whole.items() if value is not None}


class FetchedAnswer(AgentAnswer):
    """An answer that was asked for before. Without `answer`, metadata.reason says why."""

    def wire(self) -> Any:
        """What there is; without an answer, why."""
        told = super().wire()
        return told if self.answer is not None else {**told, "metadata": self.metadata}


class AgentQuery(
    Operation[AgentAnswer],
    effect=Effect.SEND,
    toolset="agents",
    route="POST /agents/{id}/query",
    anonymous=True,
    echoes="promptTemplate promptType attachmentsForAI toolsConfig formId truncateQuery",
    is_open=True,
):
    """Send a message to an agent and get its answer, with the sources it rests on.

    Without an answer, the message is stored and metadata.reason says why; with a messageId beside it, the
    answer takes longer: fetch it with get_answer. With approvals, an operator decides first on the call that
    waits.
    """

    id: AgentRef
    query: Annotated[Question, Field(description="The question or command.")]
    conversation_id: Annotated[
        Given[Id], Field(description="Of an earlier answer, to go on with it; left out, a new one begins.")
    ] = None
    streaming: Annotated[bool, unlisted("Whether REST answers with a stream of events.")] = False
    contact_id: Annotated[Given[Id], unlisted("A contact who is known.")] = None
    contact: Annotated[QueryContact | None, unlisted("Who is asking.")] = None
    visitor_id: Annotated[
        Given[Annotated[Line, Field(max_length=200)]],
        unlisted("The visitor; a new one is made when left out."),
    ] = None
    temperature: Annotated[Temperature | None, unlisted("For this query alone.")] = None
    presence_penalty: Annotated[Penalty | None, unlisted("For this query alone.")] = None
    frequency_penalty: Annotated[Penalty | None, unlisted("For this query alone.")] = None
    top_p: Annotated[
        Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None, unlisted("For this query alone.")
    ] = None
    max_tokens: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000)] | None, unlisted("For this query alone.")
    ] = None
    model_name: Annotated[Given[ModelName], unlisted("Another model, for this query alone.")] = None
    system_prompt: Annotated[Text | None, unlisted("Other instructions, for this query alone.")] = None
    user_prompt: Annotated[Text | None, unlisted("Another template, for this query alone.")] = None
    filters: Annotated[QueryFilters | None, unlisted("Which knowledge may be used.")] = None
    context: Annotated[JsonObject | Text | None, unlisted("More for the model to know, as data.")] = None
    callback_url: Annotated[
        Given[Annotated[Line, AfterValidator(checked_address)]],
        Field(alias="callbackURL"),
        unlisted("Where the answer is sent; the call itself answers at once."),
    ] = None
    channel: Annotated[Given[Channel], unlisted("Where the message comes from.")] = None
    attachments: Annotated[
        Annotated[Many[Attachment], Field(max_length=20)],
        unlisted("Files that came with it; their text is read."),
    ] = []
    images: Annotated[
        Annotated[Many[Line], Field(max_length=20)],
        unlisted("Addresses of pictures that the model is shown."),
    ] = []
    is_draft: Annotated[bool, unlisted("Answer without storing anything.")] = False
    is_test: Annotated[
        bool,
        unlisted("Mark a new conversation so that it can never reach a person; refused in a real one."),
    ] = False
    is_aside: Annotated[
        bool, unlisted("Where the conversation is another agent's, answer beside it, in one of its own.")
    ] = False

    @model_validator(mode="after")
    def _one_way_back(self) -> Self:
        if self.streaming and self.callback_url is not None:
            raise ValueError("streaming and callbackURL exclude each other")
        return self

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.query.strip() and not self.attachments and not self.images:
            raise ValueError("query: must not be blank, unless a file comes with it")
        return self


class GetAnswer(
    Operation[FetchedAnswer],
    effect=Effect.READ,
    toolset="agents",
    route="GET /messages/{messageId}/answer",
    anonymous=True,
):
    """Fetch an answer that agent_query could not wait for.

    Without one, metadata.reason says why, and messageId what to fetch next.
    """

    message_id: Annotated[Id, Field(description="The messageId that agent_query gave.")]
    visitor_id: Annotated[
        Annotated[Line, Field(max_length=200)] | None,
        unlisted("Who asks, where no key is sent: the visitorId that the first answer had."),
    ] = None


class FailedAnswer(Result):
    """A message that was not answered: that failed for good, or its process ended in its midst."""

    id: Annotated[str, Field(description="The turn's id, for cursor.")]
    message_id: str
    conversation_id: str
    agent_id: str
    reason: Annotated[str, Field(description="Why, in words.")]
    created_at: Annotated[Moment, Field(description="When it was asked.")]
    failed_at: Moment


class FailedAnswerList(Listing):
    """Messages that were not answered, newest first."""

    answers: list[FailedAnswer]


class ListFailedAnswers(
    Operation[FailedAnswerList],
    effect=Effect.READ,
    toolset="conversations",
    route="GET /failed-answers",
    offer="extra",
):
    """List messages whose answer failed for good, or whose process ended before it was given.

    Messages whose caller went away are not among them. Try one again with retry_answer. For the next page,
    repeat the call with cursor made from the last row of this one.
    """

    limit: Annotated[int, Field(ge=1, le=100, description="How many.")] = 25
    cursor: Annotated[
        Annotated[str, Field(max_length=500), AfterValidator(a_place)] | None,
        Field(
            description='Where to go on, as JSON text: {"lastCreatedAt": createdAt of the last row, '
            '"lastId": its id}.'
        ),
    ] = None


class RetryAnswer(
    Operation[AgentAnswer],
    effect=Effect.SEND,
    toolset="conversations",
    route="POST /messages/{messageId}/answer/retry",
    offer="extra",
):
    """Try again to answer a message whose answer failed or was interrupted. Fetch the answer with get_answer.

    On a channel it is sent to the person. Calls of tools that were made before are not made again. Where a
    person of the team took over since, the agent keeps silent.
    """

    message_id: Annotated[Id, Field(description="The messageId, as list_failed_answers shows it.")]
