"""The page of a league that was really played: its numbers are those of the results."""

from __future__ import annotations

import math
import re
from collections import Counter
from urllib.parse import quote

import msgspec
import numpy as np
import pytest

from league.page import samples, write_page
from league.page.build import CAUSES, fault_notes, gather
from league.page.matrices import _seat_scores, seats, settle
from league.page.samples import chosen
from league.plan.seating import seatings
from league.results.contest_standings import ContestStandings
from league.results.find import find
from league.results.standings import Standings
from league.results.store import Store
from league.results.tallies import Results
from league.values.block import Fault
from league.values.settings import Isolation, PageSettings
from tests.counting import stored, tally_of
from tests.page.leagues import BOTS, NASTY, play
from tests.rating import results as made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return play(tmp_path_factory.mktemp("league"))


@pytest.fixture(scope="module")
def store(folder):
    with Store.open(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def standings(store):
    return Standings.of(store)


@pytest.fixture(scope="module")
def page(store, standings):
    return gather(store, standings)


def test_boards_are_the_contests_and_all_together(page):
    assert [board.key for board in page.boards] == ["overall", "raj-2p", "raj-3p", "braverats-2p"]
    assert [board.title for board in page.boards] == ["Overall", "Raj, 2 players", "Raj, 3 players", "BraveRats"]
    assert "mime: True" in page.boards[3].subtitle
    assert "4 deals for each of 3 lineups" in page.boards[1].subtitle


def test_rows_are_the_lines_of_the_standings(page, standings):
    for board in page.boards[1:]:
        lines = standings.contests[board.key].lines
        assert [page.bots[row.bot].name for row in board.rows] == [line.bot for line in lines]
        assert [row.place for row in board.rows] == [line.place for line in lines]
        assert [msgspec.structs.replace(row.line, ms=None) for row in board.rows] == lines
    overall = {page.bots[row.bot].name for row in page.boards[0].rows}
    assert overall == {"first", "last", "rash"}, "a bot that does not play everything cannot be compared"


def test_headline_has_the_leaders_with_their_chances_as_the_standings_say(page, standings):
    assert [first.contest for first in page.firsts] == [*standings.contests]
    for first in page.firsts:
        chances = {line.bot: line.best for line in standings.contests[first.contest].lines}
        shown = [chances[page.bots[bot].name] for bot in first.bots]
        known = not any(map(math.isnan, chances.values()))
        assert list(first.chances) == (shown if known else [])


def test_meetings_are_the_head_to_head_of_the_contest(page, standings):
    for board in page.boards[1:]:
        one = standings.contests[board.key]
        for a, b, games, score, low, high, expected in board.meetings:
            at = one.bots.index(page.bots[a].name), one.bots.index(page.bots[b].name)
            assert games == one.pairs.games[at]
            found = (one.pairs.score[at], one.pairs.low[at], one.pairs.high[at], one.expected[at])
            assert (score, low, high, expected) == pytest.approx(found)
        assert len(board.meetings) == (one.pairs.games > 0).sum() / 2


def test_more_boards_show_meetings_of_fewer_bots(store, standings, page, monkeypatch):
    asked = []
    monkeypatch.setattr("league.page.matrices.shown_meetings", lambda boards: asked.append(boards) or 100)
    gather(store, standings)
    assert set(asked) == {len(page.boards) - 1}


def test_seats_hold_every_game_once_for_each_player(page, store):
    seats = Counter()
    for result in stored(store):
        series = result.block.series
        for _, number, ranks, games in tally_of(result).rankings:
            for seat, at in enumerate(seatings(len(ranks))[number].entrants, 1):
                seats[series.contest.key, seat, series.lineup[at].name] += games
    for board in page.boards[1:]:
        for bot, own in board.own_seats.items():
            for seat, games, score, _ in own:
                assert games == seats.pop((board.key, seat, page.bots[bot].name))
                assert 0 <= score <= 1
        assert sum(seat.score for seat in board.seats) / len(board.seats) == pytest.approx(0.5)
    assert not seats


def test_points_are_spread_as_they_were_counted(page, store):
    counted = Counter()
    for result in stored(store):
        series = result.block.series
        for at, points, games in tally_of(result).histogram:
            counted[series.contest.key, series.lineup[at].name, points] += games
    for board in page.boards[1:]:
        for spread in board.spreads:
            values = sorted(value for value, games in spread.histogram for _ in range(games))
            assert spread.median == values[(len(values) - 1) // 2]
            assert spread.lowest <= spread.quarter <= spread.median <= spread.three_quarters <= spread.highest
            for value, games in spread.histogram:
                assert games == counted.pop((board.key, page.bots[spread.bot].name, value))
    assert not counted


def test_ratings_settle_on_those_of_the_table(page):
    for board in page.boards:
        games, last = board.settling[-1]
        assert games == board.games
        assert dict(last) == pytest.approx({row.bot: row.line.rating for row in board.rows})
        assert [step for step, _ in board.settling] == sorted({step for step, _ in board.settling})


def test_a_ladder_settles_as_it_was_played(store, standings):
    ladder = msgspec.structs.replace(standings.prior, mode="online")
    one = ContestStandings(Results.of(store).contests["raj-2p"], ladder)
    steps = settle(one, ladder)
    _, group, games = one.table.cells
    present = np.unique(group)
    *counts, last = [step.games for step in steps]
    assert counts == [games[group < present[2**at]].sum() for at in range(len(counts))]
    assert len(present) / 2 <= 2 ** len(counts) / 2 < len(present)
    assert last == games.sum()
    assert list(steps[-1].ratings.values()) == pytest.approx(one.rating)
    assert steps[0].ratings != settle(one, standings.prior)[0].ratings


def test_faults_are_gathered_by_cause_with_their_tail(page, store):
    rash = [bot.name for bot in page.bots].index("rash")
    assert {note.bot for note in page.faults} == {rash}
    assert all(NASTY in note.cause and "raise ValueError" in note.tail for note in page.faults)
    assert {note.contest for note in page.faults} == {board.key for board in page.boards[1:]}
    assert sum(note.count for note in page.faults) == len(list(store.faults()))


def test_a_bot_that_invents_new_faults_does_not_flood_the_page():
    faults = [
        Fault("ann", f"raj-2p:ann+bob:{at}.0", "error", f"oops {at} {'!' * 9999}", "x" * 99_999) for at in range(5000)
    ]
    faults += [Fault("bob", "raj-2p:ann+bob:7.0", "timeout", "too slow")] * 3
    notes = fault_notes(faults, {"ann": 0, "bob": 1})
    assert [note.cause for note in notes if note.bot == 1] == ["too slow"]
    ann = [note for note in notes if note.bot == 0]
    assert len(ann) == CAUSES
    assert (ann[0].cause, ann[0].count) == ("other causes", 4000)
    assert max(len(note.cause) + len(note.tail) for note in notes) < 5000


def test_escape_characters_do_not_reach_the_page(tmp_path):
    sneaky = BOTS["first"].replace(NASTY, "Red\\x1b[31m\\u202e.\\n\\n    More\\x07.")
    config = "league: sneaky  # \x85\nbots: bots\ngames: [{game: raj, deals: 2}]\nisolation: trusted\n"
    wordy = 'class Bot:\n    "' + 5000 * "x" + '"\n    def choose(self, view): return view.legal[0]\n'
    folder = play(tmp_path, {"sneaky": sneaky, "wordy": wordy}, config)
    with Store.open(folder) as store:
        standings = Standings.of(store)
        card, long_card = gather(store, standings).bots
        html = write_page(store, standings, running=True).read_text()
    assert card.doc == "Red\\x1b[31m\\u202e.\n\nMore\\x07."
    assert long_card.doc == 4000 * "x" + " …"
    page = (folder / "bots" / "sneaky.html").read_text()
    assert "\\x1b[31m" in page
    assert not [char for char in html + page if not char.isprintable() and char not in "\n\t\u00a0"]


def test_decisions_have_a_time(page):
    assert all(row.line.ms is not None and row.line.ms > 0 for row in page.boards[0].rows)


def test_the_page_and_its_games_are_written(store, standings, folder):
    path = write_page(store, standings)
    html = path.read_text()
    games = sorted((folder / "games").iterdir())
    assert len(games) == len(chosen(store, standings))
    for game in games:
        assert f"games/{quote(game.name)}" in html + "".join(bot.read_text() for bot in (folder / "bots").iterdir())
        assert 'href="../standings.html"' in game.read_text()
    assert not list(folder.glob(".*.tmp"))
    assert html.count("<script") == 2
    assert {path.stem for path in (folder / "bots").iterdir()} == {bot.name for bot in store.bots()}


def test_slow_bots_do_not_keep_the_page_waiting(tmp_path, monkeypatch):
    config = "league: slow\nbots: bots\ngames: [{game: raj, deals: 2}]\nisolation: trusted\nmoves: none\n"
    folder = play(tmp_path, {name: BOTS[name] for name in ("first", "last")}, config)
    monkeypatch.setattr(samples, "PATIENCE", -1.0)
    with Store.open(folder) as store:
        assert samples.write_samples(store, Standings.of(store), PageSettings(), folder) == ()


def test_games_replayed_side_by_side_are_those_replayed_one_by_one(store, standings, monkeypatch, tmp_path):
    found = []
    for at_once in (1, 3):
        monkeypatch.setattr(samples, "AT_ONCE", at_once)
        folder = tmp_path / str(at_once)
        folder.mkdir()
        written = samples.write_samples(store, standings, PageSettings(), folder)
        found.append((written, [page.read_text() for page in sorted((folder / "games").iterdir())]))
    assert found[0] == found[1]
    assert [sample.address for sample in found[0][0]] == [str(game.address) for game, _ in chosen(store, standings)]


def test_nondeterministic_game_is_marked(tmp_path):
    """The bot plays by a file beside it, which changes after the league was played."""
    mood = tmp_path / "mood"
    mood.write_text("0")
    choice = f"view.legal[int(Path({str(mood)!r}).read_text())]"
    moody = f"from pathlib import Path\nclass Bot:\n    def choose(self, view):\n        return {choice}\n"
    config = "league: moody\nbots: bots\ngames: [{game: braverats, deals: 2}]\nisolation: trusted\nmoves: none\n"
    folder = play(tmp_path, {"moody": moody, "last": BOTS["last"]}, config)
    words = "not the game that was counted"
    for now, told in (("0", False), ("-1", True)):
        mood.write_text(now)
        with Store.open(folder) as store:
            html = write_page(store, Standings.of(store), isolation=Isolation.TRUSTED).read_text()
        games = [game.read_text() for game in (folder / "games").iterdir()]
        assert (f"{words}</em>" in html) == told
        assert any(words in game for game in games) == told


def test_a_league_without_games_has_a_page(tmp_path):
    folder = play(tmp_path, games=0)
    with Store.open(folder) as store:
        page = gather(store, Standings.of(store), running=True)
        html = write_page(store, Standings.of(store), running=True).read_text()
    assert page.progress is not None
    assert page.progress.played == 0
    assert page.progress.total == 4 * 3 * 2 + 4 * 3 + 3 * 6 * 2
    assert "no games yet" in html
    assert not (folder / "games").exists()


def test_what_was_played_names_games_with_their_table_sizes(page, store):
    games = len(list(find(store)))
    assert page.what.startswith(f"{len(page.bots)} bots, {games:,} games of ")
    assert re.search(r"Raj \(2( and 3)? players\)", page.what), page.what


def test_a_group_without_games_does_not_count_for_an_interval():
    (found,) = _seat_scores(np.array([[2.0], [0.0]]), np.array([[1.0], [0.0]]))
    assert found == (1, 2, 0.5, ())


@pytest.mark.parametrize(("deals", "ends"), [(1, 0), (2, 2)])
def test_seats_have_intervals_from_two_deals_on(deals, ends):
    raj = made.contest("raj", 2)
    blocks = [
        made.result(made.block(raj, ("ann", "bob"), 0, deals), [[deal % 2, 1 - deal % 2] for deal in range(deals)])
    ]
    table = Standings(made.results_of(blocks, [raj], dict.fromkeys(("ann", "bob"), ("raj-2p",)))).contests["raj-2p"]
    of_seats, own = seats(table, {"ann": 0, "bob": 1})
    every = [*of_seats, *(seat for of_bot in own.values() for seat in of_bot)]
    assert {len(seat.interval) for seat in every} == {ends}
    assert {seat.games for seat in every} == {deals}
