"""The plan of a league, and what of it is missing."""

from itertools import combinations, pairwise
from math import comb
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.errors import LeagueError
from league.plan.schedule import BLOCK_GAMES, covering, gaps, missing, plan, whole_matches
from league.setup.config import parse
from league.setup.roster import Roster
from tests.leagues import bot

NAMES = ("ann", "bob", "cid", "dot")


def roster(*names, games=None):
    """Bots of these names; `games` maps some of them to what they play."""
    bots = [msgspec.structs.replace(bot(name), games=(games or {}).get(name)) for name in sorted(names)]
    return Roster(tuple(bots))


def config(games="{game: raj}", schedule="round_robin", more=""):
    return parse(f"league: t\nbots: bots\ngames: [{games}]\nschedule: {schedule}\n{more}", Path())


def names_of(lineups):
    return [tuple(entrant.name for entrant in lineup) for lineup in lineups]


def lineups(config, roster):
    """The lineups of the first contest, by name."""
    return names_of(plan(config, roster).fixtures[0].lineups)


class TestWhoMeetsWhom:
    @pytest.mark.parametrize("players", [2, 3, 4])
    def test_round_robin_is_every_table_once(self, players):
        found = lineups(config(f"{{game: raj, players: {players}}}"), roster(*NAMES))
        assert found == list(combinations(NAMES, players))

    @pytest.mark.parametrize("players", [2, 3, 4])
    def test_gauntlet_is_every_table_with_that_bot(self, players):
        found = lineups(config(f"{{game: raj, players: {players}}}", "{gauntlet: cid}"), roster(*NAMES))
        assert found == [lineup for lineup in combinations(NAMES, players) if "cid" in lineup]

    def test_who_does_not_play_a_game_is_left_out_of_it(self):
        some = roster(*NAMES, games={"bob": ("braverats",), "cid": ("raj",)})
        fixtures = plan(config("{game: raj}, {game: braverats}"), some).fixtures
        assert names_of(fixtures[0].lineups) == list(combinations(("ann", "cid", "dot"), 2))
        assert names_of(fixtures[1].lineups) == list(combinations(("ann", "bob", "dot"), 2))

    @pytest.mark.parametrize(
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

    def test_two_bots_are_enough_for_a_duel_and_all_pairs_always_play(self):
        crowd = [f"b{number:02}" for number in range(20)]
        assert len(lineups(config("{game: raj, max_lineups: 3}"), roster(*crowd))) == comb(20, 2)

    @pytest.mark.parametrize(("players", "schedule"), [(3, "round_robin"), (3, "{gauntlet: b03}"), (5, "round_robin")])
    def test_larger_tables_are_sampled_beyond_max_lineups(self, players, schedule):
        crowd = [f"b{number:02}" for number in range(12)]
        asked = config(f"{{game: raj, players: {players}, max_lineups: 40}}", schedule)
        found = lineups(asked, roster(*crowd))
        assert 24 <= len(found) <= 40
        assert found == sorted(set(found))
        hero = [] if schedule == "round_robin" else ["b03"]
        assert all(name in lineup for lineup in found for name in hero)
        often = {sum(name in lineup for lineup in found) for name in crowd if name not in hero}
        assert len(often) == 1
        assert found == lineups(asked, roster(*crowd))

    def test_exactly_max_lineups_are_all_of_them(self):
        crowd = [f"b{number:02}" for number in range(7)]
        assert len(lineups(config(f"{{game: raj, players: 3, max_lineups: {comb(7, 3)}}}"), roster(*crowd))) == 35


class TestSeries:
    def test_every_lineup_plays_every_rotation_with_as_many_deals(self):
        planned = plan(config("{game: raj, players: [2, 3], deals: 12}"), roster(*NAMES))
        found = [(one.contest.key, names_of([one.lineup])[0], one.rotation, deals) for one, deals in planned.series()]
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
            return {one.id for one, _ in plan(config(games, more=more), bots or roster("ann", "bob")).series()}

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
            return [one.id for one, _ in plan(config(games, more=more), roster("ann", "bob")).series()]

        assert ids() == ids("isolation: trusted") == ids("rating: {tau: 1}") == ids(games="{game: raj, deals: 20}")


class TestMissing:
    def planned(self, deals=1200, games_per_match=1):
        asked = config(f"{{game: raj, deals: {deals}, games_per_match: {games_per_match}}}")
        return list(plan(asked, roster("ann", "bob", "cid")).series())

    def played(self, blocks):
        stored = {}
        for block in blocks:
            stored.setdefault(block.series.id, []).append((block.first, block.stop))
        return stored

    @pytest.mark.parametrize("games_per_match", [1, 3, 600])
    def test_blocks_are_whole_matches_and_hold_every_deal_once(self, games_per_match):
        series = self.planned(1200, games_per_match)
        blocks, before = missing(series, {})
        assert before == 0
        for one, deals in series:
            spans = sorted((block.first, block.stop) for block in blocks if block.series == one)
            assert spans[0][0] == 0
            assert spans[-1][1] == deals
            assert all(stop == first for (_, stop), (first, _) in pairwise(spans))
            assert all(first % games_per_match == 0 for first, _ in spans)
            assert all(stop - first <= max(BLOCK_GAMES, games_per_match) for first, stop in spans)

    def test_all_series_advance_together(self):
        firsts = [block.first for block in missing(self.planned(), {})[0]]
        assert firsts == sorted(firsts)

    def test_a_whole_league_misses_nothing_and_half_of_one_the_other_half(self):
        series = self.planned()
        blocks, _ = missing(series, {})
        assert missing(series, self.played(blocks)) == ([], len(blocks))
        half = blocks[::2]
        left, before = missing(series, self.played(half))
        assert before == len(half)
        assert left == [block for block in blocks if block not in half]

    def test_more_deals_keep_what_was_played(self):
        stored = self.played(missing(self.planned(700), {})[0])
        left, before = missing(self.planned(1200), stored)
        assert before == sum(map(len, stored.values()))
        assert {(block.first, block.stop) for block in left} == {(700, 1200)}

    @pytest.mark.parametrize(("deals", "blocks_a_series"), [(600, 2), (513, 2), (512, 1), (10, 1)])
    def test_fewer_deals_play_nothing(self, deals, blocks_a_series):
        stored = self.played(missing(self.planned(700), {})[0])
        assert missing(self.planned(deals), stored) == ([], blocks_a_series * len(stored))

    def test_a_new_bot_plays_its_lineups_only(self):
        small = list(plan(config(), roster("ann", "bob")).series())
        stored = self.played(missing(small, {})[0])
        left, before = missing(plan(config(), roster("ann", "bob", "cid")).series(), stored)
        assert before == 2
        assert all("cid" in names_of([block.series.lineup])[0] for block in left)


SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)).map(lambda span: (span[0], span[0] + span[1])))


