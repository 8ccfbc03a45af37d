"""A trial for one bot: some games against random bots in each contest, to find its faults."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from time import monotonic
from typing import Any
from xml.etree import ElementTree

import msgspec

from league.analysis.audit import (
    OTHER_GAMES,
    OTHER_TABLES,
    Finding,
    Listener,
    finding_of,
    why_not_alike,
)
from league.games.contract import Game
from league.hosts import Host, Printed, Tick
from league.hosts.factory import HostFactory
from league.play.match import play_block
from league.setup.roster import Bot, random_bot
from league.tools.text import counted, listed, safe, shorten, shown_path
from league.values.block import Block, BlockResult, Entrant, Fault, Series, Usage
from league.values.settings import Contest, Isolation, Limits

DEALS = 5
"""In each contest, or the fewest that make a whole match; each deal is played in every seat rotation."""
MOST_SECONDS = 600.0
"""By the clock, for a whole check, besides twice the time that its decisions may take: others wait behind it."""
MOST_ASLEEP = 20.0
"""Seconds that a bot may sleep at a game before its trial is cut short."""
SLEEPY = 0.1
"""Seconds asleep in a game, from which on people are warned: a league has to wait for them."""


class Trial(msgspec.Struct, frozen=True):
    """How a bot did at one game."""

    game: str
    tables: tuple[int, ...]
    games: int
    usage: Usage
    faults: tuple[Fault, ...]
    printed: Printed
    not_alike: Finding | None = None
    """If it is not deterministic: in what way, and where, as an audit would say it."""

    @property
    def starting(self) -> float:
        """Seconds of processor time that one of its processes needs to be loaded."""
        return self.usage.starting / max(self.usage.starts, 1.0)

    @property
    def not_loaded(self) -> bool:
        """Whether the bot could not even be loaded, so that it was not tried any further."""
        return any(fault.kind == "import" for fault in self.faults)


def random_bots(count: int) -> tuple[Bot, ...]:
    """N bots that choose at random, whatever is played."""
    return tuple(random_bot(f"opponent-{number}") for number in range(1, count + 1))


def check(
    bot: Bot, contests: Sequence[Contest], isolation: Isolation, limits: Limits
) -> tuple[list[str], dict[str, Any]]:
    """Try a bot in some contests; returns how it did, in lines for people and as the whole verdict for programs."""
    done = trials(bot, contests, isolation, limits)
    lines = [line for trial in done for line in (f"{bot.name} {_result(trial)}", *_causes(trial.faults))]
    lines += _about_prints(bot, done)
    if bot.command and not any(trial.not_loaded for trial in done):
        starting = min([trial.starting for trial in done], default=0.0)
        lines.append(f"{bot.name} starts in {starting:.2g} s of processor time, once for each sitting of a league.")
    lines += [f"Warning: {warning}" for warning in _warnings(bot, done)]
    return lines, _as_data(bot, done)


def trials(bot: Bot, contests: Sequence[Contest], isolation: Isolation, limits: Limits) -> list[Trial]:
    """Play a bot in some contests, always on the same deals; a trial for each game.

    A bot that cannot be loaded is tried no further: it would take as long to fail in every other game.
    """
    by_game: dict[str, list[Contest]] = {}
    for contest in contests:
        by_game.setdefault(contest.game, []).append(contest)
    most = max([contest.players for contest in contests], default=1)
    done: list[Trial] = []
    with closing(_Stage(bot, random_bots(most - 1), isolation, limits)) as stage:
        for name, of_game in by_game.items():
            if done and (done[-1].not_loaded or stage.is_late):
                break
            done.append(stage.trial(name, of_game))
    return done


class _LateError(Exception):
    """A check has taken too long by the clock."""


class _Stage:
    """Where a bot is tried."""

    def __init__(self, bot: Bot, opponents: Sequence[Bot], isolation: Isolation, limits: Limits) -> None:
        self._entrant = bot.entrant()
        self._opponents = [opponent.entrant() for opponent in opponents]
        self._bots = {entry.entrant(): entry for entry in (bot, *opponents)}
        self._answers_many = any(b"choose_many" in text for text in (bot.source, *(file.content for file in bot.files)))
        self._limits = limits
        self._factory = HostFactory(isolation, limits, on_print=self._hear)
        self._until = monotonic() + MOST_SECONDS
        self._listener: Listener
        self._printed = Printed()

    def close(self) -> None:
        self._factory.close()

    @property
    def is_late(self) -> bool:
        """Whether the check has taken too long."""
        return monotonic() > self._until

    def hurry(self, tick: Tick) -> None:
        """The bot is about to be asked this; raises `_LateError` if there is no time left."""
        self._until += 2 * len(tick.slots) * self._limits.move_ms / 1000
        if self.is_late:
            raise _LateError

    def trial(self, name: str, contests: Sequence[Contest]) -> Trial:
        """Try the bot at the contests of one game."""
        self._printed = Printed()
        usage, games, tables = Usage(0, 0.0), 0, dict[int, None]()
        faults: list[Fault] = []
        not_alike: Finding | None = None
        for block in self._blocks(contests):
            tables[block.series.contest.players] = None
            try:
                result = play_block(block, self._open)
                faults += [fault for fault in result.faults if fault.bot == self._entrant.name]
                usage = usage.plus(result.usage[block.series.lineup.index(self._entrant)])
                if not games and not faults:
                    not_alike = self._not_alike(result)
            except _LateError:
                cause = f"its check took more than {MOST_SECONDS:.0f} s by the clock, so the rest was not tried"
                address = str(block.series.address(block.first))
                faults.append(Fault(self._entrant.name, address, "timeout", cause))
                break
            games += block.games
            if any(fault.kind == "import" for fault in faults) or usage.asleep > MOST_ASLEEP:
                break
        return Trial(name, tuple(tables), games, usage, tuple(faults), self._printed, not_alike)

    def _blocks(self, contests: Sequence[Contest]) -> Iterator[Block]:
        for contest in contests:
            lineup = tuple(sorted([self._entrant, *self._opponents[: contest.players - 1]]))
            for rotation in range(contest.players):
                series = Series(contest, lineup, rotation, 0, self._limits, luck_follows="seed")
                yield Block(series, 0, -(-DEALS // contest.games_per_match) * contest.games_per_match)

    def _open(self, entrant: Entrant, game: Game) -> Host:
        if entrant != self._entrant:
            return self._factory.open(self._bots[entrant], game)
        self._listener = self._open_own(game)
        return self._listener

    def _open_own(self, game: Game) -> Listener:
        return Listener(self._factory.open(self._bots[self._entrant], game), game, self.hurry)

    def _not_alike(self, result: BlockResult) -> Finding | None:
        """Send the bot some matches of a block again, each alone, to see whether it is deterministic.

        These are two, or all if it answers for many tables at once.
        """
        listener, block, bot = self._listener, result.block, self._bots[self._entrant]
        per_match = block.series.contest.games_per_match
        last, printed = block.games // per_match - 1, self._printed
        finding = None
        for slot in range(last + 1) if self._answers_many else sorted({min(1, last), last}):
            difference = why_not_alike(partial(self._open_own, listener.game), listener.told(slot) or [])
            if difference is not None:
                finding = finding_of(result, bot, block.first + slot * per_match + difference.game, difference)
                if self._answers_many and finding.reason == OTHER_GAMES:
                    finding = finding._replace(reason=OTHER_TABLES)
                break
        self._printed = printed  # what it prints when the same is sent again is nothing new
        return finding

    def _hear(self, name: str, printed: Printed) -> None:
        if name == self._entrant.name:
            known = self._printed
            beginning = (known.beginning + printed.beginning)[:2000]
            self._printed = Printed(known.size + printed.size, beginning)


QUOTED = "    "
_MOST_CAUSES = 5
_MOST_PRINTED = 5


def _as_data(bot: Bot, done: Sequence[Trial]) -> dict[str, Any]:
    """The whole verdict, for `--json`."""
    return {
        "bot": bot.name,
        "hash": bot.hash,
        "passed": bool(done) and not any(trial.faults for trial in done),
        "trials": [_trial_data(trial) for trial in done],
        "printed": {
            "bytes": sum(trial.printed.size for trial in done),
            "beginning": next((trial.printed.beginning for trial in done if trial.printed.size), ""),
        },
        "warnings": _warnings(bot, done),
    }


def junit_report(verdicts: Sequence[dict[str, Any]]) -> str:
    """Verdicts as JUnit's XML: a suite for each file, a case for each game."""
    suites = ElementTree.Element("testsuites")
    for verdict in verdicts:
        suite = ElementTree.SubElement(suites, "testsuite", name=safe(verdict["file"]))
        if verdict["problem"]:
            _add_case(suite, "reading", [safe(verdict["problem"])])
        for trial in verdict.get("trials", ()):
            faults = [
                f"{fault['count']}x {fault['kind']}: {fault['cause']}\n{fault['tail']}" for fault in trial["faults"]
            ]
            _add_case(suite, trial["game"], faults)
        suite.set("tests", str(len(suite)))
        suite.set("failures", str(len(suite.findall("testcase/failure"))))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: ElementTree.Element, name: str, faults: Sequence[str]) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=suite.get("name", ""), name=name)
    if faults:
        failure = ElementTree.SubElement(case, "failure", message=faults[0].partition("\n")[0])
        failure.text = "\n".join(faults)


