"""The reader: a process for each file, which a hostile file can end without harm to anyone else."""

import asyncio
import os
import random
import select
import signal
import subprocess
import sys
import tracemalloc
import zipfile
from contextlib import aclosing
from pathlib import Path

import pytest

from vivavoce.adapters.documents.frames import END, framed, part_frame, part_in
from vivavoce.adapters.documents.reading import ChildReader, Limits, _parts_from
from vivavoce.domain.corpus.documents import KINDS, Heading, Part
from vivavoce.errors import InvalidInput, LimitReached, StorageFailed, Unreadable

from .documents_made import SHEETS, docx, epub, paragraph, row, xlsx, zipped
from .pdfs_made import bomb, book, looping_table
from .test_documents_text import SOUND, read

MEGABYTE = 1024 * 1024


@pytest.fixture
def made(tmp_path):
    """Puts bytes into a file."""

    def made(content: bytes | str) -> Path:
        file = tmp_path / "file"
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return made


async def parts_of(file: Path, kind: str, **limits: float) -> list[Part]:
    return [part async for part in ChildReader(Limits(**limits)).read(file, kind)]


async def refusal_of(file: Path, kind: str, **limits: float) -> str:
    with pytest.raises(Unreadable) as refusal:
        await parts_of(file, kind, **limits)
    return str(refusal.value)


