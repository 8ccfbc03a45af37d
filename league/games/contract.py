"""The contract of a game: what the rules must offer so that everything else can work with them.

A game is pure: no input or output, no clock, no random of its own. Chance comes in through `Game.deal`,
knowledge goes out through `State.view`, decisions come in through `State.step`, and that is all. A game must have
`deal` and `start`, and its states `view`, `step` and `outcome`. All other methods have defaults.

    game = Raj(players=3, options={"tie_break": "highest_mouse"})
    state = game.start(game.deal(random.Random(7)))
    while state.turn:
        state.step([choose(state.view(seat)) for seat in state.turn])
    print(state.outcome().ranks)

An `Encoding` tells learners the moves and the shape of every field of a view.
`league.testing.check_game` proves that a game keeps this contract.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import msgspec

from league.errors import LeagueError, OptionsError
from league.games.scenes import Pick, Scene, cards_by_number, in_words, scene_of_views
from league.tools.reading import MistakeError, read, shown
from league.tools.text import listed


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


class Encoding(NamedTuple):
    """What a learner must know of a game."""

    moves: tuple[int, ...]
    """All moves that can ever be legal, ascending."""
    fields: dict[str, Shape]
    """The shape of each field of a view except `legal`."""
    longest: int
    """An upper bound for the decisions of one playing."""


def each(number: int, shape: Shape) -> Every:
    """A tuple of N items of one shape."""
    return Every((shape,) * number)


MOST_LEGAL_SHOWN = 15


class View(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that one seat may know when it must decide, as plain data: ints, strings, tuples of them.

    A game's own view adds fields in the words of that game. They are values: nothing reachable from a view leads to
    the state, the harness or another bot. What follows from the fields is a property, computed only when used.
    """

    seat: int
    """Who is looking (0 to players - 1, in turn order to the left)."""
    legal: tuple[int, ...]
    """The moves to choose from, in ascending order; empty if it is not this seat's turn."""


class Deal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every chance event of one playing, as plain data. A game's own deal adds the fields."""


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a playing ended, seat by seat."""

    ranks: tuple[int, ...]
    """0 is best; equal ranks are ties; competition ranking (0, 0, 2)."""
    scores: tuple[int, ...]
    """The game's own points."""


class Options(msgspec.Struct, frozen=True):
    """The choices of a game, typed; defaults are the rulebook's. A game's own options add the fields.

    A field is a `bool`, a `Literal` of strings, an `Annotated[int, msgspec.Meta(ge=…, le=…)]`, or a tuple of such ints.
    """

    def check(self, players: int) -> None:
        """Raise `ValueError` with a sentence that says why, if these choices cannot go together."""


class State(msgspec.Struct):
    """One playing under way. Its fields hold immutable values only, so that `copy` is cheap and complete."""

    turn: tuple[int, ...]
    """The seats that decide now: one, several at once, or () when it is over."""

    def view(self, seat: int) -> View:
        """All that `seat` may know now. The only door out.

        When it is over, that is all that people at a table would see: bots get it in `finish`.
        """
        raise NotImplementedError

    def step(self, moves: Sequence[int]) -> None:
        """Play one move for each seat in `turn`, in that order. The caller has checked that they are legal."""
        raise NotImplementedError

    def outcome(self) -> Outcome:
        """Ranks and scores; only when `turn` is empty."""
        raise NotImplementedError

    def legal(self, seat: int) -> tuple[int, ...]:
        """The same as `view(seat).legal`. A game may override it, to spare search bots the rest of the view."""
        return self.view(seat).legal

    def playout(self, rng: Random) -> Outcome:
        """Play to the end, every legal move equally likely, and return the outcome.

        A game may override it with something faster that reaches the same final states with the same probabilities.
        """
        draw = rng.random
        while turn := self.turn:
            choices = [self.legal(seat) for seat in turn]
            self.step([legal[int(draw() * len(legal))] for legal in choices])
        return self.outcome()

    def redeal(self, seat: int, rng: Random) -> None:
        """Sample again, in place, everything that `seat` cannot know. Its view does not change.

        Without one of the game's own, nothing is hidden.
        """

    def copy(self) -> Self:
        """An independent copy."""
        return self.__copy__()  # type: ignore[no-any-return, attr-defined]


