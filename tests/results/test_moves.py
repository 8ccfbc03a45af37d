"""Every move is kept: what was played comes back, also around faults, and what does not fit is refused."""

import json
import random
import sqlite3
import zlib
from contextlib import closing

import msgspec
import pandas as pd
import pytest

from league.analysis.rematch import play_again, show
from league.errors import DataError, StoreError
from league.games import make
from league.games.contract import plain, view_json
from league.games.replay import verify
from league.hosts.factory import HostFactory
from league.plan.coverage import Coverage
from league.plan.seating import dealt
from league.play.match import SittingPlayer, play_block
from league.play.worker import Team, Worker
from league.results.export import DECISION_COLUMNS, Decisions, together, write
from league.results.find import find
from league.results.moves import COMPRESSED, GROUP, PLAIN, BlockMoves, MovesReader, RecordedLapse, code_of, pack
from league.results.recorded import recorded
from league.results.schema import FILE
from league.results.store import Store
from league.setup.config import parse
from league.values.block import Block, Sitting
from league.values.settings import Isolation, Limits
from tests.counting import stored
from tests.leagues import CHANCE, DICE, FIRST, LEARNER, bot, missing, play, series
from tests.tables import each

CLUMSY = """
class Bot:
    def __init__(self, table):
        self.rng = table.rng

    def choose(self, view):
        dice = self.rng.random()
        if dice < 0.02:
            raise ValueError("out of luck")
        return 999 if dice < 0.04 else self.rng.choice(view.legal)

    def finish(self, outcome):
        if self.rng.random() < 0.2:
            raise ValueError("sore loser")
"""
UNSEEDED = """
from os import urandom

class Bot:
    def choose(self, view):
        return view.legal[urandom(1)[0] % len(view.legal)]
"""
TABLES = [
    ("raj", 2, 1),
    ("raj", 3, 4),
    ("braverats", 2, 1),
    ("braverats", 2, 3),
    ("cheese_rescue", 2, 2),
    ("cheese_rescue", 3, 1),
    ("magillat", 3, 1),
    ("magillat", 4, 2),
]
CONFIG = """
league: t
seed: 3
isolation: trusted
limits: {max_faults: 1}
games:
  - {game: raj, players: [2, 3], deals: 6, games_per_match: 3}
  - {game: braverats, deals: 4}
  - {game: cheese_rescue, deals: 2}
  - {game: magillat, deals: 3}
"""


def league(folder, bots, text=CONFIG):
    """A league, played in this process."""
    config = parse(text, folder.parent, bots_given=True)
    with Store.create(folder) as store:
        store.begin(config, bots)
        team = Team(tuple(bots), Isolation.TRUSTED, config.limits, keep_moves=config.moves == "all")
        with closing(Worker(team)) as worker:
            for block in missing(Coverage(store.plan())):
                store.add(*worker.play_sitting(Sitting((block,))))
    return folder


