"""Archives that are none, were cut off or were made to do harm: a plain error, and nothing is changed."""

from __future__ import annotations

import json
import zipfile

import pytest

from tests.upkeep.houses import furnish, remade
from vivavoce.errors import InvalidInput, NotAvailable, Unreadable
from vivavoce.upkeep.archives import checking, load, parts, save


@pytest.fixture
async def archive(engine, tmp_path):
    await engine.ports.store.write(furnish)
    await save(engine.ports, tmp_path / "house.zip")
    return tmp_path / "house.zip"


async def number_of_things(engine) -> int:
    names = [part.name for part in parts() if part.name not in ("usage", "avatar_usage", "calibrations")]
    return await engine.ports.store.read(lambda tables: sum(getattr(tables, name).count() for name in names))


async def refused(engine, path, error=Unreadable):
    """The words of the error; nothing was written."""
    with pytest.raises(error) as raised:
        await load(engine.ports, path)
    assert await number_of_things(engine) == 0
    return str(raised.value)


def changed(path, change):
    """The archive with its bytes changed."""
    path.write_bytes(change(path.read_bytes()))
    return path


async def test_a_file_that_is_no_archive_is_refused(empty, tmp_path):
    for number, junk in enumerate((b"", b"hello", b"PK\x03\x04" + bytes(100), bytes(range(256)) * 64)):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(junk)
        assert "is no archive" in await refused(empty, path)


async def test_a_file_that_is_not_there_is_said(empty, tmp_path):
    assert "There is no file" in await refused(empty, tmp_path / "none.zip", InvalidInput)


async def test_another_kind_of_zip_is_refused(empty, tmp_path):
    path = tmp_path / "holiday.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("beach.txt", "sand")

    assert "no manifest" in await refused(empty, path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
async def test_an_archive_that_is_cut_off_is_refused(archive, empty, share):
    path = changed(archive, lambda content: content[: int(len(content) * share)])

    assert "cut off" in await refused(empty, path)


async def test_each_changed_byte_in_a_part_is_seen(archive, empty):
    with zipfile.ZipFile(archive) as file:
        entries = [entry for entry in file.infolist() if entry.compress_size > 20]
    whole = archive.read_bytes()
    for entry in entries:
        place = entry.header_offset + 30 + len(entry.filename) + entry.compress_size // 2
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert await refused(empty, archive)


async def test_other_contents_than_the_manifest_says_are_refused(archive, empty):
    with zipfile.ZipFile(archive) as file:
        kept = {name: file.read(name) for name in file.namelist()}
    kept["agents.jsonl"] = kept["agents.jsonl"].replace(b"Ana", b"Eve")
    with zipfile.ZipFile(archive, "w") as file:
        for name, body in kept.items():
            file.writestr(name, body)

    assert "agents.jsonl is not what the manifest says" in await refused(empty, archive)


async def test_a_newer_format_is_refused_plainly(archive, empty):
    remade(archive, {}, format=2, version="9.9.9")

    said = await refused(empty, archive, NotAvailable)

    assert "format 2" in said
    assert "9.9.9" in said


async def test_a_part_that_this_program_does_not_know_is_refused_plainly(archive, empty):
    remade(archive, {"spells.jsonl": b"{}\n"})

    assert "'spells', which this program does not know" in await refused(empty, archive, NotAvailable)


async def test_an_archive_without_some_parts_is_read(archive, empty):
    remade(archive, {})
    with zipfile.ZipFile(archive) as file:
        kept = {name: file.read(name) for name in file.namelist() if name != "access.jsonl"}
    manifest = json.loads(kept.pop("manifest.json"))
    del manifest["parts"]["access"]
    with zipfile.ZipFile(archive, "w") as file:
        for name, body in {**kept, "manifest.json": json.dumps(manifest)}.items():
            file.writestr(name, body)

    report = await load(empty.ports, archive)

    assert report.number("failed") == 0
    assert "access" not in report.counts


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "agents.jsonl/../x", "readme.txt"])
async def test_files_that_the_manifest_does_not_name_are_refused(archive, empty, name):
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(name, "x")

    assert "and no others" in await refused(empty, archive)


@pytest.mark.filterwarnings("ignore:Duplicate name")
async def test_a_file_that_stands_there_twice_is_refused(archive, empty):
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr("agents.jsonl", "{}\n")

    assert "and no others" in await refused(empty, archive)


@pytest.mark.parametrize("manifest", [{"program": "other"}, {"parts": 7}, {"format": "1"}, {"format": 0}])
async def test_a_manifest_that_is_none_is_refused(archive, empty, manifest):
    remade(archive, {}, **manifest)

    assert "manifest.json" in await refused(empty, archive)


async def test_a_bomb_is_refused_before_it_is_unpacked(archive, empty, monkeypatch):
    monkeypatch.setattr(checking, "_MUCH", 2**20)
    remade(archive, {"tags.jsonl": b" " * 2**24})

    assert "far more than such a file holds" in await refused(empty, archive)


