"""The commands for people who write bots: what they print, what they leave behind, how they end."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from league import games
from league.analysis import bot_check
from league.analysis.audit import CHANCE, OTHER_GAMES, OTHER_TABLES
from league.analysis.bot_check import Trial, _warnings, trials
from league.hosts import Printed
from league.setup.roster import load, usual_contests
from league.values.block import Usage
from league.values.settings import Isolation, Limits
from tests.commands import call, refused
from tests.tables import each

GOOD = '''class Bot:
    """Plays the first legal move."""

    games = ("raj",)

    def choose(self, view):
        return view.legal[0]
'''


HIGHEST_OR_LOWEST = """
    moves=
    while [ "$l" != "${l#*'"legal":['}" ]; do
        l=${l#*'"legal":['}
        legal=${l%%]*}
        n=$((n+1))
        if [ $((n % 7)) = 0 ]; then move=${legal##*,}; else move=${legal%%,*}; fi
        moves=$moves${moves:+,}$move
    done
    echo "[$moves]"
done
"""
"""A part of a shell script whose choice depends on how many it has made before, in whatever game."""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Tests stand in an empty folder with an empty bots/."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()


class TestBots:
    """`league bots`."""

    def test_lists_who_can_play_and_what_is_wrong_with_the_others(self):
        Path("bots/ann.py").write_text(GOOD)
        Path("bots/any.py").write_text("class Bot:\n    def choose(self, view): return 0")
        Path("bots/prog.toml").write_text(
            'command = ["awk"]\ndescription = "Is a program."\ngames = ["raj", "magillat"]'
        )
        Path("bots/bad.py").write_text("class Bot:\n    def choose(self, view) return 0")
        assert call("bots").stdout == (
            "bot   games          what it does\n"
            "ann   raj            Plays the first legal move.\n"
            "any   every game\n"
            "prog  raj, magillat  Is a program.\n"
            "\n"
            "1 file cannot play:\n"
            "  bots/bad.py:2: expected Python, found a syntax error: expected ':'.\n"
        )

    def test_runs_nothing_and_prints_nothing_that_a_terminal_obeys(self):
        Path("bots/evil.py").write_text(
            'open("i-was-here", "w")\nclass Bot:\n    """\\x1b[2J\u202eHello"""\n    def choose(self, view): return 0'
        )
        assert call("bots").stdout.splitlines()[1] == r"evil  every game  \x1b[2J\u202eHello"
        assert not Path("i-was-here").exists()


class TestNew:
    """`league new`."""

    @pytest.mark.parametrize("game", games.names())
    def test_new_bot_plays_and_lists_all_fields_of_its_view(self, game):
        told = call("new", "ann", "--game", game, "--to", "bots").stdout
        assert told == "Wrote bots/ann.py. It plays already; make it better, then: league check bots/ann.py\n"
        text = Path("bots/ann.py").read_text(encoding="utf-8")
        view = games.find(game).view_type
        for name in view.__struct_fields__:
            assert re.search(rf"^#   view\.{name} +\w", text, re.MULTILINE), f"{name} is not described"
        assert max(map(len, text.splitlines())) <= 120
        assert load(Path("bots/ann.py")).games == (game,)
        checked = call("check", "bots/ann.py", "--isolation", "trusted")
        assert (checked.exit_code, "no faults" in checked.stdout) == (0, True)

    def test_what_it_writes_needs_no_mending(self):
        for game in games.names():
            call("new", game, "--game", game)
        lint = [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "--isolated",
            "--select",
            "E,F,W,I,B",
            "--line-length",
            "120",
            ".",
        ]
        done = subprocess.run(lint, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "All checks passed!\n")


class TestFolders:
    """A bot that is a folder, with every command for bots."""

    TRUSTED = ("--isolation", "trusted")

    @pytest.fixture(autouse=True)
    def amy(self):
        Path("amy").mkdir()
        Path("amy/bot.py").write_text("import mylib\n" + GOOD.replace("view.legal[0]", "view.legal[mylib.AT]"))
        Path("amy/mylib.py").write_text("AT = 0\n")

    @pytest.mark.slow
    @pytest.mark.parametrize("named", ["amy", "amy/", "./amy", "amy/bot.py"])
    def test_check_and_match_take_it(self, named):
        assert call("check", named, *self.TRUSTED).stdout.startswith("amy plays raj: 70 games")
        assert call("match", "raj", named, "random", *self.TRUSTED).exit_code == 0

    def test_submit_copies_all_of_it(self):
        lines = call("submit", "amy", *self.TRUSTED).stdout.splitlines()
        assert lines[1] == "amy (2 files) is in bots now, as the bot 'amy'."
        assert load(Path("bots/amy")).hash == load(Path("amy")).hash
        assert call("match", "raj", "amy", "random", *self.TRUSTED).exit_code == 0
        assert "amy  raj    Plays the first legal move." in call("bots").stdout
        assert refused("submit", "bots/amy").endswith("there is nothing to submit.")

    @pytest.mark.slow
    def test_replacing_it_touches_no_other_bot(self):
        """A program's companion file of the same name overwrote another author's."""
        Path("bots/mylib.py").write_text(GOOD)
        call("submit", "amy", *self.TRUSTED)
        Path("amy/mylib.py").write_text("AT = -1\n")
        told = call("submit", "amy", "--replace", *self.TRUSTED).stdout
        assert "amy (2 files) is in bots now, as the bot 'amy'. The bot before it is kept as version 1." in told
        assert Path("bots/mylib.py").read_text() == GOOD
        assert Path("bots/amy/mylib.py").read_text() == "AT = -1\n"
        assert Path("bots/.versions/amy/1/mylib.py").read_text() == "AT = 0\n"

    @pytest.mark.slow
    def test_a_former_version_comes_back(self):
        call("submit", "amy", *self.TRUSTED)
        Path("amy/bot.py").write_text(GOOD.replace("first", "last").replace("[0]", "[-1]"))
        call("submit", "amy", "--replace", *self.TRUSTED)
        told = call("submit", "amy", "--restore", "1").stdout
        assert told == "The bot 'amy' in bots is version 1 again. The bot before it is kept as version 2.\n"
        versions = [line.split() for line in call("bots", "--versions").stdout.splitlines()]
        assert [[row[1], row[6]] for row in versions[1:]] == [["1", "first"], ["2", "last"], ["now", "first"]]
        assert versions[1][3] == versions[3][3] == load(Path("bots/amy")).hash[:8]
        assert "found 7: there are 2 former versions of 'amy' in bots." in refused("submit", "amy", "--restore", "7")
        assert refused("submit", "../amy", "--restore", "1").startswith("Expected a bot's name of")

    @pytest.mark.slow
    def test_a_copy_is_pointed_out(self):
        call("submit", "amy", *self.TRUSTED)
        Path("amy").rename("eve")
        result = call("submit", "eve", *self.TRUSTED)
        assert "Note: it has the same content as amy." in result.stdout
        assert result.exit_code == 0
        assert "The same content: amy and eve." in call("bots").stdout

    def test_a_thief_is_refused_and_its_victim_stays(self):
        Path("bots/raj_habits.py").write_text(GOOD)
        Path("bots/thief.toml").write_text('command = ["python3", "thief_main.py", "raj_habits.py"]')
        printed = call("bots").stdout
        assert "raj_habits  raj" in printed
        assert "bots/thief.toml: expected a command of system programs, found 'raj_habits.py'" in printed


class TestPlayers:
    """Bots that play at some tables only."""

    @pytest.fixture(autouse=True)
    def ann(self):
        Path("ann.py").write_text(GOOD.replace('("raj",)\n', '("raj",)\n    players = (2, 3)\n'))

    def test_check_tries_those_tables(self):
        assert "30 games" not in call("check", "ann.py", "--isolation", "trusted").stdout
        assert "25 games at tables of 2 and 3" in call("check", "ann.py", "--isolation", "trusted").stdout

    def test_bots_lists_them(self):
        Path("ann.py").rename("bots/ann.py")
        assert call("bots").stdout.splitlines()[1] == "ann  raj (2 or 3 players)  Plays the first legal move."


class TestCheckConfig:
    """`league check FILE --config CONFIG`."""

    @pytest.fixture(autouse=True)
    def league(self):
        games = "[{game: raj, players: [2, 4], games_per_match: 3, deals: 9}, {game: braverats, options: {mime: true}}]"
        limits = "{move_ms: 30, folder_mb: 1}"
        text = f"league: x\nbots: bots\nisolation: trusted\nlimits: {limits}\ngames: {games}\n"
        Path("x.yaml").write_text(text)

    def test_tries_exactly_what_the_league_will_ask(self):
        Path("ann.py").write_text(GOOD.replace('    games = ("raj",)\n', ""))
        lines = call("check", "ann.py", "--config", "x.yaml").stdout.splitlines()
        assert [line.partition(",")[0] for line in lines] == [
            "ann plays raj: 36 games at tables of 2 and 4",
            "ann plays braverats: 10 games at tables of 2",
        ]

    def test_options_and_limits_are_those_of_the_league(self):
        start = "\n    def start(self, table):\n        assert table.options.mime\n"
        Path("ann.py").write_text(GOOD.replace('"raj"', '"braverats"') + start)
        assert call("check", "ann.py", "--config", "x.yaml").exit_code == 0
        Path("big").mkdir()
        Path("big/bot.py").write_text(GOOD)
        Path("big/data").write_bytes(bytes(2_000_000))
        result = call("check", "big", "--config", "x.yaml")
        assert (result.exit_code, "at most 1 MB" in result.stdout) == (1, True)


class TestCheckJson:
    """`league check --json`."""

    def test_json_names_files_whose_names_are_no_text(self):
        Path("b\udcff.py").write_text(GOOD)
        (verdict,) = json.loads(call("check", "b\udcff.py", "--json").stdout)["bots"]
        assert (verdict["file"], verdict["passed"]) == ("b\udcff.py", False)

    def test_gives_the_whole_verdict(self):
        Path("ann.py").write_text(GOOD.replace("        return", "        print('hm')\n        return"))
        Path("bad.py").write_text(GOOD.replace("view.legal[0]", "view.prise"))
        result = call("check", "ann.py", "bad.py", "gone.py", "--isolation", "process", "--json")
        assert result.exit_code == 1
        verdict = json.loads(result.stdout)
        ann, bad, gone = verdict["bots"]
        assert (verdict["passed"], ann["passed"], bad["passed"], gone["passed"]) == (False, True, False, False)
        assert gone == {"file": "gone.py", "passed": False, "problem": "There is no file 'gone.py'."}
        assert (ann["bot"], ann["hash"], ann["problem"]) == ("ann", load(Path("ann.py")).hash, None)
        assert ann["printed"]["bytes"] > 0
        assert ann["printed"]["beginning"].startswith("hm\n")
        (trial,) = bad["trials"]
        assert (trial["game"], trial["players"], trial["games"], trial["loaded"]) == ("raj", [2, 3, 4, 5], 70, True)
        (fault,) = trial["faults"]
        cause = "AttributeError: 'RajView' object has no attribute 'prise'"
        assert (fault["kind"], fault["count"], fault["cause"]) == ("error", 70, cause)
        assert "return view.prise" in fault["tail"]
        assert fault["address"].startswith("raj-2p:")

    def test_warnings_fit_the_language(self):
        script = (
            "read -r l; echo '{\"protocol\": 1}'; n=0; while read -r l; do n=$((n+1)); echo hi >&2; "
            + HIGHEST_OR_LOWEST
        )
        Path("prog").mkdir()
        Path("prog/main.sh").write_text(script)
        Path("prog/bot.toml").write_text('command = ["sh", "main.sh"]\ngames = ["raj"]\nplayers = [2]\n')
        (verdict,) = json.loads(call("check", "prog", "--isolation", "process", "--json").stdout)["bots"]
        assert verdict["passed"], verdict
        assert verdict["printed"]["beginning"].startswith("hi\n")
        (warning,) = verdict["warnings"]
        assert OTHER_GAMES in warning
        assert "by slot" in warning
        assert "table.rng" not in warning


class TestCheck:
    """`league check`."""

    def test_many_causes_are_cut_short(self):
        wild = "1000 + hash((view.history, view.legal, view.pile)) % 1000"
        Path("bad.py").write_text(GOOD.replace("view.legal[0]", wild))
        lines = call("check", "bad.py", "--isolation", "trusted").stdout.splitlines()
        assert len(lines) == 1 + 2 * 5 + 1, "each cause with the moves that were legal"
        assert re.fullmatch(r"  and \d+ other causes? \(\d+ faults\)\.", lines[-1])

    @each(("asleep", "warned"), [(0.99, 0), (1.0, 1)])
    def test_bots_that_a_league_would_have_to_wait_for_are_warned_of(self, asleep, warned):
        """By what they sleep in a game, on average."""
        trial = Trial("raj", (2,), 10, Usage(150, 0.01, asleep=asleep), (), Printed())
        Path("ann.py").write_text(GOOD)
        lines = _warnings(load(Path("ann.py")), [trial])
        assert sum("sleeps for 0.1 s in each game" in line for line in lines) == warned

    def test_who_sleeps_is_not_tried_for_minutes(self, monkeypatch):
        monkeypatch.setattr(bot_check, "MOST_ASLEEP", 0.2)
        Path("ann.py").write_text(GOOD.replace("return", "__import__('time').sleep(0.01)\n        return"))
        result = call("check", "ann.py", "--isolation", "process")
        assert result.stdout.startswith("ann plays raj: 5 games at tables of 2, no faults")

    def test_what_cannot_be_loaded_is_tried_only_once(self):
        Path("bad.py").write_text(GOOD.replace('    games = ("raj",)\n', "") + "raise ValueError('oh')\n")
        result = call("check", "bad.py", "--isolation", "trusted")
        lines = result.stdout.splitlines()
        assert lines[:2] == [
            "bad fails at braverats: it cannot be loaded, so nothing else was tried.",
            "  import: ValueError: oh",
        ]
        assert "fails at raj" not in result.stdout
        assert result.exit_code == 1
        bad = load(Path("bad.py"))
        (trial,) = trials(bad, usual_contests(bad), Isolation.TRUSTED, Limits())
        assert trial.games == 5

    @pytest.mark.parametrize(
        ("choice", "reason"),
        [
            ("os.urandom(1)[0]", CHANCE),
            ("time.perf_counter_ns() // 1000", CHANCE),
            ("next(counter)", OTHER_GAMES),
            ("random.randrange(99)", ""),
        ],
    )
    def test_nondeterministic_bot_is_warned_but_passes(self, choice, reason):
        modules = "import itertools, os, random, time\ncounter = itertools.count()\n"
        Path("ann.py").write_text(modules + GOOD.replace("legal[0]", f"legal[{choice} % len(view.legal)]"))
        for command in ("check", "submit"):
            result = call(command, "ann.py", "--isolation", "trusted")
            warnings = [line for line in result.stdout.splitlines() if line.startswith("Warning")]
            assert len(warnings) == bool(reason)
            for warning in warnings:
                assert re.fullmatch(
                    rf"Warning: ann {re.escape(reason)} \(seen in raj-2p:ann\+opponent-1:\d\.0, step \d+:"
                    rf" bids (\d+), and asked \w+ bids (?!\1\))\d+\)\. So its results .+\. [KT]\w+ .+\.",
                    warning,
                )
            assert result.exit_code == 0

    def test_answers_that_depend_on_how_many_tables_come_together_are_warned_of(self):
        many = "view.legal[-1 if len(views) > 2 and len(view.history) == 3 else 0] for view in views"
        Path("ann.py").write_text(
            "class Bot:\n    games = ('raj',)\n    players = (2,)\n    @classmethod\n"
            f"    def choose_many(cls, bots, views):\n        return [{many}]\n"
        )
        verdict = json.loads(call("check", "ann.py", "--isolation", "trusted", "--json").stdout)["bots"][0]
        (warning,) = verdict["warnings"]
        assert warning.startswith(f"ann {OTHER_TABLES} (seen in raj-2p:ann+opponent-1:")
        assert ", step 4: bids 15, and asked alone bids 4). " in warning
        finding = verdict["trials"][0]["not_alike"]
        assert (finding["step"], finding["address"] in warning) == (4, True)

    def test_junit_report_has_a_case_for_each_game(self):
        Path("ann.py").write_text(GOOD)
        Path("bad.py").write_text(GOOD.replace("view.legal[0]", "99"))
        Path("none.py").write_text("nonsense")
        call("check", "ann.py", "bad.py", "none.py", "--isolation", "trusted", "--junit", "check.xml")
        suites = ElementTree.parse("check.xml").getroot().findall("testsuite")
        assert [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in suites] == [
            *(("ann.py", "1", "0"), ("bad.py", "1", "1"), ("none.py", "1", "1")),
        ]
        messages = [failure.get("message") for suite in suites for failure in suite.iter("failure")]
        assert messages[0].startswith("70x illegal: ")
        assert messages[1].startswith("none.py: expected a class")


class TestSubmit:
    """`league submit`."""

    TRUSTED = ("--isolation", "trusted")

    def test_several_at_once_are_checked_side_by_side_and_reported_in_order(self):
        Path("handin").mkdir()
        for name in ("ann", "bob", "cid"):
            Path(f"handin/{name}.py").write_text(GOOD)
        Path("handin/bob.py").write_text(GOOD.replace("view.legal[0]", "99"))
        Path("handin/dan.py").write_text("nonsense")
        result = call("submit", *map(str, sorted(Path("handin").iterdir())), *self.TRUSTED, "--workers", "2")
        assert [line for line in result.stdout.splitlines() if "plays raj" in line or "fails at" in line] == [
            *(line for line in result.stdout.splitlines() if line.startswith("ann plays raj")),
            *(line for line in result.stdout.splitlines() if line.startswith("bob fails at raj")),
            *(line for line in result.stdout.splitlines() if line.startswith("cid plays raj")),
        ]
        assert "2 of 4 bots were submitted." in result.stdout
        assert "handin/bob.py was not submitted." in result.stderr
        assert "handin/dan.py: expected a class" in result.stderr
        assert result.exit_code == 1
        assert sorted(path.name for path in Path("bots").iterdir()) == ["ann.py", "cid.py"]

    def test_a_name_can_be_given_to_any_file_or_folder(self):
        Path("Amy Miller").mkdir()
        Path("Amy Miller/bot.py").write_text(GOOD)
        Path("Amy Miller/table.txt").write_text("1 2 3")
        call("submit", "Amy Miller/bot.py", "--as", "amy", *self.TRUSTED)
        call("submit", "Amy Miller", "--as", "amy_2", *self.TRUSTED)
        assert Path("bots/amy.py").read_text() == GOOD
        assert sorted(path.name for path in Path("bots/amy_2").iterdir()) == ["bot.py", "table.txt"]

    def test_limits_and_contests_may_be_those_of_a_league(self):
        Path("slow.py").write_text(GOOD.replace("return", "sum(range(3_000_000)); return"))
        config = "league: class\nbots: bots\ngames: [{game: raj, players: 3, deals: 1}]\nlimits: {move_ms: 5}\n"
        Path("class.yaml").write_text(config)
        result = call("submit", "slow.py", "--config", "class.yaml", "--isolation", "process")
        assert "slow fails at raj: 15 faults in 15 games at tables of 3." in result.stdout
        assert not Path("bots/slow.py").exists()

    def test_a_name_in_another_language_is_taken_too(self):
        Path("ann.py").write_text(GOOD)
        Path("bots/ann.toml").write_text('command = ["awk"]')
        told = "The name 'ann' is taken by bots/ann.toml. Rename yours, or replace it with --replace."
        assert refused("submit", "ann.py", *self.TRUSTED) == told
        assert call("submit", "ann.py", "--replace", *self.TRUSTED).exit_code == 0
        assert sorted(path.name for path in Path("bots").iterdir()) == [".versions", "ann.py"]
