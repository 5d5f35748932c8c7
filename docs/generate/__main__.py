"""`bin/docs`: write what has changed, or with --check only name it."""

import sys

from . import ROOT, pages

is_check = "--check" in sys.argv[1:]
stale = {
    path: text
    for path, text in pages().items()
    if not path.exists() or path.read_text(encoding="utf-8") != text
}
for path, text in stale.items():
    if not is_check:
        path.write_text(text, encoding="utf-8")
    print(f"docs: {path.relative_to(ROOT)} {'is stale' if is_check else 'is written'}", file=sys.stderr)
sys.exit(1 if stale and is_check else 0)
