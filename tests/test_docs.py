"""Pages for users are true: options as they are, examples that run, links that lead somewhere, commands told alike."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

import league.cli
from league.commands import RENAMED, commands, load_command
from league.results.csvs import PairLine
from league.results.lines import line_columns
from league.setup.config import parse
from tests import docs
from tests.commands import refused
from tests.tables import each

MARKDOWN = sorted(
    {*docs.ROOT.glob("*.md"), *docs.ROOT.glob("docs/**/*.md"), *docs.ROOT.glob("bots/*.md")}
    | {*docs.ROOT.glob("results/README.md"), *docs.ROOT.glob("examples/**/*.md")}
)

LINK = re.compile(r"\]\(([^)\s]+)\)")
CONFIG_PAGE = docs.ROOT / "docs" / "config.md"
REFRESH = "`make docs` writes the pages again (read the difference)."


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(page: str) -> str:
    """A page without its code, in which brackets are no links."""
    return re.sub(r"`[^`\n]*`", "", docs.BLOCK.sub("", page))


def anchors(page: str) -> set[str]:
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ +(.*)$", docs.BLOCK.sub("", page), re.MULTILINE)
    words = [re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings]
    return {word.replace(" ", "-") for word in words}


def links() -> Iterator[tuple[Path, str]]:
    for path in MARKDOWN:
        for target in LINK.findall(prose(text(path))):
            if not re.match(r"[a-z]+:", target):
                yield path, target


def short(path: Path) -> str:
    return str(path.relative_to(docs.ROOT))


def test_the_page_of_commands_names_every_command_and_no_other():
    rows = re.findall(r"^\| (`league .*?) \|", text(docs.COMMANDS_PAGE), re.MULTILINE)
    named = [words.split()[1] for row in rows for words in re.findall(r"`([^`]+)`", row)]
    assert sorted(named) == sorted(commands())


CODE = re.compile(r"`(league [^`\n]+)`|^ *\$ (league [^\n]+)", re.MULTILINE)
"""Commands in a text: between backticks, or behind a prompt."""


def lines_with_commands() -> Iterator[tuple[Path, str]]:
    sources = [*docs.ROOT.glob("league/**/*.py"), *docs.ROOT.glob("configs/*.yaml")]
    for path in [*MARKDOWN, *sources]:
        if path.name != "CHANGELOG.md":
            for found in CODE.findall(text(path)):
                yield path, "".join(found)


def refusal_of(line: str) -> str:
    """Why a command that a text names cannot be meant; empty if it can."""
    _, name, *words = re.sub(r"\{.*?\}", "X", line.partition(" && ")[0].partition(" | ")[0]).split()
    if re.match(r"[-[A-Z]", name):
        return ""
    command = load_command(name)
    if isinstance(command, click.Group) and words and re.match("[a-z]", words[0]):
        command = command.commands.get(words[0])
    if command is None:
        return "there is no such command"
    known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
    given = {found for word in words for found in re.findall(r"^--[a-z-]+", word)} - {"--help"}
    return f"it has no {given - known}" if given - known else ""


def test_commands_in_texts_exist_and_have_the_options_that_are_named():
    wrong = [f"{short(path)}: {line}: {why}" for path, line in lines_with_commands() if (why := refusal_of(line))]
    assert not wrong, "\n".join(wrong)


@each(
    ("line", "why"),
    [
        ("league run configs/quick.yaml --for 8h", ""),
        ("league COMMAND --help", ""),
        ("league arena init ARENA --config x.yaml", ""),
        ("league rnu", "there is no such command"),
        ("league run --fro 8h", "it has no {'--fro'}"),
        ("league arena nit ARENA", "there is no such command"),
    ],
)
def test_a_command_that_a_text_names_wrongly_is_found(line, why):
    assert refusal_of(line) == why


@each("old", sorted(RENAMED))
def test_the_old_name_of_a_command_answers_with_one_line_that_names_the_new_one(old):
    line = refused(old, "results/quick", "--json")
    assert line.startswith(f"`league {old}` is now `league ")
    assert refusal_of(line.split("`")[3]) == ""


@each("name", sorted(docs.PARTS))
def test_every_part_of_the_config_has_its_keys_on_the_page_as_they_are(name):
    parts = {found[1]: found[3] for found in docs.KEYS.finditer(text(CONFIG_PAGE))}
    assert parts[name] == docs.keys_part(name), REFRESH
    assert all(meaning.strip(".") for _, meaning, *_ in docs.config_keys(name))


def test_every_column_of_the_standings_is_described():
    page = text(docs.ROOT / "docs" / "ratings.md")
    standings, rest = page.split("\n## Head to head\n")
    pairs = rest.split("\n## ")[0]
    in_files = {column.name for column in line_columns() if "csv" in column.where}
    for described, names in ((standings, in_files), (pairs, {*PairLine._fields})):
        rows = re.findall(r"^\| (`.*?) \|", described, re.MULTILINE)
        assert {*re.findall(r"`(\w+)`", " ".join(rows))} == names


def test_every_page_is_on_the_site():
    index = text(docs.ROOT / "docs" / "index.md")
    listed = {line for block in re.findall(r"```{toctree}\n(.*?)```", index, re.DOTALL) for line in block.split()}
    pages = {str(path.relative_to(docs.ROOT / "docs").with_suffix("")) for path in docs.ROOT.glob("docs/**/*.md")}
    assert pages - {"index"} <= listed


def test_tests_that_pages_name_exist():
    files = [*docs.ROOT.glob("tests/**/test_*.py")]
    defined = {name for path in files for name in re.findall(r"^ *def (test_\w+)", text(path), re.MULTILINE)}
    defined |= {path.stem for path in files}
    named = {name for path in MARKDOWN for name in re.findall(r"`(test_\w+)`", text(path))}
    assert named
    assert named <= defined


@each("name", docs.all_commands())
def test_every_option_is_described(name):
    for parameter in docs.command_of(name).params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"league {name}: {parameter.opts[0]} has no help"


@each("name", sorted(commands()))
def test_a_command_is_called_and_described_alike_everywhere(name):
    """What `league --help` and `league NAME --help` say begins with the same word."""
    command = docs.command_of(name)
    assert command.name == name
    assert command.short_help is None, f"league.commands has the short help of {name}; the command needs none"
    assert command.help, f"league {name} has no help"
    assert commands()[name].about.split()[0] == command.help.split()[0]
    assert re.fullmatch(r"[A-Z][^\n]{8,70}[.?]", commands()[name].about)


@each("name", [name for name in docs.all_commands() if " " in name])
def test_a_command_of_a_group_is_listed_in_few_words_and_has_an_example(name):
    command = docs.command_of(name)
    assert name.endswith(f" {command.name}")
    assert re.fullmatch(r"[A-Z][^\n]{8,50}[.?]", command.short_help or "")
    assert f"league {name} " in (command.help or "")


def test_every_module_with_a_command_is_registered():
    modules = {place.partition(":")[0] for place, _ in commands().values()}
    modules |= {f"league.cli.{found.name}" for found in pkgutil.iter_modules(league.cli.__path__)}
    values = [value for name in modules for value in vars(import_module(name)).values()]
    loaded = {value for value in values if isinstance(value, click.Command)}
    of_groups = {inner for group in loaded if isinstance(group, click.Group) for inner in group.commands.values()}
    assert loaded - of_groups == {load_command(name) for name in commands()}
    assert all(load_command(name).name == name for name in commands())


@each(("path", "target"), [pytest.param(*link, id=f"{short(link[0])}:{link[1]}") for link in dict.fromkeys(links())])
def test_links_lead_somewhere(path, target):
    file, _, anchor = target.partition("#")
    place = (path.parent / file).resolve() if file else path
    assert place.is_relative_to(docs.ROOT), f"{target} leads out of the project"
    assert place.exists(), f"{short(path)} links to {target}, which is not there"
    if anchor:
        assert anchor in anchors(text(place)), f"{target}: no heading is called like that"


RUNNABLE = [path for path in docs.PAGES if docs.RUNNABLE in text(path)]


@pytest.mark.slow
@pytest.mark.parametrize("path", RUNNABLE, ids=short)
def test_examples_run_and_begin_as_shown(path):
    for block in docs.run_examples(text(path)):
        for example, printed, code in block:
            assert code == example.code, f"{example.command}: {printed}"
            assert [*map(words, printed[:1])] == [*map(words, example.shown[:1])], f"{example.command}: {REFRESH}"


def words(line: str) -> str:
    """A line without its figures, which may differ: times and rates, and games when bots get better."""
    return " ".join(re.sub(r"[+-]?\d[\d.,]*", "#", line).split())


def blocks(page: Path, language: str) -> list[str]:
    return [found["body"] for found in docs.BLOCK.finditer(text(page)) if found["kind"] == language]


def test_the_bot_of_the_readme_plays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (source,) = blocks(docs.ROOT / "README.md", "python")
    Path("nearest.py").write_text(source, encoding="utf-8")
    printed, code = docs.run("league check nearest.py")
    assert code == 0, printed
    assert "no faults" in printed[0]


def test_the_configs_of_the_pages_can_be_read():
    whole = [source for path in docs.PAGES for source in blocks(path, "yaml") if "\nleague: " in f"\n{source}"]
    assert len(whole) >= len(("README.md", "config.md"))
    for source in whole:
        assert parse(source, docs.ROOT / "configs").events, source


def test_an_example_is_a_command_with_what_it_prints_and_its_exit_code():
    body = "$ league a\none\ntwo\n$ league b\n$ echo $?\n1\n$ league c\n…\n"
    assert docs.examples(body) == [
        docs.Example("league a", ["one", "two"], 0),
        docs.Example("league b", [], 1),
        docs.Example("league c", ["…"], 0),
    ]


def test_output_is_written_again_and_cut_where_it_was():
    page = "# evening\n\n```console run\n$ league games raj\nold\nolder\n…\n$ league bots --bots none\n```\n\nmore\n"
    again = docs.with_output(page)
    assert again.startswith("# evening\n\n```console run\n$ league games raj\nraj: Raj, 2 to 5 players\n")
    assert again.endswith("$ echo $?\n1\n```\n\nmore\n")
    assert again.count("\n…\n") == 1
    assert len(again.split("…")[0].splitlines()) == 6


def test_a_line_is_left_alone_if_only_times_differ():
    shown = ["120 games in 0.5 s (240 games/s).", "run of 2026-11-16 21:30", "ann  25.1  2 ms", "gone"]
    printed = ["120 games in 1.7 s (70 games/s).", "run of 2026-11-17 06:01", "ann  26.1  3 ms"]
    assert docs.with_old_times(printed, shown) == [*shown[:2], "ann  26.1  3 ms"]
    assert docs.with_old_times([*printed, "more", "lines"], shown)[3:] == ["more", "lines"]


def test_measured_speed_is_not_renewed():
    shown = ["raj         2  220/s (151.8 µs)  158/s (210.7 µs)"]
    assert docs.with_old_times(["raj         2  1,751/s (44.4 µs)  56/s (9.1 µs)"], shown) == shown
