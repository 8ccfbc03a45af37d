"""Without the extras: one clear line, and nothing of them is loaded."""

import subprocess
import sys

import pytest

from league import games
from league.errors import LeagueError


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "league.extensions.openspiel.foreign", raising=False)
    monkeypatch.delitem(sys.modules, "league.extensions.openspiel", raising=False)
    monkeypatch.setitem(sys.modules, "pyspiel", None)  # as if it were not installed
    with pytest.raises(LeagueError) as caught:
        games.find("openspiel:nim")
    assert str(caught.value).endswith("""needs the package 'pyspiel': pip install "bot-league[openspiel]\"""")


def test_families_are_known_by_what_stands_before_the_colon():
    assert games.in_family("openspiel:nim")
    assert games.in_family("openspiel:")
    assert not any(map(games.in_family, ("raj", "pettingzoo:rps_v2", "openspiel")))


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
