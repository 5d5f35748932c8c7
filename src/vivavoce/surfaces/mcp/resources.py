"""Resources: the documentation pages, and one agent, datastore or scenario by its id."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple
from urllib.parse import unquote

import pydantic_core
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from vivavoce.errors import NotFound, VivavoceError
from vivavoce.operations import Backend, Caller
from vivavoce.operations.agents import GetAgent, ListAgents
from vivavoce.operations.crm import ListCrmScenarios, ListCrmSteps
from vivavoce.operations.knowledge import GetDatastore, ListDatastores
from vivavoce.operations.pages import PAGES

Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Caller]
Suggester = Callable[[Context, str, str], Awaitable[list[str]]]

_SCHEME = "vivavoce://"
_SUGGESTIONS = 100


class Page(NamedTuple):
    """A documentation page as a resource."""

    path: str
    doc_type: str
    title: str
    description: str


_PAGES = (
    Page("docs/tools", "tools", "Tool descriptions", "Every tool with its arguments."),
    Page("docs/models", "models", "Models", "The names that modelName accepts."),
    Page("docs/prompts", "prompts", "System prompts", "Instructions for an assistant that works here."),
    Page("docs/http-tools", "http_tools", "HTTP tool templates", "Ready-made configs for addHttpTool."),
)
_TEMPLATES = (
    ResourceTemplate(
        name="agent",
        title="Agent",
        uri_template=f"{_SCHEME}agents/{{id}}",
        description="One agent with its tools, by id or @handle.",
        mime_type="application/json",
    ),
    ResourceTemplate(
        name="datastore",
        title="Datastore",
        uri_template=f"{_SCHEME}datastores/{{id}}",
        description="One datastore with its datasources.",
        mime_type="application/json",
    ),
    ResourceTemplate(
        name="scenario",
        title="CRM scenario",
        uri_template=f"{_SCHEME}scenarios/{{id}}",
        description="One CRM scenario with its steps.",
        mime_type="application/json",
    ),
)


async def list_resources(context: Context, page: PaginatedRequestParams | None) -> ListResourcesResult:
    """The documentation pages."""
    return ListResourcesResult(
        resources=[
            Resource(
                uri=_SCHEME + page.path,
                name=page.path.rpartition("/")[2],
                title=page.title,
                description=page.description,
                mime_type="text/markdown",
            )
            for page in _PAGES
        ]
    )


async def list_templates(
    context: Context, page: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    """The shapes of the addresses of things."""
    return ListResourceTemplatesResult(resource_templates=list(_TEMPLATES))


def reader(
    backend: Backend, caller: CallerOf
) -> Callable[[Context, ReadResourceRequestParams], Awaitable[ReadResourceResult]]:
    """Reads a resource for whoever `caller` finds behind a request."""

    async def read(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = params.uri
        try:
            text, kind = await _contents(uri, backend, caller(context))
        except NotFound as error:
            raise MCPError(INVALID_PARAMS, str(error), data={"uri": uri[:500]}) from error
        except VivavoceError as error:
            code = INTERNAL_ERROR if error.status >= 500 else INVALID_PARAMS
            raise MCPError(code, str(error), data={"uri": uri[:500]}) from error
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=kind)])

    return read


def suggester(backend: Backend, caller: CallerOf) -> Suggester:
    """Completes the id in the address of a thing from what exists."""

    async def suggest(context: Context, uri_template: str, typed: str) -> list[str]:
        who = caller(context)
        try:
            names = [name async for name in _ids(uri_template, backend, who)]
        except VivavoceError:
            return []
        wanted = typed.casefold()
        return [name for name, title in names if wanted in name.casefold() or wanted in title.casefold()]

    return suggest


async def _contents(uri: str, backend: Backend, who: Caller) -> tuple[str, str]:
    for page in _PAGES:
        if uri == _SCHEME + page.path:
            return PAGES[page.doc_type](), "text/markdown"
    noun, _, written = uri.removeprefix(_SCHEME).partition("/")
    id = unquote(written)  # a client that fills in the template writes @ as %40
    match noun if uri.startswith(_SCHEME) else "":
        case "agents":
            shown: Any = (await backend.run(GetAgent.parse({"id": id}), who)).model_dump(mode="json")
        case "datastores":
            shown = (await backend.run(GetDatastore.parse({"id": id}), who)).model_dump(mode="json")
        case "scenarios":
            shown = await _scenario(id, backend, who)
        case _:
            raise NotFound("There is no such resource.", hint="List them with resources/list.")
    return pydantic_core.to_json(shown, indent=2).decode(), "application/json"


async def _scenario(id: str, backend: Backend, who: Caller) -> dict[str, Any]:
    steps = await backend.run(ListCrmSteps.parse({"scenarioId": id}), who)
    known = await backend.run(ListCrmScenarios(), who)
    for scenario in known.scenarios:
        if scenario.id == id:
            break
    else:  # deleted since its steps were read
        raise NotFound(f"No scenario {id!r}.", hint="List them with list_crm_scenarios.")
    return {**scenario.model_dump(mode="json"), **steps.model_dump(mode="json")}


async def _ids(uri_template: str, backend: Backend, who: Caller) -> AsyncIterator[tuple[str, str]]:
    scheme, _, path = uri_template.partition("://")
    noun = path.partition("/")[0] if f"{scheme}://" == _SCHEME else ""
    if noun == "agents":
        for agent in (await backend.run(ListAgents(limit=_SUGGESTIONS * 10), who)).agents:
            yield agent.id, f"{agent.name} @{agent.handle}"
    elif noun == "datastores":
        for datastore in (await backend.run(ListDatastores(), who)).datastores:
            yield datastore.id, datastore.name
    elif noun == "scenarios":
        for scenario in (await backend.run(ListCrmScenarios(), who)).scenarios:
            yield scenario.id, scenario.name
