"""Blocks are played in lockstep, and nobody at a table can tell; whatever goes wrong is one seat's fault."""

import gc
import re
from collections import Counter
from contextlib import closing

import pytest

from league.analysis.audit import Listener
from league.games import make
from league.games.contract import Lapse, Outcome, rank_last
from league.hosts import Reply
from league.hosts.trusted import TrustedHost
from league.plan.seating import dealt, seating_of
from league.play import worker
from league.play.match import play_block
from league.play.worker import Team, Worker
from league.values.block import Block, Sitting, Usage
from league.values.settings import Isolation, Limits
from tests.counting import tally_of
from tests.leagues import CHANCE, DICE, FIRST, LAST, LEARNER, bot, heard, play, replays, series

FRAGILE = """
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        if self.rng.random() < 0.1:
            raise ValueError("out of luck")
        return view.legal[0]
"""

TELLING = """
from tests.leagues import heard

class Bot:
    def __init__(self, table):
        self.seat = table.seat
        heard.append(("init", id(self), table.seat))

    def start(self, table):
        self.seat = table.seat
        heard.append(("start", id(self), table.seat))

    def choose(self, view):
        assert view.seat == self.seat
        heard.append(("choose", id(self), view))
        return view.legal[0]

    def finish(self, outcome):
        heard.append(("finish", id(self), outcome))
"""


CROWDED = """
from weakref import WeakSet

class Bot:
    alive = WeakSet()

    def __init__(self, table):
        self.alive.add(self)

    def choose(self, view):
        assert len(self.alive) <= 3
        return view.legal[0]
"""
SEEING = """
from tests.leagues import heard

class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        return self.rng.choice(view.legal)

    def finish(self, outcome, view):
        heard.append((outcome, view))
"""


class FirstMove:
    """A host that plays the first legal move, and records what is done with it."""

    wants_final_view = False

    def __init__(self, told, name=""):
        self.told = told
        self.name = name

    def send(self, tick):
        self.told.append(("send", self.name))
        self.tick = tick

    def receive(self):
        self.told.append(("receive", self.name))
        return Reply([view.legal[0] for view in self.tick.views])

    def close(self):
        self.told.append(("close", self.name))
        return Usage(0, 0.0)


@pytest.fixture(autouse=True)
def silence():
    """Every test begins with nothing heard."""
    heard.clear()


def misbehaving(how: str, where: str = "choose") -> str:
    """A bot that does one thing wrong, always, in one of its methods ('file': when it is loaded)."""
    bodies = {
        "__init__": "pass",
        "start": "pass",
        "finish": "pass",
        "choose": "return view.legal[0]",
        "file": "pass",
        where: how,
    }
    return f"""
class Odd(int):
    pass

{bodies["file"]}

class Bot:
    def __init__(self, table):
        {bodies["__init__"]}

    def start(self, table):
        {bodies["start"]}

    def choose(self, view):
        {bodies["choose"]}

    def finish(self, outcome):
        {bodies["finish"]}
"""


def added_up(results):
    """What several blocks leave behind together, without what they used up."""
    rankings, points, histogram, faults, forfeits = Counter(), Counter(), Counter(), [], Counter()
    for result in results:
        for ranking in tally_of(result).rankings:
            rankings[ranking[:3]] += ranking.games
        for group, sums in tally_of(result).points:
            points.update({(group, entrant): value for entrant, value in enumerate(sums)})
        for entrant, score, games in tally_of(result).histogram:
            histogram[entrant, score] += games
        faults += result.faults
        forfeits.update(result.forfeits)
    return rankings, points, histogram, sorted(faults, key=lambda fault: (fault.bot, fault.address)), forfeits


