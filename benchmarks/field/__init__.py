"""League beside the tools of its field, on the nearest work that each of them offers.

The others are installed into an environment of their own, in the cache folder, once. Where that fails, their rows say
why and have no figures. Every contender runs in a process of its own, on the same Python, in turns; the least processor
time of `ROUNDS` turns counts. No two tools do the same: `benchmarks/README.md` says what exactly is compared.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from league.tools.files import cache_folder

ROUNDS = 5
PACKAGES = ("open_spiel", "pettingzoo", "pygame", "rlcard", "axelrod", "openskill", "trueskill")
HERE = Path(__file__).parent
INSTALL_SECONDS = 1800


class Contender(NamedTuple):
    """One way of doing a piece of work: a function of `ours.py` or `rivals.py`."""

    function: str
    what: str


class Comparison(NamedTuple):
    """A piece of work, and those that do it; the first is League's way, which the others are divided by."""

    work: str
    ours: Contender
    rivals: tuple[Contender, ...]


COMPARISONS = (
    Comparison(
        "bids at Goofspiel, random bots that look at nothing",
        Contender("trusted_league", "League: Raj, a whole league of trusted bots, each with a generator of its own"),
        (
            Contender("openspiel_bare", "OpenSpiel: bare C++ loop with one generator"),
            Contender("openspiel_blind_bots", "OpenSpiel: Python bots, each with a generator of its own"),
        ),
    ),
    Comparison(
        "bids at Goofspiel, bots that read all rounds so far",
        Contender("reading_league", "League: Raj, a whole league of trusted bots that read their view's history"),
        (
            Contender("openspiel_text_bots", "OpenSpiel: Python bots that read their information state, a text"),
            Contender("openspiel_array_bots", "OpenSpiel: Python bots with make_observation, a numpy array"),
            Contender("openspiel_list_bots", "OpenSpiel: Python bots with observation_tensor, a list of floats"),
        ),
    ),
    Comparison(
        "the same, in the sandbox",
        Contender("sandboxed_league", "League: Raj, a whole league of sandboxed bots that read their view's history"),
        (Contender("openspiel_array_bots", "OpenSpiel: Python bots with make_observation, not isolated"),),
    ),
    Comparison(
        "moves in a round robin of ten strategies",
        Contender("ten_strategies", "League: ten bots at BraveRats, 24 deals of each pair, to the ratings"),
        (
            Contender("axelrod_tournament", "Axelrod: ten strategies, one of them random, 50 turns, to the ranking"),
            Contender("axelrod_random_tournament", "Axelrod: ten strategies that all draw, 50 turns, to the ranking"),
        ),
    ),
    Comparison(
        "moves at a small card game, random agents",
        Contender("braverats_loop", "League: BraveRats, bare loop over views"),
        (
            Contender("rlcard_leduc", "RLCard: Leduc hold'em, its own runner"),
            Contender("pettingzoo_leduc", "PettingZoo: Leduc hold'em, AEC loop"),
        ),
    ),
    Comparison(
        "rated games of two, 50 bots",
        Contender("fitted_ratings", "League: fitted to all of 100,000 games at once"),
        (
            Contender("trueskill_package", "trueskill: one game after the other"),
            Contender("openskill_package", "openskill: one game after the other (Plackett-Luce)"),
        ),
    ),
)


def run() -> Iterator[dict[str, object]]:
    """Rows for `python -m benchmarks field`."""
    python, problem = _environment()
    for work, ours, rivals in COMPARISONS:
        contenders = [(Path(sys.executable), HERE / "ours.py", ours)]
        contenders += [(python, HERE / "rivals.py", rival) for rival in rivals] if not problem else []
        best, versions = _measured(contenders)
        yield _row(work, ours.what, best[0], 1.0, versions[0])
        for rival, seconds, version in zip(rivals, best[1:], versions[1:], strict=False):
            yield _row("", rival.what, seconds, seconds / best[0], version)
        if problem:
            yield {"work": "", "contender": f"(others skipped: {problem})", "µs": "", "of League's": "", "version": ""}


def _row(work: str, what: str, seconds: float, ratio: float, version: str) -> dict[str, object]:
    return {"work": work, "contender": what, "µs": 1e6 * seconds, "of League's": ratio, "version": version}


def _measured(contenders: Sequence[tuple[Path, Path, Contender]]) -> tuple[list[float], list[str]]:
    """The least seconds of each, taken in turns, and its version."""
    best = [float("inf")] * len(contenders)
    versions = [""] * len(contenders)
    for _ in range(ROUNDS):
        for at, (python, script, contender) in enumerate(contenders):
            command = [str(python), str(script), contender.function]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            answer = json.loads(done.stdout.splitlines()[-1])
            best[at] = min(best[at], answer["seconds"] / answer["units"])
            versions[at] = answer["version"]
    return best, versions


def _environment() -> tuple[Path, str]:
    """The Python of an environment that has the other tools, made if there is none; or why there is none."""
    folder = cache_folder() / f"field-{sys.version_info.major}.{sys.version_info.minor}"
    python, done = folder / "bin" / "python", folder / "complete"
    if done.exists():
        return python, ""
    print(f"installing {', '.join(PACKAGES)} into {folder} …", file=sys.stderr, flush=True)
    venv.create(folder, with_pip=True, clear=True)
    command = [str(python), "-m", "pip", "install", "--quiet", *PACKAGES]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        return python, f"installing them took longer than {INSTALL_SECONDS} s"
    except subprocess.CalledProcessError as problem:
        last = (problem.stderr.strip().splitlines() or ["pip failed without a word"])[-1]
        return python, f"they could not be installed: {last}"
    done.touch()
    return python, ""