def children() -> set[str]:
    """The processes that this one has started and that are still there."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split())


@pytest.mark.parametrize("kind", KINDS)
async def test_a_process_reads_what_the_parser_reads(made, kind):
    assert await parts_of(made(SOUND[kind]), kind) == read(kind, SOUND[kind])


async def test_the_encoding_of_a_page_can_be_found_inside_the_limits(made):
    page = '<meta charset="euc-kr"><p>한국어</p>'.encode("euc-kr")

    assert await parts_of(made(page), "html") == [Part("한국어\n")]


async def test_a_refusal_comes_with_its_reason_and_the_next_step(made):
    assert await refusal_of(made(b"a\0b"), "txt") == (
        "The file is not text. Give it the name ending that fits its content."
    )


async def test_a_file_that_is_not_there_is_a_matter_of_the_disk(tmp_path):
    with pytest.raises(StorageFailed, match="cannot be opened"):
        await parts_of(tmp_path / "none", "txt")


async def test_a_kind_that_nobody_reads_is_refused_before_a_process_starts(made):
    with pytest.raises(InvalidInput, match="'exe'"):
        await parts_of(made("x"), "exe")


async def test_a_machine_without_room_for_a_process_says_so(made, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    with pytest.raises(LimitReached, match="No process can be started"):
        await parts_of(made("x"), "txt")


async def test_no_process_is_left_behind(made):
    file = made("A line.\n" * 100_000)
    before = children()

    async with aclosing(ChildReader().read(file, "txt")) as parts:
        assert (await anext(parts)).text.startswith("A line.")
        assert len(children() - before) == 1

    assert children() == before


async def test_cancelling_ends_the_process(made):
    before = children()
    started = asyncio.Event()

    async def endless() -> None:
        async with aclosing(ChildReader().read(made("A line.\n" * 1_000_000), "txt")) as parts:
            async for _ in parts:
                started.set()
                await asyncio.Event().wait()

    task = asyncio.create_task(endless())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert children() == before


async def test_a_process_waits_for_the_one_who_takes_its_parts(made):
    """However large the file, only what fits into the pipe and one buffer is read ahead."""
    file = made("A line of text.\n" * 1_000_000)
    before = children()

    async with aclosing(ChildReader().read(file, "txt")) as parts:
        await anext(parts)
        (child,) = children() - before
        for _ in range(50):
            await anext(parts)
        position = int(_field(f"/proc/{child}/fdinfo/0", "pos:"))

    # The file was read once to tell its encoding; this is the second time.
    assert position < file.stat().st_size / 2


async def test_many_pages_cost_the_asking_process_nothing(made):
    file = made("".join(f"Page {number} {'of a long book ' * 150}\f" for number in range(1, 5_001)))
    count = 0
    tracemalloc.start()
    try:
        async for part in ChildReader().read(file, "txt"):
            count = part.page
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 5_000
    assert most < file.stat().st_size / 4


def test_the_process_ends_with_the_one_that_asked(made):
    """Killed without a chance to say goodbye, the asking process takes the reading one with it."""
    program = (
        "import asyncio, sys, pathlib\n"
        "from vivavoce.adapters.documents.reading import ChildReader\n"
        "async def main():\n"
        "    async for part in ChildReader().read(pathlib.Path(sys.argv[1]), 'txt'):\n"
        "        print(open('/proc/self/task/%d/children' % __import__('os').getpid()).read(), flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", program, str(made("A line.\n" * 1_000_000))]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        watched = os.pidfd_open(int(asking.stdout.readline()))
        asking.kill()
        ended, _, _ = select.select([watched], [], [], 30)
        os.close(watched)

    assert ended == [watched]


LIMIT_OF_TIME = "The file takes too long to read."
UNPACKS = "unpacks to far more"


async def test_a_file_that_takes_too_much_processor_time_is_refused(made):
    assert LIMIT_OF_TIME in await refusal_of(made(book(3_000)), "pdf", processor_seconds=1)


async def test_a_file_that_takes_too_long_is_refused(made):
    assert LIMIT_OF_TIME in await refusal_of(made(book(2_000)), "pdf", seconds=0.5)


async def test_the_time_that_the_taker_needs_does_not_count(made):
    count = 0
    loop = asyncio.get_running_loop()
    async for _ in ChildReader(Limits(seconds=2)).read(made("A line.\n" * 10_000), "txt"):
        later = asyncio.Event()
        loop.call_later(0.8, later.set)
        await later.wait()
        count += 1

    assert count == 3


async def test_a_file_that_needs_too_much_memory_is_refused(made):
    lists = "[[" + "[1]," * 1_000_000 + "[1]]]"

    assert "too much memory" in await refusal_of(made(lists), "json", memory=64 * MEGABYTE)


async def test_too_much_text_is_refused(made):
    assert "more than 1,000 characters" in await refusal_of(made("x" * 1001), "txt", characters=1000)


LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + f']><sst xmlns="{SHEETS}"><si><t>&j;</t></si></sst>'
)
BLANKS = b" " * (20 * MEGABYTE)


def document_of(body: bytes) -> bytes:
    """A Word document whose body is not even looked at when it is packed."""
    return docx("", **{"word/document.xml": body})


def nested(depth: int) -> bytes:
    inner = zipped({"zeros": bytes(10 * MEGABYTE)})
    for _ in range(depth):
        inner = zipped({f"{number}.zip": inner for number in range(10)})
    return docx(paragraph("outside"), **{"word/embeddings/bomb.zip": inner})


def spread() -> bytes:
    """A book of some chapters, each of them bearable, together far too much."""
    noise = random.Random(1).randbytes(8_000).hex() * (10 * MEGABYTE // 16_000)
    return epub({f"{number}.xhtml": f"<!-- {noise} --><p>x" for number in range(21)})


def cells(number: int) -> str:
    """Rows of many cells that do not pack too well."""
    chance = random.Random(1)
    return "".join(
        f"<row>{chance.randbytes(100).hex()}{'<c><v>1</v></c>' * 100}</row>" for _ in range(number // 100)
    )


HOSTILE = {
    "flat zip bomb": ("docx", lambda: document_of(BLANKS), UNPACKS),
    "spread zip bomb": ("epub", spread, UNPACKS),
    "too many entries": ("docx", lambda: docx("", **{f"word/{n}": "" for n in range(2_001)}), "packed files"),
    "billion laughs": ("xlsx", lambda: xlsx({"S": row("x")}, strings=LAUGHS), "entities"),
    "wide billion laughs": (
        "xlsx", lambda: zipped({"xl/workbook.xml": LAUGHS.encode("utf-16")}), "entities",
    ),
    "entity from outside": (
        "docx",
        lambda: document_of(b'<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><x>&y;</x>'),
        "entities",
    ),
    "many cells": ("xlsx", lambda: xlsx({"S": cells(1_000_100)}), "1,000,000 cells"),
    "pdf bomb": ("pdf", bomb, "needs too much memory"),
    "deep json": ("json", lambda: b"[" * 5_000_000, "nested too deeply"),
    "strange packing": (
        "docx", lambda: zipped({"word/document.xml": b"x" * 1000}, zipfile.ZIP_LZMA), "damaged",
    ),
    "endless quotation": ("csv", lambda: b'a,b\n"' + b"x" * 5_000_000, "line 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_file_is_refused_and_nobody_else_notices(made, name):
    kind, make, reason = HOSTILE[name]
    file = made(make())
    loop = asyncio.get_running_loop()
    begun = loop.time()

    refusal = await refusal_of(file, kind)

    assert reason in refusal
    assert loop.time() - begun < 30


@pytest.mark.parametrize(
    ("kind", "content", "said"),
    [
        ("docx", nested(3), "outside"),
        ("pdf", looping_table(), "A page."),
        ("html", b"<div>" * 50_000 + b"deep", "deep"),
        ("html", b"<p>text</p>" + b"<!-- " * 200_000, "text"),
    ],
    ids=["nested zip", "looping table", "deep page", "open comments"],
)
async def test_a_strange_file_is_read_for_what_it_says(made, kind, content, said):
    assert said in "".join([part.text for part in await parts_of(made(content), kind)])


async def test_names_that_climb_leave_no_trace(made, tmp_path):
    climbing = dict.fromkeys(("../../climbed", "/tmp/climbed", "..\\climbed", "word/../../climbed"), "bad")
    file = made(docx(paragraph("text"), **climbing))
    before = sorted(tmp_path.parent.rglob("*"))

    assert await parts_of(file, "docx") == [Part("text\n")]
    assert sorted(tmp_path.parent.rglob("*")) == before
    assert not Path("/tmp/climbed").exists()


CONFINED = """
import os, socket, subprocess, sys
from vivavoce.adapters.documents.confining import confine
confine(1 << 30, 10)
tries = {
    "connects": lambda: socket.socket(),
    "starts": lambda: subprocess.Popen(["true"]),
    "forks": lambda: os.fork(),
    "writes": lambda: open(sys.argv[1], "w"),
    "writes below": lambda: os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT),
    "removes": lambda: os.remove(sys.argv[0]),
    "opens many": lambda: [os.open("/dev/null", os.O_RDONLY) for _ in range(3)],
    "takes memory": lambda: bytearray(2 << 30),
}
for name, attempt in tries.items():
    try:
        attempt()
    except (OSError, MemoryError):
        continue
    print(name)
