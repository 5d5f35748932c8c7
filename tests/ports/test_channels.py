"""The channel of any program that speaks HTTP, against a provider on loopback that misbehaves."""

import asyncio
import hashlib
import hmac
import json
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.adapters.channels.known import KnownChannels
from vivavoce.adapters.channels.understanding import MOST_EVENTS, understood
from vivavoce.adapters.egress.bounds import Bounds
from vivavoce.adapters.egress.client import Egress
from vivavoce.adapters.egress.outside import EgressOutside
from vivavoce.domain.channels import Account, Heard, WebhookConfig, configured
from vivavoce.errors import InvalidInput, NotAuthenticated, NotAvailable, TooLarge, Unreached, UpstreamFailed
from vivavoce.ports.time import Refused, Sending, Sent, TryLater, Unsure

from .loopback import answer, closing, serving

NOW = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
HELLO = Sending("d1", "chat1", "Hello 👋", ({"name": "a.pdf", "url": "https://x.example/a.pdf"},))


def account_at(url, **config):
    known = {"id": "a1", "organization_id": "o1", "created_at": NOW, "updated_at": NOW, "agent_id": "g1"}
    return Account(
        **known,
        type="webhook",
        name="Shop",
        token_digest="digest of right",
        **configured(WebhookConfig(url=url, **config)),
    )


def channel_through(egress):
    return KnownChannels(
        EgressOutside(egress),
        secret=lambda organization: f"secret of {organization}",
        digest=lambda token: f"digest of {token}",
        now=lambda: NOW,
    ).of("webhook")


@pytest.fixture
async def provider():
    async with serving() as server:
        yield server


@pytest.fixture
async def channel(provider):
    async with closing(Egress(allow=[f"127.0.0.1:{provider.port}"])) as egress:
        yield channel_through(egress)


def at(provider, **config):
    return account_at(f"http://127.0.0.1:{provider.port}/in", **config)


async def sent(channel, provider, said, **config):
    provider.answers["/in"] = said
    return await channel.send(at(provider, **config), HELLO)


async def cut(writer):
    writer.close()


async def cut_in_the_body(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    await writer.drain()
    writer.close()


async def garbage(writer):
    writer.write(b"\x00\xff nothing of HTTP\r\n\r\n")
    await writer.drain()
    writer.close()


async def test_a_message_is_posted_signed_with_its_id_and_the_accounts_header(channel, provider):
    outcome = await sent(channel, provider, answer(b'{"id": "wamid.1"}'), header="X-Key: s3cret")

    assert outcome == Sent("wamid.1")
    body = provider.requests[-1].partition("\r\n\r\n")[2].encode("latin-1")
    assert json.loads(body) == {
        "type": "message",
        "id": "d1",
        "chat": "chat1",
        "text": "Hello 👋",
        "attachments": [{"name": "a.pdf", "url": "https://x.example/a.pdf"}],
    }
    assert (provider.header("x-key"), provider.header("vivavoce-id")) == ("s3cret", "d1")
    moment = provider.header("vivavoce-timestamp")
    mine = hmac.new(b"secret of o1", f"d1.{moment}.".encode() + body, hashlib.sha256).hexdigest()
    assert provider.header("vivavoce-signature") == f"v1={mine}"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (answer(b"ok"), Sent(None)),
        (answer(b'{"id": 17}', status=201), Sent("17")),
        (answer(b'{"id": {}}'), Sent(None)),
        (answer(status=204), Sent(None)),
        (answer(status=429, Retry_After="30"), TryLater("The provider answers 429.", 30.0)),
        (answer(status=429), TryLater("The provider answers 429.")),
        (answer(status=503, Retry_After="7"), TryLater("The provider answers 503.", 7.0)),
        (answer(status=500), TryLater("The provider answers 500.")),
        (
            answer(status=503, Retry_After="Sat, 31 Jan 2026 09:31:00 GMT"),
            TryLater("The provider answers 503.", 60.0),
        ),
        (answer(status=503, Retry_After="soon"), TryLater("The provider answers 503.")),
        (answer(status=503, Retry_After="9" * 40), TryLater("The provider answers 503.", 86_400.0)),
        (answer(status=400), Refused("The provider answers 400.")),
        (answer(status=401), Refused("The provider answers 401.")),
        (answer(status=404), Refused("The provider answers 404.")),
    ],
)
async def test_what_the_provider_answers_says_what_came_of_a_message(channel, provider, said, outcome):
    assert await sent(channel, provider, said) == outcome


