"""Documents lead where they say, use the glossary's words, and tell nothing of the writer's machine."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from vivavoce.operations import CATALOGUE

from .documents import PAGES, ROOT, name_of, prose_of

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECISIONS = sorted((ROOT / "docs" / "adr").glob("*.md"))
DONE = re.findall(
    r"\w+",
    "Shown List Deleted Updated Switched Removed Created Revoked Contents Page Changed Stored Followed Tags"
    " Variables Saved Exported Described Explained",
)
PARTS = ("Context", "Decision", "Consequences", "Alternatives", "How to undo")

# Parts are joined here so that this file does not itself hold what no file may hold.
HOMES = re.compile("|".join((r"(?<![\w.~-])/" + "root/", r"/" + r"home/\w+/", r"/" + r"Users/\w+/")))
PUBLIC_HOSTS = ("pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org")


def tracked() -> list[Path]:
    """Every file that is, or would be, part of the repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def contents(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


def links_of(page: Path) -> list[str]:
    found = re.findall(r"\]\(([^)\s]+)\)", prose_of(page))
    return [target for target in found if not urlsplit(target).scheme]


def anchors_of(page: Path) -> set[str]:
    """The anchors that a reader's browser finds: headings in lower case, blanks as hyphens."""
    headings = re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def package_places() -> set[str]:
    """Where packages come from: the public hosts, and what this machine's own pip is told to use."""
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    )
    lines = [line for line in asked.stdout.splitlines() if re.search(r"index-url|find-links", line)]
    urls = [urlsplit(word) for line in lines for word in re.findall(r"[\w+:]*/[^\s'\"]+", line)]
    return {*PUBLIC_HOSTS, *(url.hostname or url.path for url in urls)}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in links_of(page):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), target
        assert not anchor or anchor in anchors_of(found), target


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.exists():
            continue
        reached.add(page)
        for target in links_of(page):
            found = (page.parent / target.partition("#")[0]).resolve()
            waiting += found.glob("*.md") if found.is_dir() else [found] if found.suffix == ".md" else []

    assert set(PAGES) - reached == set()


def test_the_changelog_begins_with_this_version():
    (newest, *_) = re.findall(
        r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )

    assert newest == PROJECT["version"]


@pytest.mark.parametrize("decision", DECISIONS, ids=name_of)
def test_a_decision_is_short_and_whole(decision):
    text = decision.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= 40
    assert tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) == PARTS
    assert text.startswith(f"# {decision.name[:4]}: ")


def test_decisions_are_numbered_without_a_gap():
    assert [path.name[:4] for path in DECISIONS] == [
        f"{number:04d}" for number in range(1, len(DECISIONS) + 1)
    ]


def test_the_glossary_has_every_noun_that_the_catalogue_gives_back():
    glossary = (ROOT / "docs" / "explanation" / "glossary.md").read_text(encoding="utf-8")
    terms = {term.lower() for term in re.findall(r"^\| \*\*(.+?)\*\* \|", glossary, re.MULTILINE)}
    nouns = set()
    for kind in CATALOGUE.values():
        words = re.findall(r"[A-Z][a-z]+", kind.spec.result.__name__)
        nouns.add([word for word in words if word not in DONE][-1].lower())

    assert nouns - terms == set()


def test_the_glossary_is_in_order():
    glossary = (ROOT / "docs" / "explanation" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\| \*\*(.+?)\*\* \|", glossary, re.MULTILINE)

    assert terms == sorted(terms, key=str.casefold)


def test_no_file_names_a_place_on_somebodys_machine():
    here = re.compile(re.escape(str(ROOT)) + r"\b")
    found = {
        name_of(path): match.group()
        for path in tracked()
        if (match := HOMES.search(contents(path)) or here.search(contents(path)))
    }

    assert found == {}


def test_no_file_names_a_place_from_which_packages_were_taken():
    places = package_places()
    found = {(name_of(path), place) for path in tracked() for place in places if place in contents(path)}

    assert found == set()
