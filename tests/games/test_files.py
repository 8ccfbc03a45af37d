"""Games that are files: loaded by path, known by their content, found by workers, hosts and replays."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from league import games
from league.analysis.audit import audit
from league.analysis.rematch import parse_address, play_again
from league.cli.new import game_file
from league.errors import LeagueError, ReplayError
from league.extensions.dask.worker_side import Player
from league.games import files, replay
from league.games.contract import GameFile
from league.games.guide import guide
from league.loop import LeagueRun
from league.play.worker import Team, Worker, decode_answer, encode
from league.results.recorded import write_kept_games
from league.results.store import Store
from league.setup.config import load
from league.values.block import Block, Series, Sitting, canonical
from league.values.settings import Contest, Isolation, Limits
from tests.leagues import DICE, FIRST, bot, play_league

CONFIG = "league: own\nbots: bots\nisolation: {isolation}\ngames: [{{game: ../rules/crown.py, players: 3, deals: 4}}]\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEAGUE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_by_hash", {})
    monkeypatch.setattr(files, "_by_name", {})
    Path("crown.py").write_text(game_file("crown"))


def changed(what: str = "\n# changed\n") -> None:
    Path("crown.py").write_text(game_file("crown") + what)


def own_league(isolation="trusted"):
    for name in ("rules", "configs", "configs/bots"):
        Path(name).mkdir(exist_ok=True)
    Path("rules/crown.py").write_text(Path("crown.py").read_text())
    for name, source in (("ann", FIRST), ("bob", DICE), ("cid", FIRST)):
        Path(f"configs/bots/{name}.py").write_text(source)
    Path("configs/own.yaml").write_text(CONFIG.format(isolation=isolation))
    return load("configs/own.yaml"), Path("results")


def games_left():
    with LeagueRun(*own_league()) as run:
        return run.preview().games_left


class TestFinding:
    @pytest.mark.parametrize("path", ["crown.py", "./crown.py", "{cwd}/crown.py"])
    def test_a_path_names_the_game(self, path):
        rules = games.load(path.format(cwd=os.getcwd()))
        assert (rules.name, rules.title) == ("crown", "Crown")
        assert rules.file == GameFile("crown", game_file("crown"))

    def test_it_is_run_once_for_each_content(self):
        first = games.load("crown.py")
        assert games.load("./crown.py") is first
        changed()
        second = games.load("crown.py")
        assert second is not first
        assert games.find("crown") is second
        assert games.find("crown", first.file.hash) is first

    def test_once_loaded_it_is_known_by_name(self):
        assert not games.is_known("crown")
        games.load("crown.py")
        assert games.is_known("crown")
        assert "crown" not in games.names()  # which are the same in all processes
        assert games.make("crown", 4, {"low_wins": True}).players == 4

    def test_a_kept_file_does_not_replace_the_one_that_was_read(self):
        rules = games.load("crown.py")
        files.run(GameFile("crown", game_file("crown") + "# old\n"))
        assert games.find("crown") is rules

    def test_what_bots_should_know_is_read_from_it(self):
        told = "\n".join(guide(games.make("crown.py")))
        assert told.startswith("Crown: three tricks with three cards.")
        assert "view.won" in told
        assert "How many tricks each seat has." in told

    def test_its_bots_can_be_read_before_it_is_known_and_typos_are_still_found(self):
        from league.setup.roster import scan

        Path("bots").mkdir()
        for name, game in (("ann", "crown"), ("bob", "rja")):
            Path(f"bots/{name}.py").write_text(FIRST.replace("def", f"games = ('{game}',)\n\n    def"))
        roster = scan(["bots"], Path.cwd())
        assert [one.name for one in roster.bots] == ["ann"]
        assert "found 'rja'. Did you mean 'raj'?" in str(roster.broken[0])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = (", "crown.py:1: expected Python, found a syntax error: '(' was never closed."),
        ("a = 1\nb = a / 0\n", "crown.py:2: the file cannot be run: ZeroDivisionError: division by zero."),
        ("import nowhere\n", "crown.py:1: the file cannot be run: ModuleNotFoundError: No module named 'nowhere'."),
        ("import sys\nsys.exit(3)\n", "crown.py:2: the file cannot be run: SystemExit: 3."),
        ("x = 1\n", "crown.py: expected one class derived from league.Game, found none."),
        (
            game_file("one") + game_file("two"),
            "crown.py: expected one class derived from league.Game, found One, Two.",
        ),
        (
            "from league import Game\n\nclass Half(Game):\n    pass\n",
            "crown.py: expected all methods of a game in class Half, found none called deal, start.",
        ),
        (
            game_file("crown").replace('"crown"', '"Crown 2"'),
            "crown.py: expected the name of a game to have 1 to 48 lower-case letters, digits and '_', a letter first, "
            "found 'Crown 2'.",
        ),
        (
            game_file("crown").replace("    deal_type = CrownDeal\n", ""),
            "crown.py: expected deal_type in class Crown, found none.",
        ),
        (
            game_file("crown").replace('"crown"', '"raj"'),
            "crown.py: its game is called 'raj', as one that is installed. Choose another name.",
        ),
    ],
)
def test_what_is_no_game_is_one_clear_line(text, told):
    Path("crown.py").write_text(text)
    with pytest.raises(LeagueError) as caught:
        games.load("./crown.py")
    assert str(caught.value) == told


def test_file_that_is_missing_or_too_long_or_no_text_is_one_clear_line():
    with pytest.raises(LeagueError, match=r"There is no game file 'crwon\.py'\. Did you mean 'crown\.py'\?"):
        games.load("crwon.py")
    with pytest.raises(LeagueError, match=r"Did you mean the file \./crown\.py\?"):
        games.find("crown")
    Path("bytes.py").write_bytes(b"x = 1\ny = '\xff'\n")
    with pytest.raises(LeagueError, match=r"bytes\.py:2: expected text in UTF-8"):
        games.load("bytes.py")
    Path("long.py").write_bytes(b"#" * (files.MAX_BYTES + 1))
    with pytest.raises(LeagueError, match=r"long\.py: expected at most 1,000,000 bytes, found 1,000,001\."):
        games.load("long.py")
    with pytest.raises(LeagueError, match="this version of it is not here"):
        games.find("crown", "0" * 32)


class TestIdentity:
    def test_the_text_is_part_of_it_and_nothing_else_is(self):
        contest = Contest.of(games.make("crown.py"))
        changed()
        other = Contest.of(games.make("crown.py"))
        assert contest.key == other.key == "crown-2p"
        assert self.id_of(contest) != self.id_of(other)
        Path("elsewhere").mkdir()
        Path("elsewhere/my_crown.py").write_text(game_file("crown"))
        assert self.id_of(Contest.of(games.make("elsewhere/my_crown.py"))) == self.id_of(contest)

    def test_installed_games_keep_their_ids(self):
        contest = Contest.of(games.make("raj"))
        assert contest.source == ""
        assert "source" not in canonical(contest)

    @staticmethod
    def id_of(contest):
        lineup = (bot("ann").entrant(), bot("bob").entrant())
        return Series(contest, lineup, 0, 0, Limits()).id


class TestLeagues:
    @pytest.mark.parametrize("isolation", ["trusted", "process"])
    def test_workers_and_hosts_find_it(self, isolation):
        summary = play_league(*own_league(isolation), workers=2)
        assert (summary.games, summary.faults) == (12, 0)

    def test_a_change_plays_all_again_and_going_back_plays_nothing(self):
        play_league(*own_league())
        assert games_left() == 0
        changed()
        assert games_left() == 12
        Path("crown.py").write_text(game_file("crown"))
        assert games_left() == 0

    def test_years_later_the_rules_are_kept_with_the_results(self, monkeypatch):
        play_league(*own_league())
        Path("rules/crown.py").unlink()
        Path("crown.py").unlink()
        monkeypatch.setattr(files, "_by_hash", {})  # as in another process
        monkeypatch.setattr(files, "_by_name", {})
        with Store.open(Path("results/own")) as store:
            assert [file.name for file in store.game_files()] == ["crown"]
            shown = play_again(store, parse_address("crown-3p:ann+bob+cid:2.1"), Isolation.TRUSTED)
            assert not shown.differs
            assert replay.text(shown.replay).startswith("Crown, played by ")
            assert not audit(store).findings

    def test_a_strangers_rules_are_not_run_before_the_user_has_run_them(self, monkeypatch):
        play_league(*own_league())
        for path in ("rules/crown.py", "crown.py"):
            Path(path).unlink()
        monkeypatch.setattr(files, "_by_hash", {})
        monkeypatch.setattr(files, "_by_name", {})
        monkeypatch.setenv("LEAGUE_CACHE", "another-machine")
        address = parse_address("crown-3p:ann+bob+cid:2.1")
        with Store.open(Path("results/own")) as store:
            for play in (lambda: play_again(store, address, Isolation.TRUSTED), lambda: audit(store)):
                with pytest.raises(LeagueError, match="Rules are not confined, so read them first") as caught:
                    play()
                assert "`league games results/own --to DIR`" in str(caught.value)
                assert not games.is_known("crown")
            assert write_kept_games(store, Path()) == [Path("crown.py")]
            assert Path("crown.py").read_text() == game_file("crown")
            with pytest.raises(LeagueError, match="Rules are not confined"):  # writing runs nothing
                play_again(store, address, Isolation.TRUSTED)
            games.load("crown.py")
            assert not play_again(store, address, Isolation.TRUSTED).differs

    def test_kept_files_replace_nothing_and_go_nowhere_else(self):
        play_league(*own_league())
        with Store.open(Path("results/own")) as store:
            assert write_kept_games(store, Path()) == [Path("crown.py")]  # the same text is there already
            changed()
            with pytest.raises(LeagueError, match=r"crown\.py is there already, with another text"):
                write_kept_games(store, Path())
            (file,) = store.game_files()
            store.game_files = lambda: (replace(file, name="../up"),)
            with pytest.raises(LeagueError, match="an impossible name"):
                write_kept_games(store, Path())

    def test_reading_results_runs_no_rules(self, monkeypatch):
        from league.page.live import LeagueFolder
        from league.results.standings import read_standings

        play_league(*own_league())
        monkeypatch.setattr(files, "_by_hash", {})
        monkeypatch.setattr(files, "_run", lambda *_: pytest.fail("the rules were run"))
        standings = read_standings(Path("results/own"))
        assert [line.bot for line in standings.contests["crown-3p"].lines]
        assert b"crown-3p" in LeagueFolder(Path("results/own")).page()

    def test_a_player_elsewhere_is_sent_the_file(self):
        rules = games.make("crown.py", 2)
        bots = (bot("ann"), bot("bob"))
        series = Series(Contest.of(rules), tuple(one.entrant() for one in bots), 0, 1, Limits())
        team = Team(bots, Isolation.TRUSTED, Limits(), (rules.file,))
        with closing(Worker(team)) as worker:
            here = worker.play(Block(series, 0, 4))
        player = Player(team)
        try:
            assert [one.outcomes for one in decode_answer(player.play(encode(Sitting((Block(series, 0, 4),)))))] == [
                here.outcomes
            ]
        finally:
            player.end()


class TestReplays:
    @pytest.fixture
    def written(self):
        game = games.make("crown.py", 2)
        deal = game.deal_type((1, 5, 9, 2, 4, 12, 3, 6, 7, 8, 10, 11))
        return replay.write(replay.record(game, deal, [(9, 2), (5, 12), (1, 4)], ["Ann", "Bob"]))

    def test_it_names_the_file_by_its_hash(self, written):
        read = replay.read(written)
        assert read.source == games.load("crown.py").file.hash
        replay.verify(read)

    def test_without_the_file_it_says_what_to_name(self, written, monkeypatch):
        monkeypatch.setattr(files, "_by_hash", {})
        monkeypatch.setattr(files, "_by_name", {})
        with pytest.raises(ReplayError, match="Its game is a file: name the file with --rules"):
            replay.verify(replay.read(written))

    def test_under_another_text_of_the_file_a_difference_is_explained(self, written, monkeypatch):
        monkeypatch.setattr(files, "_by_hash", {})
        Path("crown.py").write_text(game_file("crown").replace("max(cards)", "min(cards)"))
        games.load("crown.py")
        with pytest.raises(ReplayError, match="played under another version of the game's file"):
            replay.verify(replay.read(written))
