"""The benchmark runs and measures what it says; how fast it is, is not for a test to say."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

import pytest

from benchmarks import __main__ as runner
from benchmarks import duels, efforts
from benchmarks import games as games_section
from league import games
from tests.tables import each


@each("name", runner.SECTIONS | runner.ON_REQUEST)
def test_every_section_is_a_module_that_can_run(name):
    assert callable(import_module(f"benchmarks.{name}").run)


def test_an_unknown_section_is_refused_with_the_known_ones(capsys):
    assert runner.main(["gmaes"]) == 2
    assert capsys.readouterr().err.startswith(
        f"There is no section 'gmaes'; the sections are {next(iter(runner.SECTIONS))}, "
    )


def test_rows_are_printed_as_a_table(monkeypatch, capsys):
    section = ModuleType("benchmarks.fake")
    section.run = lambda: iter([{"what": "a", "µs": 1.234}, {"what": "long", "µs": 10}])
    monkeypatch.setitem(sys.modules, "benchmarks.fake", section)
    monkeypatch.setattr(runner, "SECTIONS", {"fake": "nothing much"})
    assert runner.main([]) == 0
    assert capsys.readouterr().out == "\nfake: nothing much\nwhat    µs\na     1.23\nlong    10\n"


def test_games_have_a_row_for_every_player_count(monkeypatch):
    monkeypatch.setattr(games_section, "DECISIONS", 1)
    monkeypatch.setattr(games_section, "ROUNDS", 1)
    rows = list(games_section.run())
    tables = [f"{name}-{players}p" for name in games.names() for players in games.find(name).player_counts]
    assert [row["game"] for row in rows] == tables
    for row in rows:
        if row["game"].startswith("raj"):
            assert row["decisions/game"] == 15 * int(row["game"][-2])


@each("constant", sorted({constant for constant, _ in efforts.EFFORTS.values()}))
def test_the_searcher_can_be_given_another_effort(constant):
    assert efforts.searching(constant, 7).choose.__globals__[constant] == 7


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        (("raj-3p", "raj_memory"), {("raj-3p", "raj_memory")}),
        (("rats_prince",), {("braverats-2p", "rats_prince")}),
        (("raj", "stubborn"), {(f"raj-{players}p", "stubborn") for players in (2, 3, 4, 5)}),
    ],
)
def test_duels_are_fought_at_the_tables_and_against_the_bots_asked_for(wanted, rows, monkeypatch):
    monkeypatch.setattr(duels, "fight", lambda *of: None)
    monkeypatch.setattr(duels, "row", lambda game, players, rival, found: (f"{game}-{players}p", rival))
    assert {*duels.run(*wanted)} == rows
    everybody = {rival for _, rival in duels.run(*{table for table, _ in rows})}
    assert {rival for _, rival in rows} < everybody
