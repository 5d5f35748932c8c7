"""What arrived from providers, as rows."""

from __future__ import annotations

from vivavoce.domain.channels import Arrival

from .rows import Rows


class ArrivalRows(Rows[Arrival]):
    """What arrived from providers, each event of an account once."""

    def take(self, arrival: Arrival) -> bool:
        """Store it; False, and nothing is changed, where its id or that event of the account is there."""
        taken = self.connection.execute(
            "insert into arrivals (id, created_at, account_id, event_id, state, document)"
            " values (:id, :created_at, :account_id, :event_id, :state, :document)"
            " on conflict do nothing returning id",
            self.scribe.row(self.table, arrival),
        )
        return bool(list(taken))
