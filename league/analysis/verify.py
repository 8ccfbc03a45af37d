"""Checks a league that somebody else has played: plays a random share of it again, and counts everything again.

    verified = verify(Path("results/theirs"), share=0.01)
    verified.proven                     # '2,000 of 200,000 games were played again, all equal: …'
    verified.changed                    # 'standings.csv: line 3 is not what the outcomes give'

Games are played from their addresses, with the bots that are kept in the folder, in the sandbox. CSV files must
follow from the stored outcomes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby, islice, zip_longest
from math import ceil
from pathlib import Path
from random import Random
from secrets import randbits
from typing import NamedTuple

import msgspec

from league.analysis.audit import Finding, audit
from league.analysis.rematch import Rematches
from league.errors import LeagueError, UnavailableError
from league.play.worker import Worker
from league.results.csvs import csv_texts
from league.results.lock import is_being_played
from league.results.outcomes import Ending, endings_of
from league.results.standings import Standings
from league.results.store import BlockRecord, Store
from league.tools.bar import counting_bar
from league.tools.files import read_bytes
from league.tools.seeds import seed_for
from league.tools.text import counted, first_few, safe, shown_path
from league.values.block import Block, BlockResult, Sitting, Unavailable
from league.values.settings import Isolation

SHARE = 0.01
FEWEST_GAMES = 100
"""That are played again, however small the share is."""
CONFIDENCE = 0.95
TOGETHER = 16
"""Matches that are played at one sitting."""
MOST_BYTES = 200_000_000
"""The largest file that is compared."""
OF_THE_MACHINE = frozenset({"timeout", "memory", "crash", "import"})
"""Faults that another machine may not have."""
SHOWN = 5

Endings = list[tuple[Ending, frozenset[str]]]
"""How the games of a match ended, each with the bots at fault in it."""


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
    """What was not compared, and why."""
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
            lines.append("Tallies, ratings and files are what the outcomes give.")
        return "\n".join([*lines, f"The same games are played again with --seed {self.seed}."])

    @property
    def proven(self) -> str:
        """What it proves, in one or two sentences."""
        text = f"{self.played:,} of {counted(self.games, 'game')} played again, "
        if self.differing:
            text += f"{len(self.differing):,} of them ended differently: {first_few(self.differing, SHOWN)}"
        elif not self.played:
            text += "so that nothing is known about them"
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


class Match(NamedTuple):
    """A match of a league, and how it ended there."""

    block: Block
    endings: Endings


def verify(
    folder: Path,
    share: float = SHARE,
    seed: int | None = None,
    isolation: Isolation = Isolation.SANDBOX,
) -> Verified:
    """Play a share of a league again, and recompute its standings. Without a seed nobody can know which games it is."""
    if is_being_played(folder):
        raise LeagueError(f"{shown_path(folder)} is being played. Verify it when that is over.")
    seed = randbits(32) if seed is None else seed
    with Store.open(folder) as store:
        standings = Standings.of(store)
        changed, notes = _changed_files(folder, standings)
        audited = audit(store, seed=seed, isolation=isolation)
        notes += [f"whether {bot} is deterministic is open: it was at fault in every match" for bot in audited.left]
        erratic = {finding.bot for finding in audited.findings}
        games = sum(part.span[1] - part.span[0] for part in store.records())
        sample = _Sample(store, share, seed, erratic)
        with closing(Rematches(store, isolation)) as rematches:
            by_machine = frozenset(fault.address for fault in store.faults() if fault.kind in OF_THE_MACHINE)
            again = _Again(rematches.worker, by_machine)
            with counting_bar("playing again", "games") as (on_size, on_games):
                on_size(sample.games)
                for sitting in sample.sittings():
                    again.play(sitting)
                    on_games(sum(match.block.games for match in sitting))
    compared = sum(block.games for block in again.compared)
    matches = len(again.compared)
    return Verified(
        folder=str(folder),
        games=games,
        played=compared,
        seed=seed,
        differing=tuple(again.differing),
        changed=tuple(changed),
        findings=audited.findings,
        not_compared=again.not_compared,
        notes=tuple(notes),
        most=0.0 if compared == games else 1 - (1 - CONFIDENCE) ** (1 / matches) if matches else 1.0,
    )


class _Sample:
    """Matches of a league, chosen at random among those whose bots are deterministic."""

    def __init__(self, store: Store, share: float, seed: int, erratic: set[str]) -> None:
        self._store = store
        self._erratic = erratic
        self._chosen: set[int] = set()
        self.games = 0
        """How many games that is."""
        sizes = [part.block.series.contest.games_per_match for part in self._parts() for _ in _matches(part)]
        wanted = max(share * sum(sizes), FEWEST_GAMES)
        for number in Random(seed_for(seed, "verify")).sample(range(len(sizes)), len(sizes)):
            if self.games < wanted:
                self._chosen.add(number)
                self.games += sizes[number]

    def _parts(self) -> Iterator[BlockRecord]:
        names = self._erratic
        return self._store.records(lambda _, lineup: names.isdisjoint(lineup))

    def sittings(self) -> Iterator[list[Match]]:
        """The matches, some of one contest at a time."""
        for _, matches in groupby(self._read(), key=lambda match: match.block.series.contest.key):
            while together := list(islice(matches, TOGETHER)):
                yield together

    def _read(self) -> Iterator[Match]:
        number = 0
        for part in self._parts():
            series, endings = part.block.series, None
            for start in _matches(part):
                if number in self._chosen:
                    endings = endings or _endings(part.result)
                    block = Block(series, start, start + series.contest.games_per_match)
                    place = start - part.block.first
                    yield Match(block, endings[place : place + block.games])
                number += 1


class _Again:
    """Plays matches again and compares how they end."""

    def __init__(self, worker: Worker, by_machine: frozenset[str]) -> None:
        self._worker = worker
        self._by_machine = by_machine
        """Addresses of games with faults that another machine may not have."""
        self.not_compared = 0
        self.compared: list[Block] = []
        self.differing: list[str] = []

    def play(self, matches: list[Match]) -> None:
        """Play some matches of a contest."""
        results = self._worker.play_sitting(Sitting(tuple(match.block for match in matches)))
        for match, result in zip(matches, results, strict=True):
            if isinstance(result, Unavailable):
                self.not_compared += match.block.games
            elif _endings(result) == match.endings:
                self.compared.append(match.block)
            else:
                self._look_closer(match, result)

    def _look_closer(self, match: Match, result: BlockResult) -> None:
        """Play a match that ended differently twice more, by itself, so that no other game has a part in it."""
        block = match.block
        addresses = [str(block.series.address(deal)) for deal in range(block.first, block.stop)]
        try:
            alone = [self._worker.play(block) for _ in range(2)]
        except UnavailableError:
            self.not_compared += block.games
            return
        first, second = map(_endings, alone)
        faults = [fault for played in (result, *alone) for fault in played.faults if fault.kind in OF_THE_MACHINE]
        if faults or first != second or first == match.endings or not self._by_machine.isdisjoint(addresses):
            self.not_compared += block.games
            return
        self.compared.append(block)
        games = zip(addresses, match.endings, first, strict=True)
        self.differing += [address for address, stored, now in games if stored != now]


def _matches(part: BlockRecord) -> range:
    """The first deals of the matches of a stored block that count."""
    return range(part.span[0], part.span[1], part.block.series.contest.games_per_match)


def _endings(result: BlockResult) -> Endings:
    """How the games of a block ended, in their order."""
    at_fault: defaultdict[int, set[str]] = defaultdict(set)
    for fault in result.faults:
        at_fault[fault.deal].add(fault.bot)
    endings = enumerate(endings_of(result), result.block.first)
    return [(ending, frozenset(at_fault[deal])) for deal, ending in endings]


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
