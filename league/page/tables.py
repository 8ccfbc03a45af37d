"""Games in the browser between a person and bots: few at a time, each in a thread, ended after silence.

    tables = BrowserTables()
    key = tables.open(TableSetting(game, bots, Isolation.SANDBOX, Limits()), seat=0)
    position = tables.find(key).position(after=0)       # waits until the person is to move, or the game is over
    tables.find(key).choose(position.version, move)

The bots are asked as `league play` asks them. What a person is sent is what their seat may know, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import randbelow, token_urlsafe
from threading import Condition, Lock, Thread
from time import monotonic
from typing import NamedTuple

import msgspec

from league.analysis.rematch import play_once
from league.errors import LeagueError
from league.games.contract import Game, Outcome, State, View
from league.games.scenes import Pick, Scene, seen_by, without_tables
from league.results.recorded import Shown
from league.setup.roster import Bot, refuse_strangers, told_apart
from league.values.block import Fault
from league.values.settings import Isolation, Limits

MOST_TABLES = 4
"""Games under way at the same time."""
KEPT_TABLES = 16
"""Games that are over and can still be looked at."""
SILENCE_SECONDS = 600.0
"""A person whose page has asked for nothing for so long has left: a page asks on while its person thinks."""
FREED_SECONDS = 60.0
"""After so long, their table is given to somebody else who wants one."""
ANSWER_SECONDS = 10.0
"""The longest that a request waits for the bots."""
YOU = "you"


class MoveChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """A legal move."""

    move: int
    words: str
    picks: tuple[Pick, ...] = ()
    """The cards to choose for it, one after the other; without them it is chosen by its words."""


class SeenPosition(msgspec.Struct, frozen=True):
    """What a person is shown."""

    version: int
    """Goes up by one with every decision, and at the end."""
    scenes: list[Scene]
    """What happened since the last decision, the table as it is now last."""
    told: tuple[str, ...] = ()
    choices: list[MoveChoice] = []
    """Empty if the person is not to move."""
    over: bool = False
    problem: str = ""
    banner: str = ""
    """How it ended for the person, and the score."""
    ranks: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()


class TableSetting(NamedTuple):
    """What is needed to open a table."""

    game: Game
    bots: Sequence[Bot]
    isolation: Isolation
    limits: Limits
    seed: int | None = None
    """What the deal follows from; another one each time if it is None."""
    on_over: Callable[[Shown, int], None] | None = None
    """Gets each game that was played to its end, and the person's seat."""


class BusyError(LeagueError):
    """There is no room for it now: try again soon."""


class TableLeft(Exception):  # noqa: N818 - leaving is not an error
    """The person has left the table."""


