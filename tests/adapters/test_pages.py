"""The Python examples of the page about learners run, and the figures in their table are true."""

import re

import pytest

from league import games
from league.games.arrays import encoder_of
from tests import docs

PAGE = (docs.ROOT / "docs" / "learners.md").read_text(encoding="utf-8")
EXAMPLES = [block["body"] for block in docs.BLOCK.finditer(PAGE) if block["kind"] == "python"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example, monkeypatch, capsys):
    for word, package in (("pyspiel", "pyspiel"), ("pettingzoo", "pettingzoo")):
        if word in example:
            pytest.importorskip(package, reason=f"the example needs {package}")
    monkeypatch.chdir(docs.ROOT)
    exec(compile(example, "learners.md", "exec"), {})
    assert capsys.readouterr().out or "print" not in example


@pytest.mark.parametrize("name", games.BUILT_IN)
def test_the_table_tells_how_many_actions_and_numbers(name):
    made = [encoder_of(games.make(name, players)) for players in games.find(name).player_counts]
    actions = ", ".join(dict.fromkeys(str(len(one.moves)) for one in made))
    sizes = ", ".join(str(one.size) for one in made)
    (row,) = re.findall(rf"^\| `{name}`.*", PAGE, re.MULTILINE)
    assert row.endswith(f"| {actions} | {sizes} |")
