"""What the catalogue promises to every surface."""

import inspect
import re

import pytest

from vivavoce.engine import HANDLERS, RUNNERS
from vivavoce.operations import ALIASES, CATALOGUE, TOOLSETS, Effect, Scope
from vivavoce.operations.base import Result

from . import snapshot

SPEC = [
    "create_agent",
    "update_agent",
    "delete_agent",
    "list_agents",
    "get_agent",
    "agent_query",
    "enable_disable_agent_integration",
    "addHttpTool",
    "addDatastoreTool",
    "addDelayedResponsesTool",
    "addRequestHumanTool",
    "addMarkAsResolvedTool",
    "addFollowUpMessagesTool",
    "create_crm_scenario",
    "update_crm_scenario",
    "delete_crm_scenario",
    "list_crm_scenarios",
    "create_crm_step",
    "update_crm_step",
    "delete_crm_step",
    "list_crm_steps",
    "create_datastore",
    "get_datastore",
    "list_datastores",
    "create_datasource",
    "getDocumentation",
]
TOOL_MANAGEMENT = ["list_agent_tools", "update_agent_tool", "remove_agent_tool"]
ALL = pytest.mark.parametrize("kind", CATALOGUE.values(), ids=list(CATALOGUE))


def test_the_default_list_is_the_26_tools_of_the_spec_three_to_manage_tools_and_one_to_fetch_an_answer():
    offered = [name for name, kind in CATALOGUE.items() if kind.spec.offer == "default"]

    assert sorted(offered) == sorted([*SPEC, *TOOL_MANAGEMENT, "get_answer"])


def test_operations_on_keys_are_never_tools():
    kinds = [kind for kind in CATALOGUE.values() if kind.spec.toolset == "keys"]

    assert {kind.spec.offer for kind in kinds} == {"never"}
    assert {kind.spec.effect for kind in kinds} == {Effect.ADMIN}
    assert "keys" not in TOOLSETS


@ALL
def test_a_name_is_one_that_every_client_accepts(kind):
    for name in (kind.spec.name, *kind.spec.aliases):
        assert re.fullmatch(r"[a-zA-Z][A-Za-z0-9_]{2,39}", name)


@ALL
def test_an_operation_says_what_it_does_in_sentences(kind):
    assert kind.spec.description == inspect.cleandoc(kind.__doc__)
    assert kind.spec.description.endswith(".")
    assert kind.spec.title[0].isupper()


@ALL
def test_every_argument_says_what_it_is(kind):
    silent = [name for name, field in kind.model_fields.items() if not field.description]

    assert silent == []


@ALL
def test_every_argument_has_one_name_on_the_wire(kind):
    names = [field.alias for field in kind.model_fields.values()]

    assert len(set(names)) == len(names)
    assert all("_" not in name for name in names if name != "custom_id")


@ALL
def test_an_operation_has_a_handler_whose_result_is_the_one_declared(kind):
    assert (kind in HANDLERS) != (kind in RUNNERS)
    assert issubclass(kind.spec.result, Result)


@ALL
def test_an_operation_that_deletes_says_what_else_goes(kind):
    assert bool(kind.spec.takes_along) == (kind.spec.effect is Effect.DELETE)


@ALL
def test_the_arguments_in_a_path_are_required_arguments(kind):
    required = {field.alias for field in kind.model_fields.values() if field.is_required()}

    assert set(kind.spec.route.path_names if kind.spec.route else ()) <= required


@ALL
def test_what_rest_fills_in_or_calls_differently_is_an_argument(kind):
    known = {field.alias for field in kind.model_fields.values()}

    assert set(kind.spec.rest_defaults) <= known
    assert set(kind.spec.rest_names.values()) <= known
    assert not set(kind.spec.rest_names) & known


