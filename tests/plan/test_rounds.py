"""Rounds: all lineups of all contests advance together, whatever has been played before."""

from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from league.plan.coverage import Coverage
from league.plan.draft import MOST_GAMES, MOST_HOSTS, Draft, host_keys
from league.plan.lineups import Combinations
from league.plan.pace import SECONDS, Pace
from league.plan.rounds import expected_blocks, held_up, progress, round_ends, rounds_of
from league.plan.schedule import Fixture, Portion, plan, with_rounds
from league.plan.sittings import EASILY_LONGER, TRIED_BEFORE, Feed
from league.setup.config import parse
from league.setup.roster import Roster
from league.values.block import Block, BlockResult, Fault, Usage
from league.values.settings import Event
from tests.leagues import bot, contest
from tests.tables import each

NAMES = [f"bot{number:02}" for number in range(12)]


def planned(games="{game: raj, deals: 100}, {game: raj, players: 3, max_lineups: 60, deals: 20}", names=NAMES):
    return plan(
        parse(f"league: t\nbots: bots\ngames: [{games}]", Path()), Roster(tuple(bot(name) for name in sorted(names)))
    )


def known(plan, seconds=1e-4, without=()):
    """A pace that knows the bots of a plan."""
    pace = Pace()
    for fixture in plan.fixtures:
        for entrant in set(fixture.entrants).difference(without):
            pace.know(fixture.contest.key, entrant, 1000, 1000 * seconds)
    return pace


def play(feed, rounds):
    """Take sittings one by one, each played at once; returns their blocks."""
    blocks = []
    for sitting in feed.sittings(rounds):
        for block in sitting.blocks if sitting else ():
            feed.over(block, played=True)
            blocks.append(block)
    return blocks