async def test_a_redirect_is_refused_and_not_followed(channel, provider):
    outcome = await sent(channel, provider, answer(status=307, Location="/elsewhere"))

    assert isinstance(outcome, Refused)
    assert provider.paths == ["/in"]


@pytest.mark.parametrize("fault", [cut, cut_in_the_body, garbage])
async def test_a_connection_that_breaks_after_the_request_leaves_us_unsure(channel, provider, fault):
    assert isinstance(await sent(channel, provider, fault), Unsure)
    assert len(provider.requests) == 1


@pytest.mark.parametrize("fault", [cut, cut_in_the_body, garbage])
async def test_where_repeating_is_safe_a_broken_connection_is_tried_again(channel, provider, fault):
    assert isinstance(await sent(channel, provider, fault, repeats_safely=True), TryLater)


async def test_a_provider_that_nobody_listens_at_is_tried_again(channel, provider):
    async with serving() as gone:
        port = gone.port
    async with closing(Egress(allow=[f"127.0.0.1:{port}"])) as egress:
        outcome = await channel_through(egress).send(account_at(f"http://127.0.0.1:{port}/in"), HELLO)

    assert isinstance(outcome, TryLater)


async def test_a_private_address_is_refused_with_what_an_operator_can_do(provider):
    async with closing(Egress()) as egress:
        outcome = await channel_through(egress).send(at(provider), HELLO)

    assert isinstance(outcome, Refused)
    assert f"can allow 127.0.0.1:{provider.port} in VIVAVOCE_ALLOWED_ADDRESSES." in outcome.reason
    assert provider.requests == []


async def test_typing_is_told_only_where_it_is_wanted_and_never_fails(channel, provider):
    provider.answers["/in"] = cut

    await channel.show_typing(at(provider), "chat1")
    assert provider.requests == []
    await channel.show_typing(at(provider, typing=True), "chat1")

    head, _, body = provider.requests[-1].partition("\r\n\r\n")
    assert json.loads(body) == {"type": "typing", "chat": "chat1"}
    assert "vivavoce-signature:" in head.lower()
    assert "vivavoce-id" not in head.lower()


# What the way out says of a request that failed


async def hang(writer):
    await asyncio.Event().wait()


async def test_a_request_that_was_not_answered_in_time_may_have_been_seen(provider):
    provider.answers["/in"] = hang
    url = f"http://127.0.0.1:{provider.port}/in"
    async with closing(Egress(allow=[f"127.0.0.1:{provider.port}"])) as egress:
        with pytest.raises(UpstreamFailed, match="took longer") as failed:
            await egress.request("POST", url, content=b"x", within=Bounds(timeout=0.3))

    assert not isinstance(failed.value, Unreached)


async def test_a_request_that_waited_for_a_connection_all_the_time_was_not_seen(provider):
    async def never(address, port, timeout):
        await asyncio.Event().wait()

    within = Bounds(timeout=0.2, connect=5)
    async with closing(Egress(allow=["127.0.0.1:9"], dial=never)) as egress:
        with pytest.raises(Unreached):
            await egress.request("POST", "http://127.0.0.1:9/", content=b"x", within=within)


# What a provider posts


def event(**fields):
    return {"id": "e1", "chat": "c1", "text": "Hi", **fields}


@pytest.mark.parametrize("wrapped", [lambda e: {"events": [e]}, lambda e: [e], lambda e: e])
def test_events_come_in_a_list_or_alone(wrapped):
    assert understood(json.dumps(wrapped(event())).encode()) == [Heard("e1", "c1", "Hi")]


def test_everything_that_an_event_can_say_is_heard():
    said = event(
        sentAt="2026-01-31T10:30:00+01:00",
        name="Ann  Lee",
        phoneNumber="+5511",
        email="ann@example.com",
        attachments=[
            {"name": "a.pdf", "url": "https://x.example/a", "mimeType": "application/pdf", "size": 3}
        ],
        isGroup=True,
        isMention=True,
    )

    (heard,) = understood(json.dumps(said).encode())

    assert heard.sent_at == NOW
    assert (heard.name, heard.phone_number, heard.email) == ("Ann Lee", "+5511", "ann@example.com")
    assert heard.attachments[0]["mimeType"] == "application/pdf"
    assert (heard.is_group, heard.is_mention, heard.kind) == (True, True, "message")


