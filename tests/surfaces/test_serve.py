"""What `vivavoce serve` sets up before it serves."""

from __future__ import annotations

import socket

import uvicorn

from vivavoce.surfaces.cli.serve import shared_listener


def test_connections_that_workers_accept_send_small_answers_at_once():
    config = uvicorn.Config("nothing", host="127.0.0.1", port=0, workers=2, log_config=None)
    with shared_listener(config) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname(), timeout=10):
            accepted, _ = listener.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
