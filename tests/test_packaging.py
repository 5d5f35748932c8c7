"""What a person gets who installs this: pinned, permissive, and without a word about our machines."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import vivavoce

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"), key=lambda path: path.name)
SCRIPTS = [*sorted((ROOT / "bin").iterdir()), ROOT / ".ci" / "run"]
PERMISSIVE = re.compile(r"\b(MIT|BSD|Apache|ISC|PSF|Python Software Foundation|Zlib|0BSD|Unlicense)\b", re.I)
COPYLEFT = re.compile(r"GPL|GNU|EUPL|SSPL|BUSL|MPL|Mozilla|Proprietary", re.I)


def lock_named(name: str) -> Path:
    return ROOT / "requirements" / f"{name}.txt"


def pins(lock: Path) -> Iterator[tuple[Requirement, list[str]]]:
    """Each pinned package of a lock with its hashes; the lines of one requirement are joined first."""
    for line in lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            words, *hashes = re.split(r"\s+(?=--hash=)", line.strip())
            yield Requirement(words), hashes


def licence_of(name: str) -> str:
    """What an installed package says of its licence, in the newest way it uses."""
    package = importlib.metadata.metadata(name)
    trove = [line for line in package.get_all("Classifier", []) if line.startswith("License ::")]
    return package["License-Expression"] or " ".join(trove) or package["License"] or "unknown"


def installed_by_default() -> list[str]:
    """The packages that the default install puts on this machine."""
    pinned = [requirement for requirement, _ in pins(lock_named("run"))]
    return [found.name for found in pinned if found.marker is None or found.marker.evaluate()]


def test_there_is_a_lock_to_run_to_build_and_to_develop():
    assert [path.name for path in LOCKS] == ["build.txt", "dev.txt", "run.txt"]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_a_lock_names_no_place_to_download_from(lock):
    text = lock.read_text(encoding="utf-8")

    assert re.findall(r".*(?:://|index-url|find-links|trusted-host|file:| @ ).*", text) == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_package_is_pinned_to_one_version_and_its_hashes(lock):
    for requirement, hashes in pins(lock):
        assert [specifier.operator for specifier in requirement.specifier] == ["=="], requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", word) for word in hashes), requirement


def test_tests_run_against_the_versions_that_users_get():
    developed = {requirement.name: requirement.specifier for requirement, _ in pins(lock_named("dev"))}

    for name in ("run", "build"):
        for requirement, _ in pins(lock_named(name)):
            assert developed[requirement.name] == requirement.specifier


def test_the_lock_holds_what_the_project_asks_for():
    locked = {requirement.name: requirement.specifier for requirement, _ in pins(lock_named("run"))}

    for wanted in map(Requirement, PROJECT["dependencies"]):
        (pin,) = locked[wanted.name]
        assert wanted.specifier.contains(pin.version), wanted


@pytest.mark.parametrize("name", installed_by_default())
def test_the_default_install_is_permissive(name):
    licence = licence_of(name)

    assert PERMISSIVE.search(licence), licence
    assert not COPYLEFT.search(licence), licence


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_can_be_run_by_a_plain_shell(script):
    shebang = script.read_text(encoding="utf-8").splitlines()[0]
    shell = "bash" if "bash" in shebang else shutil.which("dash") or "sh"

    assert os.access(script, os.X_OK)
    subprocess.run([shell, "-n", script], check=True)


def test_the_program_and_its_package_tell_the_same_version():
    assert vivavoce.__version__ == PROJECT["version"]
