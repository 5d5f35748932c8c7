"""Where the hosted service's objects and ours differ: what it leaves out, and what it says otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic.alias_generators import to_camel

from vivavoce.domain.conversations import Message, Note
from vivavoce.domain.crm import StepFields
from vivavoce.domain.tools import Tool
from vivavoce.operations.answers import AnswerSource, ApprovalAsked
from vivavoce.operations.contacts import ContactPage, ContactVariable
from vivavoce.operations.conversation_results import TagOn
from vivavoce.operations.crm_logs import LogShown
from vivavoce.operations.crm_results import Placement, ScenarioNamed, StepNamed
from vivavoce.operations.knowledge_results import Chunk, DatasourceContents, DatasourceShown, DatastoreShown
from vivavoce.operations.step_arguments import FLAT

Json = dict[str, Any]

ANYWHERE: Json = {"organization_id": "", "created_at": None, "updated_at": None, "also_removed": {}}
"""What it may leave out of anything: an embedded object has no dates, a deletion does not count."""

LEFT_OUT: dict[type[Any], Json] = {
    Tool: {"agent_id": ""},  # where it stands within an agent
    DatastoreShown: {"count": {"datasources": 0}},
    DatasourceShown: {"datastore_id": ""},
    DatasourceContents: {"text": ""},
    AnswerSource: {
        **{"text": "", "score": 0.0, "datasource_id": "", "datasource_name": "", "datasource_type": ""},
        **{"chunk_id": "", "number": 0, "document_id": "", "start": 0, "end": 0},
    },
    Chunk: {
        **{"datasource_id": "", "datasource_name": "", "tags": [], "headings": []},
        **{"document_id": "", "start": 0, "end": 0},
    },
    ApprovalAsked: {"id": "", "payload": {}},
    ContactVariable: {"source": "unknown"},
    Placement: {"available": True, "conversation": {"id": ""}, "scenario": {"id": ""}, "step": {"id": ""}},
    LogShown: {"conversation": {"id": ""}, "scenario": {"id": ""}, "step": {"id": "", "index": 0}},
    Message: {"conversation_id": ""},  # where they are listed for one conversation
    Note: {"conversation_id": ""},
    ScenarioNamed: {"name": ""},
    StepNamed: {"index": 0, "name": ""},
}
"""What it may leave out of one kind of thing, with what then stands there."""


def blanks_of(kind: type[Any]) -> Json:
    """What stands in the fields of `kind` that the hosted service may leave out."""
    found: Json = dict(ANYWHERE)
    for base in reversed(kind.__mro__):
        found |= LEFT_OUT.get(base, {})
    return found


def mends_of(kind: type[Any]) -> list[Callable[[Json], Json]]:
    """What brings an object of this kind into our form, before it is read."""
    return [mend for base, mend in _MENDS.items() if issubclass(kind, base)]


def _visibility(given: Json) -> Json:
    """Some answers say isPublic instead."""
    if "visibility" in given or not isinstance(given.get("isPublic"), bool):
        return given
    return {**given, "visibility": "public" if given["isPublic"] else "private"}


def _nested_groups(given: Json) -> Json:
    """What a step sends on entry, where it came flat only."""
    groups: dict[str, Json] = {}
    for flat, (group, key) in FLAT.items():
        value = given.get(to_camel(flat))
        if value is not None and given.get(group) is None:
            groups.setdefault(group, {})[to_camel(key)] = value
    return {**given, **groups}


def _tag(given: Json) -> Json:
    tag = given.get("tag", given.get("name"))
    return {"tag": tag.get("name", "") if isinstance(tag, dict) else tag}


def _counted_contacts(given: Json) -> Json:
    contacts = given.get("contacts")
    return given if "count" in given or not isinstance(contacts, list) else {**given, "count": len(contacts)}


_MENDS: dict[type[Any], Callable[[Json], Json]] = {
    DatastoreShown: _visibility,
    StepFields: _nested_groups,
    TagOn: _tag,
    ContactPage: _counted_contacts,
}
