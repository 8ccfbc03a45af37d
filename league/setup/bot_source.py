"""What a bot's file says about itself, read from its text: nothing of it is ever run here."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from league import games
from league.commands import GAMES as OTHER_PROJECTS
from league.errors import did_you_mean
from league.games import files
from league.games.files import NAME
from league.tools import system
from league.tools.files import not_utf8
from league.tools.reading import MistakeError, read

MAX_BYTES = 1_000_000
MAX_TOML_BYTES = 100_000
MAX_TOML_DOTS = 256
"""In one line: the time to read a key of many parts grows with their square."""
MOST_GAMES = 100
PARSED_HERE = 64_000
"""Bytes of Python that are parsed in this process. A longer text can take a gigabyte and minutes, so a process of its
own with limits parses it."""
PARSER_MEMORY = 1 << 30
PARSER_SECONDS = 5

_EXAMPLES = {"games": '("raj",)', "players": "(2,)", "baseline": "True"}
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")
_START = "import sys; sys.path[:] = sys.argv[1:]; from league.setup.bot_source import parse_stdin; parse_stdin()"
_COSTLY = "expected Python, found a text whose parsing takes too much time or memory."

HOOKS = {
    "choose": ("self, view",),
    "choose_many": ("cls, bots, views",),
    "__init__": ("self, table",),
    "start": ("self, table",),
    "finish": ("self, outcome", "self, outcome, view"),
}
"""The methods that a bot may have, and the arguments that each may take, the fewest first."""

CHOOSING = ("choose", "choose_many")
"""A bot has one of them."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


Games = Annotated[
    tuple[str, ...],
    Meta(min_length=1, max_length=MOST_GAMES, extra={"words": f'a tuple of 1 to {MOST_GAMES} names, such as ("raj",)'}),
]
Tables = Annotated[
    tuple[Annotated[int, Meta(ge=1, le=1000)], ...],
    Meta(min_length=1, max_length=100, extra={"words": "a tuple of numbers, such as (2,)"}),
]
Word = Annotated[str, Meta(pattern=r"\A[^\0]+\Z", extra={"words": "text without zero bytes"})]
Command = Annotated[
    tuple[Word, ...], Meta(min_length=1, extra={"words": """a list of words, such as ["awk", "-f", "bot.awk"]"""})
]


class ClassKeys(msgspec.Struct, frozen=True, kw_only=True):
    """What a class `Bot` may state about itself."""

    games: Games | None = None
    """What the bot plays; None: everything."""
    players: Tables | None = None
    """The table sizes that it plays; None: all."""
    baseline: bool = False
    """Whether the bot is there for comparison only."""


class TomlKeys(msgspec.Struct, frozen=True):
    """The keys of a bot that is a program."""

    command: Command
    build: Command | None = None
    """What makes the program from the files of its folder, once."""
    description: str = ""
    games: Games | None = None
    players: Tables | None = None


class Source(ClassKeys, frozen=True):
    """What a file says."""

    doc: str = ""
    command: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    """What makes the program, if anything does."""
    lines: dict[str, int] = {}


