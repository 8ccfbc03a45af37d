"""Bots are found in a fixed order and read without being run; what cannot play is told with its reason."""

import os
from hashlib import blake2b
from pathlib import Path

import pytest

from league.errors import RosterError
from league.setup import bot_source
from league.setup.roster import find, load, refuse_strangers, scan, told_apart, usual_contests
from league.tools.files import shipped
from league.values.block import Entrant
from tests.tables import each

GOOD = "class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"
GAMES = "braverats, cheese_rescue, magillat, raj"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Tests stand in an empty folder, so that paths in messages are short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, text: str | bytes = GOOD) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_folder_is_read_in_sorted_order():
    for name in ("cleo", "ann", "Bob", "_helper", ".half"):
        write(f"bots/{name}.py")
    write("bots/README.md")
    roster = scan(["bots"], Path())
    assert [bot.name for bot in roster.bots] == ["Bob", "ann", "cleo"]
    assert roster.broken == ()


def test_patterns_are_relative_to_the_base_and_a_file_counts_once():
    for name in ("a/ann", "a/b/bob", "c/cleo", "c/dora"):
        write(f"{name}.py")
    roster = scan(["../a", "../a/**/*.py", "dora.py"], Path("c"))
    assert [bot.name for bot in roster.bots] == ["ann", "bob", "dora"]


def test_bot_is_described_without_being_run():
    source = '''"""The file."""
open("i-was-here", "w")
class Bot:
    """Bids low.

    For reasons.
    """
    games = ["raj", "magillat"]
    open("me-too", "w")
    def choose(self, view): return 1
'''
    path = write("ann.py", source)
    (bot,) = scan(["ann.py"], Path()).bots
    assert (bot.name, bot.path, bot.source) == ("ann", path.absolute(), source.encode())
    assert bot.hash == blake2b(source.encode(), digest_size=16).hexdigest()
    assert (bot.summary, bot.games, bot.language) == ("Bids low.", ("raj", "magillat"), "python")
    assert bot.plays("raj")
    assert not bot.plays("braverats")
    assert bot.entrant() == Entrant("ann", bot.hash)
    assert sorted(Path().iterdir()) == [Path("ann.py")]


@each(
    "source",
    [
        GOOD.replace("Bot:", "Bot(Base):") + "class Base: pass",
        "class Base:\n    def choose(self, view): return 0\nclass Bot(Base): pass",
        "class Bot(A):\n    choose = lambda self, view: 0\nclass A(Bot): pass",
        "from abc import ABC\nclass Bot(ABC): pass",  # choose may come from elsewhere: only playing can tell
        "class Bot:\n    @staticmethod\n    def choose(view): return 0",
        "class Bot:\n    def choose(self, view, *rest, depth=3): return 0",
        "class Bot:\n    def choose(*args): return 0",
        "class Bot:\n    def __init__(self, table, depth=3): pass\n    def choose(self, view): return 0",
        "class Bot:\n    def start(self): pass\n    def start(self, table): pass\n    def choose(self, view): return 0",
        "class A:\n    def start(self): pass\nclass Bot(A):\n    start = print\n    def choose(self, view): return 0",
        "class A:\n    def start(self): pass\nclass Bot(B, A):\n    def choose(self, view): return 0",
        "@made\nclass Bot:\n    def __init__(self): pass\n    def choose(self, view): return 0",
        "class Bot:\n    @staticmethod\n    def finish(outcome): pass\n    def choose(self, view): return 0",
        "class Bot:\n    def finish(self, outcome, view): pass\n    def choose(self, view): return 0",
        "class Bot:\n    games: tuple = ('raj',)\n    def choose(self, view, /): return '\\d'",
        "\ufeff" + GOOD,
        "games = 0\nplayed = ('raj',)\n" + GOOD,
        "games = ['raj']\nclass Bot:\n    games = ('raj',)\n    def choose(self, view): return 0",
    ],
)
def test_bots_may_be_written_in_many_ways(source):
    write("ann.py", source)
    assert scan(["ann.py"], Path()).broken == ()


