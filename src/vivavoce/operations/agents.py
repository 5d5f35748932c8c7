"""Operations on agents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from vivavoce.domain.agents import Agent, Budget, Handle, ModelName, Temperature, Visibility
from vivavoce.domain.hours import checked_hours
from vivavoce.domain.integrations import Channel
from vivavoce.domain.tools import Tool, ToolDraft
from vivavoce.domain.values import JsonObject, Line, Name, Text, unlisted

from .base import LEFT_OUT, Effect, Listing, Operation, Result, SchemaOf

AgentRef = Annotated[
    str,
    Field(
        min_length=1,
        max_length=65,
        pattern=r"^@?[A-Za-z0-9_-]+$",
        description="The agent's id, as list_agents shows it, or its @handle.",
    ),
]
Drafts = Annotated[list[ToolDraft], Field(max_length=100)]

InactiveHours = Annotated[
    Annotated[JsonObject, AfterValidator(checked_hours)] | None,
    unlisted("By channel and weekday, lists of {from, to} as HH:MM; timezone names their zone, else UTC."),
]
KeepsInactiveHours = Annotated[bool | None, unlisted("Whether it keeps silent in its inactive hours.")]
UserPrompt = Annotated[
    Text | None, unlisted("A template around what people write, with {query} and {context}.")
]
IconUrl = Annotated[Line | None, unlisted("The address of its picture.")]
IncludesSources = Annotated[bool, unlisted("Whether answers name their sources.")]
RestrictsKnowledge = Annotated[bool, unlisted("Whether it answers from its datastores only.")]
UsesMarkdown = Annotated[bool, unlisted("Whether it writes Markdown.")]
DetectsLanguage = Annotated[bool, unlisted("Whether it answers in the language of the question.")]
Hidden = Annotated[bool, unlisted("Whether lists leave it out.")]
MonthlyBudget = Annotated[Budget | None, unlisted("US dollars that it may cost in a month; null for any.")]
FallbackModelName = Annotated[ModelName | None, unlisted("The model that answers when the first one fails.")]

_READ_BACK = (
    "id ownerId organizationId organization formId createdAt updatedAt nbQueries prompt promptType "
    "alsoRemoved crmScenarioId crmStepId"
)


class AgentShown(Agent, Result):
    """An agent together with its tools."""

    tools: list[Tool] = []


class AgentList(Listing):
    """Agents, newest first."""

    agents: list[AgentShown]


class AgentDeleted(AgentShown):
    """The agent that was deleted, and how much went with it."""

    also_removed: Annotated[
        dict[str, int], Field(description="What went with it: how many tools, integrations, …")
    ]


class IntegrationSwitched(Result):
    """An integration after it was switched."""

    agent_id: str
    type: Channel
    enabled: bool
    status: str

    def wire(self) -> Any:
        """The sentence alone, as the wire has it."""
        return self.status

    @classmethod
    def wire_schema(cls, named: SchemaOf) -> dict[str, Any]:
        """A text."""
        return {"type": "string"}


class CreateAgent(
    Operation[AgentShown],
    effect=Effect.CREATE,
    route="POST /agents",
    echoes=_READ_BACK,
    is_open=True,
    rest_defaults={"name": "New agent", "description": "", "modelName": "gpt_4o_mini", "systemPrompt": ""},
):
    """Create an agent from a name, a model and the instructions it must follow.

    It answers nobody until it is asked with agent_query or an integration is enabled.
    """

    name: Annotated[Name, Field(description="What people call it.")]
    description: Annotated[Text, Field(description="What it is for and what it can do.")]
    model_name: Annotated[ModelName, Field(description="A model, as getDocumentation (models) lists them.")]
    system_prompt: Annotated[Text, Field(description="The instructions that set its role and behaviour.")]
    temperature: Annotated[
        Temperature, Field(description="0 for the same answer each time, up to 1 for variety.")
    ] = 0.0
    tools: Annotated[Drafts, Field(description="Tools to start with; the add…Tool tools add more.")] = []
    visibility: Annotated[Visibility, unlisted("Whether anyone may read and ask it without a key.")] = (
        "private"
    )
    handle: Annotated[Handle | None, unlisted("A unique short name.")] = None
    interface_config: Annotated[JsonObject, unlisted("Look of the chat window.")] = {}
    config_url_external: Annotated[
        JsonObject | None, unlisted("Where facts about a contact are fetched: {url, header}.")
    ] = None
    config_url_infos_system_external: Annotated[
        JsonObject | None, unlisted("Where events are sent: {url_webhook_external, headerKey}.")
    ] = None
    enable_inactive_hours: KeepsInactiveHours = None
    inactive_hours: InactiveHours = None
    user_prompt: UserPrompt = None
    icon_url: IconUrl = None
    include_sources: IncludesSources = True
    restrict_knowledge: RestrictsKnowledge = True
    use_markdown: UsesMarkdown = True
    use_language_detection: DetectsLanguage = True
    hidden: Hidden = False
    monthly_budget: MonthlyBudget = None
    fallback_model_name: FallbackModelName = None


class UpdateAgent(
    Operation[AgentShown],
    effect=Effect.CHANGE,
    route="PATCH /agents/{id}",
    echoes=_READ_BACK,
    is_open=True,
):
    """Change some fields of an agent. Fields that are not given stay as they are.

    The three config objects are replaced whole. To change tools, use the tools made for it.
    """

    id: AgentRef
    name: Annotated[Name, Field(description="A new name.")] = LEFT_OUT
    description: Annotated[Text | None, Field(description="A new description.")] = None
    model_name: Annotated[
        ModelName, Field(description="A new model, as getDocumentation (models) lists them.")
    ] = LEFT_OUT
    temperature: Annotated[Temperature, Field(description="0 (fixed) to 1 (varied).")] = LEFT_OUT
    system_prompt: Annotated[Text | None, Field(description="New instructions.")] = None
    visibility: Annotated[
        Visibility, Field(description="public: anyone may read and ask it without a key.")
    ] = LEFT_OUT
    handle: Annotated[Handle | None, Field(description="A unique short name; null removes it.")] = None
    interface_config: Annotated[
        JsonObject | None, Field(description="Look of the chat window; replaces the whole object.")
    ] = None
    config_url_external: Annotated[
        JsonObject | None,
        Field(description="Where facts about a contact are fetched: {url, header}; replaced whole."),
    ] = None
    config_url_infos_system_external: Annotated[
        JsonObject | None,
        Field(description="Where events are sent: {url_webhook_external, headerKey}; replaced whole."),
    ] = None
    tools: Annotated[
        Drafts | None,
        unlisted("The final state of its tools: known ids are changed, others added, missing ones removed."),
    ] = None
    enable_inactive_hours: KeepsInactiveHours = None
    inactive_hours: InactiveHours = None
    user_prompt: UserPrompt = None
    icon_url: IconUrl = None
    include_sources: IncludesSources = LEFT_OUT
    restrict_knowledge: Annotated[bool | None, unlisted("Whether it answers from its datastores only.")] = (
        None
    )
    use_markdown: UsesMarkdown = LEFT_OUT
    use_language_detection: DetectsLanguage = LEFT_OUT
    hidden: Hidden = LEFT_OUT
    monthly_budget: MonthlyBudget = None
    fallback_model_name: FallbackModelName = None


class DeleteAgent(
    Operation[AgentDeleted],
    effect=Effect.DELETE,
    route="DELETE /agents/{id}",
    takes_along="its tools, its integrations, its channels, its access lists, its conversations "
    "and its place in CRM steps",
):
    """Delete an agent together with its tools, integrations, channels and conversations.

    CRM steps that named it stay and name no agent any more. This cannot be undone.
    """

    id: AgentRef


class ListAgents(Operation[AgentList], effect=Effect.READ, route="GET /agents"):
    """List the agents, newest first, with the id and type of each tool."""

    limit: Annotated[
        int | None, Field(ge=1, le=100_000, description="How many at most; all when left out.")
    ] = None
    offset: Annotated[int, Field(ge=0, le=2**53, description="How many to pass over.")] = 0


class GetAgent(Operation[AgentShown], effect=Effect.READ, route="GET /agents/{id}", anonymous=True):
    """Show one agent with its settings and tools. Secrets appear as ********."""

    id: AgentRef


class EnableDisableAgentIntegration(
    Operation[IntegrationSwitched],
    effect=Effect.CHANGE,
    route="PATCH /agents/{id}/webhook",
    arguments="query",
):
    """Switch a channel of an agent on or off.

    While a channel is on, the agent answers what arrives there, once the channel has credentials.
    """

    id: AgentRef
    type: Annotated[Channel, Field(description="Which channel.")]
    enabled: Annotated[bool, Field(description="true switches it on, false off.")]
