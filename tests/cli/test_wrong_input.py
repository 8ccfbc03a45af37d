"""Whatever is wrong with what a command is given: one line says what, and nothing is written or played."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from league.cli import complete, league
from league.cli.new import game_file
from league.results.store import Store
from tests.commands import refused
from tests.docs import all_commands, command_of
from tests.leagues import DICE, FIRST, LAST
from tests.tables import each

GOOD = FIRST.replace("    def", '    games = ("raj",)\n\n    def')
RAT = FIRST.replace("    def", '    games = ("braverats",)\n\n    def')
LEAGUE = "league: small\nseed: 1\nbots: bots\nisolation: trusted\ngames: [{game: raj, deals: 8}]\n"
CLASS = "league: x\nbots: bots\ngames: [{game: raj, deals: 1}]\nmilestones: "
FILES = {
    "bots/ann.py": GOOD,
    "bots/bob.py": LAST.replace("    def", '    games = ("raj",)\n\n    def'),
    "bots/cid.py": DICE,
    "bots/mice.toml": 'command = ["awk"]\ngames = ["braverats"]\n',
    "rats/rat.py": RAT,
    "small.yaml": LEAGUE,
    "five.yaml": LEAGUE.replace("raj,", "raj, players: 5,"),
    "wrong.yaml": LEAGUE.replace("deals", "deal"),
    "good.py": GOOD,
    "copy/good.py": GOOD,
    "named/ann.py": GOOD,
    "mice.py": GOOD,
    "sized.py": GOOD.replace('("raj",)', '("raj",)\n    players = (2, 3)'),
    "syntax.py": "class Bot:\n    def choose(self, view) return 0\n",
    "nobot.py": "x = 1\n",
    "misspelt.py": GOOD.replace('("raj",)', '("ray",)'),
    "note.txt": "hello",
    "empty/readme.txt": "",
    "crown.py": game_file("crown"),
    "nogame.py": "from league import Game\n",
    "people.csv": "name,bot\nAnn,ann\n",
}


@pytest.fixture(scope="module", autouse=True)
def place(tmp_path_factory: pytest.TempPathFactory, without_page: None) -> Iterator[Path]:
    """A folder with bots, configs and a league that was played."""
    folder = tmp_path_factory.mktemp("place")
    with chdir(folder):
        for name, text in FILES.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        ran = CliRunner().invoke(league, ["run", "small.yaml", "-q", "--workers", "1"], catch_exceptions=False)
        assert ran.exit_code == 0
        game = CliRunner().invoke(league, ["match", "raj", "ann", "bob", "--json", "--isolation", "trusted"])
        Path("game.json").write_text(game.stdout)
        yield folder


@pytest.fixture(autouse=True)
def nothing_is_written(place: Path) -> Iterator[None]:
    before = sizes(place)
    yield
    assert sizes(place) == before


def sizes(place: Path) -> dict[Path, int]:
    """The files of a folder; reading a database leaves some beside it."""
    return {path: os.path.getsize(path) for path in place.rglob("*") if not path.name.startswith("league.")}


# What every command does with words that it does not know

ADDRESS = "raj-2p:ann+bob:0.0"
VALID = {
    "arena accept": "nowhere ann",
    "arena backup": "nowhere",
    "arena deadline": "nowhere 2030-01-01",
    "arena disqualify": "nowhere ann cheats",
    "arena export": "nowhere",
    "arena extend": "nowhere ann 2030-01-01",
    "arena final": "nowhere",
    "arena forget": "nowhere ann",
    "arena grades": "nowhere",
    "arena init": "ours --config small.yaml",
    "arena invite": "nowhere people.csv",
    "arena login": "https://localhost/#code",
    "arena pause": "nowhere",
    "arena readmit": "nowhere ann",
    "arena renew": "nowhere ann",
    "arena restore": "backup.zip ours",
    "arena resume": "nowhere",
    "arena revoke": "nowhere ann",
    "arena rules": "nowhere",
    "arena serve": "nowhere",
    "arena status": "nowhere",
    "arena verify": "nowhere receipt.json",
    "bots": "",
    "check": "good.py",
    "class collect": "handins --roster people.csv --to students",
    "class grades": "results/small --roster people.csv",
    "class similar": "results/small",
    "compare": "results/small ann bob",
    "completion": "bash",
    "doctor": "--speed",
    "duel": "ann bob --game raj",
    "faults": "results/small ann",
    "find": "results/small --bot ann",
    "games": "raj",
    "init": "new",
    "match": "raj ann bob",
    "new": "zoe --game raj",
    "play": "raj --vs bob",
    "replay": "results/small ann",
    "run": "small.yaml",
    "serve": "results/small",
    "solve": "braverats ann",
    "standings": "results/small",
    "submit": "good.py",
    "verify": "results/small",
}
"""Words that are all right, so that one of them can be made wrong: a new command needs a line here."""
COMPLETED: dict[object, tuple[str, str]] = {
    complete.games: ("rajj", "'rajj'"),
    complete.bots: ("nobody", "'nobody'"),
    complete.entrants: ("nobody", "nobody"),
    complete.leagues: ("results/smal", "results/small"),
    complete.configs: ("smal.yaml", "smal.yaml"),
}
"""By how it is completed: a wrong word, and what the line has."""
FREE = {
    ("init", "game"),
    ("standings", "bot"),
    ("replay", "rules"),
    ("new", "game_name"),
    ("match", "names"),
    ("find", "against"),
}
"""Parameters that are tried in the table below, since others must go with them."""


def wrong_words(name: str) -> Iterator[tuple[list[str], str]]:
    """A command with one wrong word, for each of its options and arguments, and what the line must have."""
    words = VALID[name].split()
    first = name.split()
    yield [*first, *words, "--nonsense"], "No such option '--nonsense'"
    arguments = [one for one in command_of(name).params if not isinstance(one, click.Option)]
    if all(argument.nargs == 1 for argument in arguments):
        yield (
            [*first, *words, *["more"] * 4],
            "unexpected extra argument",
        )
    for parameter in command_of(name).params:
        word, told = COMPLETED.get(getattr(parameter, "_custom_shell_complete", None), ("", ""))
        if isinstance(parameter.type, click.Choice):
            word, told = "nonsense", "'nonsense' is not one of"
        elif parameter.type.name in ("N", "X", "TIME", "HH:MM", "share", "a time"):
            word, told = "many", "'many'"
        if not word or (name, parameter.name) in FREE:
            continue
        if isinstance(parameter, click.Option):
            yield [*first, *words, max(parameter.opts, key=len), word], told
        elif words[arguments.index(parameter) :]:
            at = arguments.index(parameter)
            yield [*first, *words[:at], word, *words[at + 1 :]], told


def test_every_command_has_words_that_are_all_right():
    assert {name for name in all_commands() if not isinstance(command_of(name), click.Group)} == VALID.keys()


@each("name", VALID)
def test_a_word_that_a_command_does_not_know(name):
    wrong = []
    for words, told in wrong_words(name):
        line = refused(*words)
        if told not in line:
            wrong.append((words, told, line))
    assert not wrong


# What a command does with words that do not go together, or not with what is there

FAR = f"{'x' * 300}/y"
"""A path that cannot even be looked at: asking for it fails otherwise than asking for what is not there."""
NAME = "Expected a bot's name of 1 to 64 letters, digits, '_' or '-', and no '-' at the beginning, found"


@each(
    ("line", "told"),
    [
        ("run smal.yaml", "There is no config file 'smal.yaml'. Did you mean 'small.yaml'?"),
        ("run", "There is no config file 'configs/quick.yaml'."),
        ("run wrong.yaml", "Did you mean 'deals'?"),
        ("run bots", "Expected a file, found a folder"),
        ("run /dev/zero", "Expected a file, found a "),
        ("run five.yaml", "raj-5p needs 5 bots at a table, but 3 bots can play it (ann, bob, cid); looked in bots."),
        ("run small.yaml --results /dev/null/x", "The folder /dev/null/x/small cannot be"),
        ("run small.yaml --results small.yaml", "Invalid value for '--results'"),
        ("run small.yaml --workers 0", "expected a whole number from 1 to 1024, found 0"),
        ("run small.yaml --scheduler a --workers 2", "Workers are for this machine;"),
        ("run small.yaml --for 0h", "'0h'"),
        ("run small.yaml --until 25:00", "'25:00'"),
        (f"run {FAR}", "xxx"),
        (f"run small.yaml --results {FAR}", "xxx"),
        ("standings", "Missing argument 'DIR'."),
        ("standings results", "There are no results in results (expected a file league.db). Leagues near it:"),
        ("standings x/y", "Play one first: league run CONFIG."),
        ("standings results/small --game rja", "it has raj-2p. Did you mean 'raj'?"),
        ("standings results/small --only nobody", "nobody"),
        ("standings results/small --page there --game raj", "--game does not go with --page."),
        ("standings results/small --public", "--public goes with --page."),
        ("standings results/small --anonymous", "--anonymous goes with --page."),
        ("standings results/small --bot ann", "--bot goes with --history; --only rates some bots alone."),
        ("standings results/small --history --sort wins", "--sort does not go with --history."),
        ("standings results/small --history --format csv", "--history is a table or json, not csv."),
        ("standings results/small --history --bot nobody", "There is no bot 'nobody' in this history."),
        (f"standings results/small --page {FAR}", "xxx"),
        (f"standings {FAR}", "xxx"),
        ("compare results/small ann", "Missing argument 'B'."),
        ("compare results/small ann bab", "There is no bot 'bab' in this league. Did you mean 'bob'?"),
        ("compare results/small ann ann", "found 'ann' twice"),
        ("duel ann bob", "Missing option '--game'"),
        ("duel ann ann --game raj", "found 'ann' twice. Name another one, or rename a file."),
        ("duel ann rats/rat.py --game raj", "rat does not play raj (its games: braverats)."),
        ("duel ann bob --game raj --players 9", "it is played by 2 to 5 players, not by 9."),
        ("duel ann bob --game raj --players 1", "expected a whole number of at least 2, found 1."),
        ("duel ann bob --game raj --with cid", "found 1. Others sit at tables of three and more"),
        ("duel ann bob --game raj --players 4 --with cid", "Raj, 4 players: expected 3 other bots at the table"),
        ("duel ann bob --game raj --alpha 2", "expected a number from 0.0001 to 0.5, found 2."),
        ("duel ann bob --game raj --beta nan", "expected a number from 0.0001 to 0.5, found 'nan'."),
        ("duel ann bob --game raj --smallest 2", "expected less than 1, in mean score, found 2."),
        ("duel ann bob --game raj --smallest -1", "found -1"),
        ("duel ann bob --game raj --seed -1", "expected a whole number from 0 to 9223372036854775807, found -1."),
        ("duel ann bob --game raj --require best", "'best' is not one of"),
        ("serve nowhere", "There are no results in nowhere"),
        ("serve results/small --port 99999", "expected a whole number from 0 to 65535, found 99999."),
        ("verify results/small --share 0", "expected a share above 0 and up to 100%"),
        ("verify results/small --share 101%", "expected a share above 0 and up to 100%"),
        ("check", "Missing argument 'FILE...'"),
        ("new", "Missing argument 'NAME'."),
        ("new zoe", "Say what the bot plays: --game raj"),
        ("new zoe --game rajj", "Did you mean 'raj'?"),
        ("new ../zoe --game raj", f"{NAME} '../zoe'."),
        ("new bot --game raj", "a file bot.py makes a bot of the folder that it is in."),
        ("new good --game raj", "good.py exists already. Choose another name, or remove it first."),
        ("new zoe --game raj --to nowhere", "nowhere/zoe.py cannot be written: No such file or directory."),
        (f"new zoe --game raj --to {FAR}", "xxx"),
        ("new zoe --game raj --from good.py", "--from needs --language"),
        ("new zoe --game raj --language java --from good.py", "expected a file that ends in .java"),
        ("new zoe --rules --game raj", "--rules writes a game"),
        ("new zoe --rules --language c", "--rules writes a game"),
        ("new My-Game --rules", "Expected a game's name of 1 to 48 lower-case letters, digits and '_'"),
        ("new raj --rules", "There is a game 'raj' already. Choose another name."),
        ("new good --rules", "good.py exists already. Choose another name, or remove it first."),
        ("check crown.py good.py", "'crown.py' is a game: it is checked alone"),
        ("check raj --json", "'raj' is a game: it is checked alone"),
        ("check good.py --playings 1", "--playings goes with a game."),
        ("check nogame.py", "expected one class derived from league.Game"),
        ("submit good.py --to nowhere", "There is no folder 'nowhere' to submit to. Name another one with --to."),
        ("submit good.py --to note.txt", "There is no folder 'note.txt' to submit to"),
        (f"submit good.py --to {FAR}", "xxx"),
        ("submit good.py --as ../amy", f"{NAME} '../amy'."),
        ("submit good.py --as ''", "--as: expected a bot's name of 1 to 64 letters"),
        ("submit good.py --as", "Option '--as' requires an argument."),
        ("submit good.py nobot.py --as amy", "--as takes one bot, found 2"),
        ("submit good bad --restore 1", "--restore takes one bot, found 2"),
        ("submit good --restore 0", "expected a whole number of at least 1"),
        ("submit good --restore 1", "there are 0 former versions of 'good'"),
        ("submit a/b --restore 1", f"{NAME} 'a/b'."),
        ("submit good.py good.py --to https://arena.example.org", "At an arena, one bot is handed in"),
        ("submit good.py --to https://arena.example.org --as amy", "At an arena, one bot is handed in"),
        ("submit bots/ann.py", "bots/ann.py is in that folder already; there is nothing to submit."),
        ("submit named/ann.py", "The name 'ann' is taken by bots/ann.py. Rename yours, or replace it with --replace."),
        ("submit mice.py", "The name 'mice' is taken by bots/mice.toml."),
        ("bots --bots bost", "found nothing at bost. Did you mean 'bots'?"),
        (f"bots --bots {FAR}", "xxx"),
        ("games magilla", "Did you mean 'magillat'?"),
        ("games --to rats", "--to needs the folder of a league"),
        ("init new --game rja", "There is no config for a class that plays 'rja'. Did you mean 'raj'?"),
        ("match raj", "Missing argument 'BOT...'"),
        ("match raj ann", "raj: it is played by 2 to 5 players, not by 1."),
        ("match raj ann bop", "There is no bot 'bop' in bots, in this folder or among the shipped bots."),
        ("match raj ann bots/bop.py", "There is no file 'bots/bop.py'. Did you mean 'bots/bob.py'?"),
        ("match raj ann rats/rat.py", "rat does not play raj (its games: braverats)."),
        ("match raj sized.py ann bob cid", "sized does not play at tables of 4 (its players: 2 and 3)."),
        ("match raj ann bob --option tie=1", "raj: expected a key of the options (tie_break), found 'tie'."),
        ("match raj ann bob --option tie_break", "expected NAME=VALUE, such as mime=true, found 'tie_break'."),
        ("match raj ann bob --option tie_break=[", "the value of tie_break:1: expected YAML"),
        ("match raj ann bob --seed -1", "expected a whole number from 0"),
        (f"match raj ann bob --bots {FAR}", "xxx"),
        ("match braverats cid cid --option mime=yes", "found 'yes'. Did you mean true?"),
        ("match braverats cid cid --option mime=OFF", "found 'OFF'. Did you mean false?"),
        ("match braverats cid cid --option mime=", "expected mime as true or false, found nothing."),
        ("play raj", "Missing option '--vs'"),
        ("play raj --vs random --seat 3", "the seats are 1 to 2"),
        ("play raj --vs random --seat 0", "expected a whole number of at least 1, found 0."),
        ("play raj --vs rats/rat.py", "rat does not play raj (its games: braverats)."),
        ("play raj --vs bob --save nowhere/z.json", "cannot be written: there is no folder nowhere."),
        (f"play raj --vs ann --save {FAR}/z.json", "xxx"),
        ("find results/small --bot an", "There is no bot 'an' in this league. Did you mean 'ann'?"),
        ("find results/small --bot ann --against nobody", "There is no bot 'nobody' in this league."),
        ("find results/small --lost", "Say whose games are wanted: name a bot."),
        ("find results/small --against bob", "Say whose games are wanted"),
        ("find results/small --worst 3", "Say whose worst games are wanted: name a bot."),
        ("find results/small --bot ann --against ann", "Expected two different bots, found 'ann' twice."),
        ("find results/small --bot ann --lost --won", "--won and --lost cannot be combined."),
        ("find results/small --closest 1 --upsets 1", "--closest and --upsets cannot be combined."),
        ("find results/small --json --to x.csv", "--json and --to cannot be combined."),
        ("find results/small --to x.xls", "x.xls"),
        ("find results/small --to nowhere/x.csv", "nowhere"),
        ("find results/small --moves", "--moves goes with --to FILE."),
        ("find results/small --moves --to x.csv --bot ann --lost", "--lost does not go with --moves"),
        ("find results/small --limit 0", "expected a whole number of at least 1, found 0."),
        ("find results/small --blunders", "--blunders needs --bot: whose decisions?"),
        ("find results/small --bot ann --blunders --to x.csv", "--to and --blunders cannot be combined."),
        ("find results/small --bot ann --blunders --upsets 2", "--blunders and --upsets cannot be combined."),
        ("find results/small --bot ann --games 2", "--games goes with --blunders; --limit is how many games are"),
        ("faults results/small anm", "There is no bot 'anm' in this league. Did you mean 'ann'?"),
        ("replay results/small", "A league's folder needs an ADDRESS such as raj-2p:ann+bob:17.1, or a BOT."),
        ("replay no.json", "no.json cannot be read: No such file"),
        ("replay note.txt", "note.txt: This is not JSON"),
        (f"replay game.json {ADDRESS}", "An ADDRESS goes with the folder of a league; a replay's FILE takes none."),
        ("replay game.json --again", "--again goes with a game of a league's folder"),
        (f"replay empty {ADDRESS}", "There are no results in empty"),
        (f"replay {FAR}", "xxx"),
        (f"replay {FAR} {ADDRESS}", "xxx"),
        ("replay results/small raj", "There is no bot 'raj' in this league."),
        ("replay results/small raj-2p:ann+bob:x.0", "An address looks like "),
        (f"replay results/small raj-2p:ann+bob:{'9' * 5000}.0", "An address looks like "),
        ("replay results/small raj-4p:ann+bob:0.0", "This league has no contest 'raj-4p'; it has raj-2p."),
        ("replay results/small raj-2p:ann+bop:0.0", "there is no bot 'bop'. Did you mean 'bob'?"),
        ("replay results/small raj-2p:ann+ann:0.0", "No game of raj-2p is between ann and ann: they never met."),
        ("replay results/small raj-2p:ann+bob:8.0", "is not in this league: deals go from 0 to 7 and rotations from"),
        ("replay results/small raj-2p:ann+bob:0.2", "is not in this league: deals go from 0 to 7 and rotations from"),
        ("replay results/small ann --fault", "There are no games that ann played with a fault of its own."),
        ("replay results/small anm --lost", "Did you mean 'ann'?"),
        (f"replay results/small {ADDRESS} --lost", "--lost goes with a BOT, whose game it is."),
        (f"replay results/small {ADDRESS} --worst", "--worst goes with a BOT, whose game it is."),
        (f"replay results/small {ADDRESS} --step 16", "Expected a step from 1 to 15, found 16: the game was over"),
        (f"replay results/small {ADDRESS} --playouts 50", "--playouts goes with --curve."),
        (f"replay results/small {ADDRESS} --curve --playouts 7", "expected a whole number from 8 to 100000, found 7."),
        (f"replay results/small {ADDRESS} --curve --html", "--curve and --html cannot be combined."),
        (f"replay results/small {ADDRESS} --curve --step 3", "--curve and --step cannot be combined."),
        (f"replay results/small {ADDRESS} --json --html", "--json and --html cannot be combined."),
        ("replay results/small ann --games 2", "--games goes with --with."),
        ("replay results/small --with ann", "--with needs NAME=BOT, such as amy=new_amy.py, not 'ann'."),
        ("replay results/small --with anm=good.py", "Did you mean 'ann'?"),
        ("replay results/small --with ann=goood.py", "There is no file 'goood.py'. Did you mean 'good.py'?"),
        ("replay results/small --with ann=bots/ann.py", "ann.py is the same as the ann that played."),
        ("replay results/small --with ann=nobot.py", "expected a class named Bot"),
        ("replay results/small raj-2p:bob+cid:3.0 --with ann=misspelt.py", "found 'ray'. Did you mean 'raj'?"),
        (f"replay results/small {ADDRESS} --with cid=good.py", "cid does not play in raj-2p:ann+bob:0.0."),
        ("replay results/small --with ann=mice.py", "mice.py is the same as the ann that played."),
        (f"replay results/small {ADDRESS} --with ann=bots/bob.py --lost", "An ADDRESS is one game; options that"),
        ("replay results/small --with ann=bots/bob.py --html", "--html does not go with --with."),
        ("doctor --game raj", "--game goes with --speed."),
        ("completion csh", "'csh' is not one of"),
    ],
)  # fmt: skip
def test_what_cannot_be(line, told):
    assert told in refused(*(word.strip("'") for word in line.split(" ")))


@each(
    ("words", "told"),
    [
        ("none.py", "There is no file 'none.py'"),
        ("note.txt", "expected a file that ends in .py or .toml"),
        ("syntax.py", "syntax.py:2: expected Python, found a syntax error"),
        ("nobot.py", "expected a class named Bot at the top level, found none"),
        ("misspelt.py", "found 'ray'. Did you mean 'raj'?"),
        ("empty", "expected bot.py or bot.toml in the folder, found neither"),
        ("good.py --config none.yaml", "There is no config file 'none.yaml'"),
        ("good.py --config wrong.yaml", "Did you mean 'deals'?"),
        ("rats/rat.py --config small.yaml", "rats/rat.py plays none of this league's contests (raj-2p)."),
        ("good.py --game braverats", "does not play braverats (its games: raj)"),
        ("good.py --game ray", "Did you mean 'raj'?"),
        ("good.py --workers 0", "expected a whole number from 1 to 1024, found 0"),
    ],
)
@each("command", ["check", "submit"])
def test_bots_that_cannot_be_tried(command, words, told):
    assert told in refused(command, *words.split())


@each(
    ("written", "told"),
    [
        ("[{bot: low, game: ray}]", "class.yaml:4: expected a game or contest of this league (raj-2p), found 'ray'"),
        ("[{bot: low, game: raj-5p}]", "found 'raj-5p'. Did you mean 'raj-2p'?"),
        ("[{title: First}]", "class.yaml:4: expected the key 'bot'"),
        ("[{bot: low, point: 3}]", "Did you mean 'points'?"),
        ("[{bot: low, points: many}]", "found 'many'"),
        ("[{bot: low, points: -1}]", "found -1"),
        ("[{bot: low, margin: -0.5}]", "found -0.5"),
        ("[low]", "found 'low'"),
        ("low", "found 'low'"),
        ("[{bot: low}, {bot: low, bot: low}]", "bot"),
    ],
)
def test_milestones_that_cannot_be(written, told):
    Path("class.yaml").write_text(f"{CLASS}{written}\n")
    try:
        assert told in refused("check", "good.py", "--config", "class.yaml")
    finally:
        Path("class.yaml").unlink()


@each(
    ("files", "told"),
    [
        ("nobot.py good.py", ["nobot.py: expected a class named Bot", "1 of 2 bots was submitted."]),
        ("none.py syntax.py", ["There is no file 'none.py'", "syntax.py:2:", "0 of 2 bots were submitted."]),
        ("good.py copy/good.py", ["Two bots are called 'good'", "Submit one of them with --as NAME."]),
        ("note.txt empty good.py", ["note.txt: expected a file that ends in .py", "empty: expected bot.py"]),
    ],
)
def test_several_are_submitted_without_the_wrong_ones(files, told):
    result = CliRunner().invoke(league, ["submit", *files.split(), "--isolation", "trusted", "--workers", "1"])
    there = Path("bots/good.py").exists()
    Path("bots/good.py").unlink(missing_ok=True)
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert all(words in result.output for words in told)
    assert there == ("good.py" in files)


def test_a_league_that_is_being_played():
    with Store.create(Path("results/small")):
        assert f"results/small is being played by process {os.getpid()} on " in refused("run", "small.yaml")
