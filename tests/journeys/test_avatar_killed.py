"""A corpus whose processing is ended in the middle: the next run finishes it, and nothing is there twice."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
from contextlib import closing

import pytest
from processes import PROGRAM, environment, wait_until

SHORT = 6
SENTENCE = "In the year {year} the canal number {number} was cleaned by the farmers of the valley. "


@pytest.fixture
def folder(tmp_path):
    """An avatar with a long text of some fifty passages, and short ones."""
    subprocess.run(
        [*PROGRAM, "avatar", "create", "ostrom"],
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    corpus = tmp_path / "avatars" / "ostrom" / "corpus"
    long = "\n\n".join(
        "".join(SENTENCE.format(year=1000 + paragraph, number=10 * paragraph + line) for line in range(12))
        for paragraph in range(75)
    )
    texts = {"long": long} | {
        f"short{place}": SENTENCE.format(year=place, number=place) for place in range(SHORT)
    }
    for id, text in texts.items():
        (corpus / "open-access" / f"{id}.txt").write_text(text, encoding="utf-8")
    entries = [{"id": id, "title": f"The book of {id}"} for id in texts]
    (corpus / "sources.json").write_text(json.dumps({"sources": entries}), encoding="utf-8")
    return tmp_path


def processing(folder, *options):
    return subprocess.Popen(
        [*PROGRAM, "avatar", "process", "--avatar", "ostrom", "--json", *options],
        env=environment(folder),
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def asked(folder, sql):
    with closing(sqlite3.connect(folder / "workspace.db")) as database:
        return database.execute(sql).fetchall()


def passages(folder):
    return asked(folder, "select count(*) from passages")[0][0]


def datasources(folder):
    return asked(folder, "select count(*) from datasources")[0][0]


def finish(folder):
    """Run it again, to the end; its summary. What the killed one held is free at once."""
    with closing(sqlite3.connect(folder / "workspace.db")) as database:
        database.execute("update ingestions set lease_until = '2000-01-01T00:00:00.000000Z'")
        database.commit()
    process = processing(folder)
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return json.loads(output)


def check(folder):
    """Every document is indexed, and each passage of each is there once."""
    assert asked(folder, "select status, count(*) from datasources group by 1") == [("synched", SHORT + 1)]
    assert asked(folder, "select count(*) from ingestions") == [(0,)]
    assert asked(folder, "select count(*) from uploads") == [(0,)]
    per_document = asked(
        folder, "select count(*), count(distinct start), max(position) + 1 from passages group by document_id"
    )
    assert len(per_document) == SHORT + 1
    assert all(len(set(numbers)) == 1 for numbers in per_document)
    assert max(per_document)[0] > 32
    verified = subprocess.run(
        [*PROGRAM, "avatar", "verify", "--avatar", "ostrom", "--json"],
        env=environment(folder),
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    assert verified.returncode == 0, verified.stderr
    found = json.loads(verified.stdout)["sources"]
    assert {each["version"] for each in found} == {1}
    assert sum(each["passages"] for each in found) == passages(folder)


@pytest.mark.parametrize("killed_at", ["storing", "first passage", "second batch"])
def test_a_killed_process_is_finished_by_the_next_with_no_passage_twice(folder, killed_at):
    reached = {
        "storing": lambda: datasources(folder) >= 2,
        "first passage": lambda: passages(folder) >= 1,
        "second batch": lambda: passages(folder) >= 33,
    }[killed_at]
    with processing(folder) as process:
        begun = wait_until(reached, process)
        process.kill()
    assert begun
    assert process.returncode == -signal.SIGKILL

    summary = finish(folder)

    assert summary["processed"] + summary["skipped"] == SHORT + 1
    check(folder)


def test_a_force_that_is_killed_is_finished_by_the_next(folder):
    finish(folder)
    whole = passages(folder)
    with processing(folder, "--force") as process:
        begun = wait_until(lambda: passages(folder) < whole, process)
        process.kill()
    assert begun
    assert process.returncode == -signal.SIGKILL

    finish(folder)

    check(folder)
    assert passages(folder) == whole


def test_two_that_process_at_once_do_no_harm(folder):
    with processing(folder) as one, processing(folder) as two:
        ended = [process.communicate(timeout=300) for process in (one, two)]

    summaries = [json.loads(output) for output, _ in ended]
    assert [each["failed"] + each["waiting"] for each in summaries] == [0, 0]
    check(folder)
