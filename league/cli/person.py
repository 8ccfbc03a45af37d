"""A person at the keyboard, in the place of a bot: what they are shown, and how they say what they want."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import click

from league.games.contract import Game, View
from league.games.guide import brief
from league.tools.text import folded, listed, safe, width

MANY = 20
"""The most moves that are offered at once; of more, first their beginnings and then their ends."""
MOST_COLUMNS = 120
"""Longer lines are hard to read, however wide the terminal."""
WHAT_TO_TYPE = "Type ? for the rules in brief, b to go back, q to leave."


class Offer(NamedTuple):
    """Something to choose: one move, or several that begin alike."""

    key: str
    """What to type for it."""
    words: str
    moves: tuple[int, ...]


class Left(Exception):  # noqa: N818 - leaving is not an error
    """The person has left the table."""


class Keyboard:
    """Shows each view to a person at the keyboard, and asks for the move. `names` are the players by seat."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self._game = game
        self._names = names

    def choose(self, view: View) -> int:
        """The move that the person wants."""
        labels = {move: self._game.label(move, view) for move in view.legal}
        say("", *self._game.sketch(view, self._names))
        while True:
            offer = self._ask(offers(labels), labels)
            if len(offer.moves) > 1:
                offer = self._ask(endings(labels, offer.moves), labels)
            if offer.moves:
                return offer.moves[0]

    def _ask(self, menu: Sequence[Offer], labels: Mapping[int, str]) -> Offer:
        """What the person chooses of a menu; an offer without moves to go back to the one before."""
        show(menu)
        while True:
            answer = read(f"Your move ({menu[0].key if len(menu) == 1 else 'number or word'}, ? or q)")
            match answer.casefold():
                case "q" | "quit":
                    raise Left
                case "b":
                    return Offer("b", "", ())
                case "?":
                    say("", *rules_in_brief(self._game))
                    say(f"Answer with the number of a move, or with words that no other move has. {WHAT_TO_TYPE}", "")
                    show(menu)
                case _:
                    meant = matches(answer, menu, labels)
                    if len(meant) == 1:
                        return meant[0]
                    say(misunderstood(answer, menu, meant))


def offers(labels: Mapping[int, str]) -> list[Offer]:
    """The moves to choose from, or how they begin if there are many. Small moves are typed as bots return them."""
    if len(labels) > MANY:
        groups: dict[str, list[int]] = {}
        for move, label in labels.items():
            groups.setdefault(label.rpartition(" ")[0], []).append(move)
        if 1 < len(groups) <= len(labels) // 2:
            return [Offer(str(n), f"{start} …", tuple(moves)) for n, (start, moves) in enumerate(groups.items(), 1)]
    plain = min(labels) >= 0 and max(labels) < 100
    return [
        Offer(str(move if plain else number), label, (move,)) for number, (move, label) in enumerate(labels.items(), 1)
    ]


def endings(labels: Mapping[int, str], moves: Sequence[int]) -> list[Offer]:
    """The last words of moves that begin alike."""
    return [Offer(str(number), labels[move].rpartition(" ")[2], (move,)) for number, move in enumerate(moves, 1)]


def matches(answer: str, menu: Sequence[Offer], labels: Mapping[int, str]) -> list[Offer]:
    """What an answer may mean: by number; or by all of the words, some of them or a part, of an offer or of a move."""
    if answer.isdecimal() or not answer:
        return [offer for offer in menu if offer.key == answer or (not answer and len(menu) == 1)]
    word = re.escape(answer.casefold())
    single = [Offer("", labels[move], (move,)) for offer in menu for move in offer.moves]
    for offered in (menu, single):
        for pattern in (rf"{word}$", rf".*\b{word}(?!\w)", f".*{word}"):
            meant = [offer for offer in offered if re.match(pattern, offer.words.casefold())]
            if meant:
                return meant
    return []


def misunderstood(answer: str, menu: Sequence[Offer], meant: Sequence[Offer]) -> str:
    """The reply to an answer that fits no move, or several."""
    if meant:
        return f"{answer!r} may mean {listed([offer.words for offer in meant[:5]], 'or')}: be more specific."
    keys = [offer.key for offer in menu]
    known = listed(keys, "or") if len(keys) < 9 else f"one of the numbers {keys[0]} to {keys[-1]}"
    reason = f"{answer!r} is not a move here. " if answer else ""
    return f"{reason}Type {known}, or a word of the move; ? helps, q leaves."


def rules_in_brief(game: Game) -> list[str]:
    """The first two paragraphs of what is said about a game, a line each; the others are for those who write bots."""
    paragraphs = "\n".join(brief(game)).split("\n\n")
    return [" ".join(paragraph.split()) for paragraph in paragraphs[:2]]


def read(question: str) -> str:
    """A line from the keyboard; its end (Ctrl-D) and Ctrl-C leave the table."""
    try:
        answer: str = click.prompt(question, default="", show_default=False)
    except click.Abort:
        click.echo()
        raise Left from None
    return answer.strip()


def show(menu: Sequence[Offer]) -> None:
    """The offers of a menu, side by side."""
    keys = max(len(offer.key) for offer in menu)
    for line in in_columns([f"{offer.key:>{keys}}) {offer.words}" for offer in menu], columns() - 2):
        click.echo(f"  {safe(line)}")


def say(*lines: str) -> None:
    """Lines that fit the terminal."""
    for line in lines:
        click.echo(folded(safe(line), columns()))


def columns() -> int:
    """How wide lines may be."""
    return min(shutil.get_terminal_size().columns, MOST_COLUMNS)


def in_columns(words: Sequence[str], most: int) -> list[str]:
    """Words side by side, as many to a line as fit into `most` columns."""
    column = max(map(width, words)) + 2
    across = max((most + 2) // column, 1)
    rows = [words[first : first + across] for first in range(0, len(words), across)]
    return ["".join(word + " " * (column - width(word)) for word in row).rstrip() for row in rows]
