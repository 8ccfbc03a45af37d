"""Bots that `league new --language` writes: they play at once, see what Python bots see, and can be played again."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from league import games
from league.analysis.bot_check import Trial, trials
from league.cli import league
from league.extensions.kits import KITS, class_name, kit_files
from league.extensions.kits.java_views import view_class
from league.games import contract
from league.games.contract import View
from league.hosts.factory import HostFactory
from league.hosts.launcher import ENVIRONMENT
from league.setup.roster import Bot, load
from league.tools.seeds import stretched
from league.values.block import Block, Series
from league.values.settings import Contest, Isolation, Limits
from tests.commands import refused
from tests.hosts.stage import bot, play, trusted
from tests.tables import each

LIMITS = Limits(move_ms=2000, start_ms=20_000)
COMPILERS = {"c": "cc", "go": "go", "java": "javac", "node": "node", "rust": "rustc"}


def needs(language: str) -> None:
    if shutil.which(COMPILERS[language], path=ENVIRONMENT["PATH"]) is None:
        pytest.skip(f"{COMPILERS[language]} is not installed here")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="league-test-") as name, pytest.MonkeyPatch.context() as patch:
        Path(name).chmod(0o755)
        patch.setenv("LEAGUE_CACHE", f"{name}/cache")
        yield Path(name)


@pytest.fixture(scope="module")
def factory(folder: Path) -> Iterator[HostFactory]:
    with HostFactory(Isolation.SANDBOX, LIMITS) as opened:
        yield opened


def new(folder: Path, name: str, *words: str, game: str = "raj") -> Bot:
    result = CliRunner().invoke(league, ["new", name, "--game", game, "--to", str(folder), *words])
    assert result.exception is None, result.exception
    return load(folder / name)


def trial_of(written: Bot, game: str = "raj") -> Trial:
    contest = Contest.of(games.make(game))
    (done,) = trials(written, [contest], Isolation.SANDBOX, LIMITS)
    return done


@pytest.mark.parametrize("language", [pytest.param(name, marks=pytest.mark.slow) for name in KITS])
def test_a_new_bot_plays_at_random_and_reproducibly(folder: Path, language: str) -> None:
    needs(language)
    done = trial_of(new(folder, f"new_{language}", "--language", language))
    assert done.faults == ()
    assert done.not_alike is None
    assert done.starting > 0
    assert done.usage.decisions == 150


SUMS = """public class Sums extends Bot {
    public int choose(RajView view) {
        int sum = view.prize + view.pile.length + view.scores[seat] + 1000 * players;
        for (RajView.RajRound past : view.history) { sum += past.shown + past.bids[0] * past.bids[1] + past.winner; }
        return pick(view, sum);
    }
    public int choose(BraveRatsView view) {
        int sum = view.hand.length + view.on_hold + view.spy + view.shown + view.cards[1].length + view.packets.length;
        for (BraveRatsView.BraveRatsRound past : view.history) { sum += past.cards[0] * past.acted[1] + past.crowns; }
        return pick(view, sum);
    }
    public int choose(CheeseRescueView view) {
        int sum = view.players + view.cheese_points[2];
        for (int move : view.history) { sum += move; }
        return pick(view, sum);
    }
    public int choose(MagillatView view) {
        int sum = view.storyteller + view.centre[0] + view.mark + view.picks[1] + view.deck_size;
        for (int[] story : view.stories) { for (int card : story) { sum += card; } }
        for (MagillatView.Turn turn : view.history) { sum += turn.marks[0] + turn.stories.length; }
        return pick(view, sum);
    }
    private int pick(View view, int sum) {
        return view.legal[Math.floorMod(sum, view.legal.length)];
    }
}
"""
TWIN = b"""
class Bot:
    def __init__(self, table):
        self.table = table

    def start(self, table):
        self.table = table

    def choose(self, view):
        return view.legal[getattr(self, self.table.game.name)(view) % len(view.legal)]

    def raj(self, view):
        past = sum(past.shown + past.bids[0] * past.bids[1] + past.winner for past in view.history)
        return view.prize + len(view.pile) + view.scores[self.table.seat] + 1000 * self.table.players + past

    def braverats(self, view):
        past = sum(past.cards[0] * past.acted[1] + past.crowns for past in view.history)
        hand = len(view.hand) + view.on_hold + view.spy + view.shown
        return hand + len(view.cards[1]) + len(view.packets) + past

    def cheese_rescue(self, view):
        return view.players + view.cheese_points[2] + sum(view.history)

    def magillat(self, view):
        told = view.storyteller + view.centre[0] + view.mark + view.picks[1] + view.deck_size
        return told + sum(map(sum, view.stories)) + sum(turn.marks[0] + len(turn.stories) for turn in view.history)