class BrowserTable:
    """One game between a person and bots."""

    def __init__(self, setting: TableSetting, seat: int) -> None:
        self.game, self.seat = setting.game, seat
        self.names = [bot.name for bot in setting.bots]
        self.names.insert(seat, YOU)
        self.shown: Shown | None = None
        """The whole game, when it is over."""
        self._changed = Condition()
        self._states: list[State] = []
        self._moves: list[tuple[int, ...]] = []
        self._told_steps = 0
        self._view: View | None = None
        self._chosen: list[int] = []
        self._position = SeenPosition(0, [])
        self._faults: list[str] = []
        self._heard = monotonic()
        self._left = False
        self._thread = Thread(target=self._play, args=(setting,), daemon=True)
        self._thread.start()

    @property
    def silence(self) -> float:
        """For how many seconds the person's page has asked for nothing."""
        return monotonic() - self._heard

    @property
    def is_over(self) -> bool:
        """Whether nothing is played any more."""
        return self._position.over

    def position(self, after: int) -> SeenPosition:
        """The next position after that of this version; the last one if the bots take too long."""
        with self._changed:
            self._heard = monotonic()
            self._changed.wait_for(lambda: self._position.version > after or self.is_over, ANSWER_SECONDS)
            return self._position

    def choose(self, version: int, move: int) -> None:
        """Play a move in the position of this version."""
        with self._changed:
            self._heard = monotonic()
            if self._view is None or version != self._position.version or self._chosen:
                raise LeagueError("This move comes too late: the game has gone on. Load the page again.")
            if move not in self._view.legal:
                raise LeagueError(f"{move} is no legal move here.")
            self._chosen.append(move)
            self._changed.notify_all()

    def leave(self) -> None:
        """End the game."""
        with self._changed:
            self._left = True
            self._changed.notify_all()
        self._thread.join(ANSWER_SECONDS)

    def _decide(self, view: View) -> int:
        """In the thread of the game: wait for the person's move."""
        with self._changed:
            self._view = view
            self._publish(view)
            while not self._chosen:
                left = SILENCE_SECONDS - self.silence
                if self._left or left <= 0:
                    raise TableLeft
                self._changed.wait(left)
            self._view = None
            return self._chosen.pop()

    def _publish(self, view: View | None, *, over: bool = False, problem: str = "") -> None:
        """Show what the person sees now."""
        game, seat = self.game, self.seat
        drawn = game.scenes(self._states, self._moves) if self._states else []
        since = min(self._told_steps, max(len(drawn) - 1, 0))
        scenes = [
            seen_by(seat, game.now(state.view(seat), scene))
            for state, group in zip(self._states[since:], drawn[since:], strict=True)
            for scene in group
        ]
        self._told_steps = len(drawn)
        choices = []
        told = tuple(self._faults)
        if view is not None:
            to_pick = game.picks(view, scenes[-1])
            choices = [MoveChoice(move, game.label(move, view), to_pick.get(move, ())) for move in view.legal]
            told += without_tables(game.sketch(view, self.names))
        end = (_banner(self.shown.outcome, seat), *msgspec.structs.astuple(self.shown.outcome)) if self.shown else ()
        self._position = SeenPosition(self._position.version + 1, scenes, told, choices, over, problem, *end)
        self._changed.notify_all()

    def _play(self, setting: TableSetting) -> None:
        problem = ""
        game, bots, isolation, limits, seed, on_over = setting
        person = self.seat, self._decide
        seed = randbelow(10**6) if seed is None else seed
        try:
            self.shown = play_once(game, bots, seed, isolation, limits, person, self._note_fault, self._note_step)
            if on_over is not None:
                on_over(self.shown, self.seat)
        except TableLeft:
            problem = "You left the table: the game is over."
        except LeagueError as error:
            problem = str(error)
        with self._changed:
            self._publish(None, over=True, problem=problem)

    def _note_step(self, deal: int, steps: Sequence[Sequence[int]], state: State) -> None:
        with self._changed:
            self._states.append(state.copy())
            self._moves = [tuple(step) for step in steps]

    def _note_fault(self, fault: Fault) -> None:
        with self._changed:
            self._faults.append(f"{fault.bot} is at fault ({fault.kind}): random moves play for it, and it is last.")


def _banner(outcome: Outcome, seat: int) -> str:
    """How it ended for a seat, and the scores from the first place to the last: 'You lost, 41 : 12'."""
    ranks, rank = outcome.ranks, outcome.ranks[seat]
    if set(ranks) == {0}:
        word = "A draw"
    elif rank == 0:
        word = "You won" if ranks.count(0) == 1 else "You share the first place"
    else:
        places = ("second", "third", "fourth", "fifth", "sixth")
        word = "You lost" if len(ranks) == 2 else f"You came {places[rank - 1]}"
    scores = [score for _, score in sorted(zip(ranks, outcome.scores, strict=True), key=lambda one: one[0])]
    return f"{word}, {' : '.join(map(str, scores))}".replace("-", "\N{MINUS SIGN}")


class BrowserTables:
    """The games of a server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables: dict[str, BrowserTable] = {}

    def open(self, setting: TableSetting, seat: int) -> str:
        """Begin a game; returns the key of its table, which nobody can guess."""
        game, bots = setting.game, setting.bots
        if len(bots) != game.players - 1 or seat not in range(game.players):
            raise LeagueError(f"Expected {game.players - 1} bots and a seat from 1 to {game.players}.")
        seated = told_apart(bots, taken=(YOU,))
        refuse_strangers(game.name, seated, game.players)
        with self._lock:
            under_way = [table for table in self._tables.values() if not table.is_over]
            if len(under_way) >= MOST_TABLES:
                forsaken = max(under_way, key=lambda table: table.silence)
                if forsaken.silence < FREED_SECONDS:
                    raise BusyError(
                        f"All {MOST_TABLES} tables are taken. One whose page is closed can be had after a minute."
                    )
                forsaken.leave()
            for key in [key for key, table in self._tables.items() if table.is_over][:-KEPT_TABLES]:
                del self._tables[key]
            key = token_urlsafe(12)
            self._tables[key] = BrowserTable(setting._replace(bots=seated), seat)
            return key

    def find(self, key: str) -> BrowserTable:
        """The table with this key."""
        try:
            return self._tables[key]
        except KeyError:
            raise LeagueError("There is no such table: its game is over, or the server was stopped.") from None

    def close(self) -> None:
        """End all games."""
        for table in self._tables.values():
            if not table.is_over:
                table.leave()