def test_games_and_docstring_may_come_from_elsewhere_in_the_file():
    write(
        "ann.py", '"""Shared."""\nclass A:\n    games = ("raj",)\nclass Bot(A):\n    def choose(self, view): return 0'
    )
    bot = load(Path("ann.py"))
    assert (bot.summary, bot.games) == ("Shared.", ("raj",))


BOT = "class Bot:\n    games = {}\n    def choose(self, view): return 0\n"

BROKEN = [
    (
        "class Bot:\n  def choose(self, view): return 1 +",
        "ann.py:2: expected Python, found a syntax error: invalid syntax.",
    ),
    ("", "ann.py: expected a class named Bot at the top level, found none."),
    ("class bot: pass", "ann.py: expected a class named Bot at the top level, found none. Did you mean 'bot'?"),
    (
        "x = 1\nclass Bot:\n    def chose(self, view): return 0",
        "ann.py:2: expected a method choose(self, view) in class Bot, found none. Did you mean 'chose'?",
    ),
    ("class Bot:\n    def choose(self): return 0", "ann.py:2: expected choose(self, view), found choose(self)."),
    (
        "class Bot:\n    def choose(self, view, rng, *, depth): return 0",
        "ann.py:2: expected choose(self, view), found choose(self, view, rng, depth).",
    ),
    (
        "class Bot:\n    def __init__(self): pass\n    def choose(self, view): return 0",
        "ann.py:2: expected __init__(self, table), found __init__(self).",
    ),
    (
        "class Bot:\n    def choose(self, view): return 0\n    def finish(self): pass",
        "ann.py:3: expected finish(self, outcome) or finish(self, outcome, view), found finish(self).",
    ),
    (
        "class Bot:\n    def choose(self, view): return 0\n    def finish(self, outcome, view, table): pass",
        "ann.py:3: expected finish(self, outcome) or finish(self, outcome, view), "
        "found finish(self, outcome, view, table).",
    ),
    (
        "class Bot:\n    async def choose(self, view): ...",
        "ann.py:2: expected a plain 'def choose', found 'async def'.",
    ),
    (
        BOT.format('("raj")'),
        """ann.py:2: expected games as a tuple of 1 to 100 names, such as ("raj",), found 'raj'.""",
    ),
    (
        BOT.format("()"),
        """ann.py:2: expected games as a tuple of 1 to 100 names, such as ("raj",), found an empty list.""",
    ),
    (BOT.format("(1,)"), "ann.py:2: expected each of games as text, found 1."),
    (
        BOT.format("tuple(open('x'))"),
        """ann.py:2: expected games written out, such as ("raj",), found something that has to be computed.""",
    ),
    (
        BOT.format("1" + "+1" * 400),
        """ann.py:2: expected games written out, such as ("raj",), found something that has to be computed.""",
    ),
    (BOT.format('("rja",)'), f"ann.py:2: expected games among {GAMES}, found 'rja'. Did you mean 'raj'?"),
    (
        BOT.format('("raj",)\n    players = 2'),
        "ann.py:3: expected players as a tuple of numbers, such as (2,), found 2.",
    ),
    (
        BOT.format('("raj",)\n    players = (True,)'),
        "ann.py:3: expected each of players as a whole number from 1 to 1000, found true.",
    ),
    (
        BOT.format('("raj",)\n    players = (7,)'),
        "ann.py:3: expected players among 2, 3, 4, 5 (the tables of its games), found 7.",
    ),
    (
        BOT.format('("raj",)\n    players = tuple(range(2, 4))'),
        "ann.py:3: expected players written out, such as (2,), found something that has to be computed.",
    ),
    (b"# caf\xe9\n", "ann.py:1: expected text in UTF-8, found the byte 0xe9. Save the file as UTF-8."),
    ("\n\0", "ann.py:2: expected Python, found a zero byte."),
    ("-" * 200_000 + "1", "ann.py: expected Python, found a text nested too deeply or too long to be parsed."),
    ("1" + "+1" * 200_000, "ann.py: expected Python, found a text nested too deeply or too long to be parsed."),
    ("#" * 1_000_001, "ann.py: expected at most 1,000,000 bytes, found 1,000,001."),
]


