"""Moving: what entering a step does to a conversation, who is assigned there, and which way is open."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from vivavoce.errors import InvalidInput

from .contacts import Contact
from .conversations import MOST_TAGS, Conversation
from .crm import LONGEST_WAIT, CrmLog, Step, TimeUnit

SHORTEST_WAIT = timedelta(seconds=1)
MOST_IN_A_MINUTE = 10
"""How often time and triggers move a conversation in a minute; what comes after that waits."""
MOST_IN_A_ROW = 30
"""How often time moves a conversation before the person says a word: a circle of steps ends here."""

_SECONDS: dict[TimeUnit | None, int] = {None: 1, "m": 60, "h": 3_600, "d": 86_400}
_UNITS: dict[TimeUnit | None, str] = {None: "seconds", "m": "minutes", "h": "hours", "d": "days"}
_CHOOSING = ("single_user", "random_selected", "fair_distribution_selected")
_ASKED: Mapping[Literal["name", "email", "phone"], str] = {
    "name": "their name",
    "email": "their e-mail address",
    "phone": "their phone number",
}


def placed(conversation: Conversation, step: Step, at: datetime) -> Conversation:
    """The conversation in a step and nothing else changed; off the board where the step ends the scenario."""
    if step.is_conversation_removal_step:
        return off_the_board(conversation, at)
    return conversation.changed(at, scenario_id=step.scenario_id, step_id=step.id)


def off_the_board(conversation: Conversation, at: datetime) -> Conversation:
    """The conversation in no scenario."""
    return conversation.changed(at, scenario_id=None, step_id=None)


def entered(conversation: Conversation, step: Step, at: datetime) -> Conversation:
    """The conversation in a step, with what the step sets: status, priority, who speaks, tags."""
    after = placed(conversation, step, at)
    if step.default_status is not None:
        after = after.in_status(step.default_status, at)
    if step.default_priority is not None:
        after = after.changed(at, priority=step.default_priority)
    if step.default_ai_control is not None:
        after = after.with_ai(at, enabled=step.default_ai_control)
    return after.changed(at, tags=_tags(conversation.tags, step))


def pool_of(step: Step) -> list[str]:
    """Among whom a step chooses, or else the fallback; nobody where it does not choose."""
    if step.assignee_logic_type in _CHOOSING or _is_random_of_old(step):
        return step.selected_membership_ids_for_assignee or step.fallback_membership_ids
    return []


def assignee_in(step: Step, now: str | None, loads: Mapping[str, int], seed: str) -> str | None:
    """Who looks after a conversation once it is in a step; `now` is who does until then.

    `loads` says how many conversations that are not resolved each of the pool looks after. The same seed
    draws the same person.
    """
    pool = pool_of(step)
    if step.assignee_logic_type == "clear":
        return None
    if step.assignee_logic_type == "none" and not _is_random_of_old(step):
        return now if step.default_assignee_id is None else step.default_assignee_id
    if not pool:
        return now
    if step.assignee_logic_type == "single_user":
        return pool[0]
    if step.assignee_logic_type == "fair_distribution_selected":
        return min(pool, key=lambda member: loads.get(member, 0))
    return random.Random(seed).choice(pool)


def wait_in(step: Step) -> timedelta | None:
    """How long a conversation stays in a step before it moves on by itself; None where it does not."""
    if step.auto_next_step_id is None or not step.auto_next_time or step.is_conversation_removal_step:
        return None
    seconds = min(LONGEST_WAIT, step.auto_next_time * _SECONDS[step.auto_next_time_unit])
    return max(SHORTEST_WAIT, timedelta(seconds=seconds))


def check_wait(step: Step) -> None:
    """Refuse a step in which a conversation would wait for more than a year."""
    most = LONGEST_WAIT // _SECONDS[step.auto_next_time_unit]
    if (step.auto_next_time or 0) > most:
        unit = _UNITS[step.auto_next_time_unit]
        raise InvalidInput(
            f"autoNextTime {step.auto_next_time} in {unit} is more than a year.",
            hint=f"Wait for at most {most} {unit}.",
            details={"autoNextTime": f"must be at most {most} in {unit}"},
        )


def skipped(steps: Sequence[Step], now: Step | None, to: Step, visited: Collection[str]) -> Step | None:
    """The required step that a move would pass over without having been there; None where the way is open.

    Who comes from nowhere passes over all that stand before.
    """
    first = 0 if now is None else now.index + 1
    between = (step for step in steps if first <= step.index < to.index)
    return next((step for step in between if step.is_required and step.id not in visited), None)


def is_going_round(logs: Sequence[CrmLog], last_heard: datetime | None) -> bool:
    """Whether time alone moved a conversation so often that it must be a circle; the last stays first."""
    alone = logs[:MOST_IN_A_ROW]
    return len(alone) == MOST_IN_A_ROW and all(
        log.cause == "time" and (last_heard is None or log.created_at > last_heard) for log in alone
    )


def is_hasty(logs: Sequence[CrmLog], at: datetime) -> bool:
    """Whether a conversation was moved too often in the last minute; the last stays first."""
    return len(logs) >= MOST_IN_A_MINUTE and logs[MOST_IN_A_MINUTE - 1].created_at > at - timedelta(minutes=1)


def request_for_contact(step: Step, contact: Contact | None) -> str:
    """What an agent is told to ask for in a step: what the contact lacks; nothing where that is nothing."""
    wanted = step.request_contact
    if wanted is None:
        return ""
    known = {
        "name": contact is not None and bool(contact.name),
        "email": contact is not None and bool(contact.email),
        "phone": contact is not None and bool(contact.phone_number),
    }
    asked = [what for what in _ASKED if getattr(wanted, what) and not known[what]]
    if not asked:
        return ""
    own = [said for what in asked if (said := getattr(wanted, f"contact_request_{what}_prompt"))]
    listed = ", ".join(_ASKED[what] for what in asked)
    return "\n".join([f"Where it fits, kindly ask the person for: {listed}. Do not insist.", *own])


def _tags(tags: Sequence[str], step: Step) -> list[str]:
    """The tags of a conversation after a step; those for which there is no room are left out."""
    kept = [tag for tag in tags if tag not in step.default_tags_to_remove]
    return list(dict.fromkeys([*kept, *step.default_tags]))[: max(MOST_TAGS, len(kept))]


def _is_random_of_old(step: Step) -> bool:
    return step.assignee_logic_type == "none" and step.default_assignee_id == "random"
