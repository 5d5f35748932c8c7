"""Files of an avatar: how they are written down, and what a document of the corpus is stored with."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from vivavoce.errors import InvalidInput

from .avatars import TOOL_NAMES, Config, Source
from .constraints import constraints_in
from .corpus.splittings import OVERLAP, READ, SIZE, USUAL, Splitting
from .http.addresses import checked_address
from .values import NAME

MIME_TYPES = {
    "pdf": "application/pdf",
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
}
"""The endings that a document of a corpus may have, and the type that each stands for."""
SETTINGS_HASH = "settings_hash"
"""The setting of a datasource that keeps the SHA-256 of what `sources.json` gave it."""
_TAG = 25
"""The most characters of a tag."""
_SETTINGS = ("custom_id", "source_url", "mime_type", "tags", SIZE, OVERLAP, SETTINGS_HASH)


def json_in(content: bytes, file: str) -> dict[str, Any]:
    """The JSON object that a file holds; InvalidInput names the file, the place and what was expected."""
    try:
        found = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file}: byte {error.start} is not UTF-8.", hint="Save it as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{file}: line {error.lineno}, column {error.colno}: this is not JSON ({error.msg}).",
            hint="Look for a comma or a quotation mark that is missing there, or one too many.",
        ) from None
    except RecursionError:
        raise InvalidInput(f"{file}: it is nested too deep.") from None
    except ValueError as error:
        raise InvalidInput(f"{file}: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"{file}: a JSON object in {{}} was expected, not {_kind(found)}.")
    return found


def sources_in(found: dict[str, Any], file: str) -> list[dict[str, Any]]:
    """The entries that the contents of `sources.json` list, unread; InvalidInput where there is no list."""
    if "sources" not in found:
        raise InvalidInput(f"{file}: sources: is required, a list of what the avatar has read.")
    entries = found["sources"]
    if not isinstance(entries, list):
        raise InvalidInput(f"{file}: sources: a list was expected, not {_kind(entries)}.")
    for place, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise InvalidInput(
                f"{file}: sources.{place}: a JSON object in {{}} was expected, not {_kind(entry)}."
            )
    return entries


def warnings_of(about: Config, splitting: Splitting = USUAL) -> list[str]:
    """What a configuration may say, but hardly means, in sentences."""
    said: list[str] = []
    if not about.tools:
        said.append(
            "config.json: mcp.tools is empty, so the server of this avatar offers nothing. "
            f"Name {', '.join(TOOL_NAMES)} there, or leave the key out for all of them."
        )
    if splitting.size > READ:
        said.append(
            f"config.json: vectorStore.chunkSize is {splitting.size}, and the built-in embedders read {READ} "
            "tokens of a passage. What stands behind them is found by its words alone."
        )
    return said


def unheeded_of(about: Config) -> list[str]:
    """What a persona asks for and only a model can heed, in sentences."""
    return [
        f"config.json: systemPrompt.constraints: {rule!r} is heeded only where a model drafts the answers."
        for rule in constraints_in(about.system_prompt.constraints).others
    ]


def new_config(id: str, name: str, description: str) -> dict[str, Any]:
    """A configuration to begin with, complete and to be edited by a person."""
    return {
        "id": id,
        "name": name,
        "description": description,
        "expertise": [],
        "corpus": {"description": f"Writings of {name}.", "sources": []},
        "systemPrompt": {
            "identity": f"You are an AI that has studied the writings of {name}. You are not {name}.",
            "tone": "Clear, precise and friendly.",
            "constraints": [
                "Say only what the corpus says, and quote it.",
                "Where the corpus is silent, say so.",
            ],
            "citationStyle": "Title (year), p. page",
        },
        "mcp": {"name": f"avatar-{id}", "version": "1.0.0", "tools": list(TOOL_NAMES)},
    }


def new_sources(id: str, documents: Iterable[str]) -> dict[str, Any]:
    """The contents of a `sources.json` to begin with; it lists the documents whose ids are given."""
    return {
        "avatar": id,
        "corpus_description": "",
        "sources": [
            {
                "id": document,
                "title": spelt_out(document),
                "authors": [],
                "year": None,
                "type": "article",
                "url": None,
                "license": None,
                "verified": False,
                "priority": "primary",
                "topics": [],
            }
            for document in documents
        ],
    }


def spelt_out(id: str) -> str:
    """A name made of an id: `elinor-ostrom` gives Elinor Ostrom."""
    words = re.split(r"[-_.\s]+", id)
    return " ".join(word[:1].upper() + word[1:] for word in words if word)[:NAME] or id


def datasource_id_for(datastore_id: str, source_id: str) -> str:
    """The id of the datasource of a source: always the same, so that two who process at once make one."""
    return f"s{hashlib.sha256(f'{datastore_id}/{source_id}'.encode()).hexdigest()[:31]}"


def settings_for(source: Source, ending: str, splitting: Splitting, before: dict[str, Any]) -> dict[str, Any]:
    """What the datasource of a source is stored with; what others have set `before` stays."""
    settings: dict[str, Any] = {
        "custom_id": source.id,
        "mime_type": MIME_TYPES[ending],
        "tags": [topic for topic in dict.fromkeys(source.topics) if 0 < len(topic.strip()) <= _TAG],
        **splitting.settings,
    }
    url = _address(source)
    if url is not None:
        settings["source_url"] = url
    written = json.dumps([source.title, settings], sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
    kept = {name: value for name, value in before.items() if name not in _SETTINGS}
    return {**kept, **settings, SETTINGS_HASH: digest}


def _address(source: Source) -> str | None:
    """Where the source can be read, if one of its addresses leads there."""
    for url in (source.url, source.archive_url):
        if url:
            try:
                return checked_address(url)
            except ValueError:
                continue
    return None


def _kind(found: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(found), "a number")


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")