class GameFile(msgspec.Struct, frozen=True):
    """The file of a game that is a file of a user's own."""

    name: str
    """The name of the game."""
    text: str

    @property
    def hash(self) -> str:
        """The hash of the text, in hexadecimal."""
        return blake2b(self.text.encode(), digest_size=16).hexdigest()


class Game(ABC):
    """Rules with options, for a number of players. Instances are immutable."""

    name: ClassVar[str]
    """As written in configs: lower case, no spaces."""
    title: ClassVar[str]
    """As written for people."""
    player_counts: ClassVar[range]
    """How many may play."""
    version: ClassVar[int] = 1
    """Raised when a change of the rules makes old results incomparable."""
    options_type: ClassVar[type[Options]] = Options
    deal_type: ClassVar[type[Deal]]
    view_type: ClassVar[type[View]]
    counts: Literal["places", "points"] = "places"
    """What decides who is better over many games: the places, or the sum of the points, as the chips at poker. A config
    may choose otherwise with `count`. A game whose options change it sets it in `__init__`."""
    points_range: tuple[int, int] | None = None
    """The fewest and the most points that a seat can get in one game. If it is None, a duel in points takes twice the
    largest lead of its first round for the largest there is."""
    file: ClassVar[GameFile | None] = None
    """Where it was loaded from; None for games that are installed. League sets it."""

    def __init__(self, players: int | None = None, options: Mapping[str, object] | Options | None = None) -> None:
        counts = self.player_counts
        self.players = counts[0] if players is None else players
        if self.players not in counts:
            wanted = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
            raise OptionsError(self.name, [f"it is played by {wanted} players, not by {shown(players)}."])
        if options is None or isinstance(options, Mapping):
            self.options = parse_options(self.name, self.options_type, options or {})
        else:
            self.options = options
        try:
            self.options.check(self.players)
        except ValueError as problem:
            raise OptionsError(self.name, [str(problem)]) from None

    @abstractmethod
    def deal(self, rng: Random) -> Any:
        """Draw every chance event of one playing. The only door in for chance."""

    @abstractmethod
    def start(self, deal: Any) -> State:
        """The initial state of the playing with this deal."""

    def imagine(self, view: Any, rng: Random) -> State:
        """A full state that this view could come from, sampled fairly: for bots that search.

        Its own view of that seat equals the one given. Past secrets (a mark not yet shown) are sampled evenly.
        Without one of the game's own, bots cannot search it.
        """
        raise LeagueError(f"{self.name} has no imagine: a state cannot be made from what one seat sees.")

    def label(self, move: int, view: Any) -> str:
        """A move in a few words, for people ('bids 12')."""
        return f"plays {move}"

    def opening(self, state: Any, names: Sequence[str]) -> list[str]:
        """An introduction for people before the first move: sentences, a line each. `names` are the players by seat."""
        return []

    def sketch(self, view: Any, names: Sequence[str]) -> list[str]:
        """What a seat sees, for the person who sits there: a few lines. `names` are the players by seat.

        Without one of the game's own it is every field of the view, and the last entry of its `history`.
        """
        seen = plain(view)
        if "history" in seen:
            seen["last"] = seen.pop("history")[-1:]
        own = [name for name in seen if name not in View.__struct_fields__]
        return [f"{name.replace('_', ' ')}: {in_words(seen[name])}" for name in own]

    def scenes(self, states: Sequence[Any], moves: Sequence[Sequence[int]]) -> list[list[Scene]]:
        """What the table looks like, for pages: for each state of a playing the scenes that lead to it, at least one.

        `moves` are those between the states. Without scenes of the game's own, the fields of the views are drawn.
        """
        drawn = []
        for number, state in enumerate(states):
            played = {}
            if number:
                before = states[number - 1]
                turn = zip(before.turn, moves[number - 1], strict=True)
                played = {seat: self.label(move, before.view(seat)) for seat, move in turn}
            title = f"Step {number} of {len(moves)}" if number else "Before the first move"
            views = [plain(state.view(seat)) for seat in range(self.players)]
            drawn.append([scene_of_views(title, views, played, state.turn)])
        return drawn

    def now(self, view: Any, scene: Scene) -> Scene:
        """A scene for a person who plays: what is to be decided now is large, what happened last is small.

        `scene` is one of those of `scenes`, which may show a step that is over; by default it is shown as it is.
        """
        return scene

    def picks(self, view: Any, scene: Scene) -> dict[int, tuple[Pick, ...]]:
        """For legal moves, the cards of a scene that a person chooses one after the other; empty to show buttons.

        Without picks of the game's own, a move is a card of the hand with its number as text.
        """
        return cards_by_number(view.seat, view.legal, scene)

    def encoding(self) -> Encoding | None:
        """What a learner must know: all moves, and the shape of each field of a view. None: playing tells it."""
        return None

    def tell(self, before: Any, moves: Sequence[int], after: Any, names: Sequence[str]) -> list[str]:
        """What happened in one step, in words that people enjoy reading: sentences, a line each.

        Without words of the game's own, it is who made which move.
        """
        turn = zip(before.turn, moves, strict=True)
        return [f"{names[seat]} {self.label(move, before.view(seat))}." for seat, move in turn]


