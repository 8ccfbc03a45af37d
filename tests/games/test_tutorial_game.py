"""The tutorial builds a game that works: its code is taken from the page, installed, proved and played."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from league import games
from league.cli import league
from league.cli.new import game_file
from league.testing import ContractError, check_game

PAGE = (Path(__file__).parents[2] / "docs" / "tutorial-game.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def crown(tmp_path, monkeypatch):
    """The tutorial's module, installed as a package would be: a file and its entry points on the path."""
    (tmp_path / "crown.py").write_text("\n\n\n".join(blocks("python")), encoding="utf-8")
    (group,) = tomllib.loads("\n".join(blocks("toml")))["project"]["entry-points"].items()
    info = tmp_path / "crown-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: crown\nVersion: 1.0\n")
    points = "".join(f"{name} = {value}\n" for name, value in group[1].items())
    (info / "entry_points.txt").write_text(f"[{group[0]}]\n{points}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "crown", raising=False)
    yield importlib.import_module("crown")
    sys.modules.pop("crown", None)


def test_the_page_explains_the_file_that_new_game_writes():
    *pieces, _ = blocks("python")
    assert "\n\n".join(pieces) == game_file("crown")


def test_its_own_test_passes(crown):
    crown.test_crown()


def test_it_is_registered_and_listed(crown):
    assert games.find("crown") is crown.Crown
    assert "crown: Crown, 2 to 4 players\n  low_wins: true or false; false if left out. Whether the lowest" in (
        CliRunner().invoke(league, ["games"]).stdout
    )


def test_the_problem_that_the_page_quotes_is_what_the_kit_says(crown):
    class LeakyView(crown.CrownView, frozen=True, array_like=True, gc=False):
        box: tuple[int, ...]

    class LeakyState(crown.CrownState):
        def view(self, seat: int) -> LeakyView:
            return LeakyView(*msgspec.structs.astuple(crown.CrownState.view(self, seat)), self.box)

    class Leaky(crown.Crown):
        view_type = LeakyView

        def start(self, deal):
            fair = crown.Crown.start(self, deal)
            return LeakyState(*msgspec.structs.astuple(fair))

    with pytest.raises(ContractError) as caught:
        check_game(Leaky)
    assert [str(caught.value) + "\n"] == blocks("text")
