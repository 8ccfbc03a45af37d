"""Replays: written, read, played again, told; and every way in which one can be wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from league import games
from league.errors import ReplayError
from league.games import replay
from league.games.contract import Game, Lapse
from league.games.replay import Replay
from tests.results.mutations import other_part

PRIZES = (6, -2, 7, 5, -1, 10, 9, 8, 4, 3, 2, 1, -3, -4, -5)
MOVES = tuple((card, 16 - card) for card in range(1, 16))


def play(game: Game, seed: int) -> Replay:
    deal, rng, moves = game.deal(Random(seed)), Random(seed), []
    state = game.start(deal)
    while state.turn:
        moves.append([rng.choice(state.view(seat).legal) for seat in state.turn])
        state.step(moves[-1])
    return replay.record(game, deal, moves)


@pytest.fixture(scope="module")
def fields() -> dict:
    """A replay of Raj as plain data, to be spoilt."""
    game = games.make("raj", 2)
    made = replay.record(game, game.deal_type(PRIZES), MOVES, ["Ann", "Bob"])
    return json.loads(replay.write(made))


@pytest.mark.parametrize("name", games.names())
def test_written_and_read_and_played_again_it_is_the_same(name):
    for players in games.find(name).player_counts:
        made = play(games.make(name, players), seed=players)
        again = replay.read(replay.write(made))
        assert again == made
        assert replay.verify(again) == made.outcome


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fault": []}, "`fault`"),
        ({"outcome": {"ranks": [1, 0], "scores": [1, 2], "rank": [0, 0]}}, "`rank` - at `$.outcome`"),
        (
            {"faults": [{"seat": 0, "step": 1, "kind": "error", "cause": "x", "steps": 2}]},
            "`steps` - at `$.faults[0]`",
        ),
    ],
)
def test_a_misspelt_field_is_refused(fields, change, told):
    whole = f"This is not a replay: Object contains unknown field {told}."
    with pytest.raises(ReplayError, match=f"^{re.escape(whole)}$"):
        replay.read(json.dumps(fields | change))


def test_names_may_be_left_out(fields):
    del (bare := dict(fields))["names"]
    assert "Player 1 bids 1 and Player 2 bids 15" in replay.text(replay.read(json.dumps(bare)))


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("", "This is not JSON, and so not a replay: Input data was truncated."),
        ("[]", "This is not a replay: Expected `object`, got `array`."),
        ("{}", "This is not a replay: Object missing required field `replay`."),
        ('{"replay": 2}', "This is not a replay: Invalid enum value 2 - at `$.replay`."),
        ('{"replay": 1}', "This is not a replay: Object missing required field `game`."),
    ],
)
def test_what_is_not_a_replay_is_refused(written, told):
    with pytest.raises(ReplayError) as caught:
        replay.read(written)
    assert str(caught.value) == told


MISTAKES = {
    "unknown game": (
        {"game": "rja"},
        "This replay cannot be played again. There is no game 'rja'; the games are",
    ),
    "too many players": (
        {"players": 6, "names": []},
        "This replay cannot be played again. raj: it is played by 2 to 5 players, not by 6.",
    ),
    "unknown option": (
        {"options": {"tiebreak": "x"}},
        "This replay cannot be played again. raj: expected a key of the options (tie_break), found 'tiebreak'. "
        "Did you mean 'tie_break'?",
    ),
    "deal of another game": (
        {"deal": {"deck": []}},
        "The deal is not one of Raj: Object contains unknown field `deck`.",
    ),
    "deal of another kind": ({"deal": {"prizes": "all"}}, "The deal is not one of Raj: Expected `array`, got `str`"),
    "deal too short": ({"deal": {"prizes": [1, 2]}}, "Raj cannot be played with this deal (IndexError: tuple index"),
    "empty deal": ({"deal": {"prizes": []}}, "Raj cannot be played with this deal (IndexError: tuple index"),
    "moves of words": (
        {"moves": [["one"]]},
        "This is not a replay: Expected `int`, got `str` - at `$.moves[0][0]`.",
    ),
    "a card twice": (
        {"moves": [MOVES[0], [1, 14], *MOVES[2:]]},
        "Step 2, seat 0: 1 is not legal; legal moves are 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 and 15.",
    ),
    "a move missing": (
        {"moves": [*MOVES[:3], [4], *MOVES[4:]]},
        "Step 4: 2 moves expected (seats 0 and 1 to move), but 1 found.",
    ),
    "a step missing": (
        {"moves": MOVES[:-1]},
        "The moves end after step 14, but the game goes on: seats 0 and 1 to move.",
    ),
    "no step at all": ({"moves": []}, "The moves end after step 0, but the game goes on: seats 0 and 1 to move."),
    "a step too many": ({"moves": [*MOVES, [1, 1]]}, "Step 16: the game is over, but the moves go on."),
    "other ranks": (
        {"outcome": {"ranks": [0, 0], "scores": [0, 0]}},
        "After step 15, the last, the ranks are ",
    ),
    "other rules": (
        {"outcome": {"ranks": [0, 0], "scores": [0, 0]}, "rules": 7},
        "(It was played under version 7 of the rules; these are version 1.)",
    ),
    "a fault of nobody": (
        {"faults": [{"seat": 2, "step": 1, "kind": "error", "cause": "oh"}]},
        "A fault of seat 2 at step 1: there is no such seat or step.",
    ),
    "a fault after the end": (
        {"faults": [{"seat": 0, "step": 16, "kind": "error", "cause": "oh"}]},
        "A fault of seat 0 at step 16: there is no such seat or step.",
    ),
    "a fault that did not count": (
        {"faults": [{"seat": 1, "step": 1, "kind": "error", "cause": "oh"}]},
        "After step 15, the last, the ranks are 0 and 1 by the rules, but 1 and 0 in the replay.",
    ),
    "too few names": ({"names": ["Ann"]}, "This replay has 2 players, but 1 names."),
}


@pytest.mark.parametrize(("change", "told"), MISTAKES.values(), ids=MISTAKES)
def test_illegal_replay_is_reported_with_its_step(fields, change, told):
    with pytest.raises(ReplayError) as caught:
        replay.verify(replay.read(json.dumps(fields | change)))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_scores_alone_may_differ(fields):
    wrong = fields | {"outcome": fields["outcome"] | {"scores": [0, 0]}}
    with pytest.raises(ReplayError, match=r"the scores are .* by the rules, but 0 and 0 in the replay"):
        replay.verify(replay.read(json.dumps(wrong)))


def test_steps_give_every_state(fields):
    steps = list(replay.steps(replay.read(json.dumps(fields))))
    assert [step.moves for step in steps] == list(MOVES)
    assert [len(step.before.history) for step in steps] == list(range(15))
    assert [len(step.after.history) for step in steps] == list(range(1, 16))


def test_seat_at_fault_is_ranked_last_and_its_step_is_shown():
    game = games.make("raj", 2)
    lapse = Lapse(1, 7, "illegal", "the move 99\x1b[2J is not legal")
    made = replay.record(game, game.deal_type(PRIZES), MOVES, ["Ann", "Bob"], [lapse])
    assert made.outcome.ranks == (0, 1), "Bob has more points"
    again = replay.read(replay.write(made))
    assert again == made
    assert replay.verify(again) == made.outcome
    told = replay.text(made).splitlines()
    assert told[7:9] == [
        "Step 7: Bob is at fault (illegal: the move 99\\x1b[2J is not legal). "
        "From here on random moves play for it, and it is ranked last.",
        "Round 7: a mouse (+9). Ann bids 7 and Bob bids 9. Bob takes +9 and has +37.",
    ]
    ann, bob = made.outcome.scores
    assert bob > ann
    assert told[-3:] == ["Ann wins.", f"1. Ann {ann:4d}", f"2. Bob {bob:4d}, at fault and so ranked last"]
    assert "Step 7" not in replay.text(made, since=7), "it has been told"


def test_text_of_shared_places():
    game = games.make("raj", 3, {"tie_break": "highest_mouse"})
    alike = [(card,) * 3 for card in range(1, 16)]
    told = replay.text(replay.record(game, game.deal_type(PRIZES), alike))
    assert told.endswith("\n\nIt is a draw.\n1. Player 1    0\n1. Player 2    0\n1. Player 3    0\n")
    # The vultures come first. Seats 0 and 1 bid alike, so that the third takes the first of them; then all bid alike.
    deal = game.deal_type(tuple(sorted(PRIZES)))
    low = [(1, 1, 2), (2, 2, 1), *alike[2:]]
    told = replay.text(replay.record(game, deal, low))
    assert told.endswith(
        "\n\nPlayer 1 and Player 2 share the first place.\n1. Player 1    0\n1. Player 2    0\n3. Player 3   -9\n"
    )


# -- The page about the format ---------------------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "replay-format.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_example_of_the_page_is_as_the_program_writes_it_and_keeps_the_rules():
    (example,) = EXAMPLES
    made = replay.read(example)
    assert replay.verify(made) == made.outcome
    assert replay.write(made) == example


def test_the_page_explains_every_field():
    for field in Replay.__struct_fields__:
        assert f"| `{field}` |" in PAGE


def show_changed(seeds: range) -> dict[str, int]:
    """How many of some changed replays could be shown, and how many were refused. All else is an error."""
    tables = (("raj", 2), ("braverats", 2), ("cheese_rescue", 3), ("magillat", 4))
    bases = [json.loads(replay.write(play(games.make(game, seats), 1))) for game, seats in tables]
    counts = {"shown": 0, "refused": 0}
    for seed in seeds:
        rng = Random(seed)
        written = json.dumps(other_part(rng.choice(bases), rng))
        shown = ""
        try:
            changed = replay.read(written)
            replay.verify(changed)
            shown = replay.text(changed)
            replay.frames(changed, [f"Player {seat}" for seat in range(changed.players)])
            counts["shown"] += 1
        except ReplayError as problem:
            shown = str(problem)
            counts["refused"] += 1
        assert "\x1b" not in shown
    return counts


def test_changed_replays_are_shown_or_refused() -> None:
    assert min(show_changed(range(60)).values()) > 2


@pytest.mark.soak
def test_many_changed_replays_are_shown_or_refused() -> None:
    show_changed(range(1000, 4000))


def test_deal_that_has_no_words_is_refused() -> None:
    told = r"Raj cannot be played with this deal \(KeyError: 'cheese 2'\)"
    with pytest.raises(ReplayError, match=told), replay._made_up_deals_refused(games.make("raj")):
        raise KeyError("cheese 2")
