"""A week of an arena on a simulated clock: versions come and go, and nobody is left out of a round.

The league is simulated as well: a game takes no time, and a version that is called bad fails in all of its games. All
that belongs to the arena is real: hand-ins, queue, verdicts, rosters, the folder of the bots, benching.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import ClassVar

import pytest

from league.extensions.arena.folder import staff_bots
from league.extensions.arena.ladder import BENCH_GAMES, Ladder
from league.extensions.arena.store import ArenaStore
from league.values.settings import Isolation
from tests.arena.conftest import HIGHEST, made
from tests.arena.replaying import never

HOUR, DAY = 3600.0, 86400.0


class SimulatedLadder(Ladder):
    """There is always another round of the league."""

    def _rounds_to_play(self, number: int, roster: Mapping[str, str]) -> int:
        return 1


class SimulatedRun:
    """A league in which every bot of the folder plays some games in each round."""

    folder: Path
    played: dict[str, str]
    """Bot to hash of its file, in the last round."""
    games: ClassVar[dict[tuple[str, str], int]] = {}
    cut_off = False
    """Whether the round is interrupted."""

    def __init__(self, config, results, **_):
        self.config, self.folder = config, results.parent

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def check_bots(self):
        pass

    def play(self, stop, stopping, slow_seconds):
        SimulatedRun.played = {
            path.stem: sha256(path.read_bytes()).hexdigest() for path in (self.folder / "bots").iterdir()
        }
        interrupted = SimulatedRun.cut_off
        for key in () if interrupted else SimulatedRun.played.items():
            SimulatedRun.games[key] = SimulatedRun.games.get(key, 0) + BENCH_GAMES // 4
        return SimpleNamespace(interrupted=interrupted, held_up={})

    def report(self):
        lines = [
            SimpleNamespace(
                bot=bot,
                games=SimulatedRun.games[bot, hash_],
                forfeits=SimulatedRun.games[bot, hash_] if self._is_bad(bot) else 0,
                place="1",
                rating=25.0,
                low=24.0,
                high=26.0,
                has_place=True,
            )
            for bot, hash_ in SimulatedRun.played.items()
        ]
        return SimpleNamespace(standings=SimpleNamespace(overall=lines))

    def _is_bad(self, bot: str) -> bool:
        path = self.folder / "bots" / f"{bot}.py"
        return path.exists() and b"# bad" in path.read_bytes()


class NoFaults:
    """The league's results, without faults: a bad version forfeits its games."""

    @classmethod
    def open(cls, folder):
        return cls()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def faults(self):
        return []


class Week:
    """Events of an arena, and what must follow from them."""

    def __init__(self, arena: ArenaStore, bots: int, clock: list[float]) -> None:
        self.arena = arena
        self.clock = clock
        self.random = Random(bots)
        self.people = [person for person in arena.people() if person.role == "author"]
        self.newest: dict[str, str] = {}
        """Bot to hash of the version that has to play."""
        self.bad: set[str] = set()
        """Hashes of versions that fail in all games."""
        self.numbers: dict[str, int] = {}

    def hand_in(self, person) -> None:
        number = self.numbers[person.bot] = self.numbers.get(person.bot, 0) + 1
        kind = self.random.choice(["good"] * 6 + ["bad", "broken"])
        body = HIGHEST + f"# {kind} {person.bot} {number}\n".encode()
        if kind == "bad":
            self.bad.add(sha256(body).hexdigest())
        self.arena.hand_in(person, "bot.py", body)

    def check(self, most: int) -> None:
        """Give verdicts to the first ones of the queue, as the checker does."""
        for submission in self.arena.queue()[:most]:
            self.clock[0] += self.random.uniform(1.0, 5.0)
            passed = b"# broken" not in self.arena.content(submission)
            self.arena.checked(submission, "", passed=passed)
            if passed:
                self.newest[submission.bot] = submission.hash

    def return_to_older(self, person) -> None:
        passed = [submission for submission in self.arena.submissions(person.bot) if submission.state == "passed"]
        if passed:
            self.arena.play_version(passed[-1], person.alias)
            self.newest[person.bot] = passed[-1].hash

    def expected(self) -> dict[str, str]:
        """Who has to be in a round that begins now; benched versions are those that the arena has told about."""
        out = {person.bot for person in self.arena.people() if person.disqualified}
        ids = [version.id for version in self.arena.submissions() if version.benched]
        benched = {submission.hash for submission in self.arena.submissions() if submission.id in ids}
        assert benched <= self.bad, "only versions that fail are benched"
        return {bot: hash_ for bot, hash_ in self.newest.items() if bot not in out and hash_ not in benched}


