"""The plan of a league, and what of it is missing."""

from itertools import combinations, pairwise
from math import comb
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import LeagueError
from league.games.contract import plain
from league.plan.coverage import Coverage, merged
from league.plan.schedule import ChosenLineup, covering, gaps, plan, whole_matches, with_rounds
from league.plan.seating import dealt
from league.setup.config import parse
from league.setup.roster import Roster
from tests.leagues import bot, missing
from tests.tables import each

NAMES = ("ann", "bob", "cid", "dot")


def roster(*names, games=None):
    """Bots of these names; `games` maps some of them to what they play."""
    bots = [msgspec.structs.replace(bot(name), games=(games or {}).get(name)) for name in sorted(names)]
    return Roster(tuple(bots))


def config(games="{game: raj}", schedule="round_robin", more=""):
    return parse(f"league: t\nbots: bots\ngames: [{games}]\nschedule: {schedule}\n{more}", Path())


def names_of(fixture):
    """The lineups of a fixture, by name."""
    return [tuple(fixture.entrants[bot].name for bot in lineup) for lineup in fixture.lineups]


def lineups(config, roster):
    """The lineups of the first contest, by name."""
    return names_of(plan(config, roster).fixtures[0])


def series_of(planned):
    """Every series of a plan, in canonical order."""
    return [block.series for block in missing(Coverage(planned))]


@each(("more", "same"), [("", True), ("luck_follows: names", True), ("luck_follows: versions", False)])
def test_a_new_version_plays_other_deals_where_the_config_says_so(more, same):
    asked, others = config(more=f"seed: 7\n{more}"), roster("bob", "cid").bots
    old, new = (plan(asked, Roster((bot("ann", source), *others))).series(0, 0, 0) for source in ("a = 1\n", "a = 2\n"))
    assert (
        [plain(dealt(old, number)) for number in range(4)] == [plain(dealt(new, number)) for number in range(4)]
    ) == same
    assert old.first_group == new.first_group


class TestWhoMeetsWhom:
    @each("players", [2, 3, 4])
    def test_round_robin_is_every_table_once(self, players):
        found = lineups(config(f"{{game: raj, players: {players}}}"), roster(*NAMES))
        assert found == list(combinations(NAMES, players))

    @each("players", [2, 3, 4])
    def test_gauntlet_is_every_table_with_that_bot(self, players):
        found = lineups(config(f"{{game: raj, players: {players}}}", "{gauntlet: cid}"), roster(*NAMES))
        assert found == [lineup for lineup in combinations(NAMES, players) if "cid" in lineup]

    def test_who_does_not_play_a_game_is_left_out_of_it(self):
        some = roster(*NAMES, games={"bob": ("braverats",), "cid": ("raj",)})
        fixtures = plan(config("{game: raj}, {game: braverats}"), some).fixtures
        assert names_of(fixtures[0]) == list(combinations(("ann", "cid", "dot"), 2))
        assert names_of(fixtures[1]) == list(combinations(("ann", "bob", "dot"), 2))

    @each(
        ("games", "schedule", "bots", "message"),
        [
            (
                "{game: raj, players: 3}",
                "round_robin",
                roster("ann", "bob"),
                "raj-3p needs 3 bots at a table, but 2 bots can play it (ann, bob); looked in bots."
                " With fill: random in its entry, copies of that bot take the empty seats.",
            ),
            (
                "{game: raj}",
                "round_robin",
                roster("ann", games={"ann": ("braverats",)}),
                "raj-2p needs 2 bots at a table, but 0 bots can play it (none); looked in bots.",
            ),
            (
                "{game: raj}",
                "{gauntlet: bop}",
                roster(*NAMES),
                "There is no bot 'bop' among the 4 bots of this league. Did you mean 'bob'?",
            ),
            (
                "{game: raj}",
                "{gauntlet: bob}",
                roster(*NAMES, games={"bob": ("braverats",)}),
                "The gauntlet's bot 'bob' does not play raj-2p.",
            ),
        ],
    )
    def test_what_cannot_be_played_is_said(self, games, schedule, bots, message):
        with pytest.raises(LeagueError) as told:
            plan(config(games, schedule), bots)
        assert str(told.value) == message

    def test_all_pairs_play_unless_the_config_asks_for_fewer(self):
        crowd = [f"b{number:03}" for number in range(120)]
        assert len(lineups(config(), roster(*crowd))) == comb(120, 2)

    @each(
        ("keys", "schedule", "most"),
        [
            ("max_lineups: 40", "round_robin", 40),
            ("players: 3, max_lineups: 40", "round_robin", 40),
            ("players: 3, max_lineups: 40", "{gauntlet: b03}", 40),
            ("players: 5, max_lineups: 40", "round_robin", 40),
            ("opponents: 4", "round_robin", 2 * 12),
            ("opponents: 3", "round_robin", 2 * 12),
            ("players: 3, opponents: 6", "round_robin", 12),
            ("players: 3, opponents: 60, max_lineups: 30", "round_robin", 30),
        ],
    )
    def test_more_lineups_than_asked_for_are_sampled(self, keys, schedule, most):
        crowd = [f"b{number:02}" for number in range(12)]
        asked = config(f"{{game: raj, {keys}}}", schedule)
        found = lineups(asked, roster(*crowd))
        assert 0.6 * most <= len(found) <= most
        assert found == sorted(set(found))
        assert found == lineups(asked, roster(*crowd))
        hero = [] if schedule == "round_robin" else ["b03"]
        assert all(name in lineup for lineup in found for name in hero)
        often = [sum(name in lineup for lineup in found) for name in crowd if name not in hero]
        assert max(often) <= 2 * min(often)

    def test_everybody_plays_even_if_fewer_lineups_are_asked_for(self):
        found = lineups(config("{game: raj, max_lineups: 1}"), roster(*NAMES))
        assert {name for lineup in found for name in lineup} == set(NAMES)

    def test_exactly_max_lineups_are_all_of_them(self):
        crowd = [f"b{number:02}" for number in range(7)]
        assert len(lineups(config(f"{{game: raj, players: 3, max_lineups: {comb(7, 3)}}}"), roster(*crowd))) == 35


