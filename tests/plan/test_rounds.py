"""Rounds: all lineups of all contests advance together, whatever has been played before."""

from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.plan.coverage import Coverage
from league.plan.lineups import Combinations
from league.plan.pace import Pace
from league.plan.rounds import Feed, expected_blocks, progress, round_ends, rounds_of
from league.plan.schedule import Fixture, Portion, plan, with_rounds
from league.setup.config import parse
from league.setup.roster import Roster
from league.values.settings import Event
from tests.leagues import bot, contest

NAMES = [f"bot{number:02}" for number in range(12)]


def planned(games="{game: raj, deals: 100}, {game: raj, players: 3, max_lineups: 60, deals: 20}", names=NAMES):
    return plan(
        parse(f"league: t\nbots: bots\ngames: [{games}]", Path()), Roster(tuple(bot(name) for name in sorted(names)))
    )


def play(feed, stream, most=None):
    """Take blocks one by one, each played at once; returns them."""
    blocks = []
    for block in islice(stream, most):
        feed.over(block, played=True)
        blocks.append(block)
    return blocks


class TestEnds:
    @pytest.mark.parametrize(
        ("deals", "per_match", "ends"),
        [
            (1, 1, [1]),
            (2, 1, [2]),
            (10, 1, [2, 10]),
            (30, 1, [2, 8, 30]),
            (100, 1, [2, 8, 32, 64, 100]),
            (1000, 1, [2, 8, 32, 64, 128, 192, 288, 432, 648, 1000]),
            (8, 4, [8]),
            (80, 4, [8, 32, 80]),
        ],
    )
    def test_table(self, deals, per_match, ends):
        fixture = Fixture(Event(contest("raj", 2, per_match), deals=deals), (), Combinations(2, 2))
        assert round_ends(fixture) == ends

    @given(st.integers(1, 10**6))
    def test_the_first_standings_come_early_and_rounds_grow(self, deals):
        ends = round_ends(Fixture(Event(contest("raj", 2), deals=deals), (), Combinations(2, 2)))
        assert ends == sorted(set(ends))
        assert ends[-1] == deals
        assert ends[0] <= max(0.04 * deals, 2)
        assert all(after <= 6 * before for before, after in pairwise(ends))


