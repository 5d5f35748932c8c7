"""Which model is asked where: by the catalogue, the keys there are, and the operator's own endpoint."""

import re
import subprocess
import sys
from dataclasses import fields

import pytest

from vivavoce.adapters.llms.chosen import ChosenModels, Endpoint
from vivavoce.adapters.llms.targets import ADDRESSES, NATIVE, target_for
from vivavoce.adapters.vault import AesVault
from vivavoce.app import open_ports
from vivavoce.domain.models import MODELS, Price, models
from vivavoce.errors import InvalidInput
from vivavoce.settings import Settings, variable

OWN = Endpoint("http://127.0.0.1:11434/v1")
PLATFORM = [
    "gpt_41_nano",
    "gpt_41_mini",
    "gpt_41",
    "gpt_4o_mini",
    "gpt_4o_mini_search",
    "gpt_4_o",
    "gpt_4o_search",
    "gpt_o3_mini",
    "gpt_o4_mini",
    "sabia_3",
    "claude_3_haiku",
    "claude_3_sonnet",
    "claude_sonnet",
    "claude_opus",
    "mistral_7b_instruct",
    "mistral_nemo",
    "mistral_small",
    "mistral_medium",
    "mistral_large",
    "gemini_pro",
    "gemini_flash_preview",
    "gemini_flash",
    "gemini_flash_lite",
    "gemma_3_27b",
    "llama_3_8b_instruct",
    "llama_3_70b_instruct",
    "llama_4_scout",
    "llama_4_maverick",
    "command_r",
    "command_a",
    "mythomax_l2_13b",
    "wizardlm_2",
    "phi_4",
    "deepseek_v3",
    "deepseek_r1",
    "qwen_qwq",
    "qwen_72b",
    "qwen_max",
    "qwen_plus",
    "qwen_turbo",
    "qwen_32b",
    "qwen_235b",
    "grok_2",
    "grok_3",
    "grok_3_mini",
    "gpt_5",
    "gpt_o3",
    "claude_haiku",
    "gpt_3_5_turbo",
    "claude_3_opus",
    "mixtral_8x7b",
    "mixtral_8x22b",
    "dolphin_mixtral_8x7b",
    "gemini_pro_vision",
    "gemma_7b_it",
    "openchat_8b",
    "volt_networks_1",
    "volt_tests_free",
    "firellava_13b",
    "gemini_pro_1_5",
    "gemini_flash_1_5",
    "phi_3_medium",
    "phi_3_mini",
]


# The catalogue


def test_the_catalogue_has_every_name_of_the_platform():
    assert set(models()) == set(PLATFORM)
    assert [model.name for model in MODELS] == list(models())


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_a_model_of_the_catalogue_is_whole(model):
    assert model.context >= 4_000
    assert set(model.at) <= {*ADDRESSES, *NATIVE}
    assert all(re.fullmatch(r"[a-z0-9][\w./:-]+", id) for id in model.at.values())
    assert model.price is None or 0 < model.price.input <= model.price.output <= 200


def test_every_model_can_be_had_somewhere_but_those_that_only_the_platform_serves():
    assert [model.name for model in MODELS if not model.at] == ["volt_networks_1", "volt_tests_free"]


# The order


def test_a_provider_whose_key_is_there_is_asked_first():
    keys = {"openrouter": {"api_key": "r"}, "openai": {"api_key": "o"}}

    target = target_for("gpt_41_mini", keys, OWN)

    assert (target.provider, target.model, target.api_key) == ("openai", "gpt-4.1-mini", "o")
    assert (target.base_url, target.is_own, target.context) == ("https://api.openai.com/v1", False, 1_000_000)


def test_openrouter_is_asked_where_it_has_the_model():
    keys = {"openrouter": {"api_key": "r"}}

    assert target_for("claude_sonnet", keys, OWN).model.startswith("anthropic/claude-sonnet")
    assert target_for("sabia_3", keys, OWN).provider == "endpoint"


def test_the_endpoint_is_asked_where_no_provider_has_a_key():
    named = Endpoint(OWN.url, "qwen3:8b", "k")

    assert target_for("gpt_41", {}, OWN).model == "gpt_41"
    assert target_for("gpt_41", {}, named).model == "qwen3:8b"
    assert target_for("llama3.2:3b", {}, OWN).model == "llama3.2:3b"
    assert target_for("gpt_41", {}, named).is_own


def test_where_nothing_is_configured_no_model_answers():
    assert target_for("gpt_41", {}, None) is None
    assert target_for("nobody:knows", {"openai": {"api_key": "o"}}, None) is None
    assert target_for("openai:", {"openai": {"api_key": "o"}}, None) is None


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai:gpt-9", "openai", "gpt-9"),
        ("openrouter:vendor/model:free", "openrouter", "vendor/model:free"),
        ("anthropic:claude-9", "anthropic", "claude-9"),
        ("bedrock:us.amazon.nova-pro-v1:0", "bedrock", "us.amazon.nova-pro-v1:0"),
    ],
)
def test_a_name_that_is_unknown_is_tried_as_provider_and_model(name, provider, model):
    target = target_for(name, {provider: {"api_key": "k"}}, None)

    assert (target.provider, target.model) == (provider, model)


def test_a_key_of_the_operator_is_never_sent_to_an_address_of_a_workspace():
    chosen = ChosenModels(_NoClients(), keys={"openai": {"api_key": "operators"}})

    model = chosen.named("gpt_41", None, {"openai": {"base_url": "https://elsewhere.example/v1"}})

    (target,) = model._targets
    assert (target.base_url, target.api_key) == ("https://elsewhere.example/v1", "")


