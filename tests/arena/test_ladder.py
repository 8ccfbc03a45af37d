"""From a hand-in to the final: who plays in which round, and that the rounds follow from their rosters alone."""

import shutil
import subprocess
import sys
from unittest.mock import Mock

import pytest

from league.extensions.arena.archive import backup, restore
from league.extensions.arena.folder import make_arena
from league.extensions.arena.ladder import Ladder
from league.extensions.arena.pages import make_app
from league.extensions.arena.records import Participant, Submission
from league.extensions.arena.store import ArenaStore
from league.results.standings import read_standings
from league.setup.bot_folder import content_hash
from league.values.settings import Isolation
from tests.arena.asking import ask
from tests.arena.conftest import CONFIG, FAILING, HIGHEST, ROOT, made, steps
from tests.arena.replaying import never, replayed, tables
from tests.docs import BLOCK

STAFF = {"raj_nearest", "random"}


def _all(step) -> int:
    steps = 0
    while step():
        steps += 1
        assert steps < 50
    return steps


def version(number: int) -> bytes:
    """A bot that plays its N-th best card, or the last one."""
    return HIGHEST.replace(b"max(view.legal)", b"sorted(view.legal)[::-1][:%d][-1]" % number)


def enter(arena: ArenaStore, person: Participant, body: bytes, *, passed: bool = True) -> Submission:
    """Hand in, with a verdict that nobody has to play for."""
    arena.hand_in(person, "bot.py", body)
    submission = arena.submissions(person.bot)[0]
    arena.checked(submission, "", passed=passed, source=content_hash(body))
    return submission


@pytest.fixture
def small(tmp_path) -> ArenaStore:
    """An arena of two rounds, with three authors."""
    (tmp_path / "small.yaml").write_text(CONFIG.replace("demo", "small").replace("deals: 8", "deals: 2"))
    arena, _, _ = make_arena(tmp_path / "small", tmp_path / "small.yaml")
    arena.invite([(alias, alias, "", "author") for alias in ("amy", "bob", "cleo")], "lecturer")
    return arena


@pytest.fixture
def people(small) -> list[Participant]:
    return [person for person in small.people() if person.role == "author"]


@pytest.fixture
def ladder(small):
    ladder = Ladder(small.folder, 1, Isolation.TRUSTED)
    yield ladder
    ladder.close()


