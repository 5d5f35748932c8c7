"""Avatars: who speaks for a corpus, what it has read, and what it answered."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from vivavoce.errors import InvalidInput

from .corpus.source_ids import MOST, checked_source_id
from .entities import Entity
from .faults import faults_of, in_words
from .values import Line, Name, Text, Unlisted
from .written import STORED, Dollars, Flag, Importance, LifeYear, Wish, WorkYear, Written, is_stored

Slug = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z0-9-]+$")]
Confidence = Literal["high", "medium", "low"]
ToolName = Literal["query_corpus", "generate_response", "get_avatar_info"]
TOOL_NAMES: tuple[ToolName, ...] = ("query_corpus", "generate_response", "get_avatar_info")
QUESTION_KEPT = 4_000
"""How many characters of a question the log keeps."""
_DISCLOSURES = {
    "en": "An AI that has studied {name}, not {name}. It quotes a fixed corpus.",
    "pt": "Uma IA que estudou {name}, n\u00e3o {name}. Cita um corpus fixo.",
    "es": "Una IA que ha estudiado a {name}, no {name}. Cita un corpus fijo.",
    "fr": "Une IA qui a \u00e9tudi\u00e9 {name}, non {name}. Elle cite un corpus fixe.",
    "de": "Eine KI, die {name} studiert hat, nicht {name}. Sie zitiert ein festes Korpus.",
    "it": "Un'IA che ha studiato {name}, non {name}. Cita un corpus fisso.",
}
_NEW = {
    "en": "An AI, not {name}. It has no corpus to quote yet.",
    "pt": "Uma IA, n\u00e3o {name}. Ainda n\u00e3o tem um corpus para citar.",
    "es": "Una IA, no {name}. Todav\u00eda no tiene un corpus que citar.",
    "fr": "Une IA, non {name}. Elle n'a pas encore de corpus \u00e0 citer.",
    "de": "Eine KI, nicht {name}. Sie hat noch kein Korpus, das sie zitieren kann.",
    "it": "Un'IA, non {name}. Non ha ancora un corpus da citare.",
}
"""Who speaks where nothing was read yet."""


def _day(given: Any, day: str) -> Any:
    """A date, also from a year alone."""
    if isinstance(given, date):
        return given
    is_number = isinstance(given, int) and not isinstance(given, bool)
    text = str(given).strip() if is_number or isinstance(given, str) else ""
    if re.fullmatch("[0-9]{4}", text):
        text = f"{text}-{day}"
    if re.match("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
        raise ValueError("must be a date such as 1977-05-02, or a year")
    return text


class DateRange(Written):
    """From when to when the corpus was written; a year alone is the whole year."""

    start: Annotated[date, BeforeValidator(lambda given: _day(given, "01-01"))] | None = None
    end: Annotated[date, BeforeValidator(lambda given: _day(given, "12-31"))] | None = None

    @model_validator(mode="after")
    def _in_order(self, given: ValidationInfo) -> DateRange:
        """Refuses a range that ends before it begins, except one that was stored before anybody looked."""
        if not is_stored(given) and self.start is not None and self.end is not None and self.end < self.start:
            raise ValueError(f"its start, {self.start}, must not be after its end, {self.end}")
        return self


class Work(Written):
    """A work that the configuration names."""

    title: Name
    type: Line
    year: WorkYear | None = None
    url: Line | None = None
    archive_url: Line | None = None
    verified: Flag = False
    notes: Text | None = None


class Corpus(Written):
    """What the avatar speaks for."""

    description: Text
    date_range: DateRange | None = None
    sources: list[Work]


class Persona(Written):
    """How the avatar speaks."""

    identity: Text
    tone: Text
    constraints: list[Text]
    citation_style: Text


class Server(Written):
    """How the avatar's MCP server presents itself."""

    name: Name | None = None
    version: Line | None = None
    tools: list[ToolName] | None = None


