"""The page on which one playing can be watched, step by step: `render(shown)` gives its HTML, whole and offline."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from league.games.replay import game_of
from league.games.scenes import Frame, frames
from league.page.inline import render as render_page
from league.page.inline import static
from league.play.rematch import Shown
from league.values.block import Address

LONGEST_NAME = 200
"""Bytes of a file's name, without its ending."""


class Playing(msgspec.Struct, frozen=True):
    """What the page's script gets."""

    names: tuple[str, ...]
    frames: list[Frame]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]


def render(shown: Shown, *, address: str = "", back: str = "") -> str:
    """A game that was played again as a page of its own; `back` is a link to the standings."""
    replay = shown.replay
    names = replay.names or tuple(f"Player {seat + 1}" for seat in range(replay.players))
    return render_page(
        "viewer.html.j2",
        [static("theme.js"), static("viewer.js")],
        title=game_of(replay).title,
        names=names,
        options=[(name.replace("_", " "), _worded(value)) for name, value in replay.options.items()],
        address=address,
        notices=_notices(shown, names),
        back=back,
        playing=Playing(names, frames(replay, names), shown.outcome.ranks, shown.outcome.scores),
    )


def page_name(address: Address) -> str:
    """The name of the file that shows the game at an address; never too long for a file system."""
    name = str(address).replace(":", "_")
    if len(name.encode()) > LONGEST_NAME:
        name = f"{address.contest}_{blake2b(name.encode(), digest_size=16).hexdigest()}"
    return f"{name}.html"


def _notices(shown: Shown, names: Sequence[str]) -> list[str]:
    """What the reader must be told first."""
    notices = []
    if shown.differs:
        notices.append(
            "This is not the game that was counted: when it was played again it came out otherwise. "
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
