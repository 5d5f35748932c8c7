"""Conversations, their messages and turns, contacts and what agents spend, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import reduce
from typing import Any

from vivavoce.domain.contacts import Contact
from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.entities import written
from vivavoce.domain.turns import Turn
from vivavoce.ports import ContactFilter, ConversationFilter, Spending

from .dialects import Dialect
from .rows import Connection, Rows, batches, literally, matching, one_of
from .tables import CONVERSATIONS

_OPEN = "state in ('waiting', 'running')"
_ALIVE = f"where conversation_id = :conversation_id and {_OPEN} and (durable or lease_until > :now_)"
"""Turns of a conversation that are not finished, and that someone looks after."""
_BETWEEN_DIGITS = "+ -()./\t\u00a0\u2010\u2011"
_DIGITS = reduce(lambda number, sign: f"replace({number}, '{sign}', '')", _BETWEEN_DIGITS, "phone_number")
"""A phone number as it is compared; there is an index of these."""
_KNOWN_BY = {
    "phone_number": f"{_DIGITS} = :phone_number",
    "email": "upper(coalesce(email, '')) = upper(cast(:email as text))",
}
"""What is compared in another way than letter by letter; there is an index of both.

Not by small letters: on SQLite those are Python's, which others who open the file do not have.
"""


class ConversationRows(Rows[Conversation]):
    """The conversations."""

    def hold(self, id: str) -> Conversation | None:
        """The conversation with this id, which nobody else changes until the transaction ends."""
        return next(self._read(f"where id = :id{self.connection.dialect.locks}", {"id": id}), None)

    def listed(self, wanted: ConversationFilter, limit: int) -> list[Conversation]:
        """Those that are wanted, newest first."""
        values: dict[str, Any] = dict(wanted.equal)
        further = _conditions(wanted, values, self.connection.dialect)
        conditions = [matching(values).removeprefix("where ") or "true", *further]
        clause = f"where {' and '.join(conditions)} order by created_at desc, id desc limit :limit_"
        return list(self._read(clause, values | {"limit_": limit}))


def _conditions(wanted: ConversationFilter, values: dict[str, Any], dialect: Dialect) -> Iterator[str]:
    """Further conditions, whose values go into `values`."""
    if wanted.created_from is not None:
        values["from_"] = written(wanted.created_from)
        yield "created_at >= :from_"
    if wanted.created_to is not None:
        values["to_"] = written(wanted.created_to)
        yield "created_at <= :to_"
    if wanted.is_unread is not None:
        unread = f"coalesce({dialect.number_in('document', 'unread_messages_count')}, 0)"
        yield f"{unread} {'>' if wanted.is_unread else '='} 0"
    if wanted.tag is not None:
        values["tag_"] = wanted.tag
        yield dialect.has_text("document", "tags", value=":tag_")
    if wanted.ad is not None:
        values["ad_"] = wanted.ad
        yield dialect.has_object("document", "ctwa_attributions", key="sourceId", value=":ad_")
    for name, value in (("scenario_id", wanted.scenario_id), ("step_id", wanted.step_id)):
        if value is not None:
            values[f"{name}_"] = value
            yield f"{dialect.text_in('document', name)} = :{name}_"
    yield from _bounds("frustration", wanted.frustration_from, wanted.frustration_to, values, dialect)
    yield from _bounds("rating.rating", wanted.rating_from, wanted.rating_to, values, dialect)
    if wanted.is_rated is not None:
        rated = dialect.number_in("document", "rating", "rating")
        yield f"{rated} is {'not ' if wanted.is_rated else ''}null"
    if wanted.before is not None:
        values["last_"], values["last_id_"] = written(wanted.before[0]), wanted.before[1]
        yield "(created_at, id) < (:last_, :last_id_)"


def _bounds(
    path: str, least: float | None, most: float | None, values: dict[str, Any], dialect: Dialect
) -> Iterator[str]:
    """What a number of the document must not fall below and not pass."""
    field = path.partition(".")[0]
    for sign, bound in ((">=", least), ("<=", most)):
        if bound is not None:
            name = f"{field}_{'from' if sign == '>=' else 'to'}_"
            values[name] = bound
            yield f"{dialect.number_in('document', *path.split('.'))} {sign} :{name}"


class MessageRows(Rows[Message]):
    """The messages of conversations, in order."""

    def last(
        self, conversation_id: str, limit: int, *, before: int | None = None, is_brief: bool = False
    ) -> list[Message]:
        """The last ones, in order; `before` a position; `is_brief` without sources, and what they cost."""
        clause = "where conversation_id = :conversation_id and position < :before_"
        values = {
            "conversation_id": conversation_id,
            "before_": 2**62 if before is None else before,
            "limit_": limit,
        }
        brief = self.connection.dialect.without("document", "sources", "usage", "metadata")
        document = brief if is_brief else ""
        newest = self._read(f"{clause} order by position desc limit :limit_", values, document)
        return list(newest)[::-1]

    def append(self, message: Message) -> Message:
        """Insert it at the end of its conversation; it comes back with its position."""
        ((last,),) = self.connection.execute(
            "select coalesce(max(position), 0) from messages where conversation_id = :id",
            {"id": message.conversation_id},
        )
        placed = message.model_copy(update={"position": int(last) + 1})
        self.add(placed)
        return placed


class TurnRows(Rows[Turn]):
    """The turns of conversations."""

    def open_before(self, turn: Turn) -> list[Turn]:
        """Turns of the same conversation that come first and are not finished, in order."""
        clause = f"where conversation_id = :conversation_id and position < :position_ and {_OPEN}"
        values = {"conversation_id": turn.conversation_id, "position_": turn.position}
        return list(self._read(f"{clause} order by position", values))

    def is_held_up(self, turn: Turn, now: datetime) -> bool:
        """Whether someone works on an earlier turn of the same conversation, or waits to."""
        clause = f"{_ALIVE} and position < :position_ limit 1"
        values = {"conversation_id": turn.conversation_id, "position_": turn.position, "now_": written(now)}
        return bool(list(self.connection.execute(f"select 1 from turns {clause}", values)))

    def number_open(self, conversation_id: str, now: datetime) -> int:
        """How many turns of a conversation someone works on, or waits to."""
        values = {"conversation_id": conversation_id, "now_": written(now)}
        ((number,),) = self.connection.execute(f"select count(*) from turns {_ALIVE}", values)
        return int(number)

    def failed(self, limit: int, before: tuple[datetime, str] | None) -> list[Turn]:
        """Turns that failed or were stranded, newest first; `before`: creation and id of the last seen."""
        clause = "where (state = 'failed' or stranded)"
        values: dict[str, Any] = {"limit_": limit}
        if before is not None:
            clause += " and (created_at, id) < (:before_, :before_id_)"
            values |= {"before_": written(before[0]), "before_id_": before[1]}
        return list(self._read(f"{clause} order by created_at desc, id desc limit :limit_", values))

    def extend(self, turns: Sequence[Turn], until: datetime) -> None:
        """Let the leases of turns run on, as far as they are not finished and nobody else has taken them."""
        for fence in sorted({turn.fence for turn in turns}):
            for some in batches(sorted(turn.id for turn in turns if turn.fence == fence)):
                sql = (
                    "update turns set lease_until = :until_"
                    f" where {one_of('id', some)} and fence = :fence_ and {_OPEN}"
                )
                self.connection.execute(sql, {**some, "fence_": fence, "until_": written(until)})

    def number_promised(self, most: int) -> int:
        """How many turns jobs have yet to answer, counted up to `most`."""
        some = f"select 1 from turns where {_OPEN} and durable limit :most_"
        sql = f"select count(*) from ({some}) as promised"
        ((number,),) = self.connection.execute(sql, {"most_": most})
        return int(number)

    def stranded(self, now: datetime, limit: int) -> list[Turn]:
        """Turns that are not finished although nobody works on them any more."""
        clause = f"where {_OPEN} and not durable and lease_until < :now_ order by lease_until limit :limit_"
        return list(self._read(clause, {"now_": written(now), "limit_": limit}))


class ContactRows(Rows[Contact]):
    """The contacts."""

    def known_by(self, **ids: str) -> list[Contact]:
        """Those with one of these: email, phone_number, external_id.

        A number is known in any spelling, an address in small and capital letters; who has the very
        spelling comes first.
        """
        spelt = {name: _digits(value) if name == "phone_number" else value for name, value in ids.items()}
        known = {name: value for name, value in spelt.items() if value}
        conditions = [_KNOWN_BY.get(name, f"{name} = :{name}") for name in known]
        if not known:
            return []
        found = list(self._read(f"where {' or '.join(conditions)} order by created_at", known))
        return sorted(found, key=lambda each: all(getattr(each, name) != ids[name] for name in known))

    def search(self, wanted: ContactFilter, *, limit: int, offset: int) -> tuple[list[Contact], int]:
        """Those that are wanted, newest first, and how many there are."""
        values: dict[str, Any] = {}
        conditions = _wanted(wanted, values, self.connection.dialect)
        clause = f"where {' and '.join(['true', *conditions])}"
        ((number,),) = self.connection.execute(f"select count(*) from contacts {clause}", values)
        page = f"{clause} order by created_at desc, id desc limit :limit_ offset :offset_"
        return list(self._read(page, values | {"limit_": limit, "offset_": offset})), int(number)


def _digits(number: str) -> str:
    return number.translate(dict.fromkeys(map(ord, _BETWEEN_DIGITS)))


def _wanted(wanted: ContactFilter, values: dict[str, Any], dialect: Dialect) -> Iterator[str]:
    """The conditions of a search for contacts, whose values go into `values`."""
    for column, has in (("email", wanted.has_email), ("phone_number", wanted.has_phone)):
        if has is not None:
            yield f"{column} is {'not ' if has else ''}null"
    if wanted.created_from is not None:
        values["from_"] = written(wanted.created_from)
        yield "created_at >= :from_"
    if wanted.created_to is not None:
        values["to_"] = written(wanted.created_to)
        yield "created_at <= :to_"
    if wanted.words:
        values["words_"] = f"%{literally(wanted.words.lower())}%"
        yield f"{dialect.lower(_searched(dialect))} like :words_ escape '\\'"
    if wanted.conversation or wanted.tags:
        theirs = [f"{_of_talk(name, dialect)} = :talk_{name}" for name in wanted.conversation]
        values |= {f"talk_{name}": value for name, value in wanted.conversation.items()}
        if wanted.tags:
            tags = {f"tag_{place}": tag for place, tag in enumerate(wanted.tags)}
            values |= tags
            tagged = [dialect.has_text("talk.document", "tags", value=f":{name}") for name in tags]
            theirs.append(f"({' or '.join(tagged)})")
        conditions = " and ".join(["talk.contact_id = contacts.id", *theirs])
        yield f"exists (select 1 from conversations talk where {conditions})"


def _of_talk(name: str, dialect: Dialect) -> str:
    """What a conversation has, in a column or in its document."""
    return f'talk."{name}"' if name in CONVERSATIONS.columns else dialect.text_in("talk.document", name)


def _searched(dialect: Dialect) -> str:
    """Where the words of a search for contacts may stand, each on a line."""
    names = (dialect.text_in("document", name) for name in ("first_name", "last_name"))
    lines = (f"coalesce({name}, '')" for name in ("email", "phone_number", "external_id"))
    return " || '\n' || ".join((" || ' ' || ".join(f"coalesce({name}, '')" for name in names), *lines))


class UsageRows:
    """What those who pay for models spend, month by month, in a table of theirs."""

    def __init__(self, connection: Connection, table: str = "usage", owner: str = "agent_id") -> None:
        self.connection, self.table, self.owner = connection, table, owner

    def of(self, id: str, month: str) -> Spending:
        """What one of them has spent in a month, `2026-11`."""
        return self._sums(id, " and month = :month", month=month).get(month, Spending(0, 0, 0, 0.0))

    def months(self, id: str) -> dict[str, Spending]:
        """What one of them has spent in each month."""
        return self._sums(id)

    def add(self, id: str, month: str, more: Spending, *, apart: bool = False) -> None:
        """Count more; `apart` in a row of this connection, since who changes the same row collides."""
        part = self.connection.dialect.part if apart else "0"
        sums = ", ".join(f"{name} = {self.table}.{name} + excluded.{name}" for name in Spending._fields)
        values = ", ".join(f":{name}" for name in Spending._fields)
        self.connection.execute(
            f"insert into {self.table} values (:id, :month, {part}, {values})"
            f" on conflict ({self.owner}, month, part) do update set {sums}",
            {"id": id, "month": month, **more._asdict()},
        )

    def _sums(self, id: str, condition: str = "", **values: str) -> dict[str, Spending]:
        sums = ", ".join(f"sum({name})" for name in Spending._fields)
        rows = self.connection.execute(
            f"select month, {sums} from {self.table} where {self.owner} = :id{condition}"
            " group by month order by month",
            {"id": id, **values},
        )
        return {str(month): _spending(*sums) for month, *sums in rows}


def _spending(turns: Any, prompt_tokens: Any, completion_tokens: Any, cost: Any) -> Spending:
    """Sums as numbers of ours: Postgres has wider ones for them."""
    return Spending(int(turns), int(prompt_tokens), int(completion_tokens), float(cost))