@each(("source", "told"), BROKEN)
def test_broken_file_is_reported_and_the_others_play(source, told):
    write("bots/ann.py", source)
    write("bots/bob.py")
    roster = scan(["bots"], Path())
    assert [bot.name for bot in roster.bots] == ["bob"]
    assert [str(broken) for broken in roster.broken] == [f"bots/{told}"]
    with pytest.raises(RosterError) as raised:
        roster.refuse_broken()
    assert str(raised.value) == f"bots/{told}"


@pytest.mark.parametrize("name", ["a b", "-ann", "ann.old", "x" * 65, "a:b", "a+b", "\x1b[2J"])
def test_names_that_would_spoil_addresses_and_pages_are_refused(name):
    write(f"{name}.py")
    (broken,) = scan(["."], Path()).broken
    assert broken.reason.startswith("expected a file name of 1 to 64 letters")
    assert str(broken).isprintable()


@pytest.mark.parametrize(
    ("name", "better"),
    [("My Bot (final)", "My_Bot_final"), ("gr\u00f6\u00dfe 2", "gr\u00f6\u00dfe_2"), ("-ann", "ann")],
)
def test_a_better_name_is_proposed(name, better):
    write(f"{name}.py")
    (broken,) = scan(["."], Path()).broken
    assert broken.reason.endswith(f" Rename it to '{better}.py', for instance.")


def test_letters_of_any_language_make_a_name():
    write("bots/Zoë-2.py")
    assert [bot.name for bot in scan(["bots"], Path()).bots] == ["Zoë-2"]


def test_non_files_are_reported():
    Path("bots/dir.py").mkdir(parents=True)
    Path("bots/endless.py").symlink_to("/dev/zero")
    Path("bots/gone.py").symlink_to("nowhere")
    os.mkfifo("bots/pipe.py")
    assert [str(broken) for broken in scan(["bots"], Path()).broken] == [
        "bots/dir.py: expected bot.py or bot.toml in the folder, found neither. "
        "A folder that is no bot begins with '_'.",
        "bots/endless.py: expected a bot, found a link that leads out of its folder. "
        "Copy there what it leads to, or name it in the config.",
        "bots/gone.py: cannot be read: No such file or directory.",
        "bots/pipe.py: expected a file, found something else.",
    ]


def test_two_bots_of_one_name_are_refused():
    write("a/ann.py")
    write("b/ann.py")
    with pytest.raises(RosterError) as raised:
        scan(["a", "b"], Path())
    assert str(raised.value) == "Two bots are called 'ann': a/ann.py and b/ann.py. Rename one of them."


def test_all_patterns_without_bots_are_reported_at_once():
    with pytest.raises(RosterError) as raised:
        scan(["here", "there/*.py"], Path())
    assert str(raised.value).split("\n") == [
        "Expected a folder, file or glob with bots, found nothing at here.",
        "Expected a folder, file or glob with bots, found nothing at there/*.py.",
    ]


def test_a_pattern_that_finds_nothing_suggests_what_is_beside_it():
    write("bots/raj_nearest.py")
    for pattern, near in [("bost", "bots"), ("bots/raj_nearst.py", "bots/raj_nearest.py")]:
        with pytest.raises(RosterError, match=rf"found nothing at {pattern}\. Did you mean '{near}'\?"):
            scan([pattern], Path())


def test_a_league_names_the_nearest_bot():
    write("bots/ann.py")
    roster = scan(["bots"], Path())
    assert roster.named("ann") == roster.bots[0]
    with pytest.raises(RosterError) as raised:
        roster.named("anne")
    assert str(raised.value) == "There is no bot 'anne' among the 1 bot of this league. Did you mean 'ann'?"


