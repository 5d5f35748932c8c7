"""Channels: accounts, what arrives at them, and what providers tell of messages afterwards."""

from __future__ import annotations

import asyncio
import json

import pytest

from vivavoce.domain.conversations import Conversation, Message
from vivavoce.domain.secrets import MARKER
from vivavoce.engine.handlers import Work
from vivavoce.engine.time.gates import AT_ONCE
from vivavoce.engine.time.inbox import Inbox
from vivavoce.engine.time.outgoing import say
from vivavoce.errors import Conflict, InvalidInput, NotAuthenticated, NotFound, NotNow
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.ports.time import Refused, Sent, TryLater, Unsure
from vivavoce.testing import MemoryChannel, ScriptedModel, TestModels, open_test_engine

AGENT = {"name": "Ana", "description": "Answers.", "modelName": "gpt_4o_mini", "systemPrompt": "Be kind."}
CONFIG = {"url": "https://shop.example/in"}


class Desk:
    """An engine whose agent has a channel."""

    def __init__(self, engine, channel) -> None:
        self.engine, self.provider = engine, channel
        self.inbox = Inbox(engine.ports, engine.worker.wake)
        self._number = 0

    async def run(self, name, /, **arguments):
        return await self.engine.run(CATALOGUE[name].parse(arguments), OPERATOR)

    async def opens(self, *, agent=None, **config):
        """A channel, of a new agent or of a known one."""
        agent = agent or (await self.run("create_agent", **AGENT)).id
        return await self.run("create_channel", agentId=agent, name="Shop", config={**CONFIG, **config})

    async def posts(self, channel, *events):
        """What a provider posts; a text alone is a message of chat1."""
        return await self.inbox.accept(
            channel.id, {}, json.dumps([self._event(each) for each in events]).encode()
        )

    async def hears(self, channel, *events):
        """The same, and all that follows from it is done."""
        taken = await self.posts(channel, *events)
        await self.works()
        return taken

    async def works(self):
        return await self.engine.worker.finish_due()

    async def tables(self, look):
        return await self.engine.ports.store.read(look)

    async def all(self, table):
        return await self.tables(lambda tables: getattr(tables, table).where())

    def _event(self, event):
        self._number += 1
        event = {"text": event} if isinstance(event, str) else event
        return {"event_id": f"e{self._number}", "chat": "chat1", **event}


@pytest.fixture
def desk(tmp_path, clock):
    """Opens a desk whose agent says these things."""
    held = []

    def open_(*said, channel=None, models=None):
        channel = channel or MemoryChannel()
        models = models or TestModels(ScriptedModel(list(said) or ["Nine."]))
        opening = open_test_engine(tmp_path, clock, models=models, channel=channel)
        held.append(opening)
        return Desk(opening.__enter__(), channel)

    yield open_
    for each in held:
        each.__exit__(None, None, None)


# Accounts


async def test_a_channel_is_made_with_a_token_that_is_shown_once(desk):
    at = desk()

    made = await at.opens(header="X-Key: s3cret", channel="whatsapp", windowHours=12)
    shown = await at.run("get_channel", channelId=made.id)

    assert made.token.startswith("vvc_")
    assert made.events_path == f"/channels/{made.id}/events"
    assert shown.config["header"] == MARKER
    assert (shown.config["channel"], shown.config["windowHours"]) == ("whatsapp", 12)
    everything = shown.model_dump_json() + (await at.run("list_channels")).model_dump_json()
    assert made.token not in everything
    assert "s3cret" not in everything


@pytest.mark.parametrize("header", ["X-Key: a\r\nX-Other: b", "a\nb"])
async def test_a_header_with_a_line_break_is_refused(desk, header):
    at = desk()
    made = await at.opens(header="X-Key: a")

    with pytest.raises(InvalidInput) as refused:
        await at.opens(header=header)
    with pytest.raises(InvalidInput):
        await at.run("update_channel", channelId=made.id, config={**CONFIG, "header": header})

    assert refused.value.details.keys() == {"config.header"}
    assert len(await at.all("accounts")) == 1