class TestSpans:
    @pytest.mark.parametrize(
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
        assert covering(deals, stored) == chosen
        assert gaps(deals, stored) == left

    @given(st.integers(1, 40), SPANS)
    def test_what_counts_and_what_is_missing_are_all_deals_each_once(self, deals, stored):
        chosen, left = covering(deals, stored), gaps(deals, stored)
        spans = sorted([*chosen.values(), *left])
        assert [deal for span in spans for deal in range(*span)] == list(range(deals))
        assert chosen.keys() <= {*stored}
        assert all(span[0] <= part[0] and part[1] <= span[1] for span, part in chosen.items())
        assert not {deal for span in left for deal in range(*span)} & {deal for span in stored for deal in range(*span)}

    @given(st.integers(1, 40), SPANS, st.integers(1, 7), st.randoms())
    def test_playing_what_is_missing_in_any_order_leaves_nothing_missing(self, deals, stored, size, rng):
        played = [
            (start, min(start + size, stop))
            for first, stop in gaps(deals, stored)
            for start in range(first, stop, size)
        ]
        together = stored + played
        rng.shuffle(together)
        assert gaps(deals, together) == []

    @given(st.integers(1, 40), SPANS, st.integers(1, 7), st.integers(0, 30))
    def test_an_interrupted_run_is_gone_on_with(self, deals, stored, size, done):
        """Whatever part of the missing blocks was played, it counts next time."""
        played = [
            (start, min(start + size, stop))
            for first, stop in gaps(deals, stored)
            for start in range(first, stop, size)
        ][:done]
        chosen = covering(deals, stored + played)
        assert all(chosen[span] == span for span in played)

    @given(st.integers(1, 5000), st.integers(1, 5000))
    def test_whole_matches(self, games, games_per_match):
        size = whole_matches(games, games_per_match)
        assert size % games_per_match == 0
        assert games_per_match <= size <= max(games, games_per_match)
