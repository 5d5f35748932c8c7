"""Jobs as rows. Of each lane that has some, a second row says when it is due, of what kind, and who holds it.

A lane is claimed, not a job: that keeps its order across processes. Who claims it makes it due again at the
end of the lease, so that a dead holder's lane needs nobody to tidy up, and raises the fence, so that a holder
who comes back late is refused.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from vivavoce.domain.entities import written
from vivavoce.domain.jobs import Job, NewJob

from .rows import Connection, batches, one_of

_DUE = "select lane from lanes where due_at <= :now{only} order by due_at limit :limit_"
_KINDS = (
    "with recursive kinds(kind) as (select min(kind) from lanes union all"
    " select (select min(kind) from lanes where lanes.kind > kinds.kind) from kinds"
    " where kinds.kind is not null)"
    " select kind, (select min(due_at) from lanes where lanes.kind = kinds.kind) from kinds"
    " where kind is not null"
)
"""Goes from one kind to the next by the index, past however many lanes each has."""
_OURS = "seq = :seq and exists (select 1 from lanes where lane = :lane and fence = :fence)"
_COLUMNS = "seq, key, lane, kind, created_at, due_at, attempts, document, claims"
_HELD_AT_ONCE = 5_000
"""How many leases are renewed in one statement: more than a process works on at a time."""
_log = logging.getLogger(__name__)


class JobRows:
    """What is to be done later."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def add(self, job: NewJob, now: datetime) -> bool:
        """Store a job; False, and nothing is changed, where there is one of its key."""
        lane = job.lane or job.key
        added = self.connection.execute(
            "insert into jobs (key, lane, kind, created_at, due_at, attempts, document)"
            " values (:key, :lane, :kind, :now, :due, 0, :document)"
            " on conflict (key) do nothing returning seq",
            {
                "key": job.key,
                "lane": lane,
                "kind": job.kind,
                "now": written(now),
                "due": written(job.due_at),
                "document": _document(job.facts),
            },
        )
        if not list(added):
            return False
        # The update that changes nothing makes who adds and who finishes the lane collide, on Postgres too.
        self.connection.execute(
            "insert into lanes (lane, due_at, fence, kind) values (:lane, :due, 0, :kind)"
            " on conflict (lane) do update set fence = lanes.fence",
            {"lane": lane, "due": written(job.due_at), "kind": job.kind},
        )
        return True

    def claim(
        self,
        now: datetime,
        until: datetime,
        limit: int,
        lane: str | None = None,
        kind: str | None = None,
    ) -> list[Job]:
        """Take the first job of each lane that is due, those that wait longest first; of a kind, if named."""
        only = {"lane": lane, "kind": kind}
        due = _DUE.format(
            only="".join(f" and {name} = :{name}" for name, value in only.items() if value is not None)
        )
        due += self.connection.dialect.skips_locked  # over lanes that another claim is about to take
        claimed = self.connection.execute(
            f"update lanes set due_at = :until, fence = fence + 1 where lane in ({due})"
            " returning lane, fence",
            {"now": written(now), "until": written(until), "limit_": limit, **only},
        )
        fences = {str(lane): int(fence) for lane, fence in claimed}
        found: list[Job] = []
        for some in batches(list(fences)):
            heads = f"select min(seq) from jobs where {one_of('lane', some)} group by lane"
            rows = self.connection.execute(
                f"update jobs set claims = claims + 1 where seq in ({heads}) returning {_COLUMNS}", some
            )
            for row in list(rows):
                try:
                    found.append(_job(row, fences[row[2]]))
                except ValueError:
                    self._set_aside(row)
        return sorted(found, key=lambda job: job.due_at)

    def hold(self, jobs: Sequence[Job], until: datetime) -> set[int]:
        """Keep jobs for longer; the `seq` of those that are still ours."""
        held: set[int] = set()
        for start in range(0, len(jobs), _HELD_AT_ONCE):
            some = sorted(jobs[start : start + _HELD_AT_ONCE], key=lambda job: job.lane)
            claims, values = _listed(some)
            rows = self.connection.execute(
                f"update lanes set due_at = :until from (values {claims}) as claims"
                " where lane = claims.column1 and fence = claims.column2"
                " and exists (select 1 from jobs where seq = claims.column3) returning lane, fence",
                {"until": written(until), **values},
            )
            ours = {(str(lane), int(fence)) for lane, fence in rows}
            held |= {job.seq for job in some if (job.lane, job.fence) in ours}
        return held

    def seems_ours(self, job: Job) -> bool:
        """Whether nobody has taken the job yet, or cancelled it: a look, after which someone may."""
        return bool(list(self.connection.execute(f"select 1 from jobs where {_OURS}", _named(job))))

    def is_ours(self, job: Job) -> bool:
        """Whether nobody else took the job, and nobody cancelled it; it stays so until this is stored.

        The lane comes before its jobs, as where it is claimed: on Postgres two would wait for each other.
        """
        rows = self.connection.execute(
            "update lanes set fence = fence where lane = :lane and fence = :fence"
            " and exists (select 1 from jobs where seq = :seq) returning fence",
            _named(job),
        )
        return bool(list(rows))

    def finish(self, job: Job) -> bool:
        """It is done: the next one of its lane may begin. False where it is not ours any more."""
        if not self.is_ours(job):
            return False
        self.connection.execute("delete from jobs where seq = :seq", {"seq": job.seq})
        self._go_on(job.lane)
        return True

    def postpone(
        self, job: Job, due_at: datetime, facts: Mapping[str, Any] | None = None, *, has_failed: bool = True
    ) -> bool:
        """Let go of it until a later time; False where it is not ours any more. Failures are counted."""
        if not self.is_ours(job):
            return False
        values = {"due": written(due_at), "document": _document(job.facts if facts is None else facts)}
        self.connection.execute(
            "update jobs set due_at = :due, document = :document, attempts = attempts + :failures, claims = 0"
            " where seq = :seq",
            {**values, "failures": int(has_failed), "seq": job.seq},
        )
        self._go_on(job.lane)
        return True

    def move(self, key: str, due_at: datetime, *, even_failed: bool = False) -> bool:
        """Make a job that nobody works on yet due at another time; False where there is none.

        One that failed is not brought forward, since its next try is as late as it was put off; `even_failed`
        where someone wants it now.
        """
        found = self._locked(key)
        if found is None:
            return False
        lane, is_first = found
        # A lane that someone holds is due at the end of the lease, which no job of it is.
        free = "exists (select 1 from lanes where lanes.lane = jobs.lane and lanes.due_at = jobs.due_at)"
        only = f" and {free}" if is_first else ""
        put_off = "case when attempts > 0 and due_at > :due then due_at else :due end"
        due = ":due" if even_failed else put_off
        moved = self.connection.execute(
            f"update jobs set due_at = {due} where key = :key{only} returning seq",
            {"key": key, "due": written(due_at)},
        )
        if not list(moved):
            return False
        if is_first:
            self._go_on(lane)
        return True

    def cancel(self, key: str) -> bool:
        """Forget a job, also one that is worked on: whoever does is refused. False where there is none."""
        found = self._locked(key)
        if found is None:
            return False
        lane, is_first = found
        self.connection.execute("delete from jobs where key = :key", {"key": key})
        if is_first:
            self._go_on(lane)
        return True

    def due(self, key: str) -> datetime | None:
        """When a job is to be done; None where there is none."""
        rows = list(self.connection.execute("select due_at from jobs where key = :key", {"key": key}))
        return _moment(rows[0][0]) if rows else None

    def next_of_kinds(self) -> dict[str, datetime]:
        """When the next lane of each kind is due."""
        return {str(kind): _moment(due) for kind, due in self.connection.execute(_KINDS, {})}

    def number(self, kind: str | None = None) -> int:
        """How many jobs there are."""
        only = "" if kind is None else " where kind = :kind"
        ((number,),) = self.connection.execute(f"select count(*) from jobs{only}", {"kind": kind})
        return int(number)

    def _set_aside(self, row: Sequence[Any]) -> None:
        """Keep a row that cannot be read, for a person to look at, where nobody claims it again."""
        seq, key, lane, kind, *_ = row
        _log.error("Job %s of kind %s cannot be read. It is set aside.", key, kind)
        self.connection.execute("update jobs set lane = '' where seq = :seq", {"seq": seq})
        self._go_on(lane)

    def _locked(self, key: str) -> tuple[str, bool] | None:
        """The lane of a job, and whether it is the first one there; who claims it or finishes it waits."""
        first = "seq = (select min(seq) from jobs first where first.lane = jobs.lane)"
        rows = self.connection.execute(f"select lane, {first} from jobs where key = :key", {"key": key})
        for lane, is_first in list(rows):
            self.connection.execute("update lanes set fence = fence where lane = :lane", {"lane": lane})
            return str(lane), bool(is_first)
        return None

    def _go_on(self, lane: str) -> None:
        """Let the lane be due when its first job is; an empty one goes away. Who held it holds it no more."""
        first = "(select {} from jobs where lane = :lane order by seq limit 1)"
        due, kind = first.format("due_at"), first.format("kind")
        rows = self.connection.execute(
            f"update lanes set due_at = {due}, kind = {kind}, fence = fence + 1"
            f" where lane = :lane and {due} is not null returning lane",
            {"lane": lane},
        )
        if not list(rows):
            self.connection.execute("delete from lanes where lane = :lane", {"lane": lane})


def _named(job: Job) -> dict[str, Any]:
    return {"seq": job.seq, "lane": job.lane, "fence": job.fence}


def _listed(jobs: Sequence[Job]) -> tuple[str, dict[str, Any]]:
    """Claims as rows of their lane, fence and job, and the values in them."""
    named = {
        f"{name}_{place}": value for place, job in enumerate(jobs) for name, value in _named(job).items()
    }
    return ", ".join(f"(:lane_{place}, :fence_{place}, :seq_{place})" for place in range(len(jobs))), named


def _job(row: Sequence[Any], fence: int) -> Job:
    seq, key, lane, kind, created_at, due_at, failures, document, claims = row
    times, facts = (_moment(created_at), _moment(due_at)), json.loads(document)
    return Job(int(seq), key, lane, kind, *times, int(failures) + 1, facts, fence, int(claims))


def _document(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, separators=(",", ":"))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
