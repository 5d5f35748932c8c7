"""Every route that is published for the hosted service: served here, or left out for a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "explanation" / "wire-compatibility.md"

SERVED = {
    "agents": """
        GET /agents
        GET /agents/models
        POST /agents
        GET /agents/{id}
        PATCH /agents/{id}
        DELETE /agents/{id}
        POST /agents/{id}/query
        POST /agents/query/{id}
        POST /agents/{id}/simplequery
        PATCH /agents/{id}/webhook
        POST /agents/{id}/capture
        GET /agents/{id}/crm-config
        PUT /agents/{id}/crm-config
    """,
    "tools": """
        GET /agents/{agentId}/tools
        POST /agents/{agentId}/tools
        GET /agents/{agentId}/tools/{toolId}
        PATCH /agents/{agentId}/tools/{toolId}
        DELETE /agents/{agentId}/tools/{toolId}
    """,
    "conversations": """
        GET /conversation
        GET /conversation/{id}
        DELETE /conversation/{id}
        GET /conversation/{id}/messages/{count}
        GET /messages/{messageId}
        POST /conversation/message/{type}/{value}
        POST /conversations/{id}/message-register
        POST /conversations/{id}/set-ai-enabled
        POST /conversations/{id}/set-status
        POST /conversations/{id}/set-priority
        POST /conversations/{id}/assign
        POST /conversation/{id}/assign
        POST /conversations/{id}/unassign
        GET /conversations/{id}/tags
        POST /conversations/{id}/tags
        GET /conversations/export
        GET /conversations/{id}/export
        GET /api/conversations/{id}
        PATCH /api/conversations/{id}
        POST /api/conversations/{id}/message
        POST /api/conversations/eval-answer
    """,
    "variables, notes, tags": """
        POST /variables
        GET /variables/{conversationId}
        GET /variables/{conversationId}/{varName}
        DELETE /variables/{conversationId}/{varName}
        GET /conversations/{id}/notes
        POST /conversations/{id}/notes
        PUT /conversations/{id}/notes/{noteId}
        DELETE /conversations/{id}/notes/{noteId}
        GET /tags
        POST /tags
        POST /tags/delete-by-name
        GET /tags/get-visible-tags
    """,
    "contacts": """
        GET /contacts
        POST /contacts
        GET /contacts/{id}
        PATCH /contacts/{id}
        DELETE /contacts/{id}
        GET /contacts/variables
        POST /contacts/variables
        PUT /contacts/variables
        DELETE /contacts/variables
        POST /contacts/batch-create
        POST /contacts/batch-delete
        GET /contacts/export
        POST /contacts/import-csv
        POST /contacts/merge
    """,
    "datastores and datasources": """
        GET /datastores
        GET /datastores/list
        POST /datastores
        GET /datastores/{id}
        PATCH /datastores/{id}
        DELETE /datastores/{id}
        POST /datastores/{id}/query
        POST /datastores/query/{id}
        POST /datasources
        GET /datasources/list
        GET /datasources/{id}
        DELETE /datasources/{id}
        POST /datasources/{id}/synch
    """,
    "CRM": """
        GET /crm/scenario
        POST /crm/scenario
        PUT /crm/scenario
        DELETE /crm/scenario
        GET /crm/scenario/{scenarioId}/conversation
        DELETE /crm/scenario/{scenarioId}/conversation
        GET /crm/step
        POST /crm/step
        PUT /crm/step
        DELETE /crm/step
        POST /crm/step/conversation
        POST /crm/step/move
        GET /crm/conversationLog
        POST /crm/conversationLog
        GET /crm/conversationLog/{logId}
        PUT /crm/conversationLog/{logId}
        PATCH /crm/conversationLog/{logId}
        DELETE /crm/conversationLog/{logId}
    """,
    "follow-ups": """
        POST /custom-follow-up/add
        DELETE /custom-follow-up/remove
    """,
    "access lists": """
        GET /agent-blacklist
        POST /agent-blacklist
        GET /agent-blacklist/{agentId}
        DELETE /agent-blacklist/{agentId}
        POST /agent-whitelist-whatsapp
        GET /agent-whitelist-whatsapp/{agentId}
        PATCH /agent-whitelist-whatsapp/{agentId}
        DELETE /agent-whitelist-whatsapp/{agentId}
    """,
}

LEFT_OUT = {
    "POST /agents/{id}/clone": "only its name is published",
    "GET /agents/{id}/public": "only its name is published; a public agent is read at GET /agents/{id}",
    "GET /agents/{id}/tags": "only its name is published",
    "GET /agents/{id}/quick-messages": "only its name is published",
    "POST /agents/{id}/generate-upload-link": "only its name is published; files go to POST /datasources",
    "GET /agents/{id}/tool-config": "only its name is published; tools have their own routes",
    "GET /agents/check-handle-available": "its answer is not published; a taken handle is a 409",
    "POST /conversations/{id}/send-audio": "no channel carries sound",
    "GET /conversations/history": "what it lists is not published",
    "GET /contacts/available-variables": "facts have no list of names",
    "GET /contacts/ctwa-ads": "ads are shown with the conversations that they brought",
    "POST /datastores/{id}/upsert": "only its name is published; POST /datasources takes an id",
    "POST /datastores/upsert/{id}": "an older spelling of the same",
    "POST /datastores/update/{id}": "an older spelling of the same",
    "POST /datastores/file-upload/{id}": "an older spelling of POST /datasources",
    "POST /datasources/bulk-delete": "its body is not published",
    "GET /crm/conversation/count": "its answer is not published; a scenario counts with isCount",
    "GET /crm/events": "what it lists is not published",
    "POST /integrations/{app}/{endpoint}": "providers post to the address of their channel",
    "GET /cal/slots": "a calendar is asked by an HTTP tool",
    "POST /cal/booking": "a calendar is asked by an HTTP tool",
    "POST /webhook/webhook": "what it takes is told by one weak source",
    "GET /webhook/validate": "what it takes is told by one weak source",
}

OTHER_AREAS = {
    "GET /dispatches": "campaigns",
    "POST /zapi/{instanceId}/{contactPhone}/message": "channels of one provider",
    "POST /zapper/instances/{id}/message": "channels of one provider",
    "POST /twilio/{ownerPhone}/{contactPhone}/message": "channels of one provider",
    "POST /whatsapp/{phoneNumberId}/template-message": "channels of one provider",
    "GET /whatsapp/templates": "channels of one provider",
    "POST /messages/interactive/send-buttons": "channels of one provider",
    "GET /mercadolivre/get-products": "channels of one provider",
    "GET /artifacts": "a catalogue of products",
    "GET /artifact-categories": "a catalogue of products",
    "POST /forms/{formId}": "forms",
    "POST /generate-upload-links": "files of the chat window",
}
"""One route of each area that is not here at all."""

ALL_SERVED = [line.strip() for routes in SERVED.values() for line in routes.strip().splitlines()]


@pytest.fixture(scope="module")
def unserved(client):
    """Whether no route of ours takes a request."""

    def asked(route: str, prefix: str = "") -> bool:
        method, path = route.split()
        path = re.sub(r"{count}", "1", path.removeprefix("/api"))
        answer = client.request(method, prefix + re.sub(r"{\w+}", "nothing", path))
        return answer.status_code == 405 or answer.json() == {"error": "NOT_FOUND", "message": "Not Found"}

    return asked


@pytest.mark.parametrize("route", ALL_SERVED)
def test_a_published_route_is_served_with_and_without_api(unserved, route):
    assert not unserved(route)
    assert not unserved(route, "/api")


@pytest.mark.parametrize("route", LEFT_OUT)
def test_a_published_route_is_left_out_for_a_reason_that_the_documents_tell(client, unserved, route):
    method, path = route.split()
    by_another_name = client.request(method, path.replace("{id}", "nothing"))

    assert unserved(route) or ("{" not in route and by_another_name.status_code == 404)
    assert LEFT_OUT[route]
    assert f"`{route}`" in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("route", OTHER_AREAS)
def test_other_areas_of_the_hosted_service_have_no_routes(unserved, route):
    assert unserved(route)
    assert OTHER_AREAS[route]


def test_no_route_stands_in_two_places():
    everything = [*ALL_SERVED, *LEFT_OUT, *OTHER_AREAS]

    assert len(everything) == len(set(everything))
    assert len(ALL_SERVED) > 100