class TestLockstep:
    @pytest.mark.parametrize("games_per_match", [1, 3])
    @pytest.mark.parametrize(
        ("game", "players"),
        [("raj", 2), ("raj", 3), ("braverats", 2), ("cheese_rescue", 2), ("cheese_rescue", 4), ("magillat", 3)],
    )
    def test_many_games_at_once_are_many_games_one_by_one(self, game, players, games_per_match):
        sources = [LEARNER, CHANCE, FRAGILE, DICE]
        bots = [bot(f"b{number}", sources[number]) for number in range(players)]
        one = series(bots, game, rotation=1, games_per_match=games_per_match, max_faults=1)
        together = play(Block(one, 0, 12), bots, at_fault=["b2"])
        parts = [Block(one, at, at + games_per_match) for at in range(0, 12, games_per_match)]
        alone = [play(part, bots, at_fault=["b2"]) for part in parts]
        assert added_up([together]) == added_up(alone)
        assert sum(usage.decisions for usage in together.usage) == sum(
            usage.decisions for result in alone for usage in result.usage
        )

    @pytest.mark.parametrize("width", [1, 5, 100])
    def test_how_many_matches_advance_together_changes_no_result(self, width, monkeypatch):
        bots = [bot("ann", CHANCE), bot("bob", FRAGILE), bot("cid", LEARNER)]
        block = Block(series(bots, games_per_match=2), 4, 40)
        whole = play(block, bots, at_fault=["bob"])
        monkeypatch.setattr(worker, "WIDTH_INSIDE", width)
        assert added_up([play(block, bots, at_fault=["bob"])]) == added_up([whole])

    def test_all_hosts_are_sent_to_before_any_is_read_from(self):
        told = []
        bots = [bot("ann"), bot("bob")]
        play_block(Block(series(bots), 0, 4), lambda entrant, game: FirstMove(told, entrant.name))
        tick = [("send", "ann"), ("send", "bob"), ("receive", "ann"), ("receive", "bob")]
        assert told == tick * (len(told) // 4) + [("close", "ann"), ("close", "bob")]

    def test_hosts_are_closed_whatever_happens(self):
        told = []

        class Failing(FirstMove):
            def receive(self):
                raise RuntimeError("a bug of ours")

        with pytest.raises(RuntimeError, match="a bug of ours"):
            play_block(Block(series([bot("ann"), bot("bob")]), 0, 4), lambda entrant, game: Failing(told))
        assert [what for what, _ in told] == ["send", "send", "close", "close"]


class TestMatches:
    @pytest.mark.parametrize("rotation", [0, 1, 2])
    def test_seats_rotate_from_series_to_series_and_from_game_to_game(self, rotation):
        bots = [bot("ann", TELLING), bot("bob"), bot("cid")]
        play(Block(series(bots, rotation=rotation, games_per_match=4), 0, 4), bots)
        assert [seat for what, _, seat in heard if what == "start"] == [(rotation + game) % 3 for game in range(4)]

    def test_hooks_come_in_order_and_an_instance_lives_for_one_match(self):
        bots = [bot("ann", TELLING), bot("bob")]
        one = series(bots, games_per_match=2)
        play(Block(one, 0, 4), bots)
        lives = {}
        for what, who, _ in heard:
            lives.setdefault(who, []).append(what)
        game = ["start", *["choose"] * 15, "finish"]
        assert list(lives.values()) == [["init", *game, *game]] * 2

    @pytest.mark.parametrize("games_per_match", [1, 2])
    def test_instances_are_forgotten_after_their_match(self, games_per_match, monkeypatch):
        monkeypatch.setattr(worker, "WIDTH_INSIDE", 3)
        bots = [bot("ann", CROWDED), bot("bob")]
        result = play(Block(series(bots, games_per_match=games_per_match), 0, 12), bots)
        assert not result.faults

    def test_a_stream_is_that_of_the_match_also_for_an_instance_that_begins_late(self):
        """One whose `__init__` failed in the first game is made again in the second one."""
        begins = []

        class Beginning(FirstMove):
            def send(self, tick):
                super().send(tick)
                begins.extend(tick.begins)

        three = series([bot("ann"), bot("bob"), bot("cid")], games_per_match=3)
        play_block(Block(three, 0, 6), lambda *_: Beginning([]))
        assert len({begin.seat for begin in begins}) == 3
        assert len({begin.seed for begin in begins}) == 3 * 2, "one for each bot in each match"

    def test_finish_hears_the_outcome_seat_by_seat(self):
        bots = [bot("ann", TELLING), bot("bob", LAST)]
        played = replays(play(Block(series(bots, rotation=1), 0, 3), bots))
        assert [outcome for what, _, outcome in heard if what == "finish"] == [game.outcome for game in played]

    @pytest.mark.parametrize(
        ("game", "players"), [("raj", 3), ("braverats", 2), ("cheese_rescue", 2), ("cheese_rescue", 3), ("magillat", 4)]
    )
    def test_finish_sees_the_end_from_its_own_seat(self, game, players):
        bots = [bot(name, SEEING) for name in "abcd"[:players]]
        one = series(bots, game, rotation=1, games_per_match=2)
        ends = []
        for deal, played in enumerate(replays(play(Block(one, 0, 6), bots))):
            state = make(game, players).start(dealt(one, deal))
            for moves in played.moves:
                state.step([*moves])
            ends += [(played.outcome, state.view(seat)) for seat in range(players)]
        assert sorted(heard, key=repr) == sorted(ends, key=repr)
        assert len(heard) == 6 * players
        assert {view.legal for _, view in heard} == {()}

    def test_final_views_are_made_only_for_bots_that_want_them(self):
        bots = [bot("ann", SEEING), bot("bob", TELLING), bot("cid")]
        listeners = {}

        def listening(entrant, game):
            source = next(known.source for known in bots if known.name == entrant.name)
            listeners[entrant.name] = Listener(TrustedHost(entrant.name, source, game), game)
            return listeners[entrant.name]

        play_block(Block(series(bots), 0, 2), listening)
        for name, wants in {"ann": True, "bob": False, "cid": False}.items():
            assert listeners[name].wants_final_view == wants
            for slot in (0, 1):
                told, _ = listeners[name].told(slot)[-1]
                (end,) = told.ends
                assert (end.view is not None) == wants

    def test_all_lineups_and_rotations_get_the_same_deals(self):
        def prizes(names, rotation):
            heard.clear()
            bots = [bot(names[0], TELLING), *map(bot, names[1:])]
            play(Block(series(bots, rotation=rotation), 7, 8), bots)
            return [view.pile[-1] for what, _, view in heard if what == "choose"]

        found = prizes(("ann", "bob"), 0)
        assert len(found) == 15
        assert found == prizes(("ann", "bob"), 1) == prizes(("dot", "eve"), 0)
        assert prizes(("ann", "bob", "cid"), 0) != found, "another table size is another contest"


class TestRandom:
    def first_bids(self, *names, source=DICE, rotation=0, seed=1):
        """What each of these bots bids in the first round of forty deals, by name."""
        bots = [bot(name, source) for name in names]
        one = series(bots, rotation=rotation, seed=seed)
        bids = {}
        for deal, game in enumerate(replays(play(Block(one, 0, 40), bots))):
            for name, move in zip(game.names, game.moves[0], strict=True):
                bids.setdefault(name, []).append((deal, move))
        return bids

    @pytest.mark.parametrize("source", [DICE, CHANCE])
    def test_a_stream_is_keyed_by_name_seat_and_deal_whoever_the_others_are(self, source):
        bids = self.first_bids("ann", "bob", source=source)
        assert bids["ann"] == self.first_bids("ann", "zoe", source=source)["ann"]
        assert bids["ann"] != bids["bob"]
        assert bids["ann"] != self.first_bids("bob", "zoe", source=source)["bob"], "copies at one seat must not mirror"
        assert bids["ann"] != self.first_bids("ann", "bob", source=source, rotation=1)["ann"]
        assert bids["ann"] != self.first_bids("ann", "bob", source=source, seed=2)["ann"]
        assert len({move for _, move in bids["ann"]}) > 5, "every deal has a stream of its own"

    def test_other_threads_draw_nothing_from_a_bots_stream(self):
        """A cluster's own threads use the module `random` while a bot is at work."""
        busy = CHANCE.replace(
            "return",
            "thread = threading.Thread(target=random.random)\n        thread.start(); thread.join()\n        return",
        )

        def tally(source):
            bots = [bot("ann"), bot("bob", source)]
            return play(Block(series(bots), 0, 3), bots).outcomes

        assert tally("import threading\n" + busy) == tally(CHANCE)

    def test_a_bot_that_sows_again_disturbs_nobody(self):
        sower = CHANCE.replace("return random.choice(view.legal)", "random.seed(1)\n        return view.legal[0]")

        def bids_of_bob(source):
            bots = [bot("ann", source), bot("bob", CHANCE)]
            return [[move for _, move in game.moves] for game in replays(play(Block(series(bots), 0, 4), bots))]

        assert bids_of_bob(sower) == bids_of_bob(FIRST)


class TestFaults:
    @pytest.mark.parametrize(
        ("how", "kind", "cause"),
        [
            ("return 99", "illegal", "the move 99 is not among the legal ones"),
            ("return -1", "illegal", "the move -1 is not among the legal ones"),
            ("return 10**30", "illegal", f"the move {10**30} is not among the legal ones"),
            ("return True", "illegal", "a move must be an int, not bool: write int(...) around it"),
            ("return 1.0", "illegal", "a move must be an int, not float: write int(...) around it"),
            ("return None", "illegal", "choose returned None, not an int: is a return missing on some path?"),
            ("return '1'", "illegal", "a move must be an int, not str: write int(...) around it"),
            ("return Odd(view.legal[0])", "illegal", "a move must be an int, not Odd: write int(...) around it"),
            ("return view.legal", "illegal", "a move must be an int, not tuple"),
            ("raise ValueError('oh')", "error", "ValueError: oh"),
            ("raise ValueError('two\\nlines')", "error", "ValueError: two lines"),
            ("raise SystemExit", "error", "SystemExit"),
            ("raise MemoryError('big')", "memory", "MemoryError: big"),
        ],
    )
    def test_a_wrong_move_is_a_fault_of_that_game(self, how, kind, cause):
        bots = [bot("ann"), bot("bad", misbehaving(how))]
        result = play(Block(series(bots), 4, 6), bots, at_fault=["bad"])
        told = [(fault.bot, fault.address, fault.kind, fault.cause) for fault in result.faults]
        assert told == [("bad", f"raj-2p:ann+bad:{deal}.0", kind, cause) for deal in (4, 5)]
        assert {ranking.ranks for ranking in tally_of(result).rankings} == {(0, 1)}

    @pytest.mark.parametrize("how", ["return 99", "return None"])
    def test_the_moves_that_were_legal_are_reported(self, how):
        source = misbehaving(how).replace("view):", "view):\n        if len(view.history) < 12: return view.legal[0]")
        bots = [bot("ann"), bot("bad", source)]
        result = play(Block(series(bots), 0, 1), bots, at_fault=["bad"])
        (fault,) = result.faults
        assert fault.tail == "legal were 13, 14 and 15"
        (lapse,) = replays(result)[0].faults
        assert (lapse.step, lapse.cause) == (13, f"{fault.cause}; legal were 13, 14 and 15")

    def test_many_legal_moves_are_cut_short(self):
        bots = [bot("ann"), bot("bad", misbehaving("return 0"))]
        one = series(bots, "cheese_rescue")
        (fault,) = play(Block(one, 0, 1), bots, at_fault=["bad"]).faults
        assert re.fullmatch(r"legal were (\d+, ){13}… \d+ \(\d+ in all\)", fault.tail)

    @pytest.mark.parametrize("answer", [True, 1.0, None, 99])
    def test_the_player_believes_no_host(self, answer):
        """Hosts check moves too, but theirs come from where bots are."""

        class Liar(FirstMove):
            def receive(self):
                return Reply([answer for _ in self.tick.views])

        result = play_block(Block(series([bot("ann"), bot("bob")]), 0, 2), lambda entrant, game: Liar([]))
        assert [fault.kind for fault in result.faults] == ["illegal"] * 4

    def test_who_is_at_fault_is_played_on_by_random_moves_of_its_own(self):
        bad = misbehaving("return None")
        bots = [bot("ann", bad), bot("bob", bad)]
        games = [game.moves for game in replays(play(Block(series(bots), 0, 5), bots, at_fault=["ann", "bob"]))]
        for seat in (0, 1):
            assert len({tuple(step[seat] for step in moves) for moves in games}) == 5, "another deal, other moves"
        assert all(any(one != other for one, other in moves) for moves in games), "two of them do not mirror each other"

    @pytest.mark.parametrize("where", ["__init__", "start"])
    def test_a_bot_that_fails_before_its_first_move_is_last_as_well(self, where):
        bots = [bot("ann"), bot("bad", misbehaving("raise KeyError('x')", where))]
        result = play(Block(series(bots), 0, 3), bots, at_fault=["bad"])
        assert [(fault.kind, fault.cause) for fault in result.faults] == [("error", "KeyError: 'x'")] * 3
        assert {ranking.ranks for ranking in tally_of(result).rankings} == {(0, 1)}

    def test_a_file_that_cannot_be_loaded_is_a_fault_of_every_game(self):
        bots = [bot("ann"), bot("bad", misbehaving("import no_such_module", "file"))]
        result = play(Block(series(bots), 0, 3), bots, at_fault=["bad"])
        assert [fault.kind for fault in result.faults] == ["import"] * 3
        assert "no_such_module" in result.faults[0].cause
        assert {ranking.ranks for ranking in tally_of(result).rankings} == {(0, 1)}

    def test_a_tail_shows_the_line_of_the_bot(self):
        bots = [bot("ann"), bot("bad", misbehaving("raise ValueError('oh')"))]
        tail = play(Block(series(bots), 0, 1), bots, at_fault=["bad"]).faults[0].tail
        assert re.fullmatch(
            r"Traceback \(most recent call last\):\n"
            r'  File "bad.py", line \d+, in choose\n'
            r"    raise ValueError\('oh'\)\n"
            r"ValueError: oh\n",
            tail,
        ), "the bot's lines and nothing of ours"

    def test_a_fault_in_finish_is_reported_but_the_result_stands(self):
        honest = [bot("ann"), bot("bad", LAST)]
        source = LAST + "\n    def finish(self, outcome):\n        raise ValueError('sore loser')\n"
        sore = [bot("ann"), bot("bad", source)]
        first = play(Block(series(honest, games_per_match=2), 0, 4), honest)
        second = play(Block(series(sore, games_per_match=2), 0, 4), sore, at_fault=["bad"])
        assert first.outcomes == second.outcomes
        assert sorted(fault.address for fault in second.faults) == [f"raj-2p:ann+bad:{deal}.0" for deal in range(4)]
        assert second.forfeits == ()

    @pytest.mark.parametrize(("max_faults", "faults", "forfeits"), [(1, 1, 4), (2, 2, 3), (5, 5, 0), (9, 5, 0)])
    @pytest.mark.parametrize("where", ["choose", "start", "finish"])
    def test_too_many_faults_forfeit_the_rest_of_the_match_but_not_the_next_match(
        self, max_faults, faults, forfeits, where
    ):
        bots = [bot("ann"), bot("bad", misbehaving("raise ValueError", where))]
        one = series(bots, games_per_match=5, max_faults=max_faults)
        result = play(Block(one, 0, 10), bots, at_fault=["bad"])
        assert len(result.faults) == 2 * faults
        assert [place for _, place in result.forfeits] == [1] * 2 * forfeits
        lost = sum(ranking.games for ranking in tally_of(result).rankings if ranking.ranks == (0, 1))
        assert lost >= 2 * forfeits

    def test_who_forfeits_is_not_asked_and_ranked_last(self):
        source = "from tests.leagues import heard\n" + misbehaving("heard.append(1); raise ValueError")
        bots = [bot("ann"), bot("bad", source)]
        result = play(Block(series(bots, games_per_match=5, max_faults=2), 0, 5), bots, at_fault=["bad"])
        assert len(heard) == 2
        assert {ranking.ranks for ranking in tally_of(result).rankings} == {(0, 1)}

    def test_after_a_fault_a_bot_plays_the_next_game_of_the_match(self):
        source = """
class Bot:
    games = 0

    def start(self, table):
        self.games += 1

    def choose(self, view):
        if self.games == 2:
            raise ValueError
        return view.legal[0]
"""
        bots = [bot("ann"), bot("bad", source)]
        result = play(Block(series(bots, games_per_match=4), 0, 4), bots, at_fault=["bad"])
        assert [fault.address for fault in result.faults] == ["raj-2p:ann+bad:1.0"]
        assert sum(ranking.games for ranking in tally_of(result).rankings if ranking.ranks == (0, 1)) == 1

    def test_others_play_on_as_if_nothing_had_happened(self):
        """Only the games in which a bot was at fault differ from those of a bot that never is."""
        moody = FIRST.replace("return", "if view.prize == 10 and not view.history: raise ValueError\n        return")
        outcomes = []
        for source in (FIRST, moody):
            bots = [bot("ann", LEARNER), bot("bad", source), bot("cid", CHANCE)]
            one = series(bots)
            result = play(Block(one, 0, 60), bots, at_fault=["bad"])
            outcomes.append([game.outcome for game in replays(result)])
        at_fault = {int(fault.address.split(":")[2].split(".")[0]) for fault in result.faults}
        assert 0 < len(at_fault) < 60
        assert {deal for deal in range(60) if outcomes[0][deal] == outcomes[1][deal]} >= {*range(60)} - at_fault
        last = {outcomes[1][deal].ranks[seating_of(one, deal).seats[1]] for deal in at_fault}
        assert last == {2}

    def test_several_bots_at_fault_share_the_last_place(self):
        bad = misbehaving("return None")
        bots = [bot("ann", bad), bot("bob"), bot("cid", bad)]
        result = play(Block(series(bots), 0, 4), bots, at_fault=["ann", "cid"])
        assert {ranking.ranks for ranking in tally_of(result).rankings} == {(1, 0, 1)}

    def test_replays_have_the_step_and_the_reason(self):
        source = FIRST.replace("return", "if len(view.history) == 6: raise ValueError('oh')\n        return")
        bots = [bot("ann"), bot("bad", source)]
        played = replays(play(Block(series(bots, rotation=1), 0, 2), bots, at_fault=["bad"]))
        assert [game.faults for game in played] == [(Lapse(0, 7, "error", "ValueError: oh"),)] * 2

    def test_replays_have_forfeits_but_no_faults_after_the_end(self):
        bots = [bot("ann"), bot("bad", misbehaving("raise ValueError('sore')", "finish"))]
        one = series(bots, games_per_match=3, max_faults=2)
        played = replays(play(Block(one, 0, 3), bots, at_fault=["bad"]))
        seat = played[2].names.index("bad")
        assert [game.faults for game in played] == [
            (),
            (),
            (Lapse(seat, 1, "forfeit", "2 faults before in this match"),),
        ]

    @pytest.mark.parametrize(
        ("ranks", "at_fault", "expected"),
        [
            ((0, 1, 2), [0], (2, 0, 1)),
            ((0, 0, 2), [0], (2, 0, 1)),
            ((0, 1, 2), [2], (0, 1, 2)),
            ((0, 1, 1), [0, 2], (1, 0, 1)),
            ((0, 1), [0, 1], (0, 0)),
            ((1, 1, 0, 3), [2], (0, 0, 3, 2)),
        ],
    )
    def test_rank_last(self, ranks, at_fault, expected):
        outcome = Outcome(ranks, tuple(range(len(ranks))))
        assert rank_last(outcome, at_fault) == Outcome(expected, outcome.scores)


def test_a_sitting_leaves_nothing_to_the_collector_of_cycles():
    bots = [bot("ann"), bot("bob", LAST)]
    left = []
    with closing(Worker(Team(tuple(bots), Isolation.TRUSTED, Limits()))) as worker:
        gc.disable()
        try:
            for games in (4, 40, 400):
                gc.collect()
                worker.play_sitting(Sitting((Block(series(bots), 0, games),)))
                left.append(gc.collect())
        finally:
            gc.enable()
    assert left[2] <= left[1]  # what is left does not grow with the games