class TestRounds:
    def test_a_new_version_plays_in_the_next_round_alone(self, small, people, ladder):
        first = enter(small, people[0], version(1))
        assert ladder.step(never)
        second = enter(small, people[0], version(2))
        assert ladder.step(never)
        assert [part.roster["amy"] for part in small.rounds()] == [first.hash, second.hash]
        assert not ladder.step(never), "nothing is played twice"

    def test_a_round_that_was_cut_off_goes_on_with_the_same_bots(self, small, people, ladder):
        first = enter(small, people[0], version(1))
        assert ladder.step(lambda: True)  # it is asked to stop at once
        cut_off = small.last_round()
        assert cut_off.ended is None
        second = enter(small, people[0], version(2))
        enter(small, people[1], version(3))
        again = Ladder(small.folder, 1, Isolation.TRUSTED)  # as after a restart
        assert again.step(never)
        [part] = small.rounds()
        assert part.ended is not None
        assert part.roster == cut_off.roster
        assert part.roster["amy"] == first.hash
        assert again.step(never)
        again.close()
        assert small.last_round().roster["amy"] == second.hash
        assert "bob" in small.last_round().roster

    @pytest.mark.slow
    @pytest.mark.parametrize("schedule", ["round_robin", "adaptive"])
    def test_a_round_that_was_cut_off_after_its_last_game_plays_nothing_more(self, tmp_path, monkeypatch, schedule):
        """The league has more rounds, which belong to later rounds of the ladder."""
        (tmp_path / "long.yaml").write_text(f"{CONFIG.replace('deals: 8', 'deals: 40')}schedule: {schedule}\n")
        arena, _, _ = make_arena(tmp_path / "arena", tmp_path / "long.yaml")
        ladder = Ladder(arena.folder, 1, Isolation.TRUSTED)
        with monkeypatch.context() as patch:
            patch.setattr(ladder._arena, "end_round", Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                ladder.step(never)
        before = tables(arena.folder)
        assert arena.last_round().ended is None
        assert ladder.step(never)
        assert arena.last_round().ended is not None
        assert tables(arena.folder) == before
        assert ladder.step(never)
        ladder.close()
        assert tables(arena.folder) != before

    @pytest.mark.slow
    @pytest.mark.parametrize("schedule", ["round_robin", "adaptive"])
    def test_stored_rosters_played_again_give_the_same_standings(self, small, people, ladder, tmp_path, schedule):
        config = small.folder / "config.yaml"
        config.write_text(f"{config.read_text()}schedule: {schedule}\n")
        amy, bob, cleo = people
        enter(small, amy, version(1))
        ladder.step(never)
        enter(small, bob, version(2))
        ladder.step(lambda: True)
        enter(small, amy, version(3))
        ladder.step(never)
        small.change_person(bob, "lecturer", disqualified="copied")
        enter(small, cleo, version(4))
        _all(lambda: ladder.step(never))
        assert len(small.rounds()) >= 3
        assert replayed(small, tmp_path) == tables(small.folder)

    def test_who_is_taken_out_leaves_the_standings_although_nothing_is_played(self, small, people, ladder):
        for number, person in enumerate(people, 1):
            enter(small, person, version(number))
        _all(lambda: ladder.step(never))
        small.change_person(people[0], "lecturer", disqualified="copied")
        assert ladder.step(never)
        assert "amy" not in small.last_round().roster
        [league] = (small.folder / "results").iterdir()
        assert {line.bot for line in read_standings(league).overall} == {"bob", "cleo", *STAFF}
        assert "amy" not in (league / "standings.csv").read_text()
        assert not ladder.step(never)

    @pytest.mark.parametrize("resumed_at_once", [False, True])
    def test_a_pause_stops_a_round_at_once_and_it_goes_on_where_it_stopped(
        self, small, people, ladder, tmp_path, resumed_at_once
    ):
        enter(small, people[0], version(1))

        def paused_meanwhile() -> bool:
            small.change_rules("lecturer", paused=not small.rules.paused if resumed_at_once else True)
            return False

        assert ladder.step(paused_meanwhile)
        assert small.last_round().ended is None
        small.change_rules("lecturer", paused=True)
        assert not ladder.step(never)
        small.change_rules("lecturer", paused=False)
        _all(lambda: ladder.step(never))
        assert small.rounds()[0].ended is not None
        assert tables(small.folder) == replayed(small, tmp_path)  # as if nobody had paused it

    def test_a_contest_that_too_few_bots_play_waits_and_the_others_go_on(self, tmp_path):
        arena = made(tmp_path, f"{CONFIG.replace('deals: 8', 'deals: 2')}  - {{game: braverats, deals: 2}}\n")
        [(amy, _)] = arena.invite([("Amy", "amy", "", "author")], "test")
        enter(arena, amy, HIGHEST)
        league = arena.folder / "results" / "demo"
        assert steps(arena)
        assert [*read_standings(league).contests] == ["raj-2p"]
        enter(arena, amy, HIGHEST.replace(b"('raj',)", b"('raj', 'braverats')"))
        assert steps(arena)
        assert [*read_standings(league).contests] == ["raj-2p", "braverats-2p"]
        (tmp_path / "filled").mkdir()
        filled = made(tmp_path / "filled", f"{CONFIG}  - {{game: braverats, deals: 2, fill: random}}\n")
        assert steps(filled, most=1)
        assert len(read_standings(filled.folder / "results" / "demo").contests) == 2, "copies take the empty seats"

    def test_who_cannot_be_read_is_left_out_and_the_others_play(self, small, people, ladder):
        enter(small, people[0], version(1))
        enter(small, people[1], b"class Bot(:")
        assert ladder.step(never)
        [league] = (small.folder / "results").iterdir()
        assert {line.bot for line in read_standings(league).overall} == {"amy", *STAFF}

    @pytest.mark.slow
    def test_a_version_that_fails_in_most_games_is_benched_and_the_next_one_is_not(
        self, small, people, ladder, monkeypatch
    ):
        monkeypatch.setattr("league.extensions.arena.ladder.BENCH_GAMES", 16)
        bad = enter(small, people[0], FAILING)
        enter(small, people[1], version(1))
        enter(small, people[2], version(2))
        _all(lambda: ladder.step(never))
        benched = {version.id: version.benched for version in small.submissions() if version.benched}
        assert benched == {bad.id: "it failed in 16 of 16 games"}
        assert "amy" not in small.last_round().roster
        good = enter(small, people[0], version(3))
        _all(lambda: ladder.step(never))
        assert small.last_round().roster["amy"] == good.hash
        assert [version.id for version in small.submissions() if version.benched] == [bad.id]

    @pytest.mark.slow
    def test_a_slow_bot_holds_nobody_up_and_its_author_is_told(self, small, people, ladder, monkeypatch):
        monkeypatch.setattr("league.extensions.arena.ladder.THINKING_SECONDS", 0.0)
        for number, person in enumerate(people[1:], 1):
            enter(small, person, version(number))
        slow = enter(small, people[0], HIGHEST.replace(b"return", b"__import__('time').sleep(0.02)\n        return"))
        assert ladder.step(never)
        [part] = small.rounds()
        assert part.ended is not None
        assert part.roster["amy"] == slow.hash
        told = small.ratings_after()
        others = [told[bot] for bot in ("bob", "cleo", *STAFF)]
        assert all(one.played >= 3 * 4 and not one.put_off for one in others), "all games among them are played"
        assert 0 < told["amy"].played < 4 * 4
        assert told["amy"].played + told["amy"].put_off == 4 * 4
        newer = enter(small, people[1], version(5))
        assert ladder.step(never)
        assert small.last_round().roster["bob"] == newer.hash
        assert "amy" in small.last_round().roster


class TestFinal:
    def closed(self, arena: ArenaStore, ladder: Ladder) -> None:
        arena.change_rules("lecturer", phase="closed")
        _all(lambda: ladder.step(never))

    def test_it_waits_for_the_last_check(self, small, people, ladder):
        small.hand_in(people[0], "bot.py", version(1))
        small.change_rules("lecturer", phase="closed")
        assert not ladder.step(never)
        assert small.rules.phase == "closed"
        submission = small.submissions("amy")[0]
        small.checked(submission, "", passed=True)
        assert ladder.step(never)
        assert small.rules.phase == "final"

    def test_the_secret_is_published_with_the_results_and_not_before(self, small, people, ladder):
        enter(small, people[0], version(1))
        small.change_rules("lecturer", phase="closed")
        assert ladder.step(never)
        assert small.rules.phase == "final"
        app = make_app(small.folder)
        assert ask(app, "GET", "/").text.count(small.fact("roster_hash")) == 1  # everybody sees it
        assert not small.fact("published_secret")
        assert small.fact("secret") not in ask(app, "GET", "/").text
        assert ladder.step(never)
        assert small.rules.phase == "over"
        assert small.fact("published_secret") == small.fact("secret")
        assert small.fact("secret") in ask(app, "GET", "/").text

    @pytest.mark.slow
    def test_one_that_was_cut_off_is_the_same(self, small, people, ladder, tmp_path):
        enter(small, people[0], version(1))
        small.change_rules("lecturer", phase="closed")
        assert ladder.step(never)
        backup(small.folder, tmp_path / "copy.zip")
        restore(tmp_path / "copy.zip", tmp_path / "copy")
        ladder.step(lambda: True)
        assert small.rules.phase == "final"
        _all(lambda: ladder.step(never))
        other = Ladder(tmp_path / "copy", 1, Isolation.TRUSTED)
        _all(lambda: other.step(never))
        other.close()
        assert tables(small.folder / "final") == tables(tmp_path / "copy" / "final")

    def test_a_game_of_the_lecturers_own_is_played_in_it(self, tmp_path):
        shutil.copytree(ROOT / "examples" / "kuhn", tmp_path / "own")
        config = tmp_path / "own" / "kuhn.yaml"
        text = config.read_text().replace("../../bots/random.py", "bots").replace("deals: 400", "deals: 2")
        config.write_text(text)
        arena, _, _ = make_arena(tmp_path / "arena", config)
        arena.change_rules("lecturer", phase="closed")
        ladder = Ladder(arena.folder, 1, Isolation.TRUSTED)
        _all(lambda: ladder.step(never))
        ladder.close()
        assert arena.rules.phase == "over"
        assert (arena.folder / "final" / "kuhn.py").exists()

    def test_the_script_of_the_documentation_checks_the_seed(self, small, people, ladder):
        enter(small, people[0], version(1))
        self.closed(small, ladder)
        page = (ROOT / "docs" / "arena.md").read_text()
        script = next(block["body"] for block in BLOCK.finditer(page) if "# check_final.py" in block["body"])

        def run(secret: str) -> subprocess.CompletedProcess:
            words = [sys.executable, "-c", script, secret, small.fact("secret_hash")]
            return subprocess.run(words, cwd=small.folder / "final", capture_output=True, text=True, check=False)

        ended = run(small.fact("published_secret"))
        assert ended.returncode == 0, ended.stderr
        assert small.fact("roster_hash") in ended.stdout
        assert "another secret than was promised" in run("guessed").stderr
        config = small.folder / "final" / "config.yaml"
        config.write_text(config.read_text().replace("seed: ", "seed: 1"))
        assert "another seed than was promised" in run(small.fact("published_secret")).stderr

    def test_anyone_repeats_it_from_its_folder(self, small, people, ladder, tmp_path):
        """Config and bots are all that is needed: the seed is in the config, and follows from what was published."""
        from click.testing import CliRunner

        from league.cli import league

        enter(small, people[0], version(1))
        self.closed(small, ladder)
        shutil.copytree(small.folder / "final", tmp_path / "own", ignore=shutil.ignore_patterns("results"))
        words = ["run", str(tmp_path / "own" / "config.yaml"), "--results", str(tmp_path / "own" / "results")]
        result = CliRunner().invoke(league, [*words, "--isolation", "trusted", "--workers", "1", "--quiet"])
        assert result.exit_code == 0, result.output
        name = "small-final"
        for file in ("standings.csv", "head_to_head.csv"):
            theirs = (small.folder / "final" / "results" / name / file).read_bytes()
            assert (tmp_path / "own" / "results" / name / file).read_bytes() == theirs
