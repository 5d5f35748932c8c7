"""Who may do what."""

import pytest

from tests.conftest import Run
from vivavoce.errors import NotAllowed, NotAuthenticated, NotAvailable
from vivavoce.operations import CATALOGUE, OPERATOR, STRANGER, Caller, Scope
from vivavoce.testing import TestEmbedders, WordEmbedder, open_test_engine

from .workspaces import CANARY, a_request, an_agent, arguments_for_all, populated

ALLOWED = {
    Scope.READ: {
        *("list_agents", "get_agent", "list_agent_tools", "get_agent_tool"),
        *("list_blacklist", "list_agent_blacklist", "list_agent_whitelist"),
        *("list_crm_scenarios", "list_crm_steps", "list_scenario_conversations", "get_crm_config"),
        *("list_conversation_logs", "get_conversation_log"),
        *("get_datastore", "list_datastores", "page_datastores", "list_datasources", "get_datasource"),
        *("query_datastore", "read_document"),
        *("list_conversations", "get_conversation", "follow_conversation", "list_messages", "get_message"),
        *("get_turn_trace", "list_notes", "list_variables", "get_variable", "list_tags"),
        *("list_conversation_tags", "list_contacts", "get_contact", "list_contact_variables"),
        *("export_conversation", "export_conversations", "export_contacts"),
        *("list_approvals", "list_models"),
        *("list_avatars", "get_avatar", "query_corpus", "get_avatar_info", "list_avatar_sources"),
        *("list_avatar_answers", "explain_answer"),
        *("list_deliveries", "get_delivery", "get_webhook_status"),
        *("list_channels", "get_channel", "list_arrivals", "list_follow_ups", "get_answer"),
        "list_failed_answers",
        "getDocumentation",
    },
    Scope.WRITE: {
        *("create_agent", "update_agent", "delete_agent", "enable_disable_agent_integration"),
        *("addHttpTool", "addDatastoreTool", "addDelayedResponsesTool", "addRequestHumanTool"),
        *("addMarkAsResolvedTool", "addFollowUpMessagesTool", "add_agent_tool"),
        *("update_agent_tool", "remove_agent_tool", "add_to_blacklist", "remove_from_blacklist"),
        *("add_to_whitelist", "replace_in_whitelist", "remove_from_whitelist"),
        *("create_crm_scenario", "update_crm_scenario", "delete_crm_scenario"),
        *("create_crm_step", "update_crm_step", "delete_crm_step"),
        *("remove_conversation_from_scenario", "set_crm_config"),
        *("create_conversation_log", "update_conversation_log", "delete_conversation_log"),
        *("create_datastore", "update_datastore", "delete_datastore"),
        *("create_datasource", "synch_datasource", "delete_datasource"),
        *("update_conversation", "delete_conversation", "set_ai_enabled", "set_conversation_status"),
        *("set_conversation_priority", "set_conversation_blocked"),
        *("assign_conversation", "unassign_conversation", "rate_conversation", "capture_visitor"),
        *("register_message", "rate_answer", "create_note", "update_note", "delete_note"),
        *("set_variable", "delete_variable", "create_tag", "delete_tag"),
        *("tag_conversation", "untag_conversation", "save_contact", "delete_contact"),
        *("set_contact_variable", "delete_contact_variables", "receive_message", "update_contact"),
        *("create_contacts", "import_contacts", "merge_contacts", "delete_contacts"),
        *("create_avatar", "update_avatar", "delete_avatar"),
        *("create_channel", "update_channel", "renew_channel_token", "delete_channel", "remove_follow_up"),
        *("answer_approval",),
    },
    Scope.SEND: {
        *("agent_query", "send_message", "generate_response"),
        *("redeliver", "resume_webhook", "retry_arrival", "schedule_follow_up", "retry_answer"),
        *("add_conversation_to_scenario", "move_conversation"),
    },
    Scope.ADMIN: {
        *("create_key", "list_keys", "revoke_key"),
        *("set_provider", "list_providers", "remove_provider"),
    },
}


@pytest.fixture
async def calls(run) -> dict[str, dict]:
    ids = await populated(run)
    return arguments_for_all(ids)


def test_every_operation_belongs_to_one_scope():
    assert sorted(name for names in ALLOWED.values() for name in names) == sorted(CATALOGUE)


@pytest.mark.parametrize("scope", Scope)
async def test_a_scope_allows_its_operations_and_no_others(run, calls, scope):
    caller = Caller(name="console", scopes=frozenset({scope}))

    allowed = set()
    for name, arguments in calls.items():
        if await is_let_in(run, caller, name, arguments):
            allowed.add(name)
        elif name not in ALLOWED[scope]:
            with pytest.raises(
                NotAllowed, match=f"'console' lacks the scope .* that {name} needs"
            ) as refusal:
                await run(name, caller=caller, **arguments)
            assert "keys create" in refusal.value.hint

    assert allowed == ALLOWED[scope]


async def test_a_caller_without_scopes_is_let_in_nowhere(run, calls):
    nobody = Caller(name="nobody", scopes=frozenset())

    assert [name for name, arguments in calls.items() if await is_let_in(run, nobody, name, arguments)] == []


async def test_the_operator_is_let_in_everywhere(run, calls):
    refused = [name for name, given in calls.items() if not await is_let_in(run, OPERATOR, name, given)]

    assert refused == []