def test_a_fallback_that_is_configured_answers_where_the_model_itself_is_not():
    chosen = ChosenModels(_NoClients(), keys={"openai": {"api_key": "o"}})

    assert chosen.named("claude_opus", "gpt_41", {}).name == "gpt-4.1"
    assert chosen.named("claude_opus", None, {}) is None
    assert chosen.named("gpt_41", "claude_opus", {}).name == "gpt-4.1"


def test_a_model_has_the_price_of_the_catalogue_and_none_at_an_endpoint_of_ones_own():
    chosen = ChosenModels(_NoClients(), keys={"openai": {"api_key": "o"}}, endpoint=OWN)

    assert chosen.named("gpt_41", None, {}).price == models()["gpt_41"].price
    assert chosen.named("claude_opus", "gpt_41", {}).price is None


def test_a_model_without_a_price_is_named_whichever_of_the_two_it_is():
    chosen = ChosenModels(_NoClients(), keys={"openai": {"api_key": "o"}}, endpoint=OWN)

    assert chosen.named("gpt_41", None, {}).unpriced is None
    assert chosen.named("gpt_41", "mine", {}).unpriced == "mine"
    assert chosen.named("mine", "gpt_41", {}).unpriced == "mine"


def test_the_price_that_the_operator_names_counts_before_every_other():
    prices = {"mine": Price(0, 0), "gpt_41": Price(1, 2)}
    chosen = ChosenModels(_NoClients(), keys={"openai": {"api_key": "o"}}, endpoint=OWN, prices=prices)

    assert chosen.named("mine", None, {}).price == (0, 0)
    assert chosen.named("mine", None, {}).unpriced is None
    assert chosen.named("gpt_41", None, {}).price == (1, 2)


def test_a_model_that_the_catalogue_does_not_have_is_looked_up_in_the_public_list():
    chosen = ChosenModels(_NoClients(), keys={"openai": {"api_key": "o"}})

    assert chosen.named("openai:gpt-4.1-2025-04-14", None, {}).price == models()["gpt_41"].price
    assert chosen.named("openai:no-such-model", None, {}).unpriced == "no-such-model"


def test_prices_come_from_the_settings():
    settings = Settings.read({"VIVAVOCE_MODEL_PRICES": "llama3.3=0/0, ft:gpt-4.1=3/12.5"})

    assert settings.prices == {"llama3.3": (0, 0), "ft:gpt-4.1": (3, 12.5)}


@pytest.mark.parametrize("price", ["llama", "llama=1", "llama=-1/2", "llama=a/b", "=1/2", "llama=1e9/2"])
def test_a_price_that_is_none_is_refused_when_the_program_starts(price):
    with pytest.raises(InvalidInput, match="VIVAVOCE_MODEL_PRICES"):
        Settings.read({"VIVAVOCE_MODEL_PRICES": price})


def test_keys_are_in_no_representation():
    target = target_for("gpt_41", {"openai": {"api_key": "sk-secret"}}, None)

    assert "sk-secret" not in repr(target)
    assert "sk-secret" not in repr(Endpoint("http://h/v1", "m", "sk-secret"))


# Settings


def test_keys_come_from_the_variables_that_providers_tell_people_to_set():
    environment = {
        "OPENAI_API_KEY": "o",
        "ANTHROPIC_API_KEY": "a",
        "GOOGLE_API_KEY": "older",
        "MISTRAL_API_KEY": "m",
        "GROQ_API_KEY": "q",
        "OPENROUTER_API_KEY": "r",
        "AWS_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }

    keys = Settings.read(environment).provider_keys

    assert {name: access["api_key"] for name, access in keys.items() if name != "bedrock"} == {
        "openai": "o",
        "anthropic": "a",
        "google": "older",
        "mistral": "m",
        "groq": "q",
        "openrouter": "r",
    }
    assert keys["bedrock"]["region_name"] == "eu-west-1"
    both = Settings.read({"GOOGLE_API_KEY": "older", "GEMINI_API_KEY": "newer"}).provider_keys
    assert both["google"] == {"api_key": "newer"}


def test_a_region_alone_opens_no_door():
    assert Settings.read({"AWS_REGION": "eu-west-1"}).provider_keys == {}


async def test_an_address_of_the_endpoint_that_is_none_is_refused_when_the_program_starts(tmp_path):
    settings = Settings.read(
        {"VIVAVOCE_DATABASE": str(tmp_path / "v.db"), "VIVAVOCE_MODEL_URL": "127.0.0.1:11434"}
    )

    with pytest.raises(InvalidInput, match="VIVAVOCE_MODEL_URL"):
        async with open_ports(settings, AesVault(bytes(32))):
            pass


async def test_without_any_setting_the_program_has_no_model(tmp_path):
    settings = Settings.read({"VIVAVOCE_DATABASE": str(tmp_path / "v.db")})

    async with open_ports(settings, AesVault(bytes(32))) as ports:
        assert ports.models.named("gpt_41", None, {}) is None


def test_nothing_that_speaks_with_providers_is_loaded_when_the_program_starts():
    code = (
        "import sys, vivavoce.app, vivavoce.adapters.llms.chosen\n"
        "print([name for name in ('pydantic_ai', 'openai', 'genai_prices', 'httpx2') if name in sys.modules])"
    )

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert said.stdout.strip() == "[]"


class _NoClients:
    def client(self, url: str, *, is_own: bool) -> None:
        raise AssertionError("nothing is asked")


def test_settings_are_shown_without_the_keys_in_them():
    secret = [each.name for each in fields(Settings) if re.search("key$|key_id$|token|secret", each.name)]

    settings = Settings.read({variable(name): "s3cr3t" for name in (*secret, "index")})

    assert {"master_key", "model_key", "openai_api_key", "aws_session_token"} <= set(secret)
    assert {getattr(settings, name) for name in secret} == {"s3cr3t"}
    assert "s3cr3t" not in repr(settings)