class TestFeed:
    def test_plays_everything_once(self):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        blocks = play(feed, feed.blocks(rounds_of(coverage.plan)))
        deals = [(block.series.id, deal) for block in blocks for deal in range(block.first, block.stop)]
        assert len(deals) == len(set(deals)) == coverage.plan.games
        assert progress(coverage).finished

    def test_the_next_round_begins_when_the_one_before_is_complete(self):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        stream = feed.blocks(rounds_of(coverage.plan))
        under_way = []
        while (block := next(stream)) is not None:
            under_way.append(block)
        assert all(block.stop <= 2 for block in under_way)
        assert next(stream) is None
        for block in under_way[1:]:
            feed.over(block, played=True)
        assert next(stream) is None
        feed.over(under_way[0], played=False)
        following = [block for block in iter(stream.__next__, None) if block.series.contest.players == 2]
        assert {block.stop for block in following} == {4, 6, 8}
        assert under_way[0].series not in [block.series for block in following], "it is not tried again"

    @pytest.mark.parametrize("part", [0.04, 0.06, 0.1, 0.35, 0.8])
    def test_wherever_it_stops_all_lineups_have_played_the_same_but_for_one_round(self, part):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        rounds = rounds_of(coverage.plan)
        total = coverage.plan.games
        games = 0
        for block in feed.blocks(rounds):
            feed.over(block, played=True)
            games += block.games
            if games > part * total:
                break
        complete = progress(coverage).round
        assert complete >= 1
        assert all(one.played for one in progress(coverage).contests)
        for at, fixture in enumerate(coverage.plan.fixtures):
            done, under_way = rounds[complete - 1].stops[at], rounds[complete].stops[at]
            for rank in range(len(fixture.lineups)):
                for rotation in range(fixture.contest.players):
                    assert coverage.missing(at, rank, rotation, (0, done)) == []
                    assert coverage.missing(at, rank, rotation, (under_way, 10**9)) == [(under_way, 10**9)]

    def test_in_the_middle_of_a_round_contests_and_bots_have_advanced_together(self):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        blocks = [block for block in feed.blocks(rounds_of(coverage.plan)[:1]) if feed.over(block, played=True) is None]
        half = blocks[: len(blocks) // 2]
        for key, apart in (("raj-2p", 4), ("raj-3p", 15)):  # a sample is less even than all combinations
            all_of = [block for block in blocks if block.series.contest.key == key]
            half_of = [block for block in half if block.series.contest.key == key]
            assert abs(len(half_of) / len(all_of) - 0.5) < 0.05
            sat = [sum(name in [one.name for one in block.series.lineup] for block in half_of) for name in NAMES]
            assert max(sat) - min(sat) <= apart

    def test_a_changed_league_plays_exactly_what_is_missing(self):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        done = play(feed, feed.blocks(rounds_of(coverage.plan)))
        larger = Coverage(planned(names=[*NAMES, "new"]))
        before = {(tuple(one.name for one in block.series.lineup), block.series.rotation) for block in done}
        kept = 0
        for at, fixture in enumerate(larger.plan.fixtures):
            for rank, lineup in enumerate(fixture.lineups):
                names = tuple(fixture.entrants[one].name for one in lineup)
                for rotation in range(fixture.contest.players):
                    if (names, rotation) in before:
                        kept += 1
                        larger.add(at, rank, rotation, (0, fixture.event.deals))
        feed = Feed(larger, Pace())
        added = play(feed, feed.blocks(rounds_of(larger.plan)))
        assert kept
        assert all("new" in [one.name for one in block.series.lineup] for block in added)
        assert progress(larger).finished

    def test_nothing_is_listed_ahead(self):
        """A hundred thousand bots have five billion pairs."""
        fixture = planned().fixtures[0]
        lineups = Combinations(100_000, 2)
        entrants = tuple(bot(f"b{number}").entrant() for number in range(100))
        crowd = planned("{game: raj}")
        crowd = type(crowd)((type(fixture)(fixture.event, entrants * 1000, lineups),), crowd.seed, crowd.limits)
        feed = Feed(Coverage(crowd), Pace())
        assert len(list(islice(feed.blocks(rounds_of(crowd)), 100))) == 100


class TestChosenRounds:
    def test_are_played_one_after_the_other(self):
        first = [Portion(0, 3, (5, 7)), Portion(1, 2, (0, 2))]
        second = [Portion(0, 3, (7, 8))]
        coverage = Coverage(with_rounds(planned(), [first, second]))
        feed = Feed(coverage, Pace())
        rounds = rounds_of(coverage.plan)
        assert rounds[0].missing(coverage) == [4, 6]
        assert progress(coverage).round == 0
        play(feed, feed.blocks(rounds[:1]))
        assert progress(coverage).round == 1
        assert not progress(coverage).finished
        blocks = play(feed, feed.blocks(rounds))
        assert [(block.first, block.stop) for block in blocks] == [(7, 8)] * 2
        assert progress(coverage).finished


class TestProgress:
    def test_is_a_sentence(self):
        coverage = Coverage(planned())
        assert str(progress(coverage)) == "after round 0 of 5, 0 of 16,800 games, 2 contests not begun"
        feed = Feed(coverage, Pace())
        play(feed, feed.blocks(rounds_of(coverage.plan)[:1]))
        assert str(progress(coverage)) == "after round 1 of 5, 624 of 16,800 games"


def test_the_blocks_to_come_are_those_that_the_feed_cuts():
    plan = planned("{game: raj, deals: 100}")
    coverage = Coverage(plan)
    pace = Pace()
    for entrant in plan.fixtures[0].entrants:
        pace.know("raj-2p", entrant, 1000, 0.01)
    feed = Feed(coverage, pace)
    expected = expected_blocks(coverage)
    counted = 0
    for block in feed.blocks(rounds_of(plan)):
        feed.over(block, played=True)
        counted += 1
    assert expected == counted
    assert expected_blocks(coverage) == 0
