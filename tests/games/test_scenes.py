"""Scenes: what a playing looks like, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from league.games.cheese_rescue import CheeseRescue
from league.games.magillat.people import _card as magillat_card
from league.games.magillat.rules import FAMILY_NAMES, family_of
from league.games.replay import Frame, Replay, frames, game_of, steps
from league.games.scenes import Card, Zone, seen_by
from league.page.inline import static
from tests.page.playings import SETUPS, played

FAMILIES = range(1, len(FAMILY_NAMES) + 1)
TEMPLATE_OF_ICONS = "../templates/icons.j2"


@pytest.fixture(params=SETUPS, ids=lambda setup: f"{setup[0]}-{setup[1]}p-{'-'.join(setup[2]) or 'plain'}")
def replay(request) -> Replay:
    return played(*request.param)


def test_every_step_has_a_scene_and_its_story(replay):
    shown = frames(replay, replay.names)
    assert sorted({frame.step for frame in shown}) == list(range(len(replay.moves) + 1))
    assert all(len(frame.scene.seats) == replay.players for frame in shown)
    told = [line for frame in shown for line in frame.story]
    game = game_of(replay)
    for step in steps(replay):
        for line in game.tell(step.before, step.moves, step.after, replay.names):
            if line and not line.startswith(" ") and not line.endswith(":"):
                assert line in told


def test_the_last_scene_shows_the_score(replay):
    last = frames(replay, replay.names)[-1].scene
    scores = replay.outcome.scores
    if replay.options.get("emperor"):
        assert [seat.role.partition(" · ")[0] for seat in last.seats] == [f"games won: {won}" for won in scores]
    else:
        assert [seat.score for seat in last.seats] == [str(score) for score in scores]
    assert last.turn == ()


def test_every_icon_is_drawn(replay):
    drawn = set(re.findall(r'<symbol id="i-(\w+)"', static(TEMPLATE_OF_ICONS)))
    used = {card.icon for card in _cards(frames(replay, replay.names)) if card.icon}
    assert used <= drawn


def test_a_hand_is_known_to_its_seat_alone_and_is_what_the_view_shows(replay):
    """The viewer hides what `known` says, so that must be right, card by card."""
    states = [next(steps(replay)).before, *(step.after for step in steps(replay))]
    for frame in frames(replay, replay.names):
        for seat, before in enumerate(frame.scene.seats):
            for zone in before.zones:
                if zone.label in ("Hand", "Drafted", "Secret guess"):
                    assert all(card is not None and card.known == (seat,) for card in zone.cards)
                if zone.label == "Hand":
                    hand = states[frame.step].view(seat).hand
                    assert len(zone.cards) == len(hand)


def test_piles_give_nothing_away(replay):
    for frame in frames(replay, replay.names):
        for zone in _zones(frame):
            if zone.look == "pile":
                assert {(card.text, card.caption, card.icon, card.known) for card in zone.cards if card} == {
                    ("", "", "", ())
                }


def test_a_marked_card_is_secret_until_the_turn_is_over():
    replay = played("magillat", 4)
    secret = set()
    for frame in frames(replay, replay.names):
        ended = frame.scene.title.startswith("End of turn")
        for seat, before in enumerate(frame.scene.seats):
            guesses = [zone.cards[0] for zone in before.zones if zone.label == "Guess"]
            assert all(card.known == (None if ended else (seat,)) for card in guesses if card)
            secret |= {ended for _ in guesses}
    assert secret == {True, False}


def test_every_card_of_magillat_has_a_picture():
    icons = static(TEMPLATE_OF_ICONS)
    cards = {family_of(number): magillat_card(number) for number in range(101, 2099) if family_of(number) in FAMILIES}
    assert len(cards) == len(FAMILY_NAMES)
    assert all(f'id="i-{card.icon}"' in icons for card in cards.values())


def test_a_game_that_nobody_has_drawn_is_shown_by_its_views(monkeypatch):
    """Hands are cards that only their seat knows, what all see lies on the table, and moves are told in words."""
    monkeypatch.delattr(CheeseRescue, "scenes")
    replay = played("cheese_rescue", 3)
    shown = frames(replay, replay.names)
    assert len(shown) == len(replay.moves) + 1
    state = next(steps(replay)).before
    for seat in range(3):
        (hand,) = [zone for zone in shown[0].scene.seats[seat].zones if zone.label == "hand"]
        assert [card.text for card in hand.cards if card] == [str(card) for card in state.view(seat).hand]
        assert {card.known for card in hand.cards if card} == {(seat,)}
    assert "legal" not in {zone.label for zone in _zones(shown[0])}
    assert "cheese points" in {zone.label for zone in shown[0].scene.table}
    (moved,) = [zone for zone in shown[1].scene.seats[0].zones if zone.label == "last move"]
    assert [(card.text, card.known) for card in moved.cards if card] == [(state_label(replay), (0,))]
    assert state_label(replay) not in str(seen_by(1, shown[1].scene)), "a move may be secret"


def state_label(replay):
    first = next(steps(replay))
    return game_of(replay).label(first.moves[0], first.before.view(first.before.turn[0]))


def test_pictures_for_the_terminal_are_left_out():
    replay = played("cheese_rescue", 2)
    lines = [line for frame in frames(replay, replay.names) for line in frame.story]
    assert not any(line.startswith((" ", "After round")) for line in lines)


def _zones(frame: Frame) -> Iterator[Zone]:
    yield from frame.scene.table
    for seat in frame.scene.seats:
        yield from seat.zones


def _cards(shown: list[Frame]) -> Iterator[Card]:
    for frame in shown:
        for zone in _zones(frame):
            yield from (card for card in zone.cards if card)