async def test_neither_the_token_nor_the_header_lies_open_in_the_file(desk, tmp_path):
    at = desk()

    made = await at.opens(header="X-Key: s3cret-of-the-shop")

    stored = b"".join(path.read_bytes() for path in tmp_path.glob("vivavoce.db*"))
    assert made.token.encode() not in stored
    assert b"s3cret-of-the-shop" not in stored


async def test_a_channel_is_changed_field_by_field(desk):
    at = desk()
    made = await at.opens(header="s3cret")
    other = await at.run("create_agent", **AGENT)

    changed = await at.run(
        "update_channel",
        channelId=made.id,
        name="Store",
        enabled=False,
        agentId=other.id,
        config={"url": "https://shop.example/new", "header": MARKER, "typing": True},
    )

    assert (changed.name, changed.enabled, changed.agent_id) == ("Store", False, other.id)
    assert changed.config == {
        "url": "https://shop.example/new",
        "header": MARKER,
        "channel": "api",
        "repeatsSafely": False,
        "typing": True,
        "windowHours": None,
    }
    (stored,) = await at.all("accounts")
    assert stored.secrets == {"config/header": "s3cret"}
    with pytest.raises(InvalidInput, match="another host"):
        await at.run(
            "update_channel", channelId=made.id, config={"url": "https://thief.example/", "header": MARKER}
        )


async def test_channels_are_listed_of_one_agent_or_of_all(desk):
    at = desk()
    first, second = await at.opens(), await at.opens()

    assert {each.id for each in (await at.run("list_channels")).channels} == {first.id, second.id}
    only = await at.run("list_channels", agentId=second.agent_id)
    assert [each.id for each in only.channels] == [second.id]


async def test_a_channel_that_is_deleted_takes_its_arrivals_along(desk):
    at = desk()
    made = await at.opens()
    await at.posts(made, "Hello?", "Anyone?")

    gone = await at.run("delete_channel", channelId=made.id)
    await at.works()

    assert gone.also_removed == {"arrivals": 2}
    assert await at.all("arrivals") == []
    assert await at.tables(lambda tables: tables.jobs.number()) == 0
    with pytest.raises(NotFound):
        await at.run("get_channel", channelId=made.id)


async def test_a_new_token_is_another_one(desk):
    at = desk()
    made = await at.opens()
    (before,) = await at.all("accounts")

    renewed = await at.run("renew_channel_token", channelId=made.id)

    (after,) = await at.all("accounts")
    assert renewed.token != made.token
    assert after.token_digest == at.engine.ports.vault.digest(renewed.token) != before.token_digest


# Arrivals


async def test_an_event_is_stored_once_however_often_it_comes(desk):
    at = desk()
    made = await at.opens()
    event = {"event_id": "same", "text": "Hello"}

    taken = [await at.posts(made, event, event) for _ in range(5)]

    assert taken == [(1, 1)] + [(0, 2)] * 4
    assert len(await at.all("arrivals")) == 1
    await at.works()
    assert len(at.provider.sent) == 1


async def test_events_of_a_chat_are_heard_in_the_order_of_the_post_whatever_they_are_called(desk):
    at = desk()
    made = await at.opens()
    names = ["b", "a", "d", "c", "10", "9"]

    await at.hears(
        made,
        *({"event_id": name, "chat": f"chat{place % 2}", "text": name} for place, name in enumerate(names)),
    )

    heard = {each.id: [] for each in await at.all("conversations")}
    for each in await at.all("messages"):
        if each.from_ == "human":
            heard[each.conversation_id].append(each.text)
    assert sorted(heard.values()) == [["a", "c", "9"], ["b", "d", "10"]]


async def test_the_same_event_and_chat_at_two_channels_are_two(desk):
    at = desk("One.", "Two.")
    first = await at.opens()
    second = await at.opens(agent=first.agent_id)
    event = {"event_id": "same", "text": "Hello"}

    assert await at.hears(first, event) == (1, 0)
    assert await at.hears(second, event) == (1, 0)

    talks = await at.all("conversations")
    assert sorted(each.channel_credentials_id for each in talks) == sorted([first.id, second.id])
    assert sorted(each.account_id for each in await at.all("deliveries")) == sorted([first.id, second.id])