def _trial_data(trial: Trial) -> dict[str, Any]:
    return {
        "game": trial.game,
        "players": trial.tables,
        "loaded": not trial.not_loaded,
        "games": trial.games,
        "decisions": trial.usage.decisions,
        "ms_per_decision": _pace(trial),
        "start_ms": round(1000 * trial.starting, 1),
        "not_alike": None if trial.not_alike is None else trial.not_alike._asdict(),
        "faults": [
            {"kind": kind, "cause": cause, "count": len(alike), "address": alike[0].address, "tail": alike[0].tail}
            for (kind, cause), alike in _alike(trial.faults).items()
        ],
    }


def _result(trial: Trial) -> str:
    tables = listed([str(players) for players in dict.fromkeys(trial.tables)])
    where = f"{counted(trial.games, 'game')} at tables of {tables}"
    if trial.not_loaded:
        return f"fails at {trial.game}: it cannot be loaded, so nothing else was tried."
    if trial.faults:
        return f"fails at {trial.game}: {counted(len(trial.faults), 'fault')} in {where}."
    return f"plays {trial.game}: {where}, no faults, {_pace(trial):.2g} ms a decision."


def _pace(trial: Trial) -> float:
    """Milliseconds a decision."""
    return 1000 * trial.usage.seconds / max(1, trial.usage.decisions)


