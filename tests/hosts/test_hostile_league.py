"""A league with attackers, played by the real command: the honest bots' games are the same, byte for byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from league.results.export import frames, write
from league.results.find import find_columns
from league.results.store import Store
from tests.hosts.stage import HONEST, LIMITS, hostile
from tests.hosts.test_hostile import RUNS, SIX_TIMES
from tests.leagues import DICE, LEARNER

HONEST_BOTS = {"ann.py": HONEST.decode(), "bob.py": DICE, "cid.py": LEARNER}
ATTACKERS = {f"{name}.py": hostile(name).source.decode() for name in SIX_TIMES if not hostile(name).files}
THIEF = "read -r line; read -r stolen <ann.py || read -r stolen <../ann.py || read -r stolen <bots/ann.py; echo $stolen"
PROGRAMS = {
    "thief.toml": f'command = ["sh", "-c", "{THIEF}"]\n',
    "borrower.toml": 'command = ["sh", "ann.py"]\n',
    "no_program.toml": 'command = ["/"]\n',
    "reader.toml": 'command = ["cat", "/etc/passwd"]\n',
}
"""Programs that read files of others, and a command that is no program."""
DEALS = 2
CONFIG = f"""\
league: small
seed: 5
bots: bots
games: [{{game: raj, players: 2, deals: {DEALS}}}]
schedule: {{gauntlet: ann}}
limits: {{move_ms: {LIMITS.move_ms}, start_ms: {LIMITS.start_ms}, memory_mb: 64}}
"""


def play(folder: Path, bots: dict[str, str], workers: int = 1) -> dict[str, bytes]:
    """Plays a league in a folder of its own; returns its files and a table of its games."""
    (folder / "bots").mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG)
    for name, source in bots.items():
        (folder / "bots" / name).write_text(source)
    words = ["run", "config.yaml", "--quiet", "--workers", str(workers)]
    done = subprocess.run([sys.executable, "-m", "league", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = folder / "results/small"
    with Store.open(results) as store:
        write(results / "games.csv", frames(find_columns(store)))
    return {path.name: path.read_bytes() for path in results.glob("*.csv")}


@pytest.mark.slow
@pytest.mark.soak
def test_honest_games_are_the_same_with_attackers_in_the_league(tmp_path: Path) -> None:
    """Each attacker meets an honest bot, while other workers play the honest bots' games."""
    calm = play(tmp_path / "calm", HONEST_BOTS)["games.csv"].splitlines()
    assert len(calm) == 1 + 2 * 2 * 2 * DEALS, "a header; two lineups in two rotations with two seats"
    attacked = [
        play(tmp_path / str(run), HONEST_BOTS | ATTACKERS | PROGRAMS, workers=1 + run % 2) for run in range(RUNS)
    ]
    first, *others = attacked
    for other in others:
        assert other == first
    guilty = [name.partition(".")[0].encode() for name in ATTACKERS | PROGRAMS]
    honest = [line for line in first["games.csv"].splitlines() if not any(name in line for name in guilty)]
    assert honest == calm
    assert len(first["games.csv"].splitlines()) > len(ATTACKERS) * 2 * 2 * DEALS
