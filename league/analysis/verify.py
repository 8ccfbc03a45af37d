"""Checks a league that somebody else has played: plays a random share of it again, and counts everything again.

    verified = league.verify("results/theirs", share=0.01)
    verified.proven                     # '2,000 of 200,000 games were played again, all equal: …'
    verified.changed                    # 'standings.csv: line 3 is not what the outcomes give'

Games are played from their addresses, with the bots that are kept in the folder, in the sandbox. CSV files must
follow from the stored outcomes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import zip_longest
from math import ceil
from pathlib import Path
from random import Random
from secrets import randbits

import msgspec

from league.analysis.audit import Finding, audit
from league.analysis.rematch import Match, again, at_table
from league.errors import LeagueError, UnavailableError
from league.play.worker import Worker
from league.results.csvs import csv_texts
from league.results.games import FoundGame, GameColumns, games_of
from league.results.lock import is_being_played
from league.results.standings import Standings
from league.results.store import Store
from league.tools.bar import counting_bar
from league.tools.files import read_bytes
from league.tools.seeds import seed_for, stretched
from league.tools.text import counted, first_few, safe, shown_path
from league.values.block import BlockResult, Unavailable
from league.values.settings import USUAL, Isolation

FEWEST = 100
"""Matches that are played again, however small the share is."""
MOST_BYTES = 200_000_000
OF_THE_MACHINE = frozenset({"timeout", "memory", "crash", "import"})
"""Faults that another machine may not have."""
SHOWN = 5


class Verified(msgspec.Struct, frozen=True):
    """What was checked, and what is wrong."""

    folder: str
    games: int
    """That count in the league."""
    played: int
    """Games that were played again and compared."""
    seed: int
    """Which games that were follows from it."""
    differing: tuple[str, ...] = ()
    """The addresses of those that end differently although their bots are deterministic."""
    changed: tuple[str, ...] = ()
    """What does not follow from the stored outcomes, a sentence each."""
    findings: tuple[Finding, ...] = ()
    """Bots that are not deterministic, and what shows it: games with them cannot be compared."""
    not_compared: int = 0
    """Games that were played again, but depend on the machine or on chance: a bot had a fault of time or memory, there
    or here, or could not be asked, or a game of it ends in one way and then in another."""
    notes: tuple[str, ...] = ()
    most: float = 1.0
    """At most this share of the games that could be played again differs, with a confidence of 95 %."""

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.differing and not self.changed

    def __str__(self) -> str:
        lines = [*map(str, self.findings), self.proven]
        lines += [f"Changed: {safe(sentence)}." for sentence in self.changed]
        lines += [f"Note: {safe(note)}." for note in self.notes]
        if not self.changed:
            lines.append("Tallies, ratings and files agree with the stored outcomes.")
        return "\n".join([*lines, f"--seed {self.seed} checks the same games again."])

    @property
    def proven(self) -> str:
        """What it proves, in one or two sentences."""
        text = f"{self.played:,} of {counted(self.games, 'game')} played again, "
        if self.differing:
            text += f"{len(self.differing):,} of them ended differently: {first_few(self.differing, SHOWN)}"
        elif not self.played:
            text += "so nothing is known about them"
        elif self.most == 0:
            text += "all equal"
        else:
            text += f"all equal: with 95 % confidence at most {ceil(self.most * 10_000) / 100:.2f} % differ"
        if left_out := [finding.bot for finding in self.findings]:
            bots = f"{counted(len(left_out), 'bot')} {'is' if len(left_out) == 1 else 'are'}"
            text += f"; {bots} not deterministic and left out: {first_few(left_out, SHOWN)}"
        if self.not_compared:
            text += f"; {counted(self.not_compared, 'game')} not compared: they depend on the machine or on chance"
        return safe(f"{text}.")


def verify(folder: str | Path, *, share: float = 0.01, seed: int | None = None, isolation: str = USUAL) -> Verified:
    """Play a share of a league's games again, and compute its standings again from the stored outcomes.

    Without a `seed` the games are chosen at random. Of the result, `good` says whether all is well, `proven` what that
    proves, `changed` what does not follow from the outcomes, and `differing` which games end differently. `findings`
    has the bots that are not deterministic, each with `reason`, `address`, `step`, what the bot played `then` and what
    it plays `now`.
    """
    folder, isolation = Path(folder), Isolation(isolation)
    if is_being_played(folder):
        raise LeagueError(f"{shown_path(folder)} is being played. Verify it when that is over.")
    seed = randbits(32) if seed is None else seed
    compared: list[int] = []
    differing: list[str] = []
    not_compared = 0
    with Store.open(folder) as store:
        changed, notes = _changed_files(folder, Standings.of(store))
        config = store.settings()
        if config.seed is not None and store.secret(config.seed) not in (None, stretched(config.seed)):
            changed.append("league.db: its deals do not follow from the seed of its config")
        audited = audit(store, seed=seed, isolation=isolation)
        notes += [f"whether {bot} is deterministic is unknown: it was at fault in every match" for bot in audited.left]
        erratic = {finding.bot for finding in audited.findings}
        by_machine = frozenset(fault.address for fault in store.faults() if fault.kind in OF_THE_MACHINE)
        chosen = _chosen(store, erratic, share, seed)
        with (
            at_table(store, isolation) as worker,
            counting_bar("playing again", "matches") as (on_size, on_match),
        ):
            on_size(len(chosen))
            for match, result in again(worker, _matches(store, erratic, chosen)):
                found = _differing(worker, match, result, by_machine)
                if found is None:
                    not_compared += len(match)
                else:
                    compared.append(len(match))
                    differing += found
                on_match(1)
        count = sum(part.size for part in store.games())
    return Verified(
        folder=str(folder),
        games=count,
        played=sum(compared),
        seed=seed,
        differing=tuple(differing),
        changed=tuple(changed),
        findings=audited.findings,
        not_compared=not_compared,
        notes=tuple(notes),
        most=_most(len(compared)) if sum(compared) < count else 0.0,
    )


def _most(matches: int) -> float:
    """The largest share of matches that may differ if none of so many does."""
    return 1 - 0.05 ** (1 / matches) if matches else 1.0


def _parts(store: Store, erratic: set[str]) -> Iterator[GameColumns]:
    """The games of a league whose bots are all deterministic."""
    return store.games(wanted=lambda _, names: erratic.isdisjoint(names))


def _chosen(store: Store, erratic: set[str], share: float, seed: int) -> set[int]:
    """The numbers of some matches, chosen at random."""
    count = sum(part.size // part.contest.games_per_match for part in _parts(store, erratic))
    return set(Random(seed_for(seed, "verify")).sample(range(count), min(count, max(ceil(share * count), FEWEST))))


def _matches(store: Store, erratic: set[str], chosen: Collection[int]) -> Iterator[Match]:
    """The matches of these numbers."""
    number = 0
    for part in _parts(store, erratic):
        per_match = part.contest.games_per_match
        for first in range(0, part.size, per_match):
            if number in chosen:
                yield [part.game(row) for row in range(first, first + per_match)]
            number += 1


def _differing(
    worker: Worker, match: Match, result: BlockResult | Unavailable, by_machine: frozenset[str]
) -> list[str] | None:
    """The addresses of games that end differently now; None if the match depends on the machine or on chance.

    One that ended differently is played twice more, by itself, so that no other game has a part in it. `by_machine` are
    the addresses of games with faults that another machine may not have.
    """
    stored = [*map(_ending, match)]
    if isinstance(result, Unavailable):
        return None
    if _endings(result) == stored:
        return []
    try:
        alone = [worker.play(result.block) for _ in range(2)]
    except UnavailableError:
        return None
    first, second = map(_endings, alone)
    faults = [fault for played in (result, *alone) for fault in played.faults if fault.kind in OF_THE_MACHINE]
    addresses = [str(game.address) for game in match]
    if faults or first != second or first == stored or not by_machine.isdisjoint(addresses):
        return None
    return [address for address, then, now in zip(addresses, stored, first, strict=True) if then != now]


def _endings(result: BlockResult) -> list[tuple[object, ...]]:
    played = games_of(result)
    return [_ending(played.game(row)) for row in range(played.size)]


def _ending(game: FoundGame) -> tuple[object, ...]:
    """All of a game that must come out again."""
    return game.ranks, game.points, game.faults


def _changed_files(folder: Path, standings: Standings) -> tuple[list[str], list[str]]:
    """The files of the standings that are not those of the outcomes, byte by byte, and those that are not there."""
    changed, notes = [], []
    for name, text in csv_texts(standings).items():
        if not (folder / name).exists():
            notes.append(f"{name} is not there")
            continue
        pairs = zip_longest(read_bytes(folder / name, MOST_BYTES).splitlines(True), text.encode().splitlines(True))
        if line := next((line for line, (theirs, ours) in enumerate(pairs, 1) if theirs != ours), 0):
            changed.append(f"{name}: line {line} is not what the outcomes give")
    return changed, notes