def bot_with(line: str) -> str:
    return f"class Bot:\n    {line}\n    def choose(self, view): return 0\n"


LONG = "0x" + "f" * 5000
COSTLY = {
    "surrogate.py": (bot_with(r'"""\ud800"""'), "expected a docstring that UTF-8 can write"),
    "players.py": (bot_with(f"players = {LONG}"), "expected players as a tuple of numbers"),
    "tables.py": (bot_with(f"players = (2, {LONG})"), "expected each of players as a whole number from 1 to 1000"),
    "games.py": (bot_with(f"games = {{{LONG}}}"), "expected games as a tuple"),
    "baseline.py": (bot_with(f"baseline = {LONG}"), "expected baseline as true or false, found a very long number"),
    "decimal.py": (bot_with("players = " + "9" * 5000), "expected Python, found a syntax error: Exceeds the limit"),
    "many.py": (bot_with("games = (" + '"raj",' * 2000 + ")"), "found a list of 2000"),
    "opens.py": (
        bot_with('games = ("openspiel:efg_game(filename=/etc/passwd)",)'),
        "expected games without parameters, found 'openspiel:efg_game(filename=/etc/passwd)'. "
        "Write 'openspiel:efg_game'.",
    ),
    "family.py": (bot_with('games = ("openspiel:../x",)'), "expected games among"),
    "digits.toml": ("players = " + "9" * 5000, "expected TOML, found a number with thousands of digits"),
    "dots.toml": ("a" + ".a" * 16_000 + " = 1", "expected at most 256 dots in a line, found 16,000"),
    "large.toml": ("#" * 100_001, "expected at most 100,000 bytes, found 100,001"),
    b"caf\xe9.py".decode("utf-8", "surrogateescape"): (GOOD, "expected a file name of 1 to 64 letters"),
}


@pytest.mark.parametrize("name", COSTLY, ids=ascii)
def test_a_bot_whose_text_would_stop_the_league_is_left_out(name):
    text, reason = COSTLY[name]
    write(f"bots/{name}", text)
    write("bots/ann.py")
    roster = scan(["bots"], Path())
    assert [bot.name for bot in roster.bots] == ["ann"]
    (broken,) = roster.broken
    assert reason in str(broken)
    assert len(str(broken)) < 400
    f"{broken} {broken.name}".encode()  # it can be stored and shown


def test_a_long_text_is_parsed_by_another_process_with_limits(monkeypatch):
    filler = "\n" + "#" * bot_source.PARSED_HERE + "\n"
    write("bots/ann.py", bot_with('"""Plays."""\n    games = ("raj",)') + filler)
    write("bots/bob.py", bot_with("games = 7") + filler)
    write("bots/cy.py", GOOD + "x = [" + "0," * 400_000 + "]\n")
    parsed = []
    monkeypatch.setattr(bot_source, "_parsed", lambda source: parsed.append(source))
    smaller = "; import league.setup.bot_source as b; b.PARSER_MEMORY = 1 << 27; from league"
    monkeypatch.setattr(bot_source, "_START", bot_source._START.replace("; from league", smaller))
    roster = scan(["bots"], Path())
    assert parsed == []
    assert [(bot.name, bot.summary, bot.games) for bot in roster.bots] == [("ann", "Plays.", ("raj",))]
    assert [str(broken).partition(": ")[2] for broken in roster.broken] == [
        'expected games as a tuple of 1 to 100 names, such as ("raj",), found 7.',
        "expected Python, found a text nested too deeply or too long to be parsed.",
    ]


