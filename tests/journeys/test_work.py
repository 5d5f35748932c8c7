"""`vivavoce work`: a worker alone beside a server that only accepts, and how it ends."""

from __future__ import annotations

import signal
import subprocess

import httpx2
import pytest
from processes import PROGRAM, environment, serving


def started(folder, **settings):
    process = subprocess.Popen(
        [*PROGRAM, "work"], env=environment(folder, **settings), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr.readline().startswith("vivavoce works on ")
    return process


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_asked_to_end_does_so_cleanly(tmp_path, ending):
    process = started(tmp_path)

    process.send_signal(ending)
    _, said = process.communicate(timeout=60)

    assert (process.returncode, said) == (0, "")


def test_a_server_that_does_not_work_leaves_what_is_due_to_a_worker(tmp_path):
    with serving(tmp_path, "--no-work") as served:

        def asked(path, body, **headers):
            return httpx2.post(served.address + path, json=body, headers=headers, trust_env=False).json()

        agent = asked("/agents", {"name": "Ana"})
        config = {"url": "https://provider.invalid/"}
        channel = asked("/channels", {"agentId": agent["id"], "name": "Shop", "config": config})
        token = {"X-Webhook-Token": channel["token"]}
        assert (
            asked(channel["eventsPath"], {"id": "e1", "chat": "lu", "text": "Hi"}, **token)["accepted"] == 1
        )

        def states():
            url = f"{served.address}/channels/{channel['id']}/arrivals"
            return [each["state"] for each in httpx2.get(url, trust_env=False).json()]

        assert states() == ["waiting"]
        worker = started(tmp_path)
        try:
            while states() == ["waiting"]:
                assert worker.poll() is None
            assert states() == ["done"]
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.communicate(timeout=60)
