"""The page on which one playing can be watched, step by step: `render(replay)` gives its HTML, whole and offline."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from league.page.inline import render as render_page
from league.page.inline import static
from league.page.scenes import Frame, frames
from league.replay import Replay, game_of


class Playing(msgspec.Struct, frozen=True):
    """What the page's script gets."""

    names: tuple[str, ...]
    frames: list[Frame]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]


def render(
    replay: Replay,
    names: Sequence[str] = (),
    *,
    address: str = "",
    notice: str = "",
    back: str = "",
    ranks: Sequence[int] = (),
) -> str:
    """A replay as a page of its own.

    names: of the players by seat, if not those of the replay.
    address: of the game in its league, shown below the title.
    notice: what the reader must be told first, such as that this is not the game that was counted.
    back: a link to the standings.
    ranks: the places by seat as they were counted, if not those of the rules: whoever was at fault comes last.
    """
    called = tuple(names or replay.names or [f"Player {seat + 1}" for seat in range(replay.players)])
    outcome = replay.outcome
    playing = Playing(called, frames(replay, called), tuple(ranks) or outcome.ranks, outcome.scores)
    options = [(name.replace("_", " "), _worded(value)) for name, value in replay.options.items()]
    return render_page(
        "viewer.html.j2",
        [static("theme.js"), static("viewer.js")],
        title=game_of(replay).title,
        names=called,
        options=options,
        address=address,
        notice=notice,
        back=back,
        playing=playing,
    )


def _worded(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value).replace("_", " ")
