"""Every setting. The only module that reads the environment."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from vivavoce.errors import InvalidInput

PREFIX = "VIVAVOCE_"
_SELECTION = "_VIVAVOCE_SELECTION"
"""Between our own processes; no setting."""
_POSTGRES = ("postgres://", "postgresql://")
_NUMBERS = {
    "port": ("a port", 0, 65_535),
    "call_budget": ("a number of seconds", 1, 600),
    "backlog": ("a number of events", 1, 10_000_000),
    "keep_days": ("0, or a number of days", 14, 3_650),
}
_MAY_BE_OFF = {"keep_days"}
"""Numbers that may be 0 as well."""
_PRICE = re.compile(r"(.+)=(\d{1,6}(?:\.\d{1,9})?)/(\d{1,6}(?:\.\d{1,9})?)", re.ASCII)
_HOST_AND_NAME = re.compile(r"\w+://(?:[^/]*@)?([\w.:,\[\]-]+)/([\w.-]+)(?:\?.*)?$")


@dataclass(frozen=True)
class Settings:
    """How this program is set up. A field is read from VIVAVOCE_ and its name in capitals."""

    database: Path
    """The SQLite file that is the workspace, or the URL of the Postgres database (postgresql://) that is."""
    key_file: Path
    """The file with the master key for secrets. Made on first use; keep a copy of it."""
    master_key: str = field(default="", repr=False)
    """The master key itself (base64 of 32 bytes), instead of a file."""
    database_url: str = field(default="", repr=False, metadata={"is_part": True})  # it may hold a password
    """The database where it is a URL. Its path then only says beside what the key and the index lie."""
    host: str = "127.0.0.1"
    """The address that `vivavoce serve` listens on."""
    port: int = 8377
    """The port that `vivavoce serve` listens on."""
    allowed_hosts: tuple[str, ...] = ()
    """Further Host headers to answer to, separated by commas, e.g. agents.example.com."""
    allowed_origins: tuple[str, ...] = ()
    """Further web origins that may call, separated by commas, e.g. https://console.example.com."""
    public_url: str = ""
    """The address under which others reach this server, e.g. https://agents.example.com behind a proxy."""
    call_budget: int = 45
    """Seconds that a call waits for an answer which is held, or for earlier messages of its conversation, 1
    to 600. After that it gets a messageId, with which get_answer fetches the answer. Over MCP an avatar's
    model has as long; after that the avatar answers with sentences of its corpus."""
    backlog: int = 200_000
    """How many events of channels may wait to be heard, and how many messages for a job to answer them. Where
    either is reached, providers and callers are told to send it later."""
    keep_days: int = 90
    """How many days records of finished work are kept: events of providers, deliveries, and why an answer was
    given. 14 to 3650, so that an event which a provider repeats is known, or 0 for ever. Messages stay."""
    log_level: str = "WARNING"
    """What is written to stderr: DEBUG, INFO, WARNING or ERROR."""
    index: str = field(default="", repr=False)  # a database's URL may hold a password
    """Where vectors are searched: nothing for files beside the database, or the URL of a Qdrant server
    (http:// or https://) or of a Postgres database with pgvector (postgresql://)."""
    index_key: str = field(default="", repr=False)
    """The API key of the Qdrant server, if it wants one."""
    embedder_url: str = ""
    """An endpoint for embeddings that speaks the OpenAI protocol, e.g. http://127.0.0.1:11434/v1 for Ollama.
    Nothing for the built-in models."""
    embedder_model: str = ""
    """The model to ask for at that endpoint; without one, the built-in model that every new datastore gets,
    bge-small-en-int8 or multilingual-e5-small-int8, instead of the one for its language."""
    embedder_key: str = field(default="", repr=False)
    """The API key of that endpoint, if it wants one."""
    reranker: str = "off"
    """Whether the built-in reranker reads the best passages again: on or off. Slower, sharper in English."""
    allowed_addresses: tuple[str, ...] = ()
    """Private addresses, as host:port, with commas, that may be called although they are not public: by
    datasources, HTTP tools, webhooks and channels, as a callbackURL and as the stored address of a provider.
    Whoever may set one of these reaches them."""
    file_addresses: tuple[str, ...] = ()
    """Private addresses, as host:port, with commas, from which files and pictures of messages are fetched,
    such as a bridge that keeps them. Whoever may ask an agent, or writes on a channel, has them read."""
    model_url: str = ""
    """An endpoint for language models that speaks the OpenAI protocol, e.g. http://127.0.0.1:11434/v1 for
    Ollama. It answers where no provider of the agent's model has a key."""
    model: str = ""
    """The model to ask for at that endpoint. Nothing for the name that the agent has."""
    model_key: str = field(default="", repr=False)
    """The API key of that endpoint, if it wants one."""
    model_prices: tuple[str, ...] = ()
    """What models cost that the program knows no price of, or another one: the name of the model, then US
    dollars for a million tokens read and written, with commas, e.g. llama3.3=0/0,ft:gpt-4.1=3/12. An agent
    with a monthlyBudget is answered by no model without a price."""
    openai_api_key: str = field(default="", repr=False)
    """The key of OpenAI. Each of these keys is sent to its provider alone, and read without VIVAVOCE_."""
    anthropic_api_key: str = field(default="", repr=False)
    """The key of Anthropic."""
    gemini_api_key: str = field(default="", repr=False)
    """The key of Google's Gemini."""
    google_api_key: str = field(default="", repr=False)
    """The same key under its older name."""
    mistral_api_key: str = field(default="", repr=False)
    """The key of Mistral."""
    groq_api_key: str = field(default="", repr=False)
    """The key of Groq."""
    openrouter_api_key: str = field(default="", repr=False)
    """The key of OpenRouter, which has most models."""
    deepseek_api_key: str = field(default="", repr=False)
    """The key of DeepSeek."""
    xai_api_key: str = field(default="", repr=False)
    """The key of xAI."""
    maritaca_api_key: str = field(default="", repr=False)
    """The key of Maritaca."""
    aws_region: str = ""
    """The region of Amazon Bedrock. It is used where there are keys for it, too."""
    aws_access_key_id: str = field(default="", repr=False)
    """The id of the access key for Bedrock."""
    aws_secret_access_key: str = field(default="", repr=False)
    """The secret of that access key."""
    aws_session_token: str = field(default="", repr=False)
    """The session token that goes with it, if there is one."""
    aws_bearer_token_bedrock: str = field(default="", repr=False)
    """A key of Bedrock itself, instead of an access key."""
    chatvolt_api_key: str = field(default="", repr=False)
    """The key of a hosted account, read from CHATVOLT_API_KEY. With it, tools work on that account."""
    chatvolt_url: str = "https://api.chatvolt.ai"
    """The address of the hosted service."""
    forward_keys: str = "off"
    """Whether a bearer token that is no key of this server is taken for a key of the hosted service, so that
    calls are made with it: on or off."""

    @property
    def workspace(self) -> str:
        """Where the workspace is, for people: no name of a user, no password."""
        if not self.database_url:
            return str(self.database)
        named = _HOST_AND_NAME.match(self.database_url)
        return f"the Postgres database {named[2]} at {named[1]}" if named else "the Postgres database"

    @property
    def url_host(self) -> str:
        """The address as a URL writes it: one of IPv6 stands in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def prices(self) -> dict[str, tuple[float, float]]:
        """What models cost, by their names: US dollars for a million tokens read, and written."""
        found = [_PRICE.fullmatch(each) for each in self.model_prices]
        return {each[1]: (float(each[2]), float(each[3])) for each in found if each is not None}

    @property
    def provider_keys(self) -> dict[str, dict[str, str]]:
        """What opens the door of each provider of models that has a key."""
        found = {
            "openai": self.openai_api_key,
            "anthropic": self.anthropic_api_key,
            "google": self.gemini_api_key or self.google_api_key,
            "mistral": self.mistral_api_key,
            "groq": self.groq_api_key,
            "openrouter": self.openrouter_api_key,
            "deepseek": self.deepseek_api_key,
            "xai": self.xai_api_key,
            "maritaca": self.maritaca_api_key,
        }
        keys = {provider: {"api_key": key} for provider, key in found.items() if key}
        if self.aws_region and (self.aws_access_key_id or self.aws_bearer_token_bedrock):
            keys["bedrock"] = {
                "region_name": self.aws_region,
                "aws_access_key_id": self.aws_access_key_id,
                "aws_secret_access_key": self.aws_secret_access_key,
                "aws_session_token": self.aws_session_token,
                "api_key": self.aws_bearer_token_bedrock,
            }
        return keys

    @classmethod
    def read(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """The settings that an environment asks for; a wrong value is an InvalidInput that names it."""
        environment = os.environ if environment is None else environment
        folder = _data_folder(environment)
        named = environment.get(variable("database"), "")
        url = named if named.startswith(_POSTGRES) else ""
        database = folder / ("postgres.db" if url else "vivavoce.db")
        if named and not url:
            database = _path("database", named)
        given = {
            each.name: _parsed(each.name, str(each.type), text)
            for each in settable()
            if (text := environment.get(variable(each.name), "")) != ""
        }
        given |= {"database": database, "database_url": url}
        defaults = {"key_file": database.with_suffix(".key")}
        return cls(**{**defaults, **given})  # type: ignore[arg-type]  # parsed by the type that each field has


def settable() -> list[Field[Any]]:
    """The fields of the settings that are settings of their own."""
    return [each for each in fields(Settings) if "is_part" not in each.metadata]


def hand_down(settings: Settings, selection: str) -> None:
    """Let the processes that are started from here read the host again, and which tools to offer."""
    os.environ |= {variable("host"): settings.host, _SELECTION: selection}


def handed_down() -> str:
    """Which tools to offer, as the process that started this one wrote it; nothing where none did."""
    return os.environ.get(_SELECTION, "")


def calm_numerics() -> None:
    """Let numpy work in the thread that calls it, unless the user wants it otherwise.

    Its own threads make one search a little faster on an idle machine and several times slower beside
    other work, such as the ingestion of a folder. They are settled when numpy is first imported.
    """
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def variable(name: str) -> str:
    """The environment variable of a setting; keys of others have the names that others gave them."""
    is_theirs = name.endswith("_api_key") or name.startswith("aws_")
    return name.upper() if is_theirs else PREFIX + name.upper()


def user_folder() -> Path:
    """The folder of the user who runs this program."""
    return Path.home()


def _parsed(name: str, kind: str, text: str) -> object:
    if kind == "Path":
        return _path(name, text)
    if kind == "int":
        what, least, most = _NUMBERS[name]
        is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
        is_off = name in _MAY_BE_OFF and text == "0"
        if not is_off and (not is_number or not least <= int(text) <= most):
            raise InvalidInput(f"{variable(name)} must be {what}, {least} to {most}.")
        return int(text)
    if name == "log_level" and text.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise InvalidInput(f"{variable(name)} must be DEBUG, INFO, WARNING or ERROR.")
    if name in ("reranker", "forward_keys") and text.lower() not in ("on", "off"):
        raise InvalidInput(f"{variable(name)} must be on or off.")
    if kind.startswith("tuple"):
        parts = tuple(part.strip() for part in text.split(",") if part.strip())
        if name == "model_prices" and not all(map(_PRICE.fullmatch, parts)):
            raise InvalidInput(f"{variable(name)} must be prices such as llama3.3=0.2/0.6, with commas.")
        return parts
    return text


def _path(name: str, text: str) -> Path:
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"{variable(name)}: there is no home folder for {text!r}.") from error


def _data_folder(environment: Mapping[str, str]) -> Path:
    """Where the user's programs keep their data on this system."""
    home = Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "vivavoce"
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "vivavoce"
    return Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share") / "vivavoce"
