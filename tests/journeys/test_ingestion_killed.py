"""A server that is killed while it ingests takes up where it was; and while it ingests, it still answers."""

from __future__ import annotations

import sqlite3
import statistics
import time
from contextlib import closing
from functools import partial

import httpx2
import pytest
from processes import serving, wait_until

KILLS = 3


def book(sentences, subject="whale"):
    return " ".join(
        f"In chapter {number} the {subject} met ship {number * 7} and nobody on board was hurt that day."
        for number in range(sentences)
    )


def rows(folder, sql):
    with closing(sqlite3.connect(f"file:{folder / 'workspace.db'}?mode=ro", uri=True)) as database:
        return database.execute(sql).fetchall()


def passages(folder):
    return rows(folder, "select count(*) from passages")[0][0]


def has_more(folder, done):
    return passages(folder) > done


def status(folder, id):
    return rows(folder, f"select status from datasources where id = '{id}'")[0][0]


@pytest.fixture
def client():
    with httpx2.Client(timeout=60, trust_env=False) as client:
        yield client


def made(client, served, folder, text, *, as_file):
    """A datastore with one datasource that has just been asked for: the ids of both."""
    store = client.post(f"{served.address}/datastores", json={"type": "qdrant"}).json()["id"]
    if as_file:
        files = {"file": ("book.txt", text.encode(), "text/plain")}
        answer = client.post(f"{served.address}/datasources", data={"datastoreId": store}, files=files)
    else:
        given = {"datastoreId": store, "name": "book.txt", "text": text}
        answer = client.post(f"{served.address}/datasources", json=given)
    assert answer.status_code == 200, answer.text
    return store, answer.json()["id"]


@pytest.mark.parametrize("as_file", [False, True], ids=["text", "file"])
def test_a_killed_server_goes_on_after_the_last_finished_batch(tmp_path, client, as_file):
    text = book(1_900)
    store, source, done = None, None, 0
    for _ in range(KILLS):
        with serving(tmp_path) as served:
            if store is None:
                store, source = made(client, served, tmp_path, text, as_file=as_file)
            assert wait_until(partial(has_more, tmp_path, done), served.process), served.said()
            served.kill()
        assert passages(tmp_path) >= done, "What was finished is kept."
        done = passages(tmp_path)
        assert status(tmp_path, source) == "running"

    with serving(tmp_path) as served:
        assert wait_until(lambda: status(tmp_path, source) == "synched", served.process), served.said()
        shown = client.get(f"{served.address}/datasources/{source}").json()
        asked = {"query": "What happened to the whale in chapter 1845?", "topK": 3}
        found = client.post(f"{served.address}/datastores/{store}/query", json=asked).json()

    assert (shown["progress"], shown["error"], shown["text"]) == (1.0, None, text)
    check_passages(tmp_path, text)
    assert shown["nbChunks"] == passages(tmp_path) > KILLS * 32
    assert "chapter 1845 " in found[0]["text"]


def check_passages(folder, text):
    """Each passage is there once, says what the text says, and together they say all of it."""
    found = rows(folder, 'select position, start, "end" from passages order by position')
    parts = rows(folder, "select start, text from parts order by start")
    assert "".join(part for _, part in parts) == text
    assert [position for position, _, _ in found] == list(range(len(found)))
    assert len(set(found)) == len({start for _, start, _ in found}) == len(found)
    covered = 0
    for _, start, end in found:
        assert not text[covered:start].strip()
        assert text[start:end] == text[start:end].strip()
        covered = end
    assert covered == len(text)
    assert rows(folder, "select count(*) from vectors")[0][0] == len(found)
    assert (
        rows(folder, "select count(*) from ingestions") == rows(folder, "select count(*) from gone") == [(0,)]
    )
    assert rows(folder, "pragma integrity_check") == [("ok",)]


def test_a_server_that_ingests_a_large_text_still_answers(tmp_path, client):
    with serving(tmp_path) as served:
        small, _ = made(client, served, tmp_path, "Whales sing in the deep sea.", as_file=False)
        assert wait_until(lambda: passages(tmp_path) == 1, served.process), served.said()
        idle = seconds(client, f"{served.address}/agents", 50)
        _, large = made(client, served, tmp_path, book(40_000), as_file=False)
        assert wait_until(lambda: passages(tmp_path) > 32, served.process), served.said()

        busy = seconds(client, f"{served.address}/agents", 50)
        asked = {"query": "What do whales do?"}
        found = client.post(f"{served.address}/datastores/{small}/query", json=asked).json()

        assert status(tmp_path, large) == "running", "It was busy all the time."
        progress = client.get(f"{served.address}/datasources/{large}").json()["progress"]
        client.delete(f"{served.address}/datasources/{large}")

    assert found[0]["text"] == "Whales sing in the deep sea."
    assert 0 < progress < 1
    assert statistics.median(busy) < 25 * statistics.median(idle)


def seconds(client, url, times):
    """How long each of so many calls takes."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        assert client.get(url).status_code == 200
        taken.append(time.perf_counter() - start)
    return taken
