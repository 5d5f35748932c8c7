"""Inert things: no secret is left in them, nothing of them acts by itself, and a report can say so."""

import json
from datetime import UTC, datetime

import pytest

from vivavoce.domain import inert as words
from vivavoce.domain.agents import Agent, with_covered_configs
from vivavoce.domain.avatars import Avatar
from vivavoce.domain.channels import Account, Arrival, WebhookConfig, configured
from vivavoce.domain.contacts import Contact
from vivavoce.domain.crm import Step, with_covered_webhook
from vivavoce.domain.deliveries import OVER, Delivery
from vivavoce.domain.endpoints import webhook_of, webhook_of_step
from vivavoce.domain.follow_ups import FollowUp
from vivavoce.domain.http.http_calls import call_of
from vivavoce.domain.http.http_tools import HttpConfig
from vivavoce.domain.inert import inert, pause_of, veiled
from vivavoce.domain.integrations import Integration
from vivavoce.domain.knowledge import Datasource, Datastore, covered_settings
from vivavoce.domain.secrets import MARKER
from vivavoce.domain.tools import Tool, ToolDraft
from vivavoce.domain.turns import OPEN, Approval, Turn
from vivavoce.errors import InvalidInput

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KNOWN = {"id": "x1", "organization_id": "o1", "created_at": NOW, "updated_at": NOW}
SECRET = "hunter2hunter2"
HOOK = f"https://hooks.example/in?token={SECRET}&n=1"


def agent(**config) -> Agent:
    fields = with_covered_configs(config)
    return Agent.model_validate({**KNOWN, "name": "Ana", "model_name": "m", **fields})


def tool(config, type="http") -> Tool:
    covered, secrets = ToolDraft(type=type, config=config).covered()
    return Tool(**KNOWN, agent_id="a1", type=type, config=covered, secrets=secrets)


def step(**fields) -> Step:
    known = {**KNOWN, "scenario_id": "s1", "index": 0, "name": "Hot"}
    return Step.model_validate({**known, **with_covered_webhook(fields)})


def account(**config) -> Account:
    fields = configured(WebhookConfig(**config))
    return Account(**KNOWN, agent_id="a1", type="webhook", name="Front", token_digest="d1", **fields)


def everything_in(thing) -> str:
    return json.dumps(thing.fields(), default=str)


WITH_SECRETS = [
    agent(config_url_infos_system_external={"url_webhook_external": HOOK, "headerKey": SECRET}),
    agent(
        config_url_external={"url": "https://x.example", "header": SECRET}, interface_config={"pwd": SECRET}
    ),
    tool({"name": "Find", "description": "", "url": HOOK, "headers": [{"key": "X-Key", "value": SECRET}]}),
    tool(
        {"name": "Find", "description": "", "url": "https://x.example", "rawBody": f'{{"pwd": "{SECRET}"}}'}
    ),
    tool({"apiKey": SECRET, "place": f"https://me:{SECRET}@x.example/"}, type="connector"),
    step(webhook_url=HOOK, webhook_header={"X-Key": SECRET}),
    step(webhook_url=HOOK, webhook_header=f"Bearer {SECRET}"),
    account(url=HOOK, header=f"X-Key: {SECRET}"),
    Datasource(
        **KNOWN,
        datastore_id="d1",
        name="Page",
        **dict(zip(("config", "secrets"), covered_settings({"source_url": HOOK}), strict=True)),
    ),
    Delivery(**KNOWN, kind="callback", url=HOOK),
    Turn(**KNOWN, conversation_id="c1", message_id="m1", position=1, agent_id="a1", callback_url=HOOK),
    Approval(
        **KNOWN,
        **dict.fromkeys(("conversation_id", "turn_id", "agent_id", "tool_id", "tool_name"), "x"),
        payload={},
        arguments={"password": SECRET},
        variables={"apiToken": SECRET},
        query={"callback_url": HOOK},
        so_far=[["called", "c1", "Find", json.dumps({"password": SECRET})]],
    ),
    Turn(
        **KNOWN,
        conversation_id="c1",
        message_id="m1",
        position=1,
        agent_id="a1",
        query={"callback_url": HOOK},
    ),
    Tool(
        **KNOWN,
        agent_id="a1",
        type="api_tool",
        config={
            "importedType": "http",
            "url": HOOK,
            "headers": [
                {"key": "Authorization", "value": f"Bearer {SECRET}"},
                {"key": "X-Door", "value": SECRET, "acceptedValues": [SECRET], "enum": [SECRET]},
                f"X-Key: {SECRET}",
            ],
            "rawBody": f"password={SECRET}",
        },
    ),
    Tool(
        **KNOWN,
        agent_id="a1",
        type="api_tool",
        config={"headers": {"X-Door": SECRET}, "rawBody": f'{{"pwd": "{SECRET}", "pwd": ""}}'},
    ),
]


