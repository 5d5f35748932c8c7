"""Settling in: how a process that stays loads what it needs, and shares itself among its threads."""

from __future__ import annotations

import gc
import sys

_TURN = 0.001
"""Seconds after which a thread that is at work lets others go on."""


_GARBAGE = (20_000, 20, 100)
"""When garbage that holds itself is looked for: seldom, since everybody waits meanwhile."""


class SettlingIn:
    """A block in which a process that stays is loaded.

    What is loaded stays, so nobody looks for garbage in it: not meanwhile, which takes a tenth of the time,
    and not later, when everybody would wait. And who answers a short call waits less for those who think.
    """

    def __enter__(self) -> None:
        gc.disable()

    def __exit__(self, *_: object) -> None:
        gc.freeze()
        gc.set_threshold(*_GARBAGE)
        gc.enable()
        sys.setswitchinterval(_TURN)
