"""A league's config: YAML in, typed values out, a mistake reported with its line.

    config = load("configs/quick.yaml")
    for event in config.events:
        print(event.contest.key, event.deals)

`docs/config.md` describes every key for people who write one.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import structs

from league import games
from league.errors import ConfigError, LeagueError, OptionsError, did_you_mean
from league.games.contract import Game
from league.setup import yaml_lines
from league.setup.yaml_lines import Document, config_error
from league.tools.files import not_utf8, read_bytes
from league.tools.reading import MistakeError, Place, read, shown
from league.tools.text import nearest_file, safe
from league.values.settings import (
    ADAPTIVE_DEALS,
    Amount,
    Config,
    ConfigKeys,
    Contest,
    Event,
    GameKeys,
    Gauntlet,
    Limits,
    Milestone,
    Settings,
    Settle,
)

MAX_BYTES = 1_000_000
PLACES = 10
"""That an adaptive schedule settles if the config asks for nothing else."""
_GOALS = ("places", "order", "interval")


def load(path: str | Path) -> Config:
    """Read a config file, or raise `ConfigError` with the line of its first mistake."""
    path = Path(path)
    text = _read(path)
    if path.suffix not in ("", ".yaml", ".yml"):
        other = f"expected a league's config, which ends in .yaml, found a file that ends in {path.suffix}."
        raise config_error(str(path), 1, other)
    return parse(text, path.parent, str(path))


def parse(text: str, base: Path, file: str = "config", *, bots_given: bool = False) -> Config:
    """Read a config from text; `file` is what its mistakes call it. Whether its bots are there, a run finds out.

    It need not name bots if they are given otherwise.
    """
    document = yaml_lines.parse(text, file)
    if document.value is None:
        raise config_error(file, 1, "expected a league's config, found an empty file. See docs/config.md.")
    if bots_given and isinstance(document.value, dict):
        document.value.setdefault("bots", [str(base)])
    try:
        return _config(document, base, text)
    except MistakeError as mistake:
        raise document.error(mistake) from None


def _config(document: Document, base: Path, text: str) -> Config:
    keys: ConfigKeys = read(document.value, ConfigKeys, "a league")
    written = document.value
    adaptive, rating = keys.schedule == "adaptive", keys.rating
    if adaptive and "sigma" not in written.get("rating", ()):
        rating = structs.replace(rating, sigma=None)
    if keys.settle is not None:
        _check_settle(keys.settle, written["settle"], adaptive=adaptive)
    events: dict[str, Event] = {}
    for number, (entry, asked) in enumerate(zip(keys.games, written["games"], strict=True)):
        for event in _events(entry, asked, ("games", number), base, adaptive=adaptive):
            if event.contest.key in events:
                again = f"found {event.contest.game} for {event.contest.players} again"
                raise MistakeError(("games", number), f"expected each game and number of players once, {again}.")
            events[event.contest.key] = event
    _check_milestones(keys.milestones, events)
    limits = structs.asdict(keys.limits)
    folder_mb, tries = limits.pop("folder_mb"), limits.pop("tries")
    settings = {name: getattr(keys, name) for name in Settings.__struct_fields__}
    settings |= {"rating": rating, "settle": keys.settle or (Settle(places=PLACES) if adaptive else None)}
    return Config(
        name=keys.league,
        bots=keys.bots,
        base=base.resolve(),
        events=tuple(events.values()),
        gauntlet=keys.schedule.gauntlet if isinstance(keys.schedule, Gauntlet) else None,
        limits=Limits(**limits),
        folder_mb=folder_mb,
        tries=tries,
        text=text,
        **settings,
    )


def _check_milestones(milestones: Sequence[Milestone], events: Mapping[str, Event]) -> None:
    """Milestones name games of the league: otherwise nobody would ever reach them."""
    games_and_contests = ["", *events, *{event.contest.game for event in events.values()}]
    for number, milestone in enumerate(milestones):
        if milestone.game not in games_and_contests:
            wanted = f"a game or contest of this league ({', '.join(events)})"
            hint = did_you_mean(milestone.game, games_and_contests)
            what = f"expected {wanted}, found {shown(milestone.game)}.{hint}"
            raise MistakeError(("milestones", number, "game"), what)


def _check_settle(settle: Settle, written: Collection[str], *, adaptive: bool) -> None:
    """What an adaptive schedule finds out is one thing."""
    place: Place = ("settle",)
    if not adaptive:
        raise MistakeError(place, "expected settle only with schedule: adaptive, found it without.")
    asked = [key for key in _GOALS if key in written]
    if len(asked) != 1:
        found = ", ".join(asked) or "none"
        raise MistakeError(place, f"expected settle with one of {', '.join(_GOALS)}, found {found}.")
    for key in ("within", "within_points"):
        if key in written and settle.places is None:
            raise MistakeError((*place, key), f"expected {key} only beside places, found it without.")


def _events(entry: GameKeys, written: Collection[str], place: Place, base: Path, *, adaptive: bool) -> Iterator[Event]:
    """One event for each number of players of an entry."""
    in_a_row = entry.games_per_match
    for key in ("max_lineups", "opponents"):
        if adaptive and key in written:
            what = f"expected no {key} with schedule: adaptive, which chooses the lineups itself."
            raise MistakeError((*place, key), what)
    deals = ADAPTIVE_DEALS if adaptive and "deals" not in written else entry.deals
    if deals % in_a_row:
        whole_matches = -(-deals // in_a_row) * in_a_row
        hint = f"found {deals} deals. Did you mean deals: {whole_matches}?"
        what = f"expected deals to be a multiple of games_per_match ({in_a_row}), {hint}"
        raise MistakeError((*place, "deals" if "deals" in written else "games_per_match"), what)
    if entry.count == "match" and in_a_row == 1:
        what = "expected count: match only with games_per_match above 1, found matches of 1 game."
        raise MistakeError((*place, "count"), what)
    rules = _rules(entry.game, (*place, "game"), base)
    options = read(entry.options, rules.options_type, f"the options of {rules.name}", (*place, "options"))
    amount = {name: getattr(entry, name) for name in Amount.__struct_fields__} | {"deals": deals}
    counts = rules.player_counts
    for players in entry.players or counts[:1]:
        if players not in counts:
            wanted = f"players of {rules.name} as a whole number from {counts[0]} to {counts[-1]}"
            raise MistakeError((*place, "players"), f"expected {wanted}, found {players}.")
        try:
            game = rules(players, options)
        except OptionsError as problem:
            raise MistakeError((*place, "options"), str(problem)) from None
        usual = {} if "count" in written else {"count": "points" if game.counts == "points" else "games"}
        yield Event(Contest.of(game, in_a_row), **amount | usual)


def _rules(name: str, place: Place, base: Path) -> type[Game]:
    """The rules of a game that there is: a name, or the path of a file."""
    known = games.names()
    if not (games.in_family(name) or games.is_path(name) or name in known):
        what = f"expected a game as one of {', '.join(known)}, found {shown(name)}.{did_you_mean(name, known)}"
        raise MistakeError(place, what)
    try:
        return games.load(str(base / name) if games.is_path(name) else name)
    except LeagueError as problem:
        raise MistakeError(place, str(problem)) from None


def _read(path: Path) -> str:
    with suppress(OSError, ValueError):  # `read_bytes` says what is wrong with a path that is no path
        if not os.path.lexists(path):
            hint = _nearest_config(path) or " `league init` writes some to start from."
            raise ConfigError(f"There is no config file '{safe(str(path))}'.{hint}")
    try:
        return read_bytes(path, MAX_BYTES, ConfigError).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise config_error(str(path), *not_utf8(problem)) from None


def _nearest_config(path: Path) -> str:
    """A hint at the config that was meant: one beside the path, or in the folder `configs`."""
    folders = [path.parent, Path("configs")]
    files = [file for folder in folders for file in sorted(folder.glob("*.yaml")) if file.is_file()]
    return nearest_file(path, files)