async def test_chats_of_many_channels_with_the_same_name_are_not_mixed_up(desk):
    at = desk()
    first = await at.opens()
    channels = [first] + [await at.opens(agent=first.agent_id) for _ in range(25)]

    for _ in range(2):
        for channel in channels:
            await at.posts(channel, "Hello")
        await at.works()

    talks = await at.all("conversations")
    assert {each.channel_credentials_id for each in talks} == {each.id for each in channels}
    assert len(talks) == len(channels)


async def test_with_another_agent_a_chat_goes_on_in_a_new_conversation(desk):
    at = desk()
    made = await at.opens()
    await at.hears(made, "Hello")
    other = await at.run("create_agent", **AGENT)
    await at.run("update_channel", channelId=made.id, agentId=other.id)

    await at.hears(made, "And now?")

    assert [each.agent_id for each in await at.all("conversations")] == [made.agent_id, other.id]


async def test_what_cannot_be_heard_now_is_refused_and_nothing_is_stored(desk):
    at = desk()
    made = await at.opens()
    await at.run("update_channel", channelId=made.id, enabled=False)

    with pytest.raises(NotNow, match="switched off") as refused:
        await at.posts(made, "Hello")

    assert (refused.value.status, refused.value.retryable) == (503, True)
    assert await at.all("arrivals") == []


async def test_who_is_not_there_is_refused(desk):
    at = desk()

    with pytest.raises(NotAuthenticated):
        await at.inbox.accept("nobody", {}, b"[]")


async def test_a_full_inbox_refuses_until_something_was_heard(desk):
    at = desk()
    made = await at.opens()
    at.inbox = Inbox(at.engine.ports, at.engine.worker.wake, most=3)

    assert await at.posts(made, "1", "2") == (2, 0)
    assert await at.posts(made, {"event_id": "third"}) == (1, 0)
    with pytest.raises(NotNow, match="3 events wait"):
        await at.posts(made, {"event_id": "fourth"})
    assert len(await at.all("arrivals")) == 3

    await at.works()
    at.inbox = Inbox(at.engine.ports, at.engine.worker.wake, most=3)
    assert await at.posts(made, {"event_id": "fourth"}) == (1, 0)


async def test_an_inbox_is_full_too_where_too_many_messages_wait_for_their_answer(desk):
    """Else a model that is slow would let them pile up without end."""
    at = desk()
    made = await at.opens()
    await at.posts(
        made, *({"event_id": f"e{place}", "chat": f"c{place}", "text": "Hi"} for place in range(3))
    )
    for job in await at.engine.worker._claim(10):
        await at.engine.worker._do(job)  # they are heard, and not answered yet
    at.inbox = Inbox(at.engine.ports, at.engine.worker.wake, most=3)

    with pytest.raises(NotNow, match="3 events wait to be heard or answered"):
        await at.posts(made, {"event_id": "fourth"})

    await at.works()
    at.inbox = Inbox(at.engine.ports, at.engine.worker.wake, most=3)
    assert await at.posts(made, {"event_id": "fourth"}) == (1, 0)


async def test_arrivals_are_listed_by_state_newest_first(desk, clock):
    at = desk()
    made = await at.opens()
    await at.hears(made, {"event_id": "a", "text": "Hello"})
    clock.advance(seconds=1)
    await at.hears(made, {"event_id": "b", "kind": "other"})
    clock.advance(seconds=1)
    await at.posts(made, {"event_id": "c", "text": "Later"})

    listed = (await at.run("list_arrivals", channelId=made.id)).arrivals
    assert [(each.event_id, each.state) for each in listed] == [
        ("c", "waiting"),
        ("b", "passed_over"),
        ("a", "done"),
    ]
    assert (listed[2].heard, listed[2].message_id is None) == (
        {"chat": "chat1", "id": "a", "text": "Hello"},
        False,
    )
    only = await at.run("list_arrivals", channelId=made.id, state="done")
    assert [each.event_id for each in only.arrivals] == ["a"]
    page = await at.run("list_arrivals", channelId=made.id, limit=1, offset=1)
    assert [each.event_id for each in page.arrivals] == ["b"]


