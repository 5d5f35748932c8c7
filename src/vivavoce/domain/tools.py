"""Tools: what an agent may do beside talking."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Annotated, Any, Literal, Self

import pydantic_core
from pydantic import AfterValidator, ConfigDict, Field, ValidationError, model_validator

from vivavoce.errors import Conflict, InvalidInput, NotAllowed

from .entities import Entity
from .faults import faults_of, in_words
from .http.addresses import leads_elsewhere
from .http.headers import check_header_names
from .http.http_tools import HttpConfig, destination_of
from .secrets import Cover
from .values import Id, JsonObject, Text, Unlisted, Value

ToolType = Literal[
    "http",
    "datastore",
    "delayed_responses",
    "follow_up_messages",
    "request_human",
    "mark_as_resolved",
    "avatar",
    "form",
    "lead_capture",
    "api_tool",
    "connector",
    "agent",
]
"""The first seven do something here; the others are kept as they are and do nothing."""

LONGEST_DELAY = 3_600
_ONE_EACH = ("delayed_responses", "follow_up_messages", "request_human", "mark_as_resolved")


def _with_a_part(messages: str) -> str:
    if not messages.replace("||", "").strip():
        raise ValueError("must hold a message")
    return messages


class NoConfig(Value):
    """A tool with nothing to configure."""

    model_config = ConfigDict(extra="ignore")


class DelayConfig(Value):
    """How long an answer is held, so that messages which follow are answered together."""

    delay: Annotated[int, Field(ge=6, le=LONGEST_DELAY, description="Seconds to wait, 6 or more.")]


class FollowUpConfig(Value):
    """What is said into a silence, how often and how far apart."""

    messages: Annotated[
        Text,
        Field(min_length=1, max_length=1_000, description="The messages, separated by ||."),
        AfterValidator(_with_a_part),
    ]
    max_sends: Annotated[
        int, Field(alias="max_sends", ge=1, le=10, description="How many are sent at most, 1 to 10.")
    ]
    interval_hours: Annotated[
        int, Field(alias="interval_hours", ge=1, le=96, description="Hours of silence before each, 1 to 96.")
    ]


class ConsultConfig(Value):
    """Which avatar is consulted."""

    avatar_id: Annotated[str, Field(min_length=1, max_length=64, description="The avatar's id.")]


_CONFIGS: dict[str, type[Value]] = {
    "avatar": ConsultConfig,
    "http": HttpConfig,
    "delayed_responses": DelayConfig,
    "follow_up_messages": FollowUpConfig,
    "datastore": NoConfig,
    "request_human": NoConfig,
    "mark_as_resolved": NoConfig,
}


class ToolDraft(Value):
    """A tool as a caller describes it. What a reader was shown beside it is passed over."""

    model_config = ConfigDict(extra="ignore")

    id: Annotated[Id | None, Field(description="Of a tool the agent has; leave out for a new one.")] = None
    type: Annotated[ToolType, Field(description="What kind of tool.")]
    config: Annotated[JsonObject | None, Field(description="Its settings, by type.")] = None
    datastore_id: Annotated[Id | None, Field(description="For a datastore tool.")] = None
    form_id: Annotated[Id | None, Unlisted] = None
    service_provider_id: Annotated[Id | None, Unlisted] = None
    is_raw: Annotated[bool, Unlisted] = False

    @model_validator(mode="before")
    @classmethod
    def _config_fits(cls, given: Any) -> Any:
        if not isinstance(given, dict) or not isinstance(given.get("type"), str):
            return given
        shape = _CONFIGS.get(given["type"])
        keeps_its_config = given.get("id") is not None and given.get("config") is None
        if shape is None or keeps_its_config:
            return given
        return {**given, "config": _fitted(shape, given.get("config"))}

    @model_validator(mode="after")
    def _names_its_datastore(self) -> Self:
        if self.type == "datastore" and self.datastore_id is None:
            raise ValueError("a datastore tool needs datastoreId")
        return self

    def as_new(self) -> ToolDraft:
        """The same for a tool that is not there yet, refused without the settings that its kind needs."""
        return ToolDraft.model_validate(self.model_dump(exclude={"id"}, by_alias=False))

    def covered(self, before: Tool | None = None) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """The settings with markers for secrets, and the secrets; `before` is the tool that they change."""
        if self.config is None:
            return None, {}
        stored, known = ({}, self.config) if before is None else (before.secrets, before.config or {})
        if self.type == "http":
            moved = destination_of(self.config) != destination_of(known)
            cover = Cover(stored, leads_elsewhere=moved)
            request = HttpConfig.model_validate(self.config)
            before_them = {header.get("key") for header in known.get("headers", ())} if before else set()
            check_header_names(
                "config.headers", (each.key for each in request.headers if each.key not in before_them)
            )
            config = request.covered(cover)
            return config.model_dump(mode="json", exclude_none=True), cover.found
        moved = leads_elsewhere("config", self.config, known, stored)
        cover = Cover(stored, leads_elsewhere=moved)
        return cover.over_json("config", self.config), cover.found


class Tool(Entity):
    """A tool that an agent has."""

    agent_id: str
    type: ToolType
    config: dict[str, Any] | None = None
    datastore_id: str | None = None
    form_id: Annotated[str | None, Unlisted] = None
    service_provider_id: Annotated[str | None, Unlisted] = None
    is_raw: Annotated[bool, Unlisted] = False
    position: Annotated[int, Field(exclude=True)] = 0
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}

    @property
    def name(self) -> str:
        """What people call it: the name of an HTTP tool, else its type."""
        return str((self.config or {}).get("name") or self.type)

    def hidden(self) -> Tool:
        """As a stranger may see it: without its settings."""
        return self.model_copy(update={"config": {}})


def datastores_of(tools: Iterable[Tool], wanted: Collection[str] = ()) -> list[str]:
    """The datastores that an agent's tools look into, or which of them are wanted; NotAllowed for others."""
    stores = [tool.datastore_id for tool in tools if tool.type == "datastore" and tool.datastore_id]
    if strange := sorted(set(wanted) - set(stores)):
        raise NotAllowed(
            f"The agent has no datastore {strange[0]!r}.", hint="Name datastores of its own tools."
        )
    return [id for id in stores if not wanted or id in wanted]


