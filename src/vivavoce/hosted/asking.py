"""Operations in the words of the wire: the mirror of what our own REST surface reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from pydantic.alias_generators import to_camel

from vivavoce.errors import InvalidInput, NotAvailable
from vivavoce.operations import Effect, Operation, Route
from vivavoce.operations.agents import CreateAgent, ListAgents, UpdateAgent
from vivavoce.operations.answers import AgentQuery
from vivavoce.operations.avatars import GenerateResponse
from vivavoce.operations.crm import CreateCrmStep, UpdateCrmStep
from vivavoce.operations.crm_moves import (
    AddConversationToScenario,
    MoveConversation,
    RemoveConversationFromScenario,
)
from vivavoce.operations.knowledge import CreateDatasource
from vivavoce.operations.step_arguments import FLAT
from vivavoce.operations.uploads import AddFile

from .exchanges import ANSWER, WHOLE, Asked

Json = dict[str, Any]

_OURS_ALONE: dict[type[Operation[Any]], frozenset[str]] = {
    CreateAgent: frozenset(("monthlyBudget", "fallbackModelName")),
    UpdateAgent: frozenset(("monthlyBudget", "fallbackModelName")),
    AgentQuery: frozenset(("isTest", "isAside")),
    AddConversationToScenario: frozenset(("expectedStepId", "force")),
    MoveConversation: frozenset(("expectedStepId", "force")),
    RemoveConversationFromScenario: frozenset(("expectedStepId",)),
    ListAgents: frozenset(("limit", "offset")),
}
"""Arguments that the hosted service does not know."""
_KEPT_HERE = frozenset((ListAgents,))
"""Operations whose unknown arguments are heeded here."""


def asked(op: Operation[Any], **changed: Any) -> Asked:
    """The request that an operation comes to. What the caller gave arrives as it is: 0, false and ""."""
    assert op.spec.route is not None
    return asked_by(op.spec.route, op, given(op) | changed)


def given(op: Operation[Any]) -> Json:
    """What the caller gave, by the names of the wire and without what the hosted service does not know."""
    sent = op.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for name in _OURS_ALONE.get(type(op), ()):
        value = sent.pop(name, None)
        if value is not None and value is not False and type(op) not in _KEPT_HERE:
            raise NotAvailable(
                f"The hosted service knows no {name}.",
                hint=f"Leave {name} out, or work on the embedded engine.",
            )
    if isinstance(op, CreateCrmStep):
        return _flat(sent)
    return _nested(sent) if isinstance(op, UpdateCrmStep) else sent


def asked_by(route: Route, op: Operation[Any], sent: Json) -> Asked:
    """The request for these arguments, each by the name that the hosted service has for it."""
    theirs = {ours: name for name, ours in op.spec.rest_names.items() if ours not in route.path_names}
    return request_of(route, op, {theirs.get(name, name): value for name, value in sent.items()})


def request_of(route: Route, op: Operation[Any], sent: Json) -> Asked:
    """The request for these arguments: some in the path, the others in the address or the body."""
    path, named = route.path, route.path_names
    for name in named:
        path = path.replace(f"{{{name}}}", _segment(name, _text(sent[name])))
    rest = {name: value for name, value in sent.items() if name not in named}
    is_read = op.spec.effect is Effect.READ
    seconds = ANSWER if isinstance(op, AgentQuery | GenerateResponse) else WHOLE
    if route.method == "GET" or route.arguments == "query":
        return Asked(route.method, path, query=_query(rest), repeats=is_read, seconds=seconds)
    body = rest if rest or route.method in ("POST", "PUT", "PATCH") else None
    return Asked(route.method, path, body=body, repeats=is_read, seconds=seconds)


def text_upload(op: CreateDatasource) -> Asked:
    """A new text as the file of a form; what a form cannot say goes as JSON."""
    if op.type == "file" and op.id is None and not op.config:
        return _form(op.datastore_id, op.name, op.custom_id, op.text.encode(), "text/plain")
    sent = given(op)
    sent.pop("text", None)
    sent.pop("custom_id", None)
    config = op.settings()
    if op.type == "file":
        sent |= {"datasourceText": op.text, "isUpdateText": True}
        config = {"mime_type": "text/plain", **config}
    body = {**sent, "type": op.type, "config": config}
    return Asked("POST", "/datasources", body=body)


def file_upload(op: AddFile, file: BinaryIO) -> Asked:
    """A file as a form. What the form cannot say is refused."""
    beyond = sorted(op.config.keys() - {"custom_id", "mime_type"})
    if beyond or op.replaces is not None:
        name = beyond[0] if beyond else "id"
        raise NotAvailable(
            f"The hosted service takes no {name} with a file.",
            hint="Add the file without it, or send a text.",
        )
    kind = str(op.config.get("mime_type") or "application/octet-stream")
    custom_id = op.config.get("custom_id")
    return _form(op.datastore_id, op.name, None if custom_id is None else str(custom_id), file, kind)


def opened(op: AddFile) -> BinaryIO:
    """The file that is to be uploaded."""
    try:
        return Path(op.file).open("rb")
    except OSError as error:
        raise InvalidInput(f"{op.file.name} cannot be read: {error.strerror}.") from error


def _form(datastore_id: str, name: str, custom_id: str | None, contents: Any, kind: str) -> Asked:
    fields = {"datastoreId": datastore_id, "type": "file", "fileName": name}
    if custom_id is not None:
        fields["custom_id"] = custom_id
    return Asked("POST", "/datasources", form=fields, file=(name, contents, kind), seconds=ANSWER)


def _segment(name: str, value: str) -> str:
    """A value as a part of a path. Dots alone would lead to another address, and so to another thing."""
    if value in (".", ".."):
        raise InvalidInput(f"{name} must not be {value!r}.", hint="An address cannot hold it.")
    return quote(value, safe="@")


def _query(sent: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The texts of an address; null is as good as left out there."""
    return tuple(
        (name, _text(item))
        for name, value in sent.items()
        for item in (value if isinstance(value, list) else (value,))
        if item is not None
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _flat(sent: Json) -> Json:
    """A new step: the wire wants its groups flat."""
    groups = {group for group, _ in FLAT.values()}
    kept = {name: value for name, value in sent.items() if name not in groups}
    for flat, (group, key) in FLAT.items():
        within = sent.get(group)
        if isinstance(within, dict) and to_camel(key) in within:
            kept[to_camel(flat)] = within[to_camel(key)]
    return kept


def _nested(sent: Json) -> Json:
    """A changed step: the wire wants its groups nested."""
    kept = dict(sent)
    for flat, (group, key) in FLAT.items():
        if to_camel(flat) in kept:
            value = kept.pop(to_camel(flat))
            kept[group] = {**(kept.get(group) or {}), to_camel(key): value}
    return kept
