"""The page of a league that was really played: its numbers are those of the results."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import quote

import msgspec
import numpy as np
import pytest

from league.page import samples, write_page
from league.page.build import CAUSES, _seat_scores, fault_notes, gather, seats, settle
from league.page.charts import mean_of, quantiles
from league.page.privacy import Privacy
from league.page.samples import chosen
from league.plan.seating import seatings
from league.results.contest_standings import ContestStandings
from league.results.find import find
from league.results.standings import Standings
from league.results.store import Store
from league.results.tallies import Results
from league.values.block import Fault
from league.values.settings import Isolation
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
    return gather(store, standings, Privacy.of(store))


def test_boards_are_the_contests_and_all_together(page):
    assert [board.key for board in page.boards] == ["overall", "raj-2p", "raj-3p", "braverats-2p"]
    assert [board.title for board in page.boards] == ["Overall", "Raj, 2 players", "Raj, 3 players", "BraveRats"]
    assert "mime: True" in page.boards[3].subtitle
    assert "4 deals for each of 3 lineups" in page.boards[1].subtitle


def test_rows_are_the_lines_of_the_standings(page):
    overall = {line.bot for line in page.boards[0].lines}
    assert overall == {"first", "last", "rash"}, "a bot that does not play everything cannot be compared"


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
                assert games == seats.pop((board.key, seat, bot))
                assert 0 <= score <= 1
        assert sum(seat.score for seat in board.seats) / len(board.seats) == pytest.approx(0.5)
    assert not seats


def test_points_are_spread_as_they_came(page):
    for histogram in (found for board in page.boards for found in board.histograms.values()):
        values = sorted(Counter(histogram).elements())
        lowest, quarter, median, three_quarters, highest = quantiles(histogram)
        assert median == values[(len(values) - 1) // 2]
        assert lowest <= quarter <= median <= three_quarters <= highest
        assert mean_of(histogram) == pytest.approx(np.mean(values))


def test_ratings_settle_on_those_of_the_table(page):
    for board in page.boards:
        games, last = board.settling[-1]
        assert games == board.games
        assert {line.bot: last[line.bot] for line in board.lines} == pytest.approx(
            {line.bot: line.rating for line in board.lines}
        )
        assert [step for step, _ in board.settling] == sorted({step for step, _ in board.settling})


def test_a_ladder_settles_as_it_was_played(store, standings):
    ladder = msgspec.structs.replace(standings.prior, mode="online")
    one = ContestStandings(Results.of(store).contests["raj-2p"], ladder)
    steps = settle(one, ladder, one.bots)
    _, group, games = one.table.cells
    present = np.unique(group)
    *counts, last = [played for played, _ in steps]
    assert counts == [games[group < present[2**at]].sum() for at in range(len(counts))]
    assert len(present) / 2 <= 2 ** len(counts) / 2 < len(present)
    assert last == games.sum()
    assert list(steps[-1][1].values()) == pytest.approx(one.rating)
    assert steps[0][1] != settle(one, standings.prior, one.bots)[0][1]


def test_faults_are_gathered_by_cause_with_their_tail(page, store):
    assert {fault.bot for fault, _ in page.faults} == {"rash"}
    assert all(NASTY in fault.cause and "raise ValueError" in fault.tail for fault, _ in page.faults)
    assert {fault.contest for fault, _ in page.faults} == {board.key for board in page.boards[1:]}
    assert sum(count for _, count in page.faults) == len(list(store.faults()))


def test_a_bot_that_invents_new_faults_does_not_flood_the_page():
    faults = [
        Fault("ann", f"raj-2p:ann+bob:{at}.0", "error", f"oops {at} {'!' * 9999}", "x" * 99_999) for at in range(5000)
    ]
    faults += [Fault("bob", "raj-2p:ann+bob:7.0", "timeout", "too slow")] * 3
    notes = fault_notes(faults)
    assert [fault.cause for fault, _ in notes if fault.bot == "bob"] == ["too slow"]
    ann = [(fault.cause, count) for fault, count in notes if fault.bot == "ann"]
    assert len(ann) == CAUSES
    assert ann[0] == ("other causes", 4000)
    assert max(len(fault.cause) + len(fault.tail) for fault, _ in notes) < 5000


def test_escape_characters_do_not_reach_the_page(tmp_path):
    sneaky = BOTS["first"].replace(NASTY, "Red\\x1b[31m\\u202e.\\n\\n    More\\x07.")
    config = "league: sneaky  # \x85\nbots: bots\ngames: [{game: raj, deals: 2}]\nisolation: trusted\n"
    wordy = 'class Bot:\n    "' + 5000 * "x" + '"\n    def choose(self, view): return view.legal[0]\n'
    folder = play(tmp_path, {"sneaky": sneaky, "wordy": wordy}, config)
    with Store.open(folder) as store:
        standings = Standings.of(store)
        docs = gather(store, standings, Privacy.of(store)).docs
        html = write_page(store, standings, running=True).read_text()
    assert docs == {"sneaky": "Red\\x1b[31m\\u202e.\n\nMore\\x07.", "wordy": 4000 * "x" + " …"}
    page = (folder / "bots" / "sneaky.html").read_text()
    assert "\\x1b[31m" in page
    assert not [char for char in html + page if not char.isprintable() and char not in "\n\t\u00a0"]


def test_decisions_have_a_time(page):
    assert {line.bot for line in page.boards[0].lines} <= page.boards[0].times.keys()
    assert min(page.boards[0].times.values()) > 0


def test_the_page_and_its_games_are_written(store, standings, folder, page):
    path = write_page(store, standings)
    html = path.read_text()
    games = sorted((folder / "games").iterdir())
    assert len(games) == len(chosen(store, standings))
    for game in games:
        assert f"games/{quote(game.name)}" in html + "".join(bot.read_text() for bot in (folder / "bots").iterdir())
        assert 'href="../standings.html"' in game.read_text()
    assert not list(folder.glob(".*.tmp"))
    assert html.count("<script") == 2
    assert {path.stem for path in (folder / "bots").iterdir()} == page.docs.keys()


def test_slow_bots_do_not_keep_the_page_waiting(tmp_path, monkeypatch):
    config = "league: slow\nbots: bots\ngames: [{game: raj, deals: 2}]\nisolation: trusted\nmoves: none\n"
    folder = play(tmp_path, {name: BOTS[name] for name in ("first", "last")}, config)
    monkeypatch.setattr(samples, "PATIENCE", -1.0)
    with Store.open(folder) as store:
        assert samples.write_samples(store, Standings.of(store), Privacy.of(store), folder) == ()


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
        page = gather(store, Standings.of(store), Privacy.of(store), running=True)
        html = write_page(store, Standings.of(store), running=True).read_text()
    assert page.progress is not None
    assert page.progress.played == 0
    assert page.progress.total == 4 * 3 * 2 + 4 * 3 + 3 * 6 * 2
    assert "no games yet" in html
    assert not (folder / "games").exists()


def test_what_was_played_names_games_with_their_table_sizes(page, store):
    games = len(list(find(store)))
    assert page.what.startswith(f"{len(page.docs)} bots, {games:,} games of ")
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
    of_seats, own = seats(table, ("ann", "bob"))
    every = [*of_seats, *(seat for of_bot in own.values() for seat in of_bot)]
    assert {len(seat.interval) for seat in every} == {ends}
    assert {seat.games for seat in every} == {deals}
