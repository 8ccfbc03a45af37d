"""A config file gives typed values, or one line for its first mistake."""

import subprocess
import sys
from pathlib import Path

import pytest

from league import games
from league.cli.new import game_file
from league.errors import ConfigError
from league.games.braverats import BraveRats
from league.games.raj import Raj
from league.setup.config import load, parse
from league.values.settings import Config, Contest, Event, Isolation, Limits, Rating, Settle, Stop
from tests.tables import each

ROOT = Path(__file__).parents[2]
CONFIGS = sorted([*ROOT.glob("configs/*.yaml"), *ROOT.glob("examples/*.yaml")])

WHOLE = """\
league: evening
seed: 7
bots: [bots, "more/*.py"]
games:
  - game: raj
    players: [2, 3]
    options: {tie_break: highest_mouse}
    deals: 12
    games_per_match: 4
    max_lineups: 9
  - {game: braverats, deals: 5}
schedule: {gauntlet: ann}
isolation: process
limits: {move_ms: 20, match_ms: 3000, start_ms: 400, memory_mb: 100, max_faults: 2}
rating: {system: trueskill, mode: online, mu: 0, sigma: 2, beta: 1.5, tau: 0.1, draw_probability: 0.25}
"""

SMALLEST = """\
league: small
bots: bots
games: [{game: raj}]
"""


def mistake(text: str) -> str:
    """What is told about a text."""
    with pytest.raises(ConfigError) as raised:
        parse(text, Path(), "x.yaml")
    return str(raised.value)


def with_line(line: str) -> str:
    """The smallest config and one more line; it is line 4."""
    return SMALLEST + line + "\n"


def with_game(entry: str) -> str:
    """A config whose only game is `entry`; it is line 4."""
    return f"league: small\nbots: bots\ngames:\n  - {entry}\n"


def test_every_key_is_read(tmp_path):
    raj = {"tie_break": "highest_mouse"}
    assert parse(WHOLE, tmp_path) == Config(
        name="evening",
        seed=7,
        bots=("bots", "more/*.py"),
        base=tmp_path.resolve(),
        events=(
            Event(Contest("raj", 2, raj, Raj.version, games_per_match=4), deals=12, max_lineups=9),
            Event(Contest("raj", 3, raj, Raj.version, games_per_match=4), deals=12, max_lineups=9),
            Event(Contest("braverats", 2, {}, BraveRats.version), deals=5),
        ),
        gauntlet="ann",
        isolation=Isolation.PROCESS,
        limits=Limits(move_ms=20, match_ms=3000, start_ms=400, memory_mb=100, max_faults=2),
        rating=Rating(mode="online", mu=0, sigma=2, beta=1.5, tau=0.1, draw_probability=0.25),
        text=WHOLE,
    )


def test_what_is_left_out_has_defaults(tmp_path):
    config = parse(SMALLEST, tmp_path)
    assert (config.seed, config.gauntlet, config.isolation) == (None, None, Isolation.SANDBOX)
    assert (config.limits, config.rating) == (Limits(), Rating())
    assert [(contest.key, contest.options) for contest in config.contests()] == [
        ("raj-2p", {})  # the fewest players, the rulebook's options
    ]


def test_limits_of_folders_and_tries_are_no_part_of_what_identifies_results():
    config = parse(with_line("limits: {folder_mb: 100, move_ms: 20, tries: 8}"), Path())
    assert (config.folder_mb, config.tries, config.limits) == (100, 8, Limits(move_ms=20))
    assert (parse(SMALLEST, Path()).folder_mb, parse(SMALLEST, Path()).tries) == (64, None)


def test_options_are_plain_data():
    entry = "{game: cheese_rescue, options: {surface: floating, cheese_points: [1, 2, 3, 4, 5, 9]}}"
    (contest,) = parse(with_game(entry), Path()).contests()
    assert contest.options == {"cheese_points": [1, 2, 3, 4, 5, 9]}, "those that are not the rulebook's"


def test_a_league_may_stop_before_it_is_finished():
    asked = parse(with_line('stop: {after: 1h 30min, at: "6:00", games: 500}'), Path())
    assert asked.stop == Stop(after=5400.0, at="06:00", games=500)
    assert parse(SMALLEST, Path()).stop == Stop()


def test_the_number_of_opponents_may_be_limited():
    (event,) = parse(SMALLEST.replace("raj", "raj, opponents: 7"), Path()).events
    assert (event.opponents, event.max_lineups) == (7, None)


def test_draw_probability_may_be_auto():
    assert parse(with_line("rating: {draw_probability: auto}"), Path()).rating.draw_probability is None


