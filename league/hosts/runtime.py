"""A bot's file, its class and its instances, a slot each: the same code on every level of isolation."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
import traceback
from array import array
from collections.abc import Callable, Sequence
from errno import ENOMEM, ENOSYS
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType, TracebackType
from typing import Any, Self

from league.games.contract import Game
from league.hosts import Begin, End, Tick, Trouble
from league.hosts.bot import BotTable
from league.hosts.seeded_random import Loading, ManyTables, current
from league.hosts.wire import IDLE, clean_line, clean_tail
from league.values.settings import TAKEN_MODULES

TAIL_LINES = 12
OUT_OF_REACH = "cannot be reached while the bot plays: import modules and read files at the top of its file"
OUR_FILES = os.path.join(os.path.dirname(__file__), "")
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")


class Overrun(BaseException):
    """Raised inside a bot that takes too long; not an `Exception`, so that honest bots do not catch it."""


def load(name: str, source: bytes, folder: str = "") -> Any:
    """Run a bot's file and return its class `Bot`; raises whatever the file raises.

    Call it inside `seeded_random.routed`, and for a bot that is a folder inside its `OwnFolder`.
    """
    current.table = Loading()
    filename = f"{name}/bot.py" if folder else f"{name}.py"  # as tracebacks call it
    code = _compile(filename, source)
    text = source.decode("utf-8", "replace")
    linecache.cache[filename] = (len(source), None, text.splitlines(keepends=True), filename)  # for tracebacks
    module = ModuleType("bot" if folder else f"league_bot_{name}")  # its other modules may import it as well
    module.__file__ = os.path.join(folder, "bot.py") if folder else filename
    sys.modules[module.__name__] = module
    exec(code, vars(module))  # noqa: S102 - running the bot is what a host is for
    bot = getattr(module, "Bot", None)
    if not any(callable(getattr(bot, name, None)) for name in ("choose", "choose_many")):
        raise TypeError("the file must define a class Bot with a method choose(self, view)")
    if folder:
        _keep_lines(folder)
    return bot


def _keep_lines(folder: str) -> None:
    """Keep the source of a folder's modules for tracebacks: in the sandbox it cannot be read later."""
    for module in [*sys.modules.values()]:
        file = getattr(module, "__file__", None) or ""
        if file.startswith(f"{folder}/"):
            lines = linecache.getlines(file)
            linecache.cache[file] = (len(lines), None, lines, file)


@lru_cache(maxsize=64)
def _compile(filename: str, source: bytes) -> CodeType:
    return compile(source, filename, "exec", dont_inherit=True)


class OwnFolder:
    """A bot's own folder: inside, its modules can be imported, its files read, and it is the current folder.

    Without a folder, for a bot that is one file, nothing happens.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names = (
            {inspect.getmodulename(name) or name for name in os.listdir(folder)} - TAKEN_MODULES if folder else set()
        )
        self._inside: dict[str, ModuleType] = {}
        """The bot's own modules, while others run."""
        self._outside: dict[str, ModuleType] = {}
        """Modules of others that have the same names, while the bot runs."""
        self._came_from = ""

    def __enter__(self) -> Self:
        if self._folder:
            self._came_from = os.getcwd()
            os.chdir(self._folder)
            self.show_modules()
        return self

    def show_modules(self) -> None:
        """From now on, the bot's modules can be imported."""
        if self._folder:
            sys.path.insert(0, self._folder)
            self._outside = _take_out(self._names)
            sys.modules.update(self._inside)

    def __exit__(self, *_: object) -> None:
        if self._folder:
            self._inside = _take_out(self._names)
            sys.modules.update(self._outside)
            if self._folder in sys.path:
                sys.path.remove(self._folder)
            os.chdir(self._came_from)


def _take_out(names: set[str]) -> dict[str, ModuleType]:
    """Forget the modules and packages of these names; returns them."""
    taken = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in names}
    for name in taken:
        del sys.modules[name]
    return taken


