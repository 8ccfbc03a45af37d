"""Commands that write something to start from: `new` a bot, `new-game` a small game, both complete and commented."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from league import games
from league.cli import complete
from league.cli.options import PATH, to_option
from league.cli.output import tell
from league.commands import KIT_FILES, KITS, is_here, load
from league.errors import LeagueError, RosterError
from league.games.contract import Game
from league.games.files import NAME as GAME_NAME
from league.games.files import NAME_RULE as GAME_NAME_RULE
from league.games.guide import guide
from league.setup.bot_folder import MAIN_FILES
from league.setup.bot_source import MAX_BYTES
from league.tools.files import read_bytes
from league.tools.text import safe
from league.values.settings import NAME_RULE, SAFE_NAME

_KITS = load(KITS) if is_here(KITS) else {}
_FILE = "The file is the whole bot: its name is the bot's name."
_FOLDER = """The folder's name is the bot's name, and all that is in it belongs to the bot.

Other modules in it can be imported (import mylib), and files read: Path(__file__).parent / "weights.npz"."""
_TEMPLATE = '''\
"""{name}: a bot for {title}. {about}

Try it:     league check {path}{known}
Watch it:   league match {typed} {path} {others}
Enter it:   league submit {path}{known}
"""

{guide}

class Bot:
    """Any legal move, at random. Say here in one line what your bot does."""

    games = ("{game}",)  # without this line it would be asked to play every game

    def __init__(self, table):
        # A match begins: you have table.seat, table.players, table.options and table.game (the rules, for bots that
        # look ahead). Random numbers come from table.rng, so that the same game can be played again.
        self.rng = table.rng

    def choose(self, view):
        # Your turn: return one of view.legal. Everything you know is in the view, described above.
        return self.rng.choice(view.legal)

    def finish(self, outcome, view):
        # A game is over: outcome.ranks and outcome.scores by seat (rank 0 is best), and the final view. What
        # you keep in self lasts for the games of one match. Leave this method out if you do not need it.
        pass
'''


@click.command("new")
@click.argument("name")
@click.option(
    "--game",
    "game_name",
    required=True,
    metavar="GAME",
    shell_complete=complete.games,
    help="What it plays: a name (see `league games`), or a file such as ./crown.py.",
)
@to_option
@click.option(
    "--folder", "as_folder", is_flag=True, help="Write a folder NAME with bot.py, for a bot of several files."
)
@click.option(
    "--language",
    type=click.Choice(["python", *_KITS]),
    default="python",
    help="Of the bot. Other languages than Python get a folder NAME with a kit, in which the protocol is done.",
)
@click.option(
    "--from",
    "sources",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="With --language: put this file into the folder instead of a new one. The first has the class that plays.",
)
def new_command(
    name: str, game_name: str, folder: str, as_folder: bool, language: str, sources: tuple[Path, ...]
) -> None:
    """Write a working bot to start from: NAME.py, which plays at random and explains what a bot can see.

    With --folder it is NAME/bot.py, in a folder to which helper modules and data can be added. With --language it is a
    folder too, with one file to fill in.

    \b
      league new amy --game raj
      league new amy --game raj --language java
      league new amy --game raj --language java --from Geier.java     a class for Hol's der Geier plays as it is
    """
    if sources and language == "python":
        raise click.UsageError("--from needs --language: a file of Python is a bot by itself.")
    name = name.removesuffix(".py")
    if not SAFE_NAME.fullmatch(name):
        raise RosterError(f"Expected a bot's name of {NAME_RULE}, found {name!r}.")
    in_python = language == "python"
    path = Path(folder) / (f"{name}.py" if in_python and not as_folder else name)
    if path.name in MAIN_FILES:
        raise RosterError(f"Expected another name: a file {path.name} makes a bot of the folder that it is in.")
    game = games.make(game_name)
    if in_python:
        text = bot_file(name, game, path, game_name, _FOLDER if as_folder else _FILE)
        files = {"bot.py" if as_folder else "": text}
    else:
        files = load(KIT_FILES)(language, name, game, _own_files(sources, language))
    _write(path, files, RosterError)
    how = f"league check {safe(str(path))}{_known(game, game_name)}"
    tell(f"Wrote {safe(str(path))}. It plays already; make it better, then: {how}")


def _write(path: Path, files: Mapping[str, str], error: type[LeagueError]) -> None:
    """Write a new file, whose text is that of the name '', or a new folder with files by their names."""
    try:
        if "" not in files:
            path.mkdir()
        for relative, text in files.items():
            if relative:
                (path / relative).parent.mkdir(exist_ok=True)
            with (path / relative).open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except FileExistsError:
        raise error(f"{safe(str(path))} exists already. Choose another name, or remove it first.") from None
    except OSError as problem:
        raise error(f"{safe(str(path))} cannot be written: {problem.strerror}.") from None


def _own_files(sources: Sequence[Path], language: str) -> dict[str, str] | None:
    """The texts of some files, by their names; None if there are none."""
    suffix = Path(_KITS[language].main).suffix
    for path in sources[:1]:
        if path.suffix != suffix and path.is_file():
            raise RosterError(f"--from: expected a file that ends in {suffix}, found '{safe(str(path))}'.")
    return {path.name: read_bytes(path, MAX_BYTES, RosterError).decode(errors="replace") for path in sources} or None


def _known(game: Game, typed: str) -> str:
    """The option by which a command that reads a bot gets a game that is a file."""
    return f" --game {shlex.quote(typed)}" if game.file else ""


def bot_file(name: str, game: Game, path: Path, typed: str, about: str = _FILE) -> str:
    """The text of a bot that plays a game at random, with a guide to what it sees; `typed` is what a user calls it."""
    explained = "\n".join(f"# {line}".rstrip() for line in guide(game))
    others = " ".join(["random"] * (game.players - 1))
    return _TEMPLATE.format(
        name=name,
        title=game.title,
        about=about,
        game=game.name,
        known=_known(game, typed),
        typed=shlex.quote(typed),  # names of other projects' games have brackets
        path=path,
        others=others,
        guide=explained + "\n",
    )


STARTER_GAME = '''\
"""Crown: three tricks with three cards. 2 to 4 players.

