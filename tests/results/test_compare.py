"""Whether A is really better than B."""

import re
from itertools import permutations

import pytest

from league.errors import LeagueError
from league.plan.seating import seating_of
from league.results.compare import Difference, More, _likely, compare, describe, games_to_settle
from league.results.standings import Standings
from tests.rating.results import block, blocks_of, contest, fault, result, results_of
from tests.tables import each

SKILLS = {"ann": 5.0, "bob": 0.0, "cy": 0.0, "dee": -5.0}
TWO, THREE = contest("raj", 2), contest("raj", 3)


@pytest.fixture(scope="module")
def standings():
    blocks = [*blocks_of(TWO, SKILLS), *blocks_of(THREE, SKILLS)]
    return Standings(results_of(blocks, [TWO, THREE], dict.fromkeys(SKILLS, ("raj-2p", "raj-3p"))))


def test_both_sides_are_alike(standings):
    one, other = compare(standings, "ann", "bob"), compare(standings, "bob", "ann")
    assert one.overall.rating.value == pytest.approx(-other.overall.rating.value)
    assert one.overall.rating.low == pytest.approx(-other.overall.rating.high)
    assert one.overall.superiority == pytest.approx(1 - other.overall.superiority)
    for mine, theirs in zip(one.contests, other.contests, strict=True):
        assert mine.meetings[0].wins == theirs.meetings[0].losses


def test_games_are_split_by_the_seat_of_the_first():
    """At rotation r, the first of the lineup sits at seat r: here it wins there exactly if the seat is the second."""
    blocks = [result(block(TWO, ("ann", "bob"), rotation, 8), [[1 - rotation, rotation]] * 8) for rotation in (0, 1)]
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("ann", "bob"), ("raj-2p",))))
    (one,) = compare(standings, "ann", "bob").contests
    assert [(met.seat, met.score) for met in one.meetings] == [(None, 0.5), (1, 0.0), (2, 1.0)]
    (other,) = compare(standings, "bob", "ann").contests
    assert [(met.seat, met.score) for met in other.meetings[1:]] == [(1, 0.0), (2, 1.0)]


def by_seat_alone(lineups, deals=6, rotations=(0, 1, 2)):
    """Blocks for three in which the first seat wins and the last one loses, whoever sits there."""
    for lineup in lineups:
        for rotation in rotations:
            one = block(THREE, lineup, rotation, deals)
            yield result(one, [seating_of(one.series, deal).seats for deal in range(deals)])


def test_at_larger_tables_games_are_split_by_the_seat_of_the_first_as_well():
    """Circular orders change from deal to deal, so that no rotation tells a seat."""
    blocks = by_seat_alone([("ann", "bob", "cy")])
    standings = Standings(results_of(blocks, [THREE], dict.fromkeys(("ann", "bob", "cy"), ("raj-3p",))))
    for a, b in permutations(("ann", "bob", "cy"), 2):
        (one,) = compare(standings, a, b).contests
        assert [(met.seat, met.games, met.score) for met in one.meetings[1:]] == [
            (1, 6, 1.0),
            (2, 6, 0.5),
            (3, 6, 0.0),
        ]


def zed_beats(names, deals, rotations=(0, 1)):
    """Blocks in which these bots met zed: whoever sits first wins."""
    for name in names:
        for rotation in rotations:
            yield result(block(TWO, (name, "zed"), rotation, deals), [[rotation, 1 - rotation]] * deals)


def test_two_copies_after_two_deals_are_not_told_apart():
    """One of them won all: that is what luck looks like, and no verdict follows from so few matches."""
    blocks = list(zed_beats(["ann"], 2, rotations=(0,)))
    standings = Standings(results_of(blocks, [TWO], dict.fromkeys(("ann", "zed"), ("raj-2p",))))
    comparison = compare(standings, "ann", "zed")
    assert not comparison.overall.rating.settled
    assert not comparison.overall.rating.known
    assert describe(comparison).startswith("Not settled yet at Raj, 2 players: ann minus zed ")
    assert "These are too few matches to tell luck from strength." in describe(comparison)
    assert [line.place for line in standings.overall] == ["1-2", "1-2"]
    few = "Raj, 2 players: too few matches to tell luck (deals: 5 is enough): ann and zed."
    assert few in comparison.notices


def test_comparisons_and_places_say_the_same(standings):
    for a, b in permutations(SKILLS, 2):
        for compared, played in zip(compare(standings, a, b).contests, standings.contests.values(), strict=True):
            one, other = played.bots.index(a), played.bots.index(b)
            assert compared.rating.settled == (played.ahead[one, other] or played.ahead[other, one])
            assert played.ahead[one, other] == (compared.rating.low > 0)


def test_a_game_of_both_is_one_game(standings):
    comparison = compare(standings, "ann", "bob")
    pairs, three = comparison.contests
    assert pairs.games == 5 * 2 * 64  # of six pairings, all but the one of the other two
    assert three.games == 4 * 3 * 64