@pytest.mark.parametrize("thing", WITH_SECRETS, ids=lambda thing: type(thing).__name__)
def test_no_secret_is_left_and_that_is_said(thing):
    assert SECRET in everything_in(thing)

    quiet = inert(thing)

    assert SECRET not in everything_in(quiet.thing)
    assert (words.SECRETS in quiet.said) == hasattr(thing, "secrets")


@pytest.mark.parametrize("thing", WITH_SECRETS, ids=lambda thing: type(thing).__name__)
def test_what_is_inert_stays_as_it_is(thing):
    once = inert(thing).thing

    assert inert(once).thing == once


@pytest.mark.parametrize("thing", WITH_SECRETS, ids=lambda thing: type(thing).__name__)
def test_what_is_no_secret_and_who_it_is_stay(thing):
    quiet = inert(thing).thing

    assert (quiet.id, quiet.organization_id, quiet.updated_at) == ("x1", "o1", NOW)
    assert ("n=1" in everything_in(quiet)) == ("n=1" in everything_in(thing))


@pytest.mark.parametrize("thing", WITH_SECRETS, ids=lambda thing: type(thing).__name__)
def test_a_veiled_thing_writes_no_secret_and_keeps_its_state(thing):
    shown = veiled(thing)

    assert SECRET not in shown.model_dump_json()
    assert getattr(shown, "state", None) == getattr(thing, "state", None)


def test_a_header_on_a_page_is_no_secret():
    config = inert(agent(interface_config={"header": "Welcome"})).thing.interface_config

    assert config == {"header": "Welcome"}


def test_the_call_of_an_inert_tool_is_refused_until_its_secret_is_written_again():
    quiet = inert(WITH_SECRETS[2]).thing

    with pytest.raises(InvalidInput, match="A secret of this tool is missing"):
        call_of(HttpConfig.model_validate(quiet.config), {}, {}, quiet.secrets)


def test_settings_that_are_not_as_they_should_be_lose_what_may_be_secret():
    config = {
        "url": HOOK,
        "isOdd": True,
        "headers": [{"key": "Authorization", "value": SECRET}, {"key": "Accept", "value": "text/plain"}, 7],
        "body": [{"key": "password", "value": SECRET}, {"key": "city", "value": "Porto"}],
        "note": {"apiToken": SECRET},
    }

    quiet = inert(Tool(**KNOWN, agent_id="a1", type="http", config=config)).thing

    assert SECRET not in everything_in(quiet)
    assert quiet.config["headers"] == [
        {"key": "Authorization", "value": MARKER},
        {"key": "Accept", "value": "text/plain"},
        7,
    ]
    assert quiet.config["body"][1] == {"key": "city", "value": "Porto"}
    assert quiet.config["isOdd"] is True


def test_a_tool_at_rest_keeps_all_that_is_no_secret():
    parameter = {
        "key": "auth",
        "isUserProvided": True,
        "properties": {"token": {"type": "string", "default": SECRET}},
    }
    config = {
        "importedType": "soap",
        "headers": [{"key": "Authorization", "value": SECRET}, {"key": "Accept", "value": "text/plain"}],
        "body": [parameter],
        "rawBody": json.dumps({"city": "Porto", "pwd": SECRET}),
    }

    quiet = inert(Tool(**KNOWN, agent_id="a1", type="api_tool", config=config)).thing

    assert quiet.config == {
        "importedType": "soap",
        "headers": [{"key": "Authorization", "value": MARKER}, {"key": "Accept", "value": "text/plain"}],
        "body": [{**parameter, "properties": {"token": {"type": "string", "default": MARKER}}}],
        "rawBody": json.dumps({"city": "Porto", "pwd": MARKER}),
    }