class TestSeries:
    def test_every_lineup_plays_every_rotation_with_as_many_deals(self):
        planned = plan(config("{game: raj, players: [2, 3], deals: 12}"), roster(*NAMES))
        found = [
            (
                block.series.contest.key,
                tuple(one.name for one in block.series.lineup),
                block.series.rotation,
                block.games,
            )
            for block in missing(Coverage(planned))
        ]
        expected = [
            (f"raj-{players}p", lineup, rotation, 12)
            for players in (2, 3)
            for lineup in combinations(NAMES, players)
            for rotation in range(players)
        ]
        assert found == expected
        assert planned.games == 12 * len(expected)

    def test_ids_are_different_and_depend_on_all_that_decides_results(self):
        def ids(games="{game: raj}", more="", bots=None):
            return {one.id for one in series_of(plan(config(games, more=more), bots or roster("ann", "bob")))}

        changed = Roster((bot("ann", "# another\n" + bot("ann").source.decode()), bot("bob")))
        variants = [
            ids(),
            ids("{game: raj, options: {tie_break: highest_mouse}}"),
            ids("{game: raj, games_per_match: 2}"),
            ids("{game: braverats}"),
            ids(more="seed: 5"),
            ids(more="limits: {move_ms: 7}"),
            ids(bots=changed),
            ids(bots=roster("ann", "bop")),
        ]
        assert all(len(found) == 2 for found in variants)
        assert len(set.union(*variants)) == 2 * len(variants)

    def test_ids_depend_on_nothing_else(self):
        def ids(more="", games="{game: raj, deals: 10}"):
            return [one.id for one in series_of(plan(config(games, more=more), roster("ann", "bob")))]

        assert ids() == ids("isolation: trusted") == ids("rating: {tau: 1}") == ids(games="{game: raj, deals: 20}")


class TestChosenRounds:
    def test_only_what_was_chosen_is_wanted(self):
        planned = plan(config("{game: raj, players: 3, deals: 12}"), roster(*NAMES))
        one, other = (planned.fixtures[0].lineups[rank] for rank in (1, 2))
        second = [ChosenLineup(0, one, (0, 2)), ChosenLineup(0, other, (7, 8))]
        chosen = with_rounds(planned, [[ChosenLineup(0, other, (5, 7))], second])
        assert chosen.fixtures[0].wanted(2) == (5, 8)
        assert chosen.fixtures[0].wanted(0) == (0, 0)
        assert chosen.games == 3 * (3 + 2)
        assert chosen.fixtures[0].lineup_count == 2

    def test_deals_of_a_lineup_follow_each_other(self):
        planned = plan(config("{game: raj, deals: 12}"), roster(*NAMES))
        with pytest.raises(ValueError, match="must follow each other"):
            with_rounds(planned, [[ChosenLineup(0, (0, 1), (0, 2))], [ChosenLineup(0, (0, 1), (4, 6))]])


