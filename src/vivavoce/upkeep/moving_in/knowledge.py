"""Datastores and datasources that move in, with their texts as far as the account gives them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from vivavoce.domain.knowledge import Datasource, Datastore
from vivavoce.errors import VivavoceError
from vivavoce.hosted.rows import Row
from vivavoce.operations.knowledge import GetDatasource, ListDatasources, PageDatastores

from .account import PAGE, OutOfReach, together
from .moves import Move, few
from .texts import NO_TEXT, with_text
from .things import Thing


async def move_datastores(move: Move) -> list[str]:
    """Copy the datastores; the ids of those that the account has."""
    ids: list[str] = []
    async for rows in move.pages("datastores", lambda number, _: PageDatastores(offset=number, limit=PAGE)):
        made = [move.from_row("datastores", row, Datastore, embedder=None, dimension=None) for row in rows]
        await move.settler.settle([thing for thing in made if thing is not None])
        ids += [row.id for row in rows if row.shown is not None]
        move.told("datastores", len(ids), len(ids))
    return ids


async def move_datasources(move: Move, datastore_ids: list[str]) -> None:
    """Copy the datasources of datastores, with what they say."""
    copied = await move.settler.done("datasources")
    done = total = 0
    for datastore_id in datastore_ids:

        def page(number: int, _: Row | None, datastore_id: str = datastore_id) -> ListDatasources:
            return ListDatasources(datastore_id=datastore_id, offset=number, limit=PAGE)

        async for rows in move.pages("datasources", page, datastore_id):
            total += len(rows)
            done += len(rows) - len(undone := move.undone("datasources", rows, copied))
            for some in few(undone):
                made = await together([_datasource(move, row, datastore_id) for row in some])
                await move.settler.settle([thing for thing in made if thing is not None])
                done += len(some)
                move.told("datasources", done, total)


async def _datasource(move: Move, row: Row, datastore_id: str) -> Thing | None:
    if row.shown is None:
        move.report.fail("datasources", row.id, row.fault)
        return None
    text, unread = await _text(move, row, datastore_id)
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()

    def make() -> Thing:
        thing = move.home.thing("datasources", Datasource, row.shown, digest, datastore_id=datastore_id)
        source, said = with_text(thing.entity, text)
        lacking = [NO_TEXT] if source.status == "error" and not unread else []
        return replace(thing, entity=source, text=said, losses=[*thing.losses, *lacking], unread=unread)

    return move.made("datasources", row.id, make)


async def _text(move: Move, row: Row, datastore_id: str) -> tuple[str, list[str]]:
    """What a datasource says, and why that is not known."""
    if row.shown.type == "qa":
        return _question_and_answer(row.shown.config), []
    if row.shown.type == "web_site":
        return "", []
    try:
        found = await move.account.get(GetDatasource.parse({"id": row.id, "datastoreId": datastore_id}))
    except OutOfReach:
        raise
    except VivavoceError as error:
        return "", [f"its text could not be read: {error.message}"]
    return found.text, []


def _question_and_answer(config: Mapping[str, Any]) -> str:
    said = [config.get(name) for name in ("question", "answer")]
    return "\n\n".join(each.strip() for each in said if isinstance(each, str))
