"""The rules that are kept with a league whose games are files of a user's own."""

from __future__ import annotations

from pathlib import Path

from league import games
from league.errors import LeagueError, StoreError
from league.games import files
from league.games.contract import GameFile
from league.results.store import Store
from league.tools.text import safe, shown_path


def kept_games(store: Store) -> list[GameFile]:
    """The files of the games that a league plays now."""
    wanted = {contest.source for contest in store.settings().contests()}
    return [file for file in store.game_files() if file.hash in wanted]


def load_rules(store: Store) -> None:
    """Run the files of the games that a league plays, so that they can be played again.

    Rules are not confined, and the folder may come from a stranger: what nobody has run on this machine by its path is
    refused.
    """
    for contest in store.settings().contests():
        games.refuse_immodest(contest.game, contest.options)
    for file in kept_games(store):
        if not files.was_run_here(file.hash):
            folder, name = shown_path(store.folder), safe(file.name)
            raise LeagueError(
                f"The rules of {name!r} are a file that is kept in {folder}, and were not run on this machine before. "
                f"Rules are not confined, so read them first: `league games {folder} --to DIR` writes the file. "
                f"If you trust it, run it once: `league check DIR/{name}.py`."
            )
        files.run(file)


def write_kept_games(store: Store, folder: Path) -> list[Path]:
    """Write the files of the games that a league plays into a folder, and return their paths; nothing is run."""
    written = []
    for file in kept_games(store):
        if not files.NAME.fullmatch(file.name):
            raise StoreError(f"{shown_path(store.folder)} holds a game with an impossible name, {safe(file.name)!r}.")
        path = folder / f"{file.name}.py"
        try:
            with path.open("x", encoding="utf-8", newline="") as new:
                new.write(file.text)
        except FileExistsError:
            if path.read_bytes() != file.text.encode():
                raise LeagueError(f"{shown_path(path)} is there already, with another text.") from None
        except OSError as problem:
            raise LeagueError(f"{shown_path(path)} cannot be written: {problem.strerror}.") from None
        written.append(path)
    return written
