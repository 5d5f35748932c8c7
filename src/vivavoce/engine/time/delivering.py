"""Sending messages on channels: once, in order, and never after a person took over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from vivavoce.domain.channels import Account
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.deliveries import ARRIVED, MOST_TRIES, OVER, Delivery, DeliveryState
from vivavoce.domain.entities import written
from vivavoce.domain.jobs import Job
from vivavoce.engine.handlers import Errand, Work
from vivavoce.ports.time import Outcome, Refused, Sending, Sent, TryLater, Unsure

from .announcing import announce
from .jobs import Lost, check_ours, does, finish, postpone, spread, wait
from .outgoing import may_write

_AT_ONCE = 64
"""How many messages are being sent in a process; the gate of a provider lets a quarter of them through."""
_LADDER = (2.0, 10.0, 60.0, 300.0, 900.0, 3_600.0, 7_200.0)
"""Seconds before each further try."""
_OFF = 600.0
"""Seconds between two looks at a channel that is off; what waits is let out when it is switched on."""
_End = tuple[DeliveryState, str]
"""What became of a delivery, and why."""
_TAKEN_OVER = "A person took over."
_BLOCKED = "The person is blocked."
_CLOSED: _End = ("withdrawn", "The channel's window for writing is closed.")
_OUTCOMES = {Sent: "sent", TryLater: "later", Refused: "refused", Unsure: "unsure"}
_BROKE_OFF = "The process ended while it was being sent. It may have arrived, so it is not sent again."


@dataclass(frozen=True)
class _Ready:
    """A delivery that may be sent now: that it may have been is stored."""

    delivery: Delivery
    account: Account
    sending: Sending


def _given_up(job: Job, reason: str, work: Work) -> None:
    delivery = work.tables.deliveries.find(job.facts["delivery"])
    if delivery is not None and delivery.state not in OVER:
        _store(delivery, "failed", reason, work)


@does("send", gives_up=_given_up, at_once=_AT_ONCE)
async def send(job: Job, errand: Errand) -> None:
    """Send a message on its channel, unless its provider is to be left alone for now."""
    gate = errand.gates.to(job.facts.get("account", ""))
    seconds = await gate.enter()
    if seconds > 0:
        await errand.write(lambda work: wait(job, seconds, work))
        return
    outcome: Outcome | None = None
    left = _nothing
    try:
        left = await gate.let_out()
        ready = await errand.write(lambda work: _ready(job, work))
        if ready is None:
            return
        channel = errand.ports.channels.of(ready.account.type)
        outcome = await channel.send(ready.account, replace(ready.sending, left=left))
    finally:
        left()
        asked_for = outcome.seconds if isinstance(outcome, TryLater) else None
        gate.leave(went_well=_is_well(outcome), seconds=asked_for)
    came, delivery_id = outcome, ready.delivery.id
    try:
        await errand.write(lambda work: _came_of_it(came, job, delivery_id, work))
    except Lost:  # what the channel said is true, whoever has the job now
        await errand.write(lambda work: _told_late(came, delivery_id, work))


def _nothing() -> None:
    """It has not begun to leave."""


def _is_well(outcome: Outcome | None) -> bool | None:
    """Whether the provider is there; None where it was not asked."""
    return None if outcome is None else isinstance(outcome, Sent | Refused)


def _ready(job: Job, work: Work) -> _Ready | None:
    """Store that it may be sent from now on; None where it is not sent, which is stored as well.

    Human wins: this is the transaction that releases it, so that whoever took over before it has.
    """
    check_ours(job, work)
    delivery = work.tables.deliveries.find(job.facts["delivery"])
    if delivery is None or delivery.state in OVER:
        finish(job, work)
        return None
    conversation = work.tables.conversations.hold(delivery.conversation_id or "")
    account = work.tables.accounts.find(delivery.account_id or "")
    message = work.tables.messages.find(delivery.message_id or "")
    if conversation is None or account is None or message is None:
        finish(job, work)
        _store(delivery, "failed", "The conversation or its channel is not there any more.", work)
        return None
    end = _why_not(delivery, conversation, account, message, work)
    if end is not None:
        finish(job, work)
        _store(delivery, *end, work, _broken_off(delivery, end))
        if end == _CLOSED:
            announce("AGENT_MESSAGE_BLOCKED", conversation, work, message=message)
        return None
    if not account.enabled:
        wait(job, _OFF, work)
        _store(delivery, delivery.state, "The channel is switched off.", work)
        return None
    _store(delivery, "sending", "", work)
    attachments = tuple(message.attachments)
    return _Ready(delivery, account, Sending(delivery.id, delivery.chat, message.text, attachments))


def _why_not(
    delivery: Delivery, conversation: Conversation, account: Account, message: Message, work: Work
) -> _End | None:
    """What becomes of a delivery that is not sent, and why; None where it is."""
    if delivery.status in ARRIVED:
        return "sent", ""
    was_begun = delivery.state == "sending"
    may_repeat = account.repeats_safely or work.ports.channels.of(account.type).repeats_safely
    if was_begun and not may_repeat:
        return "uncertain", _BROKE_OFF
    if delivery.by_ai and conversation.taken_over != delivery.taken_over:
        return ("uncertain", f"{_BROKE_OFF} {_TAKEN_OVER}") if was_begun else ("withdrawn", _TAKEN_OVER)
    if conversation.blocked and message.from_ == "agent" and not delivery.by_ai:  # it was planned
        return ("uncertain", f"{_BROKE_OFF} {_BLOCKED}") if was_begun else ("withdrawn", _BLOCKED)
    return None if may_write(conversation, account, work) else _CLOSED


def _broken_off(delivery: Delivery, end: _End) -> dict[str, Any] | None:
    """The try of which nobody knows what came of it; None where there was none."""
    if end[0] != "uncertain":
        return None
    return {"at": written(delivery.updated_at), "outcome": _OUTCOMES[Unsure], "error": end[1]}


def _came_of_it(outcome: Outcome, job: Job, delivery_id: str, work: Work) -> None:
    """Store what the channel said. What it told of the message meanwhile counts, too."""
    delivery = work.tables.deliveries.find(delivery_id)
    if delivery is None:
        finish(job, work)
        return
    tried: dict[str, Any] = {"at": written(work.now), "outcome": _OUTCOMES[type(outcome)]}
    if not isinstance(outcome, Sent):
        tried["error"] = outcome.reason
    has_arrived = delivery.status in ARRIVED
    if isinstance(outcome, TryLater) and not has_arrived and delivery.rung < len(_LADDER):
        postpone(job, max(spread(_LADDER[delivery.rung]), outcome.seconds or 0.0), work)
        _store(delivery, "waiting", outcome.reason, work, tried, rung=delivery.rung + 1)
        return
    finish(job, work)
    end: _End = ("sent", "") if has_arrived else _end_of(outcome, delivery)
    more: dict[str, Any] = {}
    if isinstance(outcome, Sent) or has_arrived:
        more["sent_at"] = work.now
    if isinstance(outcome, Sent) and outcome.external_id is not None:
        more["external_id"] = outcome.external_id
        _name(delivery, outcome.external_id, work)
    _store(delivery, *end, work=work, tried=tried, **more)


def _told_late(outcome: Outcome, delivery_id: str, work: Work) -> None:
    """Keep what the channel said of a message that another worker, which could not know, calls uncertain."""
    delivery = work.tables.deliveries.find(delivery_id)
    is_known = isinstance(outcome, Sent | Refused)
    if delivery is None or delivery.state != "uncertain" or not is_known:
        return
    tried = {"at": written(work.now), "outcome": _OUTCOMES[type(outcome)]}
    more: dict[str, Any] = {}
    if isinstance(outcome, Sent):
        more = {"sent_at": work.now, "external_id": outcome.external_id or delivery.external_id}
    _store(delivery, *_end_of(outcome, delivery), work=work, tried=tried, **more)


def _end_of(outcome: Outcome, delivery: Delivery) -> _End:
    if isinstance(outcome, Sent):
        return ("failed", _reason(delivery)) if delivery.status == "failed" else ("sent", "")
    return ("uncertain" if isinstance(outcome, Unsure) else "failed"), outcome.reason


def _reason(delivery: Delivery) -> str:
    """Why the provider says that a message failed."""
    told = [str(each.get("detail", "")) for each in delivery.statuses if each["status"] == "failed"]
    return (told[-1] if told else "") or "The provider could not deliver it."


def _name(delivery: Delivery, external_id: str, work: Work) -> None:
    """Keep what the channel calls the message."""
    message = work.tables.messages.find(delivery.message_id or "")
    if message is not None:
        work.tables.messages.replace(message.changed(work.now, external_id=external_id))


def _store(
    delivery: Delivery,
    state: DeliveryState,
    reason: str,
    work: Work,
    tried: dict[str, Any] | None = None,
    **more: Any,
) -> None:
    tries = [*delivery.tries, tried][-MOST_TRIES:] if tried is not None else delivery.tries
    due = work.tables.jobs.due(f"delivery:{delivery.id}")
    changes = {"state": state, "reason": reason, "tries": tries, "due_at": due, **more}
    work.tables.deliveries.replace(delivery.changed(work.now, **changes))
