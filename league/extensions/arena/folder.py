"""The folder of an arena: its database, its league's config, the staff's bots and those that play.

- `arena.db`: people, hand-ins, rounds.
- `config.yaml`: the league, as the ladder plays it.
- `staff/`: the bots that the config named: milestones, baselines.
- `bots/`: the versions that play, written again before every round.
- `results/LEAGUE/`: the ladder, an ordinary league.
- `final/`: the final, with config, bots and results; an ordinary league as well.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from league.errors import ArenaError, RosterError
from league.extensions.arena.records import Participant, Phase, Submission
from league.extensions.arena.store import ArenaStore
from league.extensions.course.handins import HandInError, files_of_bot, load_files, unpacked
from league.setup.bot_folder import write_folder
from league.setup.config import load as load_config
from league.setup.roster import Bot, scan
from league.tools.files import make_folder, write_text
from league.tools.text import safe, shown_path
from league.values.settings import NAME_RULE, SAFE_NAME, Config

CONFIG, STAFF, BOTS, RESULTS, FINAL = "config.yaml", "staff", "bots", "results", "final"
THINKING_SECONDS = 30.0
"""How long a bot that is much slower than the others may go on in a round when these have played all of their games.
What is left then belongs to the next round: nobody waits for it."""


def make_arena(folder: Path, config: Path, name: str = "") -> tuple[ArenaStore, Participant, str]:
    """Make an arena around a league; returns it with the lecturer and their code, which is kept nowhere."""
    league = load_config(config)
    name = name or league.name
    if not SAFE_NAME.fullmatch(name):
        raise ArenaError(f"Expected a name for the arena of {NAME_RULE}, found {name!r}.")
    if os.path.isdir(folder) and os.listdir(folder):
        raise ArenaError(f"Expected an empty folder for the arena, found {shown_path(folder)} with files in it.")
    roster = scan(league.bots, league.base, league.folder_mb)
    roster.refuse_broken()
    for milestone in league.milestones:
        roster.named(milestone.bot)
    make_folder(folder)
    folder.chmod(0o700)  # it holds hand-ins, which other users of the machine have no business with
    for part in (STAFF, BOTS, RESULTS):
        make_folder(folder / part)
    for bot in roster.bots:
        _copy(bot, folder / STAFF)
    changes: dict[str, Any] = {"luck_follows": "versions"}  # replays are seen before the next version is handed in
    if not league.page.anonymous:  # tracebacks are for their author and the staff
        changes["page"] = {**(yaml.safe_load(league.text).get("page") or {}), "public": True}
    # Nobody can guess deals without a seed. Games are shown from stored moves: the web server runs no bot.
    write_config(league, folder, changes, without=("seed", "moves"))
    load_config(folder / CONFIG)
    secret = token_hex(32)
    facts = {
        "name": name,
        "receipt_key": token_hex(32),
        "secret": secret,
        "secret_hash": sha256(secret.encode()).hexdigest(),
    }
    arena = ArenaStore.create(folder, facts)
    [(person, code)] = arena.invite([("Lecturer", "lecturer", "", "lecturer")], "arena")
    return arena, person, code


def arena_config(folder: Path) -> Config:
    """The league of an arena."""
    return load_config(folder / CONFIG)


def shown_league(folder: Path, config: Config, phase: Phase) -> Path:
    """The league whose standings count now: the final when it is over, before that the ladder."""
    ladder, final = folder / RESULTS / config.name, folder / FINAL / RESULTS / f"{config.name}-final"
    return final if phase == "over" else ladder


def free_disk(folder: Path) -> int:
    """Free bytes where an arena is."""
    return shutil.disk_usage(folder).free


def staff_bots(folder: Path) -> tuple[Bot, ...]:
    """The bots of the staff."""
    return scan([STAFF], folder, arena_config(folder).folder_mb).bots


def handed_in_bot(arena: ArenaStore, submission: Submission, place: Path, folder_mb: int) -> Bot:
    """A hand-in as a bot, unpacked into a folder of its own; raises `HandInError` or `RosterError` if it is none.

    Only the checker and the player call this: the web server leaves hand-ins as they are.
    """
    files = unpacked(submission.filename, arena.content(submission), folder_mb)
    return load_files(files_of_bot(files), place, submission.bot, folder_mb)


def write_bots(
    arena: ArenaStore, roster: Mapping[str, str], target: Path, present: Mapping[str, str]
) -> dict[str, str]:
    """Let a folder hold exactly the hand-ins of a roster; returns why those are missing that cannot be read any more.

    Whoever plays calls this first, so it does not matter if it is cut off. `present` has the bots that the folder is
    known to hold, with the hashes of their hand-ins: of 300 bots, few change from one round to the next.
    """
    make_folder(target)
    kept = {bot for bot, hash_ in roster.items() if present.get(bot) == hash_}
    for path in target.iterdir():
        if (path.name if path.is_dir() else path.stem) not in kept:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    problems, folder_mb = {}, arena_config(arena.folder).folder_mb
    with TemporaryDirectory(prefix="league-arena-") as name:
        for bot, hash_ in sorted(roster.items()):
            versions = [] if bot in kept else [one for one in arena.submissions(bot) if one.hash == hash_]
            for version in versions[:1]:  # bots of the staff have none
                try:
                    _copy(handed_in_bot(arena, version, Path(name) / bot, folder_mb), target)
                except (HandInError, RosterError) as problem:
                    problems[bot] = safe(str(problem))
    return problems


def write_config(league: Config, folder: Path, changes: Mapping[str, Any], without: Sequence[str]) -> None:
    """Write a league's config into a folder of its own, with the bots there and with games that are files."""
    keys = {**yaml.safe_load(league.text), "bots": [STAFF, BOTS], **changes}
    for name in without:
        keys.pop(name, None)
    for entry in keys["games"]:
        source = league.base / str(entry["game"])
        if source.suffix == ".py":
            shutil.copyfile(source, folder / source.name)
            entry["game"] = f"./{source.name}"
    write_text(folder / CONFIG, yaml.safe_dump(keys, sort_keys=False, allow_unicode=True))


def _copy(bot: Bot, folder: Path) -> None:
    """Copy a bot that was read, as it was read."""
    if bot.files:
        make_folder(folder / bot.name)
        write_folder(bot.files, folder / bot.name)
    else:
        (folder / f"{bot.name}{bot.path.suffix}").write_bytes(bot.source)
