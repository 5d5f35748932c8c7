"""The language models that an agent can be given, by the names that the platform uses."""

from __future__ import annotations

from typing import NamedTuple


class Model(NamedTuple):
    """A model: the platform's name for it, who makes it, and what it is called."""

    name: str
    maker: str
    title: str


MODELS: tuple[Model, ...] = tuple(
    Model(name, maker, title)
    for maker, models in {
        "OpenAI": {
            "gpt_5": "GPT-5",
            "gpt_41": "GPT-4.1",
            "gpt_41_mini": "GPT-4.1 mini",
            "gpt_41_nano": "GPT-4.1 nano",
            "gpt_4_o": "GPT-4o",
            "gpt_4o_mini": "GPT-4o mini",
            "gpt_4o_search": "GPT-4o with web search",
            "gpt_4o_mini_search": "GPT-4o mini with web search",
            "gpt_o3": "o3, reasoning",
            "gpt_o3_mini": "o3-mini, reasoning",
            "gpt_o4_mini": "o4-mini, reasoning",
        },
        "Anthropic": {
            "claude_opus": "Claude Opus",
            "claude_sonnet": "Claude Sonnet",
            "claude_haiku": "Claude Haiku",
            "claude_3_sonnet": "Claude 3 Sonnet",
            "claude_3_haiku": "Claude 3 Haiku",
        },
        "Google": {
            "gemini_pro": "Gemini Pro",
            "gemini_flash": "Gemini Flash",
            "gemini_flash_preview": "Gemini Flash, preview",
            "gemini_flash_lite": "Gemini Flash Lite",
            "gemma_3_27b": "Gemma 3 27B, open weights",
        },
        "Mistral": {
            "mistral_large": "Mistral Large",
            "mistral_medium": "Mistral Medium",
            "mistral_small": "Mistral Small",
            "mistral_nemo": "Mistral Nemo, open weights",
            "mistral_7b_instruct": "Mistral 7B Instruct, open weights",
        },
        "Meta": {
            "llama_4_maverick": "Llama 4 Maverick, open weights",
            "llama_4_scout": "Llama 4 Scout, open weights",
            "llama_3_70b_instruct": "Llama 3 70B Instruct, open weights",
            "llama_3_8b_instruct": "Llama 3 8B Instruct, open weights",
        },
        "DeepSeek": {
            "deepseek_v3": "DeepSeek V3, open weights",
            "deepseek_r1": "DeepSeek R1, reasoning, open weights",
        },
        "Alibaba": {
            "qwen_max": "Qwen Max",
            "qwen_plus": "Qwen Plus",
            "qwen_turbo": "Qwen Turbo",
            "qwen_235b": "Qwen 235B, open weights",
            "qwen_72b": "Qwen 72B, open weights",
            "qwen_32b": "Qwen 32B, open weights",
            "qwen_qwq": "QwQ, reasoning, open weights",
        },
        "xAI": {"grok_3": "Grok 3", "grok_3_mini": "Grok 3 mini", "grok_2": "Grok 2"},
        "Cohere": {"command_a": "Command A", "command_r": "Command R"},
        "Microsoft": {
            "phi_4": "Phi-4, open weights",
            "wizardlm_2": "WizardLM 2, open weights",
        },
        "Maritaca": {"sabia_3": "Sabiá 3, for Portuguese"},
        "Gryphe": {"mythomax_l2_13b": "MythoMax L2 13B, open weights"},
    }.items()
    for name, title in models.items()
)
"""Any other name is accepted as well, e.g. that of a model which you serve yourself."""