class UnfitError(Exception):
    """The file is no bot: the line (0 if it is no single one) and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(reason)


def read_python(source: bytes) -> Source:
    """Docstring, games, players and `baseline` of a class `Bot` that has `choose`."""
    return _checked(_parsed(source) if len(source) <= PARSED_HERE else _parsed_apart(source))


def read_toml(source: bytes) -> Source:
    """Command, description, games and players of a bot that is a program."""
    text = _text(source)
    if len(source) > MAX_TOML_BYTES:
        raise UnfitError(0, f"expected at most {MAX_TOML_BYTES:,} bytes, found {len(source):,}.")
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if line.count(".") > MAX_TOML_DOTS:
            raise UnfitError(number, f"expected at most {MAX_TOML_DOTS} dots in a line, found {line.count('.'):,}.")
    try:
        stated = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        place_told = _TOML_PLACE.search(str(problem))
        line_number = int(place_told[1]) if place_told and place_told[1] else source.count(b"\n") + 1
        reason = f"expected TOML, found a mistake in its form: {_TOML_PLACE.sub('', str(problem))}."
        raise UnfitError(line_number, reason) from None
    except ValueError:
        raise UnfitError(0, "expected TOML, found a number with thousands of digits.") from None
    except RecursionError:
        raise UnfitError(0, "expected a bot, found values nested hundreds of levels deep.") from None
    places = {key: _key_line(lines, key) for key in stated}
    keys: TomlKeys = _typed(stated, TomlKeys, places)
    build = keys.build or ()
    return _checked(Source(keys.description, keys.command, build, places, games=keys.games, players=keys.players))


def parse_stdin() -> None:
    """In a process of its own: parse the Python of standard input within limits, and write what it says as JSON."""
    system.limit_parser(PARSER_MEMORY, PARSER_SECONDS)
    try:
        answer: object = _parsed(sys.stdin.buffer.read())
    except UnfitError as problem:
        answer = [problem.line, problem.reason]
    except MemoryError:
        answer = [0, _COSTLY]
    sys.stdout.buffer.write(msgspec.json.encode(answer))


def _parsed_apart(source: bytes) -> Source:
    """What a long text says, parsed in a process with limits of memory and time."""
    command = [sys.executable, "-I", "-c", _START, *sys.path]
    try:
        done = subprocess.run(  # noqa: S603 - this Python, with code of ours
            command, input=source, capture_output=True, timeout=20 * PARSER_SECONDS, check=True
        )
        answer = msgspec.json.decode(done.stdout, type=Source | tuple[int, str])
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
        raise UnfitError(0, _COSTLY) from None
    if isinstance(answer, tuple):
        raise UnfitError(*answer)
    return answer


def _parsed(source: bytes) -> Source:
    """What a text of Python says, of the right types; which games there are is not checked yet."""
    tree = _tree(source)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if "Bot" not in classes:
        some = [*classes][:MOST_GAMES]
        near = did_you_mean("Bot", some) or did_you_mean("bot", some)
        raise UnfitError(0, f"expected a class named Bot at the top level, found none.{near}")
    bot = classes["Bot"]
    family = list(_family(bot, classes))
    _check_methods(bot, family)
    doc = ast.get_docstring(bot) or ast.get_docstring(tree) or ""
    if not is_utf8(doc):
        raise UnfitError(bot.lineno, "expected a docstring that UTF-8 can write, found half of a surrogate pair.")
    stated = {name: found for name in ClassKeys.__struct_fields__ if (found := _stated(family, name))}
    lines = {name: line for name, (line, _) in stated.items()}
    keys: ClassKeys = _typed({name: value for name, (_, value) in stated.items()}, ClassKeys, lines)
    return Source(doc, lines=lines, games=keys.games, players=keys.players, baseline=keys.baseline)


def _typed(stated: dict[str, object], kind: type[msgspec.Struct], lines: Mapping[str, int]) -> Any:
    """The values of a struct's keys; raises `UnfitError` for a mistake."""
    try:
        return read(stated, kind, "a bot")
    except MistakeError as mistake:
        raise UnfitError(lines.get(str(mistake.place[0]), 0) if mistake.place else 0, mistake.what) from None


