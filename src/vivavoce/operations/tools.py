"""Operations on the tools of an agent."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from vivavoce.domain.http.http_tools import HttpConfig
from vivavoce.domain.tools import LONGEST_DELAY, DelayConfig, FollowUpConfig, Tool, ToolDraft, ToolType
from vivavoce.domain.values import Id, JsonObject, Value, unlisted

from .agents import AgentRef
from .base import Effect, Listing, Operation, R, Result

ToolId = Annotated[Id, Field(description="The tool's id, as list_agent_tools shows it.")]
_READ_BACK = "id agentId organizationId createdAt updatedAt datastore form serviceProvider"


class ToolShown(Tool, Result):
    """A tool of an agent."""


class ToolList(Listing):
    """The tools of an agent, in the order in which they were added."""

    tools: list[ToolShown]


class ToolRemoved(Result):
    """The tool that was removed."""

    success: bool = True
    tool: ToolShown


class AddsTool(Operation[R]):
    """An operation that adds one kind of tool to an agent."""

    tool_type: ClassVar[ToolType]

    agent_id: AgentRef

    def draft(self) -> ToolDraft:
        """The tool that is wanted."""
        return ToolDraft.model_validate({"type": self.tool_type, **self.tool_fields()})

    def tool_fields(self) -> dict[str, Any]:
        """The fields of the tool beside its type."""
        config = getattr(self, "config", None)
        return {"config": config.model_dump(mode="json")} if isinstance(config, Value) else {}


class AddHttpTool(AddsTool[ToolShown], effect=Effect.CREATE, name="addHttpTool", aliases=("add_http_tool",)):
    """Let an agent call an HTTP API: address, method, headers and parameters in one step.

    Use it to look things up or act in another system. Each {x} or :x in the url needs an entry in
    pathVariables. getDocumentation (http_tools) has ready-made templates.
    """

    tool_type = "http"

    config: Annotated[HttpConfig, Field(description="The request.")]


class AddDatastoreTool(
    AddsTool[ToolShown], effect=Effect.CREATE, name="addDatastoreTool", aliases=("add_datastore_tool",)
):
    """Let an agent answer from a datastore."""

    tool_type = "datastore"

    datastore_id: Annotated[Id, Field(description="The datastore's id, as list_datastores shows it.")]

    def tool_fields(self) -> dict[str, Any]:
        """The datastore it names."""
        return {"datastore_id": self.datastore_id}


class AddDelayedResponsesTool(
    AddsTool[ToolShown],
    effect=Effect.CREATE,
    name="addDelayedResponsesTool",
    aliases=("add_delayed_responses_tool",),
):
    """Let an agent wait before it answers, so that messages sent in a row are answered together."""

    tool_type = "delayed_responses"

    delay: Annotated[int, Field(ge=6, le=LONGEST_DELAY, description="Seconds to wait, 6 or more.")]

    def tool_fields(self) -> dict[str, Any]:
        """The delay as the tool's settings."""
        return {"config": DelayConfig(delay=self.delay).model_dump(mode="json")}


class AddRequestHumanTool(
    AddsTool[ToolShown],
    effect=Effect.CREATE,
    name="addRequestHumanTool",
    aliases=("add_request_human_tool",),
):
    """Let an agent hand a conversation over to a person."""

    tool_type = "request_human"


class AddMarkAsResolvedTool(
    AddsTool[ToolShown],
    effect=Effect.CREATE,
    name="addMarkAsResolvedTool",
    aliases=("add_mark_as_resolved_tool",),
):
    """Let an agent mark a conversation as resolved."""

    tool_type = "mark_as_resolved"


class AddFollowUpMessagesTool(
    AddsTool[ToolShown],
    effect=Effect.CREATE,
    name="addFollowUpMessagesTool",
    aliases=("add_follow_up_messages_tool",),
):
    """Let an agent write again when the contact has gone silent."""

    tool_type = "follow_up_messages"

    config: Annotated[FollowUpConfig, Field(description="What is sent, how often, how far apart.")]


class AddAgentTool(
    Operation[ToolShown],
    effect=Effect.CREATE,
    route="POST /agents/{agentId}/tools 201",
    offer="never",
    echoes="id organizationId createdAt updatedAt datastore form serviceProvider",
):
    """Add a tool of any kind to an agent."""

    agent_id: AgentRef
    type: Annotated[ToolType, Field(description="What kind of tool.")]
    config: Annotated[JsonObject | None, Field(description="Its settings, by type.")] = None
    datastore_id: Annotated[Id | None, Field(description="For a datastore tool.")] = None
    form_id: Annotated[Id | None, Field(description="For a form tool.")] = None
    service_provider_id: Annotated[Id | None, Field(description="Kept as it is.")] = None
    is_raw: Annotated[bool, Field(description="Whether an HTTP tool was written in raw mode.")] = False


class ListAgentTools(Operation[ToolList], effect=Effect.READ, route="GET /agents/{agentId}/tools"):
    """List the tools of an agent with their settings. Secrets appear as ********."""

    agent_id: AgentRef


class GetAgentTool(
    Operation[ToolShown], effect=Effect.READ, route="GET /agents/{agentId}/tools/{toolId}", offer="extra"
):
    """Show one tool of an agent with its settings."""

    agent_id: AgentRef
    tool_id: ToolId


class UpdateAgentTool(
    Operation[ToolShown],
    effect=Effect.CHANGE,
    route="PATCH /agents/{agentId}/tools/{toolId}",
    echoes=_READ_BACK,
):
    """Change the settings of an agent's tool. Its kind stays; a config given is the new whole config.

    A secret shown as ******** keeps its value when ******** is written back.
    """

    agent_id: AgentRef
    tool_id: ToolId
    config: Annotated[JsonObject | None, Field(description="The new settings, in the tool's shape.")] = None
    datastore_id: Annotated[Id | None, Field(description="Another datastore, for a datastore tool.")] = None
    type: Annotated[ToolType | None, unlisted("Its kind, which cannot change.")] = None
    form_id: Annotated[Id | None, unlisted("Another form, for a form tool.")] = None
    service_provider_id: Annotated[Id | None, unlisted("Kept as it is.")] = None
    is_raw: Annotated[bool | None, unlisted("Whether an HTTP tool was written in raw mode.")] = None


class RemoveAgentTool(
    Operation[ToolRemoved],
    effect=Effect.DELETE,
    route="DELETE /agents/{agentId}/tools/{toolId}",
    takes_along="its settings and secrets",
):
    """Remove a tool from an agent. A datastore that it named stays."""

    agent_id: AgentRef
    tool_id: ToolId
