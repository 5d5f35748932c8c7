"""What a conversation of an account comes to here: itself, its messages, and the step that it is in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.domain.carrying import storable
from vivavoce.domain.conversations import MOST_TAGS, Conversation, Message
from vivavoce.errors import VivavoceError
from vivavoce.hosted.reading import read_value
from vivavoce.operations.conversation_results import ConversationShown, MessageShown, VariableShown
from vivavoce.operations.crm_logs import LogShown

from .things import Home, Thing, shown_fields

_LONGEST_TAG, _LONGEST_NAME, _LONGEST_VALUE = 25, 20, 100


@dataclass(frozen=True)
class Talk:
    """A conversation with what was said and noted in it."""

    conversation: Thing
    messages: list[Message]
    notes: list[Thing]
    stay: Thing | None
    """Its stay in the step that it is in."""


def conversation_of(
    home: Home, shown: ConversationShown, messages: Iterable[Message], stay: LogShown | None, place: str
) -> Thing:
    """The conversation; `place` tells where it stands. It has no way out, so that nothing is sent."""
    tags, lost_tags = _tags(shown)
    variables, lost_variables = _variables(home, shown.conversation_variables)
    people = [person.id for person in shown.participants_contacts]
    losses = [*lost_tags, *lost_variables]
    if len(people) > 1:
        losses.append(f"it is with {len(people)} contacts, of whom the first is kept")
    said = hashlib.sha256("\n".join(message.id for message in messages).encode()).hexdigest()
    thing = home.thing(
        "conversations",
        Conversation,
        shown,
        *(said, place, *people[:1]),
        tags=tags,
        variables=variables,
        contact_id=people[0] if people else None,
        assignee=_assignee(shown),
        summary=next((each.context for each in shown.conversation_contexts if each.context), None),
        rating=_rating(shown),
        metadata=shown.metadata or {},
        channel_credentials_id=None,
        scenario_id=stay.scenario_id if stay is not None else None,
        step_id=stay.step_id if stay is not None else None,
    )
    return replace(thing, losses=[*losses, *thing.losses])


def messages_of(home: Home, conversation_id: str, shown: Iterable[MessageShown]) -> tuple[list[Message], int]:
    """The messages in order, and how many cannot be kept."""
    kept: dict[str, Message] = {}
    lost = 0
    for each in sorted(shown, key=lambda message: message.created_at or home.now):
        try:
            message = home.carried(Message, shown_fields(each) | {"conversation_id": conversation_id}).thing
        except VivavoceError:
            lost += 1
        else:
            kept[message.id] = message
    return list(kept.values()), lost


def link_of(shown: ConversationShown) -> LogShown | None:
    """The stay that a conversation tells of itself, where no log of the account does."""
    for link in shown.crm_scenario_conversations:
        if link.get("available") is not True:
            continue
        known = {name: link.get(name) for name in ("id", "scenarioId", "stepId", "createdAt", "updatedAt")}
        for name in ("scenario", "step"):  # some say so within alone
            within = link.get(name)
            if known[f"{name}Id"] is None and isinstance(within, dict):
                known[f"{name}Id"] = within.get("id")
        known |= {"conversationId": shown.id, "status": "active"}
        try:
            return read_value(LogShown, known)
        except VivavoceError:
            return None
    return None


def _tags(shown: ConversationShown) -> tuple[list[str], list[str]]:
    tags = list(dict.fromkeys(each.tag.strip() for each in shown.tags if each.tag.strip()))
    short = [tag for tag in tags if len(tag) <= _LONGEST_TAG and tag.isprintable()][:MOST_TAGS]
    lost = [f"the tag {tag!r} cannot be one here" for tag in tags if tag not in short]
    return short, lost


def _variables(home: Home, shown: Iterable[VariableShown]) -> tuple[dict[str, Any], list[str]]:
    variables: dict[str, Any] = {}
    lost: list[str] = []
    for each in shown:
        name, value = storable(each.var_name.strip()), storable(each.var_value)
        if not name or len(name) > _LONGEST_NAME or "/" in name or not name.isprintable():
            lost.append(f"the variable {name!r} cannot be called so here")
            continue
        if len(value) > _LONGEST_VALUE:
            lost.append(f"the variable {name!r} was cut to {_LONGEST_VALUE} characters")
        moments = {"created_at": each.created_at or home.now, "updated_at": each.updated_at or home.now}
        variables[name] = {"value": value[:_LONGEST_VALUE], **moments}
    return variables, lost


def _assignee(shown: ConversationShown) -> str | None:
    for each in shown.assignees:
        return each.user.email or each.user.id or None
    return None


def _rating(shown: ConversationShown) -> Mapping[str, Any] | None:
    if shown.nps_rating is None:
        return None
    at = shown.nps_completed_at or shown.updated_at
    return {"rating": shown.nps_rating, "comment": shown.nps_comment, "completed_at": at}
