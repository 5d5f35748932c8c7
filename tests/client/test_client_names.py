"""What programs import: every operation from one place, typed, and nothing heavy before it is needed."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import vivavoce
from vivavoce import operations
from vivavoce.operations import CATALOGUE
from vivavoce.operations.uploads import AddFile

ROOT = Path(__file__).parents[2]

TYPED = """
    from typing import assert_type

    import vivavoce
    from vivavoce.operations import AgentQuery, CreateAgent, DeleteNote, ListAgents, Told
    from vivavoce.operations.agents import AgentList, AgentShown
    from vivavoce.operations.answers import AgentAnswer
    from vivavoce.operations.notes import NoteDeleted

    async def main() -> None:
        async with vivavoce.connect("https://example.com", "key", service="vivavoce") as platform:
            agent = await platform.run(
                CreateAgent(name="Ana", description="", model_name="gpt_4o", system_prompt="Be kind.")
            )
            assert_type(agent, AgentShown)
            assert_type(await platform.run(ListAgents()), AgentList)
            assert_type(await platform.run(DeleteNote(conversation_id="c", note_id="n")), NoteDeleted)
            async for part in platform.stream(AgentQuery(id=agent.id, query="Hello?")):
                if not isinstance(part, Told):
                    assert_type(part, AgentAnswer)
"""
MISTAKEN = """
    import vivavoce
    from vivavoce.operations import GetAgent, ListAgents

    async def main() -> None:
        async with vivavoce.connect("https://example.com", "key", service="another") as platform:
            (await platform.run(ListAgents())).nothing
            await platform.run(GetAgent())
            await platform.run(platform)
        vivavoce.conect
"""


@pytest.mark.parametrize("kind", [*CATALOGUE.values(), AddFile], ids=lambda kind: kind.__name__)
def test_every_operation_is_imported_from_one_place(kind):
    line = f"from .{kind.__module__.rpartition('.')[2]} import {kind.__name__} as {kind.__name__}"

    assert getattr(operations, kind.__name__, None) is kind, f"operations/names.py lacks: {line}"


def test_a_program_is_typed_and_its_mistakes_are_found(tmp_path):
    for name, program in (("typed", TYPED), ("mistaken", MISTAKEN)):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(program), encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache" / "client"), "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )

    *faults, _ = done.stdout.splitlines()
    assert [fault.partition(": error: ")[0] for fault in faults if ": error: " in fault] == [
        f"mistaken.py:{line}" for line in (6, 7, 8, 9, 10)
    ], done.stdout + done.stderr


def test_what_is_not_there_is_told_as_of_any_module():
    with pytest.raises(AttributeError, match="'vivavoce' has no attribute 'conect'"):
        vivavoce.conect  # noqa: B018


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import vivavoce", ["typing", "pydantic", "asyncio", "vivavoce.client"]),
        ("import vivavoce; vivavoce.connect", ["httpx2", "httpcore2", "h2", "starlette", "mcp"]),
    ],
)
def test_nothing_is_loaded_before_it_is_needed(code, absent):
    script = f"import sys; before = set(sys.modules); {code}; print(*sys.modules.keys() - before)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert set(done.stdout.split()) & set(absent) == set()
