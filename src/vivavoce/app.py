"""Where everything meets: settings in, a backend out. The only module that knows all adapters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from vivavoce.adapters import identity
from vivavoce.adapters.documents.reading import ChildReader
from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.clients import EgressClients
from vivavoce.adapters.egress.outside import EgressOutside
from vivavoce.adapters.egress.places import place_of
from vivavoce.adapters.egress.web import FetchedWeb
from vivavoce.adapters.embedders.chosen import ChosenEmbedders
from vivavoce.adapters.llms.chosen import ChosenModels, Endpoint
from vivavoce.adapters.sql.sqlite import SqliteStore, back_up, faults_in, forget_secrets
from vivavoce.adapters.vault import AesVault, key_from, key_in
from vivavoce.engine import Engine
from vivavoce.engine.callbacks import signing_secret
from vivavoce.engine.ingestion import Ingester
from vivavoce.engine.keys import Keyring
from vivavoce.engine.turns import watch
from vivavoce.errors import InvalidInput, StorageFailed
from vivavoce.operations import Backend
from vivavoce.ports import Index, Ports
from vivavoce.settings import Settings, calm_numerics

__all__ = [
    "App",
    "back_up_workspace",
    "check_master_key",
    "faults_of_workspace",
    "forget_workspace_secrets",
    "index_folder",
    "open_app",
    "open_ports",
]

_ANSWERS_AT_ONCE = 512
"""How many models may speak at the same time."""
_CALLS_AT_ONCE = 256
"""How many calls of tools and callbacks may be under way; they wait for no crawling."""
_HEAD = b"SQLite format 3\0"
_NAME_ANOTHER = "Let VIVAVOCE_DATABASE name a database, or a file that does not exist yet."


@dataclass(frozen=True)
class App:
    """What the surfaces serve."""

    backend: Backend
    keyring: Keyring
    request_state_key: bytes
    """Signs what a client carries between two rounds of one call; the same in every process."""
    ports: Ports
    ingester: Ingester

    async def signing_secret(self) -> str:
        """What signs the calls that this workspace makes."""
        return await self.ports.store.read(
            lambda tables: signing_secret(self.ports.vault, tables.organization_id)
        )


@asynccontextmanager
async def open_app(settings: Settings, *, works: bool = False) -> AsyncIterator[App]:
    """The embedded engine on the workspace that the settings name; one that `works` ingests meanwhile."""
    vault = _vault(settings)
    async with open_ports(settings, vault) as ports:
        ingester = Ingester(ports)
        engine = Engine(ports, ingester.wake)
        app = App(engine, Keyring(ports), vault.derived("request-state"), ports, ingester)
        working = [asyncio.create_task(each) for each in ((ingester.run(), watch(ports)) if works else ())]
        try:
            yield app
            await engine.close(at_once=works)  # a command finishes what it began
        finally:
            await engine.close()
            for task in working:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


@asynccontextmanager
async def open_ports(settings: Settings, vault: AesVault) -> AsyncIterator[Ports]:
    """The ports on real adapters."""
    calm_numerics()
    new_id = identity.Ids()
    store = SqliteStore(settings.database, vault, new_id=new_id)
    web = Egress(allow=settings.allowed_addresses)
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
            web=FetchedWeb(web),
            embedders=embedders,
            index=index,
            models=ChosenModels(clients, keys=settings.provider_keys, endpoint=endpoint),
            outside=EgressOutside(outside),
            now=identity.now,
            new_id=new_id,
            new_secret=identity.new_secret,
        )
    finally:
        embedders.close()
        await index.close()
        await web.close()
        await outside.close()
        await own.close()
        await clients.close()
        store.close()


def index_folder(settings: Settings) -> Path:
    """Where the embedded index keeps its files."""
    return settings.database.with_suffix(".index")


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
    return tuple(dict.fromkeys(_place(url) for url in urls))


def _place(url: str) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"


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
    own = (_place(settings.model_url),) if settings.model_url else ()
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


def back_up_workspace(settings: Settings, copy: Path) -> None:
    """Write a consistent copy of the workspace's database."""
    _check_database(settings.database)
    try:
        back_up(settings.database, copy)
    except StorageFailed as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise StorageFailed(
            f"{copy} cannot be written: {error.__cause__.strerror}.",
            hint="Name a file in a folder that exists and that you may write to.",
        ) from error


def forget_workspace_secrets(settings: Settings) -> None:
    """Let a workspace whose key is lost go on with a new key and without its secrets."""
    if not settings.database.exists():
        raise StorageFailed(f"There is no database at {settings.database}.")
    _check_database(settings.database)
    key = key_from(settings.master_key) if settings.master_key else key_in(settings.key_file)
    forget_secrets(settings.database, AesVault(key))


def faults_of_workspace(settings: Settings) -> list[str]:
    """What is wrong with the workspace's database file."""
    _check_database(settings.database)
    return faults_in(settings.database)


def check_master_key(settings: Settings) -> None:
    """Refuse a master key that cannot be one, or that is missing where the database needs it."""
    is_new = not _check_database(settings.database)
    if settings.master_key:
        AesVault(key_from(settings.master_key))
    elif settings.key_file.exists() or not is_new:
        AesVault(key_in(settings.key_file, may_make=False))


def _vault(settings: Settings) -> AesVault:
    is_new = not _check_database(settings.database)
    if settings.master_key:
        return AesVault(key_from(settings.master_key))
    return AesVault(key_in(settings.key_file, may_make=is_new))


def _check_database(path: Path) -> bool:
    """Whether there is something in the database; refused where it is not one."""
    try:
        if path.is_dir():
            raise StorageFailed(f"{path} is a folder, not a database.", hint=_NAME_ANOTHER)
        if not path.exists():
            return False
        with path.open("rb") as file:
            head = file.read(len(_HEAD))
    except OSError as error:
        raise StorageFailed(f"The database {path} cannot be read: {error.strerror}.") from error
    if head not in (b"", _HEAD):
        raise StorageFailed(f"{path} is another kind of file, not a database.", hint=_NAME_ANOTHER)
    return head != b""