def test_sigma_and_draws_can_be_left_to_the_results():
    rating = parse(with_line("rating: {sigma: auto, draw_probability: auto}"), Path()).rating
    assert rating == Rating(sigma=None, draw_probability=None)


@each("word", ["no", "on", "007", "2026", "1e3", "null-league"])
def test_name_is_read_as_text(word):
    assert parse(SMALLEST.replace("small", word), Path()).name == word


def adaptive(line: str) -> str:
    """The smallest config with an adaptive schedule and another line."""
    return f"{with_line('schedule: adaptive')}{line}\n"


def test_an_adaptive_league_has_a_goal_a_learned_sigma_and_deals_to_spare():
    plain = parse(with_line("schedule: adaptive"), Path())
    assert plain.settle == Settle(places=10)
    assert plain.rating.sigma is None
    assert plain.events[0].deals == 10_000
    asked = parse(adaptive("settle: {interval: 0.5}\nrating: {sigma: 5, beta: 2}"), Path())
    assert asked.settle == Settle(interval=0.5)
    assert (asked.rating.sigma, asked.rating.beta) == (5, 2)
    assert parse(adaptive("rating: {beta: 2}"), Path()).rating.sigma is None
    assert parse(adaptive("settle: {places: 3, within: 0.5}"), Path()).settle == Settle(places=3, within=0.5)
    assert parse(adaptive("settle: {order: all}"), Path()).settle == Settle(order="all")
    assert parse(SMALLEST, Path()).settle is None


KEYS = (
    "league, bots, games, schedule, limits, seed, settle, luck_follows, isolation, rating, moves, page, stop, "
    "milestones, anchors"
)
GAME_KEYS = "game, players, options, games_per_match, deals, max_lineups, opponents, fill, count"
LIMIT_KEYS = "move_ms, match_ms, start_ms, memory_mb, max_faults, folder_mb, tries"
RATING_KEYS = "system, mode, mu, sigma, beta, tau, draw_probability"
GAMES = "braverats, cheese_rescue, magillat, raj"
NAME = "league as a name of 1 to 64 letters, digits, '_' or '-', and no '-' at the beginning (it names a folder)"
SEED = "expected seed as a whole number from 0 to 9223372036854775807"

