"""The pages that tell a model what it can do here."""

import json
import re
from typing import get_args

import pytest

from vivavoce.domain.http.http_templates import HTTP_TEMPLATES
from vivavoce.domain.models import MODELS
from vivavoce.operations import CATALOGUE
from vivavoce.operations.documentation import Topic
from vivavoce.operations.pages import PAGES
from vivavoce.operations.prompts import PROMPTS
from vivavoce.operations.schemas import input_schema

HOSTED_MODELS = [
    *("gpt_41_nano", "gpt_41_mini", "gpt_41", "gpt_4o_mini", "gpt_4o_mini_search", "gpt_4_o"),
    *("gpt_4o_search", "gpt_o3_mini", "gpt_o4_mini", "sabia_3", "claude_3_haiku", "claude_3_sonnet"),
    *("claude_sonnet", "claude_opus", "mistral_7b_instruct", "mistral_nemo", "mistral_small"),
    *("mistral_medium", "mistral_large", "gemini_pro", "gemini_flash_preview", "gemini_flash"),
    *("gemini_flash_lite", "gemma_3_27b", "llama_3_8b_instruct", "llama_3_70b_instruct"),
    *("llama_4_scout", "llama_4_maverick", "command_r", "command_a", "mythomax_l2_13b", "wizardlm_2"),
    *("phi_4", "deepseek_v3", "deepseek_r1", "qwen_qwq", "qwen_72b", "qwen_max", "qwen_plus"),
    *("qwen_turbo", "qwen_32b", "qwen_235b", "grok_2", "grok_3", "grok_3_mini"),
]
SPEC_MODELS = [
    *("gpt_5", "gpt_o3", "gpt_4_o", "gpt_4o_mini", "claude_opus", "claude_sonnet", "claude_haiku"),
    *("gemini_pro", "gemini_flash", "deepseek_r1", "deepseek_v3", "grok_3"),
]


def test_every_topic_has_a_page():
    assert set(get_args(Topic)) == set(PAGES)


def test_the_tools_page_explains_every_tool_and_every_listed_argument():
    page = PAGES["tools"]()

    for name, kind in CATALOGUE.items():
        assert (f"\n## {name}\n" in page) == (kind.spec.offer != "never")
        if kind.spec.offer != "never":
            section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
            assert kind.spec.description in section
            assert kind.spec.takes_along in section
            for argument, of in input_schema(kind)["properties"].items():
                assert re.search(rf"^\| `{argument}` \| .+ \| (yes|no) \| ", section, re.MULTILINE)
                assert of["description"] in section


def test_the_models_page_lists_every_model():
    page = PAGES["models"]()

    assert [model.name for model in MODELS if f"| `{model.name}` |" not in page] == []


def test_the_models_are_all_that_the_hosted_service_knows():
    assert (len(HOSTED_MODELS), len(SPEC_MODELS)) == (45, 12)
    assert {*HOSTED_MODELS, *SPEC_MODELS} <= {model.name for model in MODELS}
    assert len({model.name for model in MODELS}) == len(MODELS)


def test_the_prompts_page_holds_the_three_prompts_of_the_spec():
    page = PAGES["prompts"]()

    assert [prompt.name for prompt in PROMPTS] == [
        "simple_tool_operation",
        "multi_step_workflow",
        "self_discovery",
    ]
    assert all(f"## {prompt.name}" in page and prompt.description in page for prompt in PROMPTS)


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.name)
def test_a_prompt_says_what_it_was_given_and_needs_only_what_is_required(prompt):
    required = {argument.name: f"<{argument.name}>" for argument in prompt.arguments if argument.required}

    assert required
    assert all(value in prompt.write(required) for value in required.values())


@pytest.mark.parametrize("page", [page for page in PAGES if page.endswith("http_tools")])
def test_every_template_on_a_page_is_accepted_by_add_http_tool(page):
    blocks = re.findall(r"```json\n(.+?)\n```", PAGES[page](), re.DOTALL)

    assert blocks
    for block in blocks:
        CATALOGUE["addHttpTool"].parse({"agentId": "a1", "config": json.loads(block)})


def test_the_page_of_templates_holds_its_two_parts():
    whole = PAGES["http_tools"]()

    assert whole.count("```json") == len(HTTP_TEMPLATES)
    for part in ("chatvolt_http_tools", "cal_com_http_tools"):
        titles = [template.title for template in HTTP_TEMPLATES if template.group == part]
        assert titles
        assert re.findall(r"^## (.+)$", PAGES[part](), re.MULTILINE) == titles
        assert all(f"## {title}\n" in whole for title in titles)
