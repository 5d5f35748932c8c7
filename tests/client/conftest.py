"""What the tests of the client share: the script of the surfaces, a fake of the hosted service, a server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

for folder in ("surfaces", "hosted"):
    sys.path.insert(0, str(Path(__file__).parent.parent / folder))


@pytest.fixture
def served_settings(tmp_path):
    """The settings of a workspace of its own."""
    from serving import settings_in

    return settings_in(tmp_path)


@pytest.fixture
def reader(served_settings):
    """A key that may read, and nothing else."""
    from serving import key_for

    return key_for(served_settings, "read")


@pytest.fixture
def server(served_settings):
    """The address of a server on that workspace, and a key of it that may do everything."""
    from serving import key_for, served

    key = key_for(served_settings, "read", "write", "send", "admin")
    with served(served_settings) as address:
        yield address, key
