"""What a process that stays has done once it is loaded."""

import subprocess
import sys

SCRIPT = """
import gc, sys
from vivavoce.surfaces.settling import SettlingIn

with SettlingIn():
    assert not gc.isenabled()
    import json
print(gc.isenabled(), gc.get_freeze_count() > 0, sys.getswitchinterval())
"""


def test_what_was_loaded_is_left_alone_and_what_comes_later_is_not():
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, check=True
    )

    assert said.stdout.split() == ["True", "True", "0.001"]
