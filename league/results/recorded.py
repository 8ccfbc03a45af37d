"""Games of a league as they were played, from their stored moves. Only rules are needed for that: no bot runs.

The stored moves are played by the rules from the deal on, and must lead to the stored outcome. Rules that are files of
a user's own are kept with the league.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from league import games
from league.errors import LeagueError, StoreError
from league.games import files
from league.games.contract import Game, Lapse, Outcome, State, legal_in_words
from league.games.replay import PrintedText, Replay, record
from league.plan.seating import dealt, seating_of
from league.results.games import FoundGame
from league.results.moves import GROUP, BlockMoves, RecordedLapse
from league.results.schema import FILE, explained
from league.results.store import Store
from league.results.untrusted import expect
from league.tools.text import counted, safe, shown_path
from league.values.block import BlockResult, Fault, Series
from league.values.settings import Contest


class Shown(NamedTuple):
    """A game as it was played, or as it was played again."""

    replay: Replay
    faults: tuple[Fault, ...] = ()
    """In this game."""
    differs: bool = False
    """Whether it ended differently than it did when the league was played."""
    prints: tuple[PrintedText, ...] = ()
    """What its bots printed if it was played again, except those that run in this process, whose output is shown at
    once."""

    @property
    def outcome(self) -> Outcome:
        """As it counts, seat by seat: bots at fault are last."""
        return self.replay.outcome


def recorded(store: Store, game: FoundGame) -> Shown | None:
    """A game as it was played; None if its moves were not kept. Its rules must be loaded."""
    kept = store.record_of(game.series, game.deal)
    if kept is None or not kept.moves:
        return None
    with explained(store.folder / FILE):
        return recorded_in(kept, game)


def recorded_steps(store: Store, series: Series, deal: int) -> list[list[int]] | None:
    """The moves of a game, step by step; None if they were not kept, or if a bot was taken out of it."""
    kept = store.record_of(series, deal)
    if kept is None or not kept.moves:
        return None
    with explained(store.folder / FILE):
        steps, lapses = steps_in(kept, deal)
    return None if lapses else steps


def recorded_in(kept: BlockResult, game: FoundGame) -> Shown:
    """A game of a block that has its moves."""
    rules, deal = rules_of(game.contest), dealt(kept.block.series, game.deal)
    steps, lapses = steps_in(kept, game.deal)
    reasons = [*_lapses(kept, game, rules.start(deal), steps, lapses)]
    replay = record(rules, deal, steps, game.bots, reasons)
    outcome = replay.outcome
    here = str(game.address)
    agree = (outcome.ranks, outcome.scores) == (game.ranks, game.points)
    expect(agree, f"expected moves of {here} that lead to its outcome, found others")
    return Shown(replay, tuple(fault for fault in kept.faults if fault.address == here))


def steps_in(kept: BlockResult, deal: int) -> tuple[list[list[int]], list[RecordedLapse]]:
    """The moves of a game of a block that has its moves, step by step, and who was taken out of it."""
    series, first = kept.block.series, kept.block.first
    moves, rules, index = moves_of(kept), rules_of(series.contest), deal - first
    reader = moves.group(index // GROUP)
    for number in range(index - index % GROUP, index + 1):
        steps = reader.steps(rules.start(dealt(series, first + number)))
    return steps, [lapse for lapse in moves.lapses if lapse.game == index]


def moves_of(kept: BlockResult) -> BlockMoves:
    """The moves of a block."""
    return BlockMoves(kept.moves, kept.block.series.contest.players, kept.block.games)


def rules_of(contest: Contest) -> Game:
    """The rules by which stored games were played; moves mean nothing under others."""
    game = contest.set_up()
    if game.version != contest.version:
        raise LeagueError(
            f"These games of {contest.game} were played under version {contest.version} of its rules, and this League"
            f" has version {game.version}. Use a version of League with those rules."
        )
    return game


def _lapses(
    kept: BlockResult, game: FoundGame, state: State, steps: Sequence[Sequence[int]], found: Sequence[RecordedLapse]
) -> Iterator[Lapse]:
    """What took seats out of a game that began in this state, in the order in which it happened."""
    seats = seating_of(game.series, game.deal).seats
    first_of_match = game.deal - game.deal % game.contest.games_per_match
    played = 0
    for _, entrant, step in sorted(found, key=lambda lapse: (lapse.step, lapse.entrant)):
        expect(step <= len(steps), "expected a fault in a game, found one after its end", step)
        while played < step - 1:
            state.step(steps[played])
            played += 1
        seat, bot = seats[entrant], game.series.lineup[entrant].name
        of_match = [fault for fault in kept.faults if fault.bot == bot and first_of_match <= fault.deal <= game.deal]
        faults = [fault for fault in of_match if fault.deal == game.deal]
        if faults:
            kind, cause = faults[0].kind, faults[0].cause
            if kind == "illegal" and (legal := state.legal(seat)):
                cause += f"; {legal_in_words(legal)}"
            yield Lapse(seat, step, kind, cause)
        else:
            yield Lapse(seat, step, "forfeit", f"{counted(len(of_match), 'fault')} before in this match")


def load_rules(store: Store) -> None:
    """Run the files of the games that a league plays, so that they can be played again.

    Rules are not confined, and the folder may come from a stranger: what nobody has run on this machine by its path is
    refused.
    """
    for contest in store.settings().contests():
        games.refuse_immodest(contest.game, contest.options)
    for file in store.game_files():
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
    for file in store.game_files():
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
