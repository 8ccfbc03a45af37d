"""A check has a limit by the clock, whatever its bot does."""

from pathlib import Path

import pytest

from league import games
from league.analysis import bot_check
from league.analysis.bot_check import check
from league.setup.roster import Bot
from league.values.settings import Contest, Isolation, Limits

BOT = Bot("patient", Path("patient.py"), b"class Bot:\n    def choose(self, view): return view.legal[0]", "hash")
CONTESTS = [Contest.of(games.make("raj", 2)), Contest.of(games.make("braverats", 2))]


def tried(monkeypatch: pytest.MonkeyPatch, each: float, move_ms: int) -> tuple[list[str], list[str]]:
    """What is told of a bot, and its kinds of faults, if this many seconds pass whenever the clock is looked at."""
    now = [0.0]

    def look() -> float:
        now[0] += each
        return now[0]

    monkeypatch.setattr(bot_check, "monotonic", look)
    lines, verdict = check(BOT, CONTESTS, Isolation.TRUSTED, Limits(move_ms=move_ms))
    return lines, [fault["kind"] for trial in verdict["trials"] for fault in trial["faults"]]


def test_a_check_that_takes_too_long_by_the_clock_fails_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    lines, _ = tried(monkeypatch, each=700.0, move_ms=100)
    assert lines == [
        "patient fails at raj: 1 fault in 0 games at tables of 2.",
        "  1x timeout: its check took more than 600 s by the clock, so the rest was not tried",
    ]


def test_a_check_has_twice_the_time_of_its_decisions_besides(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot may be slow, as far as the limits of the league allow it."""
    assert tried(monkeypatch, each=2.0, move_ms=1000)[1] == []
    assert tried(monkeypatch, each=100.0, move_ms=1000)[1] == ["timeout"]
