"""The vault: secrets under AES-256-GCM, bound to their place, with a key that is kept in a file."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import InvalidInput, StorageFailed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = b"1"
_HOW = (
    "It must be base64 of 32 bytes. Make one with: python3 -c "
    "'import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())'"
)
_NONCE = 12


class AesVault:
    """Encrypts with one master key; every use has a key of its own derived from it."""

    def __init__(self, master: bytes) -> None:
        if len(master) != 32:
            raise InvalidInput("The master key must have 32 bytes.", hint=_HOW)
        self._master = master

    def seal(self, plain: bytes, place: str) -> bytes:
        """Encrypted, and bound to the place where it is kept."""
        nonce = os.urandom(_NONCE)
        return _VERSION + nonce + self._cipher.encrypt(nonce, plain, place.encode())

    def unseal(self, sealed: bytes, place: str) -> bytes:
        """What was sealed for this place; StorageFailed when it was sealed elsewhere or with another key."""
        from cryptography.exceptions import InvalidTag

        version, nonce, body = sealed[:1], sealed[1 : 1 + _NONCE], sealed[1 + _NONCE :]
        try:
            if version != _VERSION:
                raise ValueError("sealed in a form that this program does not know")
            return self._cipher.decrypt(nonce, body, place.encode())
        except (InvalidTag, ValueError) as error:
            raise StorageFailed(
                "A stored secret cannot be decrypted.",
                hint="The key file does not belong to this database: put the right one back.",
            ) from error

    def digest(self, text: str) -> str:
        """A fingerprint that cannot be computed without the master key."""
        return hmac.new(self.derived("digest"), text.encode(), hashlib.sha256).hexdigest()

    def derived(self, use: str) -> bytes:
        """A key for one use, from which the master key cannot be found."""
        return hmac.new(self._master, f"vivavoce:{use}".encode(), hashlib.sha256).digest()

    @cached_property
    def _cipher(self) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # loaded when a secret is met

        return AESGCM(self.derived("secrets"))


def key_from(text: str) -> bytes:
    """A master key that was given as text: base64 of 32 bytes."""
    try:
        return base64.b64decode(text.strip(), validate=True)
    except ValueError as error:
        raise InvalidInput("The master key is not base64.", hint=_HOW) from error


def key_in(path: Path, *, may_make: bool = True) -> bytes:
    """The master key of a file that only its owner can read; made when there is none and it may be."""
    try:
        if not path.exists():
            if not may_make:
                raise StorageFailed(
                    f"The key file {path} is missing, and the database needs it.",
                    hint="Put the file back; if it is lost for good, run vivavoce forget-secrets.",
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            _made(path)
        return key_from(path.read_text(encoding="ascii"))
    except (OSError, UnicodeDecodeError) as error:
        raise StorageFailed(f"The key file {path} cannot be used: {error}.") from error


def _made(path: Path) -> None:
    """Create the file whole or not at all, also when two processes start at once."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(32)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass  # another process was first; its key counts
    finally:
        draft.unlink()
