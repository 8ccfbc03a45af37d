"""The page on which a game can be watched step by step: `render(shown)` returns it as one self-contained HTML file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import msgspec
from markupsafe import Markup, escape

from league.games.contract import plain
from league.games.guide import brief, members
from league.games.replay import Frame, Replay, called_in, frames, game_of, winner
from league.games.replay import text as told
from league.games.scenes import in_words
from league.page.inline import render_template, static
from league.page.privacy import Privacy
from league.results.recorded import Shown
from league.tools.files import shipped
from league.values.block import Address
from league.values.settings import Contest

if TYPE_CHECKING:
    from league.analysis.turning_points import Unit

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
    curve: str = ""
    """Where a server has its curve of chances."""


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
    curve: str = "",
) -> str:
    """A game that was played again as a page of its own.

    `back` is a link to the standings, `neighbours` are the games before and after it between the same bots. `privacy`
    says what is hidden: without it, nothing is. With `in_words`, readers without script get the game as text. `curve`
    is where a server has the chances of a game without an address.
    """
    if privacy:
        shown = privacy.game(shown)
    replay = shown.replay
    game = game_of(replay)
    names = called_in(replay)
    return render_template(
        "viewer.html.j2",
        viewer_scripts(),
        mark=MARK,
        hides=privacy.hides if privacy else "",
        title=Contest.of(game).title,
        names=names,
        rules=rules_in_html(Contest.of(game)),
        address=address,
        notices=_notices(shown, names),
        back=back,
        neighbours=neighbours,
        told=told(replay, names) if in_words else "",
        playing=Playing(
            names=names,
            frames=frames(replay, names),
            ranks=shown.outcome.ranks,
            scores=shown.outcome.scores,
            result=winner(shown.outcome, names),
            faults=tuple((lapse.seat, lapse.step) for lapse in replay.faults),
            bots="../bots/" if back and address else "",
            curve=curve or (address and f"../curve/{quote(address)}"),
        ),
    )


@lru_cache(maxsize=64)  # hundreds of pages of one league have the same
def rules_in_html(contest: Contest) -> Markup:
    """The rules of a game as its documentation has them, or else its module, and the options that it is played with."""
    game = contest.set_up()
    file = shipped("docs") / "rules" / f"{game.name}.md"
    text = "\n".join(brief(game))
    if game.file is None and file.is_file():
        text = file.read_text(encoding="utf-8").partition("\n\n## ")[2].partition("\n## Options")[0]
        text = f"## {text}"
    meanings = dict(members(game.options_type))
    chosen = [f"- **{name}: {in_words(value)}.** {meanings[name]}" for name, value in plain(game.options).items()]
    blocks = [*text.split("\n\n"), *(["## Options of this game", "\n".join(chosen)] if chosen else [])]
    return Markup("\n").join(map(_in_html, filter(None, blocks)))


def _in_html(block: str) -> Markup:
    """A paragraph, heading, list or table in the little Markdown that rules are written in."""
    text = re.sub(r"\*\*(.+?)\*\*|`(.+?)`|\*(.+?)\*", r"<b>\1\2\3</b>", str(escape(block.strip("\n"))))
    if text[0] == "#":
        text = f"<h3>{text.lstrip('# ')}</h3>"
    elif text[0] == "|":
        rows = [line.strip()[1:-1].split("|") for line in text.splitlines()]
        cells = ["".join(f"<td>{cell.strip()}</td>" for cell in row) for row in (rows[0], *rows[2:])]
        text = f"<table><tr>{'<tr>'.join(cells)}</table>"
    elif mark := re.match(r"(\d+\.|-) ", text):
        items = re.split(r"^(?:\d+\.|-) ", text, flags=re.MULTILINE)[1:]
        kind = "ul" if mark[1] == "-" else "ol"
        text = f"<{kind}><li>{'<li>'.join(items)}</{kind}>"
    else:
        text = f"<p>{text}</p>"
    return Markup(text)  # noqa: S704 - escaped above


def shown_curve(replay: Replay, unit: Unit | None = None) -> dict[str, object]:
    """The chances over a game as the page gets them."""
    from league.analysis.turning_points import ASSUMED, curve_of

    return {**msgspec.to_builtins(curve_of(replay, unit)), "assumed": ASSUMED}


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
