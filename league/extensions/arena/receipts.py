"""Personal codes, sessions of browsers, and receipts that can be checked.

Of codes and sessions, only hashes are kept. Both are random numbers of 128 bits, so a plain hash is enough: nobody can
try them all.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_urlsafe

import msgspec

from league.errors import ArenaError

SESSION_DAYS = 120
"""A browser stays signed in for a semester."""


def new_code() -> str:
    """A code for a personal link, or for the cookie of a session."""
    return token_urlsafe(16)


def code_hash(code: str) -> bytes:
    """What is kept of a code."""
    return sha256(code.encode()).digest()


def link(base: str, code: str) -> str:
    """A personal link. The code is in the fragment, which no server, log or preview gets."""
    return f"{base.rstrip('/')}/enter#{code}"


def utc(seconds: float) -> str:
    """A moment as text that sorts and that any program reads."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Receipt(msgspec.Struct, frozen=True):
    """What somebody gets for a hand-in, after it was stored."""

    arena: str
    bot: str
    number: int
    """Of the version."""
    filename: str
    size: int
    hash: str
    """SHA-256 of the body."""
    received: str
    """In UTC, by the server's clock."""
    signature: str = ""

    @classmethod
    def read(cls, text: str | bytes) -> Receipt:
        """A receipt from the text of its file; raises `ArenaError` if it is none."""
        try:
            return msgspec.json.decode(text, type=cls)
        except (msgspec.DecodeError, UnicodeDecodeError):
            hint = "Your page has one behind “Receipt” for each version."
            raise ArenaError(f"Expected the whole text of a receipt, which is JSON. {hint}") from None

    def signed(self, key: bytes) -> Receipt:
        """With the arena's signature."""
        return msgspec.structs.replace(self, signature=self._signature(key))

    def is_genuine(self, key: bytes) -> bool:
        """Whether this arena has issued it, and nobody has changed it."""
        return hmac.compare_digest(self.signature.encode(), self._signature(key).encode())

    def _signature(self, key: bytes) -> str:
        unsigned = msgspec.json.encode(msgspec.structs.replace(self, signature=""))
        return hmac.new(key, unsigned, sha256).hexdigest()