async def test_a_stranger_is_let_in_to_read_and_ask_public_agents_alone(run, calls):
    allowed = {name for name, given in calls.items() if await is_let_in(run, STRANGER, name, given)}

    assert allowed == {"get_agent", "agent_query", "list_models", "list_avatars"}


async def test_what_was_refused_has_changed_nothing(run, calls):
    before = [await run(name, **calls[name]) for name in sorted(ALLOWED[Scope.READ])]

    for name, arguments in calls.items():
        if name not in ("get_agent", "agent_query", "list_models", "list_avatars"):
            with pytest.raises(NotAuthenticated):
                await run(name, caller=STRANGER, **arguments)

    assert [await run(name, **calls[name]) for name in sorted(ALLOWED[Scope.READ])] == before


async def test_a_private_agent_and_a_missing_one_are_the_same_to_a_stranger(run):
    private = await run("create_agent", **an_agent(handle="ana"))

    told = set()
    for reference in (private["id"], "@ana", "a404", "@nobody"):
        for operation, more in (("get_agent", {}), ("agent_query", {"query": "Hi"})):
            with pytest.raises(NotAuthenticated) as refusal:
                await run(operation, caller=STRANGER, id=reference, **more)
            told.add(str(refusal.value))

    assert len(told) == 1


async def test_a_private_datastore_and_a_missing_one_are_the_same_to_a_stranger(run):
    private = await run("create_datastore", type="qdrant")

    told = set()
    for reference in (private["id"], "d404"):
        for operation, more in (("get_datastore", {"search": "x"}), ("query_datastore", {"query": "x"})):
            with pytest.raises(NotAuthenticated) as refusal:
                await run(operation, caller=STRANGER, id=reference, **more)
            told.add(str(refusal.value))

    assert len(told) == 1


async def test_a_stranger_reads_a_public_datastore_until_it_is_made_private_again(run):
    datastore = await run("create_datastore", type="qdrant", isPublic=True)
    assert (await run("get_datastore", caller=STRANGER, id=datastore["id"]))["datasources"] == []

    await run("update_datastore", id=datastore["id"], isPublic=False)

    with pytest.raises(NotAuthenticated):
        await run("get_datastore", caller=STRANGER, id=datastore["id"])


async def test_a_strangers_question_to_a_private_datastore_never_reaches_the_embedder(tmp_path):
    embedder = ListeningEmbedder()
    with open_test_engine(tmp_path, embedders=TestEmbedders(embedder)) as engine:
        run = Run(engine)
        made = {}
        for is_public in (True, False):
            made[is_public] = (await run("create_datastore", type="qdrant", isPublic=is_public))["id"]
            await run("create_datasource", datastoreId=made[is_public], name="a", text="The price is 5.")
        await run.indexed()
        embedder.heard.clear()

        for operation, words in (("query_datastore", "query"), ("get_datastore", "search")):
            with pytest.raises(NotAuthenticated):
                await run(operation, caller=STRANGER, id=made[False], **{words: "Price?"})
        assert embedder.heard == []

        (chunk,) = (await run("query_datastore", caller=STRANGER, id=made[True], query="Price?"))["chunks"]
        assert (chunk["text"], embedder.heard) == ("The price is 5.", ["Price?"])


class ListeningEmbedder(WordEmbedder):
    """Remembers the questions that it was asked for."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def question(self, text):
        self.heard.append(text)
        return await super().question(text)


async def test_an_agent_that_is_made_private_again_is_closed_to_strangers(run):
    agent = await run("create_agent", **an_agent(visibility="public"))
    assert (await run("get_agent", caller=STRANGER, id=agent["id"]))["id"] == agent["id"]

    await run("update_agent", id=agent["id"], visibility="private")

    with pytest.raises(NotAuthenticated):
        await run("get_agent", caller=STRANGER, id=agent["id"])


async def test_a_stranger_sees_a_public_agent_without_instructions_requests_and_addresses(run):
    agent = await run(
        "create_agent",
        **an_agent(visibility="public", handle="ana"),
        configUrlExternal={"url": "https://internal.example", "header": CANARY},
        configUrlInfosSystemExternal={"url_webhook_external": "https://internal.example"},
    )
    await run(
        "addHttpTool",
        agentId=agent["id"],
        config=a_request(url="https://internal.example/x", pathVariables=[]),
    )
    await run("addDelayedResponsesTool", agentId=agent["id"], delay=8)

    shown = await run("get_agent", caller=STRANGER, id="@ana")

    private = ("systemPrompt", "userPrompt", "configUrlExternal", "configUrlInfosSystemExternal")
    assert {shown[name] for name in private} == {None}
    assert [(tool["type"], tool["config"]) for tool in shown["tools"]] == [
        ("http", {}),
        ("delayed_responses", {}),
    ]
    assert "internal.example" not in str(shown)
    kept = await run("get_agent", id="@ana")
    assert kept["tools"][0]["config"]["url"] == "https://internal.example/x"


async def is_let_in(run, caller: Caller, name: str, arguments: dict) -> bool:
    try:
        await run(name, caller=caller, **arguments)
    except (NotAllowed, NotAuthenticated):
        return False
    except NotAvailable:
        return name == "agent_query"  # let in; its answering part is not there yet
    return True