async def test_what_arrived_is_listed_in_the_words_of_the_provider(desk):
    at = desk()
    made = await at.opens()
    told = {"event_id": "a", "text": "Hi", "phone_number": "+5511", "is_group": True, "is_mention": True}
    await at.posts(made, told, {"event_id": "b", "kind": "other"})

    listed = {
        each.event_id: each.heard for each in (await at.run("list_arrivals", channelId=made.id)).arrivals
    }

    said = {"id": "a", "text": "Hi", "phoneNumber": "+5511", "isGroup": True, "isMention": True}
    assert listed == {"a": {"chat": "chat1", **said}, "b": {"chat": "chat1", "id": "b", "type": "other"}}


async def test_an_arrival_that_keeps_failing_says_why(desk, clock):
    at = desk("At nine.")
    made = await at.opens()
    await at.hears(made, {"text": "When?", "phone_number": "5" * 41})

    (waits,) = (await at.run("list_arrivals", channelId=made.id)).arrivals
    for _ in range(30):
        clock.advance(hours=1)
        await at.works()
    (failed,) = (await at.run("list_arrivals", channelId=made.id)).arrivals

    assert (waits.state, "40 characters" in waits.reason) == ("waiting", True)
    assert failed.state == "failed"
    assert failed.reason.startswith("Given up")
    assert failed.reason.endswith(waits.reason)


async def test_an_arrival_that_failed_is_heard_again_when_someone_asks(desk):
    at = desk("At nine.")
    made = await at.opens()
    await at.posts(made, "When?")
    (arrival,) = await at.all("arrivals")

    def broken(tables):
        tables.arrivals.replace(arrival.changed(at.engine.ports.now(), state="failed", reason="Given up."))
        tables.jobs.cancel(f"hear:{arrival.id}")

    await at.engine.ports.store.write(broken)

    again = await at.run("retry_arrival", channelId=made.id, arrivalId=arrival.id)
    await at.works()

    assert again.state == "waiting"
    assert [each.text for each in at.provider.sent] == ["At nine."]
    with pytest.raises(Conflict, match="is done"):
        await at.run("retry_arrival", channelId=made.id, arrivalId=arrival.id)
    with pytest.raises(NotFound):
        await at.run("retry_arrival", channelId=made.id, arrivalId="nothing")


# Hearing


async def test_a_person_is_known_by_what_the_provider_tells_of_them(desk):
    at = desk()
    made = await at.opens(channel="whatsapp")

    await at.hears(made, {"text": "Hi", "name": "Ann Mary Lee", "phone_number": "+5511", "email": "a@b.co"})

    (contact,) = await at.all("contacts")
    assert (contact.first_name, contact.last_name) == ("Ann", "Mary Lee")
    assert (contact.phone_number, contact.email) == ("+5511", "a@b.co")
    (talk,) = await at.all("conversations")
    assert (talk.contact_id, talk.channel) == (contact.id, "whatsapp")


async def test_what_is_known_of_a_contact_already_stays(desk):
    at = desk()
    made = await at.opens()
    known = await at.run("save_contact", phoneNumber="+5511", externalId="customer-7", firstName="Anna")

    await at.hears(made, {"text": "Hi", "name": "Someone Else", "phone_number": "+5511"})

    (contact,) = await at.all("contacts")
    assert (contact.id, contact.external_id, contact.first_name) == (known.id, "customer-7", "Anna")
    assert contact.last_name == "Else"


async def test_a_message_is_heard_even_if_two_people_are_known_by_what_it_tells(desk):
    at = desk()
    made = await at.opens()
    await at.run("save_contact", phoneNumber="+5511")
    await at.run("save_contact", email="a@b.co")

    await at.hears(made, {"text": "Hi", "phone_number": "+5511", "email": "a@b.co"})

    (talk,) = await at.all("conversations")
    assert talk.contact_id is None
    assert [each.text for each in at.provider.sent] == ["Nine."]


async def test_a_file_alone_is_a_message_and_nothing_at_all_is_none(desk):
    at = desk("A fine picture.")
    made = await at.opens()
    file = {"name": "cat.png", "url": "https://x.example/cat.png", "size": None, "mimeType": None}

    await at.hears(made, {"attachments": [file]}, {"text": "  "})

    assert [each.text for each in at.provider.sent] == ["A fine picture."]
    assert [each.state for each in await at.all("arrivals")] == ["done", "passed_over"]


