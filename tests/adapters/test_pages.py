"""The Python examples of the pages about adapters run, and the figures in their table are true."""

import re

import pytest

from league import games
from league.extensions.learners.numbers import Numbers
from tests import docs

PAGES = [docs.ROOT / "docs" / name for name in ("adapters.md", "agents.md")]
EXAMPLES = [
    (page.name, block["body"])
    for page in PAGES
    for block in docs.BLOCK.finditer(page.read_text(encoding="utf-8"))
    if block["kind"] == "python"
]


@pytest.mark.parametrize(("page", "example"), EXAMPLES)
def test_examples_run(page, example, monkeypatch, capsys):
    for word, package in (("pyspiel", "pyspiel"), ("pettingzoo", "pettingzoo")):
        if word in example:
            pytest.importorskip(package, reason=f"the example needs {package}")
    monkeypatch.chdir(docs.ROOT)
    exec(compile(example, page, "exec"), {})
    assert capsys.readouterr().out or "print" not in example


def test_there_are_examples_of_both_pages():
    assert {page for page, _ in EXAMPLES} == {page.name for page in PAGES}


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_the_table_tells_how_many_actions_and_numbers(name):
    made = [Numbers(games.make(name, players)) for players in games.find(name).player_counts]
    actions = ", ".join(dict.fromkeys(str(len(one.moves)) for one in made))
    sizes = ", ".join(str(one.size) for one in made)
    (row,) = re.findall(rf"^\| `{name}`.*", PAGES[0].read_text(encoding="utf-8"), re.MULTILINE)
    assert row.endswith(f"| {actions} | {sizes} |")