A card is a number from 1 to 12. A move is the card that is played.
"""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from league import Deal, Game, Options, Outcome, State, View, competition_ranks

PACK = tuple(range(1, 13))
HAND = 3


class CrownOptions(Options, frozen=True):
    """The choices of a game. Defaults are the usual game."""

    low_wins: bool = False
    """Whether the lowest card takes the trick, instead of the highest."""


class CrownDeal(Deal, frozen=True):
    """All chance events of a game, drawn before the first move."""

    cards: tuple[int, ...]
    """The pack as shuffled: three cards for seat 0, three for seat 1, and so on; the rest stays in the box."""


class CrownView(View, frozen=True, array_like=True, gc=False):
    """All that one seat may know; `seat` and `legal` (here its hand) are there already."""

    won: tuple[int, ...]
    """How many tricks each seat has."""
    history: tuple[tuple[int, ...], ...]
    """Every trick so far: what each seat played."""


class CrownState(State):
    """A game under way. Fields hold immutable values, and `step` sets them to new ones."""

    options: CrownOptions
    hands: tuple[tuple[int, ...], ...]
    """Everybody's cards, in ascending order."""
    box: tuple[int, ...]
    """The cards that were not dealt."""
    won: tuple[int, ...]
    history: tuple[tuple[int, ...], ...] = ()

    def view(self, seat: int) -> CrownView:
        return CrownView(seat, self.hands[seat], self.won, self.history)

    def step(self, moves: Sequence[int]) -> None:
        # One move for each seat in `turn`, here for all seats: they play at once.
        cards = tuple(moves)
        best = min(cards) if self.options.low_wins else max(cards)
        self.won = tuple(won + (card == best) for won, card in zip(self.won, cards, strict=True))
        self.hands = tuple(
            tuple(kept for kept in hand if kept != card) for hand, card in zip(self.hands, cards, strict=True)
        )
        self.history = (*self.history, cards)
        if len(self.history) == HAND:
            self.turn = ()  # it is over

    def outcome(self) -> Outcome:
        return Outcome(competition_ranks(self.won), self.won)

    def redeal(self, seat: int, rng: Random) -> None:
        # Deal again all that this seat cannot know: the cards of the others, and the box.
        others = [other for other in range(len(self.hands)) if other != seat]
        unknown = [*self.box, *(card for other in others for card in self.hands[other])]
        rng.shuffle(unknown)
        hands = list(self.hands)
        for other in others:
            size = len(hands[other])
            hands[other], unknown = tuple(sorted(unknown[:size])), unknown[size:]
        self.hands, self.box = tuple(hands), tuple(unknown)