def test_what_is_public_becomes_private_and_that_is_said():
    public = (
        Agent(**KNOWN, name="Ana", model_name="m", visibility="public"),
        Datastore(**KNOWN, name="Books", visibility="public"),
        Avatar(**KNOWN, config={"id": "ada", "name": "Ada"}, datastore_id="d1", is_public=True),
    )
    for thing in public:
        quiet = inert(thing)

        assert quiet.said == (words.PRIVATE,)
        assert getattr(quiet.thing, "visibility", "private") == "private"
        assert not getattr(quiet.thing, "is_public", False)
        assert inert(quiet.thing) == (quiet.thing, ())


def test_channels_are_off_and_known_by_no_token():
    quiet = inert(account(url="https://x.example"))

    assert (quiet.thing.enabled, quiet.thing.token_digest) == (False, "")
    assert quiet.said == (words.OFF, words.TOKEN)


def test_integrations_are_off():
    quiet = inert(Integration(**KNOWN, agent_id="a1", type="whatsapp", enabled=True))

    assert (quiet.thing.enabled, quiet.said) == (False, (words.OFF,))


@pytest.mark.parametrize("state", ["waiting", "sending", "held"])
def test_nothing_is_left_to_be_sent(state):
    quiet = inert(Delivery(**KNOWN, kind="webhook", state=state, due_at=NOW))

    assert quiet.thing.state in OVER
    assert quiet.thing.state != "held"
    assert (quiet.thing.due_at, quiet.said) == (None, (words.NOT_SENT,))


@pytest.mark.parametrize("state", ["sent", "uncertain", "failed", "withdrawn"])
def test_what_is_over_stays_over(state):
    delivery = Delivery(**KNOWN, kind="message", state=state)

    assert inert(delivery) == (delivery, ())


def test_planned_messages_are_cancelled():
    planned = FollowUp(**KNOWN, conversation_id="c1", tag="t", message="Hello?", due_at=NOW)

    assert inert(planned).thing.state == "cancelled"


@pytest.mark.parametrize("state", [*OPEN, "asking"])
def test_no_turn_is_left_to_be_answered(state):
    turn = Turn(**KNOWN, conversation_id="c1", message_id="m1", position=1, agent_id="a1", state=state)

    assert inert(turn).thing.state == "interrupted"


@pytest.mark.parametrize(("state", "then"), [("pending", "rejected"), ("approved", "done")])
def test_no_call_is_left_to_be_approved(state, then):
    names = dict.fromkeys(("conversation_id", "turn_id", "agent_id", "tool_id", "tool_name"), "x")
    approval = Approval(**KNOWN, **names, payload={}, arguments={}, state=state)

    assert inert(approval).thing.state == then


def test_what_was_not_heard_can_be_heard_by_hand():
    arrival = Arrival(**KNOWN, account_id="x1", event_id="e1", raw=SECRET)

    assert inert(veiled(arrival)).thing.state == "failed"
    assert veiled(arrival).raw == ""


def test_a_webhook_is_paused_at_the_address_that_is_left():
    for thing, of in ((WITH_SECRETS[0], webhook_of), (WITH_SECRETS[5], webhook_of_step)):
        quiet = inert(thing)
        pause = pause_of(quiet.thing, NOW)

        assert words.PAUSED in quiet.said
        assert pause.paused_at == NOW
        assert (
            pause.url == of(quiet.thing).shown == of(quiet.thing).url == "https://hooks.example/in?token=&n=1"
        )
        assert of(quiet.thing).headers == {}


def test_what_acts_nowhere_comes_back_as_it_is():
    for thing in (Contact(**KNOWN, email="ana@x.example"), agent(), step()):
        assert inert(thing) == (thing, ())
        assert pause_of(thing, NOW) is None