class TestPrograms:
    """Bots in other languages."""

    TOML = 'command = ["python3", "-u", "./main.py", "lib/rules.py"]\ndescription = "Plays."\ngames = ["raj"]\n'

    def test_a_file_describes_a_program(self):
        write("bots/prog.toml", self.TOML)
        (bot,) = scan(["bots"], Path()).bots
        assert (bot.name, bot.summary, bot.games, bot.language) == ("prog", "Plays.", ("raj",), "program")
        assert bot.command == ("python3", "-u", "./main.py", "lib/rules.py")
        assert bot.hash == blake2b(self.TOML.encode(), digest_size=16).hexdigest()

    @pytest.mark.parametrize("word", ["raj_habits.py", "./raj_habits.py", "raj_habits/bot.py", "../bots/raj_habits.py"])
    def test_a_file_cannot_borrow_what_lies_beside_it(self, word):
        """Such a program read another author's source, and that bot was no longer in the league."""
        write("bots/raj_habits/bot.py" if word.endswith("/bot.py") else "bots/raj_habits.py")
        write("bots/thief.toml", f'command = ["python3", "-c", "pass", "{word}"]')
        roster = scan(["bots"], Path())
        assert [bot.name for bot in roster.bots] == ["raj_habits"]
        assert [str(broken) for broken in roster.broken] == [
            f"bots/thief.toml: expected a command of system programs, found {word!r}, which lies beside it. "
            "Make a folder thief of its own files, and call this one bot.toml in it."
        ]

    def test_files_elsewhere_are_none_of_its_business(self):
        write("main.py")
        write("bots/prog.toml", 'command = ["../main.py", "/etc/passwd", "."]')
        assert load(Path("bots/prog.toml")).files == ()

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("\nx = ", "2: expected TOML, found a mistake in its form: Invalid value."),
            (
                'command = ["a"]\n\ncomand = 1',
                "3: expected a key of a bot (command, build, description, games, players), found 'comand'. "
                "Did you mean 'command'?",
            ),
            (
                "description = 'x'",
                " expected the key 'command' in a bot, found none.",
            ),
            (
                "command = 'awk'",
                """1: expected command as a list of words, such as ["awk", "-f", "bot.awk"], found 'awk'.""",
            ),
            (
                'command = ["a", "a\\u0000"]',
                """1: expected each of command as text without zero bytes, found 'a\\x00'.""",
            ),
            ('command = ["a"]\nplayers = 2', "2: expected players as a tuple of numbers, such as (2,), found 2."),
            ('command = ["a"]\ndescription = 5', "2: expected description as text, found 5."),
            ('command = ["a"]\ngames = ["rja"]', f"2: expected games among {GAMES}, found 'rja'. Did you mean 'raj'?"),
        ],
    )
    def test_mistakes_are_reported_with_their_line(self, text, told):
        write("prog.toml", text)
        (broken,) = scan(["prog.toml"], Path()).broken
        assert str(broken) == f"prog.toml:{told}"


@each("asked", ["ann", "bots/ann.py", "./bots/ann.py"])
def test_a_bot_is_found_by_name_or_path(asked):
    write("bots/ann.py")
    assert find(asked).name == "ann"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("anna", "There is no bot 'anna' in bots, in this folder or among the shipped bots. Did you mean 'ann'?"),
        ("bots/an.py", "There is no file 'bots/an.py'. Did you mean 'bots/ann.py'?"),
        ("ann.py", "There is no file 'ann.py'. Did you mean 'bots/ann.py'?"),
        ("two", "Two bots are called 'two': bots/two.py and bots/two.toml."),
        ("bad", "bots/bad.py: expected a class named Bot at the top level, found none."),
        ("x\x1b/y", "There is no file 'x\\x1b/y'."),
    ],
)
def test_missing_bot_suggests_the_nearest(asked, told):
    write("bots/ann.py")
    write("bots/bad.py", "")
    write("bots/two.py")
    write("bots/two.toml", 'command = ["a"]')
    with pytest.raises(RosterError) as raised:
        find(asked)
    assert str(raised.value) == told


def test_random_is_found_where_no_folder_has_it():
    assert find("random").plays("raj")
    assert find("random", "nowhere").name == "random"
    write("bots/random.py")
    assert find("random").source == GOOD.encode()
    with pytest.raises(RosterError, match=r"There is no bot 'randm' .* Did you mean 'random'\?"):
        find("randm")