BAD = [
    # The form of the file
    ("", "1: expected a league's config, found an empty file. See docs/config.md."),
    ("# nothing\n", "1: expected a league's config, found an empty file. See docs/config.md."),
    ("raj", "1: expected a league as keys with values ('{league: NAME}'), found 'raj'."),
    ("- raj", "1: expected a league as keys with values ('{league: NAME}'), found a list."),
    ("league: a\n\tseed: 1", "2: expected spaces at the beginning of the line, found a tab."),
    (
        "league: a: b",
        "1: expected one 'key: value' on a line, found a second ':'. Put text with a colon in quotes, and look whether "
        "the lines above have the same indentation.",
    ),
    (
        "league: a\nbots: [a,\nseed: 1",
        "3: expected YAML, found a mistake in its form: expected ',' or ']', but got '<stream end>', while parsing a "
        "flow sequence that began in line 2.",
    ),
    ("league: \x07", "1: expected text, found the character '\\x07'."),
    (SMALLEST + "---\nleague: b", "4: expected one document, found a second one after '---'."),
    ("[" * 5000, "1: expected a config, found lists or keys nested hundreds of levels deep."),
    # When to stop
    (with_line("stop: 8h"), "4: expected stop as keys with values ('{after: 8h}'), found '8h'."),
    (with_line("stop: {after: 8}"), "4: expected after as a time such as 8h, 90min or 1h 30min, found 8."),
    (with_line("stop: {at: 25:00}"), "4: expected at as a time of day such as 06:00, found '25:00'."),
    (
        with_line("stop: {games: 0}"),
        "4: expected games as a whole number from 1 to 1000000000000000, found 0.",
    ),
    (
        with_line("stop: {for: 8h}"),
        "4: expected a key of stop (after, at, games, rounds), found 'for'. Did you mean 'after'?",
    ),
    # Nothing stands for something else
    (with_line("limits: &fast {}"), "4: expected a plain value, found the anchor 'fast'. Leave it out."),
    (
        with_line("limits: *fast"),
        "4: expected a value, found the alias '*fast'. Write out what it stands for.",
    ),
    (
        with_line("isolation: !!python/name:os.system process"),
        "4: expected a plain value, found the tag 'tag:yaml.org,2002:python/name:os.system'. Leave it out.",
    ),
    (with_line("<<: {seed: 1}"), f"4: expected a key of a league ({KEYS}), found '<<'."),
    (with_line("? [a, b]\n: 1"), "4: expected a word as a key, found a list or keys with values."),
    # Keys
    (with_line("sede: 1"), f"4: expected a key of a league ({KEYS}), found 'sede'. Did you mean 'seed'?"),
    (with_line("bots: b"), "4: expected every key once, found 'bots' again (it is in line 2 already)."),
    ("seed: 1", "1: expected the key 'league' in a league, found none."),
    (SMALLEST.replace("bots: bots", ""), "1: expected the key 'bots' in a league, found none."),
    (SMALLEST.replace("bots:", "bot:"), f"2: expected a key of a league ({KEYS}), found 'bot'. Did you mean 'bots'?"),
    (with_game("players: 2"), "4: expected the key 'game' in a game, found none."),
    (
        with_game("{game: raj, player: 2}"),
        f"4: expected a key of a game ({GAME_KEYS}), found 'player'. Did you mean 'players'?",
    ),
    (
        with_line("limits: {move: 1}"),
        f"4: expected a key of limits ({LIMIT_KEYS}), found 'move'. Did you mean 'move_ms'?",
    ),
    (
        with_line("rating: {sigma: automatic}"),
        "4: expected sigma as auto or a number from 0.001 to 100000, found 'automatic'. Did you mean 'auto'?",
    ),
    (
        with_line("rating: {gamma: 1}"),
        f"4: expected a key of rating ({RATING_KEYS}), found 'gamma'. Did you mean 'sigma'?",
    ),
    # Values
    ("league:\nbots: b\ngames: [game: raj]", f"1: expected {NAME}, found nothing."),
    (
        "league: a/b\nbots: b\ngames: [game: raj]",
        f"1: expected {NAME}, found 'a/b'.",
    ),
    (
        "league: ..\nbots: b\ngames: [game: raj]",
        f"1: expected {NAME}, found '..'.",
    ),
    (
        "league: a\nbots: []\ngames: []",
        "2: expected bots as a folder, file or glob with bots, or a list of them, found an empty list.",
    ),
    (
        "league: a\nbots: {b: c}\ngames: raj",
        "2: expected bots as a folder, file or glob with bots, found keys with values.",
    ),
    ("league: [a]\nbots: b\ngames: []", f"1: expected {NAME}, found a list."),
    ("league: a\nbots: b\ngames: []", "3: expected games as a list of games ('- game: raj'), found an empty list."),
    ("league: a\nbots: b\ngames: raj", "3: expected games as a list of games ('- game: raj'), found 'raj'."),
    (with_line("seed: 010"), f"4: {SEED}, found '010'."),
    (with_line("seed: 1_000"), f"4: {SEED}, found '1_000'."),
    (with_line("seed: -1"), f"4: {SEED}, found -1."),
    (with_line("seed: 1.5"), f"4: {SEED}, found 1.5."),
    (with_line("seed: true"), f"4: {SEED}, found true."),
    (with_line("seed: " + "9" * 5000), f"4: {SEED}, found '{'9' * 59}…'."),
    (
        with_line("schedule: gauntlet"),
        "4: expected schedule as one of round_robin, adaptive or {gauntlet: BOT}, found 'gauntlet'."
        " Did you mean '{gauntlet: BOT}'?",
    ),
    (
        with_line("schedule: adaptve"),
        "4: expected schedule as one of round_robin, adaptive or {gauntlet: BOT}, found 'adaptve'."
        " Did you mean 'adaptive'?",
    ),
    (with_line("settle: {places: 3}"), "4: expected settle only with schedule: adaptive, found it without."),
    (adaptive("settle: 10"), "5: expected settle as keys with values ('{places: 10}'), found 10."),
    (
        adaptive("settle: {place: 10}"),
        "5: expected a key of settle (places, order, interval, within, within_points), found 'place'."
        " Did you mean 'places'?",
    ),
    (adaptive("settle: {within: 1}"), "5: expected settle with one of places, order, interval, found none."),
    (
        adaptive("settle: {places: 10, interval: 1}"),
        "5: expected settle with one of places, order, interval, found places, interval.",
    ),
    (adaptive("settle: {places: 0}"), "5: expected places as a whole number from 1 to 1000000, found 0."),
    (adaptive("settle: {order: some}"), "5: expected order as all, found 'some'."),
    (adaptive("settle: {interval: wide}"), "5: expected interval as a number from 0.001 to 100000, found 'wide'."),
    (
        adaptive("settle: {order: all, within: 0.5}"),
        "5: expected within only beside places, found it without.",
    ),
    (
        "league: small\nbots: bots\ngames: [{game: raj, opponents: 5}]\nschedule: adaptive\n",
        "3: expected no opponents with schedule: adaptive, which chooses the lineups itself.",
    ),
    (
        with_line("schedule: {gantlet: x}"),
        "4: expected a key of schedule (gauntlet), found 'gantlet'. Did you mean 'gauntlet'?",
    ),
    (with_line("schedule: {gauntlet: }"), "4: expected gauntlet as the name of a bot, found nothing."),
    (
        with_line("isolation: sandbx"),
        "4: expected isolation as one of sandbox, process, trusted, found 'sandbx'. Did you mean 'sandbox'?",
    ),
    (with_line("isolation: off"), "4: expected isolation as one of sandbox, process, trusted, found 'off'."),
    (
        with_line("limits: {move_ms: 0,\n  memory_mb: 512 MB}"),
        "4: expected move_ms as a whole number from 1 to 86400000, found 0.",
    ),
    (
        with_line("limits: {move_ms: 1,\n  memory_mb: 512 MB}"),
        "5: expected memory_mb as a whole number from 64 to 1048576, found '512 MB'.",
    ),
    (with_line("limits: 5"), "4: expected limits as keys with values ('{move_ms: 100}'), found 5."),
    (with_line("rating: {system: elo}"), "4: expected system as trueskill, found 'elo'."),
    (
        with_line("rating: {mode: bach}"),
        "4: expected mode as one of batch, online, found 'bach'. Did you mean 'batch'?",
    ),
    (with_line("rating: {beta: 0}"), "4: expected beta as a number from 0.001 to 100000, found 0."),
    (
        with_line("rating: {draw_probability: 1}"),
        "4: expected draw_probability as auto or a number from 0 to 0.999, found 1.",
    ),
    # Games
    (with_game("game: rja"), f"4: expected a game as one of {GAMES}, found 'rja'. Did you mean 'raj'?"),
    (with_game("raj"), "4: expected a game as keys with values ('{game: raj}'), found 'raj'."),
    (with_game("[raj]"), "4: expected a game as keys with values ('{game: raj}'), found a list."),
    (with_game("{game: raj, players: 6}"), "4: expected players of raj as a whole number from 2 to 5, found 6."),
    (with_game("{game: raj, players: [2, 9]}"), "4: expected players of raj as a whole number from 2 to 5, found 9."),
    (with_game("{game: raj, players: two}"), "4: expected players as a whole number, found 'two'."),
    (
        with_game("{game: raj, players: []}"),
        "4: expected players as a whole number, or a list of them, found an empty list.",
    ),
    (
        with_game("{game: raj, players: [2, 2]}"),
        "4: expected each game and number of players once, found raj for 2 again.",
    ),
    (
        with_game("{game: raj, players: [2, 3]}\n  - game: raj\n    players: 3"),
        "5: expected each game and number of players once, found raj for 3 again.",
    ),
    (with_game("{game: raj, deals: 0}"), "4: expected deals as a whole number from 1 to 1000000000, found 0."),
    (
        with_game("{game: raj, deals: 10, games_per_match: 4}"),
        "4: expected deals to be a multiple of games_per_match (4), found 10 deals. Did you mean deals: 12?",
    ),
    (
        with_game("game: raj\n    options:\n      tie_brake: second_best"),
        "6: expected a key of the options of raj (tie_break), found 'tie_brake'. Did you mean 'tie_break'?",
    ),
    (
        with_game("game: raj\n    players: [2, 3]\n    options:\n      tie_break: second"),
        "7: expected tie_break as one of second_best, highest_mouse, found 'second'. Did you mean 'second_best'?",
    ),
    (
        with_game("{game: braverats, options: {mime: yes}}"),
        "4: expected mime as true or false, found 'yes'. Did you mean true?",
    ),
    (
        with_game("game: braverats\n    options: {deal: draft, traitor: true}"),
        "5: braverats: traitor cannot go with deal: draft, since a card given away at random would undo what was "
        "chosen; take one of the two.",
    ),
]


