"""Scenarios: the steps that a conversation moves through."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from vivavoce.errors import InvalidInput

from .entities import Entity
from .http.addresses import checked_address, checked_setting, leads_elsewhere
from .secrets import Cover, outside
from .values import Id, JsonObject, Line, Name, Text, Unlisted, Value, unlisted

ConversationStatus = Literal["RESOLVED", "UNRESOLVED", "HUMAN_REQUESTED"]
Priority = Literal["LOW", "MEDIUM", "HIGH"]
TimeUnit = Literal["m", "h", "d"]
AssigneeLogic = Literal["none", "clear", "single_user", "random_selected", "fair_distribution_selected"]


def addressable(name: str) -> str:
    """A new name that a path can hold; refused where it would lead to another address."""
    if "/" in name:
        raise ValueError("must not contain a slash")
    if name in (".", ".."):
        raise ValueError("must not be dots alone")
    return name


Tag = Annotated[Name, Field(max_length=25)]
Tags = Annotated[list[Tag], Field(max_length=100)]
NewTag = Annotated[Tag, AfterValidator(addressable)]
NewTags = Annotated[list[NewTag], Field(max_length=100)]
MembershipIds = Annotated[list[Id], Field(max_length=500)]

LONGEST_WAIT = 31_536_000


class Scenario(Entity):
    """A process with steps, e.g. from first contact to sale."""

    name: Name
    description: Text | None = None


class RequestContact(Value):
    """What the agent asks the contact for in a step."""

    name: Annotated[bool, Field(description="Ask for the name.")] = False
    email: Annotated[bool, Field(description="Ask for the e-mail address.")] = False
    phone: Annotated[bool, Field(description="Ask for the phone number.")] = False
    contact_request_name_prompt: Annotated[Text | None, unlisted("How to ask for the name.")] = None
    contact_request_email_prompt: Annotated[Text | None, unlisted("How to ask for the address.")] = None
    contact_request_phone_prompt: Annotated[Text | None, unlisted("How to ask for the number.")] = None


class ZapiNotice(Value):
    """A message to a fixed number when a conversation enters a step."""

    agent_id: Annotated[Id | None, Field(description="The agent that sends it.")] = None
    phone_number: Annotated[Line | None, Field(max_length=40, description="To whom.")] = None
    message: Annotated[Text | None, Field(description="What it says.")] = None


class WhatsappTemplate(Value):
    """A WhatsApp template that is sent when a conversation enters a step."""

    template_agent_id: Annotated[Id | None, Field(description="The agent that sends it.")] = None
    template_name: Annotated[Line | None, Field(description="The template.")] = None
    template_language_code: Annotated[Line | None, Field(max_length=20, description="E.g. pt_BR.")] = None
    template_text: Annotated[Text | None, Field(description="Its text.")] = None


class StepFields(Value):
    """What a step is told to do. None keeps things as they are."""

    agent_id: Id | None = None
    trigger: Text | None = None
    prompt: Text | None = None
    initial_message: Text | None = None
    auto_next_step_id: Id | None = None
    auto_next_time: Annotated[int, Field(ge=0, le=LONGEST_WAIT)] | None = None
    auto_next_time_unit: TimeUnit | None = None
    inactivity_condition_type: Annotated[Line | None, Unlisted] = None
    default_status: ConversationStatus | None = None
    default_priority: Priority | None = None
    default_ai_control: bool | None = None
    default_tags: Tags = []
    default_tags_to_remove: Tags = []
    default_assignee_id: Annotated[Id | None, Unlisted] = None
    assignee_logic_type: AssigneeLogic = "none"
    selected_membership_ids_for_assignee: MembershipIds = []
    fallback_membership_ids: Annotated[MembershipIds, Unlisted] = []
    is_required: bool = False
    is_conversation_removal_step: bool = False
    request_contact: RequestContact | None = None
    zapi: ZapiNotice | None = None
    whatsapp: WhatsappTemplate | None = None
    webhook_url: Annotated[Line, AfterValidator(checked_address)] | None = None
    webhook_header: JsonObject | Line | None = None


class Step(StepFields, Entity):
    """One step of a scenario; index 0 comes first."""

    scenario_id: str
    index: int
    name: Name
    secrets: Annotated[dict[str, Any], Field(exclude=True, repr=False)] = {}

    @model_validator(mode="after")
    def _assigns_to_someone(self) -> Self:
        chosen = self.assignee_logic_type in ("single_user", "random_selected", "fair_distribution_selected")
        if chosen and not self.selected_membership_ids_for_assignee:
            raise InvalidInput(
                f"assigneeLogicType {self.assignee_logic_type} needs selectedMembershipIdsForAssignee.",
                hint="Name at least one member, or use none or clear.",
            )
        return self

    def agents_named(self) -> list[str]:
        """The agents that this step refers to."""
        named = (
            self.agent_id,
            self.zapi.agent_id if self.zapi else None,
            self.whatsapp.template_agent_id if self.whatsapp else None,
        )
        return [agent_id for agent_id in named if agent_id is not None]


LogStatus = Literal["inactive", "active", "error"]
Cause = Literal["call", "opening", "trigger", "time", "record"]
"""Why a conversation came into a step: someone moved it, it was opened, a trigger was met, time went by; or
its log was written by hand."""


class CrmLog(Entity):
    """A stay of a conversation in a step: `active` while it lasts, and then it is the only one."""

    conversation_id: str
    scenario_id: str
    step_id: str
    status: LogStatus = "active"
    cause: Annotated[Cause, Unlisted] = "record"
    turn_id: Annotated[str | None, Unlisted] = None
    """The turn whose message met the trigger."""


def with_covered_webhook(values: dict[str, Any], before: Step | None = None) -> dict[str, Any]:
    """The given values with markers for the webhook's secrets; `before` is the step that they change."""
    stored = {} if before is None else before.secrets
    url = values.get("webhook_url")
    checked_setting("webhookUrl", url)
    moved = before is not None and leads_elsewhere("webhookUrl", url, before.webhook_url, {})
    if moved and "webhook_header" not in values and outside("webhookUrl", stored):
        raise InvalidInput(
            "webhookUrl leads to another host, and the stored webhookHeader was meant for the old one.",
            hint="Write webhookHeader again for the new address, or clear it with null.",
        )
    cover, secrets = Cover(stored, leads_elsewhere=moved), stored
    for field, location in (("webhook_url", "webhookUrl"), ("webhook_header", "webhookHeader")):
        if field in values:
            covered = cover.over_json(location, values[field], telling=field == "webhook_header")
            values = {**values, field: covered}
            secrets = outside(location, secrets)
    return {**values, "secrets": {**secrets, **cover.found}}
