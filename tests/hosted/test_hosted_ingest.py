"""`vivavoce ingest` with a key of the hosted service: files go to the account, each once."""

from __future__ import annotations

import asyncio
import json

import pytest
from doors import run_command
from fake import KEY, hosting, says

DATASTORE = {"id": "cshop", "name": "Shop", "type": "qdrant", "visibility": "private"}
PENDING = {"id": "cnew", "type": "file", "name": "returns.txt", "status": "pending", "config": {}}
THERE = {**PENDING, "id": "cold", "name": "hours.txt", "status": "synched"}


def page(*rows):
    counted = {"total": len(rows), "offset": 0, "limit": 100, "count": len(rows)}
    return says(200, {"data": list(rows), "pagination": counted})


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "returns.txt").write_text("Shoes may be returned within thirty days.", encoding="utf-8")
    (folder / "hours.txt").write_text("We open at nine.", encoding="utf-8")
    return folder


@pytest.fixture
async def account(tmp_path, monkeypatch):
    """A hosted account with one datastore, in which there is one file."""
    async with hosting(says(404, {"error": "NOT_FOUND"})) as fake:
        monkeypatch.setenv("CHATVOLT_API_KEY", KEY)
        monkeypatch.setenv("VIVAVOCE_CHATVOLT_URL", fake.address)
        monkeypatch.setenv("VIVAVOCE_DATABASE", str(tmp_path / "workspace.db"))
        fake.routes |= {
            "GET /datastores": says(200, [DATASTORE]),
            "GET /datasources/list": page(THERE),
            "POST /datasources": says(200, PENDING),
        }
        yield fake


async def ingest(*words):
    return await asyncio.to_thread(run_command, ["ingest", *map(str, words)])


async def test_files_go_to_the_hosted_account_and_what_is_there_is_passed_over(account, folder):
    code, output, errors = await ingest("Shop", folder, "--json")

    assert code == 0, errors
    summary = json.loads(output)
    assert (summary["datastoreId"], summary["added"], summary["failed"]) == ("cshop", 1, [])
    assert sum(summary["skipped"].values()) == 1
    (sent,) = [request for request in account.requests if request.method == "POST"]
    assert sent.path == "/datasources"
    assert b"thirty days" in sent.body
    assert b"hash" not in sent.body


async def test_the_command_says_who_indexes_what_was_sent(account, folder):
    code, output, errors = await ingest("Shop", folder)

    assert code == 0, errors
    assert "The hosted service indexes them" in output


async def test_tags_that_a_form_cannot_say_are_refused_before_anything_is_sent(account, folder):
    code, _, errors = await ingest("Shop", folder, "--tag", "manuals")

    assert code != 0
    assert "takes no tags with a file" in errors
    assert not [request for request in account.requests if request.method == "POST"]
