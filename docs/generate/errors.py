"""The page of errors, from the tree that the module of errors draws."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from vivavoce import errors
from vivavoce.errors import VivavoceError

from .words import NOTE, cell

_OPENING = """\
An error has a code, the same on every surface, a message that says what is wrong, and mostly a hint that
says the next step. Values that were sent are not repeated where they may be secret."""
_HEAD = "| code | meaning | what to do | HTTP | `error` on the REST wire | exit code | try again |"
_CLOSING = """\
- **MCP**: a tool result with `isError`, whose text is `code: message hint`. A tool that is not offered and
  a line that is not JSON-RPC are protocol errors.
- **REST**: a JSON body `{error, message, hint, details}`. `details` names each wrong field of an
  `invalid_input`; for arguments in the address its `error` ends in `query`. Errors that may pass carry
  `Retry-After`. Without a key, CRM and tool routes answer 401 and the others 403, as the
  [wire](../explanation/wire-compatibility.md) has it. A Host that the server does not answer to gets 421, a
  foreign Origin 403, both before any key is looked at.
- **Command line**: `code: message hint` on stderr and the exit code. A wrong option or setting ends with 2,
  an interrupt with 130, a finding of `vivavoce doctor` that must be mended with 1."""


def lines() -> Iterator[str]:
    """The page."""
    yield from ("# Errors", "", NOTE, "", _OPENING, "", _HEAD, "|---|---|---|---|---|---|---|")
    steps = _next_steps()
    for kind in error_classes():
        wire = "error invalid request body" if kind.code == "invalid_input" else kind.wire
        status = "403 or 401" if kind.code == "not_authenticated" else str(kind.status)
        again = "yes" if kind.retryable else ""
        told = f"`{kind.code}` | {cell(inspect.cleandoc(kind.__doc__ or ''))} | {steps[kind.__name__]}"
        yield f"| {told} | {status} | `{wire}` | {kind.exit_code} | {again} |"
    yield from ("", _CLOSING)


def error_classes() -> list[type[VivavoceError]]:
    """The errors in the order of the tree."""
    found = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    return [kind for kind in found if issubclass(kind, VivavoceError) and "code" in vars(kind)]


def _next_steps() -> dict[str, str]:
    """The last column of the tree."""
    return dict(re.findall(r"[├└]── (\w+)\s{2,}.*?\s{2,}(\S.*)", errors.__doc__ or ""))