class Config(Written):
    """The `config.json` of an avatar."""

    id: Slug
    name: Name
    description: Text
    birth_year: LifeYear | None = None
    death_year: LifeYear | None = None
    expertise: list[Line] = []
    corpus: Corpus
    system_prompt: Persona
    own_disclosure: Annotated[Line | None, Field(alias="disclosure")] = None
    mcp: Server | None = None
    mcp_server: Server | None = None
    model: Wish | None = None
    """The model that drafts its answers; blank for the one of the settings. A key of ours too."""
    monthly_budget: Dollars | None = None
    """US dollars that its model may cost in a month. A key of ours, which the format does not know."""

    @property
    def tools(self) -> tuple[ToolName, ...]:
        """The tools that its server offers, in the fixed order; all of them where it names none."""
        for section in (self.mcp, self.mcp_server):
            if section is not None and section.tools is not None:
                return tuple(name for name in TOOL_NAMES if name in section.tools)
        return TOOL_NAMES

    @property
    def server_name(self) -> str:
        """What its server calls itself."""
        return (self.mcp and self.mcp.name) or f"avatar-{self.id}"

    @property
    def server_version(self) -> str:
        """The version of its server."""
        return (self.mcp and self.mcp.version) or "1.0.0"

    def disclosure(self, language: str = "en", *, has_read: bool = True) -> str:
        """Who speaks: said to everyone who asks. In its own words, where it has some."""
        own = (self.own_disclosure or "").strip()
        return own or (_DISCLOSURES if has_read else _NEW)[language].format(name=self.name)

    @property
    def ends(self) -> date | None:
        """The last day that the corpus speaks of; the end of the thinker's life where it says none."""
        if self.corpus.date_range is not None and self.corpus.date_range.end is not None:
            return self.corpus.date_range.end
        return None if not self.death_year or self.death_year < 1 else date(self.death_year, 12, 31)


class Source(Written):
    """An entry of `sources.json`: something that the avatar has read, or should."""

    model_config = ConfigDict(alias_generator=None)

    id: Annotated[str, Field(min_length=1, max_length=MOST), AfterValidator(checked_source_id)]
    title: Name
    authors: list[Line] = []
    year: WorkYear | None = None
    type: Line = "article"
    description: Text | None = None
    url: Line | None = None
    archive_url: Line | None = None
    license: Line | None = None
    format: Line | None = None
    verified: Flag = False
    priority: Importance = "primary"
    topics: list[Line] = []

    @property
    def is_primary(self) -> bool:
        """Whether it is read without being named."""
        return self.priority != "secondary"


class Avatar(Entity):
    """A persona over a datastore. `id` is the one of its configuration."""

    config: dict[str, Any]
    """The configuration as it was written, with all its keys."""
    sources: list[dict[str, Any]] = []
    """The sources as they were written."""
    datastore_id: str
    is_public: bool = False
    """Whether strangers may question it."""

    @property
    def about(self) -> Config:
        """The configuration, read."""
        return read_config(self.config, is_stored=True)

    @property
    def monthly_budget(self) -> float | None:
        """US dollars that its model may cost in a month; None for any."""
        return self.about.monthly_budget

    @property
    def read(self) -> list[Source]:
        """The sources, read."""
        return read_sources(self.sources, is_stored=True)


class Answered(Entity):
    """A question that an avatar was asked, and what it said: the audit log."""

    avatar_id: str
    question: str
    """Its beginning, where it is very long: anyone may ask a public avatar, and each question is kept."""
    question_size: int | None = None
    question_hash: str | None = None
    """How many characters the whole question had, and its SHA-256, where only the beginning is kept."""
    response: str
    confidence: Confidence
    abstained: bool
    corpus_version: str
    asked_by: str
    """The id of the caller."""
    citations: list[dict[str, Any]] = []
    why: Annotated[dict[str, Any], Unlisted] = {}
    """The passages with their scores, the claims that were kept and those that were dropped, with reasons."""

    @model_validator(mode="before")
    @classmethod
    def _begun(cls, given: Any) -> Any:
        question = given.get("question") if isinstance(given, dict) else None
        if not isinstance(question, str) or len(question) <= QUESTION_KEPT:
            return given
        digest = hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()
        begun = {"question": question[:QUESTION_KEPT], "question_size": len(question)}
        return {**given, **begun, "question_hash": digest}


def read_config(given: dict[str, Any], *, is_stored: bool = False) -> Config:
    """A configuration; InvalidInput names the key and what was expected there."""
    try:
        return Config.model_validate(given, context={STORED: is_stored})
    except ValidationError as error:
        raise _refused("config.json", error) from None


def read_sources(given: Iterable[dict[str, Any]], *, is_stored: bool = False) -> list[Source]:
    """The entries of `sources.json`; InvalidInput names the key and what was expected there."""
    found: dict[str, Source] = {}
    for place, each in enumerate(given):
        try:
            source = Source.model_validate(each, context={STORED: is_stored})
        except ValidationError as error:
            raise _refused(f"sources.json: sources.{place}", error) from None
        if source.id in found:
            raise InvalidInput(f"sources.json: the id {source.id!r} stands there twice.")
        found[source.id] = source
    return list(found.values())


def corpus_version(documents: Iterable[tuple[str, str]]) -> str:
    """A name for what a corpus says now, from each datasource and the hash of its text."""
    lines = "\n".join(f"{source} {digest}" for source, digest in sorted(documents))
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def _refused(file: str, error: ValidationError) -> InvalidInput:
    faults = faults_of(error)
    return InvalidInput(f"{file}: {in_words(faults)}.", details=faults)