def check_together(tools: Iterable[Tool]) -> None:
    """Refuse tools that cannot stand beside each other on one agent."""
    seen: set[tuple[str, str | None]] = set()
    for tool in tools:
        same = _sameness(tool)
        if same is not None and same in seen:
            raise Conflict(
                f"The agent already has a {_described(tool)}.",
                hint="Change it with update_agent_tool, or remove it with remove_agent_tool.",
            )
        if same is not None:
            seen.add(same)


def check_same_type(tool: Tool, draft: ToolDraft) -> None:
    """Refuse to turn a tool into another kind."""
    if draft.type != tool.type:
        raise InvalidInput(
            f"Tool {tool.id!r} is of type {tool.type}, not {draft.type}.",
            hint="Remove it with remove_agent_tool and add the other kind.",
        )


def _fitted(shape: type[Value], config: Any) -> dict[str, Any]:
    """The settings as `shape` has them; nested faults are told without the values."""
    try:
        settings = shape.model_validate_json(
            pydantic_core.to_json({} if config is None else config), strict=True, by_alias=True, by_name=False
        )
    except ValidationError as error:
        raise ValueError(in_words(faults_of(error, under="config"))) from None
    return settings.model_dump(mode="json", exclude_none=True)


def _sameness(tool: Tool) -> tuple[str, str | None] | None:
    if tool.type == "http":
        return ("http", tool.name.casefold())
    if tool.type == "datastore":
        return ("datastore", tool.datastore_id)
    if tool.type == "avatar":
        return ("avatar", (tool.config or {}).get("avatarId"))
    return (tool.type, None) if tool.type in _ONE_EACH else None


def _described(tool: Tool) -> str:
    if tool.type == "http":
        return f"HTTP tool named {tool.name!r}"
    if tool.type == "datastore":
        return f"tool for datastore {tool.datastore_id!r}"
    return f"{tool.type} tool"