def test_texts_that_no_database_keeps_are_mended_not_lost():
    said = {"id": 7, "chat": 8, "text": "a\x00b\ud800" + "x" * 200_000, "name": "A\nB\x00" * 200}

    (heard,) = understood(json.dumps(said).encode())

    assert (heard.event_id, heard.chat) == ("7", "8")
    assert heard.text.startswith("ab\ufffdx")
    assert len(heard.text) == 100_000
    assert heard.name.startswith("A B")
    assert len(heard.name) <= 200


def test_moments_may_be_numbers():
    seconds = int(NOW.timestamp())

    assert {
        understood(json.dumps(event(sentAt=given)).encode())[0].sent_at for given in (seconds, seconds * 1000)
    } == {NOW}


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", "JSON"),
        (b"{", "JSON"),
        (b"\xff\xfe{}", "UTF-8"),
        (b"[" * 100_000, "JSON"),
        (b"7", "The body"),
        (b'{"events": 7}', "The body"),
        (b"[7]", r"events\[0\]: must be an object"),
        (json.dumps([event(), event(id=None)]).encode(), r"events\[1\]\.id"),
        (json.dumps(event(id=" ")).encode(), "blank"),
        (json.dumps(event(id="a\x00b")).encode(), r"\.id"),
        (json.dumps(event(id="a\ud800")).encode(), r"\.id"),
        (json.dumps(event(id=True)).encode(), r"\.id"),
        (json.dumps(event(chat="c" * 161)).encode(), r"\.chat"),
        (json.dumps({"id": "e1"}).encode(), r"\.chat"),
        (json.dumps(event(text=7)).encode(), r"\.text"),
        (json.dumps(event(type="wave")).encode(), r"\.type"),
        (json.dumps(event(type=[])).encode(), r"\.type"),
        (json.dumps(event(type="status", deliveryId="d1", status="eaten")).encode(), r"\.status"),
        (json.dumps(event(type="status", status="read")).encode(), r"\.deliveryId"),
        (json.dumps(event(sentAt="yesterday")).encode(), r"\.sentAt"),
        (json.dumps(event(sentAt=1e300)).encode(), r"\.sentAt"),
        (json.dumps(event(attachments=[{"name": "a"}])).encode(), r"attachments\[0\]\.url"),
        (json.dumps(event(attachments="a")).encode(), r"\.attachments"),
        (json.dumps(event(isGroup="yes")).encode(), r"\.isGroup"),
    ],
)
def test_junk_is_refused_with_the_place_where_it_stands(body, fault):
    with pytest.raises(InvalidInput, match=fault):
        understood(body)


NAMES = (
    *("id", "chat", "text", "sentAt", "name", "phoneNumber", "email", "attachments", "isGroup", "isMention"),
    *("type", "status", "deliveryId", "detail", "url", "events", "size"),
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(("message", "status", "read")),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inside, max_size=8),
)


@given(ANYTHING)
def test_whatever_is_posted_is_understood_or_refused_in_words(said):
    heard = []
    with suppress(InvalidInput, TooLarge):
        heard = understood(json.dumps(said).encode())
    for each in heard:
        assert each.event_id
        stored = json.dumps(each._asdict(), default=str, ensure_ascii=False)
        assert "\0" not in each.text + each.name + each.chat
        assert stored.encode()


def test_a_request_brings_a_thousand_events_and_no_more():
    many = [event(id=str(number)) for number in range(MOST_EVENTS + 1)]

    assert len(understood(json.dumps(many[:-1]).encode())) == MOST_EVENTS
    with pytest.raises(TooLarge):
        understood(json.dumps(many).encode())


@pytest.mark.parametrize("headers", [{"x-webhook-token": "right"}, {"authorization": "Bearer right"}])
async def test_the_token_comes_in_either_header(channel, headers):
    account = account_at("https://shop.example/")

    assert channel.heard(account, headers, json.dumps(event()).encode(), NOW) == [Heard("e1", "c1", "Hi")]


@pytest.mark.parametrize("headers", [{}, {"x-webhook-token": "wrong"}, {"authorization": "Bearer"}])
async def test_without_the_token_nothing_is_read(channel, headers):
    with pytest.raises(NotAuthenticated):
        channel.heard(account_at("https://shop.example/"), headers, b"junk", NOW)


async def test_an_unknown_kind_of_provider_is_said_to_be_one():
    async with closing(Egress()) as egress:
        known = KnownChannels(EgressOutside(egress), secret=str, digest=str, now=lambda: NOW)
        with pytest.raises(NotAvailable, match="pigeon"):
            known.of("pigeon")