@ALL
def test_a_further_route_names_what_the_first_one_names_or_has_a_default_for_it(kind):
    for route in kind.spec.also:
        assert set(route.path_names) <= set(kind.spec.route.path_names)
        assert set(kind.spec.route.path_names) - set(route.path_names) <= set(kind.spec.rest_defaults)


@ALL
def test_what_a_header_says_is_an_argument(kind):
    assert set(kind.spec.rest_headers.values()) <= {field.alias for field in kind.model_fields.values()}


def test_aliases_lead_to_operations_and_hide_none():
    assert ALIASES
    assert set(ALIASES.values()) <= set(CATALOGUE)
    assert not set(ALIASES) & set(CATALOGUE)
    assert len(ALIASES) == sum(len(kind.spec.aliases) for kind in CATALOGUE.values())


def test_every_camel_case_tool_is_also_known_in_snake_case():
    camel = [name for name in CATALOGUE if name != name.lower()]

    assert {ALIASES.get(re.sub(r"(?=[A-Z])", "_", name).lower()) for name in camel} == set(camel)


def test_no_two_operations_share_a_route_or_a_command():
    routes = [
        route[:2]
        for kind in CATALOGUE.values()
        for route in (kind.spec.route, *kind.spec.also)
        if route is not None
    ]
    commands = [kind.spec.command for kind in CATALOGUE.values()]

    assert len(set(routes)) == len(routes)
    assert len(set(commands)) == len(commands)


@pytest.mark.parametrize(
    ("effect", "scope"),
    [
        (Effect.READ, Scope.READ),
        (Effect.CREATE, Scope.WRITE),
        (Effect.CHANGE, Scope.WRITE),
        (Effect.DELETE, Scope.WRITE),
        (Effect.SEND, Scope.SEND),
        (Effect.ADMIN, Scope.ADMIN),
    ],
)
def test_the_effect_decides_the_scope(effect, scope):
    assert effect.scope is scope


SAID_BY_POST = {
    "query_datastore": Effect.READ,
    "synch_datasource": Effect.CHANGE,
    "set_ai_enabled": Effect.CHANGE,
    "set_conversation_status": Effect.CHANGE,
    "set_conversation_priority": Effect.CHANGE,
    "set_conversation_blocked": Effect.CHANGE,
    "assign_conversation": Effect.CHANGE,
    "unassign_conversation": Effect.CHANGE,
    "rate_answer": Effect.CHANGE,
    "rate_conversation": Effect.CHANGE,
    "capture_visitor": Effect.CHANGE,
    "set_variable": Effect.CHANGE,
    "tag_conversation": Effect.CHANGE,
    "delete_tag": Effect.DELETE,
    "save_contact": Effect.CHANGE,
    "set_contact_variable": Effect.CHANGE,
    "create_contacts": Effect.CHANGE,
    "query_corpus": Effect.READ,
    "import_contacts": Effect.CHANGE,
    "merge_contacts": Effect.DELETE,
    "delete_contacts": Effect.DELETE,
}
"""Where the wire has the question or the order in the body of a POST."""


@ALL
def test_a_read_is_a_get_and_the_methods_fit_the_effects(kind):
    fitting = {
        Effect.READ: {"GET"},
        Effect.CREATE: {"POST"},
        Effect.CHANGE: {"PATCH", "PUT"},
        Effect.DELETE: {"DELETE"},
        Effect.SEND: {"POST"},
        Effect.ADMIN: {"GET", "PUT", "DELETE"},
    }

    if kind.spec.name in SAID_BY_POST:
        assert (kind.spec.effect, kind.spec.route.method) == (SAID_BY_POST[kind.spec.name], "POST")
    elif kind.spec.route is not None:
        assert kind.spec.route.method in fitting[kind.spec.effect]


def test_the_public_api_is_the_one_that_was_reviewed():
    reviewed = snapshot.FILE.read_text(encoding="utf-8")

    assert snapshot.written(snapshot.public_api()) == reviewed, "run python -m tests.operations.snapshot"