def test_bots_of_different_pools_are_not_compared():
    apart = [*blocks_of(TWO, {"ann": 1.0, "bob": 0.0}), *blocks_of(TWO, {"cy": 1.0, "dee": 0.0})]
    plays = dict.fromkeys(SKILLS, ("raj-2p", "raj-3p"))
    with pytest.raises(LeagueError, match="ann and cy never met, directly or by way of others"):
        compare(Standings(results_of(apart, [TWO, THREE], plays)), "ann", "cy")
    comparison = compare(Standings(results_of([*apart, *blocks_of(THREE, SKILLS)], [TWO, THREE], plays)), "ann", "cy")
    assert [one.contest for one in comparison.contests] == ["raj-3p"]
    assert "! Raj, 2 players: left out, since ann and cy never met there" in describe(comparison)


def test_faults_of_the_two_are_reported_and_those_of_others_are_not():
    blocks = list(blocks_of(TWO, SKILLS))
    blocks.append(result(blocks[0].block, [[0, 1]] * 64, faults=[fault(blocks[0].block, "ann")]))
    of_cy = block(TWO, ("bob", "cy"))
    blocks.append(result(of_cy, [[0, 1]] * 64, faults=[fault(of_cy, "cy")]))
    notices = compare(Standings(results_of(blocks, [TWO], dict.fromkeys(SKILLS, ("raj-2p",)))), "ann", "bob").notices
    assert notices == ("Raj, 2 players: 1 fault of ann (1 timeout).",)


def test_how_many_more_games_is_a_range_or_perhaps_never():
    assert games_to_settle(Difference(1.0, 0.8, 1.2, settled=True, error=0.1), 1000) == More(0, 0)
    close = games_to_settle(Difference(0.5, -1.46, 2.46, settled=False, error=1.0), 1000)
    assert close.most is None
    assert str(close) == f"{close.least:,} …"
    open_yet = games_to_settle(Difference(1.5, -0.46, 3.46, settled=False, error=1.0), 1000)
    assert open_yet.least == pytest.approx(1000 * ((2.8 / 2.5) ** 2 - 1), rel=0.05)
    assert open_yet.most == pytest.approx(1000 * ((2.8 / 0.5) ** 2 - 1), rel=0.05)
    hardly = games_to_settle(Difference(1.01, -0.95, 2.97, settled=False, error=1.0), 1000)
    assert hardly.most is None, "more than a thousand times as many"


@each(
    ("superiority", "text"),
    [(0.9991, "> 99.9%"), (0.999, "99.9%"), (0.5, "50.0%"), (0.0009, "< 0.1%")],
)
def test_a_probability_is_never_shown_as_certain(superiority, text):
    assert _likely(superiority) == text


@each(("more", "text"), [(More(0, 0), "settled"), (More(1200, None), "1,200 …"), (More(5, 4000), "5 … 4,000")])
def test_more_games_in_words(more, text):
    assert str(more) == text


def test_mistakes_are_reported(standings):
    with pytest.raises(LeagueError, match=r"no bot 'anna' in this league\. Did you mean 'ann'"):
        compare(standings, "anna", "bob")
    with pytest.raises(LeagueError, match="found 'ann' twice"):
        compare(standings, "ann", "ann")
    apart = results_of(
        blocks_of(TWO, {"ann": 1, "bob": 0}), [TWO, THREE], {"ann": ["raj-2p"], "bob": ["raj-2p"], "x": []}
    )
    with pytest.raises(LeagueError, match="no contest in common"):
        compare(Standings(apart), "ann", "x")


def test_the_answer_has_the_numbers_of_the_table(standings):
    """Whoever is named first; the words are in the transcript of the command."""
    text = describe(compare(standings, "ann", "bob"))
    answer = "ann is better than bob in 2 contests together: a lead of {} in rating ({} … {}) after 1,408 games."
    lead = compare(standings, "ann", "bob").overall.rating
    assert text.splitlines()[0] == answer.format(*(f"{value:+.2f}" for value in (lead.value, lead.low, lead.high)))
    assert f"{lead.value:+.2f} ({lead.low:+.2f} … {lead.high:+.2f})" in text.partition("\nOverall ")[2]
    assert describe(compare(standings, "bob", "ann")).splitlines()[0] == text.splitlines()[0]
    even = describe(compare(standings, "bob", "cy"))
    assert re.match(
        r"Not settled yet in 2 contests together: bob minus cy .* after 1,408 games\. "
        r"(bob|cy) is \d\d % likely better; "
        r"(at least [\d,]+ more games?|[\d,]+ to [\d,]+ more games) would settle it\.",
        even,
    )


@each(("game", "contests"), [(None, ["raj-2p", "raj-3p"]), ("raj", ["raj-2p", "raj-3p"]), ("raj-3p", ["raj-3p"])])
def test_contests_are_chosen(standings, game, contests):
    assert [one.contest for one in compare(standings, "ann", "bob", game).contests] == contests
