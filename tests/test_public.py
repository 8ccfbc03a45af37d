"""What `import league` offers: names, leagues, games and duels from Python."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib import import_module
from inspect import signature
from pathlib import Path

import msgspec
import pandas as pd
import pytest

import league
from league.api.matches import as_bot
from league.cli.run import command as run_command
from league.errors import LeagueError
from league.hosts import trusted
from league.page.data import PAGE
from league.results.lines import board
from league.results.store import Store
from tests import docs
from tests.leagues import DICE, FIRST
from tests.tables import each

NAMES = [
    *("Deal", "Game", "League", "LeagueError", "Options", "Outcome", "PlayedGame", "State", "View"),
    *("blunders", "check_game", "competition_ranks", "duel", "exploit", "load_game", "match", "open", "run"),
    *("solve", "verify", "what_if"),
]
pytestmark = pytest.mark.usefixtures("without_page")
GAMES = [{"game": "raj", "deals": 4}]


class Low:
    """The lowest card."""

    def choose(self, view):
        return view.legal[0]


def high(view):
    return view.legal[-1]


class Raises:
    def choose(self, view):
        raise ValueError("no idea")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    Path("bots/ann.py").write_text(FIRST)
    Path("bots/dice.py").write_text(DICE)


def play(bots, name="small", moves="all", **more):
    config = {"league": name, "seed": 1, "isolation": "trusted", "games": GAMES, "moves": moves}
    return league.run(config, bots=bots, workers=1, progress=False, **more)


class TestNames:
    def test_these_are_public_and_no_others(self):
        assert sorted(league.__all__) == NAMES
        assert set(NAMES) <= set(dir(league))

    @each("name", NAMES)
    def test_each_is_there_and_described(self, name):
        assert getattr(league, name).__doc__
        assert name in (docs.ROOT / "docs/python.md").read_text()

    def test_type_checkers_see_the_same_names(self):
        """What the module imports for them is what it finds at run time."""
        for place, names in league._PLACES.items():
            for name in names:
                assert getattr(league, name) is getattr(import_module(place), name)
        source = Path(league.__file__).read_text().split("if TYPE_CHECKING:\n")[1].split("\n\n")[0]
        assert all(name in source for name in NAMES)

    def test_another_name_is_no_attribute(self):
        assert not hasattr(league, "tournament")


class TestMatch:
    def test_classes_and_functions_play_beside_files_and_names(self):
        game = league.match("raj", [Low, high, "bots/ann.py", "random"], isolation="process")
        assert game.names == ("Low", "high", "ann", "random")
        assert len(game.ranks) == len(game.points) == 4
        assert game.winners == tuple(name for name, rank in zip(game.names, game.ranks, strict=True) if rank == 0)
        assert not game.faults

    def test_it_is_reported_shown_and_written(self):
        game = league.match("raj", [Low, Low])
        assert str(game).startswith("Raj, played by Low and Low_2.\nRound 1: ")
        assert repr(game).startswith("<PlayedGame of raj: Low ")
        assert '"game": "raj"' in game.to_json()
        assert game._repr_html_().startswith('<iframe sandbox="allow-scripts" ')
        assert "<script" not in game._repr_html_()  # it is escaped, inside the frame

    def test_a_fault_is_one_bots(self):
        (fault,) = league.match("raj", [Raises, high]).faults
        assert (fault.bot, fault.kind, fault.cause) == ("Raises", "error", "ValueError: no idea")

    @pytest.mark.parametrize(
        ("bot", "told"),
        [
            (Low(), "found an object of class Low: pass its class."),
            (int, "found the class int, which has no choose"),
            (7, "found an object of class int."),
            ("dcie", "There is no bot 'dcie' in bots, in this folder or among the shipped bots. Did you mean 'dice'?"),
        ],
    )
    def test_what_is_no_bot_is_one_clear_line(self, bot, told):
        with pytest.raises(LeagueError, match=r"^[^\n]*$") as caught:
            league.match("raj", [bot, high])
        assert told in str(caught.value)

    def test_a_lambda_has_a_name(self):
        assert as_bot(lambda view: 0).name == "bot"


class TestRun:
    def test_it_plays_writes_and_returns_the_results(self, with_page):
        played = play([Low, high, "ann"])
        assert played.name == "small"
        assert (played.folder / PAGE).exists()
        table = played.standings()
        columns = [column.name for column in board([]).seen("csv")]
        columns.insert(columns.index("faults") + 1, "mean_points")  # there is one game alone
        assert list(table.columns) == columns
        assert sorted(table.bot) == ["Low", "ann", "high"]
        assert set(table.games) == {16}
        assert repr(played) == "<League 'small' in results/small>"

    @pytest.mark.slow
    def test_a_config_file_plays_its_own_bots_and_more(self):
        Path("small.yaml").write_text("league: small\nbots: bots\nisolation: trusted\ngames: [{game: raj, deals: 2}]\n")
        assert sorted(league.run("small.yaml", progress=False).standings().bot) == ["ann", "dice"]
        more = league.run("small.yaml", bots={"lou": Low}, progress=False)
        assert sorted(more.standings().bot) == ["ann", "dice", "lou"]

    @pytest.mark.slow
    def test_games_of_objects_are_played_again_and_those_of_files_are_not(self):
        def games():
            with Store.open(Path("results/small")) as store:
                return [run.games for run in store.runs()]

        play([Low, "ann", "dice"])
        play([Low, "ann", "dice"])
        assert games() == [24, 16]

    @pytest.mark.slow
    def test_objects_in_a_league_of_isolated_bots_are_trusted(self):
        config = {"league": "mixed", "isolation": "process", "games": GAMES}
        played = league.run(config, bots=[Low, "ann"], workers=1, progress=False)
        assert not len(played.faults())
        assert sorted(played.standings().bot) == ["Low", "ann"]

    @pytest.mark.slow
    def test_it_needs_no_main_guard(self):
        Path("script.py").write_text(
            "import league\n"
            "config = {'league': 'plain', 'isolation': 'trusted', 'games': [{'game': 'raj', 'deals': 2}]}\n"
            "print(len(league.run(config, bots=[lambda view: view.legal[0], 'dice'], workers=2).standings()))\n"
        )
        ended = subprocess.run([sys.executable, "-W", "error", "script.py"], capture_output=True, text=True, check=True)
        assert ended.stdout == "2\n"
        assert ended.stderr == ""

    def test_it_takes_what_the_command_takes(self):
        # What is printed is the observer's, and who calls from Python has the result in hand.
        options = {option.name for option in run_command.params} - {"dry_run", "quiet", "verbose", "notify"}
        assert options <= set(signature(league.run).parameters)

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (
                {"for_": "soon"},
                "for_: expected a time such as 8h, 90min or 1h 30min, or a number of seconds, found 'soon'.",
            ),
            ({"for_": -1}, "found -1."),
            ({"until": "25:00"}, "until: expected a time of day such as 06:00, found '25:00'."),
            ({"scheduler": "a"}, "Workers are for this machine;"),
        ],
    )
    def test_wrong_options_raise(self, options, told):
        with pytest.raises(LeagueError) as caught:
            play(["ann", "dice"], **options)
        assert told in str(caught.value)

    def test_a_bar_is_shown_if_asked_for(self, capsys):
        config = {"league": "shown", "isolation": "trusted", "games": GAMES}
        league.run(config, bots=[Low, high], workers=1, progress=True)
        assert " 8/8 " in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("config", "bots", "told"),
        [
            ({"league": "x", "games": GAMES}, [], "expected the key 'bots' in a league, found none."),
            ({"league": "x", "gmaes": GAMES}, [Low, high], "Did you mean 'games'?"),
            ("nothing.yaml", [], "There is no config file 'nothing.yaml'"),
            ({"league": "x", "games": GAMES}, [Low, Low], "Two bots are called 'Low'. Give bots={name: bot}"),
            ({"league": "x", "games": GAMES}, {"a b": Low}, "Expected a name of letters"),
        ],
    )
    def test_mistakes_raise(self, config, bots, told):
        with pytest.raises(LeagueError) as caught:
            league.run(config, bots=bots, progress=False)
        assert told in str(caught.value)
        assert not Path("results").exists()

    def test_objects_cannot_go_to_a_cluster(self):
        with pytest.raises(LeagueError, match="use executor='local'"):
            play([Low, high], executor="dask")

    @each("words", [{"executor": "locl"}, {"executor": "ray"}, {"isolation": "sandbx"}])
    def test_unknown_executor_or_isolation_is_named(self, words):
        ((what, word),) = words.items()
        with pytest.raises(LeagueError, match=f"^expected {what} as one of .*, found '{word}'"):
            play([Low, high], **words)

    @pytest.mark.slow
    def test_a_bot_that_cannot_be_loaded_is_left_out_or_raises(self):
        Path("bots/bad.py").write_text("import nothing_of_that_name\n" + FIRST)
        Path("small.yaml").write_text("league: small\nbots: bots\nisolation: trusted\ngames: [{game: raj, deals: 2}]\n")
        assert any("bad.py" in text for text in league.run("small.yaml", progress=False).notices)
        with pytest.raises(LeagueError, match=r"bad\.py: cannot be loaded"):
            league.run("small.yaml", strict=True, progress=False)


@pytest.fixture(scope="module")
def folder_of_two(without_page, tmp_path_factory):
    """The results of a league that is played once."""
    config = {"league": "two", "isolation": "trusted", "games": [*GAMES, {"game": "raj", "players": 3, "deals": 2}]}
    folder = tmp_path_factory.mktemp("played")
    (folder / "dice.py").write_text(DICE)
    bots = [Low, high, folder / "dice.py", Raises]
    return league.run(config, bots=bots, workers=1, progress=False, results=folder).folder


class TestLeague:
    @pytest.fixture
    def played(self, folder_of_two):
        shutil.copytree(folder_of_two, "results/two")
        return league.open("results/two")

    def test_tables_are_data_frames(self, played):
        assert isinstance(played.standings(), pd.DataFrame)
        assert played.standings("raj").columns[0] == "contest"
        assert set(played.standings("raj-2p").columns) == {
            *(column.name for column in board([]).seen("csv")),
            "mean_points",
        }
        pairs = played.head_to_head()
        assert len(pairs) == 2 * 6 * 2
        assert pairs.p_value.dtype == float
        faults = played.faults("Raises")
        assert set(faults.kind) == {"error"}
        assert len(played.faults()) == len(faults)

    @pytest.mark.slow
    def test_every_seat_of_every_game_is_a_row(self, played):
        games = played.games()
        assert len(games) == 6 * 4 * 2 * 2 + 4 * 2 * 3 * 3
        assert games.columns.tolist() == [
            *("contest", "game", "players", "address", "deal", "rotation", "seat", "bot", "version", "opponents"),
            *("place", "score", "points", "fault", "forfeit"),
        ]
        line = played.standings("raj-2p").set_index("bot").loc["dice"]
        mine = games[(games.bot == "dice") & (games.contest == "raj-2p")]
        assert line.games == len(mine)
        assert line.mean_score == pytest.approx(mine.score.mean())
        assert line.mean_points == pytest.approx(mine.points.mean())
        assert set(games[games.fault].bot) == {"Raises"}

    def test_games_can_be_chosen(self, played):
        games = played.games(bot="Low", against="dice", game="raj-2p")
        assert set(games.bot) == {"Low"}, "so that nobody counts opponents too"
        assert set(games.opponents) == {"dice"}
        assert len(games) == 8

    def test_a_row_tells_what_its_replay_shows(self, played):
        games = played.games()
        for address, rows in list(games.groupby("address"))[::9]:
            again = played.replay(address, isolation="trusted")
            seated = rows.sort_values("seat")
            assert tuple(seated.bot) == again.names
            assert tuple(seated.place - 1) == again.ranks
            assert tuple(seated.points) == again.points
            assert not again.differs
            assert again.address == address

    def test_two_bots_are_compared(self, played):
        comparison = played.compare("high", "Raises")
        assert comparison.overall.rating.value > 0
        assert str(comparison).splitlines()[2] == "high minus Raises"
        with pytest.raises(LeagueError, match="Did you mean 'high'"):
            played.compare("hihg", "Low")

    @pytest.mark.slow
    def test_it_is_read_again_when_it_has_changed(self, played):
        opened = league.open("results/two")
        assert opened.standings().equals(played.standings())
        kept = opened._standings()
        assert opened._standings() is kept
        play(["ann", "dice"], "two")
        assert sorted(opened.standings().bot) == ["ann", "dice"]

    @pytest.mark.slow
    def test_a_notebook_shows_the_standings(self, played):
        shown = played._repr_html_()
        assert shown.startswith("<h3>two</h3><table ")
        assert all(f"<td>{name}</td>" in shown for name in ("Low", "high", "dice", "Raises"))
        assert "<li>" in shown


class TestDuel:
    def test_it_finds_the_better_one_and_keeps_nothing(self):
        outcome = league.duel(Low, Raises, game="raj", workers=1)
        assert outcome.verdict == "a"
        assert str(outcome).startswith("Low is better than Raises: a lead of +1.000 in mean score (")
        assert outcome.lead[0] == 1
        assert repr(outcome) == f"<DuelResult: {outcome}>"
        assert repr(outcome.test) == f"<SequentialTest: {outcome.test.deals} deals, mean score 1.000, verdict a>"
        assert outcome._repr_html_().startswith("<p>Low is better than Raises: ")
        assert outcome.folder is None
        assert not Path("results").exists()


class TestExploit:
    @pytest.mark.slow
    def test_a_lower_bound_at_any_game(self):
        found = league.exploit(Raises, "raj", games=2)
        assert (found.value, found.kind, found.way) == (1, "lower_bound", "search")
        assert repr(found).startswith("<Exploitability: an opponent that knows it got +1.000 a game (")


class TestSolve:
    def test_small_hands(self):
        solved = league.solve("braverats", hands=("05", "16"))
        assert -1 <= solved.value <= 1
        assert max(solved.gains) < 1e-6
        assert [sum(mix.values()) for mix in solved.first_move] == pytest.approx([1, 1])
        assert repr(solved).startswith("<ExactSolution of braverats: value ")
        assert callable(league.solve)  # the package that solves has another name


class TestWhatIf:
    def test_another_version_plays_the_same_games(self):
        folder = play(["ann", "dice"]).folder
        compared = league.what_if(folder, "dice", high, isolation="trusted")
        assert len(compared.games) == 8
        assert all(retry.reproduced for retry in compared.games)
        assert [effect.contest for effect in compared.contests] == ["raj-2p"]
        assert str(compared) == compared.verdict
        assert compared._repr_html_() == f"<p>{compared.verdict}</p>"
        address = compared.games[3].address
        assert [retry.address for retry in league.what_if(folder, "dice", high, address=address).games] == [address]


class TestObjects:
    def test_a_bot_of_another_session_is_gone(self, monkeypatch):
        played = play([Low, high], moves="none")
        monkeypatch.setattr(trusted, "_kept", {})
        with pytest.raises(LeagueError, match="Bot 'Low' has no source here: it was a class in another"):
            played.replay("raj-2p:Low+high:0.0")

    def test_a_strangers_results_cannot_pass_off_a_text_as_a_trusted_object(self):
        played = play([Low, high], moves="none")
        with closing(sqlite3.connect(played.folder / "league.db")) as db, db:
            rows = db.execute("SELECT name, bot FROM bots").fetchall()
            for name, packed in rows:
                bot = msgspec.msgpack.decode(packed)
                bot["source"] = b"open('harm', 'w')\n" + FIRST.encode()
                db.execute("UPDATE bots SET bot = ? WHERE name = ?", (msgspec.msgpack.encode(bot), name))
        assert played.replay("raj-2p:Low+high:0.0").names == ("Low", "high")
        assert not Path("harm").exists()


@pytest.mark.slow
def test_the_examples_of_the_page_run(capsys):
    page = (docs.ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = [block["body"] for block in docs.BLOCK.finditer(page) if block["kind"] == "python"]
    assert len(blocks) >= 6
    Path("bots").rename("other")
    Path("bots").symlink_to(docs.ROOT / "bots")
    Path("configs").mkdir()
    Path("configs/quick.yaml").write_text("league: quick\nbots: ../bots/r*.py\ngames: [{game: raj, deals: 2}]\n")
    namespace: dict = {}
    for block in blocks:
        exec(block, namespace)
    assert "is better than" in capsys.readouterr().out