async def test_a_file_alone_is_answered_without_a_model_too(desk):
    at = desk(models=TestModels())
    made = await at.opens()
    file = {"name": "cat.png", "url": "https://x.example/cat.png", "size": None, "mimeType": None}

    await at.hears(made, {"attachments": [file]})

    (turn,) = await at.all("turns")
    assert (turn.state, len(at.provider.sent)) == ("answered", 1)


async def test_in_a_group_the_agent_answers_when_it_is_spoken_to(desk):
    at = desk("Yes?")
    made = await at.opens()

    await at.hears(made, {"text": "Lunch?", "is_group": True})
    assert at.provider.sent == []
    await at.hears(made, {"text": "@ana lunch?", "is_group": True, "is_mention": True})

    assert [each.text for each in at.provider.sent] == ["Yes?"]
    (talk,) = await at.all("conversations")
    assert (talk.is_group, talk.contact_id) == (True, None)


async def test_events_of_an_agent_that_is_gone_leave_nothing_behind(desk):
    at = desk()
    made = await at.opens()
    await at.posts(made, "Hello?")

    await at.run("delete_agent", id=made.agent_id)
    await at.works()

    assert await at.all("arrivals") == []
    assert await at.tables(lambda tables: tables.jobs.number()) == 0


async def test_an_answer_is_not_sent_once_the_accounts_window_is_closed(desk, clock):
    at = desk(channel=MemoryChannel(TryLater("Not now.", 7_200.0)))
    made = await at.opens(windowHours=1)
    await at.hears(made, "When?")

    clock.advance(hours=3)
    await at.works()

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, len(at.provider.sent)) == ("withdrawn", 1)


# Statuses


async def delivered(at, made, *statuses, by="external"):
    """What becomes of a message of which the provider tells these statuses."""
    (delivery,) = await at.all("deliveries")
    id = delivery.id if by == "ours" else delivery.external_id
    for status in statuses:
        await at.hears(
            made, {"kind": "status", "chat": "", "delivery_id": id, "status": status, "detail": ""}
        )
    (delivery,) = await at.all("deliveries")
    return delivery


@pytest.mark.parametrize("by", ["external", "ours"])
@pytest.mark.parametrize(
    ("told", "status", "state"),
    [
        (("sent", "delivered", "read"), "read", "sent"),
        (("read", "delivered"), "read", "sent"),
        (("delivered", "failed"), "delivered", "sent"),
        (("failed",), "failed", "failed"),
        (("failed", "sent"), "failed", "failed"),
        (("failed", "delivered"), "delivered", "sent"),
    ],
)
async def test_statuses_may_come_in_any_order(desk, by, told, status, state):
    at = desk()
    made = await at.opens()
    await at.hears(made, "When?")

    delivery = await delivered(at, made, *told, by=by)

    assert (delivery.status, delivery.state) == (status, state)
    assert [each["status"] for each in delivery.statuses] == list(told)
    assert [each.state for each in await at.all("arrivals")] == ["done"] * (1 + len(told))


async def test_a_failure_is_shown_with_what_the_provider_says(desk):
    at = desk()
    made = await at.opens()
    await at.hears(made, "When?")
    (delivery,) = await at.all("deliveries")

    await at.hears(
        made, {"kind": "status", "delivery_id": delivery.id, "status": "failed", "detail": "No such number."}
    )

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, delivery.reason) == ("failed", "No such number.")


async def test_an_uncertain_message_is_sent_once_the_provider_says_so(desk):
    at = desk(channel=MemoryChannel(Unsure("The connection broke.")))
    made = await at.opens()
    await at.hears(made, "When?")
    (delivery,) = await at.all("deliveries")
    assert delivery.state == "uncertain"

    delivery = await delivered(at, made, "delivered", by="ours")

    assert (delivery.state, delivery.reason, delivery.sent_at is None) == ("sent", "", False)


async def test_a_status_of_another_account_changes_nothing(desk, clock):
    at = desk()
    made, other = await at.opens(), await at.opens()
    await at.hears(made, "When?")

    delivery = await delivered(at, other, "read")
    assert delivery.status == ""

    clock.advance(minutes=2)
    await at.works()
    assert (await at.all("arrivals"))[-1].state == "passed_over"


