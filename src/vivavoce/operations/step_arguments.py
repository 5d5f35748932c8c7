"""What a step can be told to do, flat and nested, as the wire has it both ways."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from vivavoce.domain.crm import (
    LONGEST_WAIT,
    AssigneeLogic,
    ConversationStatus,
    MembershipIds,
    NewTags,
    Priority,
    RequestContact,
    StepFields,
    Tags,
    TimeUnit,
    WhatsappTemplate,
    ZapiNotice,
)
from vivavoce.domain.values import Id, JsonObject, Line, Text, unlisted
from vivavoce.errors import InvalidInput

from .agents import AgentRef
from .base import Operation, R

_Group = ZapiNotice | WhatsappTemplate
_GROUPS: dict[str, type[_Group]] = {"zapi": ZapiNotice, "whatsapp": WhatsappTemplate}
FLAT = {f"{group}_{key}": (group, key) for group, kind in _GROUPS.items() for key in kind.model_fields}
"""The wire has these both flat and nested: both are read, both are written."""


class StepArguments(Operation[R]):
    """What a step can be told to do; the same when it is created and when it is changed."""

    agent_id: Annotated[
        AgentRef | None, Field(description="The agent that answers in this step, by id or @handle.")
    ] = None
    trigger: Annotated[Text | None, Field(description="In plain words, when a conversation enters it.")] = (
        None
    )
    prompt: Annotated[Text | None, Field(description="Added to the agent's instructions here.")] = None
    initial_message: Annotated[Text | None, Field(description="Said on entry.")] = None
    auto_next_step_id: Annotated[
        Id | None, Field(description="The step it moves to by itself after autoNextTime.")
    ] = None
    auto_next_time: Annotated[
        Annotated[int, Field(ge=0, le=LONGEST_WAIT)] | None,
        Field(description="How long it waits, in autoNextTimeUnit; a year at most."),
    ] = None
    auto_next_time_unit: Annotated[
        TimeUnit | None, Field(description="m, h or d; seconds when left out.")
    ] = None
    default_status: Annotated[
        ConversationStatus | None, Field(description="Status the conversation gets on entry.")
    ] = None
    default_priority: Annotated[Priority | None, Field(description="Priority it gets on entry.")] = None
    default_ai_control: Annotated[bool | None, Field(description="Switch the AI on or off on entry.")] = None
    default_tags: Annotated[NewTags | None, Field(description="Tags added on entry.")] = None
    default_tags_to_remove: Annotated[Tags | None, Field(description="Tags taken off on entry.")] = None
    assignee_logic_type: Annotated[
        AssigneeLogic | None,
        Field(
            description="Who is assigned on entry: none keeps, clear unassigns, others pick a selected one."
        ),
    ] = None
    selected_membership_ids_for_assignee: Annotated[
        MembershipIds | None, Field(description="Ids of members to choose from.")
    ] = None
    is_required: Annotated[bool | None, Field(description="It cannot be skipped.")] = None
    is_conversation_removal_step: Annotated[
        bool | None, Field(description="Entering it ends the scenario.")
    ] = None
    request_contact: Annotated[RequestContact | None, Field(description="What to ask the contact for.")] = (
        None
    )
    zapi: Annotated[ZapiNotice | None, Field(description="A Z-API message to a fixed number.")] = None
    whatsapp: Annotated[WhatsappTemplate | None, Field(description="A WhatsApp template to send.")] = None
    webhook_url: Annotated[Line | None, Field(description="Address called when a conversation enters.")] = (
        None
    )
    webhook_header: Annotated[
        JsonObject | Line | None,
        Field(description="Headers of that call: {name: value}, or one as text. Kept secret."),
    ] = None
    zapi_agent_id: Annotated[Id | None, unlisted("zapi.agentId, flat.")] = None
    zapi_phone_number: Annotated[Line | None, Field(max_length=40), unlisted("zapi.phoneNumber, flat.")] = (
        None
    )
    zapi_message: Annotated[Text | None, unlisted("zapi.message, flat.")] = None
    whatsapp_template_agent_id: Annotated[Id | None, unlisted("whatsapp.templateAgentId, flat.")] = None
    whatsapp_template_name: Annotated[Line | None, unlisted("whatsapp.templateName, flat.")] = None
    whatsapp_template_language_code: Annotated[
        Line | None, Field(max_length=20), unlisted("whatsapp.templateLanguageCode, flat.")
    ] = None
    whatsapp_template_text: Annotated[Text | None, unlisted("whatsapp.templateText, flat.")] = None
    default_assignee_id: Annotated[Id | None, unlisted("An older way to name who is assigned.")] = None
    fallback_membership_ids: Annotated[
        MembershipIds | None, unlisted("Who is assigned when nobody of the selected can be.")
    ] = None
    inactivity_condition_type: Annotated[Line | None, unlisted("Kept as it is.")] = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        """Refuse a flat field beside a nested one that says something else."""
        apart = dict(self._apart())
        if apart:
            pairs = ", ".join(f"{flat} and {nested}" for flat, nested in apart.items())
            raise InvalidInput(
                f"{pairs} disagree.",
                hint="Send one of the two, or the same in both.",
                details={flat: f"differs from {nested}" for flat, nested in apart.items()},
            )
        return self

    def _apart(self) -> Iterator[tuple[str, str]]:
        for flat, (group, key) in FLAT.items():
            if not {flat, group} <= self.model_fields_set:
                continue
            nested = getattr(self, group)
            is_said = nested is None or key in nested.model_fields_set
            if is_said and getattr(nested, key, None) != getattr(self, flat):
                yield to_camel(flat), f"{group}.{to_camel(key)}"

    def step_fields(self, stored: StepFields | None = None) -> dict[str, Any]:
        """The given fields of a step; null brings back the default.

        A flat field changes its place in the group that was given or, where none was, in the stored one.
        """
        known, given = StepFields.model_fields, self.given()
        fields = {
            name: known[name].get_default(call_default_factory=True) if value is None else value
            for name, value in given.items()
            if name in known
        }
        for group, kind in _GROUPS.items():
            flat = {key: given[f"{group}_{key}"] for key in kind.model_fields if f"{group}_{key}" in given}
            if flat:
                before = fields[group] if group in fields else getattr(stored, group, None)
                fields[group] = _with_changes(before, flat, empty=kind())
        return fields


def _with_changes(before: _Group | None, changes: dict[str, Any], *, empty: _Group) -> _Group | None:
    """The group with some of its fields changed; one in which nothing is left is none."""
    base = empty if before is None else before
    after = base.model_copy(update=changes)
    if after == base:
        return before
    return None if after == empty else after