class TestCoverage:
    def planned(self, deals=12):
        return plan(config(f"{{game: raj, deals: {deals}}}"), roster("ann", "bob", "cid"))

    def test_what_was_played_is_not_missing(self):
        coverage = Coverage(self.planned())
        coverage.add(0, 1, 0, (0, 4))
        coverage.add(0, 1, 0, (6, 100))
        coverage.add(0, 1, 0, (3, 5))
        assert coverage.missing(0, 1, 0, (0, 12)) == [(5, 6)]
        assert coverage.missing(0, 1, 1, (0, 12)) == [(0, 12)]
        assert coverage.games(0) == 11
        assert coverage.games(0, stop=7) == 6

    @given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 9)).map(lambda span: (span[0], sum(span)))))
    def test_merged_spans_are_the_same_deals_apart_from_each_other(self, spans):
        found = merged(spans)
        assert {deal for span in found for deal in range(*span)} == {deal for span in spans for deal in range(*span)}
        assert all(stop < first for (_, stop), (first, _) in pairwise(found))


SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)).map(lambda span: (span[0], span[0] + span[1])))


class TestSpans:
    @each(
        ("deals", "stored", "chosen", "left"),
        [
            (10, [], {}, [(0, 10)]),
            (10, [(0, 10)], {(0, 10): (0, 10)}, []),
            (10, [(0, 40)], {(0, 40): (0, 10)}, []),
            (10, [(0, 4), (6, 10)], {(0, 4): (0, 4), (6, 10): (6, 10)}, [(4, 6)]),
            (10, [(0, 4), (0, 8)], {(0, 8): (0, 8)}, [(8, 10)]),
            (10, [(0, 4), (2, 8)], {(0, 4): (0, 4), (2, 8): (4, 8)}, [(8, 10)]),
            (10, [(0, 4), (2, 8), (3, 20)], {(0, 4): (0, 4), (2, 8): (4, 8), (3, 20): (8, 10)}, []),
            (10, [(0, 8), (2, 6)], {(0, 8): (0, 8)}, [(8, 10)]),
            (10, [(8, 12)], {(8, 12): (8, 10)}, [(0, 8)]),
            (10, [(10, 12)], {}, [(0, 10)]),
            (10, [(12, 14)], {}, [(0, 10)]),
        ],
    )
    def test_table(self, deals, stored, chosen, left):
        assert covering((0, deals), stored) == chosen
        assert gaps((0, deals), stored) == left

    @given(st.integers(1, 40), SPANS)
    def test_what_counts_and_what_is_missing_are_all_deals_each_once(self, deals, stored):
        chosen, left = covering((0, deals), stored), gaps((0, deals), stored)
        spans = sorted([*chosen.values(), *left])
        assert [deal for span in spans for deal in range(*span)] == list(range(deals))
        assert chosen.keys() <= {*stored}
        assert all(span[0] <= part[0] and part[1] <= span[1] for span, part in chosen.items())
        assert not {deal for span in left for deal in range(*span)} & {deal for span in stored for deal in range(*span)}

    @given(st.integers(1, 40), SPANS, st.integers(1, 7), st.integers(0, 30))
    def test_an_interrupted_run_is_gone_on_with(self, deals, stored, size, done):
        """Whatever part of the missing blocks was played, it counts next time."""
        played = [
            (start, min(start + size, stop))
            for first, stop in gaps((0, deals), stored)
            for start in range(first, stop, size)
        ][:done]
        chosen = covering((0, deals), stored + played)
        assert all(chosen[span] == span for span in played)

    def test_deals_before_those_wanted_do_not_count(self):
        assert covering((3, 9), [(0, 5), (7, 20)]) == {(0, 5): (3, 5), (7, 20): (7, 9)}
        assert gaps((3, 9), [(0, 5), (7, 20)]) == [(5, 7)]

    @given(st.integers(1, 5000), st.integers(1, 5000))
    def test_whole_matches(self, games, games_per_match):
        size = whole_matches(games, games_per_match)
        assert size % games_per_match == 0
        assert games_per_match <= size <= max(games, games_per_match)
