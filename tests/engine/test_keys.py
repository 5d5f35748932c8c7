"""API keys: shown once, kept as a digest, revoked at once."""

import pytest

from vivavoce.engine.keys import Keyring
from vivavoce.errors import InvalidInput, NotFound
from vivavoce.operations import Scope

from .workspaces import an_avatar


@pytest.fixture
def keyring(engine) -> Keyring:
    return Keyring(engine.ports)


async def test_a_key_is_shown_once_and_opens_with_its_scopes(run, keyring):
    made = await run("create_key", name="console", scopes=["read", "send"])

    caller = await keyring.caller(made["key"])

    assert (caller.name, caller.scopes, caller.is_anonymous) == (
        "console",
        {Scope.READ, Scope.SEND},
        False,
    )
    (listed,) = (await run("list_keys"))["keys"]
    assert listed.keys() == {"id", "name", "prefix", "scopes", "createdAt", "revokedAt", "avatarId"}
    assert made["key"] not in str(listed)
    assert (listed["id"], made["key"].startswith(listed["prefix"])) == (made["id"], True)


async def test_a_key_without_scopes_given_may_read_write_and_send(run):
    assert (await run("create_key", name="console"))["scopes"] == ["read", "send", "write"]


@pytest.mark.parametrize("scopes", [[], ["root"], "read"])
async def test_a_key_has_scopes_that_exist(run, scopes):
    with pytest.raises(InvalidInput):
        await run("create_key", name="console", scopes=scopes)

    assert (await run("list_keys"))["keys"] == []


@pytest.mark.parametrize("scopes", [["read", "write"], ["admin"], ["read", "send", "write", "admin"]])
async def test_a_key_for_an_avatar_has_no_scope_that_it_cannot_use(run, scopes):
    await run("create_avatar", config=an_avatar())

    with pytest.raises(InvalidInput, match="among its scopes") as refused:
        await run("create_key", name="console", scopes=scopes, avatarId="ada")

    assert all(scope in refused.value.message for scope in {"write", "admin"}.intersection(scopes))
    assert refused.value.hint.startswith("Give it read, send or both")
    assert (await run("list_keys"))["keys"] == []


@pytest.mark.parametrize("scopes", [["read"], ["send"], ["send", "read"]])
async def test_a_key_for_an_avatar_reads_sends_or_both(run, scopes):
    await run("create_avatar", config=an_avatar())

    made = await run("create_key", name="console", scopes=scopes, avatarId="ada")

    assert made["scopes"] == sorted(scopes)


async def test_a_key_for_an_avatar_without_scopes_given_may_read_and_send(run):
    await run("create_avatar", config=an_avatar())

    assert (await run("create_key", name="console", avatarId="ada"))["scopes"] == ["read", "send"]


@pytest.mark.parametrize("wrong", [{"name": ""}, {"name": "x" * 201}, {"avatarId": "A B"}])
async def test_what_is_wrong_with_a_key_is_told_without_its_scopes(run, wrong):
    with pytest.raises(InvalidInput) as refused:
        await run("create_key", **{"name": "console", **wrong})

    assert "scopes" not in refused.value.message


async def test_a_key_for_an_avatar_that_is_not_there_is_not_made(run):
    with pytest.raises(NotFound, match="No avatar 'nobody'"):
        await run("create_key", name="console", avatarId="nobody")

    assert (await run("list_keys"))["keys"] == []


async def test_the_keys_for_an_avatar_end_with_it_and_no_others_do(run, keyring, clock):
    for id in ("ada", "eva"):
        await run("create_avatar", config=an_avatar(id=id))
    (ended, earlier, others, everyones) = [
        await run("create_key", name="console", **({} if id is None else {"avatarId": id}))
        for id in ("ada", "ada", "eva", None)
    ]
    revoked = await run("revoke_key", id=earlier["id"])
    clock.advance(hours=1)

    await run("delete_avatar", id="ada")
    await run("create_avatar", config=an_avatar())

    assert await keyring.caller(ended["key"]) is None
    assert (await keyring.caller(others["key"])).avatar_id == "eva"
    assert (await keyring.caller(everyones["key"])).avatar_id is None
    listed = {key["id"]: key["revokedAt"] for key in (await run("list_keys"))["keys"]}
    assert listed[ended["id"]] > revoked["revokedAt"] == listed[earlier["id"]]


async def test_the_avatar_stays_as_it_was_where_a_key_is_made_for_it(run):
    made = await run("create_avatar", config=an_avatar())

    await run("create_key", name="console", avatarId="ada")

    assert await run("get_avatar", id="ada") == made


async def test_two_keys_are_never_the_same(run):
    keys = [(await run("create_key", name="console"))["key"] for _ in range(5)]

    assert len(set(keys)) == 5
    assert all(len(key) >= 40 for key in keys)


async def test_the_key_itself_is_not_in_the_database(run, engine, tmp_path):
    made = await run("create_key", name="console")

    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert made["key"].encode() not in stored
    assert made["key"].removeprefix("vv_").encode() not in stored
    assert engine.ports.vault.digest(made["key"]).encode() in stored


async def test_a_revoked_key_opens_nothing_and_stays_listed(run, keyring, clock):
    made = await run("create_key", name="console")
    other = await run("create_key", name="phone")

    revoked = await run("revoke_key", id=made["id"])

    assert revoked["revokedAt"] == "2026-01-31T09:30:00.000Z"
    assert await keyring.caller(made["key"]) is None
    assert (await keyring.caller(other["key"])).name == "phone"
    listed = {key["id"]: key["revokedAt"] for key in (await run("list_keys"))["keys"]}
    assert listed == {made["id"]: revoked["revokedAt"], other["id"]: None}

    clock.advance(days=1)
    assert (await run("revoke_key", id=made["id"])) == revoked


@pytest.mark.parametrize("token", ["", "vv_", "x", "vv_' or 1=1--", "é"])
async def test_a_token_that_was_never_handed_out_opens_nothing(run, keyring, token):
    made = await run("create_key", name="console")

    assert await keyring.caller(token) is None
    assert await keyring.caller(made["key"][:-1]) is None
    assert await keyring.caller(made["key"] + "x") is None
    assert await keyring.caller(made["key"].swapcase()) is None


async def test_a_keyring_is_empty_until_a_key_was_handed_out(run, keyring):
    assert await keyring.is_empty()

    made = await run("create_key", name="console")
    await run("revoke_key", id=made["id"])

    assert not await keyring.is_empty()


async def test_revoking_a_key_that_is_not_there_is_refused(run):
    with pytest.raises(NotFound) as refusal:
        await run("revoke_key", id="k404")

    assert "keys list" in refusal.value.hint
