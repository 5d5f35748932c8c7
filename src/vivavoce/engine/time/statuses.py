"""Statuses: what a provider tells afterwards about a message that was sent."""

from __future__ import annotations

from typing import Any

from vivavoce.domain.channels import Account, Heard, further
from vivavoce.domain.deliveries import ARRIVED, MOST_TRIES, Delivery
from vivavoce.domain.entities import written
from vivavoce.engine.handlers import Work


def apply_status(heard: Heard, account: Account, work: Work) -> Delivery | None:
    """Keep what a provider says of a message, in whatever order it says it; None where it is none of ours."""
    delivery = _meant(heard.delivery_id, account, work)
    if delivery is None:
        return None
    told = {"at": written(heard.sent_at or work.now), "status": heard.status}
    told |= {"detail": heard.detail} if heard.detail else {}
    status = further(delivery.status, heard.status)
    changes: dict[str, Any] = {"status": status, "statuses": [*delivery.statuses, told][-MOST_TRIES:]}
    if status != delivery.status:
        changes |= _state_after(status, heard, delivery, work)
    changed = delivery.changed(work.now, **changes)
    work.tables.deliveries.replace(changed)
    return changed


def _meant(id: str, account: Account, work: Work) -> Delivery | None:
    """The delivery with this id, ours or the provider's, among those of the account."""
    by_ours = work.tables.deliveries.find(id)
    for found in [by_ours] if by_ours is not None else work.tables.deliveries.where(external_id=id):
        if found.account_id == account.id:
            return found
    return None


def _state_after(status: str, heard: Heard, delivery: Delivery, work: Work) -> dict[str, Any]:
    """What becomes of a delivery once its status is known. While it is being sent, who sends it decides."""
    if delivery.state in ("uncertain", "failed") and status in ARRIVED:
        return {"state": "sent", "reason": "", "sent_at": delivery.sent_at or heard.sent_at or work.now}
    if delivery.state in ("sent", "uncertain") and status == "failed":
        return {"state": "failed", "reason": heard.detail or "The provider could not deliver it."}
    return {}
