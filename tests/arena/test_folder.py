"""The folder of an arena: the lecturer's league in it, and bots as they were handed in."""

import shutil
from pathlib import Path

import pytest
import yaml

from league.errors import ArenaError, LeagueError
from league.extensions.arena.folder import arena_config, make_arena, staff_bots, write_bots
from league.setup.roster import scan
from tests.arena.conftest import CONFIG, HIGHEST, LOWEST, ROOT
from tests.arena.test_checker import archive
from tests.tables import each


def made(place: Path, text: str, name: str = "") -> Path:
    (place / "league.yaml").write_text(text)
    make_arena(place / "arena", place / "league.yaml", name)[0].close()
    return place / "arena"


def test_the_seed_of_the_config_is_left_out_so_that_nobody_can_guess_deals(tmp_path):
    folder = made(tmp_path, f"{CONFIG}seed: 7\n")
    assert arena_config(folder).seed is None
    assert "seed" not in (folder / "config.yaml").read_text()


def test_a_new_version_plays_new_deals_on_every_ladder(tmp_path):
    assert arena_config(made(tmp_path, f"{CONFIG}luck_follows: names\n")).luck_follows == "versions"


def test_the_bots_of_the_config_become_the_staffs(tmp_path):
    folder = made(tmp_path, CONFIG)
    assert {bot.name for bot in staff_bots(folder)} == {"random", "raj_nearest"}
    (tmp_path / "league.yaml").unlink()  # the arena needs nothing from outside its folder
    assert arena_config(folder).contests()[0].key == "raj-2p"


def test_all_other_keys_stay(tmp_path):
    folder = made(
        tmp_path, f"{CONFIG}limits: {{folder_mb: 3}}\nmilestones: [{{bot: random, title: Legal, points: 5}}]\n"
    )
    config = arena_config(folder)
    assert (config.folder_mb, config.milestones[0].title) == (3, "Legal")


def test_a_game_that_is_a_file_of_the_lecturers_own_comes_along(tmp_path):
    shutil.copytree(ROOT / "examples" / "kuhn", tmp_path / "own")
    config = (tmp_path / "own" / "kuhn.yaml").read_text().replace("../../bots/random.py", "bots")
    folder = made(tmp_path / "own", config)
    (tmp_path / "own" / "kuhn.py").unlink()
    keys = yaml.safe_load((folder / "config.yaml").read_text())
    assert keys["games"][0]["game"] == "./kuhn.py"
    assert [contest.game for contest in arena_config(folder).contests()] == ["kuhn"]


def test_a_folder_that_has_files_is_refused_and_left_alone(tmp_path):
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "diary.txt").write_text("dear diary")
    with pytest.raises(ArenaError, match=r"Expected an empty folder for the arena, found .* with files in it"):
        made(tmp_path, CONFIG)
    assert [path.name for path in (tmp_path / "arena").iterdir()] == ["diary.txt"]


def test_a_config_with_a_broken_bot_makes_no_arena(tmp_path):
    (tmp_path / "broken.py").write_text("class Bot(:")
    with pytest.raises(LeagueError, match=r"broken\.py"):
        made(tmp_path, CONFIG.replace("bots: [", "bots: [broken.py, "))
    assert not (tmp_path / "arena").exists()


def roster(arena):
    """The newest version of every bot."""
    return {version.bot: version.hash for version in reversed(arena.submissions())}


class TestBots:
    def test_the_folder_has_exactly_the_versions_of_a_roster(self, arena, authors):
        amy, bob = authors
        arena.hand_in(amy, "whatever.py", HIGHEST)
        arena.hand_in(bob, "bob.zip", archive([("bob/bot.py", LOWEST), ("bob/data.txt", b"1")]))
        target = arena.folder / "bots"
        assert write_bots(arena, roster(arena), target, {}) == {}
        assert {bot.name: len(bot.files) for bot in scan(["bots"], arena.folder).bots} == {"amy": 0, "bob": 2}
        amys = {"amy": roster(arena)["amy"]}
        for present in ({}, amys):  # written again, or left as it is
            write_bots(arena, amys, target, present)
            assert [path.name for path in target.iterdir()] == ["amy.py"]
            assert (target / "amy.py").read_bytes() == HIGHEST

    def test_one_that_cannot_be_read_is_left_out_with_its_reason(self, arena, authors):
        amy, bob = authors
        arena.hand_in(amy, "bot.py", HIGHEST)
        arena.hand_in(bob, "bot.zip", b"no archive")
        problems = write_bots(arena, roster(arena), arena.folder / "bots", {})
        assert [*problems] == ["bob"]
        assert "expected a .zip archive" in problems["bob"]
        assert [path.name for path in (arena.folder / "bots").iterdir()] == ["amy.py"]

    @each(("most", "problems"), [(2, {"amy": "expected at most 2 MB, found more."}), (3, {})])
    def test_the_leagues_limit_holds_for_folders(self, arena, authors, most, problems):
        arena.hand_in(authors[0], "bot.zip", archive([("bot.py", HIGHEST), ("data", bytes(2 << 20))]))
        (arena.folder / "config.yaml").write_text(f"{CONFIG}limits: {{folder_mb: {most}}}\n")
        assert write_bots(arena, roster(arena), arena.folder / "bots", {}) == problems
