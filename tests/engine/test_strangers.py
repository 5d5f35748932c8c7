"""Strangers: what a caller without a key can reach, claim and hold up, and how a person always wins."""

import asyncio
from collections.abc import AsyncGenerator, Iterator

import pytest

from tests.conftest import Run
from vivavoce.engine import Engine
from vivavoce.engine.turns.opening import MOST_OPEN
from vivavoce.errors import Conflict, LimitReached, NotAuthenticated, NotFound
from vivavoce.operations import STRANGER
from vivavoce.ports import Delta, Piece, Prompt, Spent
from vivavoce.testing import open_test_engine

from .talks import Talks
from .workspaces import an_agent


class Patient:
    """A model that answers when it is let, every question in turn."""

    name, context = "patient", 8_000

    def __init__(self) -> None:
        self.begun, self.may_end = asyncio.Event(), asyncio.Event()
        self.asked: list[str] = []

    def named(self, *_: object) -> "Patient":
        return self

    async def answer(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.asked.append(prompt.question)
        self.begun.set()
        await self.may_end.wait()
        yield Delta(f"Answer to {prompt.question}")
        yield Spent(self.name)


@pytest.fixture
def model() -> Patient:
    return Patient()


@pytest.fixture
def engine(tmp_path, clock, model) -> Iterator[Engine]:
    with open_test_engine(tmp_path, clock, models=model) as engine:
        yield engine


@pytest.fixture
def run(engine) -> Run:
    return Run(engine)


@pytest.fixture
def talks(engine) -> Talks:
    return Talks(engine)


@pytest.fixture
async def agent(run) -> str:
    return (await run("create_agent", **an_agent(visibility="public")))["id"]


async def texts(run: Run, conversation: str) -> list[tuple[str, str]]:
    shown = await run("list_messages", conversationId=conversation, count=100)
    return [(message["from"], message["text"]) for message in shown["messages"]]


async def waiting(talks: Talks, number: int) -> None:
    """Until so many turns are stored."""
    while await talks.read(lambda tables: tables.turns.count()) < number:
        await asyncio.sleep(0)


# Who they say they are


async def test_what_a_stranger_says_of_themselves_makes_no_contact_and_is_kept_as_said(run, model, agent):
    model.may_end.set()
    claimed = {"userId": "cust-42", "email": "evil@example.com"}

    theirs = await run("agent_query", caller=STRANGER, id=agent, query="Hello?", contact=claimed)
    known = await run("agent_query", id=agent, query="Hi.", contact={"userId": "cust-42", "firstName": "Lu"})

    (contact,) = (await run("list_contacts"))["contacts"]
    assert (contact["externalId"], contact["email"], contact["firstName"]) == ("cust-42", None, "Lu")
    shown = await run("get_conversation", conversationId=theirs["conversationId"])
    assert (shown["metadata"], shown["participantsContacts"]) == ({"visitor": claimed}, [])
    shown = await run("get_conversation", conversationId=known["conversationId"])
    assert [person["id"] for person in shown["participantsContacts"]] == [contact["id"]]


async def test_what_a_key_says_of_a_contact_wins_over_what_is_stored(run, model, agent):
    model.may_end.set()
    stored = await run("save_contact", externalId="cust-42", email="old@example.com", firstName="Lu")
    said = {"userId": "cust-42", "email": "new@example.com", "phoneNumber": ""}

    await run("agent_query", id=agent, query="Hello?", contact=said)

    (contact,) = (await run("list_contacts"))["contacts"]
    assert (contact["id"], contact["email"], contact["firstName"]) == (stored["id"], "new@example.com", "Lu")


# Which conversations they reach


async def test_a_key_does_not_walk_into_a_conversation_that_a_stranger_has_opened(run, model, agent):
    model.may_end.set()
    order = {"id": agent, "conversationId": "order-1234"}
    await run("agent_query", caller=STRANGER, **order, query="Mine now.", visitorId="evil")

    for visitor in ({}, {"visitorId": "lu"}):
        with pytest.raises(Conflict, match="opened by a visitor without a key") as refusal:
            await run("agent_query", **order, query="My card is 1234.", **visitor)
        assert "visitorId" in refusal.value.hint
    seen = await run("follow_conversation", caller=STRANGER, conversationId="order-1234", visitorId="evil")
    assert "My card is 1234." not in [message["text"] for message in seen["messages"]]

    meant = await run("agent_query", **order, query="For the visitor.", visitorId="evil")
    assert meant["answer"] == "Answer to For the visitor."


async def test_a_conversation_stays_with_its_agent(run, model, agent):
    model.may_end.set()
    other = (await run("create_agent", **an_agent(visibility="public")))["id"]
    first = await run("agent_query", caller=STRANGER, id=agent, query="Hello?")
    same = {"conversationId": first["conversationId"], "visitorId": first["visitorId"]}

    with pytest.raises(Conflict, match="one of another agent"):
        await run("agent_query", id=other, query="And?", **same)
    with pytest.raises(Conflict, match="one of another agent"):
        await run("agent_query", caller=STRANGER, id=other, query="And?", **same)
    with pytest.raises(NotFound):
        await run("agent_query", caller=STRANGER, id=other, query="And?", **{**same, "visitorId": "x"})
    assert len(await texts(run, first["conversationId"])) == 2


async def test_messages_remember_whether_who_wrote_them_had_a_key(run, model, agent, talks):
    model.may_end.set()
    for caller, conversation in ((STRANGER, "c1"), (None, "c2")):
        who = {} if caller is None else {"caller": caller}
        await run("agent_query", **who, id=agent, query="Hello?", conversationId=conversation)

    def by_strangers(tables) -> list[bool]:
        return [tables.messages.last(id, 9)[0].by_stranger for id in ("c1", "c2")]

    assert await talks.read(by_strangers) == [True, False]
    shown = (await run("list_messages", conversationId="c1", count=1))["messages"][0]
    assert "byStranger" not in shown


async def test_pictures_are_kept_with_the_message_as_files_are(run, model, agent):
    model.may_end.set()
    file = {"name": "a.pdf", "url": "https://example.com/a.pdf"}
    answer = await run(
        "agent_query", id=agent, query="See?", attachments=[file], images=["https://example.com/b"]
    )

    (asked, _) = (await run("list_messages", conversationId=answer["conversationId"], count=2))["messages"]
    named = [(each["name"], each["url"], each["mimeType"]) for each in asked["attachments"]]
    assert named == [
        ("a.pdf", "https://example.com/a.pdf", None),
        ("image-1", "https://example.com/b", "image/*"),
    ]


# How much they hold up


async def test_a_conversation_has_a_bounded_line_and_what_is_refused_is_not_stored(run, model, agent, talks):
    def ask(number: int) -> asyncio.Task:
        query = {"id": agent, "query": f"{number}", "conversationId": "c1", "visitorId": "v1"}
        return asyncio.create_task(run("agent_query", caller=STRANGER, **query))

    asking = []
    for number in range(MOST_OPEN):
        asking.append(ask(number))
        await waiting(talks, number + 1)

    with pytest.raises(LimitReached, match="wait for an answer"):
        await ask(99)
    assert len(await texts(run, "c1")) == MOST_OPEN

    model.may_end.set()
    await asyncio.gather(*asking)
    assert model.asked == [str(number) for number in range(MOST_OPEN)]
    assert (await ask(100))["answer"] == "Answer to 100"


# A person wins


async def test_a_message_that_waits_while_the_team_replies_is_the_teams_to_answer(run, model, agent, talks):
    same = {"id": agent, "conversationId": "c1", "channel": "website"}
    first = asyncio.create_task(run("agent_query", **same, query="One"))
    await model.begun.wait()
    second = asyncio.create_task(run("agent_query", **same, query="Two"))
    await waiting(talks, 2)

    await run("send_message", type="conversationId", value="c1", message="Bia here.")
    model.may_end.set()
    answers = [(await each)["answer"] for each in (first, second)]
    third = await run("agent_query", **same, query="Three")  # at the same millisecond as the reply

    assert (answers, third["answer"]) == ([None, None], "Answer to Three")
    assert model.asked == ["One", "Three"]
    assert [text for _, text in await texts(run, "c1")] == [
        *("One", "Two", "Bia here.", "Three", "Answer to Three")
    ]


@pytest.mark.parametrize(
    ("over", "back"),
    [
        (("set_ai_enabled", {"enabled": False}), ("set_ai_enabled", {"enabled": True})),
        (("set_conversation_blocked", {"blocked": True}), ("set_conversation_blocked", {"blocked": False})),
        (
            ("set_conversation_status", {"status": "HUMAN_REQUESTED"}),
            ("set_conversation_status", {"status": "UNRESOLVED"}),
        ),
    ],
    ids=["switch", "block", "status"],
)
async def test_what_a_person_stopped_does_not_come_back_when_the_ai_may_speak_again(
    run, model, agent, over, back
):
    asking = asyncio.create_task(run("agent_query", id=agent, query="One", conversationId="c1"))
    await model.begun.wait()

    for operation, how in (over, back):
        await run(operation, conversationId="c1", **how)
    model.may_end.set()

    assert (await asking)["answer"] is None
    assert await texts(run, "c1") == [("human", "One")]
    again = await run("agent_query", id=agent, query="Two", conversationId="c1")
    assert again["answer"] == "Answer to Two"


async def test_a_stranger_who_does_not_know_the_visitor_reads_nothing(run, model, agent):
    model.may_end.set()
    first = await run("agent_query", caller=STRANGER, id=agent, query="Hello?", visitorId="ação")

    for visitor in ("acao", "", "ação "):
        with pytest.raises(NotAuthenticated):
            await run(
                "follow_conversation",
                caller=STRANGER,
                conversationId=first["conversationId"],
                visitorId=visitor,
            )
