"""The documents of this repository as tests read them."""

import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@dataclass(frozen=True)
class Block:
    """A fenced block: `sh` is run, `text` is what it prints, `console` is only shown."""

    language: str
    text: str


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks_of(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(language, text) for language, text in found]


def prose_of(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def generator() -> ModuleType:
    """The package that writes the reference pages."""
    folder = ROOT / "docs" / "generate"
    spec = importlib.util.spec_from_file_location(
        "vivavoce_docs", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
