"""Where everything meets: settings in, a backend out. The only module that knows all adapters."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from vivavoce.adapters import identity
from vivavoce.adapters.channels.known import KnownChannels
from vivavoce.adapters.documents.reading import ChildReader
from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.clients import EgressClients
from vivavoce.adapters.egress.outside import EgressOutside
from vivavoce.adapters.egress.places import place_of
from vivavoce.adapters.egress.web import FetchedWeb
from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.adapters.llms.chosen import ChosenModels, Endpoint
from vivavoce.adapters.vault import AesVault
from vivavoce.domain.http.signing import signing_secret
from vivavoce.domain.models import Price
from vivavoce.engine import Engine
from vivavoce.engine.faults import log_fault
from vivavoce.engine.keys import Keyring
from vivavoce.engine.library.ingestion import Ingester
from vivavoce.engine.time.inbox import Inbox
from vivavoce.engine.turns.lanes import watch
from vivavoce.errors import InvalidInput
from vivavoce.hosted.keys import ForwardedKeys, key_of
from vivavoce.operations import Backend, Effect
from vivavoce.ports import Index, Ports
from vivavoce.settings import Settings, calm_numerics
from vivavoce.unopened import LateStore, LateVault
from vivavoce.workspace import open_store, vault_of

if TYPE_CHECKING:
    from vivavoce.adapters.sql.postgres import PostgresStore
    from vivavoce.adapters.sql.sqlite import SqliteStore
    from vivavoce.hosted.backend import HostedBackend

__all__ = ["App", "at_work", "host_and_port", "index_folder", "open_app", "open_ports"]

_ANSWERS_AT_ONCE = 512
"""How many models may speak at the same time."""
_CALLS_AT_ONCE = 256
"""How many calls of tools and callbacks may be under way; they wait for no crawling."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class App:
    """What the surfaces serve."""

    backend: Backend
    keyring: Keyring | ForwardedKeys
    request_state_key: bytes
    """Signs what a client carries between two rounds of one call; the same in every process that serves."""
    ports: Ports
    ingester: Ingester
    inbox: Inbox
    is_hosted: bool = False
    """Whether the tools work on a hosted account, and not on the workspace here."""
    is_broken: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once a part of what works meanwhile has ended by a fault: then the process had better end, too."""

    async def signing_secret(self) -> str:
        """What signs the calls that this workspace makes."""
        return await self.ports.store.read(
            lambda tables: signing_secret(self.ports.vault.derived, tables.organization_id)
        )


@asynccontextmanager
async def open_app(settings: Settings, *, works: bool = False, stays: bool = False) -> AsyncIterator[App]:
    """The embedded engine on the workspace that the settings name, or the hosted account that they name.

    One that `works` ingests and does what is due meanwhile. One that `stays` is a server: it leaves what is
    due to workers, here or elsewhere, waits at its end for nothing that others can finish, and ends itself
    where a part of it broke.
    """
    is_late = bool(settings.chatvolt_api_key) and not stays  # then the workspace is hardly ever needed
    vault = LateVault(partial(vault_of, settings)) if is_late else vault_of(settings)
    async with open_ports(settings, vault) as ports:
        ingester = Ingester(ports)
        engine = Engine(
            ports,
            lambda effect: changed(effect),
            call_budget=settings.call_budget,
            backlog=settings.backlog,
            attends=not stays,
            keeps=timedelta(days=settings.keep_days) if settings.keep_days else None,
        )
        inbox = Inbox(ports, engine.worker.wake, settings.backlog)
        hosted, keyring = _hosted(settings, engine), Keyring(ports)

        def changed(effect: Effect) -> None:
            if effect is not Effect.SEND:  # what is said to people is nothing to read
                ingester.wake()
            inbox.forget()

        app = App(
            engine if hosted is None else hosted,
            ForwardedKeys(keyring) if settings.forward_keys.lower() == "on" else keyring,
            os.urandom(32) if is_late else vault.derived("request-state"),
            ports,
            ingester,
            inbox,
            is_hosted=hosted is not None,
        )
        is_at_work = works and hosted is None  # a hosted account has workers of its own
        chores = (ingester.run(), watch(ports), engine.worker.run()) if is_at_work else ()
        async with at_work(chores, app.is_broken, ends_process=stays):
            try:
                yield app
                await engine.close(at_once=works or stays)  # a command finishes what it began
            finally:
                await engine.close()
                if hosted is not None:
                    await hosted.close()


@asynccontextmanager
async def at_work(
    chores: Iterable[Coroutine[Any, Any, None]], is_broken: asyncio.Event, *, ends_process: bool
) -> AsyncIterator[None]:
    """Do chores until the block ends. One that ends by a fault is logged, and no chore fails unseen."""

    def ended(task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log_fault(_log, "What works in this process", error, logging.CRITICAL)
            is_broken.set()
            if ends_process:
                signal.raise_signal(signal.SIGTERM)  # as an operator would: what is under way is put in order

    working = [asyncio.create_task(each) for each in chores]
    for task in working:
        task.add_done_callback(ended)
    try:
        yield
    finally:
        for task in working:
            task.cancel()
        if working:
            await asyncio.wait(working)


@asynccontextmanager
async def open_ports(settings: Settings, vault: AesVault | LateVault) -> AsyncIterator[Ports]:
    """The ports on real adapters; with a late vault, the workspace is opened when it is first used."""
    calm_numerics()
    new_id = identity.Ids()
    store: SqliteStore | PostgresStore | LateStore
    if isinstance(vault, LateVault):
        store = LateStore(lambda: open_store(settings, vault.opened(), new_id))
    else:
        store = open_store(settings, vault, new_id)
    web = Egress(allow=settings.allowed_addresses)
    files = Egress(allow=settings.file_addresses, setting="VIVAVOCE_FILE_ADDRESSES")
    outside = Egress(allow=settings.allowed_addresses, at_once=_CALLS_AT_ONCE)
    own = Egress(allow=_own_places(settings))  # what the operator names is open to nobody else
    embedders = ChosenEmbedders(
        url=settings.embedder_url,
        model=settings.embedder_model,
        key=settings.embedder_key,
        send=_Sending(own),
        reranks=settings.reranker == "on",
    )
    index = _index(settings, own)
    endpoint, clients = _model_endpoint(settings), _model_clients(settings)
    try:
        yield Ports(
            store=store,
            vault=vault,
            reader=ChildReader(),
            web=FetchedWeb(web, files=files),
            embedders=embedders,
            index=index,
            models=ChosenModels(
                clients, keys=settings.provider_keys, endpoint=endpoint, prices=_prices(settings)
            ),
            outside=EgressOutside(outside),
            channels=KnownChannels(
                EgressOutside(outside),
                secret=partial(signing_secret, vault.derived),
                digest=vault.digest,
                now=identity.now,
            ),
            now=identity.now,
            new_id=new_id,
            new_secret=identity.new_secret,
        )
    finally:
        embedders.close()
        await index.close()
        await web.close()
        await files.close()
        await outside.close()
        await own.close()
        await clients.close()
        store.close()


def _hosted(settings: Settings, own: Engine) -> HostedBackend | None:
    """The hosted account, where the operator's settings or a caller's key name one."""
    if not settings.chatvolt_api_key and settings.forward_keys.lower() != "on":
        return None
    from vivavoce.hosted.backend import HostedBackend
    from vivavoce.hosted.calling import Calls

    return HostedBackend(Calls(settings.chatvolt_url), key_of(settings.chatvolt_api_key), own)


def index_folder(settings: Settings) -> Path:
    """Where the embedded index keeps its files."""
    return settings.database.with_suffix(".index")


def host_and_port(url: str) -> str:
    """What an Egress must allow for the operator's own address, which may be private."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


