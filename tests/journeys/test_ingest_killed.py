"""An ingest that is ended in the middle: the next one finishes the work, and nothing is there twice."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from contextlib import closing

import pytest
from processes import PROGRAM, environment, rows_of, started, wait_until

FILES = 12
SENTENCE = "In the year {year} the bridge number {number} was built over the river of the town. "


@pytest.fixture
def corpus(tmp_path):
    """A long text of some fifty passages, and short ones."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    long = "\n\n".join(
        "".join(SENTENCE.format(year=1000 + paragraph, number=10 * paragraph + line) for line in range(12))
        for paragraph in range(75)
    )
    (folder / "long.txt").write_text(long, encoding="utf-8")
    for number in range(FILES):
        text = SENTENCE.format(year=number, number=number)
        (folder / f"short{number:02}.txt").write_text(text, encoding="utf-8")
    return folder


def ingesting(tmp_path, corpus, *options):
    return started(tmp_path, "ingest", "--create", "Bridges", corpus, *options)


def passages(tmp_path):
    ((number,),) = rows_of(tmp_path, "select count(*) from passages") or [(0,)]
    return number


def let_leases_end(tmp_path):
    """What the killed process held is free when its time is up; here, it is up at once."""
    with closing(sqlite3.connect(tmp_path / "workspace.db")) as database:
        database.execute("update ingestions set lease_until = '2000-01-01T00:00:00.000000Z'")
        database.commit()


def finish(tmp_path, corpus):
    """Run it again, to the end; its summary."""
    let_leases_end(tmp_path)
    process = ingesting(tmp_path, corpus, "--json")
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(output)


def check(tmp_path):
    """Every file is indexed, each passage is there once, and the index has what the database has."""
    assert rows_of(tmp_path, "select status, count(*) from datasources group by 1") == [
        ("synched", FILES + 1)
    ]
    assert rows_of(tmp_path, "select count(*) from ingestions") == [(0,)]
    assert rows_of(tmp_path, "select count(*) from uploads") == [(0,)]
    assert rows_of(tmp_path, "select count(distinct name) from datasources") == [(FILES + 1,)]
    per_document = rows_of(
        tmp_path,
        "select count(*), count(distinct start), max(position) + 1 from passages group by document_id",
    )
    assert len(per_document) == FILES + 1
    assert all(len(set(numbers)) == 1 for numbers in per_document)
    assert max(per_document)[0] > 32
    done = subprocess.run(
        [*PROGRAM, "doctor", "--json"], env=environment(tmp_path), capture_output=True, timeout=120
    )
    (index,) = [each for each in json.loads(done.stdout) if each["about"] == "index"]
    assert index["says"].endswith("1 of 1 collections whole")


@pytest.mark.parametrize("killed_at", [0, 1, 33])
def test_a_killed_ingest_is_finished_by_the_next_with_no_passage_twice(tmp_path, corpus, killed_at):
    with ingesting(tmp_path, corpus) as process:
        if killed_at:
            begun = wait_until(lambda: passages(tmp_path) >= killed_at, process)
        else:
            begun = wait_until(
                lambda: len(rows_of(tmp_path, "select id from datasources")) >= FILES // 2, process
            )
        process.kill()
    assert begun
    assert process.returncode == -signal.SIGKILL

    summary = finish(tmp_path, corpus)

    assert summary["added"] + summary["replaced"] + summary["unchanged"] == FILES + 1
    check(tmp_path)


def test_two_that_ingest_at_once_share_the_work(tmp_path, corpus):
    first = corpus / "first"
    first.mkdir()
    for number in range(0, FILES, 2):
        file = corpus / f"short{number:02}.txt"
        file.rename(first / file.name)
    subprocess.run(
        [*PROGRAM, "create-datastore", "--type", "qdrant", "--name", "Bridges"],
        env=environment(tmp_path),
        capture_output=True,
        check=True,
    )

    with ingesting(tmp_path, first, "--json") as one, ingesting(tmp_path, f"{corpus}/*.txt", "--json") as two:
        summaries = [json.loads(process.communicate(timeout=300)[0]) for process in (one, two)]

    assert [each["added"] for each in summaries] == [FILES // 2, FILES // 2 + 1]
    assert [each["failed"] + each["waiting"] for each in summaries] == [[], []]
    check(tmp_path)


def test_an_interrupted_ingest_says_that_nothing_is_lost(tmp_path, corpus):
    with ingesting(tmp_path, corpus) as process:
        begun = wait_until(lambda: passages(tmp_path) >= 1, process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert begun
    assert process.returncode == 130
    assert b"Nothing is lost" in errors
    assert b"Traceback" not in errors

    finish(tmp_path, corpus)

    check(tmp_path)