print(os.nice(0), os.environ.get("SECRET"))
"""


def test_the_process_may_not_connect_start_or_write(tmp_path):
    command = [sys.executable, "-I", "-c", CONFINED, str(tmp_path / "written")]

    done = subprocess.run(command, capture_output=True, text=True, check=True, env={}, timeout=60)

    assert done.stdout.split() == ["10", "None"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (b"", "damaged"),
        (b"\0\0", "damaged"),
        (b"\xff\xff\xff\xff", "damaged"),
        (framed(b"nonsense"), "damaged"),
        (framed(b'["text"]'), "damaged"),
        (framed(b'["\\u0000", null, null, []]'), "damaged"),
        (framed(b'["\\ud800", null, null, []]'), "damaged"),
        (framed(b'["x", 0, null, []]'), "damaged"),
        (framed(b'["x", 1, 7, []]'), "damaged"),
        (framed(b'["x", 1, null, [[-1, 1, "y"]]]'), "damaged"),
        (framed(b"[" * 100_000), "damaged"),
        (part_frame(Part("x")), "damaged"),
    ],
)
async def test_nonsense_from_the_process_is_never_believed(said, reason):
    program = f"import os; os.write(1, {said!r})"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", program, stdout=subprocess.PIPE
    )

    with pytest.raises(Unreadable, match=reason):
        async for _ in _parts_from(process, 60):
            pass
    await process.wait()


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (signal.SIGXCPU, "too long"),
        (signal.SIGKILL, "too much memory"),
        (signal.SIGSEGV, "damaged, or needs too much"),
    ],
)
async def test_the_end_of_a_process_tells_why(number, reason):
    program = f"import os; os.kill(os.getpid(), {int(number)})"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", program, stdout=subprocess.PIPE
    )

    with pytest.raises(Unreadable, match=reason):
        async for _ in _parts_from(process, 60):
            pass


def test_a_part_comes_through_as_it_is():
    part = Part('Größe\n\t"x" \\ 👩\u200d🚀\u2028', 7, "vii", (Heading(0, 1, "Größe"),))

    assert part_in(part_frame(part)[4:]) == part
    assert framed(END)[4:] == b"null"


def _field(path: str, name: str) -> str:
    lines = Path(path).read_text(encoding="ascii").splitlines()
    return next(line.split()[1] for line in lines if line.startswith(name))