async def test_a_line_without_end_is_refused(archive, empty, monkeypatch):
    monkeypatch.setattr(checking, "_LONGEST_LINE", 2**16)
    remade(archive, {"tags.jsonl": b'{"name": "' + b"a" * 2**17 + b'"}\n'})

    assert "longer than any" in await refused(empty, archive)


TAG = {"id": "t", "organization_id": "o", "created_at": "2026-01-01T00:00:00Z", "name": "t"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "line 1"),
        (b"[]", "no JSON object"),
        (b"\xff\xfe", "line 1"),
        (b'{"name": NaN}', "NaN is no number"),
        (b"[" * 100_000, "line 1"),
        (b'{"name": "x"}', "createdAt"),
        (json.dumps(TAG | {"updated_at": "yesterday"}).encode(), "updated_at"),
        (json.dumps(TAG | {"updated_at": TAG["created_at"], "name": "a" * 99}).encode(), "name"),
    ],
)
async def test_a_wrong_line_is_named(archive, empty, line, said):
    remade(archive, {"tags.jsonl": line + b"\n"})

    assert said in await refused(empty, archive)


@pytest.mark.parametrize(
    "lines",
    [
        [{"text": "a"}],
        [{"end": "mill"}],
        [{"datasource": {}}],
        [{"unknown": 1}],
    ],
)
async def test_lines_of_the_library_that_are_out_of_place_are_named(archive, empty, lines):
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    remade(archive, {"datasources.jsonl": body})

    with pytest.raises(Unreadable, match=r"datasources.jsonl, line 1"):
        await load(empty.ports, archive)


async def test_a_text_that_is_not_whole_is_refused(archive, empty):
    with zipfile.ZipFile(archive) as file:
        lines = file.read("datasources.jsonl").splitlines(keepends=True)
    remade(archive, {"datasources.jsonl": b"".join(line for line in lines if b"rye" not in line)})

    with pytest.raises(Unreadable, match="is not whole"):
        await load(empty.ports, archive)


async def test_what_a_database_cannot_keep_is_replaced(archive, empty):
    tag = TAG | {"updated_at": TAG["created_at"], "color": "a\0\ud800b"}
    remade(archive, {"tags.jsonl": json.dumps(tag).encode() + b"\n"})

    await load(empty.ports, archive)

    found = await empty.ports.store.read(lambda tables: tables.tags.find("t"))
    assert found.color.startswith("a\ufffd")
    assert found.color.endswith("b")


async def test_a_number_that_is_too_large_is_a_plain_error(archive, empty):
    with zipfile.ZipFile(archive) as file:
        body = file.read("messages.jsonl").replace(b'"position":1', b'"position":1' + b"0" * 30)
    remade(archive, {"messages.jsonl": body})

    with pytest.raises(Unreadable, match="number that cannot be kept"):
        await load(empty.ports, archive)


@pytest.mark.parametrize(
    ("part", "field", "number"),
    [
        ("tools", "position", 2**63),
        ("turns", "fence", -(10**30)),
        ("usage", "prompt_tokens", 10**30),
        ("messages", "position", str(10**30)),
    ],
)
async def test_no_field_holds_a_number_that_a_column_cannot(archive, empty, part, field, number):
    with zipfile.ZipFile(archive) as file:
        first, *rest = file.read(f"{part}.jsonl").splitlines(keepends=True)
    line = json.dumps({**json.loads(first), field: number}).encode() + b"\n"
    remade(archive, {f"{part}.jsonl": line + b"".join(rest)})

    with pytest.raises(Unreadable, match=rf"{part}.jsonl, line 1: it holds a number that cannot be kept"):
        await load(empty.ports, archive)


async def test_a_number_without_end_is_refused(archive, empty):
    remade(archive, {"tags.jsonl": b'{"name": 1e999}\n'})

    assert "number that cannot be kept" in await refused(empty, archive)


async def test_a_version_that_stands_there_twice_is_refused(archive, empty):
    with zipfile.ZipFile(archive) as file:
        body = file.read("datasources.jsonl").replace(b'"mill-2"', b'"mill-1"')
    remade(archive, {"datasources.jsonl": body})

    with pytest.raises(Unreadable, match="'mill-1' stands there twice"):
        await load(empty.ports, archive)


async def test_a_file_that_may_not_be_read_is_said(archive, empty, monkeypatch):
    def denied(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(zipfile, "ZipFile", denied)

    assert "You may not read" in await refused(empty, archive, InvalidInput)


async def test_a_wrong_line_further_on_leaves_whole_things_only(archive, empty):
    with zipfile.ZipFile(archive) as file:
        body = file.read("messages.jsonl")
    remade(archive, {"messages.jsonl": body + b"{\n"})

    with pytest.raises(Unreadable, match=r"messages.jsonl, line 3"):
        await load(empty.ports, archive)

    here = await empty.ports.store.read(
        lambda tables: (tables.conversations.count(), tables.messages.count())
    )
    assert here == (2, 0)
