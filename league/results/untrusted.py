"""What is read from a league's database is decoded and checked here, and nowhere else.

A results folder may come from a stranger, so nothing in it is believed: names become parts of files and pages, paths
are written to, counts decide how much memory is taken. Types say most of it (see `league.values`); this module adds
how values must fit together. Whatever does not fit raises `DataError`, which `schema.explained` turns into one line.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from string import hexdigits
from struct import unpack
from typing import Annotated

import msgspec
from msgspec import Meta

from league.errors import DataError, RosterError
from league.plan.schedule import ChosenLineup, Plan
from league.setup.bot_folder import MOST_FILES, content_hash, folder_hash, plain_parts
from league.setup.bot_source import MAX_BYTES
from league.setup.roster import Bot
from league.tools.seeds import SECRET_BYTES
from league.tools.text import safe
from league.values.block import Terms, Usage
from league.values.settings import FOLDER_MB, SAFE_NAME, Config

MOST_DEALS = 10**9
Time = Annotated[float, Meta(ge=0, le=1e11)]
"""Seconds since 1970, for three thousand years from now."""
MOST_PACKED = 20
"""How many bytes one packed byte may stand for, in large files."""
LONGEST_TEXT = 10_000_000
LONGEST_LINE = 1000
"""The longest fact about a league, in characters."""

_round = msgspec.json.Decoder(list[ChosenLineup])
terms = msgspec.json.Decoder(Terms).decode
"""What decides results beside lineup, rotation and deal."""


def expect(condition: object, what: str, value: object = "") -> None:
    """Raise `DataError` unless a condition holds; `value` is what was found instead."""
    if not condition:
        raise DataError(f"{what}{f', found {safe(repr(value)[:100])}' if value != '' else ''}")


def unpacked(packed: bytes, most: int) -> bytes:
    """What zlib packed, if it is at most this many bytes: a few bytes can hold gigabytes."""
    unpacking = zlib.decompressobj()
    content = unpacking.decompress(packed, most + 1)
    expect(len(content) <= most, f"expected at most {most:,} packed bytes, found more")
    expect(unpacking.eof, "expected packed bytes, found their beginning")
    return content


def name(text: str) -> str:
    """The name of a bot or a league."""
    expect(isinstance(text, str) and SAFE_NAME.fullmatch(text), "expected a name", text)
    return text


def line(text: str) -> str:
    """A sentence of a bot's."""
    expect(isinstance(text, str) and len(text) <= LONGEST_LINE, "expected one line, found a longer text")
    return text


def secret(text: str) -> str:
    """What all chance of a league follows from."""
    expect(len(text) == 2 * SECRET_BYTES and set(text) <= {*hexdigits}, "expected a secret, found something else")
    return text


def settings(text: str) -> Config:
    """A league's config as it was run."""
    expect(len(text) <= LONGEST_TEXT, "expected a config, found a text of millions of characters")
    config = msgspec.json.decode(text, type=Config, dec_hook=lambda kind, value: kind(value))
    keys = {event.contest.key for event in config.events}
    expect(len(keys) == len(config.events), "expected each contest once, found one again")
    for event in config.events:
        expect(event.deals % event.contest.games_per_match == 0, "expected whole matches", event.deals)
        if event.fill:
            name(event.fill)
    return config


def bot(packed: bytes, called: str, source_hash: str) -> Bot:
    """A bot without the content of its files. Its name and its hash are those of its row."""
    decoded = msgspec.msgpack.decode(packed, type=Bot, dec_hook=lambda kind, value: kind(value))
    expect((decoded.name, decoded.hash) == (name(called), source_hash), "expected a bot in its own row", decoded.name)
    expect(len(decoded.source) <= MAX_BYTES, f"expected a bot of at most {MAX_BYTES:,} bytes, found more")
    expect(len(decoded.files) <= MOST_FILES, f"expected a bot of at most {MOST_FILES:,} files, found more")
    try:
        paths = {tuple(plain_parts(file.path)) for file in decoded.files}
    except RosterError as problem:
        raise DataError(str(problem)) from None
    expect(len(paths) == len(decoded.files), "expected each file of a bot once, found one again")
    if decoded.language != "object":  # an object has no text, and never leaves its process
        digest = folder_hash(decoded.files) if decoded.files else content_hash(decoded.source)
        expect(digest == source_hash, f"expected the hash of the bot {called}", source_hash)
    expect(not decoded.made, f"expected the bot {called} as it was handed in, found what its build made")
    return decoded


def content(packed: bytes, digest: str, most: int) -> bytes:
    """The content of a bot's file, if there is room for it; much of it must not come from few bytes."""
    written = unpacked(packed, min(most, (FOLDER_MB << 20) + MOST_PACKED * len(packed)))
    expect(content_hash(written) == digest, "expected the content that a hash stands for, found another")
    return written


def remarks(text: str) -> dict[str, str]:
    """Texts by name."""
    expect(len(text) <= LONGEST_TEXT, "expected remarks, found a text of millions of characters")
    return msgspec.json.decode(text, type=dict[str, str])


def chosen_round(text: str, planned: Plan) -> list[ChosenLineup]:
    """The lineups that play in a round of this plan."""
    chosen = _round.decode(text)
    for at, lineup, (first, stop) in chosen:
        expect(0 <= at < len(planned.fixtures), "expected rounds of its contests, found others", at)
        fixture = planned.fixtures[at]
        fits = len({*lineup}) == len(lineup) == fixture.contest.players and {*lineup} <= {*range(len(fixture.entrants))}
        expect(fits and 0 <= first < stop <= MOST_DEALS, "expected rounds of its bots, found others")
    return chosen


def lineup(packed: bytes) -> tuple[int, ...]:
    """The ids of the entrants of a lineup."""
    expect(len(packed) % 4 == 0, "expected the ids of a lineup, found other bytes")
    return unpack(f">{len(packed) // 4}I", packed)


def costs(row: Sequence[float]) -> tuple[int, Usage, int]:
    """Games, what was used in them, and how often a process had to be replaced."""
    games, *used, deaths = row
    expect(games, "expected the costs of games", games)
    return int(number(games)), Usage(*map(number, used)), int(number(deaths))  # type: ignore[arg-type]


def number(value: float) -> float:
    """A count, or seconds."""
    expect(0 <= value <= 1e15, "expected a number that makes sense", value)
    return value