class Runtime:
    """One bot in one block. Call `answer` inside `seeded_random.routed`.

    `caught` is what a bot may raise without harm to the host. `position` is always which item of the tick the bot is at
    work on, and how many tables it answers for, so that a timer knows it even if the bot never comes back.
    """

    def __init__(self, bot: Any, game: Game, caught: tuple[type[BaseException], ...], position: list[int]) -> None:
        self._game = game
        self._bot = bot
        self._caught = caught
        self._position = position
        self._answers_many = callable(getattr(bot, "choose_many", None))
        self._wants_table = bot.__init__ is not object.__init__
        self._starts = hasattr(bot, "start")
        self._finishes = hasattr(bot, "finish")
        self.wants_final_view = takes_final_view(bot)
        self._tables: dict[int, BotTable] = {}
        self._bots: dict[int, Any] = {}
        self._choosers: dict[int, tuple[Callable[[Any], int] | None, BotTable]] = {}
        """By slot: the bot's `choose`, and the table to make current before it is called."""

    def answer(self, tick: Tick) -> tuple[array[int], list[Trouble]]:
        """Run the bot's hooks, in the order of the tick; an int for each view, and what went wrong."""
        troubles: list[Trouble] = []
        position = self._position
        item = self._hooks(tick, troubles) if tick.ends or tick.begins else 0
        in_trouble = {trouble.slot for trouble in troubles if not trouble.over}
        if self._answers_many:
            moves = self._choose_many(tick, item, in_trouble, troubles)
            return _only_ints(tick.slots, moves, troubles), troubles
        choosers: Any = self._choosers
        moves = []
        for item, (slot, view) in enumerate(zip(tick.slots, tick.views, strict=True), item):  # noqa: B020
            if slot in in_trouble:
                moves.append(0)
                continue
            try:
                position[0] = item
                choose, current.table = choosers[slot]
                moves.append(choose(view))
            except self._caught as error:
                position[0] = IDLE
                moves.append(0)
                troubles.append(trouble_of(slot, error))
        position[0] = IDLE
        return _only_ints(tick.slots, moves, troubles), troubles

    def _choose_many(self, tick: Tick, first: int, in_trouble: set[int], troubles: list[Trouble]) -> list[int]:
        """The moves of a bot that answers for many tables at once; `first` is the position of the first view.

        If the call fails, each table is asked alone: only those for which that fails too are in trouble.
        """
        asked = [number for number, slot in enumerate(tick.slots) if slot not in in_trouble]
        moves = [0] * len(tick.slots)
        batches = [asked] if asked else []
        while batches:
            batch = batches.pop()
            self._position[:] = first + batch[0], len(batch)
            current.table = ManyTables()
            try:
                answers = self._answers(tick, batch)
            except self._caught as error:
                self._position[:] = IDLE, 1
                if len(batch) == 1:
                    troubles.append(trouble_of(tick.slots[batch[0]], error))
                else:
                    batches = [[number] for number in reversed(batch)]
                continue
            for number, move in zip(batch, answers, strict=True):
                moves[number] = move
        self._position[:] = IDLE, 1
        return moves

    def _answers(self, tick: Tick, batch: list[int]) -> list[int]:
        bots = [self._bots[tick.slots[number]] for number in batch]
        answers = self._bot.choose_many(bots, [tick.views[number] for number in batch])
        moves = list(answers.tolist() if hasattr(answers, "tolist") else answers)
        if len(moves) != len(batch):
            raise ValueError(f"choose_many must return a move for each of {len(batch)} views, not {len(moves)}")
        return moves

    def _hooks(self, tick: Tick, troubles: list[Trouble]) -> int:
        """`finish` and `start` of every game that ended or began; returns the position of the first view."""
        position = self._position
        item = 0
        for end in tick.ends:
            try:
                position[0] = item
                self._end(end)
            except self._caught as error:
                position[0] = IDLE
                troubles.append(trouble_of(end.slot, error)._replace(over=True))
            item += 1
        for begin in tick.begins:
            try:
                position[0] = item
                self._begin(begin)
            except self._caught as error:
                position[0] = IDLE
                troubles.append(trouble_of(begin.slot, error))
            item += 1
        return item

    def _begin(self, begin: Begin) -> None:
        """A new instance if the match is fresh, and its `start`."""
        slot = begin.slot
        table = BotTable(self._game, begin.seat, begin.seed)
        if begin.fresh or slot not in self._bots:
            current.table = table
            self._bots.pop(slot, None)
            self._bots[slot] = self._bot(table) if self._wants_table else self._bot()
        else:
            table.share_random(self._tables[slot])
            current.table = table
        self._tables[slot] = table
        bot = self._bots[slot]
        if self._starts:
            bot.start(table)
        self._choosers[slot] = (None if self._answers_many else bot.choose, table)

    def _end(self, end: End[Any]) -> None:
        """Its `finish`. With the last game of a match the instance is forgotten, so that few are in memory at once."""
        slot = end.slot
        if slot not in self._bots:
            return
        bot, table = self._bots[slot], self._tables[slot]
        if end.last:
            del self._bots[slot], self._tables[slot]
            self._choosers.pop(slot, None)
        if self._finishes:
            current.table = table
            if self.wants_final_view:
                bot.finish(end.outcome, end.view)
            else:
                bot.finish(end.outcome)


