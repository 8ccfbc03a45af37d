"""Games for learners: moves numbered from 0 without gaps, and views as a fixed number of floats.

    table = Numbers(games.make("raj", 3))
    table.moves[4]                 # the move that is action 4: bid the 5
    table.observe(view)            # every field of the view as numbers from -1 to 1

First comes `legal`, as a 0 or 1 for each action; then every other field, in the order of the view's class.
A number is divided by the largest size it can have. A list of varying length becomes its length and then its items,
with zeros up to the largest length it can have. A code such as 307 (family 3, number 7) is first split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from league.errors import LeagueError
from league.games.braverats.rules import EMPEROR_GAMES, GENERAL_BONUS, MIME, PACKET
from league.games.cheese_rescue.rules import ANIMALS, ANIMALS_AT_FIRST, CHEESES, MOUSE, PLACES, REACH, ROW, SIZE, encode
from league.games.contract import Game, View
from league.games.magillat.rules import CHOICES, FAMILY, most_turns
from league.games.raj.rules import CARDS, MICE, ROUNDS


class Bounded(NamedTuple):
    """A number from -most to most."""

    most: int


class Coded(NamedTuple):
    """A number that packs several: `divmod` by each of `parts` in turn splits it."""

    parts: tuple[int, ...]
    most: tuple[int, ...]


class Every(NamedTuple):
    """A tuple or struct: each of its items has a shape of its own."""

    items: tuple[Shape, ...]


class UpTo(NamedTuple):
    """A tuple of varying length, at most `most` items of one shape."""

    most: int
    item: Shape


Shape = Bounded | Coded | Every | UpTo


class Numbers:
    """The moves of one game as actions, and its views as numbers."""

    def __init__(self, game: Game) -> None:
        if game.name not in TABLES:
            raise LeagueError(f"Adapters know the moves and views of {', '.join(TABLES)}, not those of {game.name}.")
        table = TABLES[game.name]
        self.moves = table.moves(game)
        """By action, ascending."""
        self.actions = {move: action for action, move in enumerate(self.moves)}
        self.longest = table.longest(game)
        """An upper bound for the decisions of one playing."""
        self._fields = table.fields(game)

    @cached_property
    def size(self) -> int:
        """How many numbers `observe` returns."""
        return len(self.moves) + sum(_size(shape) for shape in self._fields.values())

    def legal(self, view: View) -> list[int]:
        """The actions that a view allows, ascending."""
        return [self.actions[move] for move in view.legal]

    def mask(self, view: View) -> list[int]:
        """For each action, 1 if a view allows it and 0 if not."""
        allowed = {*view.legal}
        return [int(move in allowed) for move in self.moves]

    def observe(self, view: View) -> list[float]:
        """A view as numbers from -1 to 1."""
        numbers: list[float] = [*map(float, self.mask(view))]
        for name, shape in self._fields.items():
            numbers += _flat(getattr(view, name), shape)
        return numbers


def _size(shape: Shape) -> int:
    match shape:
        case Bounded():
            return 1
        case Coded(most=most):
            return len(most)
        case Every(items):
            return sum(map(_size, items))
        case UpTo(most, item):
            return 1 + most * _size(item)


def _flat(value: Any, shape: Shape) -> Iterator[float]:
    match shape:
        case Bounded(most):
            yield value / most
        case Coded(parts, mosts):
            for part, most in zip(parts, mosts, strict=False):
                digit, value = divmod(value, part)
                yield digit / most
            yield value / mosts[-1]
        case Every(items):
            given = msgspec.structs.astuple(value) if isinstance(value, msgspec.Struct) else value
            for one, inner in zip(given, items, strict=True):
                yield from _flat(one, inner)
        case UpTo(most, item):
            assert len(value) <= most, f"{len(value)} items where at most {most} fit"
            yield len(value) / most
            for one in value:
                yield from _flat(one, item)
            yield from [0.0] * ((most - len(value)) * _size(item))


Fields = dict[str, Shape]


def _each(number: int, shape: Shape) -> Every:
    return Every((shape,) * number)


def _raj(game: Game) -> Fields:
    seat, points = Bounded(game.players), Bounded(sum(MICE))
    prize = Bounded(MICE[-1])
    past = Every((prize, _each(game.players, Bounded(CARDS[-1])), seat))
    return {
        "seat": seat,
        "prize": points,
        "pile": UpTo(ROUNDS, prize),
        "scores": _each(game.players, points),
        "history": UpTo(ROUNDS, past),
    }


def _braverats(game: Game) -> Fields:
    seat, card, cards = Bounded(1), Bounded(MIME), UpTo(MIME + 1, Bounded(MIME))
    pair, both = _each(2, card), _each(2, cards)
    history = UpTo(MIME + 1, Every((pair, pair, seat, Bounded(MIME + 1))))
    packets = UpTo(PACKET, Every((seat, UpTo(PACKET, card), UpTo(PACKET, card))))
    rounds = Bounded(MIME + 1)
    return {
        "seat": seat,
        "hand": cards,
        "scores": _each(2, rounds),
        "on_hold": rounds,
        "bonus": _each(2, Bounded(GENERAL_BONUS)),
        "spy": seat,
        "shown": card,
        "history": history,
        "piles": _each(2, rounds),
        "cards": both,
        "gave": pair,
        "packets": packets,
        "games_won": _each(2, Bounded(EMPEROR_GAMES)),
        "earlier": UpTo(EMPEROR_GAMES - 1, Every((both, pair, packets, history, seat))),
    }


def _magillat(game: Game) -> Fields:
    options: Any = game.options
    players, seat, choice = game.players, Bounded(game.players), Bounded(CHOICES[-1])
    card = Coded((FAMILY,), (options.families, options.cards_per_family))
    stories, centre, choices = _each(players, UpTo(len(CHOICES), card)), UpTo(2, card), _each(players, choice)
    return {
        "seat": seat,
        "storyteller": seat,
        "centre": centre,
        "stories": stories,
        "mark": choice,
        "picks": choices,
        "deck_size": Bounded(options.families * options.cards_per_family),
        "history": UpTo(_turns(game), Every((seat, centre, stories, choices, choices))),
    }


def _turns(game: Game) -> int:
    options: Any = game.options
    return most_turns(game.players, options.tie_break_turns)


def _cheese_rescue(game: Game) -> Fields:
    options: Any = game.options
    size = SIZE[game.players]
    return {
        "seat": Bounded(game.players),
        "hand": UpTo(len(CHEESES) + ANIMALS_AT_FIRST, Bounded(MOUSE)),
        "players": Bounded(game.players),
        "cheese_points": Every(tuple(Bounded(max(points, 1)) for points in options.cheese_points)),
        "history": UpTo(size * size, Coded((PLACES, ROW), (MOUSE, 2 * REACH + 1, 2 * REACH + 1))),
    }


def _cheese_moves(game: Game) -> tuple[int, ...]:
    reach = range(1 - SIZE[game.players], SIZE[game.players])
    return tuple(encode(card, x, y) for card in (*CHEESES, *ANIMALS) for y in reach for x in reach)


class Encoding(NamedTuple):
    """What a learner must know of a game, as functions of the game with its players and options."""

    moves: Callable[[Game], tuple[int, ...]]
    """All moves that can ever be legal, ascending."""
    fields: Callable[[Game], Fields]
    """The shape of each field of a view but `legal`."""
    longest: Callable[[Game], int]
    """An upper bound for the decisions of one playing."""


TABLES = {
    "braverats": Encoding(
        lambda _: tuple(range(MIME + 1)), _braverats, lambda _: EMPEROR_GAMES * (2 * (MIME + 1) + PACKET * PACKET)
    ),
    "cheese_rescue": Encoding(_cheese_moves, _cheese_rescue, lambda game: SIZE[game.players] ** 2),
    "magillat": Encoding(lambda _: CHOICES, _magillat, lambda game: _turns(game) * 2 * (game.players - 1)),
    "raj": Encoding(lambda _: CARDS, _raj, lambda game: ROUNDS * game.players),
}
