"""A workspace as a program opens it: its settings, its key and its file together."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.workspaces import CANARY, an_agent
from vivavoce.app import open_app
from vivavoce.errors import InvalidInput, StorageFailed
from vivavoce.operations import CATALOGUE, OPERATOR
from vivavoce.settings import Settings
from vivavoce.workspace import back_up_workspace, faults_of_workspace


async def run(settings: Settings, operation: str, **arguments):
    async with open_app(settings) as app:
        result = await app.backend.run(CATALOGUE[operation].parse(arguments), OPERATOR)
        return result.model_dump(mode="json")


async def made(settings: Settings) -> dict:
    config = {"url": "https://crm.example", "header": CANARY}
    return await run(settings, "create_agent", **an_agent(handle="ana"), configUrlExternal=config)


async def test_a_workspace_is_made_when_it_is_first_opened_and_found_again(settings):
    agent = await made(settings)

    assert await run(settings, "get_agent", id="@ana") == agent
    assert faults_of_workspace(settings) == []
    assert settings.key_file.exists()


async def test_a_workspace_whose_key_is_gone_is_not_opened_with_a_new_one(settings):
    agent = await made(settings)
    key = settings.key_file.read_bytes()
    settings.key_file.unlink()

    with pytest.raises(StorageFailed, match="missing"):
        await run(settings, "list_agents")
    assert not settings.key_file.exists()

    settings.key_file.write_bytes(key)
    assert await run(settings, "get_agent", id="@ana") == agent


async def test_a_backup_opens_with_the_key_of_its_workspace(settings, tmp_path):
    agent = await made(settings)
    copy = tmp_path / "copies" / "monday.db"
    copy.parent.mkdir()

    back_up_workspace(settings, copy)
    await run(settings, "delete_agent", id="@ana")

    restored = Settings(database=copy, key_file=settings.key_file)
    assert await run(restored, "get_agent", id="@ana") == agent
    assert (await run(settings, "list_agents"))["agents"] == []


async def test_two_programs_on_one_workspace_see_each_others_changes(settings):
    listing = CATALOGUE["list_agents"].parse({})
    async with open_app(settings) as one, open_app(settings) as other:
        await one.backend.run(CATALOGUE["create_agent"].parse(an_agent()), OPERATOR)
        assert len((await other.backend.run(listing, OPERATOR)).agents) == 1
        assert one.request_state_key == other.request_state_key


async def test_a_workspace_closes_although_something_was_asked_for_just_before(settings):
    """A worker that is woken and told to end at the same moment must end."""
    async with asyncio.timeout(20) as patience, open_app(settings, works=True) as app:
        for _ in range(50):  # long enough to have nothing to do
            await asyncio.sleep(0.01)
        app.ingester.wake()

    assert not patience.expired()


def test_settings_name_a_database_and_the_key_beside_it(tmp_path):
    settings = Settings.read({"VIVAVOCE_DATABASE": str(tmp_path / "shop.db")})

    assert (settings.database, settings.key_file) == (tmp_path / "shop.db", tmp_path / "shop.key")


def test_a_setting_that_cannot_be_is_refused_by_its_name():
    with pytest.raises(InvalidInput, match="VIVAVOCE_PORT"):
        Settings.read({"VIVAVOCE_PORT": "eighty"})


def test_the_database_is_in_the_users_data_folder_unless_it_is_named():
    settings = Settings.read({"XDG_DATA_HOME": "/data"})

    assert settings.database.name == "vivavoce.db"
    assert settings.database.is_relative_to(Path("/data")) or not settings.database.is_relative_to(Path.cwd())
