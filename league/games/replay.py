"""Replays: one playing as JSON, complete enough to referee it again. `docs/replay-format.md` describes the format.

    replay = record(game, deal, moves, names=("ann", "bob"))
    written = write(replay)             # JSON
    replay = read(written)              # or a ReplayError that says what is wrong, and where
    verify(replay)                      # plays it again: the same outcome, or a ReplayError that says at which step
    print(text(replay))                 # round by round, in words

Only rules are needed for that, no bots: a replay holds the deal and every move.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from league import games
from league.errors import LeagueError, ReplayError
from league.games import files
from league.games.contract import Game, Lapse, Outcome, State, plain, rank_last
from league.games.scenes import Scene, in_words, without_pictures, without_tables
from league.tools.text import counted, listed, safe

MOST_PLAYERS = 100
LONGEST_NAME = 200


class Replay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One playing, complete."""

    replay: Literal[1]
    """Version of the format."""
    game: str
    rules: int
    """Version of the rules."""
    players: Annotated[int, Meta(ge=1, le=MOST_PLAYERS)]
    options: dict[str, Any]
    """All options, defaults written out."""
    deal: dict[str, Any]
    """Every chance event; its fields are the game's own."""
    moves: tuple[tuple[int, ...], ...]
    """Step by step, one move for each seat that was in turn, in the order of the seats."""
    outcome: Outcome
    """As it counts: seats at fault are last."""
    names: tuple[Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)], ...] = ()
    """The names of the players, by seat; may be left out."""
    faults: tuple[Lapse, ...] = ()
    """In the order in which they happened; left out where there are none."""
    source: str = ""
    """Hash of the game's file, if it is a file of a user's own; left out for all others."""


