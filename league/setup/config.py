"""A league's config: YAML in, typed values out, all mistakes of the file reported at once.

    config = load("configs/quick.yaml")
    for event in config.events:
        print(event.contest.key, event.deals)

`docs/config.md` describes every key for people who write one.
"""

from __future__ import annotations

import glob
import os
from contextlib import suppress
from pathlib import Path

import msgspec

from league import games
from league.errors import ConfigError, LeagueError, OptionsError, did_you_mean, nearest
from league.games.contract import Game
from league.setup import yaml_lines
from league.setup.yaml_lines import Mapping, Mistake, Node, Reader, Scalar, Sequence
from league.tools.files import read_bytes
from league.tools.text import counted, nearest_file, safe
from league.tools.times import CLOCK, DURATION, clock_in, seconds_in
from league.values.settings import (
    ADAPTIVE_DEALS,
    DEALS,
    FOLDER_MB,
    NAME_RULE,
    SAFE_NAME,
    Config,
    Contest,
    Event,
    Isolation,
    Limits,
    PageSettings,
    Rating,
    Settle,
    Stop,
)

MAX_BYTES = 1_000_000

_DAY_MS = 86_400_000
LIMITS = {
    "move_ms": (1, _DAY_MS),
    "match_ms": (1, _DAY_MS),
    "start_ms": (1, _DAY_MS),
    "memory_mb": (64, 1_048_576),
    "max_faults": (1, 1_000_000),
    "folder_mb": (1, 4096),
}
RATING_BOUNDS = {
    "mu": (-1e5, 1e5),
    "sigma": (0.001, 1e5),
    "beta": (0.001, 1e5),
    "tau": (0.0, 1e5),
    "draw_probability": (0.0, 0.999),
}
AUTO = ("sigma", "draw_probability")
"""What can be left to the results."""
PLACES = 10
"""That an adaptive schedule settles if the config asks for nothing else."""
_GOALS = ("places", "order", "interval")

Required = tuple[str, ...]
_REQUIRED: Required = ("league", "bots", "games")


def load(path: str | Path) -> Config:
    """Read a config file, or raise `ConfigError` with a line for each of its mistakes."""
    path = Path(path)
    return _config(_read(path), path.parent, str(path), look_for_bots=True)


def parse(text: str, base: Path, file: str = "config", *, bots_given: bool = False) -> Config:
    """Read a config from text without a look at the bots it names; `file` is what its mistakes call it.

    It need name no bots if some are given otherwise.
    """
    return _config(text, base, file, look_for_bots=False, required=("league", "games") if bots_given else _REQUIRED)


def _config(text: str, base: Path, file: str, *, look_for_bots: bool, required: Required = _REQUIRED) -> Config:
    try:
        node, mistakes = yaml_lines.parse(text)
    except yaml_lines.NotYamlError as broken:
        raise _error(file, [broken.mistake]) from None
    if node is None or (isinstance(node, Scalar) and node.value is None):
        raise _error(file, [Mistake(1, "expected a league's config, found an empty file. See docs/config.md.")])
    reader = Reader(mistakes)
    found = reader.fields(node, "a league", KEYS, required=required)
    settings: dict[str, object] = {"bots": ()}
    adaptive = _is_adaptive(found.get("schedule"))
    if adaptive:
        settings.update(settle=Settle(places=PLACES), rating=Rating(sigma=None))
    for key, item in found.items():
        if key == "league":
            settings["name"] = _league_name(reader, item)
        elif key == "seed":
            settings["seed"] = reader.whole(item, "seed", 0, 2**63 - 1)
        elif key == "bots":
            settings["bots"] = _bots(reader, item, base if look_for_bots else None)
        elif key == "games":
            settings["events"] = _events(reader, item, base, adaptive=adaptive)
        elif key == "schedule":
            settings["gauntlet"] = None if adaptive else _gauntlet(reader, item)
        elif key == "settle":
            settings["settle"] = _settle(reader, item, adaptive=adaptive)
        elif key == "isolation":
            settings["isolation"] = Isolation(reader.choice(item, "isolation", list(Isolation)))
        elif key == "limits":
            settings.update(_limits(reader, item))
        elif key == "rating":
            settings["rating"] = _rating(reader, item, adaptive=adaptive)
        elif key == "page":
            settings["page"] = _page(reader, item)
        elif key == "stop":
            settings["stop"] = _stop(reader, item)
    if mistakes:
        raise _error(file, mistakes)
    return Config(base=base.resolve(), text=text, **settings)  # type: ignore[arg-type]


