"""The client: it finds out whom it speaks to, gives results and errors of ours, streams and uploads."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from datetime import UTC, datetime
from urllib.parse import quote

import pytest
from fake import KEY, hosting, says, streams

import vivavoce
from vivavoce.client.reading import result_of
from vivavoce.domain.conversations import TagKind
from vivavoce.errors import (
    Conflict,
    InvalidInput,
    LimitReached,
    NotAllowed,
    NotAuthenticated,
    NotAvailable,
    NotFound,
    NotNow,
    StorageFailed,
    TooLarge,
    Unreached,
    Unreadable,
    UpstreamFailed,
    WindowClosed,
)
from vivavoce.hosted.exchanges import Reply
from vivavoce.operations import (
    AddFile,
    AgentQuery,
    CreateAgent,
    CreateCrmStep,
    CreateDatastore,
    CreateKey,
    CreateTag,
    DeleteAgent,
    DeleteNote,
    DeleteTag,
    DeleteVariable,
    EnableDisableAgentIntegration,
    GetAgent,
    GetDatasource,
    GetVariable,
    ListAgents,
    ListApprovals,
    ListAvatars,
    ListKeys,
    SetAiEnabled,
    SetVariable,
    TagConversation,
    Told,
    UntagConversation,
)
from vivavoce.operations.answers import AgentAnswer

NOW = datetime(2026, 1, 31, tzinfo=UTC)
OURS = says(200, {"name": "vivavoce", "version": "0.1.0"})
ANA = CreateAgent(name="Ana", description="", model_name="m", system_prompt="Be kind.", temperature=0)


@pytest.fixture
async def platform(server):
    address, key = server
    async with vivavoce.connect(address, key.key) as platform:
        yield platform


# Who is there


async def test_a_server_of_ours_is_known_by_its_name_and_asked_without_the_key():
    async with (
        hosting(OURS, says(200, [])) as fake,
        vivavoce.connect(fake.address, KEY) as platform,
    ):
        await platform.run(ListAgents())
        await platform.run(ListAgents())

    assert platform.service == "vivavoce"
    assert fake.calls == ["GET /", "GET /agents", "GET /agents"]
    assert [request.headers.get("authorization") for request in fake.requests] == [
        None,
        f"Bearer {KEY}",
        f"Bearer {KEY}",
    ]
    assert len(fake.lines) == 1  # one connection for all of them


@pytest.mark.parametrize(
    "first",
    [says(404, {"error": "NOT_FOUND"}), says(200, "<html>"), says(200, {"name": "another"}), says(403)],
    ids=["no page", "a web page", "another name", "closed"],
)
async def test_whoever_else_answers_is_not_sent_the_key(first):
    async with hosting(first) as fake:
        with pytest.raises(InvalidInput, match=r"Nothing known answers at 127\.0\.0\.1.*service='hosted'"):
            async with vivavoce.connect(fake.address, KEY):
                pytest.fail("it is not known who is there")

    assert [request.headers.get("authorization") for request in fake.requests] == [None]


@pytest.mark.parametrize("path", ["/api", "/mcp", "/mcp/", "/"])
async def test_a_server_is_found_by_the_addresses_of_its_parts(path):
    async with (
        hosting(OURS, says(200, [])) as fake,
        vivavoce.connect(fake.address + path, KEY) as platform,
    ):
        await platform.run(ListAgents())

    assert fake.calls == ["GET /", "GET /agents"]


async def test_the_address_of_the_hosted_service_is_known_without_asking():
    async with vivavoce.connect("https://api.chatvolt.ai", KEY) as platform:
        assert platform.service == "hosted"
        assert platform.supports(CreateAgent)
        assert not platform.supports(ListApprovals)


async def test_who_says_what_stands_there_is_believed():
    async with (
        hosting(says(200, [])) as fake,
        vivavoce.connect(fake.address, KEY, service="hosted") as platform,
    ):
        await platform.run(ListAgents())

    assert fake.calls == ["GET /agents"]


async def test_an_address_that_does_not_answer_well_is_told():
    async with hosting(says(500)) as fake:
        address = fake.address
        with pytest.raises(UpstreamFailed, match=r"answers 500.*service='hosted'"):
            async with vivavoce.connect(address, KEY):
                pytest.fail("there is nobody")

    with pytest.raises(Unreached, match=r"cannot be reached; nothing was sent.*Check the url"):
        async with vivavoce.connect(address, KEY):
            pytest.fail("there is nobody")


async def test_a_redirect_keeps_its_own_hint():
    async with hosting(says(308, b"", location="https://example.com")) as fake:
        with pytest.raises(UpstreamFailed, match="Set the url to the address of the service itself"):
            async with vivavoce.connect(fake.address, KEY):
                pytest.fail("it is elsewhere")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"url": "https://example.com", "service": "vivavoice"}, "no service 'vivavoice'.*'hosted'"),
        ({"url": "https://example.com", "key": None}, "key must be a text, not NoneType.*leave it out"),
        ({"url": None}, "url must be a text"),
        ({"url": "http:///agents", "service": "vivavoce"}, "must be the address of the service"),
        ({"url": "example.com:8377"}, "It begins with https:// and a host"),
    ],
)
async def test_what_cannot_be_meant_is_refused_before_anything_is_sent(arguments, words):
    with pytest.raises(InvalidInput, match=words):
        async with vivavoce.connect(**arguments):
            pytest.fail("there is nobody")


async def test_nothing_runs_after_the_context_has_ended():
    async with (
        hosting(says(200, [])) as fake,
        vivavoce.connect(fake.address, KEY, service="vivavoce") as platform,
    ):
        pass

    with pytest.raises(NotAvailable, match=r"is closed.*within the context of connect"):
        await platform.run(ListAgents())
    with pytest.raises(NotAvailable, match="is closed"):
        await anext(platform.stream(AgentQuery(id="cagent", query="Hi")))


@pytest.mark.parametrize("host", ["vivavoce:8377", "10.0.0.7", "192.168.1.2:8377", "[fd00::1]", "api"])
async def test_a_server_in_a_private_network_is_spoken_to_in_the_clear_where_the_caller_says_so(host):
    async with vivavoce.connect(f"http://{host}", KEY, service="vivavoce") as platform:
        assert platform.service == "vivavoce"
    with pytest.raises(InvalidInput, match="must begin with https://"):
        async with vivavoce.connect(f"http://{host}", KEY, service="hosted"):
            pytest.fail("the key would travel")


@pytest.mark.parametrize("host", ["8.8.8.8", "134744072", "0x08080808", "shop.example", "[2600::1]"])
async def test_a_key_of_ours_is_not_sent_over_the_internet_in_the_clear(host):
    with pytest.raises(InvalidInput, match="must begin with https://"):
        async with vivavoce.connect(f"http://{host}", KEY, service="vivavoce"):
            pytest.fail("the key would travel")


async def test_a_key_is_not_sent_in_the_clear():
    with pytest.raises(InvalidInput, match="The url must begin with https://"):
        async with vivavoce.connect("http://example.com", KEY):
            pytest.fail("the key would travel")


# Results


async def test_values_that_count_as_false_arrive(platform):
    made = await platform.run(ANA)

    assert await platform.run(GetAgent(id=made.id)) == made
    assert (made.temperature, made.description) == (0, "")


async def test_a_switched_integration_is_told_whole(platform):
    made = await platform.run(ANA)

    switched = await platform.run(EnableDisableAgentIntegration(id=made.id, type="whatsapp", enabled=False))

    assert (switched.agent_id, switched.type, switched.enabled) == (made.id, "whatsapp", False)
    assert switched.status


async def test_a_file_is_uploaded_with_its_settings_and_replaced(platform, tmp_path):
    store = await platform.run(CreateDatastore(type="qdrant", name="Manuals"))
    file = tmp_path / "somewhere.txt"
    file.write_text("Open from 9 to 18 — às vezes.", encoding="utf-8")
    settings = {"tags": ["hours", "a, b"], "custom_id": "mine", "mime_type": "text/plain"}

    added = await platform.run(AddFile(datastore_id=store.id, name="hours.txt", file=file, config=settings))
    file.write_text("Closed.", encoding="utf-8")
    again = await platform.run(AddFile(datastore_id=store.id, name="hours.txt", file=file, replaces=added.id))

    assert (added.name, added.datastore_id) == ("hours.txt", store.id)
    assert added.config["tags"] == ["hours", "a, b"]
    assert added.config["custom_id"] == "mine"
    assert again.id == added.id
    assert (await platform.run(GetDatasource(id=added.id))).name == "hours.txt"


@pytest.mark.parametrize("service", ["vivavoce", "hosted"])
async def test_a_file_that_cannot_be_read_is_told_and_nothing_is_sent(service, tmp_path):
    async with (
        hosting(says(200, {})) as fake,
        vivavoce.connect(fake.address, KEY, service=service) as platform,
    ):
        for file, words in (
            (tmp_path / "nothing.txt", "nothing.txt cannot be read"),
            (tmp_path, "directory"),
        ):
            with pytest.raises(InvalidInput, match=words):
                await platform.run(AddFile(datastore_id="cstore", name="hours.txt", file=file))

    assert fake.requests == []


@pytest.mark.parametrize("service", ["vivavoce", "hosted"])
@pytest.mark.parametrize("dots", [".", ".."])
async def test_a_name_that_would_lead_to_another_address_is_not_sent(service, dots):
    async with (
        hosting(says(200, {})) as fake,
        vivavoce.connect(fake.address, KEY, service=service) as platform,
    ):
        for op in (
            UntagConversation(conversation_id="talk", tag_name=dots),
            DeleteVariable(conversation_id="talk", var_name=dots),
            GetVariable(conversation_id="talk", var_name=dots),
        ):
            if platform.supports(type(op)):
                with pytest.raises(InvalidInput, match="must not be"):
                    await platform.run(op)

        assert platform.supports(DeleteVariable)

    assert fake.requests == []


@pytest.mark.parametrize("name", [".", "..", "a/b"])
def test_new_names_that_could_not_be_addressed_are_refused(name):
    for kind, arguments in (
        (CreateTag, {"name": name}),
        (TagConversation, {"conversationId": "talk", "tagName": name}),
        (SetVariable, {"conversationId": "talk", "varName": name, "varValue": "1"}),
        (CreateCrmStep, {"scenarioId": "cscenario", "name": "New", "defaultTags": [name]}),
    ):
        with pytest.raises(InvalidInput, match="must not"):
            kind.parse(arguments)
    kept = TagKind(id="ctag", organization_id="corg", created_at=NOW, updated_at=NOW, name=name)
    assert DeleteTag(name=kept.name).name == name  # stored ones can be read, and deleted


async def test_without_a_key_a_server_shows_what_is_public(server):
    address, _ = server
    async with vivavoce.connect(address) as stranger:
        assert (await stranger.run(ListAvatars())).avatars == []
        with pytest.raises(NotAuthenticated, match="list_agents needs a valid API key"):
            await stranger.run(ListAgents())


def test_what_a_newer_server_says_more_is_passed_over():
    row = {"id": "c", "name": "Ana", "prefix": "vv_", "scopes": ["read"], "revokedAt": None, "isNew": {}}
    moment = "2026-01-31T09:30:00.000Z"
    body = json.dumps([{**row, "createdAt": moment}]).encode()

    (key,) = result_of(ListKeys(), Reply(200, "application/json", body)).keys

    assert (key.name, key.created_at.isoformat()) == ("Ana", "2026-01-31T09:30:00+00:00")


def test_what_was_deleted_is_told_though_the_wire_says_nothing():
    deleted = result_of(DeleteNote(conversation_id="talk", note_id="cnote"), Reply(204, "", b""))

    assert deleted.id == "cnote"


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>"), (200, b"{}"), (202, b"")])
def test_a_deletion_is_no_success_where_another_than_the_declared_status_comes(status, body):
    with pytest.raises(UpstreamFailed, match=f"status is {status} instead of 204.*may have taken effect"):
        result_of(DeleteNote(conversation_id="talk", note_id="cnote"), Reply(status, "", body))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"id": 3}', "cannot be read: .*id.*It may have taken effect"),
        (b"<html>", "invalid JSON"),
        (b'{"id": "c', "invalid JSON"),
        (b"", "invalid JSON"),
        (b"null", "cannot be read"),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failure_that_says_why(body, words):
    with pytest.raises(UpstreamFailed, match=words):
        result_of(ANA, Reply(200, "application/json", body))


# Errors


async def test_errors_are_those_that_the_server_raised(platform):
    with pytest.raises(NotFound, match="nobody") as found:
        await platform.run(DeleteAgent(id="nobody"))
    assert "list_agents" in found.value.hint

    await platform.run(ANA.model_copy(update={"handle": "ana"}))
    with pytest.raises(Conflict, match="'ana' is taken"):
        await platform.run(ANA.model_copy(update={"handle": "ana"}))

    with pytest.raises(InvalidInput) as refused:
        await platform.run(ANA.model_copy(update={"temperature": 9}))
    assert refused.value.details.keys() == {"temperature"}

    with pytest.raises(NotAvailable, match="no route to create_key"):
        await platform.run(CreateKey(name="Console"))


async def test_a_key_that_is_unknown_is_told_from_one_that_lacks_a_scope(reader, server):
    address, _ = server
    async with vivavoce.connect(address, reader.key) as platform:
        with pytest.raises(NotAllowed, match="lacks the scope write"):
            await platform.run(ANA)
    async with vivavoce.connect(address, "vv_unknown_key") as platform:
        with pytest.raises(NotAuthenticated) as refused:
            await platform.run(ANA)

    assert "vv_unknown" not in str(refused.value)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (413, "INVALID_REQUEST", TooLarge),
        (422, "INVALID_REQUEST", Unreadable),
        (429, "RATE_LIMIT", LimitReached),
        (503, "NOT_NOW", NotNow),
        (503, "STORAGE_FAILED", StorageFailed),
        (406, "ERR_META_SESSION_EXPIRED_24H", WindowClosed),
        (502, "UPSTREAM_FAILED", UpstreamFailed),
        (401, "UNAUTHORIZED", NotAuthenticated),
        (501, "NOT_IMPLEMENTED", NotAvailable),
    ],
)
async def test_each_error_of_the_wire_is_one_of_ours(status, code, kind):
    body = {"error": code, "message": "So it is.", "hint": "Do this."}
    async with (
        hosting(says(status, body, retry_after="7")) as fake,
        vivavoce.connect(fake.address, KEY, service="vivavoce") as platform,
    ):
        with pytest.raises(kind) as raised:
            await platform.run(ANA)

    error = raised.value
    assert type(error) is kind
    assert (error.message, error.hint) == ("So it is.", "Do this.")
    assert error.retry_after == (7 if kind.retryable else None)
    assert len(fake.requests) == 1


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (says(404, {"error": "NOT_FOUND", "message": "Not Found"}), NotAvailable, "no such route"),
        (says(404, "<html>"), NotAvailable, "no such route"),
        (says(405, {"error": "METHOD_NOT_ALLOWED"}), NotAvailable, "older than this client"),
        (says(500, {"error": "INTERNAL_SERVER_ERROR"}), UpstreamFailed, "not known whether it took effect"),
        (says(400, b"["), InvalidInput, "answers 400"),
        (says(302, b"", location="https://example.com"), UpstreamFailed, "Set the url"),
    ],
)
async def test_answers_that_say_nothing_of_ours_are_told_plainly(answer, kind, words):
    async with (
        hosting(answer) as fake,
        vivavoce.connect(fake.address, KEY, service="vivavoce") as platform,
    ):
        with pytest.raises(kind, match=words):
            await platform.run(ANA)


# Streams


async def test_an_answer_is_streamed_and_then_given_whole(platform):
    agent = await platform.run(ANA)

    *pieces, answer = [part async for part in platform.stream(AgentQuery(id=agent.id, query="Olá — 你好?"))]

    assert isinstance(answer, AgentAnswer)
    assert all(isinstance(piece, Told) for piece in pieces)
    assert "".join(piece.text for piece in pieces if piece.kind == "answer") == answer.answer
    assert answer.answer


async def test_an_answer_of_the_hosted_service_is_streamed_too():
    whole = quote(json.dumps({"answer": "Olá!", "conversationId": "t", "visitorId": "v", "messageId": "m"}))
    pieces = f"event: answer\ndata: Ol\n\nevent: answer\ndata: {quote('á!')}\n\n"
    events = f"{pieces}event: endpoint_response\ndata: {whole}\n\ndata: [DONE]\n\n".encode()
    async with (
        hosting(streams(events)) as fake,
        vivavoce.connect(fake.address, KEY, service="hosted") as platform,
    ):
        parts = [part async for part in platform.stream(AgentQuery(id="cagent", query="Hi"))]

    assert parts[:-1] == [Told("answer", "Ol"), Told("answer", "á!")]
    assert (parts[-1].answer, parts[-1].message_id) == ("Olá!", "m")


async def test_a_stream_of_an_agent_that_keeps_silent_is_the_result_alone(platform):
    agent = await platform.run(ANA)
    first = await platform.run(AgentQuery(id=agent.id, query="Hello?"))
    await platform.run(SetAiEnabled(conversation_id=first.conversation_id, enabled=False))

    asked = AgentQuery(id=agent.id, query="Anyone?", conversation_id=first.conversation_id)
    (answer,) = [part async for part in platform.stream(asked)]

    assert (answer.answer, answer.conversation_id) == (None, first.conversation_id)
    assert "silent" in answer.metadata["reason"]


async def test_a_query_that_asks_for_a_stream_is_answered_whole_where_nobody_listens(platform):
    agent = await platform.run(ANA)

    assert (await platform.run(AgentQuery(id=agent.id, query="Hello?", streaming=True))).answer


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        (b"event: answer\ndata: Hel\n\ndata: [ERROR]STORAGE_FAILED\n\n", StorageFailed),
        (b"event: answer\ndata: Hel\n\ndata: [ERROR]INTERNAL_SERVER_ERROR\n\n", UpstreamFailed),
        (b"event: answer\ndata: Hel\n\ndata: [ERROR]INVALID_REQUEST\n\n", InvalidInput),
        (b"event: answer\ndata: Hel\n\n", UpstreamFailed),
    ],
    ids=["an error", "a fault", "a refusal", "cut"],
)
async def test_a_stream_that_breaks_off_gives_what_came_and_then_the_error(events, kind):
    told = []
    async with (
        hosting(streams(events)) as fake,
        vivavoce.connect(fake.address, KEY, service="vivavoce") as platform,
    ):
        with pytest.raises(kind) as raised:
            await collected(platform.stream(AgentQuery(id="cagent", query="Hi")), told)

    assert type(raised.value) is kind
    assert told == [Told("answer", "Hel")]


async def collected(stream, told):
    async for part in stream:
        told.append(part)


async def test_who_leaves_a_stream_early_leaves_nothing_running():
    async def stays_open(writer):
        await streams(b"event: answer\ndata: Hel\n\n", is_cut=False)(_Unfinished(writer))

    async with (
        hosting(stays_open) as fake,
        vivavoce.connect(fake.address, KEY, service="vivavoce") as platform,
    ):
        before = asyncio.all_tasks()
        async with aclosing(platform.stream(AgentQuery(id="cagent", query="Hi"))) as parts:
            async for part in parts:
                assert part == Told("answer", "Hel")
                break
        left = asyncio.all_tasks() - before - fake.lines.keys()

    assert left == set()


class _Unfinished:
    """A writer that holds back the end of what comes in chunks."""

    def __init__(self, writer):
        self._writer = writer

    def write(self, piece):
        if piece != b"0\r\n\r\n":
            self._writer.write(piece)

    async def drain(self):
        await self._writer.drain()
