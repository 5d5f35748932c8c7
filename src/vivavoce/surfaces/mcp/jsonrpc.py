"""JSON-RPC as it stands on the wire: which lines are messages, and of which protocol era."""

from __future__ import annotations

import json

TYPE_CHECKING = False  # the real one is in `typing`, which is dear to import
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any, NoReturn

    Message = dict[str, Any]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"


def decoded(line: bytes) -> Any:
    """The JSON value of a line; ValueError for what is not JSON, or is text that UTF-8 cannot carry."""
    value = _DECODER.decode(line.decode())
    if b"\\ud" in line or b"\\uD" in line:
        encoded(value)  # fails on half a surrogate pair
    return value


def encoded(value: object) -> bytes:
    """The compact JSON of a value, on one line."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def refusal(message: object, code: int, text: str) -> bytes:
    """The frame that refuses a line, naming the request's id if there is one to be read."""
    given = message.get("id") if isinstance(message, dict) else None
    request_id = given if _is_id(given) else None
    return encoded({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}) + b"\n"


def is_message(value: object) -> bool:
    """Whether a JSON value is one request, notification or response."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        return False
    if "method" not in value:
        return _is_response(value)
    if "id" in value and not _is_id(value["id"]):
        return False
    return isinstance(value["method"], str) and isinstance(value.get("params"), dict | None)


def is_modern(message: Message) -> bool:
    """Whether a request carries the envelope of the stateless era; a handshake never does."""
    meta = (message.get("params") or {}).get("_meta")
    return isinstance(meta, dict) and VERSION_KEY in meta and message["method"] != "initialize"


def is_envelope(meta: Message, versions: Container[str]) -> bool:
    """Whether a modern request's envelope is whole and asks for one of these versions."""
    client = meta.get(CLIENT_KEY)
    return (
        meta[VERSION_KEY] in versions
        and _is_capabilities(meta.get(CAPABILITIES_KEY))
        and (client is None or _is_client(client))
    )


def is_handshake(params: Message) -> bool:
    """Whether these are whole parameters of `initialize`."""
    return (
        isinstance(params.get("protocolVersion"), str)
        and _is_capabilities(params.get("capabilities"))
        and _is_client(params.get("clientInfo"))
    )


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refused)


def _is_response(value: Message) -> bool:
    if "result" in value:
        return "error" not in value and _is_id(value.get("id")) and isinstance(value["result"], dict)
    error = value.get("error")
    return (
        (_is_id(value.get("id")) or ("id" in value and value["id"] is None))
        and isinstance(error, dict)
        and isinstance(error.get("code"), int)
        and isinstance(error.get("message"), str)
    )


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_capabilities(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(capability, dict) for capability in value.values())


def _is_client(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("name", "version"))
