"""OpenSpiel's games in leagues, and League's games under OpenSpiel's own tests and algorithms."""

import json
from importlib import import_module
from pathlib import Path
from random import Random

import pytest

from league import games
from league.errors import ConfigError, LeagueError, OptionsError
from league.games import replay
from league.setup.config import parse
from league.values.block import Block
from league.values.settings import Isolation, file_word
from tests.leagues import DICE, bot, contest, play, series

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")

GOOF = "openspiel:goofspiel(num_cards=4,players=3)"
SEARCH = """
class Bot:
    def __init__(self, table):
        self.game, self.rng = table.game, table.rng

    def choose(self, view):
        state = self.game.imagine(view, self.rng)
        for move in view.legal:
            later = state.copy()
            later.step([move])
            if not later.turn and later.outcome().ranks[view.seat] == 0 and later.outcome().ranks[1 - view.seat]:
                return move
        return self.rng.choice(view.legal)
"""


def playing(game, seed=1):
    """Every state of a random playing, and the moves."""
    rng = Random(seed)
    states = [game.start(game.deal(rng))]
    moves = []
    while states[-1].turn:
        state = states[-1].copy()
        moves.append([rng.choice(state.view(seat).legal) for seat in state.turn])
        state.step(moves[-1])
        states.append(state)
    return states, moves


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",  # chance, hidden cards
        "goofspiel(imp_info=True,num_cards=5,players=3)",  # moves at once, chance, hidden bids
        "backgammon",  # only observations
        "matrix_rps",  # one shot
        "hearts",  # four players, no observation
        "liars_dice",
        "laser_tag(horizon=100)",  # data may ask for no number of four digits
        "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    ],
)
def test_games_are_played_alike_from_the_same_deal(name):
    game = games.make(f"openspiel:{name}")
    states, moves = playing(game)
    again, _ = playing(game)
    outcome = states[-1].outcome()
    assert again[-1].outcome() == outcome
    assert min(outcome.ranks) == 0
    assert len(outcome.scores) == game.players
    kept = replay.record(game, game.deal(Random(1)), moves, [f"p{seat}" for seat in range(game.players)], [])
    assert replay.verify(replay.read(replay.write(kept))) == outcome
    assert "p0" in replay.text(kept)


def test_a_copy_is_independent():
    game = games.make(GOOF)
    state = game.start(game.deal(Random(1)))
    before = state.view(0)
    later = state.copy()
    later.step([0, 1, 2])
    assert state.view(0) == before != later.view(0)


def test_the_view_is_the_information_state_and_nothing_else():
    game = games.make("openspiel:kuhn_poker")
    state = game.start(game.deal(Random(1)))
    view = state.view(0)
    assert view.__struct_fields__ == ("seat", "legal", "text", "tensor")
    assert view.text == state.spiel.information_state_string(0)
    assert view.tensor == tuple(state.spiel.information_state_tensor(0))
    assert state.view(1).text != view.text  # the other card
    assert state.view(1).legal == ()


