"""Avatars: what they keep of what they were asked, and what cannot be taken from under them."""

import asyncio
import hashlib

import pytest

from vivavoce.domain.avatars import QUESTION_KEPT
from vivavoce.errors import Conflict, NotFound

from .workspaces import an_avatar


@pytest.fixture
async def avatar(run) -> dict:
    return await run("create_avatar", config=an_avatar())


async def ask(run, question: str) -> str:
    return (await run("generate_response", avatarId="ada", question=question))["answer_id"]


async def test_the_datastore_of_an_avatar_is_kept_while_there_is_the_avatar(run, avatar):
    answer = await ask(run, "What can the engine weave?")

    with pytest.raises(Conflict, match="the corpus of the avatar 'ada'") as refused:
        await run("delete_datastore", id=avatar["datastoreId"])

    assert "delete_avatar" in refused.value.hint
    assert (await run("explain_answer", avatarId="ada", answerId=answer))["id"] == answer
    await run("delete_avatar", id="ada")
    assert (await run("delete_datastore", id=avatar["datastoreId"]))["id"] == avatar["datastoreId"]
    with pytest.raises(NotFound):
        await run("get_avatar", id="ada")


async def test_the_store_itself_does_not_let_the_datastore_of_an_avatar_go(run, avatar):
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        await run.engine.ports.store.write(lambda tables: tables.datastores.drop(avatar["datastoreId"]))

    assert (await run("get_avatar", id="ada"))["datastoreId"] == avatar["datastoreId"]


async def test_a_key_that_is_made_while_its_avatar_is_deleted_does_not_outlive_it(run):
    for _ in range(10):
        await run("create_avatar", config=an_avatar())
        making = [run("create_key", name="console", avatarId="ada") for _ in range(3)]
        await asyncio.gather(*making, run("delete_avatar", id="ada"), return_exceptions=True)

    keys = (await run("list_keys"))["keys"]
    assert [key for key in keys if key["revokedAt"] is None] == []
    assert (await run("list_avatars"))["avatars"] == []


async def test_a_very_long_question_is_logged_by_its_beginning_its_length_and_its_hash(run, avatar):
    question = "Why? " * 20_000

    await ask(run, question)

    (logged,) = (await run("list_avatar_answers", avatarId="ada"))["answers"]
    assert logged["question"] == question[:QUESTION_KEPT]
    assert logged["questionSize"] == len(question)
    assert logged["questionHash"] == hashlib.sha256(question.encode()).hexdigest()


async def test_a_question_of_usual_length_is_logged_as_it_is(run, avatar):
    answer = await ask(run, "What can the engine weave?")

    logged = await run("explain_answer", avatarId="ada", answerId=answer)

    assert logged["question"] == "What can the engine weave?"
    assert (logged["questionSize"], logged["questionHash"]) == (None, None)