def _about_prints(bot: Bot, done: Sequence[Trial]) -> Iterator[str]:
    """How much a bot prints, how that begins, and how to see the rest."""
    printing = [trial for trial in done if trial.printed.size]
    if not printing or (bot.command and any(trial.faults for trial in done)):
        return  # what a program printed is shown with its faults
    size, games = sum(trial.printed.size for trial in printing), sum(trial.games for trial in printing)
    amount = f"{counted(size, 'byte')} in {counted(games, 'game')}"
    where = "writes to standard error" if bot.command else "prints"
    yield f"{bot.name} {where}, which is not shown in a league: {amount}. It begins:"
    for line in printing[0].printed.beginning.splitlines()[:_MOST_PRINTED]:
        yield f"{QUOTED}{shorten(line, 100)}"
    table = [shown_path(bot.path)] * printing[0].tables[0]
    yield "  To see it in a game, round by round:"
    yield f"{QUOTED}league match {shlex.quote(printing[0].game)} {' '.join(table)}"


def _warnings(bot: Bot, done: Sequence[Trial]) -> list[str]:
    """That the bot's results are not reproducible, that it sleeps, or that it takes long to start, if so."""
    warnings = [str(trial.not_alike) for trial in done if trial.not_alike][:1]
    asleep = max((trial.usage.asleep / max(1, trial.games) for trial in done), default=0.0)
    if asleep >= SLEEPY:
        warnings.append(
            f"{bot.name} sleeps for {asleep:.1f} s in each game, and a league has to wait for it."
            " Remove what sleeps or waits, such as time.sleep."
        )
    return warnings


def _causes(faults: Sequence[Fault]) -> Iterator[str]:
    """How often there was each cause, with the end of its first traceback."""
    alike = _alike(faults)
    for (kind, cause), same in list(alike.items())[:_MOST_CAUSES]:
        often = "" if kind == "import" else f"{len(same):,}x "
        yield f"  {often}{kind}: {cause}"
        for line in same[0].tail.splitlines():
            yield f"  (the first time {line})" if kind == "illegal" else f"{QUOTED}{line}"
    if len(alike) > _MOST_CAUSES:
        others = sum(map(len, list(alike.values())[_MOST_CAUSES:]))
        yield f"  and {counted(len(alike) - _MOST_CAUSES, 'other cause')} ({counted(others, 'fault')})."


def _alike(faults: Sequence[Fault]) -> dict[tuple[str, str], list[Fault]]:
    """Faults by kind and cause."""
    alike: dict[tuple[str, str], list[Fault]] = {}
    for fault in faults:
        alike.setdefault((fault.kind, fault.cause), []).append(fault)
    return alike