def test_chance_comes_at_the_odds_of_the_game():
    game = games.make("openspiel:kuhn_poker")
    cards = [game.start(game.deal(Random(seed))).view(0).text for seed in range(600)]
    assert {cards.count(str(card)) // 60 for card in range(3)} <= {2, 3, 4}, cards.count("0")


def test_points_are_thousandths_of_returns_and_places_go_by_them():
    game = games.make(GOOF)
    states, _ = playing(game)
    returns = states[-1].spiel.returns()
    outcome = states[-1].outcome()
    assert outcome.scores == tuple(round(1000 * value) for value in returns)
    assert outcome.ranks == tuple(sum(other > value for other in returns) for value in returns)
    assert -500 in outcome.scores


def test_search_imagines_what_all_can_see():
    game = games.make("openspiel:tic_tac_toe")
    state = game.start(game.deal(Random(1)))
    for move in (4, 0, 8):
        state.step([move])
    imagined = game.imagine(state.view(1), Random(2))
    assert imagined.view(1) == state.view(1)
    assert str(imagined.spiel) == str(state.spiel)


def test_what_a_seat_cannot_know_is_dealt_again_where_openspiel_can():
    game = games.make("openspiel:kuhn_poker")
    cards = set()
    for seed in range(20):
        state = game.start(game.deal(Random(1)))
        known = state.view(0)
        state.redeal(0, Random(seed))
        assert state.view(0) == known
        cards.add(state.view(1).text)
    assert len(cards) == 2


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda game, state: game.imagine(state.view(0), Random(1)), "openspiel:phantom_ttt has no imagine"),
        (lambda game, state: state.redeal(0, Random(1)), "cannot deal again"),
    ],
)
def test_what_openspiel_cannot_do_is_refused(act, message):
    game = games.make("openspiel:phantom_ttt")
    with pytest.raises(LeagueError, match=message):
        act(game, game.start(game.deal(Random(1))))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openspiel:kuhn_pokr", "OpenSpiel has no game 'kuhn_pokr'. Did you mean 'kuhn_poker'?"),
        ("openspiel:kuhn_poker(plyers=3)", "has no parameter 'plyers'; it has players. Did you mean 'players'?"),
        (
            "openspiel:goofspiel(num_cards=x)",
            "cannot set up goofspiel(num_cards=x): Wrong type for parameter num_cards",
        ),
        ("openspiel:2048", "it has one player"),
        ("openspiel:mfg_garnet", "it is a mean field game"),
        ("openspiel:tarok", "it draws its own random numbers"),
        ("openspiel:", "OpenSpiel has no game ''"),
    ],
)
def test_games_that_cannot_be_played_are_refused_with_the_reason(name, message):
    with pytest.raises(LeagueError) as caught:
        games.make(name)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parameters_are_options_and_players():
    game = games.make("openspiel:goofspiel", 4, {"num_cards": 5, "returns_type": "point_difference"})
    assert (game.players, len(game.start(game.deal(Random(1))).view(0).legal)) == (4, 5)
    assert games.find("openspiel:goofspiel").player_counts == range(2, 11)
    with pytest.raises(OptionsError, match="expected num_cards as a whole number, found 'many'"):
        games.make("openspiel:goofspiel", 2, {"num_cards": "many"})
    with pytest.raises(OptionsError, match="found 'num_cards'"):
        games.make(GOOF, 3, {"num_cards": 5})


def test_one_game_has_one_name():
    assert games.find("openspiel:goofspiel( players=3, num_cards=4 )").name == GOOF


def test_a_config_names_games_of_openspiel():
    text = "league: x\nbots: .\ngames:\n  - game: openspiel:goofspiel(players=3,num_cards=4)\n  - game: openspiel:nim\n"
    first, second = parse(text, Path()).contests()
    assert (first.game, first.players) == (GOOF, 3)
    assert first.key.startswith("openspiel-goofspiel-num_cards-4-players-3-")
    assert second.key == "openspiel-nim-2p"
    with pytest.raises(ConfigError, match=r"config:4: OpenSpiel has no game 'nimm'\. Did you mean 'nim'\?"):
        parse(text.replace("players=3,num_cards=4", "").replace("goofspiel()", "nimm"), Path())


def test_names_in_files_are_safe_and_differ():
    words = [
        file_word(name) for name in ("raj", "openspiel:nim", GOOF, GOOF.replace("4", "5"), f"openspiel:{'x' * 99}(a=1)")
    ]
    assert words[:2] == ["raj", "openspiel-nim"]
    assert len({*words}) == len(words)
    assert all(word.replace("-", "").isidentifier() and len(word) < 60 for word in words)


def test_a_bot_may_play_a_game_with_any_parameters(tmp_path):
    from league.setup.roster import load

    (tmp_path / "a.py").write_text(
        'class Bot:\n    games = ("openspiel:goofspiel",)\n    def choose(self, view): ...\n'
    )
    found = load(tmp_path / "a.py")
    assert found.plays(GOOF)
    assert not found.plays("openspiel:nim")


