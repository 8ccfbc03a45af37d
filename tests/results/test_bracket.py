"""A bracket is told from the games that its rule names, and nobody can choose others."""

from __future__ import annotations

import pytest

from league.results.bracket import MOST_DEALS, brackets_of, make_bracket
from league.results.columns import placed
from league.results.compare import compare
from league.results.games import FoundGame
from league.results.queries import Query, find
from league.results.standings import Standings
from league.results.store import Store
from league.values.block import Entrant, Series
from league.values.settings import Limits
from tests.leagues import contest
from tests.page.leagues import FIRST, play

CONTEST = contest("raj", 2)


def game(lineup, deal, rotation, ranks, points=None):
    """A game of these bots, whose ranks and points are in their order."""
    entrants = tuple(Entrant(name, "0") for name in sorted(lineup))
    series = Series(CONTEST, entrants, rotation, 1, Limits())
    seats = tuple(False for _ in lineup)
    return FoundGame(
        series, deal, tuple(lineup), tuple(ranks), tuple(points or (-rank for rank in ranks)), seats, seats
    )


def meetings(*games):
    """The games of ann and bob, by deal: what ann did in each rotation (1 won, 0 drew, -1 lost)."""
    ranks = {1: (0, 1), 0: (0, 0), -1: (1, 0)}
    made = [
        game(("ann", "bob"), deal, rotation, ranks[result])
        for deal, results in enumerate(games)
        for rotation, result in enumerate(results)
    ]
    return {frozenset(("ann", "bob")): made}


def final(met, **how):
    [[pairing]] = make_bracket("raj-2p", ("ann", "bob"), met, lambda a, b: 0.7, **how).rounds
    return pairing


WON, LOST, SPLIT = (1, 1), (-1, -1), (1, -1)


@pytest.mark.parametrize(
    ("games", "winner", "score", "deals", "how"),
    [
        pytest.param([WON, SPLIT, SPLIT, LOST, LOST], "ann", (4, 2), 3, "games", id="the first three deals decide"),
        pytest.param([LOST, SPLIT, SPLIT, WON, WON], "bob", (2, 4), 3, "games", id="an upset"),
        pytest.param([WON, LOST, SPLIT, SPLIT, LOST, WON], "bob", (4, 6), 5, "games", id="level, so two more deals"),
        pytest.param([(0, 1), LOST], "bob", (1.5, 2.5), 2, "games", id="a tie is one half; there are two deals only"),
        pytest.param([SPLIT] * 20, "ann", (12, 12), MOST_DEALS, "level", id="level to the end: placed better"),
        pytest.param([], "ann", (0, 0), 0, "unmet", id="never met: placed better"),
        pytest.param([SPLIT, SPLIT, SPLIT, (-1,)], "ann", (3, 3), 3, "level", id="half a deal does not count"),
    ],
)
def test_the_rule(games, winner, score, deals, how):
    pairing = final(meetings(*games))
    assert (pairing.winner, pairing.score, pairing.deals, pairing.how) == (winner, score, deals, how)
    assert pairing.upset == (winner == "bob")
    assert pairing.chance == 0.7


def test_points_decide_where_points_count():
    games = [game(("ann", "bob"), deal, turn, (0, 1), (3, 1 + 9 * turn)) for deal in range(3) for turn in (0, 1)]
    met = {frozenset(("ann", "bob")): games}
    assert final(met).winner == "ann"
    by_points = final(met, by_points=True)
    assert (by_points.winner, by_points.score, by_points.how) == ("bob", (18, 33), "points")


def test_order_of_the_games_given_does_not_matter():
    met = meetings(LOST, SPLIT, SPLIT, WON, WON)
    turned = {pair: games[::-1] for pair, games in met.items()}
    assert final(met) == final(turned)


def test_the_best_two_can_meet_in_the_final_only():
    seeds = tuple("abcdefgh")
    bracket = make_bracket("raj-2p", seeds, {}, lambda a, b: None)
    pairs = [[pairing.bots for pairing in pairings] for pairings in bracket.rounds]
    assert pairs == [[("a", "h"), ("d", "e"), ("b", "g"), ("c", "f")], [("a", "d"), ("b", "c")], [("a", "b")]]
    assert bracket.champion == "a"


def test_at_larger_tables_the_first_deals_of_all_common_lineups_count():
    lineups = [("ann", "bob", other) for other in ("cid", "dot", "eve", "fay")]
    games = [game(lineup, deal, turn, (0, 1, 2)) for lineup in lineups for deal in (0, 1) for turn in range(3)]
    pairing = final({frozenset(("ann", "bob")): games})
    told = {(found.deal, found.address.lineup[2]) for found, _, _ in pairing.games}
    assert told == {(0, "cid"), (0, "dot"), (0, "eve")}
    assert len(pairing.games) == 9


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    dice = "class Bot:\n    def __init__(self, table):\n        self.rng = table.rng\n"
    dice += "    def choose(self, view):\n        return self.rng.choice(view.legal)\n"
    bots = {
        "ann": FIRST,
        "bob": dice,
        "cid": dice,
        "dot": dice.replace("class Bot:", "class Bot:\n    baseline = True"),
    }
    config = "league: t\nseed: 1\nbots: bots\ngames: [{game: raj, players: [2, 3], deals: 15}]\nisolation: trusted\n"
    with Store.open(play(tmp_path_factory.mktemp("league"), bots, config)) as store:
        yield store


def test_brackets_of_a_league(store):
    standings = Standings.of(store)
    brackets = {bracket.contest: bracket for bracket in brackets_of(store, standings)}
    assert brackets.keys() == standings.contests.keys()
    for key, bracket in brackets.items():
        best = [line.bot for line in placed(standings.contests[key].lines) if line.bot != "dot"]
        assert bracket.seeds == tuple(best[:2]), "the order of the standings, without the baseline"
        [[pairing]] = bracket.rounds
        compared = {part.contest: part for part in compare(standings, *pairing.bots).contests}
        assert pairing.chance == compared[key].superiority
        both = find(store, Query(bot=pairing.bots[0], against=pairing.bots[1], game=key))
        played = {str(found.address): found for found in both}
        assert all(played[str(found.address)] == found for found, _, _ in pairing.games)
        for found, points, ahead in pairing.games:
            seats = [found.bots.index(bot) for bot in pairing.bots]
            assert points == tuple(found.points[seat] for seat in seats)
            first, second = (found.ranks[seat] for seat in seats)
            assert (ahead > 0, ahead < 0) == (first < second, first > second)
