"""The queue: every deal once, whatever comes back; fair rounds; new, slow and unavailable bots hold up nobody."""

from itertools import islice
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from league.plan.costs import SITTING_SECONDS, Cost, Costs
from league.plan.coverage import Coverage
from league.plan.limit import Limit
from league.plan.lineups import Combinations
from league.plan.queue import MOST_BOTS, MOST_GAMES, MOST_TRIES, PATIENCE, Queue
from league.plan.rounds import progress, rounds_of
from league.plan.schedule import ChosenLineup, Portion, with_rounds
from league.values.block import Abandoned, Block, Unavailable, Usage
from league.values.settings import Stop
from tests.leagues import bot
from tests.plan.simulation import GOOD, NAMES, Kind, Simulation, known, planned, result
from tests.tables import each

RAJ = "{game: raj, deals: 100}"


def names(block):
    return [entrant.name for entrant in block.series.lineup]


def deals_of(blocks):
    return [(block.series, deal) for block in blocks for deal in range(block.first, block.stop)]


def played(sitting, seconds=1e-4, **more):
    return [result(block, *[seconds] * len(block.series.lineup), **more) for block in sitting.blocks]


def handed_out(queue):
    """All that it hands out before anything comes back."""
    return list(iter(queue.next, None))


def begun(coverage, costs=None, number=0, **how):
    """A queue that has begun a round; one from the end if the number is negative."""
    queue = Queue(coverage, costs or known(coverage.plan), **how)
    queue.begin(rounds_of(coverage.plan)[number])
    return queue