@each(("game", "players", "games_per_match"), TABLES)
def test_moves_and_lapses_come_back(game, players, games_per_match, monkeypatch):
    bots = [bot("bad", CLUMSY), *(bot(f"dice{seat}", DICE) for seat in range(1, players))]
    one = series(bots, game, games_per_match=games_per_match, max_faults=1)
    block = Block(one, 12, 12 + 36 * games_per_match)
    played = {}
    finish = SittingPlayer._finish_game

    def finishing(player, slot):
        played[slot.deal] = [*slot.steps]
        return finish(player, slot)

    monkeypatch.setattr(SittingPlayer, "_finish_game", finishing)
    by_entrant = {bot.entrant(): bot for bot in bots}
    with HostFactory(Isolation.TRUSTED, Limits()) as factory:
        result = play_block(block, lambda who, rules: factory.open(by_entrant[who], rules), on_step=lambda *_: None)
    kept = BlockMoves(result.moves, players, block.games)
    rules = one.contest.set_up()
    read = {}
    for first in range(0, block.games, GROUP):
        reader = kept.group(first // GROUP)
        for deal in range(block.first + first, min(block.first + first + GROUP, block.stop)):
            read[deal] = reader.steps(rules.start(dealt(one, deal)))
        with pytest.raises(DataError, match="expected more moves"):
            reader.move([0, 1])
    assert read == played
    forfeits = {deal for deal, _ in result.forfeits}
    lapsed = {block.first + lapse.game for lapse in kept.lapses}
    assert forfeits <= lapsed <= forfeits | {fault.deal for fault in result.faults}
    assert len({lapse.step for lapse in kept.lapses}) > 1


@pytest.mark.slow
def test_a_stored_league_is_shown_as_it_would_be_played_again(tmp_path):
    bots = [bot("ann", LEARNER), bot("bad", CLUMSY), bot("cid", CHANCE), bot("dan", FIRST)]
    folder = league(tmp_path / "t", bots)
    kinds = set()
    with Store.open(folder) as store:
        for number, game in enumerate(find(store)):
            shown = recorded(store, game)
            assert (shown.outcome.ranks, shown.outcome.scores) == (game.ranks, game.points)
            verify(shown.replay)
            kinds.update(lapse.kind for lapse in shown.replay.faults)
            if any(game.faults) or number % 50 == 0:
                again = play_again(store, game.address, Isolation.TRUSTED)
                assert shown == again._replace(prints=())
    assert kinds == {"error", "illegal", "forfeit"}


def test_a_nondeterministic_bots_game_is_shown_as_it_was_played(tmp_path):
    folder = league(tmp_path / "t", [bot("ann", UNSEEDED), bot("bob", UNSEEDED), bot("cid", UNSEEDED)])
    with Store.open(folder) as store:
        games = list(find(store))
        assert not any(show(store, game.address, Isolation.TRUSTED).differs for game in games)
        assert any(play_again(store, game.address, Isolation.TRUSTED).differs for game in games[:20])


def test_without_moves_a_game_is_played_again(tmp_path):
    bots = [bot("ann"), bot("bob", DICE), bot("cid", DICE)]
    folders = [league(tmp_path / moves, bots, f"{CONFIG}moves: {moves}\n") for moves in ("all", "none")]
    shown = []
    for folder in folders:
        with Store.open(folder) as store:
            game = next(find(store))
            assert (recorded(store, game) is None) == (folder.name == "none")
            shown.append(show(store, game.address, Isolation.TRUSTED))
    assert shown[0] == shown[1]
    kept = []
    for folder in folders:
        with Store.open(folder) as store:
            kept.append(stored(store))
    assert kept[0] == kept[1]


def test_every_decision_is_a_row(tmp_path):
    bots = [bot("ann", DICE), bot("bad", CLUMSY), bot("cid", LEARNER)]
    with Store.open(league(tmp_path / "t", bots)) as store:
        games = {str(game.address): game for game in find(store)}
        table = together(Decisions(store))
        assert list(table.columns) == [*DECISION_COLUMNS]
        rows = table.to_dict("records")
        played = {}
        for row in rows:
            game = games[row["address"]]
            seat = row["seat"] - 1
            assert (row["bot"], row["place"] - 1) == (game.bots[seat], game.ranks[seat])
            assert row["points"] == game.points[seat]
            view = json.loads(row["view"])
            assert (view["seat"], view["legal"]) == (seat, [*row["legal"]])
            played.setdefault(row["address"], {}).setdefault(row["step"], []).append(row["move"])
        assert played.keys() == games.keys()
        random_since = {}
        for game in games.values():
            replay = recorded(store, game).replay
            steps = [tuple(moves) for _, moves in sorted(played[str(game.address)].items())]
            assert tuple(steps) == replay.moves
            random_since |= {(str(game.address), lapse.seat + 1): lapse.step for lapse in replay.faults}
        for row in rows:
            assert row["random"] == (random_since.get((row["address"], row["seat"]), 99) <= row["step"])
        part = table[(table["bot"] == "bad") & (table["game"] == "raj")]
        pd.testing.assert_frame_equal(together(Decisions(store, "bad", "raj")), part.reset_index(drop=True))


@pytest.mark.parametrize(("game", "players", "games_per_match"), TABLES)
def test_views_are_written_with_their_fields_by_name(game, players, games_per_match):
    rules = make(game, players)
    for seed in range(5):
        state = rules.start(rules.deal(random.Random(seed)))
        while state.turn:
            for seat in state.turn:
                view = state.view(seat)
                assert view_json(view) == msgspec.json.encode(plain(view))
            state.step([random.Random(seat).choice(state.legal(seat)) for seat in state.turn])


@pytest.mark.slow
def test_decisions_are_the_same_in_every_format(tmp_path):
    folder = league(tmp_path / "t", [bot("ann", DICE), bot("bob", LEARNER), bot("cid")])
    with Store.open(folder) as store:
        decisions = Decisions(store, game="raj-2p")
        for name in ("moves.csv", "moves.jsonl", "moves.parquet"):
            assert write(tmp_path / name, decisions) == 3 * 2 * 6 * 30
    table = pd.read_csv(tmp_path / "moves.csv", converters={"legal": json.loads, "view": json.loads})
    lines = pd.read_json(tmp_path / "moves.jsonl", lines=True)
    pd.testing.assert_frame_equal(table, lines, check_dtype=False)
    packed = pd.read_parquet(tmp_path / "moves.parquet")
    packed["view"] = packed["view"].map(json.loads)
    packed["legal"] = packed["legal"].map(list)
    pd.testing.assert_frame_equal(table, packed, check_dtype=False)
    assert table["move"][0] in table["legal"][0]


def test_games_without_moves_are_left_out_and_counted(tmp_path):
    folder = league(tmp_path / "t", [bot("ann"), bot("bob"), bot("cid")], f"{CONFIG}moves: none\n")
    with Store.open(folder) as store:
        decisions = Decisions(store)
        assert together(decisions).empty
        assert decisions.without_moves == sum(1 for _ in find(store))


def test_decisions_of_a_part_of_a_block(tmp_path):
    """Fewer deals count than were played."""
    bots = [bot("ann", DICE), bot("bob", DICE)]
    text = "league: t\nseed: 3\nisolation: trusted\ngames: [{game: braverats, deals: DEALS}]\n"
    folder = league(tmp_path / "t", bots, text.replace("DEALS", "80"))
    with Store.open(folder) as store:
        every = together(Decisions(store))
    league(folder, bots, text.replace("DEALS", "50"))
    with Store.open(folder) as store:
        pd.testing.assert_frame_equal(together(Decisions(store)), every[every["deal"] < 50].reset_index(drop=True))


def test_moves_do_not_depend_on_isolation_or_on_who_is_asked_first():
    bots = [bot("ann", DICE), bot("bad", CLUMSY), bot("cid", DICE)]
    blocks = [Block(series(bots, rotation=turned, games_per_match=2), 0, 10) for turned in range(3)]
    alone = [play(block, bots, at_fault=["bad"]).moves for block in blocks]
    assert play(blocks[1], bots, isolation=Isolation.PROCESS, at_fault=["bad"]).moves == alone[1]
    with closing(Worker(Team(tuple(bots), Isolation.TRUSTED, Limits()))) as worker:
        together = {
            result.block: result.moves for block in blocks[::-1] for result in worker.play_sitting(Sitting((block,)))
        }
    assert [together[block] for block in blocks] == alone


@each("size", [1, 2, 3, 5, 8, 15, 16, 17, 100, 1000])
def test_every_move_of_a_list_has_its_own_code(size):
    legal = tuple(range(10, 10 + size))
    wanted = [*legal, *random.Random(size).choices(legal, k=20)]
    bits = "".join(code_of(legal, move) for move in wanted)
    bits += "0" * (-len(bits) % 8)
    reader = MovesReader(int(bits, 2).to_bytes(len(bits) // 8) if bits else b"")
    assert [reader.move(legal) for _ in wanted] == wanted
    assert sum(0.5 ** len(code_of(legal, move)) for move in legal) == 1, "no bit is wasted"


def test_repeated_games_are_compressed_and_others_stay_as_they_are():
    assert pack(["01100011" * 3] * 200)[0] == COMPRESSED
    rng = random.Random(1)
    assert pack([f"{rng.getrandbits(80):080b}" for _ in range(200)])[0] == PLAIN


DAMAGED = {
    "other games": pack(["00000000"] * 7),
    "a lapse of nobody": pack(["00000000"] * 6, [RecordedLapse(0, 7, 1)]),
    "too few moves": pack(["00000000"] * 6),
    "other moves": pack(["01010101" * 12] * 6),
    "gigabytes": bytes([COMPRESSED]) + zlib.compress(bytes(50 << 20)),
    "nonsense": b"\x01nonsense",
    "cut off": bytes([COMPRESSED]) + zlib.compress(bytes(1000))[:-3],
    "another format": b"\x07",
}


@pytest.mark.slow
@pytest.mark.parametrize("packed", DAMAGED.values(), ids=DAMAGED)
def test_corrupted_moves_give_one_clear_line(tmp_path, packed):
    folder = league(tmp_path / "t", [bot("ann", DICE), bot("bob", DICE), bot("cid", DICE)])
    with closing(sqlite3.connect(folder / FILE)) as db, db:
        db.execute("UPDATE moves SET moves = ?", (packed,))
    with Store.open(folder) as store:
        game = next(find(store))
        with pytest.raises(StoreError) as error:
            show(store, game.address)
    assert "\n" not in str(error.value)


def test_a_reader_never_reads_beyond_its_moves():
    reader = MovesReader(b"\x00")
    assert [reader.move(range(16)), reader.move(range(16))] == [0, 0]
    with pytest.raises(DataError, match="the end of them"):
        reader.move(range(16))