class PrintedText(NamedTuple):
    """What a bot printed at one step of a playing. It is no part of a replay: only those who play it again see it."""

    step: int
    """Counted from 1; one more than the last step for what it printed when all was over."""
    name: str
    beginning: str
    size: int
    """All of it, in bytes."""


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A scene, the step that led to it, and the story of that step."""

    step: int
    scene: Scene
    story: tuple[str, ...] = ()
    """For a reader who sees everything."""
    seen: tuple[tuple[str, ...], ...] = ()
    """By seat: for a player who sees what that seat sees."""


class Step(NamedTuple):
    """One step of a playing."""

    before: State
    moves: tuple[int, ...]
    after: State


def record(
    game: Game,
    deal: Any,
    moves: Sequence[Sequence[int]],
    names: Sequence[str] = (),
    faults: Sequence[Lapse] = (),
) -> Replay:
    """The replay of a playing that was played to its end."""
    steps = tuple(tuple(step) for step in moves)
    outcome = rank_last(_play(game, deal, steps)[-1].outcome(), [lapse.seat for lapse in faults])
    return Replay(
        replay=1,
        game=game.name,
        rules=game.version,
        players=game.players,
        options=plain(game.options),
        deal=plain(deal),
        moves=steps,
        outcome=outcome,
        names=tuple(names),
        faults=tuple(faults),
        source=game.file.hash if game.file else "",
    )


def write(replay: Replay) -> str:
    """A replay as JSON, a line for each field."""
    left_out = [name for name in ("faults", "source") if not getattr(replay, name)]
    known = {name: value for name, value in plain(replay).items() if name not in left_out}
    fields = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in known.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def read(written: str | bytes) -> Replay:
    """The replay that was written as JSON."""
    try:
        replay = msgspec.json.decode(written, type=Replay)
        games.refuse_immodest(replay.game, replay.options)
    except msgspec.ValidationError as error:
        raise ReplayError(f"This is not a replay: {safe(str(error))}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ReplayError(f"This is not JSON, and so not a replay: {safe(str(error))}.") from None
    except RecursionError:
        raise ReplayError("This is not a replay: it is nested hundreds of levels deep.") from None
    except LeagueError as error:
        raise ReplayError(str(error)) from None
    if replay.names and len(replay.names) != replay.players:
        raise ReplayError(f"This replay has {replay.players} players, but {len(replay.names)} names.")
    for lapse in replay.faults:
        if lapse.seat not in range(replay.players) or lapse.step not in range(1, len(replay.moves) + 1):
            raise ReplayError(f"A fault of seat {lapse.seat} at step {lapse.step}: there is no such seat or step.")
    return replay


def verify(replay: Replay) -> Outcome:
    """Play a replay again by the rules; a `ReplayError` says at which step it breaks them, or how the end differs."""
    game = game_of(replay)
    played = _play(game, _deal_of(game, replay), replay.moves)[-1].outcome()
    outcome = rank_last(played, [lapse.seat for lapse in replay.faults])
    for word in outcome.__struct_fields__:
        reached, recorded = getattr(outcome, word), getattr(replay.outcome, word)
        if reached != recorded:
            raise ReplayError(
                f"After step {len(replay.moves)}, the last, the {word} are {_numbers(reached)} by the rules, but "
                f"{_numbers(recorded)} in the replay.{_other_rules(game, replay)}"
            )
    return outcome


def steps(replay: Replay) -> Iterator[Step]:
    """The playing step by step; the states are copies."""
    game = game_of(replay)
    states = _play(game, _deal_of(game, replay), replay.moves)
    yield from map(Step, states, replay.moves, states[1:])


def text(replay: Replay, names: Sequence[str] = (), since: int = 0, prints: Sequence[PrintedText] = ()) -> str:
    """A playing round by round, in words; `names` by seat, if not those of the replay; `since` a step, from 0.

    What bots printed stands before the step at which they did.
    """
    game = game_of(replay)
    called = [safe(name) for name in names or called_in(replay)]
    usual = plain(game.options_type())
    chosen = [f"{name}: {in_words(value)}" for name, value in replay.options.items() if value != usual[name]]
    options = f" ({'; '.join(chosen)})" if chosen else ""
    opening, *rounds = story(replay, called)
    lines = [] if since else [f"{game.title}, played by {listed(called)}{options}.", *opening]
    for number, told in enumerate(rounds[since:], since + 1):
        lines += [*_print_lines(prints, number), *told]
    lines += _print_lines(prints, len(rounds) + 1)
    at_fault = {lapse.seat for lapse in replay.faults}
    return "\n".join([*lines, *_closing(replay.outcome, called, at_fault)]) + "\n"


def called_in(replay: Replay) -> tuple[str, ...]:
    """The names of the players, by seat; numbers if the replay has no names."""
    return replay.names or tuple(f"Player {seat + 1}" for seat in range(replay.players))


def story(replay: Replay, names: Sequence[str]) -> list[list[str]]:
    """The opening, then what happened in each step, in words."""
    game = game_of(replay)
    played = [*steps(replay)]
    with _made_up_deals_refused(game):
        told = [game.opening(played[0].before, names)]
        for number, step in enumerate(played, 1):
            faults = [
                f"Step {number}: {names[lapse.seat]} is at fault ({safe(lapse.kind)}: {safe(lapse.cause)}). "
                "From here on random moves play for it, and it is ranked last."
                for lapse in replay.faults
                if lapse.step == number
            ]
            told.append([*faults, *game.tell(*step, names)])
    return told


def frames(replay: Replay, names: Sequence[str]) -> list[Frame]:
    """All scenes of a playing, each with its story."""
    game = game_of(replay)
    states = _play(game, _deal_of(game, replay), replay.moves)
    told = story(replay, names)
    with _made_up_deals_refused(game):
        views = [[state.view(seat) for seat in range(game.players)] for state in states]
        seen = [tuple(without_tables(game.sketch(view, names)) for view in by_seat) for by_seat in views]
        drawn = game.scenes(states, replay.moves)
    found = []
    for number, (first, *others) in enumerate(drawn):
        found.append(Frame(number, first, without_pictures(told[number]), seen[number]))
        found += [Frame(number, scene) for scene in others]
    return found


def _print_lines(prints: Sequence[PrintedText], step: int) -> Iterator[str]:
    """A line for each line that was printed at a step, counted from 1."""
    for printed in prints:
        if printed.step != step:
            continue
        for line in printed.beginning.splitlines():
            yield f"    {safe(printed.name)} prints: {safe(line)}"
        left = printed.size - len(printed.beginning.encode())
        if left > 0:
            yield f"    {safe(printed.name)} prints {counted(left, 'byte')} more."


def game_of(replay: Replay) -> Game:
    """The rules of a replay, set up as they were."""
    source = replay.source if files.known(replay.source) else ""  # or another version of the file, if there is one
    try:
        return games.find(replay.game, source)(replay.players, replay.options)
    except LeagueError as error:
        hint = " Its game is a file: name the file with --rules." if replay.source else ""
        raise ReplayError(f"This replay cannot be played again. {error}{hint}") from None


def _deal_of(game: Game, replay: Replay) -> Any:
    try:
        return msgspec.convert(replay.deal, game.deal_type)
    except msgspec.ValidationError as error:
        raise ReplayError(f"The deal is not one of {game.title}: {error}.{_other_rules(game, replay)}") from None


@contextmanager
def _made_up_deals_refused(game: Game) -> Iterator[None]:
    """Inside, an error of the rules or of their words is a `ReplayError`: only a made-up deal can cause one."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        cause = safe(f"{type(error).__name__}: {error}")
        raise ReplayError(f"{game.title} cannot be played with this deal ({cause}).") from error