@pytest.mark.parametrize(
    ("bots", "rounds_a_day"),
    [pytest.param(12, 4, id="some"), pytest.param(300, 3, id="many", marks=pytest.mark.soak)],
)
def test_nobody_is_left_out_and_a_new_version_plays_in_the_next_round(tmp_path, monkeypatch, bots, rounds_a_day):
    monkeypatch.setattr("league.extensions.arena.ladder.LeagueRun", SimulatedRun)
    monkeypatch.setattr("league.extensions.arena.ladder.Store", NoFaults)
    monkeypatch.setattr("league.extensions.arena.ladder._told", lambda *_: {})
    monkeypatch.setattr(SimulatedRun, "games", {})
    clock = [1_800_000_000.0]
    arena = ArenaStore.open(made(tmp_path).folder, clock=lambda: clock[0])
    arena.invite([(f"Author {n}", f"author_{n:03}", "", "author") for n in range(bots)], "test")
    week, end = Week(arena, bots, clock), clock[0] + 7 * DAY
    for person in week.people:  # everybody begins with a version on the first day
        week.hand_in(person)
    ladder = SimulatedLadder(arena.folder, 1, Isolation.TRUSTED, clock=lambda: clock[0])
    staff = {bot.name: bot.hash for bot in staff_bots(arena.folder)}
    cut_off = benched = 0
    while clock[0] < end:
        clock[0] += DAY / rounds_a_day
        for person in week.random.sample(week.people, max(bots // 20, 1)):
            if not (author := arena.person_called(person.alias)).disqualified:
                week.hand_in(author)
        chosen = week.random.choice(week.people)
        week.return_to_older(chosen)
        reason = "" if arena.person_called(chosen.alias).disqualified else "a reason"
        arena.change_person(chosen, "test", disqualified=reason if week.random.random() < 0.3 else "")
        week.check(most=bots // 4 + 1)
        expected = week.expected()
        SimulatedRun.cut_off = week.random.random() < 0.1
        assert ladder.step(never)
        part = arena.last_round()
        assert SimulatedRun.played == expected
        assert part.roster == expected | staff
        if SimulatedRun.cut_off:  # and a new player goes on with the same bots
            cut_off += 1
            assert part.ended is None
            SimulatedRun.cut_off = False
            ladder.close()
            ladder = SimulatedLadder(arena.folder, 1, Isolation.TRUSTED, clock=lambda: clock[0])
            week.check(most=5)
            assert ladder.step(never)
            assert arena.last_round().roster == part.roster
            assert SimulatedRun.played == expected
        assert arena.last_round().ended is not None
        benched = sum(bool(version.benched) for version in arena.submissions())
    ladder.close()
    assert len(arena.rounds()) == 7 * rounds_a_day
    assert cut_off
    assert benched
    first_after_check(arena)


def first_after_check(arena: ArenaStore) -> None:
    """A version that has passed is in the first round that begins after its check, unless it is out or replaced."""
    rounds = arena.rounds()
    activations = arena._rows("SELECT bot, submission, time FROM activations ORDER BY id")
    hashes = {submission.id: submission.hash for submission in arena.submissions()}
    for number, (bot, submission, moment) in enumerate(activations):
        following = next((part for part in rounds if part.began >= moment), None)
        if following is None or bot not in following.roster:
            continue
        newer = [later for later in activations[number + 1 :] if later[0] == bot and later[2] <= following.began]
        assert newer or following.roster[bot] == hashes[submission]