@each(("text", "line"), BAD)
def test_a_mistake_is_one_line_with_its_line_number(text, line):
    assert mistake(text) == f"x.yaml:{line}"


def test_config_has_a_limit_of_size(tmp_path):
    (tmp_path / "long.yaml").write_text("#" * 1_000_001)
    with pytest.raises(ConfigError, match=r"long\.yaml: expected at most 1,000,000 bytes, found 1,000,001\."):
        load(tmp_path / "long.yaml")


def test_long_values_and_keys_are_cut_in_messages():
    for line in ("isolation: " + "x" * 9000, "y" * 9000 + ": 1", "stop: {after: " + "9" * 5000 + "h}"):
        assert len(mistake(with_line(line))) < 300


def test_a_mistake_cannot_take_over_the_terminal():
    line = mistake(with_line('"\\e[2J\\nseed": 1'))
    assert r"found '\x1b[2J\nseed'." in line


def test_bots_are_looked_for_beside_the_file_and_not_before_they_are_needed(tmp_path):
    file = tmp_path / "x.yaml"
    file.write_text(SMALLEST)
    assert (load(file).bots, load(file).base) == (("bots",), tmp_path)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_invalid_utf8_is_reported_with_its_line(tmp_path, mark):
    file = tmp_path / "x.yaml"
    file.write_bytes(mark + "league: a\nbots: café".encode("latin-1"))
    with pytest.raises(ConfigError) as raised:
        load(file)
    assert str(raised.value) == f"{file}:2: expected text in UTF-8, found the byte 0xe9. Save the file as UTF-8."