class TestEnds:
    @each(
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

    def test_rounds_are_numbered_from_1_and_a_shorter_contest_ends_with_its_deals(self):
        rounds = rounds_of(planned("{game: raj, deals: 100}, {game: braverats, deals: 10}", NAMES[:3]))
        assert [(part.number, *part.stops) for part in rounds] == [
            (1, 2, 2), (2, 8, 10), (3, 32, 10), (4, 64, 10), (5, 100, 10)
        ]  # fmt: skip


class TestFeed:
    def test_a_block_is_in_the_sitting_that_has_its_middle(self):
        coverage = Coverage(planned("{game: raj, deals: 20}", NAMES[:4]))
        feed = Feed(coverage, known(coverage.plan))
        lineups = [Portion(0, rank, (0, 20)) for rank in range(6)]
        sittings = feed._divided(lineups, (0, 1), 5)
        assert [len(sitting.blocks) for sitting in sittings] == [2, 3, 2, 3, 2]

    def test_a_batch_is_divided_into_as_many_sittings_as_it_takes_by_rotation(self):
        coverage = Coverage(planned("{game: raj, deals: 20}", NAMES[:4]))
        feed = Feed(coverage, known(coverage.plan))
        lineups = [Portion(0, rank, (0, 20)) for rank in range(6)]
        seconds, _ = feed._missing_work(lineups)
        sittings = [*feed._in_sittings(lineups, seconds / (3.5 + EASILY_LONGER))]
        assert [len(sitting.blocks) for sitting in sittings] == [3, 3, 3, 3]
        rotations = [{block.series.rotation for block in sitting.blocks} for sitting in sittings]
        assert rotations == [{0}, {1}, {0}, {1}]

    def test_plays_everything_once(self):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        blocks = play(feed, rounds_of(coverage.plan))
        deals = [(block.series.id, deal) for block in blocks for deal in range(block.first, block.stop)]
        assert len(deals) == len(set(deals)) == coverage.plan.games
        assert progress(coverage).finished

    def test_the_next_round_begins_when_the_one_before_is_complete(self):
        coverage = Coverage(planned())
        feed = Feed(coverage, known(coverage.plan))
        stream = feed.sittings(rounds_of(coverage.plan))
        under_way = []
        while (sitting := next(stream)) is not None:
            under_way += sitting.blocks
        assert all(block.stop <= 2 for block in under_way)
        assert next(stream) is None
        for block in under_way[1:]:
            feed.over(block, played=True)
        assert next(stream) is None
        feed.over(under_way[0], played=False)
        sittings = list(iter(stream.__next__, None))
        following = [block for sitting in sittings for block in sitting.blocks if block.series.contest.players == 2]
        assert {block.stop for block in following} == {8}
        assert under_way[0].series not in [block.series for block in following], "it is not tried again"

    @pytest.mark.parametrize("part", [0.04, 0.06, 0.1, 0.35, 0.8])
    def test_wherever_it_stops_all_lineups_have_played_the_same_except_for_one_round(self, part):
        coverage = Coverage(planned())
        feed = Feed(coverage, Pace())
        rounds = rounds_of(coverage.plan)
        total = coverage.plan.games
        games = 0
        for sitting in feed.sittings(rounds):
            for block in sitting.blocks if sitting else ():
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
        blocks = play(Feed(coverage, known(coverage.plan, seconds=0.3)), rounds_of(coverage.plan)[:1])
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
        done = play(feed, rounds_of(coverage.plan))
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
        added = play(feed, rounds_of(larger.plan))
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
        assert len(list(islice(feed.sittings(rounds_of(crowd)), 100))) == 100


class TestChosenRounds:
    def test_are_played_one_after_the_other(self):
        first = [Portion(0, 3, (5, 7)), Portion(1, 2, (0, 2))]
        second = [Portion(0, 3, (7, 8))]
        coverage = Coverage(with_rounds(planned(), [first, second]))
        feed = Feed(coverage, Pace())
        rounds = rounds_of(coverage.plan)
        assert rounds[0].missing(coverage) == [4, 6]
        assert progress(coverage).round == 0
        play(feed, rounds[:1])
        assert progress(coverage).round == 1
        assert not progress(coverage).finished
        blocks = play(feed, rounds)
        assert [(block.first, block.stop) for block in blocks] == [(7, 8)] * 2
        assert progress(coverage).finished


class TestProgress:
    def test_is_a_sentence(self):
        coverage = Coverage(planned())
        assert str(progress(coverage)) == "after round 0 of 5, 0 of 16,800 games, 2 contests not begun"
        feed = Feed(coverage, Pace())
        play(feed, rounds_of(coverage.plan)[:1])
        assert str(progress(coverage)) == "after round 1 of 5, 624 of 16,800 games"


def test_games_are_open_because_of_a_slow_bot_if_it_misses_a_larger_part_than_the_others():
    plan = planned("{game: raj, deals: 4}")
    pace = known(plan)
    slow = plan.fixtures[0].entrants[3]
    pace.know("raj-2p", slow, 1000, 200.0)
    coverage = Coverage(plan)
    assert held_up(coverage, pace) == {}
    for rank in range(len(plan.fixtures[0].lineups)):
        if slow not in plan.lineup(0, rank):
            coverage.add(0, rank, 0, (0, 4))
    assert held_up(coverage, pace) == {slow.name: 11 * 2 * 4}


def test_the_blocks_to_come_are_those_that_the_feed_cuts():
    plan = planned("{game: raj, deals: 100}")
    coverage = Coverage(plan)
    pace = Pace()
    for entrant in plan.fixtures[0].entrants:
        pace.know("raj-2p", entrant, 1000, 0.01)
    expected = expected_blocks(coverage)
    assert expected == len(play(Feed(coverage, pace), rounds_of(plan)))
    assert expected_blocks(coverage) == 0


class TestSittings:
    def sittings(self, plan, pace, **more):
        feed = Feed(Coverage(plan), pace, **more)
        return [sitting for sitting in islice(feed.sittings(rounds_of(plan)[:1]), 500) if sitting]

    def test_hosts_are_shared_by_many_opponents(self):
        plan = planned("{game: raj, deals: 2}", [f"bot{number:02}" for number in range(64)])
        sittings = self.sittings(plan, known(plan))
        hosts = [{key for block in sitting.blocks for key in host_keys(block.series)} for sitting in sittings]
        assert max(map(len, hosts)) <= MOST_HOSTS
        assert sum(map(len, hosts)) < plan.games / 10, (
            "one process for each bot of each series would be as many as games"
        )

    def test_no_host_gets_a_deal_twice(self):
        for sitting in self.sittings(plan := planned(), known(plan)):
            seen = [
                (key, block.series.luck, deal)
                for block in sitting.blocks
                for key in host_keys(block.series)
                for deal in range(block.first, block.stop)
            ]
            assert len(seen) == len(set(seen))

    def test_lineups_that_share_their_deals_share_no_sitting(self):
        plan = replace(planned("{game: raj, deals: 2}"), own_deals=False)
        assert {len(sitting.blocks) for sitting in self.sittings(plan, known(plan))} == {1}

    def test_memory_of_hosts_is_bounded(self):
        plan = planned("{game: raj, deals: 2}")
        sittings = self.sittings(plan, known(plan), memory_mb=8 * plan.limits.memory_mb)
        hosts = [{key for block in sitting.blocks for key in host_keys(block.series)} for sitting in sittings]
        assert max(map(len, hosts)) == 8

    def test_a_sitting_is_filled_to_its_last_game_and_second(self):
        plan = planned(f"{{game: raj, deals: {MOST_GAMES}}}")
        first, second = (Block(plan.series(0, rank, 0), 0, MOST_GAMES) for rank in (0, 1))
        over = Block(second.series, 0, MOST_GAMES + 1)
        pace = known(plan)
        draft = Draft(pace, 10_000)
        draft.add(first)
        assert (draft.has_room_for(second), draft.has_room_for(over)) == (True, False)
        exactly = pace.block_seconds(first) + pace.block_seconds(second)
        for most_seconds, fits in ((exactly, True), (0.999 * exactly, False)):
            draft = Draft(pace, 10_000, most_seconds)
            draft.add(first)
            assert draft.has_room_for(second) is fits

    def test_unknown_bots_play_a_few_games_first(self):
        plan = planned("{game: raj, deals: 100}")
        feed = Feed(Coverage(plan), pace := Pace())
        stream = feed.sittings(rounds_of(plan))
        probes = list(iter(stream.__next__, None))
        assert [len(sitting.blocks) for sitting in probes] == [1] * 6
        assert {entrant for sitting in probes for entrant in sitting.blocks[0].series.lineup} == {
            *plan.fixtures[0].entrants
        }
        assert all(sitting.games == 2 and sitting.is_apart for sitting in probes)
        for sitting in probes:
            feed.over(sitting.blocks[0], played=True)
            pace.learn(result(sitting.blocks[0], 1e-4, 1e-4))
        following = next(stream)
        assert len(following.blocks) > 10
        assert not following.is_apart

    @each("slow", [0, 1, 3])
    def test_many_unknown_bots_play_their_first_games_together_unless_some_are_slow(self, slow):
        plan = planned("{game: raj, deals: 8}", [f"bot{number:03}" for number in range(200)])
        entrants = plan.fixtures[0].entrants
        pace = known(plan, without=entrants[64:])
        for entrant in entrants[:slow]:
            pace.know("raj-2p", entrant, 1000, 1000.0)
        feed = Feed(Coverage(plan), pace)
        probes = [sitting for sitting in iter(feed.sittings(rounds_of(plan)).__next__, None) if sitting.is_apart]
        most = 64 // TRIED_BEFORE // (slow + 1)
        assert max(len(sitting.blocks) for sitting in probes) == most
        assert all(block.games == 2 for sitting in probes for block in sitting.blocks)
        tried = [entrant for sitting in probes for block in sitting.blocks for entrant in block.series.lineup]
        assert {*entrants[64:]} <= {*tried}

    def test_first_games_together_stay_within_the_memory(self):
        plan = planned("{game: raj, deals: 8}", [f"bot{number:03}" for number in range(200)])
        limit = plan.limits.memory_mb
        feed = Feed(Coverage(plan), known(plan, without=plan.fixtures[0].entrants[128:]), memory_mb=6 * limit)
        probes = [sitting for sitting in iter(feed.sittings(rounds_of(plan)).__next__, None) if sitting.is_apart]
        hosts = [{host for block in sitting.blocks for host in host_keys(block.series)} for sitting in probes]
        assert max(map(len, hosts)) == 6

    def test_what_was_not_handed_out_is_not_under_way_when_nobody_wants_more(self):
        names = [f"bot{number:03}" for number in range(200)]
        plan = planned("{game: raj, deals: 8}", names)
        for unknown, seconds in ((100, 1e-4), (0, 0.1)):  # among the first games, or in the middle of a batch
            feed = Feed(Coverage(plan), known(plan, seconds, without=plan.fixtures[0].entrants[:unknown]))
            stream = feed.sittings(rounds_of(plan))
            sitting = next(stream)
            assert sitting.is_apart == bool(unknown)
            stream.close()
            feed.take_back(sitting)
            assert not feed.is_waiting

    def test_a_batch_that_is_divided_starts_each_host_once(self):
        plan = planned("{game: raj, deals: 100}")
        feed = Feed(Coverage(plan), known(plan, 0.8 * SECONDS / (66 * 2 * 2)))
        sittings = list(iter(feed.sittings(rounds_of(plan)[:1]).__next__, None))
        hosts = [{host for block in sitting.blocks for host in host_keys(block.series)} for sitting in sittings]
        assert len(sittings) == 2
        assert not hosts[0] & hosts[1]
        assert len(hosts[0] | hosts[1]) == 2 * len(NAMES)

    def test_others_play_on_while_little_is_unknown(self):
        plan = planned("{game: raj, deals: 100}")
        pace = known(plan, without=(new := plan.fixtures[0].entrants[3],))
        first, second = islice(Feed(Coverage(plan), pace).sittings(rounds_of(plan)), 2)
        assert new in first.blocks[0].series.lineup
        assert all(new not in block.series.lineup for block in second.blocks)

    @each("seconds", [1e-4, 0.2])
    def test_games_of_an_unknown_bot_wait_for_its_first_ones(self, seconds):
        plan = planned("{game: raj, deals: 8}")
        pace = known(plan, without=(new := plan.fixtures[0].entrants[3],))
        feed = Feed(Coverage(plan), pace)
        stream = feed.sittings(rounds_of(plan)[:1])
        probe, *others = iter(stream.__next__, None)
        assert all(new not in block.series.lineup for sitting in others for block in sitting.blocks)
        for block in (block for sitting in others for block in sitting.blocks):
            feed.over(block, played=True)
        assert next(stream) is None, "they do not begin before it is known how long they take"
        (block,) = probe.blocks
        feed.over(block, played=True)
        pace.learn(result(block, *(seconds if entrant == new else 1e-4 for entrant in block.series.lineup)))
        sittings = list(iter(stream.__next__, None))
        is_slow = seconds > 0.1
        assert [sitting.is_apart for sitting in sittings] == [is_slow] * len(sittings)
        assert len(sittings) == (21 if is_slow else 1)
        for block in (block for sitting in sittings for block in sitting.blocks):
            assert next(stream) is None, "it has not ended as long as something is under way"
            feed.over(block, played=True)
        assert list(stream) == []

    def test_slow_bots_get_no_time_in_advance_and_all_workers_at_the_end(self):
        plan = planned("{game: raj, deals: 2}")
        pace = known(plan)
        slow = plan.fixtures[0].entrants[3]
        pace.know("raj-2p", slow, 1000, 200.0)
        feed = Feed(Coverage(plan), pace, workers=4)
        stream = feed.sittings(rounds_of(plan))
        among_others = list(iter(stream.__next__, None))
        assert not any(sitting.is_apart for sitting in among_others), "0.3 of what the others take is less than a game"
        for sitting in among_others:
            for block in sitting.blocks:
                feed.over(block, played=True)
        last = list(iter(stream.__next__, None))
        assert [slow in sitting.blocks[0].series.lineup for sitting in last] == [True] * 22

    def test_slow_bots_have_a_budget_of_their_own_and_the_rest_stays_open(self):
        plan = planned("{game: raj, deals: 2}")
        pace = known(plan)
        slow, slower = plan.fixtures[0].entrants[3:5]
        pace.know("raj-2p", slow, 1000, 200.0)
        pace.know("raj-2p", slower, 1000, 800.0)
        feed = Feed(coverage := Coverage(plan), pace, apart_seconds=2.0)
        played = play(feed, rounds_of(plan))
        spent = {
            bot: sum(pace.alone_seconds(block) for block in played if bot in block.series.lineup)
            for bot in (slow, slower)
        }
        assert 2.0 <= max(spent.values()) < 4.0, "a block more than the budget at most"
        held_up = feed.held_up()
        assert {*held_up} == {slow.name, slower.name}
        others = [block for block in played if not {slow, slower}.intersection(block.series.lineup)]
        assert sum(block.games for block in others) == 4 * 45, "everybody else has played everything"
        play(Feed(coverage, pace), rounds_of(plan))
        assert not any(coverage.to_play())

    @each(("workers", "most"), [(2, 1), (8, 2)])
    def test_slow_bots_occupy_at_most_a_part_of_the_workers(self, workers, most):
        plan = planned("{game: raj, deals: 1000}")
        pace = known(plan, 1e-3)
        pace.know("raj-2p", plan.fixtures[0].entrants[3], 1000, 100.0)
        stream = Feed(Coverage(plan), pace, workers).sittings(rounds_of(plan)[-1:])
        assert sum(sitting.is_apart for sitting in iter(stream.__next__, None)) == most

    def test_slow_bots_get_three_tenths_of_the_time(self):
        plan = planned("{game: raj, deals: 1000}")
        pace = known(plan, 1e-3)
        pace.know("raj-2p", plan.fixtures[0].entrants[3], 1000, 100.0)
        feed = Feed(Coverage(plan), pace)
        seconds = {True: 0.0, False: 0.0}
        for sitting in iter(feed.sittings(rounds_of(plan)[-1:]).__next__, None):
            seconds[sitting.is_apart] += sum(map(pace.block_seconds, sitting.blocks))
            if sitting.is_apart:
                feed.over(sitting.blocks[0], played=True)
        assert seconds[False] == pytest.approx(55 * 2 * 1000 * 2e-3)
        assert seconds[True] / sum(seconds.values()) == pytest.approx(0.3, abs=0.01)

    def test_two_unknown_bots_play_their_first_games_against_each_other(self):
        plan = planned("{game: raj, deals: 100}")
        new = plan.fixtures[0].entrants[:2]
        stream = Feed(Coverage(plan), known(plan, without=new)).sittings(rounds_of(plan))
        probes = [sitting.blocks[0].series.lineup for sitting in islice(stream, 2) if sitting.is_apart]
        assert probes == [new]

    def test_one_unknown_bot_plays_first_games_at_every_table_size(self):
        plan = planned("{game: raj, deals: 8}, {game: raj, players: 4, deals: 8, max_lineups: 60}")
        new = plan.fixtures[0].entrants[3]
        stream = Feed(Coverage(plan), known(plan, without=(new,))).sittings(rounds_of(plan))
        probes = [sitting.blocks[0].series for sitting in islice(stream, 3) if sitting.is_apart]
        assert sorted(series.contest.players for series in probes) == [2, 4]
        assert all(new in series.lineup for series in probes)

    def test_a_slow_bot_plays_apart_and_holds_nobody_up(self):
        plan = planned("{game: raj, deals: 100}")
        pace = known(plan)
        slow = plan.fixtures[0].entrants[3]
        pace.know("raj-2p", slow, 1000, 100.0)
        feed = Feed(coverage := Coverage(plan), pace)
        spent = {True: 0.0, False: 0.0}
        for sitting in feed.sittings(rounds_of(plan)):
            for block in sitting.blocks if sitting else ():
                feed.over(block, played=True)
                is_slow = slow in block.series.lineup
                assert not is_slow or len(sitting.blocks) == 1
                spent[is_slow] += pace.block_seconds(block)
            if progress(coverage).played > 0.8 * plan.games:
                break
        others = [block for block in self.others(plan, slow) if coverage.missing(0, *block, (0, 100))]
        assert not others, "all games among the others are played first"
        assert spent[True] < 0.5 * spent[False] + 2 * SECONDS

    def others(self, plan, slow):
        for rank in range(len(plan.fixtures[0].lineups)):
            if slow not in plan.lineup(0, rank):
                yield from ((rank, rotation) for rotation in (0, 1))

    @pytest.mark.parametrize(
        "contest", ["{game: raj, deals: 2}", "{game: raj, players: 4, deals: 2, max_lineups: 500}"]
    )
    def test_bots_that_are_costly_to_start_play_in_few_sittings(self, contest):
        plan = planned(contest, [f"bot{at:02}" for at in range(44)])
        starts = []
        for starting in (0.0, 0.12):
            pace = known(plan, 0.002)
            machines = plan.fixtures[0].entrants[:3]
            for entrant in machines:
                pace.know_process(entrant, Usage(1, 0.0, starting=starting, memory_mb=60, starts=1.0))
            sittings = self.sittings(plan, pace)
            hosts = [{key for block in sitting.blocks for key in host_keys(block.series)} for sitting in sittings]
            starts.append(sum(entrant in machines for keys in hosts for entrant, _ in keys))
            games = sum(sitting.games for sitting in sittings)
            assert games == plan.games
        assert starts[1] < 0.4 * starts[0]

    def test_a_bot_whose_processes_die_plays_apart(self):
        plan = planned("{game: raj, deals: 8}")
        pace = known(plan)
        block = Block(plan.series(0, 0, 0), 0, 2)
        dead = Fault(block.series.lineup[0].name, str(block.series.address(0)), "crash", "gone")
        pace.learn(replace(result(block, 1e-4, 1e-4), faults=(dead,)))
        for sitting in self.sittings(plan, pace):
            names = {entrant.name for block in sitting.blocks for entrant in block.series.lineup}
            assert dead.bot not in names or len(sitting.blocks) == 1


def result(block, *seconds_a_game):
    usage = tuple(Usage(30 * block.games, seconds * block.games) for seconds in seconds_a_game)
    return BlockResult(block, b"", (), usage)
