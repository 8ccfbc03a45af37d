"""What the moves of a game take, in bytes and in time, for random and shipped bots, and how quickly they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from math import inf
from pathlib import Path
from time import process_time

from msgspec.structs import replace

from league import games
from league.plan.seating import dealt
from league.play.worker import Team, Worker
from league.results.decisions import view_json
from league.results.moves import GROUP, BlockMoves
from league.setup.roster import Bot, load
from league.values.block import Block, BlockResult, Series, Sitting
from league.values.settings import Contest, Isolation, Limits

BOTS = Path(__file__).parents[1] / "bots"
TABLES = {
    ("raj", 2): ("raj_habits", "raj_nearest"),
    ("raj", 5): ("raj_habits", "raj_nearest", "raj_memory", "stubborn", "random"),
    ("braverats", 2): ("rats_average", "rats_prince"),
    ("cheese_rescue", 2): ("cheese_greedy", "cheese_patient"),
    ("cheese_rescue", 4): ("cheese_greedy", "cheese_patient", "stubborn", "random"),
    ("magillat", 3): ("tale_collector", "tale_envy", "tale_habits"),
    ("magillat", 6): ("tale_collector", "tale_envy", "tale_habits", "tale_mixed", "stubborn", "random"),
}
SMALL, LARGE, TIMED = 8, 512, 256
"""Games in a block."""
TURNS = 25
"""How often a sitting is played with moves and without."""
LEVELS = (Isolation.TRUSTED, Isolation.SANDBOX)


def run() -> Iterator[dict[str, object]]:
    """One row for each game and table size."""
    for (game, players), shipped in TABLES.items():
        by_chance = _bots(["random"] * players)
        result = _played(game, by_chance, LARGE)
        decisions, seconds = _read(result)
        yield {
            "contest": f"{game}-{players}p",
            "decisions": decisions / LARGE,
            "bytes, random": len(result.moves) / LARGE,
            "shipped bots": len(_played(game, _bots(shipped), LARGE).moves) / LARGE,
            f"random, {SMALL} games": len(_played(game, by_chance, SMALL).moves) / SMALL,
            "thousand decisions/s": decisions / seconds / 1000,
            **{f"time, {level.value}": _ratio(game, by_chance, level) for level in LEVELS},
        }


def _bots(names: list[str] | tuple[str, ...]) -> list[Bot]:
    bots = [load(BOTS / f"{name}.py") for name in names]
    return [replace(bot, name=f"{bot.name}{seat}") for seat, bot in enumerate(bots)]


def _played(game: str, bots: list[Bot], size: int) -> BlockResult:
    rules = games.make(game, len(bots))
    series = Series(Contest.of(rules), tuple(bot.entrant() for bot in bots), 0, 1, Limits())
    with closing(Worker(Team(tuple(bots), Isolation.TRUSTED, Limits()))) as worker:
        return worker.play(Block(series, 0, size))


def _ratio(game: str, bots: list[Bot], isolation: Isolation) -> float:
    """Processor time of a worker that keeps moves, as a part of that of one that keeps none, for the same games.

    They take turns, and the least time of each counts: whatever else the machine does only adds to it.
    """
    rules = games.make(game, len(bots))
    series = Series(Contest.of(rules), tuple(bot.entrant() for bot in bots), 0, 1, Limits(), own_deals=True)
    sitting = Sitting((Block(series, 0, TIMED),))
    with ExitStack() as stack:
        teams = [Team(tuple(bots), isolation, Limits(), keep_moves=keeps) for keeps in (True, False)]
        workers = [stack.enter_context(closing(Worker(team))) for team in teams]
        least = [inf, inf]
        for number in range(TURNS):
            for side in (0, 1) if number % 2 else (1, 0):
                started = process_time()
                workers[side].play_sitting(sitting)
                least[side] = min(least[side], process_time() - started)
    return least[0] / least[1]


def _read(result: BlockResult) -> tuple[int, float]:
    """Decisions of a block, and the seconds of processor time to read them with their views as JSON."""
    series, size = result.block.series, result.block.games
    rules = series.contest.set_up()
    moves = BlockMoves(result.moves, series.contest.players, size)
    decisions = 0
    started = process_time()
    for index in range(size):
        if index % GROUP == 0:
            reader = moves.group(index // GROUP)
        state = rules.start(dealt(series, index))
        while turn := state.turn:
            played = []
            for seat in turn:
                view = state.view(seat)
                view_json(view)
                played.append(reader.move(view.legal))
            decisions += len(turn)
            state.step(played)
        reader.end_of_game()
    return decisions, process_time() - started