def test_a_name_is_looked_for_in_the_bots_folder_then_here_then_among_the_shipped_bots():
    assert find("raj_habits").path.parent == shipped("bots")
    write("raj_habits.py")
    assert find("raj_habits").path == Path("raj_habits.py").absolute()
    write("bots/raj_habits.py", GOOD + "# mine")
    assert find("raj_habits").path == Path("bots/raj_habits.py").absolute()
    assert find("raj_habits", "nowhere").path == Path("raj_habits.py").absolute()
    write("ours/bot.py")
    assert find("ours").path == Path("ours").absolute()


def test_a_bot_may_be_given_another_name_of_its_own_kind():
    write("bot.py")
    assert load(Path("bot.py"), name="zoe").name == "zoe"
    with pytest.raises(RosterError, match=r"^Expected a bot's name of 1 to 64 letters"):
        load(Path("bot.py"), name="../zoe")


def test_bots_of_one_name_are_numbered():
    write("ann.py")
    write("ann_2.py")
    ann, other = load(Path("ann.py")), load(Path("ann_2.py"))
    assert [bot.name for bot in told_apart([ann, other, ann, ann])] == ["ann", "ann_2", "ann_3", "ann_4"]
    assert [bot.name for bot in told_apart([ann], taken=["ann"])] == ["ann_2"]
    assert [bot.source for bot in told_apart([ann, ann])] == [ann.source] * 2


class TestPlayers:
    """A bot says which tables it plays."""

    def test_at_other_tables_it_does_not_play(self):
        write("ann.py", GOOD.replace("    def", '    games = ("raj", "braverats")\n    players = [3, 2]\n    def'))
        ann = load(Path("ann.py"))
        assert ann.players == (3, 2)
        assert ann.plays("raj")
        assert [players for players in range(2, 6) if ann.plays("raj", players)] == [2, 3]
        assert not ann.plays("magillat", 3)
        assert [contest.key for contest in usual_contests(ann)] == ["raj-2p", "raj-3p", "braverats-2p"]

    def test_who_is_asked_to_another_table_is_refused_by_name(self):
        write("ann.py", GOOD.replace("    def", "    players = (2, 3)\n    def"))
        ann = load(Path("ann.py"))
        refuse_strangers("raj", [ann], 3)
        with pytest.raises(RosterError) as raised:
            refuse_strangers("raj", [ann], 4)
        assert str(raised.value) == "ann does not play at tables of 4 (its players: 2 and 3)."


def test_copies_under_several_names_are_found():
    for name in ("ann", "bob", "cleo"):
        write(f"bots/{name}.py", GOOD if name != "bob" else GOOD + "#")
    write("bots/dora/bot.py", GOOD + "# other\n")
    write("bots/eve/bot.py", GOOD + "# other\n")
    copies = scan(["bots"], Path()).copies()
    assert [[bot.name for bot in same] for same in copies] == [["ann", "cleo"], ["dora", "eve"]]