def test_a_league_is_the_same_in_the_sandbox_and_in_this_process():
    for game, players, sources in ((GOOF, 3, [DICE] * 3), ("openspiel:tic_tac_toe", 2, [SEARCH, DICE])):
        bots = [bot(name, source) for name, source in zip("abc", sources, strict=False)]
        played = series(bots, game=game)
        assert played.contest == contest(game, players)
        trusted, confined = (
            play(Block(played, 0, 6), bots, isolation=level) for level in (Isolation.TRUSTED, Isolation.SANDBOX)
        )
        assert not confined.faults
        assert confined.outcomes == trusted.outcomes


# League's games in OpenSpiel


@pytest.fixture(scope="module")
def spiel():
    import_module("league.extensions.openspiel")  # registers the games
    return pyspiel


@pytest.mark.parametrize(
    "name",
    [
        "league_raj(players=3,deals=7)",
        "league_braverats",
        "league_braverats(deal=draft,mime=true)",
        "league_magillat(players=4)",
        "league_cheese_rescue(cheese_points=1 1 1 1 1 9)",
    ],
)
def test_our_games_pass_openspiels_random_simulation(spiel, name):
    spiel.random_sim_test(spiel.load_game(name), num_sims=1, serialize=True, verbose=False)


def test_every_game_of_ours_is_there_with_its_options_as_parameters(spiel):
    known = {kind.short_name: kind for kind in spiel.registered_games()}
    for name in games.BUILT_IN:
        kind = known[f"league_{name}"]
        fields = games.find(name).options_type.__struct_fields__
        assert {"players", "deals", *fields} == {*kind.parameter_specification}


def test_a_game_of_a_users_own_is_registered_by_its_path(spiel):
    name = import_module("league.extensions.openspiel").register("examples/crown.py")
    assert name == "league_crown"
    spiel.random_sim_test(
        spiel.load_game(f"{name}(players=3,low_wins=true)"), num_sims=1, serialize=True, verbose=False
    )


def test_chance_takes_one_of_the_deals(spiel):
    state = spiel.load_game("league_raj(deals=4)").new_initial_state()
    assert state.chance_outcomes() == [(number, 0.25) for number in range(4)]
    state.apply_action(2)
    game = games.make("raj")
    prize = game.deal(Random(2)).prizes[0]
    assert json.loads(state.observation_string(0))["prize"] == prize
    assert not spiel.load_game("league_braverats").new_initial_state().is_chance_node()


def test_nobody_sees_a_move_that_waits(spiel):
    game = spiel.load_game("league_braverats")
    seen = set()
    for move in range(8):
        state = game.new_initial_state()
        state.apply_action(move)
        seen.add((state.information_state_string(1), tuple(state.information_state_tensor(1))))
    assert len(seen) == 1


def test_an_information_state_recalls_what_its_seat_saw(spiel):
    """In Cheese Rescue a hand does not tell in which order it was drawn, but who drew it knows."""
    game = spiel.load_game("league_cheese_rescue(deals=3)")
    known = {}
    for seed in range(30):
        rng, state, path = Random(seed), game.new_initial_state(), {0: (), 1: ()}
        for _ in range(8):
            outcomes = state.is_chance_node() and [action for action, _ in state.chance_outcomes()]
            action = rng.choice(outcomes or state.legal_actions()[:2])
            seat = state.current_player()
            if seat >= 0:
                path[seat] = (*path[seat], state.observation_string(seat), action)
                text = state.information_state_string(seat)
                assert known.setdefault(text, path[seat][:-1]) == path[seat][:-1]
            state.apply_action(action)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("kuhn_poker", "points"),
        ("matrix_pd", "points"),
        ("goofspiel", "places"),
        ("goofspiel(returns_type=point_difference)", "points"),
        ("tic_tac_toe", "places"),
    ],
)
def test_returns_that_are_more_than_places_count_as_points(name, counts):
    assert games.make(f"openspiel:{name}").counts == counts
