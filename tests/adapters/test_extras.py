"""Without the extras: one clear line, and nothing of them is loaded."""

import re
import subprocess
import sys

import pytest

from league import games
from league.errors import LeagueError


@pytest.mark.parametrize(
    ("name", "packages"), [("openspiel:nim", ["pyspiel"]), ("pettingzoo:rps_v2", ["gymnasium", "pettingzoo"])]
)
def test_a_missing_extra_is_named(monkeypatch, name, packages):
    for module in [module for module in sys.modules if module.startswith("league.extensions.learners.")]:
        monkeypatch.delitem(sys.modules, module)
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    family = name.partition(":")[0]
    with pytest.raises(LeagueError) as caught:
        games.find(name)
    named = "|".join(packages)  # whichever is imported first
    assert re.search(rf"""needs the package '({named})': pip install "bot-league\[{family}\]"$""", str(caught.value))


def test_families_are_known_by_what_stands_before_the_colon():
    assert [games.in_family(name) for name in ("openspiel:nim", "pettingzoo:", "raj", "other:x", "openspiel")] == [
        *(True, True),
        *(False, False, False),
    ]


def test_our_own_games_load_no_extra():
    code = "import sys; from league import games; games.make('raj'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pyspiel", "pettingzoo", "gymnasium", "league.extensions.learners"} & {*loaded}


def test_a_first_bot_tells_how_to_type_a_name_with_brackets(tmp_path):
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    from league.cli.new import bot_file

    name = "openspiel:kuhn_poker(players=3)"
    written = bot_file("a", games.make(name), tmp_path / "a.py", name)
    assert "league match 'openspiel:kuhn_poker(players=3)' " in written
    assert 'games = ("openspiel:kuhn_poker(players=3)",)' in written