OptionsT = TypeVar("OptionsT", bound=Options)


def parse_options(game: str, kind: type[OptionsT], given: Mapping[str, object]) -> OptionsT:
    """Read options from plain data, or raise `OptionsError`."""
    try:
        options: OptionsT = read({**given}, kind, "the options")
    except MistakeError as mistake:
        raise OptionsError(game, [mistake.what]) from None
    return options


def plain(value: Any) -> Any:
    """A view, a deal or an outcome as plain data with named fields, ready for JSON."""
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def view_json(view: msgspec.Struct) -> bytes:
    """A view as JSON with named fields; what comes again in other views, such as past rounds, is written once."""
    return msgspec.json.encode({name: _written(getattr(view, name)) for name in view.__struct_fields__})


def _written(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _written_part(value)
    if isinstance(value, tuple) and value and not isinstance(value[0], int):
        return [_written(item) for item in value]
    return value


@lru_cache(maxsize=16_384)
def _written_part(part: msgspec.Struct) -> msgspec.Raw:
    return msgspec.Raw(view_json(part))


def told(view: View) -> dict[str, Any]:
    """A view as programs of other languages get it: its fields, and its properties as if they were fields."""
    data: dict[str, Any] = plain(view)
    for name in properties(type(view)):
        data[name] = plain(getattr(view, name))
    return data


@cache
def properties(kind: type) -> tuple[str, ...]:
    """The names of the public properties of a class, those of its bases first."""
    return tuple(
        name
        for base in reversed(kind.__mro__)
        for name, member in vars(base).items()
        if isinstance(member, property) and not name.startswith("_")
    )


def competition_ranks(keys: Sequence[Any]) -> tuple[int, ...]:
    """Competition ranking by key, greatest first: 0, 2, 0 for the keys 9, 4, 9."""
    return tuple(map(sorted(keys, reverse=True).index, keys))


def shuffled(items: Iterable[int], rng: Random) -> tuple[int, ...]:
    """The items in a random order; several times quicker than `rng.shuffle`."""
    draw = rng.random
    return tuple(sorted(items, key=lambda _: draw()))


class Lapse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What took a seat out of a playing: from then on random moves were played for it, and it is ranked last."""

    seat: int
    step: int
    """The first one that was played for it, counted from 1."""
    kind: str
    """The kind of the fault, or 'forfeit' after too many of them in earlier games of the match."""
    cause: str
    """One line."""


def rank_last(outcome: Outcome, at_fault: Collection[int]) -> Outcome:
    """The outcome with these seats behind all others."""
    keys = [(seat not in at_fault, 0 if seat in at_fault else -rank) for seat, rank in enumerate(outcome.ranks)]
    return Outcome(competition_ranks(keys), outcome.scores) if at_fault else outcome


def legal_in_words(legal: Sequence[int]) -> str:
    """The legal moves in words, shortened where there are many."""
    words = [str(move) for move in legal]
    if len(words) > MOST_LEGAL_SHOWN:
        return f"legal were {', '.join(words[: MOST_LEGAL_SHOWN - 2])}, … {words[-1]} ({len(words)} in all)"
    return f"legal were {listed(words)}" if len(words) > 1 else f"legal was {words[0]}"