KEYS = ("league", "seed", "bots", "games", "schedule", "settle", "isolation", "limits", "rating", "page", "stop")
GAME_KEYS = ("game", "players", "options", "deals", "games_per_match", "max_lineups", "opponents", "fill")


def _league_name(reader: Reader, node: Node) -> str:
    name = reader.text(node, "a league's name")
    if name and not SAFE_NAME.fullmatch(name):
        reader.wrong(node, f"expected a league's name of {NAME_RULE} (it names a folder), found {node}.")
    return name


def _bots(reader: Reader, node: Node, base: Path | None) -> tuple[str, ...]:
    items = node.items if isinstance(node, Sequence) else (node,)
    if not items:
        reader.wrong(node, "expected a folder, file or glob with bots, or a list of them, found an empty list.")
    patterns = []
    for item in items:
        pattern = reader.text(item, "a folder, file or glob with bots")
        if pattern and base is not None and not glob.glob(str(base / pattern), recursive=True):
            hint = _nearest_pattern(pattern, base)
            reader.wrong(item, f"expected a folder, file or glob with bots, found {item}, where nothing is.{hint}")
        patterns.append(pattern)
    return tuple(patterns)


def _events(reader: Reader, node: Node, base: Path, *, adaptive: bool) -> tuple[Event, ...]:
    if not isinstance(node, Sequence) or not node.items:
        reader.wrong(node, f"expected a list of games ('- game: raj'), found {node}.")
        return ()
    lines: dict[str, int] = {}
    return tuple([event for item in node.items for event in _entry(reader, item, base, lines, adaptive)])


