"""What the pages for users show is taken from the program itself: keys of configs, and what examples print.

`python -m tests.docs` writes again, in README.md and docs/:

- what stands between `<!-- keys of NAME -->` and `<!-- end -->`: the keys of a part of the config, or the decisions;
- what stands between `<!-- modules of FOLDER -->` and `<!-- end -->`: the modules of a folder of `league/`;
- what the commands of a block that begins with three backticks and `console run` print. They are run one after the
  other in a folder of the page's own, with the project's bots/ and configs/, and with every file that a block of the
  page before them is named after by its first line (`# evening.yaml`). A block that ends with a line `…` is cut there:
  it keeps as many lines as it had. A line `$ echo $?` shows the exit code of the command before, which is 0 without it.

A line that differs from the page in times, rates and dates alone is left as it is. Read the difference before you
commit it: it is what users will see. `tests/test_docs.py` finds pages that are stale.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
from click.testing import CliRunner

from league.cli import league
from league.commands import commands, load_command
from league.errors import LeagueError
from league.extensions.arena.decisions import DECISIONS
from league.games.guide import members
from league.tools.reading import describe, example_of, parts
from league.values.settings import ConfigKeys, GameKeys, LimitKeys, Milestone, PageSettings, Rating, Settle, Stop

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
BLOCK = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
FILE_NAME = re.compile(r"# ([\w./-]+\.\w+)\n")
KEYS = re.compile(r"(?<=<!-- keys of )([\w-]+)( -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
RUNNABLE = "console run"
PARTS: dict[str, type[msgspec.Struct]] = {
    "league": ConfigKeys,
    "games": GameKeys,
    "settle": Settle,
    "limits": LimitKeys,
    "rating": Rating,
    "page": PageSettings,
    "stop": Stop,
    "milestones": Milestone,
}
"""The parts of a config, whose keys the code describes."""
PROMPT = "$ "
EXIT_CODE = "$ echo $?"
CUT = "…"
WIDTH = "100"
CLOCK = re.compile(
    r"(?:\d[\d.,]* to )?\d[\d.,]* ?(?:games/s|/s|µs|ms|s|min|h|days?)\b|\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d(?::\d\d)?\b"
)
"""Times, rates and dates, which differ at each run and say nothing new."""


def all_commands() -> list[str]:
    """The names of all commands, with those of groups, such as `arena init`."""
    names = []
    for name in sorted(commands()):
        command = load_command(name)
        inner = sorted(command.commands) if isinstance(command, click.Group) else []
        names += [name, *(f"{name} {word}" for word in inner)]
    return names


def command_of(name: str) -> click.Command:
    """The click command behind a name, such as `run` or `arena init`."""
    first, *rest = name.split()
    command = load_command(first)
    assert command is not None
    for word in rest:
        assert isinstance(command, click.Group)
        command = command.commands[word]
    return command


def with_keys(page: str) -> str:
    """A page with the keys of configs as they are now."""
    return KEYS.sub(lambda found: f"{found[1]}{found[2]}{keys_part(found[1])}", page)


def keys_part(name: str) -> str:
    """The keys of a part of the config, as a Markdown table: the docstrings, bounds and defaults of the code."""
    if name == "decisions":
        return decisions_part()
    lines = ["", "| key | what it means | may be | if left out |", "| --- | --- | --- | --- |"]
    for key, meaning, may_be, default in config_keys(name):
        lines.append(f"| `{key}` | {' '.join(meaning.split())} | {may_be} | {default} |")
    return "\n".join([*lines, "", ""])


def decisions_part() -> str:
    """What the staff of an arena decide, as a Markdown table: the first sentence of each; `--help` says the rest."""
    lines = ["", "| `league arena …` | what happens | assistants too |", "| --- | --- | --- |"]
    for name, decision in DECISIONS.items():
        words = [name, "DIR", *(field.name.upper() for field in decision.fields if field.required)]
        text = re.split(r"(?<=\.) ", " ".join(decision.text.replace("{who}", "WHO").split()))[0]
        lines.append(f"| `{' '.join(words)}` | {text} | {'yes' if 'assistant' in decision.roles else 'no'} |")
    return "\n".join([*lines, "", ""])


def config_keys(name: str) -> list[tuple[str, str, str, str]]:
    """Key, meaning, values and default of each key of a part of the config."""
    part = PARTS[name]
    kinds = part.__mro__[: part.__mro__.index(msgspec.Struct)]
    meanings = {key: meaning for kind in kinds for key, meaning in members(kind)}
    return [
        (field.name, meanings[field.name], _may_be(field.type), _default(field))
        for field in msgspec.structs.fields(part)
    ]


def _may_be(kind: Any) -> str:
    """What a value may be: as in messages, with what is written as it stands in code."""
    words = []
    for part in parts(kind):
        if "auto" in part.extra:
            words.append(f"`{part.extra['auto']}`")
        if part.words:
            words += [f"`{word}`" for word in part.words]
        elif part.base in PARTS.values():
            words.append("keys")
        else:
            words.append(f"`{example_of(part.base)}`" if part.is_struct else describe(part.kind))
    return re.sub(r"an? (whole )?number from ", "", ", ".join(words))


def _default(field: msgspec.structs.FieldInfo) -> str:
    """What holds for a key that is left out."""
    extra = {key: value for part in parts(field.type) for key, value in part.extra.items()}
    value = field.default
    if "if_left_out" in extra:
        return str(extra["if_left_out"])
    if field.required:
        return "required"
    if isinstance(value, msgspec.Struct):
        return "see below"
    if value in ((), msgspec.NODEFAULT):
        return "none"
    if value is None:
        return f"`{extra['auto']}`" if "auto" in extra else "-"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, float):
        return f"{value:.5g}"
    return f"`{value}`" if isinstance(value, str) and value else str(value) or "nothing"


class Example(NamedTuple):
    """A command of a page, and what the page says it prints."""

    command: str
    shown: list[str]
    code: int
    """Its exit code, as the page says."""


def examples(body: str) -> list[Example]:
    """The commands of a console block."""
    found: list[Example] = []
    for line in body.splitlines():
        if line == EXIT_CODE:
            last = found[-1]
            found[-1] = last._replace(code=-1)
        elif line.startswith(PROMPT):
            found.append(Example(line.removeprefix(PROMPT), [], 0))
        elif found[-1].code == -1:
            found[-1] = found[-1]._replace(code=int(line))
        else:
            found[-1].shown.append(line)
    return found


class Ran(NamedTuple):
    """What came of an example."""

    example: Example
    printed: list[str]
    code: int


def run_examples(page: str) -> list[list[Ran]]:
    """Run the runnable blocks of a page in a folder of its own; block by block, what came of each command."""
    blocks = []
    with in_a_folder_of_its_own():
        for block in BLOCK.finditer(page):
            named = FILE_NAME.match(block["body"])
            if named:
                Path(named[1]).write_text(block["body"], encoding="utf-8")
            if block["kind"] == RUNNABLE:
                blocks.append([Ran(example, *run(example.command)) for example in examples(block["body"])])
    return blocks


@contextmanager
def in_a_folder_of_its_own() -> Iterator[Path]:
    """A temporary current folder, with the project's bots/ and configs/ in it."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name in ("bots", "configs"):
            shutil.copytree(ROOT / name, name, ignore=shutil.ignore_patterns("__pycache__"))
        yield Path(folder)