def _play(game: Game, deal: Any, moves: Sequence[tuple[int, ...]]) -> list[State]:
    """Every state of a playing; refuses what the rules do not allow, with the step (counted from 1) and the seat."""
    with _made_up_deals_refused(game):
        states = [game.start(deal)]
        for number, step in enumerate(moves, 1):
            state = states[-1].copy()
            _check_step(state, number, step)
            state.step(step)
            states.append(state)
        if not states[-1].turn:
            states[-1].outcome()
    if turn := states[-1].turn:
        raise ReplayError(f"The moves end after step {len(moves)}, but the game goes on: {_seats(turn)} to move.")
    return states


def _check_step(state: State, number: int, moves: tuple[int, ...]) -> None:
    turn = state.turn
    if not turn:
        raise ReplayError(f"Step {number}: the game is over, but the moves go on.")
    if len(moves) != len(turn):
        raise ReplayError(
            f"Step {number}: {len(turn)} moves expected ({_seats(turn)} to move), but {len(moves)} found."
        )
    for seat, move in zip(turn, moves, strict=True):
        legal = state.view(seat).legal
        if move not in legal:
            raise ReplayError(f"Step {number}, seat {seat}: {move} is not legal; legal moves are {_numbers(legal)}.")


def _other_rules(game: Game, replay: Replay) -> str:
    if replay.source and (game.file is None or game.file.hash != replay.source):
        return " (It was played under another version of the game's file.)"
    if replay.rules == game.version:
        return ""
    return f" (It was played under version {replay.rules} of the rules; these are version {game.version}.)"


def winner(outcome: Outcome, names: Sequence[str]) -> str:
    """Who won, in a sentence."""
    first = [name for name, rank in zip(names, outcome.ranks, strict=True) if rank == 0]
    if len(first) == 1:
        return f"{first[0]} wins."
    return f"{listed(first)} share the first place." if len(first) < len(names) else "It is a draw."


def _closing(outcome: Outcome, names: Sequence[str], at_fault: Collection[int]) -> list[str]:
    width = max(map(len, names))
    order = sorted(range(len(names)), key=lambda seat: outcome.ranks[seat])
    places = [
        f"{outcome.ranks[seat] + 1}. {names[seat]:<{width}} {outcome.scores[seat]:4d}"
        + (", at fault and so ranked last" if seat in at_fault else "")
        for seat in order
    ]
    return ["", winner(outcome, names), *places]


def _seats(turn: Sequence[int]) -> str:
    return f"seat {turn[0]}" if len(turn) == 1 else f"seats {_numbers(turn)}"


def _numbers(items: Sequence[int]) -> str:
    return listed([*map(str, items)])