class TestRounds:
    def test_everything_is_played_once(self):
        coverage = Coverage(planned())
        deals = deals_of(Simulation(coverage, {}).play().played)
        assert len(deals) == len(set(deals)) == coverage.plan.games
        assert progress(coverage).finished

    def test_a_round_is_over_when_its_last_sitting_has_come_back(self):
        coverage = Coverage(planned())
        queue = begun(coverage)
        sittings = handed_out(queue)
        assert all(block.stop <= 2 for sitting in sittings for block in sitting.blocks)
        for sitting in sittings:
            assert not queue.is_over
            queue.over(sitting, played(sitting))
        assert queue.is_over
        assert progress(coverage).round == 1

    @pytest.mark.parametrize("part", [0.04, 0.1, 0.35, 0.8])
    def test_wherever_it_stops_all_lineups_have_played_the_same_except_for_one_round(self, part):
        coverage = Coverage(planned())
        Simulation(coverage, {}).play(until=lambda: coverage.games_played > part * coverage.plan.games)
        rounds, complete = rounds_of(coverage.plan), progress(coverage).round
        assert complete >= 1
        for number, fixture in enumerate(coverage.plan.fixtures):
            done, under_way = rounds[complete - 1].stops[number], rounds[complete].stops[number]
            for rank in range(len(fixture.lineups)):
                portion = Portion(number, rank, (0, done))
                assert coverage.missing_games(portion) == 0
                later = fixture.contest.players * (10**6 - under_way)
                assert coverage.missing_games(Portion(number, rank, (under_way, 10**6))) == later

    def test_in_the_middle_of_a_round_contests_bots_and_rotations_have_advanced_together(self):
        coverage = Coverage(planned())
        queue = begun(coverage, known(coverage.plan, seconds=0.3))
        blocks = [block for sitting in handed_out(queue) for block in sitting.blocks]
        half = blocks[: len(blocks) // 2]
        for key, apart in (("raj-2p", 4), ("raj-3p", 15)):  # a sample is less even than all combinations
            whole = [block for block in blocks if block.series.contest.key == key]
            here = [block for block in half if block.series.contest.key == key]
            assert abs(len(here) / len(whole) - 0.5) < 0.05
            sat = [sum(name in names(block) for block in here) for name in NAMES]
            assert max(sat) - min(sat) <= apart
            turned = [sum(block.series.rotation == rotation for block in here) for rotation in (0, 1)]
            assert abs(turned[0] - turned[1]) <= 10

    def test_chosen_rounds_are_played_one_after_the_other(self):
        (one, other) = (fixture.lineups for fixture in planned().fixtures)
        first = [ChosenLineup(0, one[3], (5, 7)), ChosenLineup(1, other[2], (0, 2))]
        coverage = Coverage(with_rounds(planned(), [first, [ChosenLineup(0, one[3], (7, 8))]]))
        blocks = Simulation(coverage, {}).play().played
        assert [(block.first, block.stop) for block in blocks] == [(5, 7)] * 2 + [(0, 2)] * 3 + [(7, 8)] * 2
        assert progress(coverage).finished

    def test_a_changed_league_plays_exactly_what_is_missing(self):
        done = Simulation(Coverage(planned()), {}).play().played
        larger = Coverage(planned(names=[*NAMES, "new"]))
        before = {(*names(block), block.series.rotation) for block in done}
        for number, fixture in enumerate(larger.plan.fixtures):
            for rank, lineup in enumerate(fixture.lineups):
                for rotation in range(fixture.contest.players):
                    if (*[fixture.entrants[one].name for one in lineup], rotation) in before:
                        larger.add(number, rank, rotation, (0, fixture.event.deals))
        assert larger.games_played
        added = Simulation(larger, {}).play().played
        assert all("new" in names(block) for block in added)
        assert progress(larger).finished

    def test_nothing_is_listed_ahead(self):
        """A hundred thousand bots have five billion pairs."""
        fixture = planned(RAJ).fixtures[0]
        entrants = tuple(bot(f"b{number}").entrant() for number in range(100))
        crowd = planned(RAJ)
        crowd = type(crowd)(
            (type(fixture)(fixture.event, entrants * 1000, Combinations(100_000, 2)),), crowd.seed, crowd.limits
        )
        queue = begun(Coverage(crowd), Costs())
        assert len(list(islice(iter(queue.next, None), 20))) == 20

    @each("games", [99, 100, 101])
    def test_no_more_is_handed_out_than_the_limit_has(self, games):
        coverage = Coverage(planned(RAJ))
        queue = begun(coverage, number=-1, limit=Limit(Stop(games=games)))
        sittings = handed_out(queue)
        assert sum(sitting.games for sitting in sittings) == 100 * (games // 100)
        for sitting in sittings:
            queue.over(sitting, [])
        assert sum(sitting.games for sitting in handed_out(queue)) == 0, "it has not gone through the round again"


class TestSittings:
    def test_one_rotation_and_few_processes_for_many_games(self):
        plan = planned("{game: raj, deals: 2}", [f"bot{number:03}" for number in range(100)])
        sittings = handed_out(begun(Coverage(plan)))
        assert all(len({block.series.rotation for block in sitting.blocks}) == 1 for sitting in sittings)
        assert max(len(sitting.entrants) for sitting in sittings) <= MOST_BOTS
        assert sum(len(sitting.entrants) for sitting in sittings) < plan.games / 10

    def test_lineups_that_share_their_deals_share_no_process(self):
        plan = replace(planned("{game: raj, deals: 2}"), luck_follows="seed")
        assert {(len(sitting.blocks), sitting.is_fresh) for sitting in handed_out(begun(Coverage(plan)))} == {(1, True)}

    def test_they_take_two_seconds_or_what_a_worker_has_to_do_in_a_short_round(self):
        coverage = Coverage(planned(RAJ))
        for seconds, expected in ((0.004, 66 * 2 * 2 * 0.008 / 2), (0.1, SITTING_SECONDS)):
            costs = known(coverage.plan, seconds, workers=2)
            sitting = begun(coverage, costs).next()
            assert sum(map(costs.block_seconds, sitting.blocks)) == pytest.approx(expected, rel=0.1)
            coverage = Coverage(planned(RAJ))

    @each(("most", "deals", "sittings"), [(MOST_GAMES, 2048, [4, 2]), (MOST_GAMES, 2049, [3, 3])])
    def test_they_have_a_largest_number_of_games(self, most, deals, sittings):
        coverage = Coverage(planned(f"{{game: raj, deals: {deals}}}", NAMES[:4]))
        costs = known(coverage.plan, 1e-9)
        queue = Queue(coverage, costs)
        queue.begin(rounds_of(coverage.plan)[-1])
        rotation = [sitting for sitting in handed_out(queue) if sitting.blocks[0].series.rotation == 0]
        assert [len({block.series for block in sitting.blocks}) for sitting in rotation] == sittings
        assert max(sitting.games for sitting in rotation) <= most

    def test_memory_of_processes_is_bounded(self):
        plan = planned("{game: raj, deals: 2}")
        costs = Costs()
        for entrant in plan.fixtures[0].entrants:
            costs.know("raj-2p", entrant, Cost(1000, Usage(1, 0.1, memory_mb=120)))
        sittings = handed_out(begun(Coverage(plan), costs, memory_mb=800))
        assert max(len(sitting.entrants) for sitting in sittings) == 8


class TestNewBots:
    def test_first_games_are_played_alone_and_the_others_wait_for_them(self):
        plan = planned(RAJ)
        queue = begun(Coverage(plan), Costs())
        first = handed_out(queue)
        assert [(len(one.blocks), one.games, one.is_apart) for one in first] == [(1, 2, True)] * 6
        assert {entrant for one in first for entrant in one.entrants} == {*plan.fixtures[0].entrants}
        for sitting in first:
            queue.over(sitting, played(sitting))
        following = handed_out(queue)
        assert not any(sitting.is_apart for sitting in following)
        assert sum(sitting.games for sitting in [*first, *following]) == 66 * 2 * 2

    @each(("bots", "waits"), [(39, True), (40, False)])
    def test_others_play_on_if_few_are_new(self, bots, waits):
        """Two are at the table of the first games, and one in twenty is few."""
        plan = planned(RAJ, [f"bot{number:02}" for number in range(bots)])
        new, now = plan.fixtures[0].entrants[3], [0.0]
        queue = begun(Coverage(plan), known(plan, without=[new]), clock=lambda: now[0])
        first, *others = handed_out(queue)
        assert new in first.entrants
        assert (sum(sitting.games for sitting in others) == 0) is waits
        now[0] = PATIENCE
        others += handed_out(queue)
        assert sum(sitting.games for sitting in others) == (bots - 1) * (bots - 2) * 2, "nobody waits any longer"
        assert all(new not in sitting.entrants for sitting in others)

    def test_they_play_first_games_in_all_rotations_by_turns(self):
        """Their processes wait for more games of the same one."""
        sittings = handed_out(begun(Coverage(planned(RAJ)), Costs()))
        assert [sitting.blocks[0].series.rotation for sitting in sittings] == [0, 1, 0, 1, 0, 1]

    @each("seconds", [1e-4, 0.2])
    def test_what_they_show_decides_how_they_play_on(self, seconds):
        plan = planned("{game: raj, deals: 8}")
        new = plan.fixtures[0].entrants[3]
        queue, games = begun(Coverage(plan), known(plan, without=[new])), 0
        while sittings := handed_out(queue):
            for sitting in sittings:
                games += sitting.games * (not sitting.is_apart)
                queue.over(sitting, [
                    result(block, *[seconds if bot == new else 1e-4 for bot in block.series.lineup])
                    for block in sitting.blocks
                ])  # fmt: skip
        assert queue.is_over, "nobody waits for a slow bot"
        assert games == (55 * 2 * 2 if seconds > 0.1 else 66 * 2 * 2 - 2)

    @each(("seconds", "over"), [(0.99 * PATIENCE, False), (PATIENCE, True)])
    def test_a_round_does_not_wait_for_long(self, seconds, over):
        now = [0.0]
        plan = planned(RAJ)
        new = plan.fixtures[0].entrants[3]
        queue = begun(Coverage(plan), known(plan, without=[new]), clock=lambda: now[0])
        (first,) = handed_out(queue)
        assert new in first.entrants
        now[0] = seconds
        others = handed_out(queue)
        assert bool(others) is over
        for sitting in others:
            queue.over(sitting, played(sitting))
        assert queue.is_over is over

    def test_a_round_waits_where_nobody_else_can_play(self):
        now = [0.0]
        plan = planned(RAJ, NAMES[:3])
        queue = begun(Coverage(plan), known(plan, without=plan.fixtures[0].entrants[:2]), clock=lambda: now[0])
        (sitting,) = handed_out(queue)
        now[0] = 100.0
        assert not queue.is_over
        queue.over(sitting, played(sitting))
        assert len(handed_out(queue)) > 0

    def test_who_cannot_be_loaded_is_named_and_left_out(self):
        coverage = Coverage(planned(RAJ, NAMES[:4]))
        queue = begun(coverage, Costs())
        for sitting in handed_out(queue):
            bad = "bot01" if "bot01" in names(sitting.blocks[0]) else ""
            counting = queue.over(sitting, played(sitting, fault="import" if bad else None, by=bad))
            assert bool(counting) is not bool(bad)
        assert {entrant.name: cause for entrant, cause in queue.unloadable.items()} == {"bot01": "bad"}
        while following := handed_out(queue):
            assert all("bot01" not in names(block) for sitting in following for block in sitting.blocks)
            for sitting in following:
                queue.over(sitting, played(sitting))
        assert queue.is_over
        assert coverage.games_played == 3 * 2 * 2

    def test_who_has_played_before_is_at_fault_instead(self):
        coverage = Coverage(planned(RAJ, NAMES[:2]))
        queue = begun(coverage)
        sitting = queue.next()
        assert len(queue.over(sitting, played(sitting, fault="import", by="bot01"))) == len(sitting.blocks)
        assert not queue.unloadable


class TestSlowBots:
    def league(self, *slow, games=RAJ, workers=2, seconds=1e-3, **how):
        plan = planned(games)
        costs = known(plan, seconds, workers=workers)
        for number, each_game in enumerate(slow):
            costs.know("raj-2p", plan.fixtures[0].entrants[3 + number], Cost(1000, Usage(1, 1000 * each_game)))
        return begun(Coverage(plan), costs, number=-1, **how), costs

    @each(("workers", "most"), [(1, 1), (2, 1), (8, 2)])
    def test_they_occupy_at_most_three_tenths_of_the_workers(self, workers, most):
        queue, _ = self.league(0.1, games="{game: raj, deals: 1000}", workers=workers)
        assert sum(sitting.is_apart for sitting in handed_out(queue)) == most

    def test_they_get_three_tenths_of_the_time(self):
        queue, costs = self.league(0.1, games="{game: raj, deals: 1000}")
        seconds = {True: 0.0, False: 0.0}
        while sitting := queue.next():
            seconds[sitting.is_apart] += sum(map(costs.block_seconds, sitting.blocks))
            queue.over(sitting, [
                result(block, *[costs.of("raj-2p", entrant).game for entrant in block.series.lineup])
                for block in sitting.blocks
            ])  # fmt: skip
        assert seconds[False] == pytest.approx(55 * 2 * 1000 * 2e-3)
        assert seconds[True] / sum(seconds.values()) == pytest.approx(0.3, abs=0.02)

    @each(("starting", "begins"), [(80.0, True), (90.0, False)])
    def test_the_start_of_their_processes_is_part_of_their_time(self, starting, begins):
        """They may take 3/7 of what the others take: 94 s, of which a sitting's games take 10."""
        queue, costs = self.league(0.1, games="{game: raj, deals: 1000}")
        slow = queue._coverage.plan.fixtures[0].entrants[3]
        costs.know("raj-2p", slow, Cost(1000, Usage(1, 100.0, starting=starting, starts=1.0)))
        assert any(sitting.is_apart for sitting in handed_out(queue)) == begins

    def test_a_sitting_has_one_of_them(self):
        queue, _ = self.league(0.1, 0.1)
        queue.begin(rounds_of(queue._coverage.plan)[-1], waits_for_slow=True)
        slow = {"bot03", "bot04"}
        while sitting := queue.next():
            at_tables = [slow.intersection(names(block)) for block in sitting.blocks]
            assert all(those == at_tables[0] for those in at_tables)
            assert sitting.is_apart is bool(at_tables[0])
            queue.over(sitting, played(sitting))
        assert queue.is_over

    def test_they_end_when_they_have_had_their_time_and_the_rest_stays_open(self):
        kinds = {"bot03": Kind(game=0.2), "bot04": Kind(game=0.8)}
        coverage = Coverage(planned("{game: raj, deals: 10}"))
        simulation = Simulation(coverage, kinds, slow_seconds=2.0).play()
        for name, kind in kinds.items():
            spent = sum(block.games * kind.game for block in simulation.played if name in names(block))
            assert 2.0 < spent < 16, "of 44 and 176 seconds"
        others = [block for block in simulation.played if not {*kinds}.intersection(names(block))]
        assert sum(block.games for block in others) == 20 * 45, "everybody else has played everything"
        assert any(coverage.to_play())
        Simulation(coverage, kinds).play()
        assert not any(coverage.to_play())

    def test_who_turns_out_to_be_slow_leaves_the_others(self):
        coverage = Coverage(planned(RAJ))
        queue = begun(coverage, known(coverage.plan, 0.04))
        for sitting in islice(iter(queue.next, None), 3):
            queue.over(sitting, [
                result(block, *[50.0 if entrant.name == "bot03" else 0.04 for entrant in block.series.lineup])
                for block in sitting.blocks
            ])  # fmt: skip
        together = [sitting for sitting in handed_out(queue) if not sitting.is_apart]
        following = together[2:]  # of each rotation, a sitting was being put together
        assert following
        assert all("bot03" not in names(block) for sitting in following for block in sitting.blocks)


class TestWhatDoesNotCount:
    @pytest.mark.parametrize(
        ("tried_before", "most_tries", "last_tries"),
        [
            (0, inf, [False] * MOST_TRIES),
            (3, inf, [False]),  # tries are counted over all runs
            (4, inf, [False] * MOST_TRIES),
            (0, 3, [False, False, True, True]),  # the simulated bot is unavailable in its last try as well
            (1, 3, [False, True, True]),
            (0, 1, [True] * MOST_TRIES),
        ],
    )
    def test_a_match_without_a_bot_is_tried_again_by_new_processes(self, tried_before, most_tries, last_tries):
        coverage = Coverage(planned("{game: raj, deals: 2}", NAMES[:2]))
        in_vain = {(coverage.plan.series(0, 0, 0), 0): tried_before} if tried_before else {}
        queue = begun(coverage, tried=in_vain, most_tries=most_tries)
        tried, last = [], []
        while sittings := handed_out(queue):
            for sitting in sittings:
                tried.append((sitting.blocks[0].series.rotation, sitting.games, sitting.is_fresh))
                if any(block.series.rotation == 0 and block.first == 0 for block in sitting.blocks):
                    last.append(sitting.is_last_try)
                else:
                    assert sitting.is_last_try == (most_tries == 1)
                counting = []
                for block in sitting.blocks:  # in one rotation, the first of two matches is in vain
                    away = block.series.rotation == 0 and block.first == 0
                    first = Block(block.series, block.first, block.first + 1)
                    counting += [Unavailable(first, "bot01", "away")] if away else [result(block, 0.0, 0.0)]
                    if away and block.games > 1:
                        counting.append(result(Block(block.series, 1, 2), 0.0, 0.0))
                assert queue.over(sitting, counting) == counting
        assert last == last_tries
        assert [games for *games, is_fresh in tried if is_fresh] == [[0, 1]] * (len(last_tries) - 1)
        assert sum(games for _, games, is_fresh in tried if not is_fresh) == 4
        assert queue.is_over
        assert coverage.to_play() == [1]

    def test_a_block_that_ends_its_workers_is_given_up_at_once(self):
        coverage = Coverage(planned("{game: raj, deals: 2}", NAMES[:2]))
        queue = begun(coverage)
        for sitting in handed_out(queue):
            assert queue.over(sitting, [Abandoned(block, "they died") for block in sitting.blocks]) == []
        assert handed_out(queue) == []
        assert queue.is_over
        assert coverage.to_play() == [4]

    def test_a_sitting_may_come_back_in_parts(self):
        coverage = Coverage(planned("{game: raj, deals: 2}", NAMES[:3]))
        queue = begun(coverage)
        for sitting in handed_out(queue):
            for block in sitting.blocks:
                assert queue.is_waiting
                queue.over(replace(sitting, blocks=(block,)), played(replace(sitting, blocks=(block,))))
        assert queue.is_over
        assert not queue.is_waiting
        assert not any(coverage.to_play())


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_process_gets_a_deal_twice_and_none_is_lost(data):
    """Whatever is unavailable, lost with a worker or late: hosts wait by rotation, and only fresh sittings replay."""
    coverage = Coverage(planned("{game: raj, deals: 12}, {game: raj, players: 3, deals: 4}", NAMES[:4]))
    fates = st.sampled_from(["played", "played", "played", "away", "lost"])
    seen: set[object] = set()

    class Unreliable(Simulation):
        def begin(self, worker):
            sitting = self.hands[worker][0]
            for block in () if sitting.is_fresh else sitting.blocks:
                deals = {(worker, entrant, *deal) for entrant in block.series.lineup for deal in deals_of([block])}
                assert seen.isdisjoint(deals)
                seen.update(deals)
            super().begin(worker)

        def result(self, block, share, started):
            fate = data.draw(fates)
            done = super().result(block, share, started)
            return {"played": done, "away": Unavailable(block, "bot00", "away"), "lost": Abandoned(block, "")}[fate]

    simulation = Unreliable(coverage, {"bot01": GOOD}).play()
    deals = deals_of(simulation.played)
    assert len(deals) == len(set(deals)) == coverage.games_played
