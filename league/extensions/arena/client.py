"""What authors do at home: sign in at an arena once, hand in by `league submit`, see the verdict and how the bot does.

Codes are kept in a file that only its owner can read, by the arena's address.
"""

from __future__ import annotations

import os
from contextlib import suppress
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from time import sleep
from typing import TypeVar
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen
from zipfile import ZIP_DEFLATED, ZipFile

import click
import msgspec

from league.cli.output import print_json, tell
from league.errors import ArenaError
from league.extensions.arena.records import Receipt
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
        self._url = url
        self._code = code

    @classmethod
    def to(cls, link: str) -> Connection:
        """The arena of a personal link, or at an address where somebody has signed in before."""
        address, code = split_link(link)
        code = code or _logins().get(address, "")
        if not code:
            raise ArenaError(f"There is no login for {address} yet. Run this first: league arena login LINK.")
        return cls(address, code)

    def status(self) -> AuthorState:
        """How its author's bot does."""
        return self._asked("/people/me", AuthorState)

    def hand_in(self, path: Path) -> Receipt:
        """Hand in a file or a folder; what is returned is stored."""
        name, body = packed(path)
        return self._asked(f"/people/me/versions?filename={quote(name)}", Receipt, body)

    def _asked(self, path: str, kind: type[T], body: bytes | None = None) -> T:
        headers = {"Authorization": f"Bearer {self._code}", "Content-Type": "application/octet-stream"}
        request = Request(self._url + path, body, headers)  # noqa: S310 - http or https, by `split_link`
        try:
            with urlopen(request, timeout=60) as answer:  # noqa: S310
                return msgspec.json.decode(answer.read(MOST_ANSWER), type=kind)
        except HTTPError as problem:
            with suppress(msgspec.DecodeError, LookupError, TypeError, OSError):
                raise ArenaError(str(msgspec.json.decode(problem.read(MOST_ANSWER))["problem"])) from None
            raise ArenaError(f"The arena has answered with an error ({problem.code}).") from None
        except (URLError, HTTPException, OSError, msgspec.DecodeError) as problem:
            reason = getattr(problem, "reason", problem)
            ended = "It may have arrived: hand it in again." if body is not None else "Try again later."
            raise ArenaError(f"{self._url} could not be asked: {safe(str(reason))}. {ended}") from None


def packed(path: Path, folder_mb: int = FOLDER_MB) -> tuple[str, bytes]:
    """The name and the bytes of what is handed in: a file as it is, a folder as a .zip."""
    if not os.path.isdir(path):
        return path.name, read_bytes(path, folder_mb << 20, ArenaError)
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for file in read_folder(path, folder_mb):
            archive.writestr(file.path, file.content)
    return f"{path.resolve().name}.zip", buffer.getvalue()


def _logins() -> dict[str, str]:
    """Codes by the addresses of arenas."""
    path = login_file()
    if not os.path.exists(path):
        return {}
    try:
        return msgspec.json.decode(read_bytes(path, 1 << 20, ArenaError), type=dict[str, str])
    except msgspec.DecodeError:
        hint = "Remove it, and sign in again: league arena login LINK."
        raise ArenaError(f"{shown_path(path)} is damaged. {hint}") from None


# Commands


@click.command("login", short_help="Sign in at an arena, for `submit --to URL`.")
@click.argument("link")
def login(link: str) -> None:
    """Sign in at an arena with your personal LINK, once. It is kept in a file that only you can read.

    \b
      league arena login 'https://arena.example.org/enter#CODE'
      league submit amy.py --to https://arena.example.org
    """
    url, code = split_link(link)
    if not code:
        hint = "A shell may have cut it off at the #: put the link into quotes."
        raise ArenaError(f"Expected a link with a code behind #, found none. {hint}")
    status, path = Connection(url, code).status(), login_file()
    make_folder(path.parent)
    with drafting(path) as draft:
        draft.touch(0o600)
        draft.write_bytes(msgspec.json.encode({**_logins(), url: code}))
    tell(f"You are {safe(status.alias)} at {url}. The link is kept in {shown_path(path)}.")


def tell_own_status(url: str, as_json: bool) -> None:
    """Print how one's bot does at an arena: deadline, queue, verdict, place."""
    state = Connection.to(url).status()
    if as_json:
        print_json(state)
    else:
        for line in str(state).splitlines():
            tell(safe(line))


def hand_in(ctx: click.Context, url: str, file: Path) -> None:
    """Hand a bot in at an arena, and wait for the verdict; exits with 1 if it has failed."""
    connection = Connection.to(url)
    receipt = connection.hand_in(file)
    tell(f"{file.name} is version {receipt.number} of {receipt.bot}, received at {receipt.received}.")
    tell(f"Receipt: SHA-256 {receipt.hash}, signature {receipt.signature}.")
    told = ""
    while True:
        status = connection.status()
        version = next((version for version in status.versions if version.number == receipt.number), None)
        if version is None:
            raise ArenaError(f"The arena does not list version {receipt.number} any more. Ask the lecturer.")
        if version.state != "waiting":
            break
        if (waiting := status.queue or "It is being checked …") != told:
            tell(waiting, err=True)
            told = waiting
        sleep(1.0)
    if version.state in ("late", "replaced"):
        tell(f"Version {receipt.number} is {version.state}.")
        return
    for line in version.verdict.splitlines():
        click.echo(safe(line))
    if version.state == "failed":
        tell("It has failed its check; the version before it plays on, if there is one.", err=True)
        ctx.exit(1)
    tell("It has passed, and plays from the next round on.")
