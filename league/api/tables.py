"""Single games: rules by name, a game between bots, and how it went."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from league import games
from league.analysis.rematch import Shown, play_once
from league.analysis.turning_points import PLAYOUTS, ChanceCurve, Unit, curve_of
from league.api.bots import AnyBot, as_bots
from league.games import replay
from league.games.contract import Game
from league.page.viewer import render
from league.setup.roster import refuse_strangers, told_apart
from league.values.block import Fault
from league.values.settings import USUAL, Isolation, Limits

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