def takes_final_view(bot: Any) -> bool:
    """Whether a bot's `finish` can be given the final view after the outcome."""
    if not hasattr(bot, "finish"):
        return False
    finish = inspect.getattr_static(bot, "finish", None)
    if isinstance(finish, FunctionType | classmethod | staticmethod):
        finish = finish.__get__(bot, bot)  # without `self`, as in a call
    try:
        inspect.signature(finish).bind("outcome", "view")
    except (TypeError, ValueError):
        return False
    return True


def _only_ints(slots: Sequence[int], moves: list[int], troubles: list[Trouble]) -> array[int]:
    """The moves as 32-bit ints; one that is none is a trouble: an int's subclass could lie about what it is."""
    try:
        if set(map(type, moves)) - {int}:
            raise TypeError
        return array("i", moves)
    except (TypeError, OverflowError):
        kept = array("i")
        for slot, move in zip(slots, moves, strict=True):
            if type(move) is int and -(2**31) <= move < 2**31:
                kept.append(move)
                continue
            kept.append(0)
            troubles.append(Trouble(slot, "illegal", clean_line(_what_is_wrong_with(move))))
        return kept


def _what_is_wrong_with(move: object) -> str:
    if move is None:
        return "choose returned None, not an int: is a return missing on some path?"
    if type(move) is not int:
        name = type(move).__name__
        like_int = issubclass(type(move), int) or name.startswith(("bool", "float", "int", "str", "uint"))
        hint = ": write int(...) around it" if like_int else ""
        return f"a move must be an int, not {name}{hint}"
    shown = str(move) if move.bit_length() < 256 else "that it chose"  # Python refuses to write out very long numbers
    return f"the move {shown} is not among the legal ones"


def trouble_of(slot: int, error: BaseException) -> Trouble:
    """An exception that left a bot's code as a trouble: its cause in one line, and the end of its traceback."""
    if isinstance(error, Overrun):
        kind, cause = "timeout", str(error)
    else:
        short_of_memory = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == ENOMEM)
        kind = "memory" if short_of_memory else "error"
        try:
            cause = f"{type(error).__name__}: {error}".replace("\n", " ").removesuffix(": ")
            if isinstance(error, OSError) and error.errno == ENOSYS:  # the gate of the sandbox is closed
                cause = f"{error.filename!r} {OUT_OF_REACH}"
        except Exception:  # noqa: BLE001 - the exception is the bot's own, and so is its __str__
            cause = f"{type(error).__name__}: (its message cannot be shown)"
    try:
        tail = _tail(error)
    except Exception:  # noqa: BLE001 - for the same reason
        tail = ""
    return Trouble(slot, kind, clean_line(cause), clean_tail(tail))  # type: ignore[arg-type]


def _tail(error: BaseException) -> str:
    """The end of a traceback, without our own frames: they help no author, and their paths are the machine's."""
    if isinstance(error, Overrun):  # raised by us in the middle of the bot
        frames = traceback.extract_tb(_within_bot(error))
        theirs = [frame for frame in frames if not frame.filename.startswith(OUR_FILES)]
        return "".join(["Traceback (most recent call last):\n", *traceback.format_list(theirs[-TAIL_LINES:])])
    lines = traceback.format_exception(type(error), error, _within_bot(error), limit=-TAIL_LINES)
    return "".join(lines).replace(PACKAGE, "league" + os.sep)


def _within_bot(error: BaseException) -> TracebackType | None:
    """The traceback from where it enters the bot's code."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OUR_FILES):
        trace = trace.tb_next
    return trace
