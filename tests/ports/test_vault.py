"""What every vault promises, and where the key of ours is kept."""

import base64
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.adapters.vault import AesVault, key_from, key_in
from vivavoce.errors import InvalidInput, StorageFailed

from .entities import KEY
from .processes import seen_by

VAULT = AesVault(KEY)


@given(st.binary(max_size=200), st.text(max_size=40))
def test_what_was_sealed_for_a_place_opens_there(plain, place):
    assert VAULT.unseal(VAULT.seal(plain, place), place) == plain


@given(st.binary(min_size=8, max_size=200))
def test_what_is_sealed_shows_nothing_of_itself(plain):
    first, second = VAULT.seal(plain, "here"), VAULT.seal(plain, "here")

    assert plain not in first
    assert first != second


@pytest.mark.parametrize("place", ["tools:t2:secrets", "agents:t1:secrets", "", "tools:t1:secrets "])
def test_what_was_sealed_for_one_place_does_not_open_in_another(place):
    with pytest.raises(StorageFailed):
        VAULT.unseal(VAULT.seal(b"secret", "tools:t1:secrets"), place)


def test_another_key_opens_nothing():
    with pytest.raises(StorageFailed, match="cannot be decrypted") as refusal:
        AesVault(bytes(32)).unseal(VAULT.seal(b"secret", "here"), "here")

    assert "key file" in refusal.value.hint


def test_a_change_of_any_byte_is_noticed():
    sealed = VAULT.seal(b"secret", "here")

    for place in range(len(sealed)):
        tampered = bytearray(sealed)
        tampered[place] ^= 1
        with pytest.raises(StorageFailed):
            VAULT.unseal(bytes(tampered), "here")


def test_a_piece_of_what_was_sealed_opens_nothing():
    sealed = VAULT.seal(b"secret", "here")

    for length in range(len(sealed)):
        with pytest.raises(StorageFailed):
            VAULT.unseal(sealed[:length], "here")


@given(st.text(), st.text())
def test_a_digest_tells_texts_apart_and_cannot_be_made_without_the_key(one, other):
    assert (VAULT.digest(one) == VAULT.digest(other)) == (one == other)
    assert VAULT.digest(one) == AesVault(KEY).digest(one) != AesVault(bytes(32)).digest(one)


def test_each_use_has_a_key_of_its_own():
    keys = {VAULT.derived(use) for use in ("secrets", "digest", "request-state")}

    assert len(keys) == 3
    assert KEY not in keys


# The key


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_master_key_has_32_bytes(length):
    with pytest.raises(InvalidInput, match="32 bytes"):
        AesVault(bytes(length))


def test_a_master_key_is_given_as_base64():
    assert key_from(base64.b64encode(KEY).decode() + "\n") == KEY
    with pytest.raises(InvalidInput, match="not base64"):
        key_from("é not base64")


def test_a_key_file_is_made_once_for_its_owner_alone(tmp_path):
    path = tmp_path / "folder" / "vivavoce.key"

    key = key_in(path)

    assert len(key) == 32
    assert key_in(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["vivavoce.key"]


def test_processes_that_start_at_once_share_one_key(tmp_path):
    seen = seen_by("keys_made_at_once", tmp_path / "vivavoce.key")

    assert len(seen) == 8
    assert set(seen) == {key_in(tmp_path / "vivavoce.key").hex()}
    assert [file.name for file in tmp_path.iterdir()] == ["vivavoce.key"]


@pytest.mark.parametrize("contents", [b"", b"short", b"\xff\xfe", b"AAAA"])
def test_a_damaged_key_file_is_refused_and_never_replaced(tmp_path, contents):
    path = tmp_path / "vivavoce.key"
    path.write_bytes(contents)

    with pytest.raises((InvalidInput, StorageFailed)):
        AesVault(key_in(path))

    assert path.read_bytes() == contents


def test_a_key_file_that_must_be_there_is_never_made_anew(tmp_path):
    with pytest.raises(StorageFailed, match="missing") as refusal:
        key_in(tmp_path / "vivavoce.key", may_make=False)

    assert "Put the file back" in refusal.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_key_file_that_cannot_be_is_a_storage_failure(tmp_path):
    (tmp_path / "file").write_bytes(b"x")

    for path in (tmp_path, tmp_path / "file" / "vivavoce.key"):
        with pytest.raises(StorageFailed, match="key file"):
            key_in(path)
