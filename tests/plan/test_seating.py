"""Who sits where: every deal from every seat, and nobody more often to the left of anybody than others are."""

from collections import Counter
from itertools import permutations
from math import factorial

from league.plan.seating import circular_orders, seating_of, seatings
from league.values.block import Entrant, Series
from league.values.settings import Contest, Limits
from tests.tables import each

TABLES = range(2, 11)


def series(players, rotation=0, games_per_match=1):
    lineup = tuple(Entrant(f"b{number}", "") for number in range(players))
    return Series(Contest("any", players, {}, 1, games_per_match), lineup, rotation, 1, Limits())


def around(entrants):
    """The same circular order, from entrant 0."""
    at = entrants.index(0)
    return entrants[at:] + entrants[:at]


def to_the_left(orders):
    """(entrant, other, distance) to how often the other sat so many seats to the left."""
    counts = Counter()
    for order in orders:
        for at, entrant in enumerate(order):
            for far in range(1, len(order)):
                counts[entrant, order[(at + far) % len(order)], far] += 1
    return counts


@each(
    ("players", "deal", "rotation", "entrants"),
    [
        (2, 0, 0, (0, 1)),
        (2, 7, 1, (1, 0)),
        (3, 0, 0, (0, 1, 2)),
        (3, 0, 1, (2, 0, 1)),
        (3, 0, 2, (1, 2, 0)),
        (3, 1, 0, (0, 2, 1)),
        (3, 1, 1, (1, 0, 2)),
        (3, 1, 2, (2, 1, 0)),
        (3, 2, 1, (2, 0, 1)),
        (4, 0, 3, (1, 2, 3, 0)),
        (4, 1, 0, (0, 3, 2, 1)),
        (4, 2, 1, (2, 0, 1, 3)),
        (4, 6, 3, (1, 2, 3, 0)),
        (5, 2, 0, (0, 2, 4, 1, 3)),
        (5, 3, 4, (3, 1, 4, 2, 0)),
        (6, 2, 0, (0, 1, 3, 5, 2, 4)),
        (7, 1, 0, (0, 6, 5, 4, 3, 2, 1)),
    ],
)
def test_who_sits_where_is_for_ever(players, deal, rotation, entrants):
    """Addresses of games that were played depend on it."""
    assert seating_of(series(players, rotation), deal).entrants == entrants


@each("players", TABLES)
def test_the_first_game_seats_a_lineup_in_its_own_order(players):
    assert seating_of(series(players), 0).entrants == tuple(range(players))


@each("players", TABLES)
def test_every_deal_is_played_by_everybody_in_every_seat_in_one_circular_order(players):
    for deal in range(len(circular_orders(players))):
        found = [seating_of(series(players, rotation), deal) for rotation in range(players)]
        for entrant in range(players):
            assert sorted(seating.seats[entrant] for seating in found) == list(range(players))
        assert {around(seating.entrants) for seating in found} == {circular_orders(players)[deal]}
        assert [seating.rotation for seating in found] == list(range(players))


@each("players", TABLES)
def test_seats_and_entrants_are_two_sides_of_one_thing(players):
    names = tuple(f"b{number}" for number in range(players))
    for number, seating in enumerate(seatings(players)):
        assert seating.number == number
        assert sorted(seating.entrants) == list(range(players))
        for entrant, seat in enumerate(seating.seats):
            assert seating.entrants[seat] == entrant
            assert seating.by_seat(names)[seat] == names[entrant]
        assert seating.by_entrant(seating.by_seat(names)) == names


@each("players", range(2, 7))
def test_a_cycle_holds_every_circular_order_once(players):
    orders = circular_orders(players)
    assert len(set(orders)) == len(orders) == factorial(players - 1)
    assert len(set(seatings(players))) == factorial(players)


@each("players", [players for players in TABLES if players > 2])
def test_over_a_cycle_everybody_sits_to_the_left_of_everybody_equally_often(players):
    counts = to_the_left(circular_orders(players))
    distances = range(1, players) if players <= 6 else [1]
    for far in distances:
        assert len({counts[one, other, far] for one, other in permutations(range(players), 2)}) == 1


@each("players", [players for players in TABLES if players > 2])
def test_after_every_second_deal_nobody_sat_more_often_to_the_left_than_to_the_right(players):
    orders = circular_orders(players)
    for stop in range(2, len(orders) + 1, 2):
        counts = to_the_left(orders[:stop])
        for one, other in permutations(range(players), 2):
            assert all(counts[one, other, far] == counts[other, one, far] for far in range(1, players))


@each(("players", "deals"), [(5, 4), (5, 12), (6, 20), (6, 60)])
def test_few_deals_are_balanced_as_well(players, deals):
    counts = to_the_left(circular_orders(players)[:deals])
    assert set(counts.values()) == {deals // (players - 1)}
    assert len(counts) == players * (players - 1) ** 2


@each("players", [2, 3, 4])
def test_within_a_match_the_order_stays_and_every_game_turns_it_by_one_seat(players):
    one = series(players, rotation=1, games_per_match=5)
    for match in range(8):
        games = [seating_of(one, deal) for deal in range(5 * match, 5 * match + 5)]
        orders = circular_orders(players)
        assert {around(seating.entrants) for seating in games} == {orders[match % len(orders)]}
        assert [seating.rotation for seating in games] == [(1 + game) % players for game in range(5)]
