"""Providers of models: their keys are kept, used, and never shown."""

import pytest

from vivavoce.domain.keys import Scope
from vivavoce.domain.models import models
from vivavoce.domain.secrets import MARKER
from vivavoce.engine import Engine
from vivavoce.engine.providers import provider_keys
from vivavoce.errors import InvalidInput, NotAllowed, NotFound
from vivavoce.operations import OPERATOR, STRANGER, Caller
from vivavoce.operations.providers import ListModels, ListProviders, RemoveProvider, SetProvider
from vivavoce.testing import FakeClock, ScriptedModel, TestModels, open_test_engine

KEY = "sk-secret-0123456789"
ELSEWHERE = "https://models.example/v1"


@pytest.fixture
def engine(tmp_path, clock):
    with open_test_engine(tmp_path, clock) as engine:
        yield engine


@pytest.fixture
def clock():
    return FakeClock()


async def keys_of(engine: Engine) -> dict[str, dict[str, str]]:
    return await engine.ports.store.read(provider_keys)


async def test_a_key_is_kept_for_models_and_never_shown(engine, tmp_path):
    shown = await engine.run(SetProvider(name="openai", api_key=KEY), OPERATOR)
    listed = await engine.run(ListProviders(), OPERATOR)

    assert (shown.name, shown.api_key, shown.base_url) == ("openai", MARKER, None)
    assert listed.providers == [shown]
    assert KEY not in listed.model_dump_json()
    assert await keys_of(engine) == {"openai": {"base_url": "", "api_key": KEY}}


async def test_a_key_is_encrypted_at_rest(tmp_path):
    with open_test_engine(tmp_path) as engine:
        await engine.run(SetProvider(name="openai", api_key=KEY), OPERATOR)

    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert all(KEY.encode() not in path.read_bytes() for path in files)


async def test_a_provider_is_replaced_as_a_whole(engine, clock):
    first = await engine.run(SetProvider(name="openai", api_key=KEY, base_url=ELSEWHERE), OPERATOR)
    clock.advance(minutes=1)

    second = await engine.run(SetProvider(name="openai", api_key="sk-new"), OPERATOR)

    assert (second.base_url, second.created_at) == (None, first.created_at)
    assert second.updated_at > first.updated_at
    assert await keys_of(engine) == {"openai": {"base_url": "", "api_key": "sk-new"}}


async def test_the_marker_keeps_the_stored_key(engine):
    await engine.run(SetProvider(name="openai", api_key=KEY, base_url=ELSEWHERE), OPERATOR)

    await engine.run(SetProvider(name="openai", api_key=MARKER, base_url=f"{ELSEWHERE}/beta"), OPERATOR)

    assert await keys_of(engine) == {"openai": {"base_url": f"{ELSEWHERE}/beta", "api_key": KEY}}


@pytest.mark.parametrize("base_url", ["https://other.example/v1", None, "http://models.example/v1"])
async def test_a_stored_key_does_not_move_to_another_host(engine, base_url):
    await engine.run(SetProvider(name="openai", api_key=KEY, base_url=ELSEWHERE), OPERATOR)

    with pytest.raises(InvalidInput, match="another host"):
        await engine.run(SetProvider(name="openai", api_key=MARKER, base_url=base_url), OPERATOR)

    assert await keys_of(engine) == {"openai": {"base_url": ELSEWHERE, "api_key": KEY}}


async def test_a_marker_without_a_stored_key_is_refused(engine):
    with pytest.raises(InvalidInput, match="none is stored"):
        await engine.run(SetProvider(name="openai", api_key=MARKER), OPERATOR)


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "openai"},
        {"name": "nobody", "apiKey": KEY},
        {"name": "bedrock", "apiKey": KEY},
        {"name": "openai", "apiKey": ""},
        {"name": "openai", "apiKey": "two words"},
        {"name": "openai", "apiKey": "line\nbreak"},
        {"name": "openai", "apiKey": KEY, "baseUrl": "models.example/v1"},
        {"name": "openai", "apiKey": KEY, "baseUrl": "ftp://models.example/v1"},
        {"name": "openai", "apiKey": KEY, "baseUrl": "https://user:pw@models.example/v1"},
        {"name": "openai", "apiKey": KEY, "baseUrl": "https://models.example/v1?key=k"},
    ],
)
async def test_what_cannot_be_a_provider_is_refused(engine, arguments):
    async def set_provider() -> None:
        await engine.run(SetProvider.parse(arguments), OPERATOR)

    with pytest.raises(InvalidInput) as raised:
        await set_provider()

    assert KEY not in str(raised.value)
    assert await keys_of(engine) == {}


async def test_a_removed_provider_is_gone_with_its_key(engine):
    await engine.run(SetProvider(name="groq", api_key=KEY), OPERATOR)

    removed = await engine.run(RemoveProvider(name="groq"), OPERATOR)

    assert (removed.name, removed.api_key) == ("groq", MARKER)
    assert await keys_of(engine) == {}
    with pytest.raises(NotFound, match="groq"):
        await engine.run(RemoveProvider(name="groq"), OPERATOR)


async def test_only_administrators_deal_with_providers(engine):
    writer = Caller(id="w", name="writer", scopes=frozenset({Scope.READ, Scope.WRITE, Scope.SEND}))

    for op in (ListProviders(), SetProvider(name="openai", api_key=KEY), RemoveProvider(name="openai")):
        with pytest.raises(NotAllowed):
            await engine.run(op, writer)


async def test_models_are_listed_with_prices_for_everyone(engine):
    listed = await engine.run(ListModels(), STRANGER)

    by_name = {model.name: model for model in listed.models}
    assert set(by_name) == set(models())
    mini = by_name["gpt_41_mini"]
    assert (mini.label, mini.provider, mini.cost.input, mini.tools) == ("GPT-4.1 mini", "OpenAI", 0.4, True)
    assert by_name["sabia_3"].cost is None
    assert mini.is_available is None


@pytest.mark.parametrize(("model", "is_available"), [(None, False), (ScriptedModel(["Hi."]), True)])
async def test_models_say_whether_they_can_be_asked_here(tmp_path, model, is_available):
    with open_test_engine(tmp_path, models=TestModels(model)) as engine:
        listed = await engine.run(ListModels(), OPERATOR)

    assert {shown.is_available for shown in listed.models} == {is_available}