def _entry(reader: Reader, node: Node, base: Path, lines: dict[str, int], adaptive: bool) -> list[Event]:
    """One event for each number of players of an entry; `lines` remembers which contest was where."""
    meant = node.text if isinstance(node, Scalar) and node.text in games.names() else "raj"
    found = reader.fields(node, "a game", GAME_KEYS, required=("game",), like=f"'- game: {meant}'")
    usual = ADAPTIVE_DEALS if adaptive else DEALS
    deals = reader.whole(found["deals"], "deals", 1, 10**9) if "deals" in found else usual
    in_a_row = reader.whole(found["games_per_match"], "games_per_match", 1, 10**6) if "games_per_match" in found else 1
    lineups = reader.whole(found["max_lineups"], "max_lineups", 1, 10**9) if "max_lineups" in found else None
    opponents = reader.whole(found["opponents"], "opponents", 1, 10**6) if "opponents" in found else None
    fill = reader.text(found["fill"], "the name of a bot") if "fill" in found else ""
    for key in ("max_lineups", "opponents"):
        if adaptive and key in found:
            reader.wrong(found[key], f"expected no {key} with schedule: adaptive, which chooses the lineups itself.")
    if deals % in_a_row:
        whole_matches = -(-deals // in_a_row) * in_a_row
        at = found.get("deals", found["games_per_match"])
        hint = f"found {deals} deals. Did you mean deals: {whole_matches}?"
        reader.wrong(at, f"expected deals to be a multiple of games_per_match ({in_a_row}), {hint}")
    if "game" not in found:
        return []
    rules = _game(reader, found["game"], base)
    if rules is None:
        return []
    name = rules.name
    options = found.get("options", Mapping(node.line, ()))
    events = []
    for players in _players(reader, rules, found.get("players")):
        first = lines.setdefault(f"{name}-{players}p", node.line)
        if first != node.line:
            again = f"found {name} for {players} again (it is in line {first} already)"
            reader.wrong(node, f"expected each game and number of players once, {again}.")
        contest = _contest(reader, rules, players, options, in_a_row)
        if contest:
            events.append(Event(contest, deals, lineups, opponents, fill))
    return events


def _game(reader: Reader, node: Node, base: Path) -> type[Game] | None:
    """The rules of a game that there is: a name, or the path of a file."""
    text = getattr(node, "text", None)
    if isinstance(text, str) and (games.in_family(text) or games.is_path(text)):
        try:
            return games.load(str(base / text) if games.is_path(text) else text)
        except LeagueError as problem:
            reader.wrong(node, str(problem))
            return None
    name = reader.choice(node, "a game", games.names())
    return games.find(name) if name == text else None


def _players(reader: Reader, rules: type[Game], node: Node | None) -> list[int]:
    """How many sit at the tables of an entry; without the key, the fewest that the game takes."""
    counts = rules.player_counts
    if node is None:
        return [counts[0]]
    items = node.items if isinstance(node, Sequence) and node.items else (node,)
    right = []
    for item in items:
        before = len(reader.mistakes)
        players = reader.whole(item, f"players of {rules.name}", counts[0], counts[-1])
        if len(reader.mistakes) > before:
            continue
        if players in right:
            reader.wrong(item, f"expected each number of players once, found {players} again.")
        else:
            right.append(players)
    return right


def _contest(reader: Reader, rules: type[Game], players: int, node: Node, games_per_match: int) -> Contest | None:
    fields = [field.name for field in msgspec.structs.fields(rules.options_type)]
    found = reader.fields(node, f"the options of {rules.name}", fields)
    try:
        game = rules(players, {name: yaml_lines.plain(value) for name, value in found.items()})
    except OptionsError as problem:
        for name, message in problem.problems:
            reader.wrong(found.get(name, node), f"{rules.name}: {message}")
        return None
    return Contest.of(game, games_per_match)


def _is_adaptive(node: Node | None) -> bool:
    """Whether the results of a league decide who plays its next round."""
    return isinstance(node, Scalar) and node.text == "adaptive"


def _gauntlet(reader: Reader, node: Node) -> str | None:
    """The bot of a gauntlet; None for a round robin."""
    if isinstance(node, Mapping):
        found = reader.fields(node, "a schedule", ("gauntlet",), required=("gauntlet",))
        return reader.text(found["gauntlet"], "the name of a bot") if found else None
    if not (isinstance(node, Scalar) and node.text == "round_robin"):
        known = ("round_robin", "adaptive", "{gauntlet: BOT}")
        near = did_you_mean(node.text, known) if isinstance(node, Scalar) else ""
        reader.wrong(node, f"expected schedule as round_robin, adaptive or {{gauntlet: BOT}}, found {node}.{near}")
    return None


def _settle(reader: Reader, node: Node, *, adaptive: bool) -> Settle:
    """What an adaptive schedule is to find out."""
    found = reader.fields(node, "settle", Settle.__struct_fields__, like="'{places: 10}'")
    if not adaptive:
        reader.wrong(node, "expected settle only with schedule: adaptive, found it without.")
    if isinstance(node, Mapping) and len([key for key in _GOALS if key in found]) != 1:
        reader.wrong(node, f"expected settle with one of {', '.join(_GOALS)}, found {', '.join(found) or 'none'}.")
    if "within" in found and "places" not in found:
        reader.wrong(found["within"], "expected within only beside places, found it without.")
    settings: dict[str, object] = {}
    for name, item in found.items():
        if name == "places":
            settings[name] = reader.whole(item, name, 1, 10**6)
        elif name == "order":
            settings[name] = reader.choice(item, name, ("all",))
        else:
            settings[name] = reader.number(item, name, 0.001, 1e5)
    return Settle(**settings)  # type: ignore[arg-type]


def _limits(reader: Reader, node: Node) -> dict[str, object]:
    """The limits of a bot at play, and that of its folder: how large it may be decides no result."""
    found = reader.fields(node, "the limits", LIMITS)
    limits = {name: reader.whole(item, name, *LIMITS[name]) for name, item in found.items()}
    return {"folder_mb": limits.pop("folder_mb", FOLDER_MB), "limits": Limits(**limits)}


def _rating(reader: Reader, node: Node, *, adaptive: bool) -> Rating:
    """How results become ratings; an adaptive schedule needs a sigma that is learned, unless one is given."""
    found = reader.fields(node, "the rating", Rating.__struct_fields__)
    settings: dict[str, object] = {"sigma": None} if adaptive else {}
    for name, item in found.items():
        if name == "system":
            settings[name] = reader.choice(item, "system", ("trueskill",))
        elif name == "mode":
            settings[name] = reader.choice(item, "mode", ("batch", "online"))
        elif name not in AUTO:
            settings[name] = reader.number(item, name, *RATING_BOUNDS[name])
        elif isinstance(item, Scalar) and item.text == "auto":
            settings[name] = None
        else:
            settings[name] = reader.number(item, name, *RATING_BOUNDS[name], words="auto or ")
    return Rating(**settings)  # type: ignore[arg-type]


def _page(reader: Reader, node: Node) -> PageSettings:
    found = reader.fields(node, "the page", PageSettings.__struct_fields__)
    settings: dict[str, object] = {}
    for name, item in found.items():
        if name in ("public", "anonymous"):
            settings[name] = reader.truth(item, name)
        else:
            settings[name] = reader.text(item, f"the {name} as text")
    return PageSettings(**settings)  # type: ignore[arg-type]


def _stop(reader: Reader, node: Node) -> Stop:
    found = reader.fields(node, "stop", Stop.__struct_fields__, like="'{after: 8h}'")
    settings: dict[str, object] = {}
    for name, item in found.items():
        if name == "games":
            settings[name] = reader.whole(item, name, 1, 10**15)
            continue
        what, convert = (DURATION, seconds_in) if name == "after" else (CLOCK, clock_in)
        text = reader.text(item, f"{name} as {what}")
        settings[name] = convert(text)
        if text and settings[name] is None:
            reader.wrong(item, f"expected {name} as {what}, found {item}.")
    return Stop(**settings)  # type: ignore[arg-type]


def _read(path: Path) -> str:
    with suppress(OSError, ValueError):  # `read_bytes` says what is wrong with a path that is no path
        if not os.path.lexists(path):
            hint = _nearest_config(path) or " `league init` writes some to start from."
            raise ConfigError(f"There is no config file '{safe(str(path))}'.{hint}")
    raw = read_bytes(path, MAX_BYTES, ConfigError)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        what = f"expected text in UTF-8, found the byte {raw[problem.start]:#04x}. Save the file as UTF-8."
        raise _error(str(path), [Mistake(line, what)]) from None


def _nearest_config(path: Path) -> str:
    """A hint at the config that was meant: one beside the path, or in the folder `configs`."""
    folders = [path.parent, Path("configs")]
    files = [file for folder in folders for file in sorted(folder.glob("*.yaml")) if file.is_file()]
    return nearest_file(path, files)


def _nearest_pattern(pattern: str, base: Path) -> str:
    """A hint at the file or folder that was meant, written as it would be in the config."""
    folder, name = os.path.split(pattern)
    near = nearest(name, _names_in(base / folder))
    return f" Did you mean {os.path.join(folder, near)!r}?" if near else ""


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _error(file: str, mistakes: list[Mistake]) -> ConfigError:
    unique = sorted(set(mistakes))
    lines = [safe(f"{file}:{mistake.line}: {mistake.what}") for mistake in unique]
    if len(lines) > 1:
        lines.insert(0, safe(f"{file} has {counted(len(unique), 'mistake')}:"))
    return ConfigError("\n".join(lines))
