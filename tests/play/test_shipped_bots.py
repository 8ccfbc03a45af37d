"""One suite over all shipped bots: no faults, deterministic, and the strong ones beat the weak ones."""

from pathlib import Path
from random import Random

import msgspec
import pytest

from league import games
from league.games import files
from league.setup.roster import Bot, scan
from league.values.block import Block
from tests.counting import tally_of
from tests.leagues import play, series
from tests.solve.bots import module

ROOT = Path(__file__).parents[2]
BOTS = {bot.name: bot for bot in scan(["bots"], ROOT).bots}
SEATS = [
    (name, game, players)
    for name, bot in BOTS.items()
    for game in games.names()
    if bot.plays(game)
    for players in games.find(game).player_counts
]


def others(number: int) -> list[Bot]:
    return [msgspec.structs.replace(BOTS["random"], name=f"other_{at}") for at in range(number)]


@pytest.mark.parametrize(("name", "game", "players"), SEATS)
def test_plays_every_table_without_faults_and_the_same_again(name, game, players):
    bots = [BOTS[name], *others(players - 1)]
    block = Block(series(bots, game, games_per_match=2), 0, 2)
    assert play(block, bots).outcomes == play(block, bots).outcomes  # `play` refuses faults


@pytest.mark.parametrize("name", [name for name, bot in BOTS.items() if not bot.games])
def test_all_rounders_play_a_game_of_which_they_know_nothing(name, monkeypatch):
    """Its view has no scores."""
    monkeypatch.setattr(files, "_by_hash", {})
    monkeypatch.setattr(files, "_by_name", {})
    bots = [BOTS[name], *others(1)]
    play(Block(series(bots, str(ROOT / "examples/crown.py")), 0, 2), bots)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_searcher_tries_what_cheese_chain_would_lay(players):
    """A bot is one file, so each has its own chain of who eats whom."""
    searcher, specialist = module("bots/searcher.py"), module("bots/cheese_chain.py").Bot()
    game, rng = games.make("cheese_rescue", players), Random(players)
    state = game.start(game.deal(rng))
    while state.turn:
        (seat,) = state.turn
        tried = searcher.promising_lays(state, seat, None)
        lead = searcher.Chain(state.view(seat)).lead
        assert lead(specialist.choose(state.view(seat))) == pytest.approx(lead(tried[-1]))
        assert len(tried) == min(searcher.LAYS, len(state.legal(seat)))
        state.step([rng.choice(state.legal(seat))])


RATS = [name for name, bot in BOTS.items() if bot.plays("braverats")]
VARIANTS = ({"deck": True}, {"deal": "draft"}, {"mime": True}, {"emperor": True, "quick": True}, {"traitor": True})


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("name", RATS)
def test_plays_every_variant_of_braverats_without_faults(name, options):
    bots = [BOTS[name], *others(1)]
    play(Block(series(bots, "braverats", **options), 0, 2), bots)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "strong", "weak", "games_per_match"),
    [
        pytest.param("raj", "searcher", "random", 1, marks=pytest.mark.soak),
        ("raj", "searcher", "raj_nearest", 1),
        ("raj", "raj_memory", "raj_nearest", 12),
        pytest.param("braverats", "searcher", "random", 1, marks=pytest.mark.soak),
        ("braverats", "searcher", "rats_average", 1),
        pytest.param("cheese_rescue", "searcher", "random", 1, marks=pytest.mark.soak),
        pytest.param("cheese_rescue", "searcher", "cheese_greedy", 1, marks=pytest.mark.soak),
        ("cheese_rescue", "cheese_chain", "cheese_patient", 1),
        ("magillat", "tale_mixed", "stubborn", 12),
    ],
)
def test_the_strong_beat_the_weak(game, strong, weak, games_per_match):
    players = games.find(game).player_counts[0]
    bots = [BOTS[strong], BOTS[weak], *others(players - 2)]
    beaten = 0
    for rotation in range(players):
        one = series(bots, game, rotation=rotation, games_per_match=games_per_match)
        at = {entrant.name: number for number, entrant in enumerate(one.lineup)}
        for ranking in tally_of(play(Block(one, 0, 12), bots)).rankings:
            ahead = ranking.ranks[at[weak]] - ranking.ranks[at[strong]]
            beaten += ranking.games * ((ahead > 0) - (ahead < 0))
    assert beaten > 0


def test_baselines_are_marked():
    assert {name for name, bot in BOTS.items() if bot.baseline} == {"random", "stubborn"}
