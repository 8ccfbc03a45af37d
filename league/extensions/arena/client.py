"""Asks an arena over the web, for authors at home: sign in once, hand in, see the verdict.

Codes are kept in a file that only its owner can read, by the arena's address.
"""

from __future__ import annotations

import os
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from typing import TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen
from zipfile import ZIP_DEFLATED, ZipFile

import msgspec

from league.errors import ArenaError
from league.extensions.arena.receipts import Receipt
from league.extensions.arena.status import AuthorState
from league.setup.bot_folder import read_folder
from league.tools.files import drafting, make_folder, read_bytes
from league.tools.text import safe, shown_path
from league.values.settings import FOLDER_MB

MOST_ANSWER = 16 << 20

T = TypeVar("T")


def login_file() -> Path:
    """Where codes are kept: `$LEAGUE_LOGINS`, or a file in the user's config folder."""
    if own := os.environ.get("LEAGUE_LOGINS"):
        return Path(own)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "league" / "logins.json"


def split_link(link: str) -> tuple[str, str]:
    """Address and code of a personal link; raises `ArenaError` if it is none."""
    parts = urlsplit(link)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ArenaError(f"Expected a personal link, as in https://arena.example.org/enter#CODE, found {safe(link)!r}.")
    path = parts.path.rstrip("/").removesuffix("/enter")
    return f"{parts.scheme}://{parts.netloc}{path}", parts.fragment


class Connection:
    """An arena, as somebody with a code reaches it."""

    def __init__(self, url: str, code: str) -> None:
        self.url = url
        self._code = code

    @classmethod
    def to(cls, url: str) -> Connection:
        """The arena at an address where somebody has signed in before."""
        address, code = split_link(url)
        code = code or _logins().get(address, "")
        if not code:
            raise ArenaError(f"There is no login for {address} yet. Run this first: league arena login LINK.")
        return cls(address, code)

    def remember(self) -> Path:
        """Keep the code for the next time; returns where."""
        path = login_file()
        make_folder(path.parent)
        logins = {**_logins(), self.url: self._code}
        with drafting(path) as draft:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(descriptor, "wb") as file:
                file.write(msgspec.json.encode(logins))
        return path

    def status(self) -> AuthorState:
        """How its author's bot does."""
        return self._asked("/people/me", AuthorState)

    def hand_in(self, path: Path) -> Receipt:
        """Hand in a file or a folder; what is returned is stored."""
        name, body = packed(path)
        return self._asked(f"/people/me/versions?filename={quote(name)}", Receipt, body)

    def _asked(self, path: str, kind: type[T], body: bytes | None = None) -> T:
        headers = {"Authorization": f"Bearer {self._code}", "Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/octet-stream"
        request = Request(self.url + path, body, headers)  # noqa: S310 - http or https, by `split_link`
        try:
            with urlopen(request, timeout=60) as answer:  # noqa: S310
                return msgspec.json.decode(answer.read(MOST_ANSWER), type=kind)
        except HTTPError as problem:
            raise ArenaError(_reason(problem)) from None
        except (URLError, HTTPException, OSError, msgspec.DecodeError) as problem:
            reason = getattr(problem, "reason", problem)
            ended = "It may have arrived: hand it in again." if body is not None else "Try again later."
            raise ArenaError(f"{self.url} could not be asked: {safe(str(reason))}. {ended}") from None


def packed(path: Path, folder_mb: int = FOLDER_MB) -> tuple[str, bytes]:
    """The name and the bytes of what is handed in: a file as it is, a folder as a .zip."""
    if not os.path.isdir(path):
        return path.name, read_bytes(path, folder_mb << 20, ArenaError)
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for file in read_folder(path, folder_mb):
            archive.writestr(file.path, file.content)
    return f"{path.resolve().name}.zip", buffer.getvalue()


def _reason(problem: HTTPError) -> str:
    try:
        return str(msgspec.json.decode(problem.read(MOST_ANSWER))["problem"])
    except (msgspec.DecodeError, KeyError, TypeError, OSError):
        return f"The arena has answered with an error ({problem.code}). Nothing was handed in."


def _logins() -> dict[str, str]:
    path = login_file()
    if not os.path.exists(path):
        return {}
    try:
        return msgspec.json.decode(read_bytes(path, 1 << 20, ArenaError), type=dict[str, str])
    except msgspec.DecodeError:
        raise ArenaError(
            f"{shown_path(path)} is damaged. Remove it, and sign in again: league arena login LINK."
        ) from None
