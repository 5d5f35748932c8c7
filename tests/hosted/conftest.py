"""What the tests of the hosted backend share: the script of the surfaces, and backends of any address."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "surfaces"))
