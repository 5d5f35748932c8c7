"""Where providers post events, for the OpenAPI document: a door of its own, beside the catalogue."""

from __future__ import annotations

from typing import Any, get_args

from vivavoce.domain.attributions import FIELDS
from vivavoce.domain.channels import HeardKind, Status

Json = dict[str, Any]

PATH = "/channels/{accountId}/events"
TOKEN_SCHEME: Json = {"type": "apiKey", "in": "header", "name": "X-Webhook-Token"}
"""How a provider shows that it is the one."""


def operation(failures: Json) -> Json:
    """What is posted there and answered, in the words of OpenAPI; `failures` are the answers to mistakes."""
    events = {"type": "array", "items": _event(), "maxItems": 1_000}
    wrapped = {"type": "object", "required": ["events"], "properties": {"events": events}}
    answer = {
        "type": "object",
        "required": ["accepted", "duplicates"],
        "properties": {
            "accepted": {"type": "integer", "description": "Events that are stored now."},
            "duplicates": {"type": "integer", "description": "Events that were stored before."},
        },
    }
    return {
        "operationId": "post_events",
        "tags": ["channels"],
        "summary": "Take in what people wrote to a provider, and what became of messages to them.",
        "description": "Answered once every event is stored; an event with a known id is not stored again. "
        "On 503 nothing was stored: send it again after Retry-After.\n\nThe token of the channel opens it.",
        "security": [{"channelToken": []}, {"key": []}],
        "parameters": [
            {
                "name": "accountId",
                "in": "path",
                "required": True,
                "schema": {"type": "string"},
                "description": "The channel's id, as list_channels shows it.",
            }
        ],
        "requestBody": {
            "required": True,
            "description": "Events, a list of them, or one alone.",
            "content": {"application/json": {"schema": {"anyOf": [wrapped, events, _event()]}}},
        },
        "responses": {
            "200": {"description": "Stored.", "content": {"application/json": {"schema": answer}}},
            **failures,
        },
    }


def _event() -> Json:
    return {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": _text("What the provider calls the event; it counts once in a channel."),
            "chat": _text("Who it is with; required of messages."),
            "text": _text("What was said."),
            "attachments": {"type": "array", "items": {"type": "object"}, "description": "Files by address."},
            "sentAt": {"type": ["string", "number"], "description": "When: ISO 8601, or since 1970."},
            "name": _text("Who wrote it."),
            "phoneNumber": _text("Their phone number."),
            "email": _text("Their e-mail address."),
            "isGroup": {"type": "boolean", "description": "Whether several people write there."},
            "isMention": {"type": "boolean", "description": "In a group: whether the agent is spoken to."},
            "ctwaAttributions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {name: _text("As the ad says.") for name in FIELDS},
                },
                "description": "The ads through which the person came.",
            },
            "type": {"enum": list(get_args(HeardKind)), "description": "message when left out."},
            "deliveryId": _text("Of a status: which message it is about."),
            "status": {"enum": list(get_args(Status)), "description": "Of a status: what became of it."},
            "detail": _text("Of a status: why it failed."),
        },
    }


def _text(description: str) -> Json:
    return {"type": "string", "description": description}
