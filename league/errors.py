"""The errors that are a user's mistake or a limit of the machine, drawn as one tree.

    LeagueError                 one clear line for the user, exit code 1, never a traceback
    ├── OptionsError            a game cannot be set up like that
    ├── ConfigError             a config file has a mistake (with its line)
    ├── RosterError             bots that cannot be found, or whose names clash
    ├── ReplayError             a replay that cannot be read, or that differs from the rules
    ├── StoreError              a results folder that cannot be opened, written or trusted
    │   └── DataError           a value in it that League never writes
    ├── ArenaError              an arena cannot be made, opened or asked like that
    ├── IsolationError          the isolation asked for is not available on this machine
    └── UnavailableError        a bot could not be asked now, because of what it depends on itself

The library raises these; `league.cli.main` prints them. Anything else that escapes is a bug in League.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class LeagueError(Exception):
    """A user's mistake or a limit of the machine, with a message that says what to do."""


class OptionsError(LeagueError):
    """A game cannot be set up with these options."""

    def __init__(self, game: str, problems: Iterable[str]) -> None:
        super().__init__("\n".join(f"{game}: {problem}" for problem in problems))


class ConfigError(LeagueError):
    """A config file has a mistake."""


class RosterError(LeagueError):
    """Bots that cannot be found or loaded, or whose names clash."""


class ReplayError(LeagueError):
    """A replay that cannot be read, or that the rules contradict."""


class StoreError(LeagueError):
    """A results folder that cannot be opened, written or trusted."""


class DataError(StoreError):
    """A value that League never writes. The message names it; `league.results.schema.explained` says where it is."""


class ArenaError(LeagueError):
    """An arena cannot be made, opened or asked like that."""


class IsolationError(LeagueError):
    """The isolation that was asked for is not available on this machine."""


class UnavailableError(LeagueError):
    """A bot could not be asked now."""

    def __init__(self, bot: str, cause: str) -> None:
        super().__init__(f"{bot} could not be asked, so there is no game: {cause}. Try again later.")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like this one, if any is near."""
    return next(iter(get_close_matches(word, [str(name) for name in known], n=1, cutoff=0.5)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """' Did you mean 'x'?' for the nearest known word, or nothing if none is near."""
    near = nearest(word, known)
    return f" Did you mean {near!r}?" if near else ""