def _index(settings: Settings, egress: Egress) -> Index:
    """The index that the settings name; its code is loaded only if it is that one."""
    if settings.index.startswith(("postgres://", "postgresql://")):
        from vivavoce.adapters.pgvector import PgvectorIndex

        return PgvectorIndex(settings.index)
    if settings.index.startswith(("http://", "https://")):
        from vivavoce.adapters.qdrant import QdrantIndex

        return QdrantIndex(settings.index, settings.index_key, _Sending(egress))
    if settings.index:
        raise InvalidInput(
            "VIVAVOCE_INDEX must be the URL of a Qdrant server or of a Postgres database.",
            hint="Leave it empty for the embedded index.",
        )
    from vivavoce.adapters.index.embedded import EmbeddedIndex

    return EmbeddedIndex(index_folder(settings))


def _own_places(settings: Settings) -> tuple[str, ...]:
    """The hosts of the operator's own services, which may be private."""
    urls = [url for url in (settings.embedder_url, settings.index) if url.startswith(("http://", "https://"))]
    return tuple(dict.fromkeys(host_and_port(url) for url in urls))


class _Sending:
    """Sends requests to the operator's own services."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress

    async def __call__(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes
    ) -> tuple[int, bytes]:
        bounds = Bounds(timeout=60, max_bytes=64 * 2**20, redirects=0)
        answer = await self._egress.request(method, url, headers=headers, content=content, within=bounds)
        return answer.status, answer.body


def _model_clients(settings: Settings) -> EgressClients:
    """The ways to models. They are apart from others, which must not wait until answers are whole."""
    own = (host_and_port(settings.model_url),) if settings.model_url else ()
    return EgressClients(
        Egress(allow=own, at_once=_ANSWERS_AT_ONCE),
        Egress(allow=settings.allowed_addresses, at_once=_ANSWERS_AT_ONCE),
        Bounds(timeout=600, connect=10, max_bytes=16 * 2**20, redirects=0),
    )


def _model_endpoint(settings: Settings) -> Endpoint | None:
    if not settings.model_url:
        return None
    try:
        place_of(settings.model_url)
    except InvalidInput as error:
        raise InvalidInput(
            f"VIVAVOCE_MODEL_URL: {error.message}", hint="Give it up to /v1, e.g. http://127.0.0.1:11434/v1."
        ) from None
    return Endpoint(settings.model_url.rstrip("/"), settings.model, settings.model_key)


def _prices(settings: Settings) -> dict[str, Price]:
    return {name: Price(*price) for name, price in settings.prices.items()}