class Crown(Game):
    """The rules."""

    name: ClassVar[str] = "crown"
    title: ClassVar[str] = "Crown"
    player_counts: ClassVar[range] = range(2, 5)
    options_type = CrownOptions
    deal_type = CrownDeal
    view_type = CrownView
    options: CrownOptions

    def deal(self, rng: Random) -> CrownDeal:
        return CrownDeal(tuple(rng.sample(PACK, len(PACK))))

    def start(self, deal: CrownDeal) -> CrownState:
        return self._lay_out([HAND] * self.players, list(deal.cards))

    def imagine(self, view: CrownView, rng: Random) -> CrownState:
        # Put what the view shows in its place and the unknown anywhere, then let redeal mix it.
        gone = {*view.legal, *(card for trick in view.history for card in trick)}
        unseen = [card for card in PACK if card not in gone]
        sizes = [0 if seat == view.seat else HAND - len(view.history) for seat in range(self.players)]
        state = self._lay_out(sizes, unseen)
        state.hands = (*state.hands[: view.seat], view.legal, *state.hands[view.seat + 1 :])
        state.won, state.history = view.won, view.history
        state.redeal(view.seat, rng)
        return state

    def _lay_out(self, sizes: Sequence[int], cards: list[int]) -> CrownState:
        hands = []
        for size in sizes:
            hands.append(tuple(sorted(cards[:size])))
            cards = cards[size:]
        return CrownState(
            turn=tuple(range(self.players)),
            options=self.options,
            hands=tuple(hands),
            box=tuple(cards),
            won=(0,) * self.players,
        )

    def label(self, move: int, view: CrownView) -> str:
        return f"plays the {move}"

    def tell(self, before: CrownState, moves: Sequence[int], after: CrownState, names: Sequence[str]) -> list[str]:
        played = ", ".join(f"{name} plays the {card}" for name, card in zip(names, moves, strict=True))
        gains = [now - then for now, then in zip(after.won, before.won, strict=True)]
        return [f"Trick {len(after.history)}: {played}. {names[gains.index(1)]} takes it."]
'''
"""The game of docs/tutorial-game.md."""


@click.command("new-game")
@click.argument("name")
@to_option
def new_game_command(name: str, folder: str) -> None:
    """Write a working game to start from: NAME.py, three tricks with three cards, with comments.

    A path names it wherever a game is asked for: `league match ./NAME.py random random`, `game: ./NAME.py`.
    """
    name = name.removesuffix(".py")
    if not GAME_NAME.fullmatch(name):
        raise LeagueError(f"Expected a game's name of {GAME_NAME_RULE}, found {name!r}.")
    if name in games.names():
        raise LeagueError(f"There is a game {name!r} already. Choose another name.")
    path = Path(folder) / f"{name}.py"
    _write(path, {"": game_file(name)}, LeagueError)
    shown = safe(str(path))
    tell(f"Wrote {shown}. It can be played already; make it yours, then: league check-game {shown}")


def game_file(name: str) -> str:
    """The text of a small game, called `name`."""
    words = name.split("_")
    kind, title = "".join(word.capitalize() for word in words), " ".join(words).capitalize()
    text = STARTER_GAME.replace('"Crown"', f'"{title}"').replace("Crown: ", f"{title}: ")
    return text.replace("Crown", kind).replace('"crown"', f'"{name}"')
