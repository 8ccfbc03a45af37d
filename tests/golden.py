"""Golden transcripts: one playing for every game, player count and option, in words and as a replay.

`python -m tests.golden` writes them again. Read the difference before you commit it: it is what players will notice.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from league import games
from league.games import replay
from league.games.contract import Game, plain
from league.testing import changed_alone

FOLDER = Path(__file__).parent / "golden"
COMMANDS_FOLDER = FOLDER / "cli"
"""Has what commands print; `tests.transcripts` writes it."""
NAMES = ("Ann", "Bob", "Cid", "Dot", "Eve", "Fay")


def variants(name: str) -> Iterator[tuple[str, Game]]:
    """File names and games: each player count as the rulebook has it, and with each option changed alone."""
    rules = games.find(name)
    for players in rules.player_counts:
        yield f"{players}p", rules(players)
        for option, value, game in changed_alone(rules, players):
            word = "-".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()
            yield f"{players}p-{option}-{word}", game


def transcript(file: str, game: Game) -> str:
    """A playing at random: told, shown and recorded; the file's name decides which."""
    deal, rng = game.deal(Random(f"deal {game.name} {file}")), Random(f"moves {game.name} {file}")
    moves, states, names = [], [game.start(deal)], NAMES[: game.players]
    while (state := states[-1].copy()).turn:
        moves.append([rng.choice(state.view(seat).legal) for seat in state.turn])
        state.step(moves[-1])
        states.append(state)
    made = replay.record(game, deal, moves, names)
    return f"{replay.text(made)}\n{''.join(_seen(game, states, names))}{replay.write(made)}"


def _seen(game: Game, states: list[Any], names: Sequence[str]) -> Iterator[str]:
    """What somebody at the table would be shown, in the middle of the playing and at its end."""
    for number in (len(states) // 2, len(states) - 1):
        seat = next(iter(states[number].turn), 0)
        lines = game.sketch(states[number].view(seat), names)
        yield "\n".join([f"{names[seat]} sees after step {number}:", *lines, "", ""])


def main() -> None:
    """Write all transcripts again, and drop those of games that are gone."""
    for folder in FOLDER.iterdir():
        if folder != COMMANDS_FOLDER:
            shutil.rmtree(folder)
    for name in games.names():
        (FOLDER / name).mkdir(parents=True)
        for file, game in variants(name):
            print(f"{name} {file} {plain(game.options)}")
            (FOLDER / name / f"{file}.txt").write_text(transcript(file, game), encoding="utf-8")


if __name__ == "__main__":
    main()
