"""A bare SDK server with one tool that returns a constant object: what the SDK itself costs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mcp.server import MCPServer
from pydantic import create_model

_CONSTANT = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")) if len(sys.argv) > 1 else {"id": "a"}
_Agent = create_model(
    "_Agent",
    **{name: (type(value) if value is not None else str | None, ...) for name, value in _CONSTANT.items()},
)  # type: ignore[call-overload]

server = MCPServer("bare", log_level="ERROR")
agent = _Agent(**_CONSTANT)


@server.tool()
async def get_agent(id: str) -> _Agent:  # type: ignore[valid-type]
    """Return the constant object."""
    return agent


server.run("stdio")
