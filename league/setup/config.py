"""A league's config: YAML in, typed values out, all mistakes of the file reported at once.

    config = load("configs/quick.yaml")
    for event in config.events:
        print(event.contest.key, event.deals)

`docs/config.md` describes every key for people who write one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import UNSET, Meta, structs

from league import games
from league.errors import ConfigError, LeagueError, OptionsError, did_you_mean
from league.games.contract import Game
from league.setup import yaml_lines
from league.tools.files import not_utf8, read_bytes
from league.tools.reading import ListNode, Mapping, Mistake, Node, Reader, Scalar
from league.tools.text import counted, nearest_file, safe
from league.values.settings import (
    ADAPTIVE_DEALS,
    Config,
    ConfigKeys,
    Contest,
    Event,
    GameKeys,
    Gauntlet,
    LimitKeys,
    Limits,
    Rating,
    Settle,
)

MAX_BYTES = 1_000_000
SHOWN_MISTAKES = 20
PLACES = 10
"""That an adaptive schedule settles if the config asks for nothing else."""
_GOALS = ("places", "order", "interval")


def load(path: str | Path) -> Config:
    """Read a config file, or raise `ConfigError` with a line for each of its mistakes."""
    path = Path(path)
    return parse(_read(path), path.parent, str(path))


def parse(text: str, base: Path, file: str = "config", *, bots_given: bool = False) -> Config:
    """Read a config from text; `file` is what its mistakes call it. Whether its bots are there, a run finds out.

    It need not name bots if they are given otherwise.
    """
    try:
        node, mistakes = yaml_lines.parse(text)
    except yaml_lines.NotYamlError as broken:
        ending = Path(file).suffix
        other = f"expected a league's config, which ends in .yaml, found a file that ends in {ending}."
        mistake = Mistake(1, other) if ending not in ("", ".yaml", ".yml") else broken.mistake
        raise config_error(file, [mistake]) from None
    if node is None or (isinstance(node, Scalar) and node.value is None):
        raise config_error(file, [Mistake(1, "expected a league's config, found an empty file. See docs/config.md.")])
    reader = Reader(mistakes)
    keys = reader.keys(node, ConfigKeys, "a league", ("bots",) if bots_given else (), like="league: NAME")
    values = reader.values(keys, ConfigKeys, skip=("games", "limits", "settle"))
    schedule = values.pop("schedule", None)
    adaptive = schedule == "adaptive"
    if adaptive:
        values["settle"] = Settle(places=PLACES)
        if not _is_given(keys.get("rating"), "sigma"):
            values["rating"] = structs.replace(values.get("rating", Rating()), sigma=None)
    if "settle" in keys:
        values["settle"] = _settle(reader, keys["settle"], adaptive=adaptive)
    if "limits" in keys:
        limits = reader.values(reader.keys(keys["limits"], LimitKeys, "limits"), LimitKeys)
        values |= {key: limits.pop(key) for key in ("folder_mb", "tries") if key in limits}
        values["limits"] = Limits(**limits)
    events = _events(reader, keys["games"], base, adaptive=adaptive) if "games" in keys else []
    if "milestones" in keys and not reader.mistakes:
        _check_milestones(reader, keys["milestones"], events)
    if reader.mistakes:
        raise config_error(file, reader.mistakes)
    return Config(
        name=values.pop("league"),
        bots=values.pop("bots", ()),
        base=base.resolve(),
        events=tuple(events),
        gauntlet=schedule.gauntlet if isinstance(schedule, Gauntlet) else None,
        text=text,
        **values,
    )


def _is_given(node: Node | None, key: str) -> bool:
    return isinstance(node, Mapping) and any(written.text == key for written, _ in node.entries)


def _check_milestones(reader: Reader, node: Node, events: Sequence[Event]) -> None:
    """Milestones name games of the league: otherwise nobody would ever reach them."""
    keys = [event.contest.key for event in events]
    games_and_contests = [*keys, *{event.contest.game for event in events}]
    for milestone in node.items if isinstance(node, ListNode) else ():
        assert isinstance(milestone, Mapping)
        game = next((value for key, value in milestone.entries if key.text == "game"), None)
        if isinstance(game, Scalar) and game.text and game.text not in games_and_contests:
            wanted = f"a game or contest of this league ({', '.join(keys)})"
            reader.wrong(game, f"expected {wanted}, found {game}.{did_you_mean(game.text, games_and_contests)}")


def _settle(reader: Reader, node: Node, *, adaptive: bool) -> Settle:
    """What an adaptive schedule finds out."""
    keys = reader.keys(node, Settle, "settle")
    if not adaptive:
        reader.wrong(node, "expected settle only with schedule: adaptive, found it without.")
    if isinstance(node, Mapping) and len([key for key in _GOALS if key in keys]) != 1:
        reader.wrong(node, f"expected settle with one of {', '.join(_GOALS)}, found {', '.join(keys) or 'none'}.")
    for key in ("within", "within_points"):
        if key in keys and "places" not in keys:
            reader.wrong(keys[key], f"expected {key} only beside places, found it without.")
    return Settle(**reader.values(keys, Settle))


def _events(reader: Reader, node: Node, base: Path, *, adaptive: bool) -> list[Event]:
    if not isinstance(node, ListNode) or not node.items:
        reader.wrong(node, f"expected games as a list of games ('- game: raj'), found {node}.")
        return []
    lines: dict[str, int] = {}
    return [event for item in node.items for event in _entry(reader, item, base, lines, adaptive)]


def _entry(reader: Reader, node: Node, base: Path, lines: dict[str, int], adaptive: bool) -> list[Event]:
    """One event for each number of players of an entry; `lines` remembers which contest was where."""
    meant = node.text if isinstance(node, Scalar) and node.text in games.names() else "raj"
    keys = reader.keys(node, GameKeys, "a game", like=f"- game: {meant}")
    values = reader.values(keys, GameKeys, skip=("game", "players", "options"))
    in_a_row = values.pop("games_per_match", 1)
    amount = {"deals": ADAPTIVE_DEALS, **values} if adaptive else values
    deals = amount.get("deals", GameKeys("").deals)
    for key in ("max_lineups", "opponents"):
        if adaptive and key in keys:
            reader.wrong(keys[key], f"expected no {key} with schedule: adaptive, which chooses the lineups itself.")
    if deals % in_a_row:
        whole_matches = -(-deals // in_a_row) * in_a_row
        hint = f"found {deals} deals. Did you mean deals: {whole_matches}?"
        place = keys.get("deals", keys["games_per_match"])
        reader.wrong(place, f"expected deals to be a multiple of games_per_match ({in_a_row}), {hint}")
    if amount.get("count") == "match" and in_a_row == 1:
        reader.wrong(keys["count"], "expected count: match only with games_per_match above 1, found matches of 1 game.")
    rules = _game(reader, keys["game"], base) if "game" in keys else None
    if rules is None:
        return []
    events = []
    for players in _players(reader, rules, keys.get("players")):
        first = lines.setdefault(f"{rules.name}-{players}p", node.line)
        if first != node.line:
            again = f"found {rules.name} for {players} again (it is in line {first} already)"
            reader.wrong(node, f"expected each game and number of players once, {again}.")
        game = _set_up(reader, rules, players, keys.get("options", Mapping(node.line, ())))
        if game:
            usual = "points" if game.counts == "points" else "games"
            events.append(Event(Contest.of(game, in_a_row), **{"count": usual, **amount}))
    return events


def _game(reader: Reader, node: Node, base: Path) -> type[Game] | None:
    """The rules of a game that there is: a name, or the path of a file."""
    text = node.text if isinstance(node, Scalar) else ""
    known = games.names()
    if not (games.in_family(text) or games.is_path(text) or text in known):
        reader.wrong(node, f"expected a game as one of {', '.join(known)}, found {node}.{did_you_mean(text, known)}")
        return None
    try:
        return games.load(str(base / text) if games.is_path(text) else text)
    except LeagueError as problem:
        reader.wrong(node, str(problem))
        return None


def _players(reader: Reader, rules: type[Game], node: Node | None) -> list[int]:
    """How many sit at the tables of an entry; without the key, the fewest that the game takes."""
    counts = rules.player_counts
    if node is None:
        return [counts[0]]
    kind = Annotated[int, Meta(ge=counts[0], le=counts[-1])]
    right: list[int] = []
    for item in node.items if isinstance(node, ListNode) and node.items else (node,):
        players = reader.read(item, kind, f"players of {rules.name}")
        if players in right:
            reader.wrong(item, f"expected each number of players once, found {players} again.")
        elif players is not UNSET:
            right.append(players)
    return right


def _set_up(reader: Reader, rules: type[Game], players: int, node: Node) -> Game | None:
    """The game under its options."""
    before = len(reader.mistakes)
    kind = rules.options_type
    options = reader.values(reader.keys(node, kind, f"the options of {rules.name}", like="{NAME: VALUE}"), kind)
    if len(reader.mistakes) > before:
        return None
    try:
        return rules(players, options)
    except OptionsError as problem:
        reader.wrong(node, str(problem))
        return None


def _read(path: Path) -> str:
    with suppress(OSError, ValueError):  # `read_bytes` says what is wrong with a path that is no path
        if not os.path.lexists(path):
            hint = _nearest_config(path) or " `league init` writes some to start from."
            raise ConfigError(f"There is no config file '{safe(str(path))}'.{hint}")
    try:
        return read_bytes(path, MAX_BYTES, ConfigError).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise config_error(str(path), [Mistake(*not_utf8(problem))]) from None


def _nearest_config(path: Path) -> str:
    """A hint at the config that was meant: one beside the path, or in the folder `configs`."""
    folders = [path.parent, Path("configs")]
    files = [file for folder in folders for file in sorted(folder.glob("*.yaml")) if file.is_file()]
    return nearest_file(path, files)


def config_error(file: str, mistakes: list[Mistake]) -> ConfigError:
    """The mistakes of a file, a line each."""
    unique = sorted(set(mistakes))
    lines = [safe(f"{file}:{mistake.line}: {mistake.what}") for mistake in unique[:SHOWN_MISTAKES]]
    if len(unique) > 1:
        first = f". The first {SHOWN_MISTAKES} of them" if len(unique) > SHOWN_MISTAKES else ""
        lines.insert(0, safe(f"{file} has {counted(len(unique), 'mistake')}{first}:"))
    return ConfigError("\n".join(lines))
