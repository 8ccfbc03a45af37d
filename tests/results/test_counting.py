"""What is counted: places of games, mean points, or places of whole matches."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

import league
from league import games
from league.errors import ConfigError, LeagueError
from league.plan.adaptive import reached
from league.results.compare import compare, meetings_table, ratings_table
from league.results.csvs import csv_texts
from league.results.games import games_of
from league.results.lines import sorted_lines
from league.results.outcomes import Ending, result_of
from league.results.report import story
from league.results.standings import Standings
from league.results.store import Store
from league.results.tallies import Results
from league.setup.config import load, parse
from league.testing import check_game
from league.values.block import DEAL_GROUPS, Block, Entrant, Series, first_group
from league.values.settings import Contest, Isolation, Limits, Rating
from tests.counting import stored
from tests.leagues import play_league
from tests.tables import each

KUHN = Path(__file__).parents[2] / "examples" / "kuhn" / "kuhn.yaml"
RAJ = Contest("raj", 2, {}, 1, games_per_match=2)
NAMES = ("ann", "bob")


def block(rotation=0, contest=RAJ, deals=24):
    return Block(Series(contest, tuple(Entrant(name, "hash") for name in NAMES), rotation, 1, Limits()), 0, deals)


def endings(deals=24):
    """Bob wins two of three games by a point, and ann the third by ten."""
    return [Ending((0, 1), (10, 0)) if deal % 3 == 2 else Ending((1, 0), (0, 1)) for deal in range(deals)]


def standings_of(count, contests=(RAJ,), ended=endings):
    plays = {name: [contest.key for contest in contests] for name in NAMES}
    results = Results(contests, plays, Rating(), counting={"raj-2p": count})
    for contest in contests:
        for rotation in range(2):
            results.add(games_of(result_of(block(rotation, contest), ended())))
    return Standings(results)


def best(standings):
    return standings.overall[0].bot


def test_points_and_places_have_different_winners():
    assert best(standings_of("games")) == "bob"
    points = standings_of("points")
    assert best(points) == "ann"
    assert [line.rating for line in points.overall] == pytest.approx([10 / 3, 2 / 3])
    assert points.contests["raj-2p"].deviation == pytest.approx(((200 / 9 + 2 / 9) / 2) ** 0.5)
    assert [line.mean_points for line in points.contests["raj-2p"].lines] == pytest.approx([10 / 3, 2 / 3])


def test_matches_are_ranked_by_the_sum_of_their_points():
    """Of three matches of two games, ann wins two by ten points, and bob the third by two."""
    standings = standings_of("match")
    ann, bob = standings.overall
    assert (ann.bot, ann.games, ann.wins, ann.losses) == ("ann", 24, 16, 8)
    assert bob.rating < ann.rating
    assert standings.contests["raj-2p"].lines[1].mean_points == pytest.approx(2 / 3)
    assert standings.contests["raj-2p"].sight.games.tolist() == [48, 48], "schedules count games"


@each(("luck", "first"), [("seed", 0), ("names", first_group(NAMES))])
def test_groups_of_deals_that_all_lineups_share_begin_alike(luck, first):
    series = Series(RAJ, tuple(Entrant(name, "hash") for name in NAMES), 0, 1, Limits(), luck)
    part = games_of(result_of(Block(series, 0, 24), endings()))
    assert first_group(NAMES) > 0
    assert part.group.tolist() == [(first + deal // 2) % DEAL_GROUPS for deal in range(24)]


def test_who_forfeits_a_match_is_last_in_it():
    games = [Ending((0, 1), (9, 1)), Ending((1, 0), (9, 1), (0,))] * 12
    (contest,) = standings_of("match", ended=lambda: games).contests.values()
    assert {tuple(ranks) for ranks in contest.counts.ranks.tolist()} == {(1, 0)}


def test_every_file_says_what_is_counted():
    for count in ("points", "match"):
        texts = csv_texts(standings_of(count))
        for name in ("standings.csv", "standings-raj-2p.csv"):
            header, *rows = texts[name].splitlines()
            assert header.endswith(",counts")
            assert {row.rpartition(",")[2] for row in rows} == {count}
        assert any(f"{'matches' if count == 'match' else count} count:" in text for text in standings_of(count).notices)
    assert not any("counts" in text for text in csv_texts(standings_of("games")).values())


def test_points_are_turned_into_ratings_where_contests_differ():
    other = Contest("braverats", 2, {}, 1, games_per_match=2)
    mixed = standings_of("points", (RAJ, other))
    assert {line.counts for line in mixed.overall} == {"mixed"}
    assert sum(line.rating for line in mixed.overall) == pytest.approx(2 * 25)
    assert any(text.startswith("overall: contests count different things") for text in mixed.notices)
    with pytest.raises(LeagueError, match="points of different games cannot be added"):
        sorted_lines(mixed.overall, "mean_points")


def test_scores_are_shown_in_what_counts():
    def shown(count):
        (contest,) = standings_of(count).contests.values()
        return contest.shown_score(float(contest.pairs.score[0, 1]))

    assert (shown("games"), shown("points")) == ("0.333", "+2.667 points")


@each(("count", "points", "has_nash"), [("games", 0, True), ("points", 0, False), ("points", -10, True)])
def test_nash_average_is_shown_where_one_wins_what_the_others_lose(count, points, has_nash):
    """With 0 points for the loser of the third game, points have no constant sum."""

    def ended():
        return [Ending((0, 1), (10, points)) if deal % 3 == 2 else Ending((1, 0), (-1, 1)) for deal in range(24)]

    (contest,) = standings_of(count, ended=ended).contests.values()
    assert any("Nash average" in line for line in story(contest, nash=True)) == has_nash


def test_a_game_says_what_counts_and_a_config_may_choose():
    games = "league: one\nbots: bots\ngames: [{game: %s, deals: 4%s}]"

    def count(game, more=""):
        return parse(games % (game, more), KUHN.parent).events[0].count

    assert count("raj") == "games"
    assert count("./kuhn.py") == "points"
    assert count("./kuhn.py", ", count: games") == "games"
    assert count("raj", ", count: match, games_per_match: 2") == "match"
    with pytest.raises(ConfigError, match="expected count: match only with games_per_match above 1"):
        count("raj", ", count: match")


def test_the_example_keeps_the_contract_of_games():
    check_game(games.load(str(KUHN.parent / "kuhn.py")), hides={"cards"})


def test_equilibrium_is_ahead_of_the_bettor_when_chips_count(tmp_path):
    config = load(KUHN)
    (event,) = config.events
    events = (replace(event, deals=60),)
    played = {}
    for count in ("points", "games"):
        chosen = replace(config, events=(replace(events[0], count=count),), isolation=Isolation.TRUSTED)
        summary = play_league(chosen, tmp_path)
        played[count] = summary.games
        with Store.open(tmp_path / "kuhn") as store:
            order = [line.bot for line in Standings.of(store).overall]
        ahead = order.index("equilibrium") < order.index("bettor")
        assert ahead == (count == "points")
    assert played == {"points": 1200, "games": 0}  # another count plays nothing again


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory):
    """The standings of a league of Kuhn poker, and its results."""
    folder = tmp_path_factory.mktemp("results")
    config = load(KUHN)
    events = tuple(replace(event, deals=60) for event in config.events)
    play_league(replace(config, events=events, isolation=Isolation.TRUSTED), folder)
    with Store.open(folder / "kuhn") as store:
        return Standings.of(store), stored(store)


def test_leads_by_seat_are_in_points(kuhn):
    (contest,) = compare(kuhn[0], "equilibrium", "bettor").contests
    every, *by_seat = contest.meetings
    assert [met.seat for met in by_seat] == [1, 2]
    assert sum(met.score * met.games for met in by_seat) / every.games == pytest.approx(every.score)
    rows = [row for row in meetings_table(compare(kuhn[0], "equilibrium", "bettor")).rows if row[1] in "12"]
    assert all(re.fullmatch(r"[+-]\d\.\d{3} points", row[6]) for row in rows)


def test_ratings_of_a_comparison_name_points_where_these_count(kuhn):
    (rating,) = {row[1] for row in ratings_table(compare(kuhn[0], "equilibrium", "bettor")).rows}
    assert rating.endswith(") points a game")


def test_duels_go_by_what_counts():
    bots = [KUHN.parent / "bots" / f"{name}.py" for name in ("caller", "bettor")]
    terms = {"game": KUHN.parent / "kuhn.py", "isolation": "trusted", "seed": 3, "workers": 1, "deals": 128}
    points = league.duel(*bots, **terms)
    assert (points.counts, points.verdict) == ("points", "a")
    assert points.lead[0] == pytest.approx(points.scores[0] - points.scores[1])
    assert "points a game" in str(points)
    places = league.duel(*bots, **terms, count="games", smallest=0.5)
    assert (places.counts, places.verdict) == ("games", "even")


def test_an_adaptive_league_settles_in_points(tmp_path):
    text = (
        "league: settled\nseed: 1\nbots: bots\nisolation: trusted\nschedule: adaptive\n"
        "settle: {places: 1, within_points: 0.3}\ngames: [{game: ./kuhn.py}]"
    )
    play_league(parse(text, KUHN.parent), tmp_path)
    with Store.open(tmp_path / "settled") as store:
        standings = Standings.of(store)
    contest = standings.contests["kuhn-2p"]
    assert contest.goal is not None
    assert contest.goal.within == 0.3
    assert reached(contest.goal, contest.sight)
    assert any("settled: the first 1 and their order" in text for text in standings.notices)
