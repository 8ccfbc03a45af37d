"""The page on which a game can be watched step by step: `render(shown)` returns it as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from league.analysis.rematch import Shown
from league.games.replay import Frame, frames, game_of, text, winner
from league.page.inline import render_template, static
from league.page.privacy import Privacy
from league.values.block import Address

LONGEST_NAME = 200
"""Bytes of a file's name, without its ending."""
MARK = "data-league-game"
"""Stands in the first tags of the page of a game."""


class Playing(msgspec.Struct, frozen=True):
    """What the page's script gets."""

    names: tuple[str, ...]
    frames: list[Frame]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    result: str
    """Who won, in a sentence."""
    faults: tuple[tuple[int, int], ...] = ()
    """Pairs of seat and the first step that was played for it."""
    bots: str = ""
    """The folder with the pages of the bots."""
    address: str = ""
    """Where the game is: a server has its curve of chances."""


class Neighbour(NamedTuple):
    """Another game between the same bots."""

    href: str
    address: str


def render(
    shown: Shown,
    *,
    address: str = "",
    back: str = "",
    privacy: Privacy | None = None,
    neighbours: tuple[Neighbour | None, Neighbour | None] = (None, None),
    in_words: bool = False,
) -> str:
    """A game that was played again as a page of its own.

    `back` is a link to the standings, `neighbours` are the games before and after it between the same bots. `privacy`
    says what is hidden: without it, nothing is. With `in_words`, readers without script get the game as text.
    """
    if privacy:
        shown = privacy.game(shown)
    replay = shown.replay
    names = replay.names or tuple(f"Player {seat + 1}" for seat in range(replay.players))
    return render_template(
        "viewer.html.j2",
        viewer_scripts(),
        mark=MARK,
        hides=privacy.hides if privacy else "",
        title=game_of(replay).title,
        names=names,
        options=[(name.replace("_", " "), _worded(value)) for name, value in replay.options.items()],
        address=address,
        notices=_notices(shown, names),
        back=back,
        neighbours=neighbours,
        told=text(replay, names) if in_words else "",
        playing=Playing(
            names=names,
            frames=frames(replay, names),
            ranks=shown.outcome.ranks,
            scores=shown.outcome.scores,
            result=winner(shown.outcome, names),
            faults=tuple((lapse.seat, lapse.step) for lapse in replay.faults),
            bots="../bots/" if back and address else "",
            address=address,
        ),
    )


@cache
def viewer_scripts() -> list[str]:
    """The scripts of the page: colours, and its own."""
    return [static("theme.js"), "\n".join(map(static, ("curve.js", "chances.js", "scene.js", "viewer.js")))]


def page_name(address: Address) -> str:
    """The name of the file that shows the game at an address; never too long for a file system."""
    name = str(address).replace(":", "_")
    if len(name.encode()) > LONGEST_NAME:
        name = f"{address.contest}_{blake2b(name.encode(), digest_size=16).hexdigest()}"
    return f"{name}.html"


def _notices(shown: Shown, names: Sequence[str]) -> list[str]:
    """What a reader should know first."""
    notices = []
    if shown.differs:
        notices.append(
            "This is not the game that was counted: when it was played again, it ended differently. "
            "A bot at this table is not deterministic."
        )
    for lapse in shown.replay.faults:
        notices.append(
            f"{names[lapse.seat]} was at fault at step {lapse.step} ({lapse.kind}: {lapse.cause}). "
            "From then on random moves were played for it, and it is ranked last."
        )
    return notices


def _worded(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value).replace("_", " ")