"""


@pytest.mark.slow
def test_typed_views_of_all_games_are_those_of_python(folder: Path, factory: HostFactory) -> None:
    needs("java")
    (folder / "Sums.java").write_text(SUMS)
    written = new(folder, "sums", "--language", "java", "--from", str(folder / "Sums.java"))
    toml = folder / "sums" / "bot.toml"
    toml.write_text(toml.read_text().replace('games = ["raj"]\n', ""))
    written = load(folder / "sums")
    for name in games.BUILT_IN:
        assert_same_games(factory, written, TWIN, Contest.of(games.make(name)))


def assert_same_games(factory: HostFactory, written: Bot, twin: bytes, contest: Contest) -> None:
    """A bot plays move for move like its twin in Python."""
    others = [bot(f"low_{seat}", LOW) for seat in range(contest.players - 1)]
    same = Bot(written.name, written.path, twin, written.hash)
    lineup = tuple(sorted(entry.entrant() for entry in (*others, written)))
    block = Block(Series(contest, lineup, 0, stretched(2026), LIMITS), 0, 4)
    result, expected = play(factory, [*others, written], block), trusted([*others, same], block)
    assert result.faults == ()
    assert result.moves == expected.moves != b""


LOW = b"class Bot:\n    def choose(self, view):\n        return view.legal[0]\n"
GEIER = """import java.util.ArrayList;

class Geier extends HolsDerGeierSpieler {
    private final ArrayList<Integer> theirs = new ArrayList<>();

    public void reset() {
        theirs.clear();
        for (int card = 1; card <= 15; card++) {
            theirs.add(card);
        }
    }

    public int gibKarte(int naechsteKarte) {
        System.out.println("This must not disturb the league.");
        int last = letzterZug();
        if (last != -99) {
            theirs.remove(Integer.valueOf(last));
        }
        if (last != getHdg().letzterZug(getNummer()) || Math.random() >= 1) {
            throw new IllegalStateException("not mine");
        }
        return naechsteKarte < 0 ? naechsteKarte + 6 : naechsteKarte + 5;
    }
}
"""
GEIER_TWIN = b"""
class Bot:
    def choose(self, view):
        return view.pile[-1] + (6 if view.pile[-1] < 0 else 5)
"""


@pytest.mark.slow
def test_a_class_for_hols_der_geier_plays_raj_unchanged(folder: Path, factory: HostFactory) -> None:
    needs("java")
    (folder / "Geier.java").write_text(GEIER)
    written = new(folder, "vulture", "--language", "java", "--from", str(folder / "Geier.java"))
    assert_same_games(factory, written, GEIER_TWIN, Contest.of(games.make("raj", 2)))


@pytest.mark.slow
def test_mistakes_of_an_author_have_their_file_and_line(folder: Path, factory: HostFactory) -> None:
    needs("java")
    for name, text, told in (
        ("Throws", "int[] none = {};\n return none[view.seat + 7];", "ArrayIndexOutOfBoundsException"),
        ("Wrong", "return view.price;", "its build failed: Wrong.java:3: error: cannot find symbol"),
    ):
        source = f"public class {name} extends Bot {{\n public int choose(RajView view) {{\n {text}\n }}\n}}\n"
        (folder / f"{name}.java").write_text(source)
        done = trial_of(new(folder, name.lower(), "--language", "java", "--from", str(folder / f"{name}.java")))
        assert told in done.faults[0].cause
        if name == "Throws":
            assert "(Throws.java:4)" in done.faults[0].cause
            assert len(done.faults) == done.games


@each("name", games.BUILT_IN)
def test_java_views_have_all_that_is_sent_with_its_type(name: str) -> None:
    game = games.make(name)
    declared = re.findall(r"^    public final (\S+) (\w+);", view_class(game.view_type), re.MULTILINE)
    sent = contract.told(game.start(game.deal(Random(1))).view(0))
    assert [*View.__struct_fields__, *(field for _, field in declared)] == [*sent]
    assert {field for kind, field in declared if kind == "Object"} <= {"board"}


@each("language", KITS)
def test_the_guide_names_only_what_programs_get(language: str) -> None:
    files = kit_files(language, "amy", games.make("raj"))
    main = next(text for path, text in files.items() if path != "bot.toml")
    assert "view.prize" in main
    assert "view.hands" in main
    assert "league check amy" in main


@each(
    ("name", "expected"),
    [("amy", "Amy"), ("my_bot", "MyBot"), ("bot", "MyBot"), ("7up", "Bot7up"), ("Kit", "MyKit"), ("a-b", "AB")],
)
def test_a_class_is_called_like_its_bot(name: str, expected: str) -> None:
    assert class_name(name) == expected


@each(
    ("words", "told"),
    [
        (["amy", "--game", "raj", "--language", "cobol"], "'cobol' is not one of 'python', 'c', 'go', 'java'"),
        (["amy", "--game", "raj", "--from", "x.py"], "--from needs --language"),
        (["amy", "--game", "raj", "--language", "java", "--from", "none.java"], "none.java cannot be read"),
        (["amy", "--game", "raj", "--language", "java", "--from", "a.c"], "expected a file that ends in .java"),
        (["taken", "--game", "raj", "--language", "c"], "taken exists already"),
        (["a b", "--game", "raj", "--language", "c"], "Expected a bot's name"),
        (["amy", "--game", "raj", "--language", "c", "--to", "nowhere"], "nowhere/amy cannot be written"),
        (["amy", "--language", "c"], "Say what the bot plays: --game raj"),
    ],
)
def test_wrong_input_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir(exist_ok=True)
    (tmp_path / "a.c").touch()
    assert told.lower() in refused("new", *words).lower()
    assert not (tmp_path / "amy").exists()