def test_byte_order_mark_is_ignored(tmp_path):
    (tmp_path / "bots").mkdir()
    (tmp_path / "x.yaml").write_text(SMALLEST, encoding="utf-8-sig")
    assert load(tmp_path / "x.yaml").name == "small"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("quik.yaml", "There is no config file 'quik.yaml'. Did you mean 'quick.yaml'?"),
        ("quick", "There is no config file 'quick'. Did you mean 'quick.yaml'?"),
        ("overnite", "There is no config file 'overnite'. Did you mean 'configs/overnight.yaml'?"),
        ("zzz", "There is no config file 'zzz'. `league init` writes some to start from."),
        ("configs", "Expected a file, found a folder: configs."),
    ],
)
def test_missing_config_suggests_the_nearest(asked, told, tmp_path, monkeypatch):
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs/overnight.yaml").touch()
    (tmp_path / "quick.yaml").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError) as raised:
        load(asked)
    assert str(raised.value) == told


def test_there_is_a_config_for_each_reader():
    assert {file.stem for file in CONFIGS} >= {"quick", "overnight", "class"}
    assert {f"class-{name}" for name in games.names()} <= {file.stem for file in CONFIGS}


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_configs_that_come_along_are_right_and_explained(file):
    config = load(file)
    assert config.name == file.stem
    assert config.text.startswith("#")


def test_loading_imports_nothing_heavy():
    code = (
        f"import sys, league.setup.config; league.setup.config.load({str(CONFIGS[0])!r});"
        "print([name for name in ('numpy', 'pandas', 'scipy', 'trueskill', 'jinja2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


class TestGameFiles:
    def test_a_path_is_relative_to_the_config(self, tmp_path):
        (tmp_path / "rules").mkdir()
        (tmp_path / "rules/crown.py").write_text(game_file("crown"))
        (event,) = parse("league: x\nbots: b\ngames: [{game: ./rules/crown.py, players: 3}]\n", tmp_path).events
        assert (event.contest.game, event.contest.players) == ("crown", 3)
        assert event.contest.source == event.contest.rules().file.hash

    def test_options_and_players_are_checked_by_its_rules(self, tmp_path):
        (tmp_path / "crown.py").write_text(game_file("crown"))
        text = "league: x\nbots: b\ngames:\n  - {game: ./crown.py, players: 7}\n"
        with pytest.raises(ConfigError) as caught:
            parse(text, tmp_path)
        assert "config:4: expected players of crown as a whole number from 2 to 4, found 7." in str(caught.value)

    def test_a_file_that_cannot_be_run_is_a_mistake_of_its_line(self, tmp_path):
        (tmp_path / "crown.py").write_text("x = 1 / 0\n")
        with pytest.raises(ConfigError, match=r"config:3: .*crown\.py:1: the file cannot be run: ZeroDivisionError"):
            parse("league: x\nbots: b\ngames: [{game: ./crown.py}]\n", tmp_path)

    def test_the_same_game_is_there_once(self, tmp_path):
        (tmp_path / "crown.py").write_text(game_file("crown"))
        (tmp_path / "copy.py").write_text(game_file("crown") + "\n")
        text = "league: x\nbots: b\ngames:\n  - game: ./crown.py\n  - game: ./copy.py\n"
        with pytest.raises(ConfigError, match="found crown for 2 again"):
            parse(text, tmp_path)


def test_another_file_is_told_from_a_config_with_a_mistake(tmp_path):
    path = tmp_path / "bot.py"
    path.write_text('"""A bot."""\n\nclass Bot:\n    x = [1,\n')
    with pytest.raises(ConfigError, match=r"which ends in .yaml, found a file that ends in .py"):
        load(path)
