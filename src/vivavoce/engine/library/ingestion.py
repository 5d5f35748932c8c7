"""Ingestion: who works on which datasource, for how long, and what happens when it fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from datetime import timedelta
from functools import partial

from vivavoce.domain.corpus.library import Ingestion
from vivavoce.errors import (
    InvalidInput,
    LimitReached,
    NotAllowed,
    NotAvailable,
    StorageFailed,
    TooLarge,
    Unreadable,
    UpstreamFailed,
    VivavoceError,
)
from vivavoce.ports import Ports, Tables

from .indexing import sweep
from .splitting import LEASE, Lost, Task, ours

_BEAT = 3.0
_POLL = 3.0
_TRIES = 8
_FIRST_WAIT, _LONGEST_WAIT = timedelta(seconds=5), timedelta(minutes=30)
_FOR_GOOD = (Unreadable, InvalidInput, NotAllowed, TooLarge)
"""What trying again does not mend."""
_FOR_NOW = (UpstreamFailed, NotAvailable, StorageFailed, LimitReached)

_log = logging.getLogger(__name__)


class Ingester:
    """Works on datasources, one at a time. Any number of them may work on one store."""

    def __init__(self, ports: Ports) -> None:
        self.ports = ports
        self._woken = asyncio.Event()
        self._filled: set[str] = set()
        """Datasources whose passages went into the index since it was settled last."""

    def wake(self) -> None:
        """There may be something to do."""
        self._woken.set()

    async def run(self) -> None:
        """Work for ever."""
        while True:
            self._woken.clear()
            try:
                await self.finish()
            except VivavoceError as error:
                _log.warning("Ingestion stands still: %s", error)
            except Exception:
                _log.exception("Ingestion stands still.")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL):  # wait_for may swallow that this task is cancelled
                    await self._woken.wait()

    async def finish(self, datastore_id: str | None = None) -> None:
        """Work until nothing is due."""
        while await self.work(datastore_id):
            pass
        await sweep(self.ports)
        filled, self._filled = self._filled, set()
        if filled:
            for name in await self.ports.store.read(partial(_collections, filled)):
                await self.ports.index.settle(name)

    async def work(self, datastore_id: str | None = None) -> bool:
        """Take the next piece of work, if there is one, and do it; whether there was."""
        now = self.ports.now()
        claimed = await self.ports.store.write(
            lambda tables: tables.ingestions.claim(now, now + LEASE, datastore_id)
        )
        if claimed is None:
            return False
        self._filled.add(claimed.datasource_id)
        beating = asyncio.create_task(self._beat(claimed))
        try:
            if claimed.attempts > _TRIES:
                await self._give_up(claimed)
            else:
                await Task(claimed, self.ports).run()
        except Lost:
            pass
        except _FOR_GOOD as error:
            await self._fail(claimed, str(error))
        except _FOR_NOW as error:
            await self._postpone(claimed, str(error), _wait(claimed))
        except asyncio.CancelledError:
            await self._postpone(claimed, None, timedelta(0))  # who starts next goes on at once
            raise
        except Exception:  # one datasource with a fault that nobody foresaw must not stop the others
            _log.exception("Ingestion of datasource %s failed.", claimed.datasource_id)
            await self._postpone(claimed, "An unexpected fault; see the log.", _wait(claimed))
        finally:
            beating.cancel()
        return True

    async def _beat(self, claimed: Ingestion) -> None:
        """Keep the work ours while one step of it takes long."""
        while True:
            await asyncio.sleep(_BEAT)
            with contextlib.suppress(Lost, StorageFailed):
                await self.ports.store.write(partial(ours, claimed, self.ports))

    async def _give_up(self, claimed: Ingestion) -> None:
        """Stop trying. The file or what was read of it is kept, so that the work can be taken up again."""
        source = await self.ports.store.read(lambda tables: tables.datasources.find(claimed.datasource_id))
        last = "" if source is None or source.error is None else f" {source.error}"
        said = f"Given up after {_TRIES} tries.{last} Ask for it again with synch."
        await self._fail(claimed, said, keeps_file=True)

    async def _fail(self, claimed: Ingestion, error: str, *, keeps_file: bool = False) -> None:
        def failed(tables: Tables) -> None:
            source = ours(claimed, self.ports, tables)
            tables.datasources.replace(source.changed(self.ports.now(), status="error", error=error))
            unfinished = tables.documents.of(source.id, "next")
            if unfinished is not None and not unfinished.hash:
                tables.passages.retire(unfinished.id)
                tables.documents.drop(unfinished.id)
            if not keeps_file:
                tables.uploads.drop(source.id)
            tables.ingestions.finish(claimed)

        with contextlib.suppress(Lost):
            await self.ports.store.write(failed)

    async def _postpone(self, claimed: Ingestion, error: str | None, wait: timedelta) -> None:
        def postponed(tables: Tables) -> None:
            source = ours(claimed, self.ports, tables)
            tables.datasources.replace(source.changed(self.ports.now(), status="pending", error=error))
            tables.ingestions.postpone(claimed, self.ports.now() + wait)

        with contextlib.suppress(Lost):
            await self.ports.store.write(postponed)


def _wait(claimed: Ingestion) -> timedelta:
    """How long to wait before the next try: twice as long as before the last one."""
    return min(_FIRST_WAIT * (1 << claimed.attempts - 1), _LONGEST_WAIT)


def _collections(datasource_ids: set[str], tables: Tables) -> list[str]:
    """The names of the collections that datasources belong to."""
    found = tables.datasources.within("id", sorted(datasource_ids))
    stores = sorted({source.datastore_id for source in found})
    return [collection.name for store in stores for collection in tables.collections.of(store)]