async def test_a_status_that_overtakes_our_own_note_is_heard_a_moment_later(desk, clock):
    at = desk()
    made = await at.opens()
    await at.hears(made, {"kind": "status", "delivery_id": "ext-1", "status": "delivered"})

    await at.hears(made, "When?")
    clock.advance(seconds=6)
    await at.works()

    (delivery,) = await at.all("deliveries")
    assert (delivery.external_id, delivery.status) == ("ext-1", "delivered")


class Telling(MemoryChannel):
    """A provider that tells of a message before it has answered that it took it."""

    def __init__(self, status, outcome) -> None:
        super().__init__(outcome)
        self.status = status

    async def send(self, account, sending):
        await self.desk.posts(self.made, {"kind": "status", "delivery_id": sending.id, "status": self.status})
        for job in await self.desk.engine.worker._claim(1):
            await self.desk.engine.worker._do(job)
        return await super().send(account, sending)


@pytest.mark.parametrize(
    ("status", "outcome", "state"),
    [
        ("delivered", Sent("x"), "sent"),
        ("delivered", Unsure("It broke."), "sent"),
        ("delivered", TryLater("It broke."), "sent"),
        ("failed", Sent("x"), "failed"),
        ("failed", Unsure("It broke."), "uncertain"),
    ],
)
async def test_what_is_told_while_a_message_is_being_sent_counts(desk, status, outcome, state):
    at = desk(channel=Telling(status, outcome))
    made = await at.opens()
    at.provider.desk, at.provider.made = at, made

    await at.hears(made, "When?")

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, delivery.status) == (state, status)


# Sending


async def test_what_a_provider_wants_later_is_tried_again_up_a_ladder(desk, clock):
    at = desk(channel=MemoryChannel(*[TryLater("The provider answers 503.")] * 3))
    made = await at.opens()
    await at.hears(made, "When?")

    for _ in range(10):
        clock.advance(minutes=10)
        await at.works()

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, [each["outcome"] for each in delivery.tries]) == (
        "sent",
        ["later"] * 3 + ["sent"],
    )
    assert {each.id for each in at.provider.sent} == {delivery.id}


async def test_a_provider_that_asks_for_time_gets_it(desk, clock):
    at = desk(channel=MemoryChannel(TryLater("The provider answers 429.", 120.0)))
    made = await at.opens()
    await at.hears(made, "When?")

    clock.advance(seconds=119)
    await at.works()
    assert len(at.provider.sent) == 1
    clock.advance(seconds=2)
    await at.works()

    assert len(at.provider.sent) == 2


async def test_what_is_never_taken_fails_in_the_end(desk, clock):
    at = desk(channel=MemoryChannel(*[TryLater("It is down.")] * 50))
    made = await at.opens()
    await at.hears(made, "When?")

    for _ in range(40):
        clock.advance(hours=1)
        await at.works()

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, delivery.reason, len(delivery.tries)) == ("failed", "It is down.", 8)


async def test_what_is_refused_is_not_tried_again(desk, clock):
    at = desk(channel=MemoryChannel(Refused("The provider answers 400.")))
    made = await at.opens()
    await at.hears(made, "When?")

    clock.advance(hours=1)
    await at.works()

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, len(at.provider.sent)) == ("failed", 1)


@pytest.mark.parametrize(("is_safe", "state", "number"), [(True, "sent", 1), (False, "uncertain", 0)])
async def test_what_was_being_sent_when_the_process_ended_is_repeated_only_where_that_is_safe(
    desk, is_safe, state, number
):
    at = desk()
    made = await at.opens(repeatsSafely=is_safe)
    await at.posts(made, "When?")
    while not await at.all("deliveries"):
        for job in await at.engine.worker._claim(1):
            await at.engine.worker._do(job)
    (delivery,) = await at.all("deliveries")

    def begun(tables):
        tables.deliveries.replace(delivery.changed(at.engine.ports.now(), state="sending"))

    await at.engine.ports.store.write(begun)

    await at.works()

    (delivery,) = await at.all("deliveries")
    assert (delivery.state, len(at.provider.sent)) == (state, number)


