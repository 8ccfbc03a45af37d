"""In how many ways a game can be set up: every player count with every choice of options, sampled if they are many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import msgspec

from league.errors import OptionsError
from league.games.contract import Game, Options
from league.tools.reading import parts


def option_values(kind: type[Options]) -> dict[str, list[Any]]:
    """The values worth trying for each option, its default first: all choices, and numbers at their bounds."""
    values = {}
    for field in msgspec.structs.fields(kind):
        default = getattr(kind(), field.name)
        values[field.name] = [default, *(value for value in _values(field.type) if value != default)]
    return values


def changed_alone(rules: type[Game], players: int) -> Iterator[tuple[str, Any, Game]]:
    """The game with one option changed from its default: its name, its value, the game.

    A number whose bound is refused goes as far towards it as the game allows: the smallest deck that will do, say.
    """
    for name, (default, *others) in option_values(rules.options_type).items():
        for value in others:
            game = _accepted(rules, players, {name: value})
            if game is None and type(value) is int:
                value = _nearest_accepted(rules, players, name, default, value)
                game = _accepted(rules, players, {name: value})
            if game and value != default:
                yield name, value, game


def setups(rules: type[Game], limit: int = 40, seed: int = 0) -> Iterator[Game]:
    """The game for each player count: by default, with each option changed alone, and with all combinations.

    At most `limit` for one player count, then a random sample of the combinations. What the game refuses is left out.
    """
    values = option_values(rules.options_type)
    combined = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    Random(seed).shuffle(combined)
    for players in rules.player_counts:
        games = [rules(players), *(game for _, _, game in changed_alone(rules, players))]
        for options in combined:
            if len(games) >= limit:
                break
            game = _accepted(rules, players, options)
            if game and all(game.options != other.options for other in games):
                games.append(game)
        yield from games[:limit]


def _nearest_accepted(rules: type[Game], players: int, name: str, good: int, refused: int) -> int:
    """The number nearest to a refused one that the game accepts, found by halving from one that it does accept."""
    while abs(refused - good) > 1:
        middle = (good + refused) // 2
        if _accepted(rules, players, {name: middle}):
            good = middle
        else:
            refused = middle
    return good


def _accepted(rules: type[Game], players: int, options: dict[str, Any]) -> Game | None:
    try:
        return rules(players, options)
    except OptionsError:
        return None


def _values(kind: Any) -> list[Any]:
    """What an option may be, for the kinds of options that `league.games.contract.Options` allows."""
    (option,) = parts(kind)
    low, high = option.bound("ge"), option.bound("le")
    if option.base is bool:
        return [False, True]
    if option.words:
        return list(option.words)
    if option.any_length:
        least, most = _values(option.inner[0])
        return [(least,) * (option.bound("min_length") or 0), (most,) * (option.bound("max_length") or 1)]
    if option.base is tuple:
        return [tuple(bounds) for bounds in zip(*map(_values, option.inner), strict=True)]
    if low is not None and high is not None:
        return [low, high]
    raise TypeError(f"an option must be a bool, a Literal, an int with bounds or a tuple of those, not {kind}")
