"""Posts: events for webhooks and answers for callbacks, sent until they are taken or patience is over.

A post may be repeated: it has the same id each time, by which receivers know what they have seen.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from vivavoce.domain.deliveries import MOST_TRIES, OVER, Delivery, DeliveryState
from vivavoce.domain.endpoints import Endpoint, Webhook
from vivavoce.domain.entities import written
from vivavoce.domain.http.masking import masked
from vivavoce.domain.http.signing import signature_headers, signing_secret
from vivavoce.domain.jobs import Job, NewJob
from vivavoce.domain.webhooks import WAITS, Verdict, lane_of_posts, verdict_on
from vivavoce.errors import VivavoceError
from vivavoce.ports import Ports

from .handlers import Errand, Work
from .time.callbacks import note_in_trace
from .time.endpoints import note_failure, note_success, webhook_for
from .time.jobs import check_ours, check_seems_ours, does, finish, spread
from .time.outgoing import endpoint_of, is_failing, lane_to

_AT_ONCE = 64
"""How many posts are under way in a process; the lanes of a host let it have a few of them."""
_MOST = 1_000
"""Bytes that are read of what an address answers."""
_LONGEST_WISH = 3_600.0
"""Seconds that a receiver may have us wait longer than we would."""
_NOT_SET = "No webhook is set any more."


@dataclass(frozen=True)
class _Ready:
    """A post that may be sent now."""

    delivery: Delivery
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    secret: str = field(repr=False)
    webhook: Webhook | None = None


@dataclass(frozen=True)
class _Tried:
    """What came of a try."""

    verdict: Verdict
    status: int | None = None
    error: str = ""
    seconds: float = 0.0
    """Not before so many, where the receiver says so."""


def _given_up(job: Job, reason: str, work: Work) -> None:
    delivery = work.tables.deliveries.find(job.facts["delivery"])
    if delivery is not None and delivery.state not in OVER:
        _store(delivery, "failed", reason, work)


@does("post", gives_up=_given_up, at_once=_AT_ONCE)
async def post(job: Job, errand: Errand) -> None:
    """Send an event or an answer to its address."""
    if job.lane == job.key:  # it was waiting by itself, and holds up no others
        await errand.write(lambda work: _stand_in_line(job, work))
        return
    ready = await errand.read(lambda work: _ready(job, work))
    if ready is None:
        await errand.write(lambda work: _settle(job, work))
        return
    tried = await _try(ready, errand.ports)
    await errand.write(lambda work: _came_of_it(tried, ready, job, work))


def _stand_in_line(job: Job, work: Work) -> None:
    """Let the job be done when its host has room."""
    finish(job, work)
    delivery = work.tables.deliveries.find(job.facts["delivery"])
    if delivery is None or delivery.state in OVER:
        return
    webhook = webhook_for(delivery, work) if delivery.kind == "webhook" else None
    lane = lane_of_posts(delivery.url or "", delivery.conversation_id)
    lane = lane if webhook is None else lane_to(webhook, delivery, work)
    work.tables.jobs.add(NewJob(job.key, job.kind, work.now, lane, job.facts), work.now)


def _ready(job: Job, work: Work) -> _Ready | None:
    """What is to be sent, and where to, as it is set now; None where nothing is."""
    check_seems_ours(job, work)
    delivery = work.tables.deliveries.find(job.facts["delivery"])
    if delivery is None or delivery.state in OVER or _why_not(delivery, work) is not None:
        return None
    if _is_in_the_way(delivery, job, work):
        return None
    secret = signing_secret(work.ports.vault.derived, work.tables.organization_id)
    if delivery.kind == "callback":
        return _Ready(delivery, delivery.url or "", {}, secret)
    webhook = webhook_for(delivery, work)
    assert webhook is not None  # else it had been a reason not to
    return _Ready(delivery, webhook.url, webhook.headers, secret, webhook)


def _why_not(delivery: Delivery, work: Work) -> tuple[DeliveryState, str] | None:
    """What becomes of a delivery that is not sent, and why; None where it is."""
    if delivery.kind == "callback":
        return None
    webhook = webhook_for(delivery, work)
    if webhook is None:
        return "withdrawn", _NOT_SET
    endpoint = endpoint_of(webhook, work)
    return None if endpoint is None or endpoint.paused_at is None else ("held", endpoint.why_paused)


def _is_in_the_way(delivery: Delivery, job: Job, work: Work) -> bool:
    """Whether its address fails, and others wait behind it whose addresses do not."""
    webhook = webhook_for(delivery, work) if delivery.kind == "webhook" else None
    return webhook is not None and is_failing(webhook, work) and job.lane != lane_to(webhook, delivery, work)


def _settle(job: Job, work: Work) -> None:
    """Store why a delivery is not sent now; where it may be, let it stand in the line of its address."""
    check_ours(job, work)
    delivery = work.tables.deliveries.find(job.facts["delivery"])
    is_over = delivery is None or delivery.state in OVER
    end = None if delivery is None or is_over else _why_not(delivery, work)
    if not is_over and end is None:
        _stand_in_line(job, work)
        return
    finish(job, work)
    if delivery is not None and end is not None:
        _store(delivery, *end, work)


async def _try(ready: _Ready, ports: Ports) -> _Tried:
    """Send it once; never raises for what a receiver does."""
    delivery = ready.delivery
    content = json.dumps(delivery.body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    signed = signature_headers(ready.secret, delivery.id, int(ports.now().timestamp()), content)
    ours = {"Content-Type": "application/json", **signed}
    names = {name.lower() for name in ours}
    theirs = {name: value for name, value in ready.headers.items() if name.lower() not in names}
    try:
        reply = await ports.outside.send(
            "POST", ready.url, headers={**theirs, **ours}, content=content, most=_MOST
        )
    except VivavoceError as error:
        secrets = () if ready.webhook is None else ready.webhook.secrets
        if error.retryable:
            return _Tried("later", error=masked(error.message, secrets))
        return _Tried("refused", error=masked(str(error), secrets))  # with what an operator can do about it
    verdict = verdict_on(delivery.kind, reply.status)
    if verdict == "taken":
        return _Tried(verdict, reply.status)
    wish = _seconds(reply.headers.get("retry-after", ""))
    return _Tried(verdict, reply.status, f"The address answers {reply.status}.", wish)


def _came_of_it(tried: _Tried, ready: _Ready, job: Job, work: Work) -> None:
    """Store what came of a try, and when the next one is."""
    finish(job, work)
    delivery = work.tables.deliveries.find(ready.delivery.id)
    if delivery is None:
        return
    endpoint = None if ready.webhook is None else _noted(tried, ready.webhook, delivery, work)
    waits = WAITS[delivery.kind]
    if tried.verdict == "taken":
        _store(delivery, "sent", "", work, tried, sent_at=work.now)
    elif endpoint is not None and endpoint.paused_at is not None:
        _store(delivery, "held", endpoint.why_paused, work, tried)
    elif tried.verdict in ("later", "gone") and delivery.rung < len(waits):
        due_at = work.now + timedelta(seconds=max(spread(waits[delivery.rung]), tried.seconds))
        work.tables.jobs.add(NewJob(job.key, job.kind, due_at, "", job.facts), work.now)
        _store(delivery, "waiting", tried.error, work, tried, rung=delivery.rung + 1)
    else:
        _store(delivery, "failed", tried.error, work, tried)


def _noted(tried: _Tried, webhook: Webhook, delivery: Delivery, work: Work) -> Endpoint | None:
    """Keep how the address behaved; what is held against it now, if anything."""
    current = webhook_for(delivery, work)
    if current is None or current.shown != webhook.shown:
        return None  # it was changed meanwhile, and nothing is known of the new one
    if tried.verdict == "taken":
        note_success(webhook, work)
        return None
    return note_failure(webhook, delivery, tried.error, work, is_gone=tried.verdict == "gone")


def _store(
    delivery: Delivery,
    state: DeliveryState,
    reason: str,
    work: Work,
    tried: _Tried | None = None,
    **more: Any,
) -> None:
    tries = delivery.tries if tried is None else [*delivery.tries, _record(tried, work)][-MOST_TRIES:]
    due_at = work.tables.jobs.due(f"delivery:{delivery.id}")
    changes = {"state": state, "reason": reason, "tries": tries, "due_at": due_at, **more}
    stored = delivery.changed(work.now, **changes)
    work.tables.deliveries.replace(stored)
    if stored.kind == "callback":
        note_in_trace(stored, work)


def _record(tried: _Tried, work: Work) -> dict[str, Any]:
    record: dict[str, Any] = {"at": written(work.now)}
    if tried.status is not None:
        record["status"] = tried.status
    return {**record, "error": tried.error} if tried.error else record


def _seconds(text: str) -> float:
    """How many seconds a receiver wants to be left alone; a date is not heeded."""
    return min(float(text), _LONGEST_WISH) if text.isascii() and text.isdigit() else 0.0
