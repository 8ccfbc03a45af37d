"""Single games: rules by name, a game between bots, and how it went."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from league import games
from league.analysis.rematch import play_once
from league.analysis.turning_points import PLAYOUTS, ChanceCurve, Unit, curve_of
from league.errors import LeagueError, RosterError
from league.games import replay
from league.games.contract import Game
from league.hosts.trusted import keep, source_of
from league.page.viewer import render
from league.play.executors import OpenExecutor, executor_of
from league.results.recorded import Shown
from league.setup.roster import Bot, Roster, find, refuse_strangers, told_apart
from league.tools.text import DURATION, seconds_in
from league.values.block import Fault
from league.values.settings import SAFE_NAME, USUAL, Isolation, Limits

AnyBot = str | os.PathLike[str] | type | Callable[[Any], int] | Bot
"""A name, a path, a class with `choose(self, view)`, or a function of a view."""
NAMELESS = "bot"
"""The name of a bot whose own name is not valid, such as a lambda's."""


def as_bot(given: AnyBot, bots_dir: str | Path = "bots", name: str | None = None) -> Bot:
    """The bot for a name, a path, a class or a function; `name` replaces the name of a class or function."""
    if isinstance(given, Bot):
        return given
    if isinstance(given, str | os.PathLike):
        return find(os.fspath(given), bots_dir)
    if isinstance(given, type) and callable(getattr(given, "choose", None)):
        kind = given
    elif inspect.isroutine(given):
        kind = _class_around(given)
    else:
        raise RosterError(
            "Expected a bot as a name, a path, a class with choose(self, view), or a function of a view, "
            f"found {_described(given)}."
        )
    if name is None:
        name = kind.__name__ if SAFE_NAME.fullmatch(kind.__name__) else NAMELESS
    elif not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a name of letters, digits, '_' and '-' for a bot, found {name!r}.")
    token = keep(kind)
    games = getattr(kind, "games", None)
    return Bot(
        name=name,
        path=Path(f"{name}.py"),
        source=source_of(name, token),
        hash=token,
        doc=inspect.getdoc(kind) or "",
        games=None if games is None else tuple(games),
        language="object",
    )


def as_bots(given: Iterable[AnyBot] | Mapping[str, AnyBot], bots_dir: str | Path = "bots") -> list[Bot]:
    """The bots for names, paths, classes or functions; the keys of a mapping are their names."""
    if isinstance(given, Mapping):
        return [as_bot(bot, bots_dir, name) for name, bot in given.items()]
    return [as_bot(bot, bots_dir) for bot in given]


def with_more(roster: Roster, more: Iterable[Bot]) -> Roster:
    """A roster with more bots in it, all of different names."""
    bots = {bot.name: bot for bot in roster.bots}
    for bot in more:
        if bot.name in bots:
            raise RosterError(f"Two bots are called {bot.name!r}. Give bots={{name: bot}} to choose their names.")
        bots[bot.name] = bot
    return Roster(tuple(bots[name] for name in sorted(bots)), roster.broken)


def _class_around(function: Callable[[Any], int]) -> type:
    def choose(_: object, view: Any) -> int:
        return function(view)

    return type(function.__name__, (), {"choose": choose, "__doc__": function.__doc__})


def _described(given: object) -> str:
    if isinstance(given, type):
        return f"the class {given.__name__}, which has no choose(self, view)"
    hint = ": pass its class" if hasattr(given, "choose") else ""
    return f"an object of class {type(given).__name__}{hint}"


HEIGHT = 640
"""The height of a game in a notebook, in pixels."""


class PlayedGame:
    """One game that was played. `print` shows it round by round, and a notebook shows it step by step."""

    def __init__(self, shown: Shown, address: str = "", unit: Unit | None = None) -> None:
        self.replay = shown.replay
        """The deal and every move, as plain values."""
        self.address = address
        """Where it is in its league; empty for a game of no league."""
        self.names = shown.replay.names
        """The bots, by seat."""
        self.ranks = shown.outcome.ranks
        """By seat; 0 is best, and equal ranks are ties."""
        self.points = shown.outcome.scores
        """The game's own, by seat."""
        self.faults: tuple[Fault, ...] = shown.faults
        self.differs = shown.differs
        """Whether it ended differently than when its league was played: a bot is not deterministic."""
        self._shown, self._unit = shown, unit

    @property
    def winners(self) -> tuple[str, ...]:
        """The bots in the first place."""
        return tuple(name for name, rank in zip(self.names, self.ranks, strict=True) if rank == 0)

    def to_json(self) -> str:
        """The replay as JSON, as `docs/replay-format.md` describes it."""
        return replay.write(self.replay)

    def to_html(self, back: str = "") -> str:
        """A page to step through the game; `back` is a link for it to the standings."""
        return render(self._shown, address=self.address, back=back)

    def curve(self, playouts: int = PLAYOUTS) -> ChanceCurve:
        """The chance to win of every bot after each step, with errors, and the turning point, from random playouts.

        In a league in which points count, it is in points. More `playouts` give smaller errors.
        """
        return curve_of(self.replay, self._unit, playouts)

    def __str__(self) -> str:
        return replay.text(self.replay, prints=self._shown.prints).rstrip("\n")

    def __repr__(self) -> str:
        results = ", ".join(f"{name} {points}" for name, points in zip(self.names, self.points, strict=True))
        return f"<PlayedGame of {self.replay.game}: {results}>"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {HEIGHT}px; border: 0"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.to_html())}"></iframe>'


def load_game(
    game: str | os.PathLike[str], players: int | None = None, options: Mapping[str, object] | None = None
) -> Game:
    """The rules of a game by name or by the path of its file, for a number of players (the fewest, if left out)."""
    return games.make(os.fspath(game), players, options)


def match(
    game: str | os.PathLike[str],
    bots: Sequence[AnyBot],
    *,
    options: Mapping[str, object] | None = None,
    seed: int = 0,
    bots_dir: str | Path = "bots",
    isolation: str = USUAL,
) -> PlayedGame:
    """Play one game between bots, seated in the order given.

    A bot is a name (in `bots_dir`, in the current folder, or of a shipped bot), a path, a class with
    `choose(self, view)`, or a function of a view. Classes and functions run in this process, whatever the `isolation`.
    The same bot may sit at several seats.
    """
    rules = load_game(game, len(bots), options)
    seated = told_apart(as_bots(bots, bots_dir))
    refuse_strangers(rules.name, seated, rules.players)
    return PlayedGame(play_once(rules, seated, seed, Isolation(isolation), Limits()))


def seconds_of_run(given: str | float | None) -> float | None:
    """How long a run may take, from a number of seconds or a text."""
    seconds = seconds_in(given) if isinstance(given, str) else given
    if given is not None and not (seconds and seconds > 0):
        raise LeagueError(f"for_: expected {DURATION}, or a number of seconds, found {given!r}.")
    return seconds


def executor_for(bots: Sequence[Bot], executor: str, scheduler: str | Path | None) -> OpenExecutor:
    """What opens an executor of that name, or Dask's for a scheduler, if it can play these bots."""
    opened = executor_of(executor, str(scheduler or ""))
    if (scheduler or executor != "local") and any(bot.language == "object" for bot in bots):
        raise LeagueError("Classes and functions play in processes of this machine only: use executor='local'.")
    return opened
