"""Bots that cannot be asked now and then: their matches stay open, are played again, and are never lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec.structs import replace

from league.errors import UnavailableError
from league.games.contract import Game
from league.hosts import Reply, Tick
from league.plan.queue import MOST_TRIES
from league.play.match import play_block, play_sitting
from league.results.csvs import csv_texts
from league.results.moves import BlockMoves
from league.results.standings import Standings
from league.results.store import Store
from league.setup.roster import scan
from league.values.block import Block, BlockResult, Entrant, Sitting, Unavailable, Usage
from league.values.settings import Config, Event, Isolation, Limits
from tests.counting import endings_of
from tests.leagues import FIRST, LAST, bot, contest, play_league, series

AWAY = """
while IFS= read -r line; do
    moves=
    rest=$line
    case $line in '{"hello"'*) echo '{"protocol": 1}'; continue ;; esac
    while [ "$rest" != "${rest#*'"legal":['}" ]; do
        rest=${rest#*'"legal":['}
        legal=${rest%%]*}
        move=${legal##*,}
        if [ ! -e UP ]; then
            case ${rest#*]} in ',"prize":WHEN,'*) move='{"unavailable": "no route to the model"}' ;; esac
        fi
        moves=$moves${moves:+,}$move
    done
    echo "[$moves]"
done
"""
"""Plays its highest card. Where a certain prize is at stake it is unavailable, as long as a file is not there."""


class Absent:
    """A host that plays the first legal move, and is unavailable in some slots from their second decision on."""

    wants_final_view = False

    def __init__(self, slots: frozenset[int], fails: frozenset[int] = frozenset()) -> None:
        self._slots = slots
        self._fails = fails
        self._asked: Counter[int] = Counter()

    def send(self, tick: Tick) -> None:
        self._tick = tick

    def receive(self) -> Reply:
        self._asked.update(self._tick.slots)
        away = {slot: "away" for slot in self._tick.slots if slot in self._slots and self._asked[slot] > 1}
        moves = [
            99 if slot in self._fails else 0 if slot in away else view.legal[0]
            for slot, view in zip(self._tick.slots, self._tick.views, strict=True)
        ]
        return Reply(moves, (), away)

    def close(self) -> Usage:
        return Usage(1, 0.0)


def parts(
    away: set[int], games_per_match: int = 1, fails: set[int] | None = None, *, is_last_try: bool = False
) -> list[BlockResult | Unavailable]:
    """A block of Raj in which one bot is away in some matches; the other one may be at fault in some."""
    table = series([bot("amy"), bot("bob", LAST)], games_per_match=games_per_match)

    def open_host(entrant: Entrant, game: Game) -> Absent:
        return Absent(frozenset(away)) if entrant.name == "amy" else Absent(frozenset(), frozenset(fails or ()))

    return play_sitting(Sitting((Block(table, 0, 6),), is_last_try=is_last_try), open_host)


def spans(results: list[BlockResult | Unavailable]) -> list[tuple[int, int, str]]:
    return [
        (result.block.first, result.block.stop, result.bot if isinstance(result, Unavailable) else "")
        for result in results
    ]


def test_a_match_without_a_bot_is_left_out_of_its_block() -> None:
    results = parts({1, 2, 5})
    assert spans(results) == [(0, 1, ""), (1, 3, "amy"), (3, 5, ""), (5, 6, "amy")]
    whole = parts(set())
    assert spans(whole) == [(0, 6, "")]
    played = [result for result in results if isinstance(result, BlockResult)]
    assert sum(len(endings_of(result)) for result in played) == 3


def test_a_match_is_left_out_with_all_its_games() -> None:
    assert spans(parts({1}, games_per_match=2)) == [(0, 2, ""), (2, 4, "amy"), (4, 6, "")]


def test_faults_of_others_in_such_a_match_do_not_count() -> None:
    results = parts({1, 3}, fails={1, 4})
    (part,) = [result for result in results if isinstance(result, BlockResult) and result.faults]
    assert [fault.deal for fault in part.faults] == [4]
    (lapse,) = BlockMoves(part.moves, 2, part.block.games).lapses
    assert lapse.game == 4 - part.block.first


def test_in_the_last_try_a_match_counts_and_is_lost() -> None:
    (whole,) = parts({1, 4}, is_last_try=True)
    assert isinstance(whole, BlockResult)
    assert [(fault.bot, fault.deal, fault.kind) for fault in whole.faults] == [("amy", 1, "error"), ("amy", 4, "error")]
    assert {fault.cause for fault in whole.faults} == {"unavailable in the last try of this match: away"}
    ranks = [ending.ranks for ending in endings_of(whole)]
    assert ranks[1] == ranks[4] == (1, 0)


def test_a_single_block_is_refused_with_the_reason() -> None:
    table = series([bot("amy"), bot("bob")])
    with pytest.raises(
        UnavailableError, match=r"amy could not be asked, so there is no game: away\. Try again later\."
    ):
        play_block(Block(table, 0, 2), lambda entrant, _: Absent(frozenset({1} if entrant.name == "amy" else ())))


@pytest.fixture
def bots() -> Iterator[Path]:
    """A folder that programs can read, which may run as another user."""
    with TemporaryDirectory(prefix="league-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def league(folder: Path, when: str, up: Path) -> Config:
    (folder / "nova").mkdir(exist_ok=True)
    (folder / "nova" / "main.sh").write_text(AWAY.replace("WHEN", when).replace("UP", str(up)))
    (folder / "nova" / "bot.toml").write_text('command = ["sh", "main.sh"]\ngames = ["raj"]\n')
    (folder / "first.py").write_text(FIRST)
    (folder / "last.py").write_text(LAST)
    event = Event(contest("raj", 2), deals=3)
    limits = Limits(move_ms=2000, start_ms=20_000)
    return Config(
        name="t", seed=7, bots=(".",), base=folder, events=(event,), isolation=Isolation.PROCESS, limits=limits
    )


def standings(folder: Path) -> tuple[dict[str, str], list[str]]:
    with Store.open(folder) as store:
        found = Standings.of(store)
        return csv_texts(found), found.notices


@pytest.mark.slow
def test_open_matches_are_tried_a_few_times_and_then_when_the_league_is_run_again(tmp_path: Path, bots: Path) -> None:
    up = bots / "up"
    config = league(bots, "10", up)
    first = play_league(config, tmp_path / "a")
    (of_nova,) = first.unavailable
    assert (of_nova.bot, of_nova.games, of_nova.tries) == ("nova", of_nova.matches, MOST_TRIES)
    assert 0 < of_nova.matches < 12
    assert first.games + of_nova.matches == 18
    assert first.games_left == of_nova.matches
    assert not first.out_of_budget
    csvs, notices = standings(first.folder)
    tried = f"tried up to {MOST_TRIES} times"
    why = f"which could not be asked (no route to the model; {tried}). They count for nobody."
    assert f"open: {of_nova.matches} matches of nova, {why}" in notices
    assert ",losses," in csvs["standings.csv"]
    up.touch()
    again = play_league(config, tmp_path / "a")
    assert (again.games, again.unavailable, again.progress.finished) == (of_nova.matches, [], True)
    whole = play_league(config, tmp_path / "b")
    assert standings(again.folder) == standings(whole.folder)
    assert not any("could not be asked" in notice for notice in standings(whole.folder)[1])


@pytest.mark.slow
def test_who_is_unavailable_too_often_loses(tmp_path: Path, bots: Path) -> None:
    """The tries of all runs count, so a match that was tried in vain in one run is lost in the next."""
    config = replace(league(bots, "10", bots / "up"), tries=MOST_TRIES + 2)
    first = play_league(config, tmp_path)
    assert [open_.tries for open_ in first.unavailable] == [MOST_TRIES]
    again = play_league(config, tmp_path)
    assert again.unavailable == []
    assert again.progress.finished
    assert again.games == again.faults == first.games_left > 0
    with Store.open(again.folder) as store:
        assert {line.bot: line.faults for line in Standings.of(store).overall} == {
            "nova": again.faults, "first": 0, "last": 0,
        }  # fmt: skip


def test_standings_name_no_open_matches_of_bots_that_have_left(tmp_path: Path, bots: Path) -> None:
    config = league(bots, "10", bots / "up")
    folder = play_league(config, tmp_path).folder
    for file in (bots / "nova").iterdir():
        file.unlink()
    (bots / "nova").rmdir()
    assert [bot.name for bot in scan(config.bots, config.base, config.folder_mb).bots] == ["first", "last"]
    assert play_league(config, tmp_path).unavailable == []
    assert not any("open" in notice for notice in standings(folder)[1])
