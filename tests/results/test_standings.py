"""From blocks to standings and files."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from league.errors import LeagueError
from league.rating.fit import fit
from league.results.contest_standings import ContestStandings, records
from league.results.csvs import write_csvs
from league.results.games import games_of
from league.results.lines import PARTIAL, UNPLAYED, Line, board, boards, sorted_lines
from league.results.outcomes import Ending, result_of
from league.results.report import leaders, likely, lines_table, notice_lines, shown_chance, story
from league.results.standings import Standings
from league.results.tallies import Results
from league.values.block import DEAL_GROUPS, Block, Entrant, Series
from league.values.settings import Limits, Rating
from tests.rating.results import block, blocks_of, contest, fault, result, results_of

SKILLS = {"ann": 6.0, "bob": 0.0, "cy": -1.0, "dee": -6.0}
TWO, THREE = contest("raj", 2), contest("raj", 3)
ALL = ("raj-2p", "raj-3p")


def everything(order=None):
    blocks = [*blocks_of(TWO, SKILLS), *blocks_of(THREE, SKILLS)]
    blocks = blocks if order is None else [blocks[at] for at in order]
    return results_of(blocks, [TWO, THREE], dict.fromkeys(SKILLS, ALL))


@pytest.fixture(scope="module")
def standings():
    return Standings(everything())


def line(**changes):
    values = {"place": "1", "bot": "ann", "games": 1, "rating": 25.0, "sigma": 1.0, "low": 24.0, "high": 26.0}
    values |= {"wins": 1, "draws": 0, "mean_score": 1.0}
    return Line(**values | changes)


def test_the_order_of_blocks_leaves_no_trace_in_any_file(tmp_path):
    shuffled = np.random.default_rng(0).permutation(24)
    for name, results in (("one", everything()), ("two", everything(shuffled))):
        (tmp_path / name).mkdir()
        written = write_csvs(tmp_path / name, Standings(results))
        assert [path.name for path in written] == [
            *("standings.csv", "standings-raj-2p.csv", "standings-raj-3p.csv", "head_to_head.csv", "notices.txt")
        ]
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_counts_are_in_one_order_whatever_the_order_of_blocks():
    """Also where two rows differ in their seats alone."""
    shuffled = np.random.default_rng(0).permutation(24)
    one, two = (results.contests["raj-3p"].counts() for results in (everything(), everything(shuffled)))
    for column, other in zip(one, two, strict=True):
        assert (column == other).all()


def test_overall_every_contest_counts_equally(standings):
    two, three = (standings.contests[key] for key in ALL)
    for one in standings.overall:
        parts = [next(part for part in contest.lines if part.bot == one.bot) for contest in (two, three)]
        assert one.games == parts[0].games + parts[1].games
        assert parts[0].games != parts[1].games
        assert one.rating == pytest.approx(np.mean([part.rating for part in parts]))
        assert one.mean_score == pytest.approx(np.mean([part.mean_score for part in parts]))
        assert one.low < one.rating < one.high
        assert one.sigma == pytest.approx(np.hypot(*(part.sigma for part in parts)) / 2)
        # Contests are independent: errors add up as squares, and the mean of two has half of their sum.
        width = np.hypot(*(part.high - part.low for part in parts)) / 2
        assert one.high - one.low == pytest.approx(width, rel=0.1)
        assert (one.low + one.high) / 2 == pytest.approx(one.rating, abs=0.15 * width)


@pytest.mark.soak
def test_overall_intervals_cover_the_truth_in_95_of_100_leagues():
    """Bots are not equally good at all games, and the games are not played equally often."""
    rng = np.random.default_rng(11)
    covered = []
    for seed in range(100):
        truths = [dict(zip(SKILLS, rng.normal(0, 3, len(SKILLS)), strict=True)) for _ in (TWO, THREE)]
        deals = (40, 10)
        blocks = [one for args in zip((TWO, THREE), truths, deals, strict=True) for one in blocks_of(*args, seed)]
        standings = Standings(results_of(blocks, [TWO, THREE], dict.fromkeys(SKILLS, ALL)))
        overall = {name: np.mean([truth[name] - np.mean(list(truth.values())) for truth in truths]) for name in SKILLS}
        covered += [one.low <= 25 + overall[one.bot] <= one.high for one in standings.overall]
    assert 0.92 <= np.mean(covered) <= 0.98


def test_wins_draws_and_place_scores():
    """A shared first place is a draw; place scores run from 1 to 0 and ties are averaged."""
    ranks = [[0, 1, 2]] * 2 + [[0, 0, 2]] * 3 + [[2, 0, 0]] + [[0, 1, 1]]
    results = results_of([result(block(THREE, "abc", deals=7), ranks)], [THREE], dict.fromkeys("abc", ("raj-3p",)))
    record = records(results.contests["raj-3p"].counts(), 3)
    assert record.games.tolist() == [7, 7, 7]
    assert record.wins.tolist() == [3, 0, 0]
    assert record.draws.tolist() == [3, 4, 1]
    assert record.score == pytest.approx([2 + 3 * 0.75 + 0 + 1, 2 * 0.5 + 3 * 0.75 + 0.75 + 0.25, 0.75 + 0.25])


def test_partial_bots_are_listed_below_and_marked():
    blocks = [*blocks_of(TWO, {**SKILLS, "pro": 20.0}), *blocks_of(THREE, SKILLS)]
    plays = {**dict.fromkeys(SKILLS, ALL), "pro": ["raj-2p"], "zed": ALL}
    standings = Standings(results_of(blocks, [TWO, THREE], plays))
    assert [(one.bot, one.place) for one in standings.overall[-2:]] == [("pro", PARTIAL), ("zed", UNPLAYED)]
    assert standings.overall[0].bot == "ann"
    assert standings.contests["raj-2p"].lines[0].bot == "pro"
    assert any("do not play every game" in text and "pro" in text for text in standings.notices)
    assert any("no games yet" in text and "zed" in text for text in standings.notices)
    idle = standings.overall[-1]
    assert idle.high - idle.low > 20


def test_unfinished_league_places_only_bots_in_all_contests():
    """cy has not begun with three, dee never will; without dee, the places of a single begun contest count."""
    some = {name: skill for name, skill in SKILLS.items() if name != "dee"}
    plays = {**dict.fromkeys(some, ALL), "dee": ["raj-2p"]}
    only_two = Standings(results_of(blocks_of(TWO, SKILLS), [TWO, THREE], plays))
    assert {one.bot: one.place for one in only_two.overall}["dee"] == PARTIAL
    assert sum(one.place[0].isdigit() for one in only_two.overall) == 3
    more = [*blocks_of(TWO, some), *blocks_of(THREE, {"ann": 1, "bob": 0, "eve": 0})]
    under_way = Standings(results_of(more, [TWO, THREE], dict.fromkeys([*some, "eve"], ALL)))
    assert {one.bot: one.place for one in under_way.overall}["cy"] == PARTIAL
    assert "overall: without a place, since they have not played every game yet: eve and cy." in under_way.notices


def test_single_match_separates_nobody_and_missing_seats_are_reported():
    one = Standings(
        results_of([result(block(TWO, ("ann", "bob"), 0, 1), [[0, 1]])], [TWO], dict.fromkeys(("ann", "bob"), ALL))
    )
    assert [line.place for line in one.contests["raj-2p"].lines] == ["1-2", "1-2"]
    missing = "Raj, 2 players: not every deal has been played from every seat yet: luck with seats is in the ratings."
    assert missing in one.notices
    assert missing not in Standings(everything()).notices


def test_overall_places_count_within_pools():
    apart = [*blocks_of(TWO, {"ann": 3.0, "bob": -3.0}), *blocks_of(TWO, {"cy": 3.0, "dee": -3.0})]
    standings = Standings(results_of([*apart, *blocks_of(THREE, SKILLS)], [TWO, THREE], dict.fromkeys(SKILLS, ALL)))
    assert [(one.bot, one.place) for one in standings.overall] == [
        ("ann", "1"),
        ("bob", "2"),
        ("cy", "1"),
        ("dee", "2"),
    ]
    assert any(
        "2 pools never met in every game, places count within each: ann and bob; cy" in text
        for text in standings.notices
    )


def test_who_cannot_be_compared_is_not_part_of_the_equilibrium():
    blocks = [*blocks_of(TWO, {"ann": 1.0, "bob": 0.0, "cy": 0.0}), *blocks_of(TWO, {"dee": 9.0, "eve": 0.0})]
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys([*SKILLS, "eve", "idle"], ("raj-2p",))))
    nash = standings.contests["raj-2p"].nash
    assert nash[:3].sum() == pytest.approx(1)
    assert nash[3:].tolist() == [0, 0, 0]


def test_bots_without_games_have_no_scores_and_the_interval_of_the_prior(tmp_path):
    standings = Standings(results_of(blocks_of(TWO, SKILLS), [TWO], dict.fromkeys([*SKILLS, "zed"], ("raj-2p",))))
    write_csvs(tmp_path, standings)
    for name in ("standings.csv", "standings-raj-2p.csv"):
        zed = pd.read_csv(tmp_path / name).set_index("bot").loc["zed"]
        assert np.isnan(zed["mean_score"])
        assert zed["high"] - zed["low"] == pytest.approx(2 * 1.96 * 25 / 3, rel=1e-3)


def test_interval_without_games_is_that_of_the_learned_spread():
    results = results_of(blocks_of(TWO, SKILLS), [TWO], dict.fromkeys([*SKILLS, "zed"], ("raj-2p",)))
    learned = Rating(sigma=None)
    table = ContestStandings(results.contests["raj-2p"], learned)
    error = table.errors.alone[table.bots.index("zed")]
    assert error == pytest.approx(fit(table.table, learned).prior ** -0.5)
    assert error != pytest.approx(Rating().sigma, rel=0.01)


def test_anomalies_are_reported():
    first = block(TWO, ("ann", "bob"))
    second = block(TWO, ("cy", "dee"), deals=10)
    blocks = [
        result(first, [[0, 1]] * 64, faults=[fault(first, "bob"), fault(first, "bob", "error")], forfeits=[0, 5]),
        result(second, [[0, 1], [1, 0]] * 5),
    ]
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(SKILLS, ("raj-2p",))))
    text = "\n".join(standings.notices)
    assert "2 pools never met" in text
    assert "fewer than 30 games, so ratings say little: cy and dee" in text
    assert "won every game, so how far apart is a guess: ann" in text
    assert "2 faults of bob (1 error, 1 timeout), 5 games forfeited" in text
    faults = {one.bot: one.faults for one in standings.overall}
    assert faults == {"ann": 0, "bob": 2, "cy": 0, "dee": 0}
    assert [one.place for one in standings.contests["raj-2p"].lines] == ["1", "2", "1-2", "1-2"]


SIX = dict(zip("abcdef", (5.0, 3.0, 1.0, -1.0, -3.0, -5.0), strict=True))


def contest_of(lineups, gauntlet=None):
    """The contest in which only these pairs of six bots have played."""
    blocks = [one for one in blocks_of(TWO, SIX) if lineup_of(one) in lineups]
    results = results_of(blocks, [TWO], dict.fromkeys(SIX, ("raj-2p",)))
    results.contests["raj-2p"].gauntlet = gauntlet
    return ContestStandings(results.contests["raj-2p"], Rating())


def lineup_of(one):
    return "".join(entrant.name for entrant in one.block.series.lineup)


def test_lineups_that_did_not_play_are_told_and_make_ratings_less_certain():
    every = ["".join(pair) for pair in combinations(SIX, 2)]
    some = [*every[:9], "ef"]
    full, sample = contest_of(every), contest_of(some)
    assert (full.lineups, sample.lineups) == ((15, 15), (10, 15))
    assert not any("a sample" in text for text in full.notices)
    assert "Raj, 2 players: a sample of 10 of 15 lineups: intervals allow for the others." in sample.notices


def test_a_gauntlet_is_about_its_own_lineups():
    """Each of the others has met the first alone: about the other pairs nobody could say anything."""
    lineups = ["a" + other for other in "bcdef"]
    asked, unasked = contest_of(lineups, gauntlet="a"), contest_of(lineups)
    assert (asked.lineups, unasked.lineups) == ((5, 5), (5, 15))
    assert asked.ahead.any()
    assert not unasked.ahead.any()


def test_where_a_few_games_decide_a_notice_says_so():
    """Ann gets a point in each deal, and a hundred in one of them."""
    usual, lucky = Ending((0, 1), (1, 0)), Ending((0, 1), (100, 0))
    entrants = tuple(Entrant(name, "hash") for name in ("ann", "bob"))
    results = Results([TWO], dict.fromkeys(("ann", "bob"), ("raj-2p",)), Rating(), counting={"raj-2p": "points"})
    for rotation in range(2):
        played = Block(Series(TWO, entrants, rotation, 1, Limits()), 0, 40)
        results.add(games_of(result_of(played, [lucky, *[usual, usual._replace(points=(0, 1))] * 19, usual])))
    (contest,) = Standings(results).contests.values()
    assert any("another such game may change everything: ann." in text for text in contest.notices)


@pytest.mark.parametrize(("asked", "ranks", "said"), [(0.0, [0, 0], True), (0.0, [0, 1], False), (0.1, [0, 0], False)])
def test_impossible_draw_probability_is_replaced_and_reported(asked, ranks, said):
    blocks = [result(block(TWO, ("ann", "bob")), [ranks, *[[0, 1], [1, 0]] * 30])]
    plays = {"ann": ("raj-2p",), "bob": ("raj-2p",)}
    standings = Standings(results_of(blocks, [TWO], plays, Rating(draw_probability=asked)))
    notices = [text for text in standings.notices if "draw_probability 0 rules out ties" in text]
    assert (
        notices == ["Raj, 2 players: draw_probability 0 rules out ties, but there were some: 0.0242 is taken."] * said
    )


def test_a_league_without_games_or_with_one_bot_has_standings():
    empty = Standings(Results([TWO], {"ann": ["raj-2p"]}, Rating()))
    assert [(one.bot, one.place) for one in empty.overall] == [("ann", UNPLAYED)]
    assert Standings(Results([TWO], {}, Rating())).overall == []
    assert board(empty.overall).csv().count("\n") == 2


def test_online_ratings_are_centred_in_their_intervals():
    blocks = list(blocks_of(TWO, SKILLS, deals=8))
    online = Standings(results_of(blocks, [TWO], dict.fromkeys(SKILLS, ("raj-2p",)), Rating(mode="online", tau=0.08)))
    for one in online.contests["raj-2p"].lines:
        assert one.low < one.rating < one.high


def test_given_ratings_hold_and_are_named():
    results = results_of(blocks_of(TWO, SKILLS), [TWO], dict.fromkeys(SKILLS, ("raj-2p",)))
    results.anchors = {"bob": 20.0, "cy": 40.0}
    standings = Standings(results)
    bob = next(one for one in standings.contests["raj-2p"].lines if one.bot == "bob")
    assert (bob.rating, bob.low, bob.high, bob.sigma, bob.anchor) == (20, 20, 20, 0, 20)
    given = "Raj, 2 players: anchored, so that other leagues can be compared: bob at 20, cy at 40."
    against = "Raj, 2 players: the anchors contradict its games: bob is set -20.0 from cy, and its games say "
    assert given in standings.notices
    assert any(text.startswith(against) for text in standings.notices)


@pytest.mark.slow
def test_cycle_is_reported():
    beats = {("paper", "rock"): 0, ("paper", "scissors"): 1, ("rock", "scissors"): 0}
    blocks = []
    for lineup, winner in beats.items():
        ranks = [[winner, 1 - winner] if deal % 8 else [1 - winner, winner] for deal in range(128)]
        blocks.append(result(block(TWO, lineup, deals=128), ranks))
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("paper", "rock", "scissors"), ("raj-2p",))))
    told = story(standings.contests["raj-2p"], nash=True)
    assert not any("Nash" in text for text in story(standings.contests["raj-2p"]))
    assert any("paper beats rock (0.875), rock beats scissors (0.875), scissors beats paper" in text for text in told)
    assert any(re.search(r"average: paper 33%, rock 33% and sci", text) for text in told)


def test_memory_follows_distinct_results_not_blocks():
    results = Results([TWO], dict.fromkeys(("ann", "bob"), ("raj-2p",)), Rating())
    one = result(block(TWO, ("ann", "bob")), [[0, 1], [1, 0]] * 32)
    for _ in range(50):
        results.add(games_of(one))
    counts = results.contests["raj-2p"].counts()
    assert len(counts.games) == DEAL_GROUPS
    assert counts.games.sum() == 50 * 64


def test_markup_and_control_characters_do_no_harm():
    evil = line(bot="a|b\x1b[2J<script>")
    assert "\x1b" not in lines_table([evil], Path())
    markdown = board([evil]).markdown()
    assert "\x1b" not in markdown
    assert "a\\|b" in markdown
    assert "<script" not in markdown.replace("\\<", "")
    assert notice_lines(["x\x1b[2J"], Path()) == ["! x\\x1b[2J"]


@pytest.mark.parametrize("baselines", [(), ("ann", "bob")])
def test_the_first_is_named_by_the_same_chances_as_on_the_page(tmp_path, baselines):
    even = dict.fromkeys(SKILLS, 0.0)
    results = results_of([*blocks_of(TWO, even), *blocks_of(THREE, even)], [TWO, THREE], dict.fromkeys(SKILLS, ALL))
    results.baselines = frozenset(baselines)
    standings = Standings(results)
    lines = sorted(standings.contests["raj-2p"].lines, key=lambda one: -one.best)
    named = ", ".join(f"{one.bot} {shown_chance(one.best)}" for one in lines[:3])
    assert leaders(standings, tmp_path).splitlines()[1].endswith(f"  {named}")


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_narrow_terminal_names_all_that_may_be_the_best(tmp_path, columns):
    even = dict.fromkeys(("a_rather_long_name", "another_long_name", "one_more_long_name", "short"), 0.0)
    both = [*blocks_of(TWO, even), *blocks_of(THREE, even)]
    standings = Standings(results_of(both, [TWO, THREE], dict.fromkeys(even, ALL)))
    narrow = leaders(standings, tmp_path, columns).split("\n\n")[0]
    assert max(map(len, narrow.splitlines())) <= columns
    for key in ALL:
        assert likely(standings.contests[key].lines) in " ".join(narrow.split())


def test_where_few_bots_play_every_game_there_is_no_overall_table(tmp_path):
    """Their mean ratings would be over other games than those of the others."""
    skills = SKILLS | dict.fromkeys(("eve", "fay", "guy", "hal"), 0.0)
    plays = dict.fromkeys(skills, ("raj-2p",)) | dict.fromkeys(("ann", "bob", "cy"), ALL)
    three = blocks_of(THREE, {name: SKILLS[name] for name in ("ann", "bob", "cy")})
    standings = Standings(results_of([*blocks_of(TWO, skills), *three], [TWO, THREE], plays))
    shown = leaders(standings, Path("results/small")).splitlines()
    assert [row.partition("  ")[0] for row in shown[1:3]] == ["Raj, 2 players", "Raj, 3 players"]
    assert not any(row.startswith("place ") for row in shown)
    assert shown[4] == "`league standings results/small --game raj-2p` shows all of one game."
    partial = next(row.split() for row in lines_table(standings.overall, tmp_path).splitlines() if "partial" in row)
    assert partial[3:5] == ["-", "-"]


def test_a_narrow_terminal_keeps_the_interval_longer_than_faults_and_counts(standings):
    headers = [lines_table(standings.overall, Path(), most).splitlines()[0] for most in range(90, 20, -1)]
    places = [
        next(at for at, header in enumerate(headers) if name not in header) for name in ("faults", "games", "95 %")
    ]
    assert places == sorted(places)
    assert len({*places}) == len(places)


def test_many_notices_are_cut_short_unless_all_are_wanted():
    texts, folder = [str(number) for number in range(40)], Path("results/small")
    cut = "! … and 28 notices more: see all with `league standings results/small --notices`."
    assert notice_lines(texts, folder)[-1] == cut
    assert len(notice_lines(texts, folder, everything=True)) == 40


def test_command_shows_bots_left_out_of_the_leaders(standings, monkeypatch):
    monkeypatch.setattr("league.results.report.LEADERS", 2)
    shown = leaders(standings, Path("results/small")).splitlines()
    assert shown[7] == "… and 2 bots more: see all with `league standings results/small`."
    narrow = leaders(standings, Path("results/small"), 60)
    assert max(map(len, narrow.splitlines())) <= 60
    assert "`league standings results/small --format csv` has every" in narrow


def test_sorting_and_choosing(standings):
    lines = standings.overall
    assert [one.bot for one in sorted_lines(lines, "bot")] == sorted(SKILLS)
    wins = [one.wins for one in sorted_lines(lines, "wins")]
    assert wins == sorted(wins, reverse=True)
    assert [one.contest.key for one in standings.chosen("raj")] == list(ALL)
    assert [one.contest.key for one in standings.chosen("raj-3p")] == ["raj-3p"]
    with pytest.raises(LeagueError, match=r"no game 'rai'; it has raj-2p, raj-3p\. Did you mean 'raj'"):
        standings.chosen("rai")
    table = boards({key: standings.contests[key].lines for key in ALL}).frame()
    assert list(table.columns[:2]) == ["contest", "place"]
    assert len(table) == 8