def is_utf8(text: str) -> bool:
    """Whether a text can be written as UTF-8: half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _checked(source: Source) -> Source:
    """What a file says, if there are such games and tables."""
    names = source.games and _checked_games(source.games, source.lines["games"])
    tables = source.players and _checked_players(source.players, names, source.lines["players"])
    return msgspec.structs.replace(source, games=names, players=tables)


def _text(source: bytes) -> str:
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UnfitError(*not_utf8(problem)) from None


def _tree(source: bytes) -> ast.Module:
    text = _text(source)
    if "\0" in text:
        raise UnfitError(text.count("\n", 0, text.index("\0")) + 1, "expected Python, found a zero byte.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings are for the bot's author, not for the user who runs the league
            return ast.parse(text)
    except SyntaxError as problem:
        raise UnfitError(problem.lineno or 0, f"expected Python, found a syntax error: {problem.msg}.") from None
    except (RecursionError, MemoryError):  # which of them, depends on the parser
        raise UnfitError(0, "expected Python, found a text nested too deeply or too long to be parsed.") from None


def _family(bot: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> Iterator[ast.ClassDef]:
    """The class and those of its bases that are in the same file, nearest first, each once."""
    waiting, seen = [bot.name], set()
    for name in waiting:
        if name in classes and name not in seen:
            seen.add(name)
            yield classes[name]
            waiting += [base.id for base in classes[name].bases if isinstance(base, ast.Name)]


def _check_methods(bot: ast.ClassDef, family: list[ast.ClassDef]) -> None:
    """The hooks that the class itself defines have the right arguments, and it has or inherits one that chooses."""
    own = {node.name: node for node in bot.body if isinstance(node, Function)}
    if not (bot.decorator_list or bot.keywords):  # which may make anything of the class
        for name in own:
            if name in HOOKS:
                _check_signature(own[name])
    members = [name for kind in family for node in kind.body for name in _named(node)]
    known = {kind.name for kind in family} | {"object"}
    is_known = all(isinstance(base, ast.Name) and base.id in known for kind in family for base in kind.bases)
    if is_known and not {*CHOOSING} & {*members}:
        near = did_you_mean("choose", members[:MOST_GAMES])
        raise UnfitError(bot.lineno, f"expected a method choose(self, view) in class Bot, found none.{near}")


def _check_signature(method: Function) -> None:
    name = method.name
    wanted = HOOKS[name]
    fewest, most = (arguments.count(",") + 1 for arguments in (wanted[0], wanted[-1]))
    if isinstance(method, ast.AsyncFunctionDef):
        raise UnfitError(method.lineno, f"expected a plain 'def {name}', found 'async def'.")
    if name == "choose_many" and not method.decorator_list:
        raise UnfitError(method.lineno, "expected @classmethod before choose_many, which has no self, found none.")
    if method.decorator_list and name != "choose_many":
        return
    given = method.args
    positional = [*given.posonlyargs, *given.args]
    needed = len(positional) - len(given.defaults)
    too_many = needed > most or any(default is None for default in given.kw_defaults)
    too_few = len(positional) < fewest and given.vararg is None
    if too_many or too_few:
        names = ", ".join(argument.arg for argument in [*positional, *given.kwonlyargs])
        expected = " or ".join(f"{name}({arguments})" for arguments in wanted)
        raise UnfitError(method.lineno, f"expected {expected}, found {name}({names}).")


def _stated(family: list[ast.ClassDef], name: str) -> tuple[int, object] | None:
    """What a name is set to in the class, or in the nearest of its bases that sets it, with the line."""
    for kind in family:
        for node in kind.body:
            if name in _assigned(node):
                assert isinstance(node, ast.Assign | ast.AnnAssign)
                return node.lineno, _literal(node, name)
    return None


def _assigned(node: ast.stmt) -> list[str]:
    """The names that a statement of a class gives a value to."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def _named(node: ast.stmt) -> list[str]:
    """The names that a statement of a class defines."""
    return [node.name] if isinstance(node, Function) else _assigned(node)


def _literal(node: ast.Assign | ast.AnnAssign, name: str) -> object:
    assert node.value
    try:
        return ast.literal_eval(node.value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        reason = f"expected {name} written out, such as {_EXAMPLES[name]}, found something that has to be computed."
        raise UnfitError(node.lineno, reason) from None


def _checked_games(names: tuple[str, ...], line: int) -> tuple[str, ...]:
    known = games.names()
    for name in dict.fromkeys(names):
        plain_name = games.kind_of(name)
        if plain_name != name:
            raise UnfitError(line, f"expected games without parameters, found {name!r}. Write {plain_name!r}.")
        if name in known or files.named(name) or re.fullmatch(rf"({'|'.join(OTHER_PROJECTS)}):\w{{1,64}}", name):
            continue
        near = did_you_mean(name, known)
        if near or not NAME.fullmatch(name):  # otherwise it may be a game in a file that was not named yet
            raise UnfitError(line, f"expected games among {', '.join(known)}, found {name!r}.{near}")
    return tuple(dict.fromkeys(names))


def _checked_players(tables: tuple[int, ...], played: tuple[str, ...] | None, line: int) -> tuple[int, ...]:
    """The table sizes that a bot plays, at least one of which a game of the bot must have."""
    installed = games.names()
    known = [name for name in played or installed if name in installed]  # to look at others costs too much
    possible = sorted({count for name in known for count in games.find(name).player_counts})
    if known == list(played or known) and not set(tables) & set(possible):
        counts, wanted = (", ".join(map(str, sizes)) for sizes in (possible, tables))
        raise UnfitError(line, f"expected players among {counts} (the tables of its games), found {wanted}.")
    return tuple(dict.fromkeys(tables))


def _key_line(lines: Sequence[str], key: str) -> int:
    """The line in which a key of a TOML file is set; 0 if it is nowhere in plain sight."""
    pattern = re.compile(rf"\s*[\"'\[]*{re.escape(key)}[\"'\]]*\s*(=|$)")
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 0)