def run(line: str) -> tuple[list[str], int]:
    """What `league …` prints, on both channels, and its exit code. Bots are trusted, so that it runs anywhere."""
    program, *words = shlex.split(line, comments=True)
    if program != "league":
        raise ValueError(f"Only league can be run in examples, not {line!r}.")
    name = next((name for name in (" ".join(words[:2]), *words[:1]) if name in all_commands()), "")
    options = command_of(name).params if name else []
    if any(option.name == "isolation" for option in options) and "--isolation" not in words:
        words += ["--isolation", "trusted"]
    result = CliRunner(env={"COLUMNS": WIDTH, "LEAGUE_CACHE": "cache"}).invoke(league, words, prog_name="league")
    if isinstance(result.exception, LeagueError):
        return [*result.output.splitlines(), *f"league: {result.exception}".splitlines()], 1
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output.splitlines(), result.exit_code


def with_output(page: str) -> str:
    """A page with what its examples print now."""
    outputs = iter(run_examples(page))

    def again(block: re.Match[str]) -> str:
        if block["kind"] != RUNNABLE:
            return block[0]
        lines: list[str] = []
        for example, printed, code in next(outputs):
            cut = CUT in example.shown[-1:]
            told = printed[: len(example.shown) - 1] if cut else printed
            lines += [f"{PROMPT}{example.command}", *with_old_times(told, example.shown)]
            lines += [CUT] if cut else []
            lines += [EXIT_CODE, str(code)] if code else []
        return "\n".join([f"```{RUNNABLE}", *lines, "```"])

    return BLOCK.sub(again, page)


def with_old_times(printed: list[str], shown: list[str]) -> list[str]:
    """The lines, each as it was shown before if nothing but times, rates and dates differs."""
    before = [*shown[: len(printed)], *printed[len(shown) :]]
    pairs = zip(printed, before, strict=True)
    return [old if without_times(new) == without_times(old) else new for new, old in pairs]


def without_times(line: str) -> str:
    """A line without its times, rates and dates."""
    return " ".join(CLOCK.sub("#", line).split())


def main() -> None:
    """Write all that is taken from the program again."""
    os.environ["COLUMNS"] = WIDTH
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        again = with_output(with_keys(page))
        if again != page:
            path.write_text(again, encoding="utf-8")


if __name__ == "__main__":
    main()
