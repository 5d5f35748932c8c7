"""What the documents tell a reader to type is typed here, in an empty folder that looks like a clone."""

import fnmatch
import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.free_ports import free_port

from .documents import PAGES, ROOT, blocks_of, name_of

RUNNABLE = [page for page in PAGES if any(block.language == "sh" for block in blocks_of(page))]
SHELL = shutil.which("dash") or "sh"


def environment(folder: Path, port: int) -> dict[str, str]:
    """A newcomer's machine: the program on the PATH, a home of its own, no settings."""
    return {
        "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder / "home"),
        "LANG": "C.UTF-8",
        "VIVAVOCE_DATABASE": str(folder / "workspace.db"),
        "VIVAVOCE_PORT": str(port),
    }


def typed(page: Path, folder: Path) -> str:
    """Everything that the page's commands print, in one shell, as a reader would type them."""
    (folder / "home").mkdir()
    for part in ("bin", ".venv", "examples"):
        (folder / part).symlink_to(ROOT / part)
    port = free_port()
    script = "\n".join(block.text for block in blocks_of(page) if block.language == "sh")
    shell = subprocess.Popen(
        [SHELL, "-eu", "-c", script.replace("8377", str(port))],
        cwd=folder,
        env=environment(folder, port),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        printed, _ = shell.communicate(timeout=180)
    finally:
        _end_group(shell)
    assert shell.returncode == 0, printed
    return printed


def _end_group(shell: subprocess.Popen[str]) -> None:
    """A server that a failed script left behind ends with it."""
    with suppress(ProcessLookupError):  # nothing was left
        os.killpg(shell.pid, signal.SIGKILL)
    shell.wait()


def pattern_of(line: str) -> str:
    """`…` stands for anything; everything else means itself."""
    return re.sub(r"([\[\]?*])", r"[\1]", line).replace("…", "*")


@pytest.mark.parametrize("page", RUNNABLE, ids=name_of)
def test_commands_of_a_page_run_and_print_what_it_shows(page, tmp_path):
    if "curl" in page.read_text(encoding="utf-8") and shutil.which("curl") is None:
        pytest.skip("curl is not installed")

    lines = typed(page, tmp_path).splitlines()

    shown = [block.text.splitlines() for block in blocks_of(page) if block.language == "text"]
    for line in (line for block in shown for line in block):
        assert any(fnmatch.fnmatchcase(printed, pattern_of(line)) for printed in lines), line


def test_readers_are_told_to_run_something_on_every_page_that_teaches():
    taught = {ROOT / "README.md", ROOT / "docs" / "tutorial.md", *(ROOT / "docs" / "how-to").glob("*.md")}

    assert taught <= set(RUNNABLE)


def test_questions_that_are_only_shown_are_asked_by_a_page_that_runs():
    asked = {
        language: {
            question
            for page in PAGES
            for block in blocks_of(page)
            if block.language == language
            for question in re.findall(r'vivavoce ask \S+ "([^"]+)"', block.text)
        }
        for language in ("sh", "console")
    }

    assert asked["console"] <= asked["sh"]