class Watched(MemoryChannel):
    """A channel that lets a test wait for what happens; it hangs for one account until it is released."""

    def __init__(self, *outcomes) -> None:
        super().__init__(*outcomes)
        self.hanging, self.released = "", asyncio.Event()
        self.is_full, self.has_sent, self.has_typed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.now = self.most = 0

    async def send(self, account, sending):
        if account.id != self.hanging:
            self.has_sent.set()
            return await super().send(account, sending)
        sending.left()
        self.now += 1
        self.most = max(self.most, self.now)
        if self.now == AT_ONCE:
            self.is_full.set()
        await self.released.wait()
        self.now -= 1
        return TryLater("It does not answer.")

    async def show_typing(self, account, chat):
        await super().show_typing(account, chat)
        self.has_typed.set()


async def says(at, made, number):
    """Let so many messages go out, each in a conversation of its own."""

    def said(tables):
        work = Work(OPERATOR, at.engine.ports.now(), at.engine.ports, tables)
        for place in range(number):
            known = {"channel_external_id": f"c{place}", "channel_credentials_id": made.id}
            talk = Conversation(**work.identity(), agent_id=made.agent_id, **known)
            tables.conversations.add(talk)
            message = Message(**work.identity(), conversation_id=talk.id, from_="agent", text="Hi")
            say(talk, tables.messages.append(message), work, by_ai=True)

    await at.engine.ports.store.write(said)


async def test_a_provider_that_hangs_leaves_room_for_others(desk):
    at = desk(channel=Watched())
    made = await at.opens()
    alive = await at.opens(agent=made.agent_id)
    at.provider.hanging = made.id
    await says(at, made, 1_000)
    working = asyncio.create_task(at.engine.worker.run())

    async with asyncio.timeout(60):
        await at.provider.is_full.wait()
        await at.posts(alive, "Hello?")
        await at.provider.has_sent.wait()

    assert [each.chat for each in at.provider.sent] == ["chat1"]
    assert at.provider.most == AT_ONCE
    at.provider.released.set()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def test_a_thousand_messages_to_a_provider_that_is_down_cost_few_calls(desk, clock):
    at = desk(channel=MemoryChannel(*[TryLater("It is down.")] * 5_000))
    made = await at.opens()
    await says(at, made, 1_000)
    looks = await at.works()
    first = len(at.provider.sent)

    for _ in range(12):
        clock.advance(seconds=10)
        looks += await at.works()

    assert first <= 48  # as many as were on their way before it was known
    assert len(at.provider.sent) - first <= 12
    assert looks <= 8_000
    assert {each.state for each in await at.all("deliveries")} == {"waiting"}


async def test_all_of_it_goes_out_once_the_provider_is_back(desk, clock):
    at = desk(channel=MemoryChannel(*[TryLater("It is down.")] * 60))
    made = await at.opens()
    await says(at, made, 100)

    for _ in range(300):
        clock.advance(minutes=2)
        await at.works()

    assert {each.state for each in await at.all("deliveries")} == {"sent"}


# Typing


class Slow(ScriptedModel):
    """A model that speaks only once the person has seen that it writes."""

    def __init__(self, provider) -> None:
        super().__init__(["At nine."])
        self.provider = provider

    async def answer(self, prompt):
        async with asyncio.timeout(30):
            await self.provider.has_typed.wait()
        async for piece in super().answer(prompt):
            yield piece


async def test_people_see_that_an_answer_is_being_written(desk):
    provider = Watched()
    at = desk(channel=provider, models=TestModels(Slow(provider)))
    made = await at.opens(typing=True)

    await at.hears(made, "When?")

    assert provider.typing == ["chat1"]
    assert [each.text for each in provider.sent] == ["At nine."]


async def test_people_see_that_an_answer_is_held(desk):
    at = desk(channel=Watched())
    made = await at.opens(typing=True)
    await at.run("addDelayedResponsesTool", agentId=made.agent_id, delay=10)

    await at.hears(made, "When?")
    async with asyncio.timeout(30):
        await at.provider.has_typed.wait()
    await at.engine.close()

    assert (at.provider.typing, at.provider.sent) == (["chat1"], [])
