"""How many bytes the moves of a game take, for random and shipped bots, and how quickly they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import process_time

from msgspec.structs import replace

from league import games
from league.games.contract import view_json
from league.plan.seating import dealt
from league.play.worker import Team, Worker
from league.results.moves import GROUP, BlockMoves
from league.setup.roster import Bot, load
from league.values.block import Block, BlockResult, Series
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
SMALL, LARGE = 8, 512
"""Games in a block."""


def run() -> Iterator[dict[str, object]]:
    """One row for each game and table size."""
    for (game, players), shipped in TABLES.items():
        by_chance = bots_of(["random"] * players)
        result = _played(game, by_chance, LARGE)
        decisions, seconds = _read(result)
        yield {
            "contest": f"{game}-{players}p",
            "decisions": decisions / LARGE,
            "bytes, random": len(result.moves) / LARGE,
            "shipped bots": len(_played(game, bots_of(shipped), LARGE).moves) / LARGE,
            f"random, {SMALL} games": len(_played(game, by_chance, SMALL).moves) / SMALL,
            "thousand decisions/s": decisions / seconds / 1000,
        }


def bots_of(names: list[str] | tuple[str, ...]) -> list[Bot]:
    bots = [load(BOTS / f"{name}.py") for name in names]
    return [replace(bot, name=f"{bot.name}{seat}") for seat, bot in enumerate(bots)]


def _played(game: str, bots: list[Bot], size: int) -> BlockResult:
    rules = games.make(game, len(bots))
    series = Series(Contest.of(rules), tuple(bot.entrant() for bot in bots), 0, 1, Limits())
    with closing(Worker(Team(tuple(bots), Isolation.TRUSTED, Limits()))) as worker:
        return worker.play(Block(series, 0, size))


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