class TestFolders:
    """A bot that is a folder."""

    def test_it_is_a_bot_with_all_its_files(self):
        write("bots/amy/bot.py", "import mylib\n" + GOOD)
        write("bots/amy/mylib.py", "x = 1")
        write("bots/amy/data/net.bin", b"\0\1")
        (amy,) = scan(["bots"], Path()).bots
        assert (amy.name, amy.path) == ("amy", Path("bots/amy").absolute())
        assert [file.path for file in amy.files] == ["bot.py", "data/net.bin", "mylib.py"]
        assert amy.source == amy.files[0].content
        assert find("amy") == find("bots/amy") == find("bots/amy/") == find("bots/amy/bot.py") == amy

    def test_a_program_has_its_files_in_it(self):
        write("bots/prog/bot.toml", 'command = ["sh", "main.sh"]')
        write("bots/prog/main.sh", "echo")
        (prog,) = scan(["bots"], Path()).bots
        assert (prog.command, [file.path for file in prog.files]) == (("sh", "main.sh"), ["bot.toml", "main.sh"])

    @pytest.mark.parametrize(
        ("files", "told"),
        [
            (
                ["main.py"],
                ": expected bot.py or bot.toml in the folder, found neither. A folder that is no bot begins with '_'.",
            ),
            (["bot.py", "bot.toml"], ": expected either bot.py or bot.toml, found both. Rename one of them."),
            (
                ["bot.py", "random.py"],
                "/bot.py: expected no module called like Python's 'random', found 'random.py'. Rename it.",
            ),
            (
                ["bot.py", "json/__init__.py"],
                "/bot.py: expected no module called like Python's 'json', found 'json/__init__.py'. Rename it.",
            ),
            (
                ["bot.py", "unicodedata.pyc"],
                "/bot.py: expected no module called like Python's 'unicodedata', found 'unicodedata.pyc'. Rename it.",
            ),
        ],
    )
    def test_broken_folder_is_reported(self, files, told):
        for name in files:
            write(f"bots/amy/{name}")
        write("bots/bob.py")
        roster = scan(["bots"], Path())
        assert [bot.name for bot in roster.bots] == ["bob"]
        assert [str(broken) for broken in roster.broken] == [f"bots/amy{told}"]
        assert roster.broken[0].name == "amy"

    def test_mistake_in_its_file_is_reported_with_its_line(self):
        write("bots/amy/bot.py", "\nclass Bot:\n    def choose(self): return 0")
        (broken,) = scan(["bots"], Path()).broken
        assert str(broken) == "bots/amy/bot.py:3: expected choose(self, view), found choose(self)."
        assert broken.name == "amy"

    def test_folders_without_code_or_with_a_special_name_are_left_alone(self):
        for name in ("data/notes.txt", "_old/bot.py", ".versions/amy/1/bot.py", "ann.py"):
            write(f"bots/{name}")
        roster = scan(["bots"], Path())
        assert ([bot.name for bot in roster.bots], roster.broken) == (["ann"], ())

    def test_a_name_is_a_folder_or_a_file(self):
        write("bots/amy.py")
        write("bots/amy/bot.py")
        with pytest.raises(RosterError, match=r"Two bots are called 'amy': bots/amy\.py and bots/amy\."):
            find("amy")
        with pytest.raises(RosterError, match="Two bots are called 'amy'"):
            scan(["bots"], Path())

    @pytest.mark.parametrize("pattern", ["bots/amy", "bots/amy/bot.py", "bots/*", "bots/**/*.py", "bots/**/my*.py"])
    def test_patterns_lead_to_the_whole_folder(self, pattern):
        write("bots/amy/bot.py")
        write("bots/amy/mylib.py", "x = 1")
        roster = scan([pattern], Path())
        assert ([bot.name for bot in roster.bots], roster.broken) == (["amy"], ())

    def test_a_file_bot_py_makes_no_bot_of_a_folder_of_bots(self):
        """One author's file must not take the league from all others."""
        write("bots/ann.py")
        write("bots/bob/bot.py")
        write("bots/bot.py")
        roster = scan(["bots"], Path())
        assert [bot.name for bot in roster.bots] == ["ann", "bob"]
        assert [str(broken) for broken in roster.broken] == [
            "bots/bot.py: expected another name: a file bot.py makes a bot of the folder that it is in."
        ]

    def test_links_out_of_the_folder_of_bots_are_refused_unless_named(self):
        write("private/best.py")
        write("private/amy/bot.py")
        Path("bots").mkdir()
        Path("bots/eve.py").symlink_to("../private/best.py")
        Path("bots/amy").symlink_to("../private/amy")
        roster = scan(["bots"], Path())
        assert roster.bots == ()
        assert [broken.name for broken in roster.broken] == ["amy", "eve"]
        assert all("a link that leads out of its folder" in broken.reason for broken in roster.broken)
        assert [bot.name for bot in scan(["bots/eve.py", "bots/amy"], Path()).bots] == ["amy", "eve"]
