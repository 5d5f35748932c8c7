"""What `vivavoce serve` sets up before it serves."""

from __future__ import annotations

import socket

import pytest
import uvicorn
from doors import run_command

from vivavoce.surfaces.cli.serve import shared_listener


def test_connections_that_workers_accept_send_small_answers_at_once():
    config = uvicorn.Config("nothing", host="127.0.0.1", port=0, workers=2, log_config=None)
    with shared_listener(config) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname(), timeout=10):
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_in_use_is_named_with_the_next_step(workspace, host):
    with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as taken:
        port = taken.getsockname()[1]

        code, output, errors = run_command(["serve", "--host", host, "--port", str(port)])

    assert (code, output) == (5, "")
    assert errors.startswith(f"conflict: Port {port} of {host} is in use")
    assert "--port" in errors


def test_an_address_of_another_machine_is_refused(workspace):
    run_command(["keys", "create", "me"])

    code, _, errors = run_command(["serve", "--host", "192.0.2.1", "--port", "0"])

    assert code == 2
    assert errors.startswith("invalid_input: Port 0 of 192.0.2.1 cannot be listened on: ")


def test_a_host_that_is_no_name_is_refused(workspace):
    run_command(["keys", "create", "me"])

    code, _, errors = run_command(["serve", "--host", "a" * 64 + ".example", "--port", "0"])

    assert code == 2
    assert errors.startswith(f"invalid_input: '{'a' * 64}.example' is not the name of a host.")
