"""What a bot's trials came to: sentences for people, plain data for programs."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from league.analysis.audit import advice
from league.analysis.bot_check import Trial
from league.setup.roster import Bot
from league.tools.text import counted, listed, safe, shorten, shown_path
from league.values.block import Fault

QUOTED = "    "
"""The indentation of quoted text."""
_MOST_CAUSES = 5
_MOST_PRINTED = 5
"""Lines of what a bot prints that are shown."""
_PRINTED_COLUMNS = 100


def about_trial(bot: Bot, trial: Trial) -> Iterator[str]:
    """How a bot did at one game, in a sentence, and every kind of fault with its cause."""
    yield f"{bot.name} {_result(trial)}"
    yield from _causes(trial.faults)


def about_all(bot: Bot, done: Sequence[Trial]) -> Iterator[str]:
    """What a bot prints, what it costs to start it if it is a program, and whether it is deterministic."""
    yield from _about_prints(bot, done)
    if bot.command and not any(trial.not_loaded for trial in done) and not _compiles_at_start(bot):
        yield f"{bot.name} starts in {_starting(done)} of processor time, once for each sitting of a league."
    yield from (f"Warning: {bot.name} {warning}" for warning in _warnings(bot, done))


def as_data(bot: Bot, done: Sequence[Trial]) -> dict[str, Any]:
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
        "decisions": trial.decisions,
        "ms_per_decision": _pace(trial),
        "start_ms": round(1000 * trial.starting, 1),
        "not_alike": None if trial.not_alike is None else trial.not_alike._asdict(),
        "reads_in_every_match": trial.reads,
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
    return 1000 * trial.seconds / max(1, trial.decisions)


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
        yield f"{QUOTED}{shorten(line, _PRINTED_COLUMNS)}"
    table = [shown_path(bot.path)] * printing[0].tables[0]
    yield "  To see it beside the rounds of a game:"
    yield f"{QUOTED}league match {shlex.quote(printing[0].game)} {' '.join(table)}"


def _warnings(bot: Bot, done: Sequence[Trial]) -> list[str]:
    """That the bot's results are not reproducible, or that it loads its files again and again, if so."""
    findings = [trial.not_alike for trial in done if trial.not_alike][:1]
    warnings = [f"{known.reason} (seen in {known.place}). {advice(known.reason, bot)}" for known in findings]
    if reads := sorted({name for trial in done for name in trial.reads}):
        where = "when it starts" if bot.command else "at the top of bot.py, outside of its class"
        warnings.append(f"reads {listed(reads)} in every match, which takes time. Load it once, {where}.")
    if _compiles_at_start(bot) and not any(trial.not_loaded for trial in done):
        hint = "Compile it once with `build` in bot.toml: docs/languages.md shows how."
        warnings.append(f"starts in {_starting(done)} of processor time, since it is compiled at every start. {hint}")
    return warnings


def _compiles_at_start(bot: Bot) -> bool:
    """Whether a program is given to Java as source, which Java then compiles each time."""
    return bot.command[:1] == ("java",) and any(word.endswith(".java") for word in bot.command)


def _starting(done: Sequence[Trial]) -> str:
    return f"{min([trial.starting for trial in done], default=0.0):.2g} s"


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
