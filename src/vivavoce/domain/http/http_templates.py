"""Templates for HTTP tools: requests that many agents need, to be filled in and added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .http_tools import HttpConfig


@dataclass(frozen=True)
class HttpTemplate:
    """A ready-made request and what to change before it is added."""

    group: str
    title: str
    to_change: str
    config: HttpConfig


def _from_model(key: str, description: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "description": description, "isUserProvided": True, **more}


def _fixed(key: str, value: str, description: str = "") -> dict[str, Any]:
    return {"key": key, "value": value, "description": description}


_BEARER = _fixed("Authorization", "Bearer YOUR_API_KEY", "The key of the API that is called.")
_PLATFORM = "https://YOUR_SERVER"
_LATER = "The hosted service has this route; this server answers it in a later version."
_CAL = "https://api.cal.com/v2"
_CAL_VERSION = _fixed("cal-api-version", "2024-09-04", "The version of the Cal.com API.")

HTTP_TEMPLATES: tuple[HttpTemplate, ...] = tuple(
    HttpTemplate(group, title, to_change, HttpConfig.model_validate(config))
    for group, title, to_change, config in (
        (
            "general",
            "Look something up by its number",
            "The address, the header, and what the number is.",
            {
                "name": "Get order",
                "description": "Shows the state of an order. Use it when someone asks about an order.",
                "url": "https://api.example.com/orders/{orderId}",
                "method": "GET",
                "headers": [_BEARER],
                "pathVariables": [_from_model("orderId", "The order number that the person gave.")],
            },
        ),
        (
            "general",
            "Search a catalogue",
            "The address and the parameters that the catalogue knows.",
            {
                "name": "Search products",
                "description": "Finds products by words. Use it before naming a price or a stock.",
                "url": "https://api.example.com/products",
                "method": "GET",
                "headers": [_BEARER],
                "queryParameters": [
                    _from_model("q", "The words to look for."),
                    _from_model("sort", "How to sort.", acceptedValues=["relevance", "price", "name"]),
                ],
            },
        ),
        (
            "general",
            "Open a ticket",
            "The address, the header and the fields of your ticket system.",
            {
                "name": "Open ticket",
                "description": "Opens a ticket for a problem that cannot be solved in the conversation.",
                "url": "https://api.example.com/tickets",
                "method": "POST",
                "withApproval": False,
                "headers": [_BEARER, _fixed("Content-Type", "application/json")],
                "body": [
                    _from_model("subject", "The problem in one line."),
                    _from_model("description", "What the person said about it."),
                    _from_model("email", "Use {user-email} where it is known, else ask."),
                    _from_model("priority", "How urgent it is.", acceptedValues=["low", "normal", "high"]),
                ],
            },
        ),
        (
            "chatvolt_http_tools",
            "Ask another agent",
            "The server's address, an API key and the other agent's id. " + _LATER,
            {
                "name": "Ask the specialist",
                "description": "Asks the specialist agent. Use it for questions outside your own field.",
                "url": f"{_PLATFORM}/agents/OTHER_AGENT_ID/query",
                "method": "POST",
                "headers": [_BEARER, _fixed("Content-Type", "application/json")],
                "body": [_from_model("query", "The question, complete in itself.")],
            },
        ),
        (
            "chatvolt_http_tools",
            "Remember something about the conversation",
            "The server's address and an API key. " + _LATER,
            {
                "name": "Set variable",
                "description": "Keeps a fact about this conversation for later, such as a preferred time.",
                "url": f"{_PLATFORM}/variables",
                "method": "POST",
                "headers": [_BEARER, _fixed("Content-Type", "application/json")],
                "body": [
                    _from_model("conversationId", "Use {conversation-id}."),
                    _from_model("varName", "A short name, at most 20 characters."),
                    _from_model("varValue", "The fact, at most 100 characters."),
                ],
            },
        ),
        (
            "chatvolt_http_tools",
            "Move the conversation to a step",
            "The server's address, an API key and the step's id. " + _LATER,
            {
                "name": "Move to step",
                "description": "Moves this conversation to the next step of the sales process.",
                "url": f"{_PLATFORM}/crm/step/move",
                "method": "POST",
                "headers": [_BEARER, _fixed("Content-Type", "application/json")],
                "body": [
                    _from_model("conversationId", "Use {conversation-id}."),
                    _fixed("destStepId", "STEP_ID", "The step to move to."),
                ],
            },
        ),
        (
            "cal_com_http_tools",
            "Find free times in Cal.com",
            "The Cal.com key and the event type.",
            {
                "name": "Find free times",
                "description": "Lists free appointments. Use it before you offer a time.",
                "url": f"{_CAL}/slots",
                "method": "GET",
                "headers": [_BEARER, _CAL_VERSION],
                "queryParameters": [
                    _fixed("eventTypeId", "EVENT_TYPE_ID", "Which kind of appointment."),
                    _from_model("start", "The first day, as YYYY-MM-DD; today is {today}."),
                    _from_model("end", "The last day, as YYYY-MM-DD."),
                    _from_model("timeZone", "The person's time zone, e.g. America/Sao_Paulo."),
                ],
            },
        ),
        (
            "cal_com_http_tools",
            "Book an appointment in Cal.com",
            "The Cal.com key and the event type.",
            {
                "name": "Book appointment",
                "description": "Books an appointment. Use it only after the person has agreed to a time.",
                "url": f"{_CAL}/bookings",
                "method": "POST",
                "headers": [_BEARER, _CAL_VERSION, _fixed("Content-Type", "application/json")],
                "hasMaximumToolCalls": True,
                "maximumToolCalls": 2,
                "body": [
                    _fixed("eventTypeId", "EVENT_TYPE_ID", "Which kind of appointment."),
                    _from_model("start", "The time agreed on, in UTC, as 2026-01-31T14:00:00Z."),
                    _from_model("attendee.name", "Use {user-name} where it is known, else ask."),
                    _from_model("attendee.email", "Use {user-email} where it is known, else ask."),
                    _from_model("attendee.timeZone", "The person's time zone."),
                ],
            },
        ),
    )
)
