"""Secrets in what the hosted service shows: covered by the marker, and kept where it is written back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import unquote_plus

from vivavoce.domain.http.addresses import origin_of
from vivavoce.domain.http.http_tools import destination_of
from vivavoce.domain.http.loose_requests import covered_request, is_request
from vivavoce.domain.secrets import MARKER, Cover, is_address, is_telling
from vivavoce.domain.tools import Tool
from vivavoce.errors import InvalidInput
from vivavoce.operations.agents import AgentList, AgentShown
from vivavoce.operations.crm import StepList, StepShown
from vivavoce.operations.knowledge_results import DatasourcePage, DatasourceShown, DatastoreContents

Json = dict[str, Any]
T = TypeVar("T", bound=Tool)

_CONFIGS = ("config_url_external", "config_url_infos_system_external")
_SECRET_KEYS = ("header", "headerKey")
_SECRET_FIELDS = (
    *("tools", "config", "interfaceConfig", "configUrlExternal", "configUrlInfosSystemExternal"),
    *("webhookUrl", "webhookHeader"),
)


class _Veil(Cover):
    """Covers without keeping anything: what it covers is stored elsewhere."""

    def __init__(self) -> None:
        super().__init__({})

    def over(self, location: str, value: Any) -> str:
        return MARKER

    def beside(self, location: str, value: Any) -> Any:
        return value


_VEIL = _Veil()


def veiled(result: Any) -> Any:
    """The same result with the marker in place of every secret."""
    match result:
        case AgentShown():
            update = {name: _veiled_config(getattr(result, name)) for name in _CONFIGS}
            update["interface_config"] = _VEIL.over_json("", result.interface_config)
            tools = [veiled_tool(tool) for tool in result.tools]
            return result.model_copy(update={**update, "tools": tools})
        case StepShown():
            header = _VEIL.over_json("", result.webhook_header, telling=True)
            return result.model_copy(
                update={"webhook_header": header, "webhook_url": _veiled_address(result.webhook_url)}
            )
        case DatasourceShown():
            return result.model_copy(update={"config": _VEIL.over_json("", result.config)})
        case AgentList():
            return result.model_copy(update={"agents": [veiled(each) for each in result.agents]})
        case StepList():
            return result.model_copy(update={"steps": [veiled(each) for each in result.steps]})
        case DatasourcePage():
            return result.model_copy(update={"data": [veiled(each) for each in result.data]})
        case DatastoreContents():
            return result.model_copy(update={"datasources": [veiled(each) for each in result.datasources]})
    return result


def veiled_tool(tool: T) -> T:
    """A tool with the marker in place of its secrets."""
    if tool.config is None:
        return tool
    is_loose = tool.type == "http" or is_request(tool.config)
    config = covered_request(tool.config, _VEIL) if is_loose else _VEIL.over_json("", tool.config)
    return tool.model_copy(update={"config": config})


def holds_marker(value: Any) -> bool:
    """Whether the marker stands somewhere in what is to be sent."""
    if isinstance(value, Mapping):
        return any(holds_marker(item) for item in value.values())
    if isinstance(value, list):
        return any(holds_marker(item) for item in value)
    return isinstance(value, str) and _is_marked(value)


def secret_part(body: Any) -> Json:
    """What of a body may hold secrets; texts for people may hold as many stars as they like."""
    return {name: body[name] for name in _SECRET_FIELDS if name in body} if isinstance(body, dict) else {}


def kept_config(after: Json, before: Json | None) -> Json:
    """Settings in which each marker is what the stored ones have there; refused where they lead elsewhere."""
    known = before or {}
    if holds_marker(after) and _leads_elsewhere(after, known):
        raise InvalidInput(
            "The address leads to another host, and the secrets were stored for the old one.",
            hint="Write the secrets again for the new address.",
        )
    merged: Json = kept(after, known)
    return merged


def kept(after: Any, before: Any) -> Any:
    """JSON in which each marker is what the stored JSON has in its place."""
    if isinstance(after, dict):
        known = before if isinstance(before, dict) else {}
        return {name: kept(value, known.get(name)) for name, value in after.items()}
    if isinstance(after, list):
        return [kept(item, _like(item, number, before)) for number, item in enumerate(after)]
    if not isinstance(after, str) or not _is_marked(after):
        return after
    if after == MARKER and before not in (None, ""):
        return before
    if is_address(after) and isinstance(before, str):
        return _kept_address(after, before)
    parsed, stored = _json(after), _json(before)
    if parsed is not None and stored is not None:
        return json.dumps(kept(parsed, stored), ensure_ascii=False)
    raise no_secret()


def no_secret() -> InvalidInput:
    """The marker stands where nothing is kept that it could stand for."""
    return InvalidInput(
        f"The marker {MARKER} stands where the hosted service has no secret that it could keep.",
        hint="Write the secret itself.",
    )


def _veiled_config(config: Json | None) -> Json | None:
    if config is None:
        return None
    return {
        name: _VEIL.over_json("", value, telling=name in _SECRET_KEYS or is_telling(name))
        for name, value in config.items()
    }


def _veiled_address(url: Any) -> Any:
    return _VEIL.over_json("", url) if isinstance(url, str) else url


def _is_marked(text: str) -> bool:
    """Whether a text is the marker, or an address or JSON in which it stands."""
    return text == MARKER or (MARKER in text and (is_address(text) or _json(text) is not None))


def _json(text: Any) -> Any:
    """The JSON in a text; None where there is none."""
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _leads_elsewhere(after: Json, before: Json) -> bool:
    """Whether some address in the settings leads to a host to which none in the stored ones led."""
    if "url" in after and "url" in before and _destination(after) != _destination(before):
        return True
    return not set(_origins(after)) <= set(_origins(before))


def _destination(config: Json) -> list[Any]:
    try:
        return destination_of(config)
    except (AttributeError, TypeError):  # settings that are not of our shape
        return [origin_of(str(config.get("url")))]


def _origins(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _origins(item)
    elif is_address(value):
        yield origin_of(value)


def _like(item: Any, number: int, before: Any) -> Any:
    """The stored item that an item of a list is about: of the same key or id, else in the same place."""
    if not isinstance(before, list):
        return None
    for name in ("id", "key"):
        if isinstance(item, dict) and name in item:
            same = [each for each in before if isinstance(each, dict) and each.get(name) == item[name]]
            return same[0] if len(same) == 1 else None
    return before[number] if number < len(before) else None


def _kept_address(after: str, before: str) -> str:
    if origin_of(after) != origin_of(before):
        raise no_secret()
    stored: dict[str, str] = {}
    for piece in before.partition("#")[0].partition("?")[2].split("&"):
        name, _, value = piece.partition("=")
        stored[name] = value
    address, question_mark, query = after.partition("?")
    query, hash_mark, fragment = query.partition("#")
    pieces = []
    for piece in query.split("&"):
        name, equals, value = piece.partition("=")
        if unquote_plus(value) == MARKER:
            if name not in stored:
                raise no_secret()
            value = stored[name]
        pieces.append(name + equals + value)
    return address + question_mark + "&".join(pieces) + hash_mark + fragment
